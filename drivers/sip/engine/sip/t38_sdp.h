// T.38 in session descriptions (ITU-T T.38 annex D): an image line over UDPTL, and the audio line that stands for it inside.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../fax/t38_fax.h"
#include "pj.h"

namespace pbx {

struct T38Line {
  std::string host;
  unsigned port = 0;
  T38Terms terms;
  std::vector<std::string> lines;  // the kinds of all media lines in order: an answer has as many
};

// Null when the text is no session description.
pjmedia_sdp_session* parseSdp(pj_pool_t* pool, std::string_view text);
std::string printSdp(const pjmedia_sdp_session* sdp);
// What the image line says; nothing when there is none in use.
std::optional<T38Line> readT38(const pjmedia_sdp_session* sdp);
// Puts one inactive audio line in the place of all media, or `inPlace` in that of the image line: what PJSIP is to believe of an offer, and of an
// answer to ours.
void imageToAudio(pj_pool_t* pool, pjmedia_sdp_session* sdp, bool inPlace);
// Puts an image line at `port` in the place of the audio line that is in use; `lines` as in the offer that is answered, {} in an offer.
void audioToImage(pj_pool_t* pool, pjmedia_sdp_session* sdp, unsigned port, const std::vector<std::string>& lines);

}  // namespace pbx

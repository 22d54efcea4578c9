// What a session description (SDP, RFC 8866) of the far end comes to here: what others leave out is filled in, one of its lines of audio is
// chosen, and what cannot be a call has a reason (RFC 3261 section 20.43).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pj.h"
#include "settings.h"

namespace pbx {

// What the audio of a call may be.
struct MediaTerms {
  Srtp srtp = Srtp::off;
  std::vector<std::string> codecs = {"PCMU", "PCMA", "G722"};  // names as in rtpmap, all with a clock of 8000 Hz there
  std::string family;  // of the addresses that its signalling comes from, as in a c= line: IP4 or IP6; empty: either
};

// A warn-code of RFC 3261 section 20.43 and its text.
struct Warning {
  int code = 0;
  const char* text = "";
};

// Fills in what PJSIP wants and others do without: a name of the session; for a dynamic payload type without an rtpmap that of `former`
// (RFC 3264 section 8.3.2 lets it mean nothing else; null: there is none), else the type is dropped, as one above 127 is. A line next to the
// audio that has no format or no address is switched off. True: something was changed.
bool fillIn(pj_pool_t* pool, pjmedia_sdp_session& sdp, const pjmedia_sdp_session* former);

// One line of audio is left, the others get port 0: of those that can be a call the first that is sent on, encrypted before plain, and of
// the family of its signalling before the other one (RFC 4091 offers a line for each). True: something was changed.
bool chooseAudio(pjmedia_sdp_session& sdp, const MediaTerms& terms);

// Why no call can come of it; none where there is an image line, of which fax decides (t38_calls.h).
std::optional<Warning> faultOf(const pjmedia_sdp_session& sdp, const MediaTerms& terms);

// Whether this can be the answer to `offer`: a codec of it is left, and what has to be encrypted is.
bool answers(pj_pool_t* pool, const pjmedia_sdp_session& answer, const pjmedia_sdp_session& offer);

}  // namespace pbx

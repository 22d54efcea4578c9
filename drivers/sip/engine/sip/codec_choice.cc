#include "codec_choice.h"

#include <algorithm>

namespace pbx {

namespace {

struct Payload {
  pj_str_t format;
  std::string name;  // as in rtpmap, such as PCMU
};

std::vector<Payload> payloadsOf(const pjmedia_sdp_media& media) {
  std::vector<Payload> payloads;
  for (unsigned i = 0; i < media.desc.fmt_count; i++) {
    Payload payload{media.desc.fmt[i], ""};
    const auto* attribute = pjmedia_sdp_media_find_attr2(&media, "rtpmap", &payload.format);
    pjmedia_sdp_rtpmap map;
    if (attribute != nullptr && pjmedia_sdp_attr_get_rtpmap(attribute, &map) == PJ_SUCCESS) payload.name = text(map.enc_name);
    payloads.push_back(payload);
  }
  return payloads;
}

bool isNamed(const Payload& payload, const std::string& name) {
  const pj_str_t a = pjText(payload.name), b = pjText(name);
  return pj_stricmp(&a, &b) == 0;
}

void removeFormat(pjmedia_sdp_media& media, const pj_str_t& format) {
  for (const char* name : {"rtpmap", "fmtp"}) {
    if (auto* attribute = pjmedia_sdp_media_find_attr2(&media, name, &format)) pjmedia_sdp_media_remove_attr(&media, attribute);
  }
}

}  // namespace

void chooseCodecs(pjmedia_sdp_session* sdp, const std::vector<std::string>& codecs) {
  for (unsigned m = 0; m < sdp->media_count && !codecs.empty(); m++) {
    pjmedia_sdp_media& media = *sdp->media[m];
    if (view(media.desc.media) != "audio" || media.desc.port == 0) continue;
    const std::vector<Payload> offered = payloadsOf(media);
    std::vector<pj_str_t> chosen;
    const auto take = [&](const std::string& name) {
      for (const Payload& payload : offered) {
        if (isNamed(payload, name)) chosen.push_back(payload.format);
      }
    };
    for (const std::string& name : codecs) take(name);
    if (chosen.empty()) continue;
    take("telephone-event");
    for (const Payload& payload : offered) {
      const bool kept = std::any_of(chosen.begin(), chosen.end(), [&](const pj_str_t& format) { return view(format) == view(payload.format); });
      if (!kept) removeFormat(media, payload.format);
    }
    media.desc.fmt_count = static_cast<unsigned>(chosen.size());
    std::copy(chosen.begin(), chosen.end(), media.desc.fmt);
  }
}

}  // namespace pbx

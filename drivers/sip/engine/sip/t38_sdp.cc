#include "t38_sdp.h"

#include <cstdlib>

namespace pbx {

namespace {

constexpr unsigned refusedPort = 9;

void addAttribute(pj_pool_t* pool, pjmedia_sdp_media* media, const char* name, const std::string& value) {
  const pj_str_t text = pjText(value);
  pjmedia_sdp_attr_add(&media->attr_count, media->attr, pjmedia_sdp_attr_create(pool, name, value.empty() ? nullptr : &text));
}

unsigned number(const pjmedia_sdp_media* media, const char* name, unsigned otherwise) {
  const auto* attribute = pjmedia_sdp_media_find_attr2(media, name, nullptr);
  return attribute == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text(attribute->value).c_str(), nullptr, 10));
}

pjmedia_sdp_media* newLine(pj_pool_t* pool, const std::string& kind, unsigned port, const char* transport, const char* format) {
  auto* media = PJ_POOL_ZALLOC_T(pool, pjmedia_sdp_media);
  media->desc.media = copied(pool, kind);
  media->desc.port = static_cast<pj_uint16_t>(port);
  media->desc.port_count = 1;
  media->desc.transport = copied(pool, transport);
  media->desc.fmt_count = 1;
  media->desc.fmt[0] = copied(pool, format);
  return media;
}

pjmedia_sdp_media* audioLine(pj_pool_t* pool, const std::string& kind, unsigned port) {
  auto* media = newLine(pool, kind, port, "RTP/AVP", "0");
  addAttribute(pool, media, "rtpmap", "0 PCMU/8000");
  return media;
}

}  // namespace

pjmedia_sdp_session* parseSdp(pj_pool_t* pool, std::string_view text) {
  // The parser wants a terminator and a text of its own.
  auto* copy = static_cast<char*>(pj_pool_alloc(pool, text.size() + 1));
  text.copy(copy, text.size());
  copy[text.size()] = 0;
  pjmedia_sdp_session* sdp = nullptr;
  return pjmedia_sdp_parse(pool, copy, text.size(), &sdp) == PJ_SUCCESS ? sdp : nullptr;
}

std::string printSdp(const pjmedia_sdp_session* sdp) {
  std::string text(PJSIP_MAX_PKT_LEN, 0);
  const int size = pjmedia_sdp_print(sdp, text.data(), text.size());
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

std::optional<T38Line> readT38(const pjmedia_sdp_session* sdp) {
  std::optional<T38Line> found;
  std::vector<std::string> lines;
  for (unsigned i = 0; i < sdp->media_count; i++) {
    const pjmedia_sdp_media* media = sdp->media[i];
    lines.push_back(text(media->desc.media));
    const pj_str_t udptl = pjText("udptl"), image = pjText("image");
    if (found || pj_stricmp(&media->desc.media, &image) != 0 || pj_stricmp(&media->desc.transport, &udptl) != 0 || media->desc.port == 0) continue;
    const pjmedia_sdp_conn* connection = media->conn != nullptr ? media->conn : sdp->conn;
    if (connection == nullptr) continue;
    found.emplace();
    found->host = text(connection->addr);
    found->port = media->desc.port;
    found->terms.maxDatagram = number(media, "T38FaxMaxDatagram", 400);
    found->terms.version = 0;
    found->terms.maxBitRate = number(media, "T38MaxBitRate", 14400);
  }
  if (found) found->lines = lines;
  return found;
}

void imageToAudio(pj_pool_t* pool, pjmedia_sdp_session* sdp, bool inPlace) {
  for (unsigned i = 0; i < sdp->media_count; i++) {
    pjmedia_sdp_media* image = sdp->media[i];
    if (view(image->desc.media) != "image" || image->desc.port == 0) continue;
    // Not the image line's port: RTCP would go to the port after it, which may be another call's UDPTL.
    pjmedia_sdp_media* audio = audioLine(pool, "audio", refusedPort);
    addAttribute(pool, audio, "inactive", "");
    audio->conn = image->conn;
    if (inPlace) {
      sdp->media[i] = audio;
    } else {
      sdp->media[0] = audio;
      sdp->media_count = 1;
    }
    return;
  }
}

void audioToImage(pj_pool_t* pool, pjmedia_sdp_session* sdp, unsigned port, const std::vector<std::string>& lines) {
  unsigned at = 0;
  while (at < sdp->media_count && sdp->media[at]->desc.port == 0) at++;
  if (at == sdp->media_count) return;
  pjmedia_sdp_media* image = newLine(pool, "image", port, "udptl", "t38");
  image->conn = sdp->media[at]->conn;
  addAttribute(pool, image, "T38FaxVersion", "0");
  addAttribute(pool, image, "T38MaxBitRate", "14400");
  addAttribute(pool, image, "T38FaxRateManagement", "transferredTCF");
  addAttribute(pool, image, "T38FaxMaxBuffer", "2000");
  addAttribute(pool, image, "T38FaxMaxDatagram", "400");
  addAttribute(pool, image, "T38FaxUdpEC", "t38UDPRedundancy");
  if (lines.empty()) {
    sdp->media[at] = image;
    return;
  }
  bool placed = false;
  sdp->media_count = 0;
  for (const std::string& kind : lines) {
    if (sdp->media_count == PJMEDIA_MAX_SDP_MEDIA) return;
    const bool here = kind == "image" && !placed;
    placed = placed || here;
    sdp->media[sdp->media_count++] = here ? image : audioLine(pool, kind, 0);
  }
}

}  // namespace pbx

#include "audio_lines.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace pbx {

namespace {

constexpr unsigned firstDynamic = 96;
constexpr unsigned lastType = 127;

bool isAudio(const pjmedia_sdp_media& line) {
  return view(line.desc.media) == "audio";
}

// As RFC 3551 has them, where no rtpmap says so.
const char* staticName(unsigned type) {
  switch (type) {
    case 0: return "PCMU";
    case 8: return "PCMA";
    case 9: return "G722";
    default: return "";
  }
}

std::optional<unsigned> payloadType(const pj_str_t& format) {
  if (format.slen == 0 || !std::all_of(format.ptr, format.ptr + format.slen, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return static_cast<unsigned>(pj_strtoul(&format));
}

bool readMap(const pjmedia_sdp_media& line, const pj_str_t& format, pjmedia_sdp_rtpmap& map) {
  const auto* attribute = pjmedia_sdp_media_find_attr2(&line, "rtpmap", &format);
  return attribute != nullptr && pjmedia_sdp_attr_get_rtpmap(attribute, &map) == PJ_SUCCESS;
}

void dropAttribute(pjmedia_sdp_media& line, const char* name, const pj_str_t& format) {
  while (auto* attribute = pjmedia_sdp_media_find_attr2(&line, name, &format)) pjmedia_sdp_media_remove_attr(&line, attribute);
}

// False: nothing is known of it.
bool mapAsBefore(pj_pool_t* pool, pjmedia_sdp_media& line, const pj_str_t& format, const pjmedia_sdp_media* former) {
  pjmedia_sdp_rtpmap map;
  if (former == nullptr || view(former->desc.media) != view(line.desc.media) || !readMap(*former, format, map)) return false;
  for (const char* name : {"rtpmap", "fmtp"}) {
    const auto* attribute = pjmedia_sdp_media_find_attr2(former, name, &format);
    if (attribute != nullptr && pjmedia_sdp_media_find_attr2(&line, name, &format) == nullptr) pjmedia_sdp_media_add_attr(&line, pjmedia_sdp_attr_clone(pool, attribute));
  }
  return true;
}

bool fillInLine(pj_pool_t* pool, pjmedia_sdp_media& line, const pjmedia_sdp_media* former) {
  bool changed = false;
  for (unsigned i = 0; i < line.desc.fmt_count && line.desc.port != 0;) {
    const pj_str_t format = line.desc.fmt[i];
    const auto type = payloadType(format);
    pjmedia_sdp_rtpmap map;
    const bool wrong = type.value_or(0) > lastType;
    const bool told = !wrong && readMap(line, format, map);
    if (!type || told || (*type < firstDynamic && pjmedia_sdp_media_find_attr2(&line, "rtpmap", &format) == nullptr)) {
      i++;
      continue;
    }
    changed = true;
    dropAttribute(line, "rtpmap", format);  // one that cannot be read
    if (!wrong && (*type < firstDynamic || mapAsBefore(pool, line, format, former))) {
      i++;
    } else if (line.desc.fmt_count == 1) {
      line.desc.port = 0;  // nothing is left that anybody knows
      if (wrong) line.desc.fmt[0] = pjText("0");
    } else {
      dropAttribute(line, "fmtp", format);
      pj_array_erase(line.desc.fmt, sizeof(line.desc.fmt[0]), line.desc.fmt_count--, i);
    }
  }
  return changed;
}

// PJSIP refuses the whole description for a line that nobody would use: one without a format or an address.
bool switchOff(pj_pool_t* pool, pjmedia_sdp_media& line, const pjmedia_sdp_conn* spare) {
  const bool formless = line.desc.fmt_count == 0, homeless = line.conn == nullptr && spare != nullptr;
  if ((isAudio(line) && line.desc.port != 0) || (!formless && !homeless)) return false;
  line.desc.port = 0;
  if (formless) line.desc.fmt[line.desc.fmt_count++] = pjText("0");
  if (homeless) line.conn = pjmedia_sdp_conn_clone(pool, spare);
  return true;
}

bool hasUsableKey(const pjmedia_sdp_media& line) {
  unsigned count = PJMEDIA_SRTP_MAX_CRYPTOS;
  pjmedia_srtp_crypto known[PJMEDIA_SRTP_MAX_CRYPTOS];
  if (pjmedia_srtp_enum_crypto(&count, known) != PJ_SUCCESS) return false;
  for (unsigned i = 0; i < line.attr_count; i++) {
    if (view(line.attr[i]->name) != "crypto") continue;
    const std::string_view value = view(line.attr[i]->value);
    for (unsigned k = 0; k < count; k++) {
      const std::string name = " " + text(known[k].name) + " ";
      if (known[k].name.slen > 0 && value.find(name) != std::string_view::npos) return true;
    }
  }
  return false;
}

bool isEncrypted(const pjmedia_sdp_media& line) {
  return PJMEDIA_TP_PROTO_HAS_FLAG(pjmedia_sdp_transport_get_proto(&line.desc.transport), PJMEDIA_TP_PROTO_RTP_SAVP);
}

bool fitsTransport(const pjmedia_sdp_media& line, const MediaTerms& terms) {
  const pj_uint32_t proto = pjmedia_sdp_transport_get_proto(&line.desc.transport);
  // Keys over DTLS are a browser's.
  if (proto == PJMEDIA_TP_PROTO_DTLS_SRTP || proto == PJMEDIA_TP_PROTO_DTLS_SRTPF || !PJMEDIA_TP_PROTO_HAS_FLAG(proto, PJMEDIA_TP_PROTO_RTP_AVP)) return false;
  return isEncrypted(line) ? terms.srtp != Srtp::off && hasUsableKey(line) : terms.srtp != Srtp::required;
}

bool hasCodec(const pjmedia_sdp_media& line, const std::string& codec) {
  return std::any_of(line.desc.fmt, line.desc.fmt + line.desc.fmt_count, [&](const pj_str_t& format) {
    const auto type = payloadType(format);
    pjmedia_sdp_rtpmap map;
    const std::string name = readMap(line, format, map) ? (map.clock_rate == 8000 ? text(map.enc_name) : "") : type ? staticName(*type) : "";
    return strcasecmp(codec.c_str(), name.c_str()) == 0;
  });
}

bool fitsCodec(const pjmedia_sdp_media& line, const MediaTerms& terms) {
  return std::any_of(terms.codecs.begin(), terms.codecs.end(), [&](const std::string& codec) { return hasCodec(line, codec); });
}

const pjmedia_sdp_conn* connectionOf(const pjmedia_sdp_session& sdp, const pjmedia_sdp_media& line) {
  return line.conn != nullptr ? line.conn : sdp.conn;
}

bool isOfFamily(const pjmedia_sdp_session& sdp, const pjmedia_sdp_media& line, const std::string& family) {
  const pjmedia_sdp_conn* connection = connectionOf(sdp, line);
  return family.empty() || (connection != nullptr && view(connection->addr_type) == family);
}

bool isSentOn(const pjmedia_sdp_session& sdp, const pjmedia_sdp_media& line) {
  const pjmedia_sdp_conn* connection = connectionOf(sdp, line);
  return pjmedia_sdp_media_find_attr2(&line, "inactive", nullptr) == nullptr && connection != nullptr && view(connection->addr) != "0.0.0.0";
}

bool isLive(const pjmedia_sdp_media& line) {
  return isAudio(line) && line.desc.port != 0;
}

}  // namespace

bool fillIn(pj_pool_t* pool, pjmedia_sdp_session& sdp, const pjmedia_sdp_session* former) {
  bool changed = sdp.name.slen == 0;
  if (changed) sdp.name = pjText("-");
  const pjmedia_sdp_conn* spare = nullptr;
  for (unsigned i = 0; i < sdp.media_count && sdp.conn == nullptr && spare == nullptr; i++) spare = sdp.media[i]->conn;
  for (unsigned i = 0; i < sdp.media_count; i++) {
    const pjmedia_sdp_media* before = former != nullptr && i < former->media_count ? former->media[i] : nullptr;
    changed = fillInLine(pool, *sdp.media[i], before) || changed;
    changed = switchOff(pool, *sdp.media[i], spare) || changed;
  }
  return changed;
}

bool chooseAudio(pjmedia_sdp_session& sdp, const MediaTerms& terms) {
  const pjmedia_sdp_media* chosen = nullptr;
  const auto worth = [&](const pjmedia_sdp_media& line) { return std::tuple(isOfFamily(sdp, line, terms.family), isSentOn(sdp, line), isEncrypted(line)); };
  for (unsigned i = 0; i < sdp.media_count; i++) {
    const pjmedia_sdp_media& line = *sdp.media[i];
    if (!isLive(line) || !fitsTransport(line, terms) || !fitsCodec(line, terms)) continue;
    if (chosen == nullptr || worth(line) > worth(*chosen)) chosen = &line;
  }
  bool changed = false;
  for (unsigned i = 0; chosen != nullptr && i < sdp.media_count; i++) {
    pjmedia_sdp_media& line = *sdp.media[i];
    if (&line == chosen || !isLive(line)) continue;
    line.desc.port = 0;
    changed = true;
  }
  return changed;
}

std::optional<Warning> faultOf(const pjmedia_sdp_session& sdp, const MediaTerms& terms) {
  if (pjmedia_sdp_validate2(&sdp, PJ_FALSE) != PJ_SUCCESS) return Warning{399, "The session description is not valid"};
  bool live = false, reached = false;
  for (unsigned i = 0; i < sdp.media_count; i++) {
    const pjmedia_sdp_media& line = *sdp.media[i];
    if (view(line.desc.media) == "image" && line.desc.port != 0) return std::nullopt;
    if (!isLive(line)) continue;
    live = true;
    if (!fitsTransport(line, terms)) continue;
    reached = true;
    if (fitsCodec(line, terms)) return std::nullopt;
  }
  if (!live) return Warning{304, "Media type not available"};
  return reached ? Warning{305, "Incompatible media format"} : Warning{302, "Incompatible transport protocol"};
}

bool answers(pj_pool_t* pool, const pjmedia_sdp_session& answer, const pjmedia_sdp_session& offer) {
  if (pjmedia_sdp_validate2(&answer, PJ_FALSE) != PJ_SUCCESS) return false;
  for (unsigned i = 0; i < answer.media_count && i < offer.media_count; i++) {
    const pjmedia_sdp_media& line = *answer.media[i];
    if (!isLive(line)) continue;
    if (isEncrypted(*offer.media[i]) && !isEncrypted(line)) return false;
    if (isEncrypted(line) && !hasUsableKey(line)) return false;
    // PJSIP is content with keys that are understood.
    const MediaTerms any;
    if (std::none_of(any.codecs.begin(), any.codecs.end(), [&](const std::string& codec) { return hasCodec(line, codec) && hasCodec(*offer.media[i], codec); })) return false;
  }
  pjmedia_sdp_neg* trial = nullptr;
  return pjmedia_sdp_neg_create_w_local_offer(pool, &offer, &trial) == PJ_SUCCESS && pjmedia_sdp_neg_set_remote_answer(pool, trial, &answer) == PJ_SUCCESS &&
         pjmedia_sdp_neg_negotiate(pool, trial, PJ_FALSE) == PJ_SUCCESS;
}

}  // namespace pbx

#include "sound_message.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "number.h"

namespace pbx {

namespace {

constexpr size_t largestRequestBody = 6000;
constexpr int mostMediaLines = 6;  // below PJMEDIA_MAX_SDP_MEDIA

int mediaLines(const pjsip_msg_body* body) {
  if (body == nullptr || body->data == nullptr) return 0;
  const std::string_view sdp(static_cast<const char*>(body->data), body->len);
  int lines = 0;
  // PJSIP's parser ends a line at a bare CR as well.
  for (size_t at = sdp.find("m="); at != std::string_view::npos; at = sdp.find("m=", at + 1)) {
    if (at > 0 && (sdp[at - 1] == '\n' || sdp[at - 1] == '\r')) lines++;
  }
  return lines;
}

// Without these a message is of another call, goes another way, or asks for something else.
constexpr std::array<std::string_view, 12> always = {"via", "v", "from", "f", "to", "t", "call-id", "i", "cseq", "record-route", "content-type", "c"};
constexpr std::array<std::string_view, 7> ofRequests = {"route", "require", "replaces", "contact", "m", "content-length", "l"};

template <size_t count>
bool isOneOf(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isSip(const pjsip_uri* written) {
  const void* uri = pjsip_uri_get_uri(written);
  return uri != nullptr && (PJSIP_URI_SCHEME_IS_SIP(uri) || PJSIP_URI_SCHEME_IS_SIPS(uri));
}

// The registry of IANA, "SIP Header Fields". PJSIP itself reads c, f, i, k, l, m, t and v, and after these what its modules know.
const char* longName(char brief) {
  switch (brief) {
    case 'a': return "Accept-Contact";
    case 'b': return "Referred-By";
    case 'd': return "Request-Disposition";
    case 'e': return "Content-Encoding";
    case 'j': return "Reject-Contact";
    case 'k': return "Supported";
    case 'n': return "Identity-Info";
    case 'o': return "Event";
    case 'r': return "Refer-To";
    case 's': return "Subject";
    case 'u': return "Allow-Events";
    case 'x': return "Session-Expires";
    case 'y': return "Identity";
    default: return nullptr;
  }
}

}  // namespace

void spellOut(pjsip_msg* message) {
  for (pjsip_hdr* header = message->hdr.next; header != &message->hdr; header = header->next) {
    if (header->name.slen != 1) continue;
    const char* name = longName(static_cast<char>(std::tolower(static_cast<unsigned char>(header->name.ptr[0]))));
    if (name != nullptr) header->name = pjText(name);
  }
}

void dropStars(pjsip_msg* message) {
  const bool begins = message->line.status.code < 300;
  for (pjsip_hdr* header = message->hdr.next; header != &message->hdr;) {
    pjsip_hdr* next = header->next;
    const pjsip_uri* uri = header->type == PJSIP_H_CONTACT ? reinterpret_cast<pjsip_contact_hdr*>(header)->uri : nullptr;
    if (header->type == PJSIP_H_CONTACT && (uri == nullptr || (begins && !isSip(uri)))) pj_list_erase(header);
    header = next;
  }
}

bool understood(const pjsip_rx_data* message) {
  const auto& info = message->msg_info;
  const bool request = info.msg->type == PJSIP_REQUEST_MSG;
  // A body that is no body, such as parts without a boundary: a call is not one without a description by that.
  if (request && info.msg->body == nullptr && info.ctype != nullptr && info.clen != nullptr && info.clen->len > 0) return false;
  const pjsip_parser_err_report* errors = &info.parse_err;
  for (const auto* error = errors->next; error != errors; error = error->next) {
    const std::string name = lowerCase(view(error->hname));
    if (isOneOf(name, always) || (request && isOneOf(name, ofRequests))) return false;
  }
  return true;
}

bool soundRoutes(const pjsip_msg* message) {
  for (const void* at = nullptr;;) {
    const auto* route = static_cast<pjsip_rr_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_RECORD_ROUTE, at));
    if (route == nullptr) return true;
    if (route->name_addr.uri == nullptr || !isSip(route->name_addr.uri)) return false;
    at = route->next;
    if (at == &message->hdr) return true;
  }
}

bool tooLarge(const pjsip_msg_body* body) {
  return body != nullptr && (body->len > largestRequestBody || mediaLines(body) > mostMediaLines);
}

}  // namespace pbx

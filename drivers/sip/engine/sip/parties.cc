#include "parties.h"

#include <cctype>
#include <cstring>

#include "reply.h"

namespace pbx {

namespace {

bool anonymous(const std::string& user) {
  std::string lower;
  for (const char c : user) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "anonymous" || lower == "unknown" || lower == "restricted" || lower == "unavailable" || lower == "private";
}

}  // namespace

std::string userIn(const std::string& header) {
  for (const char* scheme : {"sip:", "sips:", "tel:"}) {
    const size_t at = header.find(scheme);
    if (at == std::string::npos) continue;
    const size_t start = at + std::strlen(scheme);
    const size_t end = header.find_first_of("@;>", start);
    return header.substr(start, end == std::string::npos ? std::string::npos : end - start);
  }
  return "";
}

std::string callerOf(const pjsip_rx_data* request, bool fromTrunk) {
  std::string caller = fromTrunk ? userIn(headerText(request, "P-Asserted-Identity")) : "";
  if (caller.empty()) caller = fromUser(request);
  return anonymous(caller) ? "" : caller;
}

std::string calledOf(const pjsip_rx_data* request) {
  const std::string called = userOf(request->msg_info.msg->line.req.uri);
  return called.empty() ? toUser(request) : called;
}

std::string escapedUser(const std::string& user) {
  static const char* hex = "0123456789ABCDEF";
  std::string result;
  for (const char c : user) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || (c != 0 && std::strchr("-_.!~*'()&=+$,;?/", c) != nullptr)) {
      result += c;
    } else {
      result += '%';
      result += hex[byte >> 4];
      result += hex[byte & 15];
    }
  }
  return result;
}

}  // namespace pbx

#include "parties.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <initializer_list>
#include <ranges>

#include "events.h"
#include "reply.h"
#include "trunk_account.h"

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
    const size_t end = header.find_first_of("@;>?", start);
    const std::string user = header.substr(start, end == std::string::npos ? std::string::npos : end - start);
    return user.rfind("%2B", 0) == 0 || user.rfind("%2b", 0) == 0 ? "+" + user.substr(3) : user;
  }
  return "";
}

std::string callerOf(const pjsip_rx_data* request, bool fromTrunk) {
  std::string caller;
  // RFC 3325 section 7: with this, what the network asserts is not for us to show.
  const std::string privacy = fromTrunk ? headerText(request, "Privacy") : "";
  const bool hidden = privacy.find("id") != std::string::npos || privacy.find("user") != std::string::npos;
  if (fromTrunk && !hidden) {
    for (const std::string& asserted : headerTexts(request, "P-Asserted-Identity")) {
      if (caller.empty()) caller = userIn(asserted);
    }
    for (const std::string& party : headerTexts(request, "Remote-Party-ID")) {
      const bool other = party.find("party=called") != std::string::npos;
      const bool concealed = party.find("privacy=") != std::string::npos && party.find("privacy=off") == std::string::npos;
      if (caller.empty() && !other && !concealed) caller = userIn(party);
    }
  }
  if (caller.empty()) caller = fromUser(request);
  return anonymous(caller) ? "" : caller;
}

bool sameNumber(const std::string& a, const std::string& b) {
  constexpr size_t nationalDigits = 7;
  const auto digits = [](const std::string& number) {
    std::string result;
    for (const char c : number) {
      if (std::isdigit(static_cast<unsigned char>(c))) result += c;
    }
    return result;
  };
  const std::string x = digits(a), y = digits(b);
  const std::string& longer = x.size() >= y.size() ? x : y;
  const std::string& shorter = x.size() >= y.size() ? y : x;
  return x == y ? !x.empty() : shorter.size() >= nationalDigits && longer.compare(longer.size() - shorter.size(), std::string::npos, shorter) == 0;
}

std::string markIn(const pjsip_rx_data* request) {
  const auto* uri = static_cast<const pjsip_uri*>(pjsip_uri_get_uri(request->msg_info.msg->line.req.uri));
  if (!PJSIP_URI_SCHEME_IS_SIP(uri) && !PJSIP_URI_SCHEME_IS_SIPS(uri)) return "";
  const pj_str_t name = pjText(contactMark);
  const pjsip_param* mark = pjsip_param_cfind(&reinterpret_cast<const pjsip_sip_uri*>(uri)->other_param, &name);
  return mark == nullptr ? "" : text(mark->value);
}

bool toContactOf(const pjsip_rx_data* request, const TrunkSettings& trunk) {
  const std::string mark = markIn(request);
  if (!mark.empty()) return mark == trunk.id;
  return !trunk.username.empty() && userOf(request->msg_info.msg->line.req.uri) == trunk.username;
}

std::string calledOf(const pjsip_rx_data* request, const TrunkSettings* trunk) {
  const std::string uri = userOf(request->msg_info.msg->line.req.uri), to = toUser(request);
  const std::string party = trunk != nullptr ? userIn(headerText(request, "P-Called-Party-ID")) : "";
  const auto first = [](std::initializer_list<std::string> found) {
    for (const std::string& number : found) {
      if (!number.empty()) return number;
    }
    return std::string();
  };
  if (trunk == nullptr) return first({uri, to});
  switch (trunk->calledNumber) {
    case CalledNumber::requestUri: return first({uri, to});
    case CalledNumber::to: return first({to, uri});
    case CalledNumber::calledParty: return first({party, to, uri});
    case CalledNumber::automatic: break;
  }
  const auto ours = [&](const std::string& number) {
    return std::any_of(trunk->numbers.begin(), trunk->numbers.end(), [&](const std::string& own) { return sameNumber(own, number); });
  };
  if (!toContactOf(request, *trunk) || ours(uri)) return first({uri, to});
  // A call that was forwarded on its way to us names the number that was dialled first in To.
  for (const std::string& number : {to, party}) {
    if (ours(number)) return number;
  }
  return first({to == trunk->username ? "" : to, party, uri, to});
}

std::string divertedBy(const pjsip_rx_data* request) {
  if (const std::string diverted = userIn(headerText(request, "Diversion")); !diverted.empty()) return diverted;
  std::string before, found;
  for (const std::string& header : headerTexts(request, "History-Info")) {
    // One header may hold several entries; a comma in a name is inside of quotes, and in an address it is escaped.
    size_t start = 0;
    for (bool quoted = false; size_t i : std::views::iota(size_t{0}, header.size() + 1)) {
      if (i < header.size() && header[i] == '"') quoted = !quoted;
      if (i < header.size() && (quoted || header[i] != ',')) continue;
      const std::string entry = header.substr(start, i - start);
      start = i + 1;
      // RFC 4244 marks who was left with a Reason, RFC 7044 where the call went instead with a cause (RFC 4458).
      if (entry.find("Reason=SIP") != std::string::npos) {
        found = userIn(entry);
      } else if (entry.find(";cause=") != std::string::npos && !before.empty()) {
        found = before;
      }
      before = userIn(entry);
    }
  }
  return found;
}

std::string displayOf(const pjsip_fromto_hdr* header) {
  if (header == nullptr || header->uri == nullptr || !PJSIP_URI_SCHEME_IS_SIP(header->uri)) return "";
  const auto* name = reinterpret_cast<const pjsip_name_addr*>(header->uri);
  return clean(view(name->display));
}

nlohmann::json extraHeaders(const pjsip_msg* message) {
  nlohmann::json headers = nlohmann::json::object();
  for (const pjsip_hdr* header = message->hdr.next; header != &message->hdr && headers.size() < 20; header = header->next) {
    const std::string_view name = view(header->name);
    if (name.size() < 3 || (name[0] != 'X' && name[0] != 'x') || name[1] != '-' || header->type != PJSIP_H_OTHER) continue;
    std::string lower;
    for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    headers[clean(lower)] = clean(view(reinterpret_cast<const pjsip_generic_string_hdr*>(header)->hvalue));
  }
  return headers;
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

#include "parties.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "events.h"
#include "number.h"
#include "reply.h"
#include "trunk_account.h"

namespace pbx {

namespace {

// What stands in the place of a user or a name for one who does not want to be known.
bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  const std::string lower = lowerCase(word);
  return std::find(words.begin(), words.end(), lower) != words.end();
}

// RFC 3323 section 4.1.1.3, and what providers write.
bool isAnonymous(const Address& address) {
  // Of a URI without a user the host stands behind the scheme.
  const size_t at = address.uri.find(address.uri.find('@') == std::string::npos ? ':' : '@');
  const std::string host = at == std::string::npos ? "" : lowerCase(address.uri.substr(at + 1, address.uri.find_first_of(":;?>", at + 1) - at - 1));
  const std::string user = numberOfUri(address.uri);
  return host == "invalid" || host.ends_with(".invalid") || isOneOf(user.substr(0, user.find(';')), {"anonymous", "unknown", "restricted", "unavailable", "private", "withheld"}) ||
         isOneOf(address.name, {"anonymous", "restricted", "private", "withheld"});
}

// A placeholder is nobody's name; the number next to it may well be known.
std::string soundName(const std::string& name) {
  return isOneOf(name, {"anonymous", "unknown", "restricted", "unavailable", "private", "withheld"}) ? "" : name;
}

bool wantsPrivacy(std::string_view list, std::initializer_list<std::string_view> wanted) {
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find_first_of(";, \t", start), list.size());
    if (isOneOf(list.substr(start, end - start), wanted)) return true;
    start = end + 1;
  }
  return false;
}

// RFC 3323 section 4.2 and RFC 3325 section 9.3; the tokens are compared without case (RFC 3261 section 7.3.1).
bool asksFor(const pjsip_rx_data* request, std::initializer_list<std::string_view> wanted) {
  const auto values = headerTexts(request, "Privacy");
  return std::any_of(values.begin(), values.end(), [&](const std::string& value) { return wantsPrivacy(value, wanted); });
}

// Of Remote-Party-ID and Diversion (RFC 5806).
bool isConcealed(const Address& address) {
  const std::string privacy = lowerCase(parameterOf(address.parameters, "privacy"));
  return privacy.rfind("full", 0) == 0 || privacy.rfind("name", 0) == 0 || privacy.rfind("uri", 0) == 0;
}

std::vector<Address> addressesIn(const pjsip_rx_data* request, const char* name) {
  std::vector<Address> addresses;
  for (const std::string& value : headerTexts(request, name)) {
    eachAddress(value, [&](std::string_view one) { addresses.push_back(readAddress(one)); });
  }
  return addresses;
}

// Of Remote-Party-ID: those of the party that sends the request.
std::vector<Address> remoteParties(const pjsip_rx_data* request) {
  std::vector<Address> parties = addressesIn(request, "Remote-Party-ID");
  std::erase_if(parties, [](const Address& party) { return isOneOf(parameterOf(party.parameters, "party"), {"called"}); });
  return parties;
}

Address written(const pjsip_fromto_hdr* header) {
  return header == nullptr ? Address() : readAddress(printed(header->uri, PJSIP_URI_IN_FROMTO_HDR));
}

// Whether who sends the request does not want to be known.
bool isWithheld(const pjsip_rx_data* request) {
  if (asksFor(request, {"id", "user", "header"}) || isAnonymous(written(request->msg_info.from))) return true;
  const auto parties = remoteParties(request);
  if (std::any_of(parties.begin(), parties.end(), isConcealed)) return true;
  const auto asserted = addressesIn(request, "P-Asserted-Identity");
  return !asserted.empty() && std::all_of(asserted.begin(), asserted.end(), isAnonymous);
}

Party partyIn(const Address& address) {
  return {numberOfUri(address.uri), soundName(address.name)};
}

// What must not be seen of one who is withheld: the numbers and names by which the request names its sender.
std::vector<Party> withheldParties(const pjsip_rx_data* request) {
  std::vector<Party> parties;
  if (!isWithheld(request)) return parties;
  parties.push_back(partyIn(written(request->msg_info.from)));
  for (const char* name : {"P-Asserted-Identity", "P-Preferred-Identity", "Remote-Party-ID"}) {
    for (const Address& address : addressesIn(request, name)) parties.push_back(partyIn(address));
  }
  return parties;
}

// Whether the text names one of them, anywhere in it: a header of a provider's own may hold a URI.
bool namesAny(const std::string& text, const std::vector<Party>& parties) {
  const std::string lower = lowerCase(text);
  return std::any_of(parties.begin(), parties.end(), [&](const Party& party) {
    return holdsNumber(text, party.number) || (!party.name.empty() && lower.find(lowerCase(party.name)) != std::string::npos);
  });
}

// The first that bears a number, with the name that stands there, or else with that of another that bears the same number.
Party firstOf(const std::vector<Address>& addresses) {
  Party found;
  for (const Address& address : addresses) {
    const Party party = partyIn(address);
    if (found.number.empty()) found = party;
    if (found.name.empty() && sameNumber(found.number, party.number)) found.name = party.name;
  }
  return found;
}

}  // namespace

Party callerOf(const pjsip_rx_data* request, bool fromTrunk) {
  const Party claimed = partyIn(written(request->msg_info.from));
  if (!fromTrunk) return claimed;
  if (isWithheld(request)) return {};
  Party caller = firstOf(addressesIn(request, "P-Asserted-Identity"));
  if (caller.number.empty()) caller = firstOf(remoteParties(request));
  if (caller.number.empty()) return claimed;
  // Providers assert the number alone, and write the name that they know to it into From.
  if (caller.name.empty() && sameNumber(caller.number, claimed.number)) caller.name = claimed.name;
  return caller;
}

std::string helpIn(const pjsip_rx_data* request, const Settings& settings) {
  const auto& numbers = settings.emergencyNumbers;
  const std::string uri = printed(request->msg_info.msg->line.req.uri, PJSIP_URI_IN_REQ_URI);
  if (isSosUri(uri)) return numbers.empty() ? "" : numbers.front();
  const std::string number = calledOf(request, nullptr);
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end() ? number : "";
}

bool callsForHelp(const pjsip_rx_data* request, const Settings& settings) {
  const pjsip_method_e method = request->msg_info.msg->line.req.method.id;
  return (method == PJSIP_INVITE_METHOD || method == PJSIP_CANCEL_METHOD) && !helpIn(request, settings).empty();
}

bool isReachable(const pjsip_uri* asked) {
  const auto* uri = static_cast<const pjsip_uri*>(pjsip_uri_get_uri(asked));
  return PJSIP_URI_SCHEME_IS_SIP(uri) || PJSIP_URI_SCHEME_IS_SIPS(uri) || PJSIP_URI_SCHEME_IS_TEL(uri);
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
  return !trunk.username.empty() && numberOf(request->msg_info.msg->line.req.uri) == numberOfUser(trunk.username);
}

std::string calledOf(const pjsip_rx_data* request, const TrunkSettings* trunk) {
  const std::string uri = numberOf(request->msg_info.msg->line.req.uri), to = numberOf(request->msg_info.to->uri);
  const std::string party = trunk != nullptr ? numberIn(headerText(request, "P-Called-Party-ID")) : "";
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
  return first({to == numberOfUser(trunk->username) ? "" : to, party, uri, to});
}

std::string divertedBy(const pjsip_rx_data* request) {
  if (asksFor(request, {"header", "history"})) return "";
  const auto withheld = withheldParties(request);
  const auto shown = [&](const std::string& number) { return namesAny(number, withheld) ? "" : number; };
  if (const auto diversions = addressesIn(request, "Diversion"); !diversions.empty() && !numberOfUri(diversions.front().uri).empty()) {
    return isConcealed(diversions.front()) ? "" : shown(numberOfUri(diversions.front().uri));
  }
  std::string before, found;
  for (const std::string& header : headerTexts(request, "History-Info")) {
    eachAddress(header, [&](std::string_view entry) {
      const std::string lower = lowerCase(entry);
      // RFC 7044 section 10.1.2.
      const std::string number = lower.find("privacy=history") != std::string::npos ? "" : numberIn(entry);
      // RFC 4244 marks who was left with a Reason, RFC 7044 where the call went instead with a cause (RFC 4458).
      if (lower.find("reason=sip") != std::string::npos) {
        found = number;
      } else if (lower.find(";cause=") != std::string::npos && !before.empty()) {
        found = before;
      }
      before = number;
    });
  }
  return shown(found);
}

std::string nameOf(const pjsip_fromto_hdr* header) {
  return soundName(written(header).name);
}

nlohmann::json extraHeaders(const pjsip_rx_data* request, bool fromTrunk) {
  const pjsip_msg* message = request->msg_info.msg;
  const auto withheld = fromTrunk ? withheldParties(request) : std::vector<Party>();
  nlohmann::json headers = nlohmann::json::object();
  for (const pjsip_hdr* header = message->hdr.next; header != &message->hdr && headers.size() < 20; header = header->next) {
    const std::string_view name = view(header->name);
    if (name.size() < 3 || (name[0] != 'X' && name[0] != 'x') || name[1] != '-' || header->type != PJSIP_H_OTHER) continue;
    const std::string value = clean(view(reinterpret_cast<const pjsip_generic_string_hdr*>(header)->hvalue));
    if (!namesAny(value, withheld)) headers[clean(lowerCase(name))] = value;
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

#include "identity.h"

#include "events.h"
#include "parties.h"

namespace pbx {

namespace {

std::string quoted(const std::string& name) {
  if (name.empty()) return "";
  std::string result = "\"";
  for (const char c : clean(name)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\" ";
}

std::string address(const std::string& user, const std::string& domain) {
  return "<sip:" + escapedUser(user) + "@" + joinHostPort(domain, 0) + ">";
}

}  // namespace

Identity identityFor(const TrunkSettings& trunk, const Caller& caller) {
  const std::string domain = trunk.domain();
  const bool withheld = caller.number.empty();
  const bool account = trunk.fromAccount && !trunk.username.empty();
  Identity identity;
  if (account) {
    identity.from = (withheld ? quoted("Anonymous") : quoted(caller.name)) + address(trunk.username, domain);
  } else {
    // RFC 3323 section 4.1.1.3
    identity.from = withheld ? "\"Anonymous\" <sip:anonymous@anonymous.invalid>" : quoted(caller.name) + address(caller.number, domain);
  }
  // A caller who withholds the number is still identified to the provider by one of our numbers: that is what the header and
  // Privacy are for.
  const std::string shown = !withheld ? caller.number : trunk.numbers.empty() ? "" : trunk.numbers.front();
  if (trunk.identityHeader != IdentityHeader::none && !shown.empty()) {
    const char* name = trunk.identityHeader == IdentityHeader::asserted ? "P-Asserted-Identity" : "P-Preferred-Identity";
    identity.headers.push_back({name, quoted(withheld ? "" : caller.name) + address(shown, domain)});
  }
  if (withheld) identity.headers.push_back({"Privacy", "id"});
  if (!caller.diversion.empty() && trunk.diversionHeader) {
    identity.headers.push_back({"Diversion", address(caller.diversion, domain) + ";reason=unconditional;privacy=" + (withheld ? "full" : "off")});
  }
  return identity;
}

std::string phoneFrom(const Caller& caller, const std::string& realm) {
  return quoted(caller.name) + address(caller.number.empty() ? "anonymous" : caller.number, realm);
}

HeaderList::HeaderList(const std::vector<Header>& headers) : texts_(headers), headers_(headers.size()) {}

void HeaderList::addTo(pjsip_hdr& list) {
  for (size_t i = 0; i < headers_.size(); i++) {
    pj_str_t name = pjText(texts_[i].name), value = pjText(texts_[i].value);
    pjsip_generic_string_hdr_init2(&headers_[i], &name, &value);
    pj_list_push_back(&list, &headers_[i]);
  }
}

}  // namespace pbx

// Where calls of ours go: to the server of a trunk, to every phone of an extension.
#include <algorithm>

#include "context.h"
#include "parties.h"
#include "trunk_account.h"

namespace pbx {

namespace {

// The source address of a phone, under the user its contact names: reaches it through NAT and on its own connection.
std::string phoneUri(const Contact& contact) {
  const size_t scheme = contact.uri.find(':');
  const size_t at = contact.uri.find('@');
  const std::string user = scheme != std::string::npos && at != std::string::npos ? contact.uri.substr(scheme + 1, at - scheme - 1) + "@" : "";
  return "sip:" + user + contact.address + (contact.transport == "udp" ? "" : ";transport=" + contact.transport);
}

pjmedia_srtp_use phoneSrtp(Srtp wanted, const Contact& contact) {
  switch (wanted) {
    case Srtp::off: return PJMEDIA_SRTP_DISABLED;
    case Srtp::optional: return PJMEDIA_SRTP_OPTIONAL;
    case Srtp::required: return PJMEDIA_SRTP_MANDATORY;
    case Srtp::automatic: break;
  }
  return contact.transport == "tls" ? PJMEDIA_SRTP_MANDATORY : PJMEDIA_SRTP_DISABLED;
}

}  // namespace

Dialling::Place Dialling::trunkPlace(const DialOrder& order, const TrunkSettings& trunk) const {
  const HostPort at = trunk.nextHop();
  return {context_.trunks.account(order.trunk), trunkUri(trunk, escapedUser(order.to)), identityFor(trunk, {order.from, order.callerName, order.diversion}),
          context_.resolver.next(at.host, at.port, trunk.transport)};
}

std::vector<Dialling::Place> Dialling::phonePlaces(const DialOrder& order, const Settings& settings, const ExtensionSettings& extension) const {
  std::vector<Place> places;
  for (const Contact& contact : context_.registrar.contacts(order.extension)) {
    const Place place{context_.endpoint.phoneAccount(phoneSrtp(extension.srtp, contact)), phoneUri(contact), {phoneFrom({order.from, order.callerName, ""}, settings.realm), {}}, ""};
    const bool twice = std::any_of(places.begin(), places.end(), [&](const Place& other) { return other.target == place.target; });
    if (!twice) places.push_back(place);
  }
  return places;
}

}  // namespace pbx

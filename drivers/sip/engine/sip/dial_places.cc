// Where calls of ours go: to the server of a trunk, to every phone of an extension.
#include "context.h"

#include <pjsua-lib/pjsua_internal.h>

#include <algorithm>
#include <memory>

#include "far_end.h"
#include "parties.h"
#include "phone_uri.h"
#include "trunk_account.h"

namespace pbx {

std::string phoneAddress(const Contact& contact) {
  if (!contact.path.empty()) return contact.uri;
  const size_t scheme = contact.uri.find(':');
  const size_t at = contact.uri.find('@');
  const std::string user = scheme != std::string::npos && at != std::string::npos ? contact.uri.substr(scheme + 1, at - scheme - 1) + "@" : "";
  return "sip:" + user + contact.address + (contact.transport == "udp" ? "" : ";transport=" + contact.transport);
}

void addRoutes(pj_pool_t* pool, const std::string& path, pjsip_hdr& list) {
  if (path.empty()) return;
  // The parser needs a zero behind the text, and writes there for a while.
  std::string text = "Route: " + path + "\r\n";
  pjsip_hdr parsed;
  pj_list_init(&parsed);
  pj_str_t copy;
  pj_strdup2_with_null(pool, &copy, text.c_str());
  if (pjsip_parse_headers(pool, copy.ptr, static_cast<pj_size_t>(copy.slen), &parsed, 0) != PJ_SUCCESS) return;
  while (!pj_list_empty(&parsed)) {
    pjsip_hdr* header = parsed.next;
    pj_list_erase(header);
    if (header->type == PJSIP_H_ROUTE) pj_list_push_back(&list, header);
  }
}

namespace {

pjmedia_srtp_use phoneSrtp(Srtp wanted, const Contact& contact) {
  switch (wanted) {
    case Srtp::off: return PJMEDIA_SRTP_DISABLED;
    case Srtp::optional: return PJMEDIA_SRTP_OPTIONAL;
    case Srtp::required: return PJMEDIA_SRTP_MANDATORY;
    case Srtp::automatic: break;
  }
  return contact.transport == "tls" ? PJMEDIA_SRTP_MANDATORY : PJMEDIA_SRTP_DISABLED;
}

// PJSIP chooses the family of a call's media by what its account prefers.
void preferFamilyOf(const std::string& ip, pjsua_acc_id account) {
  PJSUA_LOCK();
  pjsua_ipv6_use& use = pjsua_var.acc[account].cfg.ipv6_media_use;
  if (use != PJSUA_IPV6_DISABLED && !ip.empty()) use = ip.find(':') == std::string::npos ? PJSUA_IPV6_ENABLED_PREFER_IPV4 : PJSUA_IPV6_ENABLED_PREFER_IPV6;
  PJSUA_UNLOCK();
}

}  // namespace

// What every INVITE of this order says.
void Dialling::addReplaces(const DialOrder& order, Identity& identity) {
  if (!order.replaced.empty()) identity.headers.push_back({"Replaces", order.replaced});
}

pj_status_t Dialling::invite(const Place& place, const CallLeg& attempt, pjsua_call_id& call) const {
  pjsua_msg_data data;
  pjsua_msg_data_init(&data);
  data.local_uri = pjText(place.identity.from);
  HeaderList headers(place.identity.headers);
  headers.addTo(data.hdr_list);
  const std::unique_ptr<pj_pool_t, decltype(&pj_pool_release)> routes(pjsua_pool_create("routes", 1000, 1000), &pj_pool_release);
  if (routes != nullptr) addRoutes(routes.get(), place.path, data.hdr_list);
  const pj_str_t uri = pjText(place.target);
  const pjsua_call_setting setting = audioOnly();
  const FarEnd far(place.far);
  const PhoneTarget phone(place.phone);
  if (place.phone) data.target_uri = pjText(PhoneTarget::text);
  preferFamilyOf(place.far, place.account);
  // The slot names the attempt from the start: events may arrive, and the call may end, before this returns.
  return pjsua_call_make_call(place.account, &uri, &setting, Legs::userData(attempt.id), &data, &call);
}

Dialling::Place Dialling::trunkPlace(const DialOrder& order, const TrunkSettings& trunk) const {
  const HostPort at = trunk.nextHop();
  const std::string server = context_.resolver.next(at.host, at.port, trunk.transport);
  // Behind an edge media come from the provider, not from there.
  const std::string next = splitHostPort(server).host, provider = splitHostPort(trunk.server).host;
  Place place{context_.trunks.account(order.trunk), trunkUri(trunk, escapedUser(order.to)), identityFor(trunk, {order.from, order.callerName, order.diversion}), server, isEdge(next) && isIpLiteral(provider) ? provider : next};
  place.identity.headers.insert(place.identity.headers.end(), order.headers.begin(), order.headers.end());
  addReplaces(order, place.identity);
  return place;
}

std::vector<Dialling::Place> Dialling::phonePlaces(const DialOrder& order, const Settings& settings, const ExtensionSettings& extension) const {
  std::vector<Place> places;
  for (const Contact& contact : context_.registrar.contacts(order.extension)) {
    Place place{context_.endpoint.phoneAccount(phoneSrtp(extension.srtp, contact)), phoneAddress(contact), {phoneFrom({order.from, order.callerName, ""}, settings.realm), {}}, "", splitHostPort(contact.address).host, contact.path, contact};
    const bool twice = std::any_of(places.begin(), places.end(), [&](const Place& other) { return other.target == place.target && other.path == place.path && sameUri(other.phone->uri, contact.uri); });
    place.identity.headers.insert(place.identity.headers.end(), order.headers.begin(), order.headers.end());
    addReplaces(order, place.identity);
    if (!twice) places.push_back(place);
  }
  return places;
}

}  // namespace pbx

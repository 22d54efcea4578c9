#include "registrar.h"

#include <algorithm>
#include <optional>

#include "dialling.h"
#include "digest_uri.h"
#include "far_end.h"
#include "moved_phone.h"
#include "now.h"
#include "parties.h"
#include "phone_uri.h"
#include "reply.h"

namespace pbx {

namespace {

constexpr size_t mostContacts = 8;
// What phones could mean that have an address in common: after a power cut all of a house register, and subscribe to their lamps, at once.
constexpr double joinsPerSecond = 100, joinsBurst = 1000, callsPerSecond = 20, callsBurst = 60;
constexpr unsigned shortestSeconds = 60, longestSeconds = 3600, usualSeconds = 300;

// The way to a phone behind an edge (RFC 3327), by the edge alone where it names none; "" for others, whatever they claim. false: it is too
// long, or does not consist of SIP URIs.
bool readPath(const pjsip_rx_data* request, std::string& path) {
  constexpr size_t longestPath = 2000, mostProxies = 8;
  path.clear();
  if (!fromEdge(request)) return true;
  const auto headers = headerTexts(request, "Path");
  for (const std::string& header : headers) path += (path.empty() ? "" : ", ") + header;
  if (headers.empty()) {
    const HostPort edge = packetSource(request);
    const std::string transport = transportName(request);
    // A connection's other end has a port of its own for it, at which nobody listens.
    path = "<sip:" + joinHostPort(edge.host, transport == "udp" ? edge.port : 0) + (transport == "udp" ? "" : ";transport=" + transport) + ";lr>";
    return true;
  }
  if (path.size() > longestPath) return false;
  pjsip_hdr list;
  pj_list_init(&list);
  addRoutes(request->tp_info.pool, path, list);
  return !pj_list_empty(&list) && pj_list_size(&list) <= mostProxies;
}

std::nullopt_t refused(pjsip_rx_data* request) {
  replyStateless(request, 400);
  return std::nullopt;
}

}  // namespace

void Registrar::configure(const Settings& settings) {
  const int64_t now = nowMs();
  std::lock_guard lock(mutex_);
  std::erase_if(bindings_, [&](const auto& item) { return settings.extension(item.first) == nullptr; });
  for (const auto& [number, extension] : settings.extensions) {
    std::vector<Binding>& list = bindings_[number];
    for (const Contact& contact : extension.contacts) {
      const bool known = std::any_of(list.begin(), list.end(), [&](const Binding& b) { return b.is(contact); });
      if (!known && contact.expiresAt > now && list.size() < extension.phones) list.push_back({contact, "", 0});
    }
    if (list.empty()) bindings_.erase(number);
  }
}

void Registrar::answerChallenge(pjsip_rx_data* request, const Settings& settings, bool stale) {
  const int64_t now = steadyMs();
  if (challenges_.within(now)) return challenge(request, settings.realm, digest_.challengeNonce(sourceIp(request), now), stale);
  if (fromEdge(request)) replyStateless(request, 503, {{"Retry-After", "5"}});
}

std::string Registrar::authenticate(pjsip_rx_data* request, bool& repeated) {
  const auto settings = settings_.get();
  const std::string ip = sourceIp(request);
  const int64_t now = steadyMs();
  const auto answer = digestAnswer(request);
  if (!answer || digest_.nonceState(answer->nonce, ip, now) != NonceState::ours) {
    answerChallenge(request, *settings, answer.has_value());
    return "";
  }
  const pjsip_method_e kind = request->msg_info.msg->line.req.method.id;
  // Whatever the phones of a branch send at once after a power cut, one of them can call for help.
  const bool help = kind == PJSIP_INVITE_METHOD && !helpIn(request, *settings).empty();
  const bool call = kind == PJSIP_INVITE_METHOD;
  const std::string rate = sourceKey(ip) + (help ? " help" : call ? " call" : kind == PJSIP_REGISTER_METHOD ? "" : " other");
  if (!isEdge(ip) && !proven_.within(rate, call ? callsPerSecond : joinsPerSecond, call ? callsBurst : joinsBurst, now)) {
    // A phone that registers asks again by itself, but not through an edge that gives up; a person who calls must hear that it failed.
    if (kind != PJSIP_REGISTER_METHOD || fromEdge(request)) replyStateless(request, 503, {{"Retry-After", "5"}});
    return "";
  }
  // RFC 7616 section 3.4.6. Before the password, so that the answer says nothing about it.
  if (!sameTarget(answer->uri, request)) {
    replyStateless(request, 400);
    return "";
  }
  const ExtensionSettings* extension = settings->extension(answer->username);
  const std::string method = text(request->msg_info.msg->line.req.method.name);
  switch (digest_.check(*answer, method, settings->realm, extension != nullptr ? extension->password : "", ip, requestId(request), now)) {
    case DigestVerdict::valid:
      bans_.succeeded(ip, answer->username);
      return answer->username;
    case DigestVerdict::repeated:
      repeated = true;
      // What changes nothing, or is matched with its transaction. Else it is a copy of what was served long ago.
      if (kind == PJSIP_REGISTER_METHOD || kind == PJSIP_OPTIONS_METHOD || isRepeated(request)) return answer->username;
      answerChallenge(request, *settings, true);
      return "";
    case DigestVerdict::stale:
      answerChallenge(request, *settings, true);
      return "";
    case DigestVerdict::wrong:
      break;
  }
  if (!isEdge(ip) && !hasLiveAddress(sourceAddress(request))) {
    if (const auto ban = bans_.failed(ip, settings->ban, now, answer->username, hasLiveIp(ip))) events_.banned(sourceKey(ip), ban->seconds, ban->failures);
  }
  // Not another challenge: phones answer each at once, with the same password, and would be banned within a second.
  replyStateless(request, 403);
  return "";
}

void Registrar::onRegister(pjsip_rx_data* request) {
  bool repeated = false;
  const std::string extension = authenticate(request, repeated);
  if (extension.empty()) return;
  // A phone registers itself only.
  if (numberOf(request->msg_info.to->uri) != extension) return replyStateless(request, 403);
  if (requiresUnknown(request, {"path"})) return;
  if (repeated) return answerAgain(request, extension);
  const std::vector<std::string> before = addressesOf(extension);
  const auto bindings = apply(request, extension);
  if (!bindings) return;
  moveCalls(request, extension, before);
  // The phone may be sent something as soon as it has read this: everything knows where it is by then.
  answerBindings(request, *bindings, nowMs());
}

void Registrar::moveCalls(const pjsip_rx_data* request, const std::string& extension, const std::vector<std::string>& before) const {
  const std::string source = sourceAddress(request);
  if (fromEdge(request) || !hasLiveAddress(source)) return;
  const std::string ip = sourceIp(request);
  const bool connected = (request->tp_info.transport->flag & PJSIP_TRANSPORT_RELIABLE) != 0;
  callsFollow(legs_, request, extension, [&](const std::string& address) {
    // Its binding was replaced by this one, or went with its connection.
    const bool mine = std::find(before.begin(), before.end(), address) != before.end() || (connected && splitHostPort(address).host == ip);
    return mine && !hasLiveAddress(address);
  });
}

std::vector<std::string> Registrar::addressesOf(const std::string& extension) const {
  std::vector<std::string> addresses;
  std::lock_guard lock(mutex_);
  if (const auto at = bindings_.find(extension); at != bindings_.end()) {
    for (const Binding& b : at->second) addresses.push_back(b.contact.address);
  }
  return addresses;
}

bool Registrar::Binding::is(const Contact& other) const {
  if (contact.path.empty() != other.path.empty() || !sameUri(contact.uri, other.uri)) return false;
  // Behind an edge two phones may well have the same private address, in two places.
  return contact.path.empty() || splitHostPort(contact.address).host == splitHostPort(other.address).host;
}

void Registrar::answerBindings(pjsip_rx_data* request, const std::vector<Binding>& bindings, int64_t now) const {
  std::vector<Header> headers;
  for (const Binding& b : bindings) {
    headers.push_back({"Contact", "<" + b.contact.uri + ">;expires=" + std::to_string((b.contact.expiresAt - now) / 1000)});
  }
  if (fromEdge(request)) {
    for (const std::string& path : headerTexts(request, "Path")) headers.push_back({"Path", path});
  }
  replyStateless(request, 200, headers);
}

void Registrar::answerAgain(pjsip_rx_data* request, const std::string& extension) {
  const int64_t now = nowMs();
  std::lock_guard lock(mutex_);
  const auto at = bindings_.find(extension);
  std::vector<Binding> live = at == bindings_.end() ? std::vector<Binding>{} : at->second;
  std::erase_if(live, [&](const Binding& b) { return b.contact.expiresAt <= now; });
  answerBindings(request, live, now);
}

std::optional<std::vector<Registrar::Binding>> Registrar::apply(pjsip_rx_data* request, const std::string& extension) {
  pjsip_msg* message = request->msg_info.msg;
  const auto* expires = static_cast<pjsip_expires_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_EXPIRES, nullptr));
  const unsigned common = expires != nullptr ? static_cast<unsigned>(expires->ivalue) : usualSeconds;
  const std::string callId = request->msg_info.cid != nullptr ? text(request->msg_info.cid->id) : "";
  const int cseq = request->msg_info.cseq != nullptr ? request->msg_info.cseq->cseq : 0;
  const int64_t now = nowMs();
  std::string path;
  if (!readPath(request, path)) return refused(request);
  const std::vector<std::string> written = writtenContacts(request);

  const auto settings = settings_.get();
  // Over a connection that goes with this machine. One that ends at an edge stays.
  const bool connected = (request->tp_info.transport->flag & PJSIP_TRANSPORT_RELIABLE) != 0 && !fromEdge(request);
  const unsigned longest = connected && settings->connectedSeconds > 0 ? std::clamp(settings->connectedSeconds, shortestSeconds, longestSeconds) : longestSeconds;

  std::lock_guard lock(mutex_);
  std::vector<Binding> list = bindings_[extension];
  std::erase_if(list, [&](const Binding& b) { return b.contact.expiresAt <= now; });
  size_t seen = 0;
  for (const void* at = nullptr;;) {
    auto* contact = static_cast<pjsip_contact_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_CONTACT, at));
    if (contact == nullptr) break;
    at = contact->next;
    if (++seen > mostContacts) return refused(request);
    if (contact->star) {
      if (common != 0) return refused(request);
      list.clear();
      break;
    }
    const std::string& uri = written[seen - 1];
    // Also of one that is too long to be read again.
    if (uri.empty() || uri.size() >= PJSIP_MAX_URL_SIZE) return refused(request);
    unsigned seconds = contact->expires != PJSIP_EXPIRES_NOT_SPECIFIED ? static_cast<unsigned>(contact->expires) : common;
    Contact entry{uri, transportName(request), sourceAddress(request), path, 0};
    const auto old = std::find_if(list.begin(), list.end(), [&](const Binding& b) { return b.is(entry); });
    if (old != list.end()) {
      // RFC 3261 section 10.3 step 7: an older request of the same Call-ID changes nothing.
      if (old->callId == callId && cseq < old->cseq) continue;
      list.erase(old);
    }
    if (seconds == 0) continue;
    seconds = std::clamp(seconds, shortestSeconds, longest);
    entry.expiresAt = now + int64_t{seconds} * 1000;
    list.insert(list.begin(), Binding{entry, callId, cseq});
  }
  // A phone that restarted without unregistering leaves bindings behind; the oldest give way.
  const ExtensionSettings* known = settings->extension(extension);
  const size_t most = known != nullptr ? known->phones : mostContacts;
  if (list.size() > most) list.resize(most);

  if (seen == 0) return list;
  if (list.empty()) {
    bindings_.erase(extension);
  } else {
    bindings_[extension] = list;
  }
  report(extension, list, headerText(request, "User-Agent"));
  return list;
}

void Registrar::report(const std::string& extension, const std::vector<Binding>& bindings, const std::string& userAgent) {
  std::vector<Contact> contacts;
  for (const Binding& b : bindings) contacts.push_back(b.contact);
  events_.registration(extension, contacts, userAgent);
}

bool Registrar::hasLiveIp(const std::string& ip) const {
  const int64_t now = nowMs();
  std::lock_guard lock(mutex_);
  for (const auto& [extension, list] : bindings_) {
    for (const Binding& b : list) {
      if (b.contact.expiresAt > now && splitHostPort(b.contact.address).host == ip) return true;
    }
  }
  return false;
}

bool Registrar::hasLiveAddress(const std::string& address) const {
  const int64_t now = nowMs();
  std::lock_guard lock(mutex_);
  for (const auto& [extension, list] : bindings_) {
    for (const Binding& b : list) {
      if (b.contact.expiresAt > now && b.contact.address == address) return true;
    }
  }
  return false;
}

std::vector<Contact> Registrar::contacts(const std::string& extension) const {
  const int64_t now = nowMs();
  std::vector<Contact> live;
  std::lock_guard lock(mutex_);
  if (const auto at = bindings_.find(extension); at != bindings_.end()) {
    for (const Binding& b : at->second) {
      if (b.contact.expiresAt > now) live.push_back(b.contact);
    }
  }
  return live;
}

void Registrar::connectionClosed(const std::string& address) {
  std::lock_guard lock(mutex_);
  for (auto at = bindings_.begin(); at != bindings_.end();) {
    const size_t gone = std::erase_if(at->second, [&](const Binding& b) { return b.contact.transport != "udp" && b.contact.address == address; });
    if (gone > 0) report(at->first, at->second, "");
    at = at->second.empty() ? bindings_.erase(at) : std::next(at);
  }
}

void Registrar::sweep(int64_t now, int64_t steady) {
  proven_.sweep(steady);
  std::lock_guard lock(mutex_);
  for (auto at = bindings_.begin(); at != bindings_.end();) {
    std::vector<Binding>& list = at->second;
    const size_t before = list.size();
    std::erase_if(list, [&](const Binding& b) { return b.contact.expiresAt <= now; });
    if (list.size() != before) report(at->first, list, "");
    at = list.empty() ? bindings_.erase(at) : std::next(at);
  }
}

}  // namespace pbx

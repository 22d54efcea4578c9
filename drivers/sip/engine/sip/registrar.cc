#include "registrar.h"

#include <algorithm>

#include "digest_uri.h"
#include "now.h"
#include "reply.h"

namespace pbx {

namespace {

constexpr size_t mostContacts = 8;
// What a phone could mean.
constexpr double provenPerSecond = 20, provenBurst = 60;
constexpr unsigned shortestSeconds = 60, longestSeconds = 3600, usualSeconds = 300;

std::string printUri(const pjsip_uri* uri) {
  char buffer[PJSIP_MAX_URL_SIZE];
  const int size = pjsip_uri_print(PJSIP_URI_IN_CONTACT_HDR, pjsip_uri_get_uri(uri), buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : "";
}

}  // namespace

void Registrar::configure(const Settings& settings) {
  const int64_t now = nowMs();
  std::lock_guard lock(mutex_);
  std::erase_if(bindings_, [&](const auto& item) { return settings.extension(item.first) == nullptr; });
  for (const auto& [number, extension] : settings.extensions) {
    std::vector<Binding>& list = bindings_[number];
    for (const Contact& contact : extension.contacts) {
      const bool known = std::any_of(list.begin(), list.end(), [&](const Binding& b) { return b.contact.uri == contact.uri; });
      if (!known && contact.expiresAt > now && list.size() < extension.phones) list.push_back({contact, "", 0});
    }
    if (list.empty()) bindings_.erase(number);
  }
}

void Registrar::answerChallenge(pjsip_rx_data* request, const Settings& settings, bool stale) {
  const int64_t now = steadyMs();
  if (challenges_.within(now)) challenge(request, settings.realm, digest_.challengeNonce(sourceIp(request), now), stale);
}

std::string Registrar::authenticate(pjsip_rx_data* request) {
  const auto settings = settings_.get();
  const std::string ip = sourceIp(request);
  const int64_t now = steadyMs();
  const auto answer = digestAnswer(request);
  if (!answer || digest_.nonceState(answer->nonce, ip, now) != NonceState::ours) {
    answerChallenge(request, *settings, answer.has_value());
    return "";
  }
  if (!proven_.within(sourceKey(ip), provenPerSecond, provenBurst, now)) {
    // A phone that registers asks again by itself; a person who calls must hear that it failed.
    if (request->msg_info.msg->line.req.method.id != PJSIP_REGISTER_METHOD) replyStateless(request, 503, {{"Retry-After", "5"}});
    return "";
  }
  // RFC 7616 section 3.4.6. Before the password, so that the answer says nothing about it.
  if (!sameTarget(answer->uri, request)) {
    replyStateless(request, 400);
    return "";
  }
  const ExtensionSettings* extension = settings->extension(answer->username);
  const std::string method = text(request->msg_info.msg->line.req.method.name);
  switch (digest_.check(*answer, method, settings->realm, extension != nullptr ? extension->password : "", ip, sourceAddress(request), now)) {
    case DigestVerdict::valid:
      bans_.succeeded(ip);
      return answer->username;
    case DigestVerdict::stale:
      answerChallenge(request, *settings, true);
      return "";
    case DigestVerdict::wrong:
      break;
  }
  if (!hasLiveAddress(sourceAddress(request))) {
    if (const auto ban = bans_.failed(ip, settings->ban, now)) events_.banned(sourceKey(ip), ban->seconds, ban->failures);
  }
  // Not another challenge: phones answer each at once, with the same password, and would be banned within a second.
  replyStateless(request, 403);
  return "";
}

void Registrar::onRegister(pjsip_rx_data* request) {
  const std::string extension = authenticate(request);
  if (extension.empty()) return;
  // A phone registers itself only.
  if (numberOf(request->msg_info.to->uri) != extension) return replyStateless(request, 403);
  apply(request, extension);
}

void Registrar::apply(pjsip_rx_data* request, const std::string& extension) {
  pjsip_msg* message = request->msg_info.msg;
  const auto* expires = static_cast<pjsip_expires_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_EXPIRES, nullptr));
  const unsigned common = expires != nullptr ? static_cast<unsigned>(expires->ivalue) : usualSeconds;
  const std::string callId = request->msg_info.cid != nullptr ? text(request->msg_info.cid->id) : "";
  const int cseq = request->msg_info.cseq != nullptr ? request->msg_info.cseq->cseq : 0;
  const int64_t now = nowMs();

  std::lock_guard lock(mutex_);
  std::vector<Binding> list = bindings_[extension];
  std::erase_if(list, [&](const Binding& b) { return b.contact.expiresAt <= now; });
  size_t seen = 0;
  for (const void* at = nullptr;;) {
    auto* contact = static_cast<pjsip_contact_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_CONTACT, at));
    if (contact == nullptr) break;
    at = contact->next;
    if (++seen > mostContacts) return replyStateless(request, 400);
    if (contact->star) {
      if (common != 0) return replyStateless(request, 400);
      list.clear();
      break;
    }
    const auto* uri = static_cast<const pjsip_uri*>(pjsip_uri_get_uri(contact->uri));
    if (!PJSIP_URI_SCHEME_IS_SIP(uri) && !PJSIP_URI_SCHEME_IS_SIPS(uri)) return replyStateless(request, 400);
    const std::string printed = printUri(contact->uri);
    if (printed.empty()) return replyStateless(request, 400);
    unsigned seconds = contact->expires != PJSIP_EXPIRES_NOT_SPECIFIED ? static_cast<unsigned>(contact->expires) : common;
    const auto old = std::find_if(list.begin(), list.end(), [&](const Binding& b) { return b.contact.uri == printed; });
    if (old != list.end()) {
      // RFC 3261 section 10.3 step 7: an older request of the same Call-ID changes nothing.
      if (old->callId == callId && cseq < old->cseq) continue;
      list.erase(old);
    }
    if (seconds == 0) continue;
    seconds = std::clamp(seconds, shortestSeconds, longestSeconds);
    const Contact entry{printed, transportName(request), sourceAddress(request), now + int64_t{seconds} * 1000};
    list.insert(list.begin(), Binding{entry, callId, cseq});
  }
  // A phone that restarted without unregistering leaves bindings behind; the oldest give way.
  const auto settings = settings_.get();
  const ExtensionSettings* known = settings->extension(extension);
  const size_t most = known != nullptr ? known->phones : mostContacts;
  if (list.size() > most) list.resize(most);

  std::vector<Header> headers;
  for (const Binding& b : list) {
    headers.push_back({"Contact", "<" + b.contact.uri + ">;expires=" + std::to_string((b.contact.expiresAt - now) / 1000)});
  }
  replyStateless(request, 200, headers);
  if (seen == 0) return;
  if (list.empty()) {
    bindings_.erase(extension);
  } else {
    bindings_[extension] = list;
  }
  report(extension, list, headerText(request, "User-Agent"));
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

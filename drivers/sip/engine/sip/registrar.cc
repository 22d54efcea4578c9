#include "registrar.h"

#include <sys/time.h>

#include <algorithm>

#include "reply.h"

namespace pbx {

namespace {

constexpr size_t mostContacts = 8;
constexpr unsigned shortestSeconds = 60, longestSeconds = 3600, usualSeconds = 300;

std::string printUri(const pjsip_uri* uri) {
  char buffer[PJSIP_MAX_URL_SIZE];
  const int size = pjsip_uri_print(PJSIP_URI_IN_CONTACT_HDR, pjsip_uri_get_uri(uri), buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : "";
}

}  // namespace

int64_t nowMs() {
  timeval now;
  gettimeofday(&now, nullptr);
  return int64_t{now.tv_sec} * 1000 + now.tv_usec / 1000;
}

void Registrar::configure(const Settings& settings) {
  const int64_t now = nowMs();
  std::lock_guard lock(mutex_);
  std::erase_if(bindings_, [&](const auto& item) { return settings.extension(item.first) == nullptr; });
  for (const auto& [number, extension] : settings.extensions) {
    std::vector<Binding>& list = bindings_[number];
    for (const Contact& contact : extension.contacts) {
      const bool known = std::any_of(list.begin(), list.end(), [&](const Binding& b) { return b.contact.uri == contact.uri; });
      if (!known && contact.expiresAt > now && list.size() < mostContacts) list.push_back({contact, "", 0});
    }
    if (list.empty()) bindings_.erase(number);
  }
}

std::string Registrar::authenticate(pjsip_rx_data* request) {
  const auto settings = settings_.get();
  const std::string ip = sourceIp(request);
  const int64_t now = nowMs();
  const auto answer = digestAnswer(request);
  bool stale = false;
  if (answer) {
    const ExtensionSettings* extension = settings->extension(answer->username);
    const std::string method = text(request->msg_info.msg->line.req.method.name);
    const DigestVerdict verdict = digest_.check(*answer, method, settings->realm, extension != nullptr ? extension->password : "", ip, sourceAddress(request), now);
    if (verdict == DigestVerdict::valid) {
      bans_.succeeded(ip);
      return answer->username;
    }
    stale = verdict == DigestVerdict::stale;
    if (!stale) {
      if (!hasLiveAddress(sourceAddress(request))) {
        if (const auto ban = bans_.failed(ip, settings->ban, now)) events_.banned(ip, ban->seconds, ban->failures);
      }
      // Not another challenge: phones answer each at once, with the same password, and would be banned within a second.
      replyStateless(request, 403);
      return "";
    }
  }
  challenge(request, settings->realm, digest_.challengeNonce(ip, now), stale);
  return "";
}

void Registrar::onRegister(pjsip_rx_data* request) {
  const std::string extension = authenticate(request);
  if (extension.empty()) return;
  // A phone registers itself only.
  if (toUser(request) != extension) return replyStateless(request, 403);
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
  if (list.size() > mostContacts) list.resize(mostContacts);

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

void Registrar::sweep(int64_t now) {
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

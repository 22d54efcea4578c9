#include "watchers.h"

#include <pjsip_simple.h>

#include <algorithm>

#include "context.h"
#include "dialling.h"
#include "now.h"
#include "parties.h"
#include "phone_uri.h"
#include "reply.h"

namespace pbx {

namespace {

constexpr size_t mostOfOne = 60, mostOfAll = 2000;  // a phone with two side cars of lamps; a full house of them
constexpr int shortest = 60;  // seconds; pjsua has registered both packages, dialogs for 600 s at most, messages for 3600 s
constexpr int64_t watchAnswerMs = 5000, againAfterMs = 1000;
constexpr size_t largestBody = 6000;

struct Package {
  const char *name, *type, *subtype;
};
constexpr Package packages[] = {{"dialog", "application", "dialog-info+xml"}, {"message-summary", "application", "simple-message-summary"}};

const Package* packageOf(std::string_view name) {
  const auto* at = std::find_if(std::begin(packages), std::end(packages), [&](const Package& one) { return one.name == name; });
  return at == std::end(packages) ? nullptr : at;
}

const Package* packageIn(const pjsip_rx_data* request) {
  const pj_str_t name = pjText("Event"), brief = pjText("o");
  const auto* header = static_cast<pjsip_event_hdr*>(pjsip_msg_find_hdr_by_names(request->msg_info.msg, &name, &brief, nullptr));
  return header == nullptr ? nullptr : packageOf(view(header->event_type));
}

// PJSIP goes by what the request asks for. `most` 0: it asks for nothing that is too long.
void shorten(const pjsip_rx_data* request, unsigned most) {
  if (most == 0) return;
  most = std::max(most, static_cast<unsigned>(shortest));
  auto* expires = static_cast<pjsip_expires_hdr*>(pjsip_msg_find_hdr(request->msg_info.msg, PJSIP_H_EXPIRES, nullptr));
  if (expires == nullptr) {
    pjsip_msg_add_hdr(request->msg_info.msg, reinterpret_cast<pjsip_hdr*>(pjsip_expires_hdr_create(request->tp_info.pool, most)));
  } else if (expires->ivalue > most) {
    expires->ivalue = most;
  }
}

void setBody(pjsip_tx_data* data, const Package& package, const std::string& body) {
  if (body.empty()) return;
  const pj_str_t type = pjText(package.type), subtype = pjText(package.subtype), content = pjText(body);
  data->msg->body = pjsip_msg_body_create(data->pool, &type, &subtype, &content);
}

}  // namespace

Watchers* Watchers::only_ = nullptr;

pj_status_t Watchers::install() {
  static pjsip_module module{};
  module.name = pjText("pbx-watchers");
  module.id = -1;
  module.priority = PJSIP_MOD_PRIORITY_APPLICATION - 1;  // above pjsua's presence
  module.on_rx_request = &Watchers::onRequest;
  const pj_status_t status = pjsip_endpt_register_module(pjsua_get_pjsip_endpt(), &module);
  module_ = module.id;
  return status;
}

pj_bool_t Watchers::onRequest(pjsip_rx_data* request) {
  if (view(request->msg_info.msg->line.req.method.name) != "SUBSCRIBE") return PJ_FALSE;
  if (packageIn(request) != nullptr) shorten(request, only_->context_.settings.get()->lampSeconds);
  if (request->msg_info.to->tag.slen > 0) return PJ_FALSE;
  const int code = only_->subscribe(request);
  if (code == PJSIP_SC_BAD_EVENT) {
    replyStateless(request, code, {{"Allow-Events", "dialog, message-summary"}});
  } else if (code == PJSIP_SC_INTERVAL_TOO_BRIEF) {
    replyStateless(request, code, {{"Min-Expires", std::to_string(shortest)}});
  } else if (code == PJSIP_SC_SERVICE_UNAVAILABLE) {
    replyStateless(request, code, {{"Retry-After", "60"}});
  } else if (code != 0) {
    replyStateless(request, code);
  }
  return PJ_TRUE;
}

bool Watchers::full(const std::string& extension) {
  std::lock_guard lock(mutex_);
  const auto own = std::count_if(watchers_.begin(), watchers_.end(), [&](const auto& one) { return one.second.extension == extension; });
  return watchers_.size() >= mostOfAll || static_cast<size_t>(own) >= mostOfOne;
}

int Watchers::subscribe(pjsip_rx_data* request) {
  const Package* package = packageIn(request);
  if (package == nullptr) return PJSIP_SC_BAD_EVENT;
  const auto* expires = static_cast<pjsip_expires_hdr*>(pjsip_msg_find_hdr(request->msg_info.msg, PJSIP_H_EXPIRES, nullptr));
  if (expires != nullptr && expires->ivalue < shortest) return PJSIP_SC_INTERVAL_TOO_BRIEF;
  Watcher watcher;
  watcher.extension = Gate::source().extension;
  watcher.event = package->name;
  watcher.to = calledOf(request, nullptr);
  if (full(watcher.extension)) return PJSIP_SC_SERVICE_UNAVAILABLE;
  pj_str_t contact;
  if (pjsua_acc_create_uas_contact(request->tp_info.pool, &contact, context_.endpoint.phoneAccount(PJMEDIA_SRTP_OPTIONAL), request) != PJ_SUCCESS) return PJSIP_SC_BAD_REQUEST;
  pjsip_dialog* dialog = nullptr;
  if (pjsip_dlg_create_uas_and_inc_lock(pjsip_ua_instance(), request, &contact, &dialog) != PJ_SUCCESS) return PJSIP_SC_BAD_REQUEST;
  pjsip_evsub_user callbacks{};
  callbacks.on_rx_refresh = &Watchers::onRefresh;
  callbacks.on_evsub_state = &Watchers::onState;
  pjsip_evsub* subscription = nullptr;
  if (pjsip_evsub_create_uas(dialog, &callbacks, request, 0, &subscription) != PJ_SUCCESS) {
    pjsip_dlg_respond(dialog, request, PJSIP_SC_BAD_REQUEST, nullptr, nullptr, nullptr);
    pjsip_dlg_dec_lock(dialog);
    return 0;
  }
  watcher.subscription = std::make_shared<EventSubscription>(subscription, dialog);
  watcher.answerBy = watcher.askedAt = steadyMs();
  watcher.answerBy += watchAnswerMs;
  uint32_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = ++last_;
    watchers_[number] = watcher;
  }
  pjsip_evsub_set_mod_data(subscription, static_cast<unsigned>(module_), reinterpret_cast<void*>(static_cast<uintptr_t>(number)));
  pjsip_evsub_accept(subscription, request, PJSIP_SC_OK, nullptr);
  ask(number, watcher, pjsip_evsub_get_expires(subscription), false);
  pjsip_dlg_dec_lock(dialog);
  return 0;
}

void Watchers::ask(uint32_t number, const Watcher& watcher, unsigned seconds, bool again) {
  context_.events.send({{"t", "subscribe"}, {"subscription", number}, {"extension", watcher.extension}, {"event", watcher.event}, {"to", clean(watcher.to)}, {"seconds", seconds}, {"again", again}, {"documents", watcher.documents}, {"last", watcher.last}});
}

uint32_t Watchers::numberOf(const pjsip_evsub* subscription) const {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pjsip_evsub_get_mod_data(subscription, static_cast<unsigned>(module_))));
}

// PJSIP answers behind this; a NOTIFY that is sent here follows its answer.
void Watchers::onRefresh(pjsip_evsub* subscription, pjsip_rx_data*, int* code, pj_str_t**, pjsip_hdr*, pjsip_msg_body**) {
  const unsigned seconds = pjsip_evsub_get_expires(subscription);
  if (seconds == 0) {
    const pj_str_t reason = pjText("timeout");
    pjsip_tx_data* notify = nullptr;
    if (pjsip_evsub_notify(subscription, PJSIP_EVSUB_STATE_TERMINATED, nullptr, &reason, &notify) == PJ_SUCCESS) pjsip_evsub_send_request(subscription, notify);
    return;
  }
  const uint32_t number = only_->numberOf(subscription);
  Watcher watcher;
  {
    std::lock_guard lock(only_->mutex_);
    const auto at = only_->watchers_.find(number);
    const int64_t now = steadyMs();
    if (at == only_->watchers_.end() || now < at->second.askedAt + againAfterMs) {
      *code = PJSIP_SC_SERVICE_UNAVAILABLE;
      return;
    }
    at->second.askedAt = now;
    at->second.answerBy = now + watchAnswerMs;
    watcher = at->second;
  }
  only_->ask(number, watcher, seconds, true);
}

void Watchers::onState(pjsip_evsub* subscription, pjsip_event*) {
  if (pjsip_evsub_get_state(subscription) != PJSIP_EVSUB_STATE_TERMINATED) return;
  const uint32_t number = only_->numberOf(subscription);
  // Its last reference goes without our lock.
  Watcher gone;
  {
    std::lock_guard lock(only_->mutex_);
    const auto at = only_->watchers_.find(number);
    if (at == only_->watchers_.end()) return;
    gone = std::move(at->second);
    only_->watchers_.erase(at);
  }
  only_->context_.events.send({{"t", "unsubscribed"}, {"subscription", number}});
}

void Watchers::send(const EventSubscription& subscription, const std::string& event, const std::string& body, const std::string& end) {
  const Package* package = packageOf(event);
  pjsip_dlg_inc_lock(subscription.dialog());
  pjsip_tx_data* notify = nullptr;
  const pj_str_t reason = pjText(end);
  const bool last = !end.empty();
  const pjsip_evsub_state state = last ? PJSIP_EVSUB_STATE_TERMINATED : body.empty() ? PJSIP_EVSUB_STATE_PENDING : PJSIP_EVSUB_STATE_ACTIVE;
  if (pjsip_evsub_get_state(subscription.get()) != PJSIP_EVSUB_STATE_TERMINATED &&
      pjsip_evsub_notify(subscription.get(), state, nullptr, last ? &reason : nullptr, &notify) == PJ_SUCCESS) {
    if (package != nullptr) setBody(notify, *package, body);
    pjsip_evsub_send_request(subscription.get(), notify);
  }
  pjsip_dlg_dec_lock(subscription.dialog());
}

void Watchers::notify(uint32_t number, const std::string& body, const std::string& end) {
  if (body.size() > largestBody) return context_.events.log("error", "a lamp's document of " + std::to_string(body.size()) + " bytes is too large");
  Watcher watcher;
  {
    std::lock_guard lock(mutex_);
    const auto at = watchers_.find(number);
    if (at == watchers_.end()) return;
    at->second.answerBy = 0;
    if (!body.empty()) at->second.documents++;
    at->second.last = body;
    watcher = at->second;
  }
  send(*watcher.subscription, watcher.event, body, end);
}

void Watchers::tell(const std::string& extension, const std::string& body) {
  const auto settings = context_.settings.get();
  if (settings->extension(extension) == nullptr || body.size() > largestBody) return;
  const std::string own = "<sip:" + escapedUser(extension) + "@" + settings->realm + ">";
  for (const Contact& contact : context_.registrar.contacts(extension)) {
    const std::string target = phoneAddress(contact);
    const pj_str_t uri = pjText(target), party = pjText(own);
    pjsip_tx_data* request = nullptr;
    if (pjsip_endpt_create_request(pjsua_get_pjsip_endpt(), pjsip_get_notify_method(), &uri, &party, &party, &party, nullptr, -1, nullptr, &request) != PJ_SUCCESS) continue;
    if (pjsip_uri* whole = uriOf(request->pool, contact)) request->msg->line.req.uri = whole;
    addHeader(request, "Event", "message-summary");
    addHeader(request, "Subscription-State", "terminated;reason=noresource");
    setBody(request, packages[1], body);
    addRoutes(request->pool, contact.path, request->msg->hdr);
    pjsip_endpt_send_request(pjsua_get_pjsip_endpt(), request, -1, nullptr, nullptr);
  }
}

void Watchers::tellAll() {
  std::map<uint32_t, Watcher> all;
  {
    std::lock_guard lock(mutex_);
    for (auto& [number, watcher] : watchers_) watcher.answerBy = steadyMs() + watchAnswerMs;
    all = watchers_;
  }
  for (const auto& [number, watcher] : all) ask(number, watcher, pjsip_evsub_get_expires(watcher.subscription->get()), true);
}

void Watchers::sweep(int64_t now) {
  std::vector<std::shared_ptr<EventSubscription>> due;
  {
    std::lock_guard lock(mutex_);
    for (auto& [number, watcher] : watchers_) {
      if (watcher.answerBy == 0 || now < watcher.answerBy) continue;
      watcher.answerBy = 0;
      due.push_back(watcher.subscription);
    }
  }
  for (const auto& subscription : due) send(*subscription, "", "", "giveup");
}

void Watchers::stop() {
  std::map<uint32_t, Watcher> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(watchers_);
  }
  for (const auto& [number, watcher] : all) send(*watcher.subscription, "", "", "deactivated");
}

}  // namespace pbx

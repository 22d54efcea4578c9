// Whether a trunk is there: by OPTIONS to its servers, one after the other, and by what is heard from it.
#include <algorithm>

#include "now.h"
#include "trunk_account.h"
#include "trunks.h"

namespace pbx {

namespace {

// PJSIP would wait 32 s for an answer.
constexpr int64_t answerWithinMs = 4000;

}  // namespace

void Trunks::keepAlive(const Trunk& trunk) {
  const HostPort at = trunk.settings.nextHop();
  const TrunkSettings settings = trunk.settings;
  const pjsua_acc_id account = trunk.account;
  resolver_.resolve(at.host, at.port, settings.transport, [this, settings, account, host = at.host](const std::vector<Target>& servers) {
    if (!servers.empty()) return askServer(settings, account, host, servers.front());
    std::lock_guard lock(mutex_);
    const auto found = trunks_.find(settings.id);
    if (found != trunks_.end()) judge(found->second, false, 0, "its name is not known to DNS");
  });
}

void Trunks::askServer(const TrunkSettings& settings, pjsua_acc_id account, const std::string& host, const Target& server) {
  const std::string target = trunkUri(settings, "");
  const pj_str_t uri = pjText(target), name = pjText(host);
  pjsip_tx_data* request = nullptr;
  if (pjsua_acc_create_request(account, pjsip_get_options_method(), &uri, &request) != PJ_SUCCESS) return;
  Resolver::addresses({server}, settings.transport, request->dest_info.addr);
  request->dest_info.addr.entry[0].name = {nullptr, 0};  // it would outlive the text
  pj_strdup(request->pool, &request->dest_info.name, &name);
  uintptr_t token = 0;
  {
    std::lock_guard lock(mutex_);
    token = ++lastAsked_;
    const int64_t now = steadyMs();
    asked_[token] = {settings.id, joinHostPort(server.ip, server.port), now, now + answerWithinMs};
  }
  if (pjsip_endpt_send_request(pjsua_get_pjsip_endpt(), request, -1, reinterpret_cast<void*>(token), &Trunks::onKeepAlive) == PJ_SUCCESS) return;
  std::lock_guard lock(mutex_);
  asked_.erase(token);
}

// mutex_ held.
void Trunks::judge(Trunk& trunk, bool there, int code, const std::string& reason) {
  const bool back = there && trunk.asked && !trunk.reachable;
  trunk.reachable = there;
  trunk.asked = true;
  trunk.code = code;
  trunk.reason = there ? "" : reason;
  if (there) trunk.silent.clear();
  if (!there) trunk.nextKeepAlive = std::min(trunk.nextKeepAlive, steadyMs() + doubtEveryMs);
  // What was refused or unanswered in an outage need not wait for its turn.
  if (back && trunk.registration == "unreachable") trunk.nextRegister = steadyMs();
  publish(trunk);
}

void Trunks::onKeepAlive(void* token, pjsip_event* event) {
  std::lock_guard lock(only_->mutex_);
  const auto at = only_->asked_.find(reinterpret_cast<uintptr_t>(token));
  if (at == only_->asked_.end()) return;
  const Question question = at->second;
  const bool there = isReceived(event);
  if (!there) {
    at->second.until = 0;  // the sweep draws the conclusions
    return;
  }
  only_->asked_.erase(at);
  only_->resolver_.pardon(question.server);
  // Any answer from the far end, even a refusal, says that it is there.
  if (const auto found = only_->trunks_.find(question.trunk); found != only_->trunks_.end()) {
    only_->judge(found->second, true, event->body.tsx_state.tsx->status_code, "");
  }
}

// mutex_ held. Questions that stay unanswered: the next server is asked at once, when there is one.
void Trunks::dueAnswers(int64_t now) {
  for (auto at = asked_.begin(); at != asked_.end();) {
    if (now < at->second.until) {
      ++at;
      continue;
    }
    const Question question = at->second;
    at = asked_.erase(at);
    resolver_.penalise(question.server);
    const auto found = trunks_.find(question.trunk);
    if (found == trunks_.end()) continue;
    Trunk& trunk = found->second;
    if (trunk.heardAt >= question.askedAt) continue;
    const HostPort next = trunk.settings.nextHop();
    trunk.silent.insert(question.server);
    const auto servers = resolver_.known(next.host, next.port, trunk.settings.transport);
    const bool left = std::any_of(servers.begin(), servers.end(), [&](const Target& server) { return !trunk.silent.contains(joinHostPort(server.ip, server.port)); });
    if (left) {
      trunk.nextKeepAlive = 0;
    } else {
      trunk.silent.clear();
      judge(trunk, false, 0, "no answer to OPTIONS");
    }
  }
}

void Trunks::heard(const std::string& id, int64_t now) {
  std::lock_guard lock(mutex_);
  const auto at = trunks_.find(id);
  if (at == trunks_.end()) return;
  Trunk& trunk = at->second;
  trunk.nextKeepAlive = now + int64_t{trunk.settings.keepAliveSeconds} * 1000;
  trunk.heardAt = now;  // what was asked before does not count any more
  if (!trunk.asked || !trunk.reachable) judge(trunk, true, 0, "");
}

void Trunks::doubt(const std::string& id) {
  std::lock_guard lock(mutex_);
  if (const auto at = trunks_.find(id); at != trunks_.end()) at->second.nextKeepAlive = 0;
}

}  // namespace pbx

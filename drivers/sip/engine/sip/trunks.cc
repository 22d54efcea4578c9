#include "trunks.h"

#include <pjsua-lib/pjsua_internal.h>

#include <algorithm>

#include "registrar.h"
#include "tls_servers.h"
#include "trunk_account.h"

namespace pbx {

namespace {

constexpr int64_t resolveEveryMs = 60'000;
constexpr size_t mostAddresses = 32;

// The fields that pjsua_call_get_info fills in besides the account are changed meanwhile by the thread that holds the call's
// dialog.
bool carriesCalls(pjsua_acc_id account) {
  PJSUA_LOCK();
  const bool used = std::any_of(pjsua_var.calls, pjsua_var.calls + pjsua_var.ua_cfg.max_calls,
                                [&](const pjsua_call& call) { return call.inv != nullptr && call.acc_id == account; });
  PJSUA_UNLOCK();
  return used;
}

}  // namespace

Trunks* Trunks::only_ = nullptr;

Trunks::Trunks(Events& events, Endpoint& endpoint, Resolver& resolver, const OwnAddresses& own)
    : events_(events), endpoint_(endpoint), resolver_(resolver), own_(own) {
  only_ = this;
  resolver_.observe([this](const Resolver::Question& question, const std::vector<Target>& targets) { learn(question, targets); });
}

bool Trunks::open(Trunk& trunk, const Settings& settings) {
  pjsua_acc_config config = endpoint_.accountDefaults(settings);
  const pj_status_t status = openAccount(trunk.settings, config, trunk.account);
  if (status != PJ_SUCCESS) events_.log("error", "trunk " + trunk.settings.id + ": " + errorText(status));
  return status == PJ_SUCCESS;
}

// The account's contact is another, nothing else.
void Trunks::reopen(const Trunk& trunk, const Settings& settings) {
  Trunk same = trunk;
  if (open(same, settings) && trunk.settings.registers) registerNow(trunk.account);
}

void Trunks::configure(const Settings& settings) {
  // Registration results arrive on other threads and take mutex_ while holding PJSIP's locks: PJSIP is called without it.
  std::map<std::string, Trunk> next;
  std::vector<pjsua_acc_id> gone;
  {
    std::lock_guard lock(mutex_);
    next = trunks_;
  }
  for (auto at = next.begin(); at != next.end();) {
    if (settings.trunk(at->first) != nullptr) {
      ++at;
      continue;
    }
    gone.push_back(at->second.account);
    at = next.erase(at);
  }
  const bool otherOutside = outside_ != settings.outside;
  outside_ = settings.outside;
  std::vector<std::string> changed;
  for (const TrunkSettings& wanted : settings.trunks) {
    Trunk& trunk = next[wanted.id];
    if (trunk.account != PJSUA_INVALID_ID && trunk.settings.source == wanted.source) {
      if (otherOutside) reopen(trunk, settings);
      continue;
    }
    const pjsua_acc_id account = trunk.account;
    trunk = Trunk{};
    trunk.account = account;
    trunk.settings = wanted;
    if (wanted.registers) trunk.registration = "registering";
    // Numbers are known at once, before the first look-up.
    for (const std::string& server : {wanted.server, wanted.outboundProxy}) {
      const HostPort at = splitHostPort(server);
      if (isIpLiteral(at.host)) trunk.addresses.push_back({at.host, at.port != 0 ? at.port : wanted.transport == "tls" ? 5061u : 5060u});
    }
    changed.push_back(wanted.id);
  }
  {
    std::lock_guard lock(mutex_);
    trunks_ = next;
  }
  for (const std::string& id : changed) {
    Trunk& trunk = next[id];
    const bool isNew = trunk.account == PJSUA_INVALID_ID;
    if (endpoint_.listens()) open(trunk, settings);
    {
      std::lock_guard lock(mutex_);
      if (const auto at = trunks_.find(id); at != trunks_.end()) {
        at->second.account = trunk.account;
        publish(at->second);
      }
    }
    // Not before the account has its trunk: the answer may come within a moment.
    if (isNew && trunk.settings.registers && trunk.account != PJSUA_INVALID_ID) registerNow(trunk.account);
  }
  for (const pjsua_acc_id account : gone) {
    if (account == PJSUA_INVALID_ID) continue;
    pjsua_acc_set_registration(account, PJ_FALSE);
    std::lock_guard lock(mutex_);
    retired_.push_back(account);
  }
}

void Trunks::askAgain() {
  std::vector<pjsua_acc_id> registering;
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, trunk] : trunks_) {
      trunk.nextKeepAlive = 0;
      if (trunk.settings.registers && trunk.account != PJSUA_INVALID_ID) registering.push_back(trunk.account);
    }
  }
  for (const pjsua_acc_id account : registering) pjsua_acc_set_registration(account, PJ_TRUE);
}

void Trunks::tellAll() {
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    trunk.told.clear();
    publish(trunk);
  }
}

void Trunks::publish(Trunk& trunk) {
  std::string state = "unknown", reason;
  int code = trunk.code;
  int64_t retryMs = 0;
  if (!trunk.tlsFault.empty()) {
    state = "untrusted";
    code = 0;
    reason = trunk.tlsFault;
  } else if (trunk.asked && !trunk.reachable) {
    state = "unreachable";
    reason = trunk.reason;
  } else if (trunk.settings.registers) {
    state = trunk.registration;
    code = trunk.registrationCode;
    reason = trunk.registrationReason;
    if (trunk.nextRegister != 0) retryMs = trunk.retryMs;
  } else if (trunk.asked) {
    state = "reachable";
  }
  const bool fault = state == "refused" || state == "unreachable" || state == "untrusted";
  const std::string said = fault ? state + " " + std::to_string(code) + " " + reason + " " + std::to_string(retryMs) : state;
  if (said == trunk.told) return;
  trunk.told = said;
  events_.trunk(trunk.settings.id, state.c_str(), code, reason, static_cast<unsigned>((retryMs + 999) / 1000));
}

void Trunks::tlsChecked(const HostPort& reached, const std::string& fault) {
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    if (trunk.settings.transport != "tls") continue;
    const std::string& proxy = trunk.settings.outboundProxy;
    if (!isAt(proxy.empty() ? trunk.settings.server : proxy, reached)) continue;
    trunk.tlsFault = fault;
    publish(trunk);
  }
}

void Trunks::sweep(int64_t now) {
  watchRegistrations(now);
  std::vector<Trunk> resolving, asking;
  std::vector<pjsua_acc_id> registering, retired;
  {
    std::lock_guard lock(mutex_);
    dueAnswers(now);
    registering = dueRegistrations(now);
    for (auto& [id, trunk] : trunks_) {
      if (trunk.account == PJSUA_INVALID_ID) continue;
      if (now >= trunk.nextResolve) {
        trunk.nextResolve = now + resolveEveryMs;
        resolving.push_back(trunk);
      }
      if (trunk.settings.keepAliveSeconds > 0 && now >= trunk.nextKeepAlive) {
        const int64_t pause = int64_t{trunk.settings.keepAliveSeconds} * 1000;
        trunk.nextKeepAlive = now + (trunk.asked && !trunk.reachable ? std::min(pause, doubtEveryMs) : pause);
        asking.push_back(trunk);
      }
    }
    retired.swap(retired_);
  }
  for (const Trunk& trunk : resolving) resolve(trunk);
  for (const Trunk& trunk : asking) keepAlive(trunk);
  for (const pjsua_acc_id account : registering) registerNow(account);
  for (const pjsua_acc_id account : retired) {
    if (carriesCalls(account)) {
      std::lock_guard lock(mutex_);
      retired_.push_back(account);
    } else {
      pjsua_acc_del(account);
    }
  }
}

void Trunks::resolve(const Trunk& trunk) {
  for (const std::string& server : {trunk.settings.server, trunk.settings.outboundProxy}) {
    const HostPort at = splitHostPort(server);
    if (at.host.empty() || isIpLiteral(at.host)) continue;
    // The observer is not called again for an answer that is already known.
    const Resolver::Question question{"", at.host, trunk.settings.transport, at.port};
    resolver_.resolve(at.host, at.port, trunk.settings.transport, [this, question](const std::vector<Target>& targets) { learn(question, targets); });
  }
}

void Trunks::learn(const Resolver::Question& question, const std::vector<Target>& targets) {
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    const TrunkSettings& t = trunk.settings;
    const auto is = [&](const std::string& server) {
      const HostPort at = splitHostPort(server);
      return at.host == question.host && at.port == question.port;
    };
    if (t.transport != question.transport || !(is(t.server) || is(t.outboundProxy))) continue;
    auto& known = trunk.addresses;
    for (const Target& target : targets) {
      const bool old = std::any_of(known.begin(), known.end(), [&](const HostPort& k) { return k.host == target.ip && k.port == target.port; });
      if (!old) known.push_back({target.ip, target.port});
    }
    // A provider that moves its name about all day: the oldest go.
    if (known.size() > mostAddresses) known.erase(known.begin(), known.end() - mostAddresses);
  }
}

pjsua_acc_id Trunks::account(const std::string& id) const {
  std::lock_guard lock(mutex_);
  const auto at = trunks_.find(id);
  return at == trunks_.end() ? static_cast<pjsua_acc_id>(PJSUA_INVALID_ID) : at->second.account;
}

std::string Trunks::byAccount(pjsua_acc_id account) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, trunk] : trunks_) {
    if (trunk.account == account) return id;
  }
  return "";
}

}  // namespace pbx

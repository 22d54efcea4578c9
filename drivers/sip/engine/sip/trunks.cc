#include "trunks.h"

#include <algorithm>
#include <cstring>

#include "registrar.h"

namespace pbx {

namespace {

constexpr int64_t resolveEveryMs = 60'000;
constexpr int64_t retryRefusedMs = 60'000;

std::string uriTransport(const std::string& transport) {
  return transport == "tcp" || transport == "tls" ? ";transport=" + transport : "";
}

pjmedia_srtp_use srtpUse(Srtp srtp) {
  if (srtp == Srtp::required) return PJMEDIA_SRTP_MANDATORY;
  return srtp == Srtp::off ? PJMEDIA_SRTP_DISABLED : PJMEDIA_SRTP_OPTIONAL;
}

Trunks* only = nullptr;  // there is one in a process; PJSIP's callbacks carry a number alone

std::string hostOf(const std::string& server) {
  return joinHostPort(splitHostPort(server).host, 0);
}

}  // namespace

Trunks::Trunks(Events& events, Endpoint& endpoint) : events_(events), endpoint_(endpoint) {
  only = this;
}

std::string trunkUri(const TrunkSettings& trunk, const std::string& user) {
  const HostPort at = splitHostPort(trunk.server);
  return "sip:" + (user.empty() ? "" : user + "@") + joinHostPort(at.host, at.port) + uriTransport(trunk.transport);
}

bool Trunks::open(Trunk& trunk, const Settings& settings) {
  const TrunkSettings& t = trunk.settings;
  pjsua_acc_config config = endpoint_.accountDefaults(settings);
  const std::string domain = t.fromDomain.empty() ? hostOf(t.server) : t.fromDomain;
  const std::string id = "<sip:" + (t.username.empty() ? "" : t.username + "@") + domain + uriTransport(t.transport) + ">";
  const std::string registrar = trunkUri(t, "");
  std::string proxy;
  config.id = pjText(id);
  if (t.registers) {
    config.reg_uri = pjText(registrar);
    config.reg_timeout = t.registerSeconds;
    config.reg_retry_interval = 15;
    config.reg_first_retry_interval = 2;
    config.reg_retry_random_interval = 2;
    config.register_on_acc_add = PJ_TRUE;
  }
  if (!t.username.empty() || !t.authUsername.empty()) {
    config.cred_count = 1;
    config.cred_info[0].realm = pjText("*");
    config.cred_info[0].scheme = pjText("digest");
    config.cred_info[0].username = pjText(t.authUsername);
    config.cred_info[0].data_type = PJSIP_CRED_DATA_PLAIN_PASSWD;
    config.cred_info[0].data = pjText(t.password);
  }
  if (!t.outboundProxy.empty()) {
    const HostPort at = splitHostPort(t.outboundProxy);
    proxy = "<sip:" + joinHostPort(at.host, at.port) + uriTransport(t.transport) + ";lr>";
    config.proxy_cnt = 1;
    config.proxy[0] = pjText(proxy);
  }
  config.use_srtp = srtpUse(t.srtp);
  const pj_status_t status = trunk.account == PJSUA_INVALID_ID ? pjsua_acc_add(&config, PJ_FALSE, &trunk.account) : pjsua_acc_modify(trunk.account, &config);
  if (status != PJ_SUCCESS) events_.log("error", "trunk " + t.id + ": " + errorText(status));
  return status == PJ_SUCCESS;
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
  std::vector<std::string> changed;
  for (const TrunkSettings& wanted : settings.trunks) {
    Trunk& trunk = next[wanted.id];
    if (trunk.account != PJSUA_INVALID_ID && trunk.settings.source == wanted.source) continue;
    const pjsua_acc_id account = trunk.account;
    trunk = Trunk{};
    trunk.account = account;
    trunk.settings = wanted;
    if (wanted.registers) trunk.registration = "registering";
    if (const HostPort server = splitHostPort(wanted.server); isIpLiteral(server.host)) {
      trunk.addresses.push_back({server.host, server.port != 0 ? server.port : wanted.transport == "tls" ? 5061u : 5060u});
    }
    changed.push_back(wanted.id);
  }
  {
    std::lock_guard lock(mutex_);
    trunks_ = next;
  }
  for (const std::string& id : changed) {
    Trunk& trunk = next[id];
    if (endpoint_.listens()) open(trunk, settings);
    std::lock_guard lock(mutex_);
    if (const auto at = trunks_.find(id); at != trunks_.end()) {
      at->second.account = trunk.account;
      publish(at->second);
    }
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

void Trunks::publish(Trunk& trunk) {
  std::string state = "unknown", reason;
  int code = trunk.code;
  if (trunk.asked && !trunk.reachable) {
    state = "unreachable";
    reason = trunk.reason;
  } else if (trunk.settings.registers) {
    state = trunk.registration;
    code = trunk.registrationCode;
    reason = trunk.registrationReason;
  } else if (trunk.asked) {
    state = "reachable";
  }
  if (state == trunk.state) return;
  trunk.state = state;
  events_.trunk(trunk.settings.id, state.c_str(), code, reason);
}

void Trunks::onRegistration(pjsua_acc_id account, const pjsua_reg_info& info) {
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    if (trunk.account != account || !trunk.settings.registers) continue;
    const pjsip_regc_cbparam& result = *info.cbparam;
    trunk.registrationCode = result.code;
    trunk.registrationReason = result.status == PJ_SUCCESS ? text(result.reason) : errorText(result.status);
    if (result.status == PJ_SUCCESS && result.code / 100 == 2) {
      trunk.registration = info.renew ? "registered" : "unknown";
      trunk.registrationReason.clear();
    } else if (result.code == 401 || result.code == 407 || result.code == 403 || result.code == 404) {
      trunk.registration = "refused";
    } else {
      trunk.registration = "unreachable";
    }
    if (trunk.registration != "registered") trunk.nextRegister = nowMs() + retryRefusedMs;
    publish(trunk);
  }
}

void Trunks::sweep(int64_t now) {
  std::vector<Trunk> resolving, asking;
  std::vector<pjsua_acc_id> registering, retired;
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, trunk] : trunks_) {
      if (trunk.account == PJSUA_INVALID_ID) continue;
      if (now >= trunk.nextResolve) {
        trunk.nextResolve = now + resolveEveryMs;
        if (trunk.addresses.empty() || !isIpLiteral(splitHostPort(trunk.settings.server).host)) resolving.push_back(trunk);
      }
      if (trunk.settings.keepAliveSeconds > 0 && now >= trunk.nextKeepAlive) {
        trunk.nextKeepAlive = now + int64_t{trunk.settings.keepAliveSeconds} * 1000;
        asking.push_back(trunk);
      }
      // pjsua does not try again after a refusal; a provider's outage may look like one.
      if (trunk.registration == "refused" && now >= trunk.nextRegister) {
        trunk.nextRegister = now + retryRefusedMs;
        registering.push_back(trunk.account);
      }
    }
    retired.swap(retired_);
  }
  for (const Trunk& trunk : resolving) resolve(trunk);
  for (const Trunk& trunk : asking) keepAlive(trunk);
  for (const pjsua_acc_id account : registering) pjsua_acc_set_registration(account, PJ_TRUE);
  for (const pjsua_acc_id account : retired) {
    pjsua_call_id calls[PJSUA_MAX_CALLS];
    unsigned count = PJSUA_MAX_CALLS;
    pjsua_enum_calls(calls, &count);
    const bool used = std::any_of(calls, calls + count, [&](pjsua_call_id call) {
      pjsua_call_info info;
      return pjsua_call_get_info(call, &info) == PJ_SUCCESS && info.acc_id == account;
    });
    if (used) {
      std::lock_guard lock(mutex_);
      retired_.push_back(account);
    } else {
      pjsua_acc_del(account);
    }
  }
}

void Trunks::resolve(const Trunk& trunk) {
  pj_pool_t* pool = pjsua_pool_create("resolve", 1000, 1000);
  for (const std::string& server : {trunk.settings.server, trunk.settings.outboundProxy}) {
    const HostPort at = splitHostPort(server);
    if (at.host.empty()) continue;
    pjsip_host_info target{};
    target.type = trunk.settings.transport == "tls" ? PJSIP_TRANSPORT_TLS : trunk.settings.transport == "tcp" ? PJSIP_TRANSPORT_TCP : PJSIP_TRANSPORT_UDP;
    target.flag = pjsip_transport_get_flag_from_type(target.type);
    const pj_str_t host = pjText(at.host);
    pj_strdup(pool, &target.addr.host, &host);
    target.addr.port = static_cast<int>(at.port);
    pjsip_endpt_resolve(pjsua_get_pjsip_endpt(), pool, &target, ask(trunk), &Trunks::onResolved);
  }
  pj_pool_release(pool);
}

void Trunks::onResolved(pj_status_t status, void* token, const pjsip_server_addresses* addresses) {
  std::lock_guard lock(only->mutex_);
  Trunk* trunk = only->answered(token);
  if (trunk == nullptr || status != PJ_SUCCESS || addresses == nullptr) return;
  for (unsigned i = 0; i < addresses->count; i++) {
    char buffer[PJ_INET6_ADDRSTRLEN + 10];
    const HostPort address{pj_sockaddr_print(&addresses->entry[i].addr, buffer, sizeof buffer, 0), pj_sockaddr_get_port(&addresses->entry[i].addr)};
    auto& known = trunk->addresses;
    const bool old = std::any_of(known.begin(), known.end(), [&](const HostPort& k) { return k.host == address.host && k.port == address.port; });
    if (!old && known.size() < 32) known.push_back(address);
  }
}

void Trunks::keepAlive(const Trunk& trunk) {
  const std::string target = trunkUri(trunk.settings, "");
  const pj_str_t uri = pjText(target);
  pjsip_tx_data* request = nullptr;
  if (pjsua_acc_create_request(trunk.account, pjsip_get_options_method(), &uri, &request) != PJ_SUCCESS) return;
  void* token = ask(trunk);
  if (pjsip_endpt_send_request(pjsua_get_pjsip_endpt(), request, -1, token, &Trunks::onKeepAlive) != PJ_SUCCESS) forget(token);
}

void* Trunks::ask(const Trunk& trunk) {
  std::lock_guard lock(mutex_);
  asked_[++lastAsked_] = trunk.settings.id;
  return reinterpret_cast<void*>(lastAsked_);
}

Trunks::Trunk* Trunks::answered(void* token) {
  const auto question = asked_.find(reinterpret_cast<uintptr_t>(token));
  if (question == asked_.end()) return nullptr;
  const auto at = trunks_.find(question->second);
  asked_.erase(question);
  return at == trunks_.end() ? nullptr : &at->second;
}

void Trunks::forget(void* token) {
  std::lock_guard lock(mutex_);
  asked_.erase(reinterpret_cast<uintptr_t>(token));
}

void Trunks::onKeepAlive(void* token, pjsip_event* event) {
  std::lock_guard lock(only->mutex_);
  Trunk* found = only->answered(token);
  if (found == nullptr) return;
  Trunk& trunk = *found;
  // A question takes 32 s to fail; one asked later may have been answered meanwhile.
  const auto number = reinterpret_cast<uintptr_t>(token);
  if (number < trunk.lastAnswered) return;
  trunk.lastAnswered = number;
  // Any answer from the far end, even a refusal, says that it is there.
  trunk.reachable = event->type == PJSIP_EVENT_TSX_STATE && event->body.tsx_state.type == PJSIP_EVENT_RX_MSG;
  trunk.asked = true;
  trunk.code = event->type == PJSIP_EVENT_TSX_STATE ? event->body.tsx_state.tsx->status_code : 0;
  trunk.reason = trunk.reachable ? "" : "no answer to OPTIONS";
  only->publish(trunk);
}

void Trunks::heard(const std::string& id, int64_t now) {
  std::lock_guard lock(mutex_);
  const auto at = trunks_.find(id);
  if (at == trunks_.end()) return;
  Trunk& trunk = at->second;
  trunk.nextKeepAlive = now + int64_t{trunk.settings.keepAliveSeconds} * 1000;
  trunk.lastAnswered = lastAsked_ + 1;  // what was asked before does not count any more
  if (trunk.asked && trunk.reachable) return;
  trunk.asked = trunk.reachable = true;
  trunk.reason.clear();
  publish(trunk);
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

std::string Trunks::byAddress(const std::string& ip, unsigned port) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, trunk] : trunks_) {
    for (const HostPort& address : trunk.addresses) {
      if (address.host == ip && address.port == port) return id;
    }
  }
  return "";
}

std::string Trunks::byIp(const std::string& ip) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, trunk] : trunks_) {
    if (anyContains(trunk.settings.allow, ip)) return id;
    for (const HostPort& address : trunk.addresses) {
      if (address.host == ip) return id;
    }
  }
  return "";
}

}  // namespace pbx

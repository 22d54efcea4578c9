// The registration of a trunk's account, and when a refused one is tried again.
#include "trunks.h"

#include <pjsua-lib/pjsua_internal.h>

#include <algorithm>
#include <random>

#include "now.h"
#include "reply.h"

namespace pbx {

namespace {

// Faults that pass by themselves, such as an outage, are retried soon; with a wrong password, providers ban a client that
// insists.
constexpr int64_t soonMs = 5'000, mostMs = 5 * 60'000;
constexpr int64_t refusedMs = 60'000, mostRefusedMs = 30 * 60'000;
constexpr int64_t reconnectMs = 1'000;
constexpr int64_t silenceMs = 4'000;  // PJSIP would repeat a REGISTER for 32 s
constexpr int64_t mostWaitMs = 3600'000;  // of what a far end may order

int64_t retryAfterMs(const pjsip_rx_data* answer) {
  if (answer == nullptr) return 0;
  auto* header = static_cast<pjsip_retry_after_hdr*>(pjsip_msg_find_hdr(answer->msg_info.msg, PJSIP_H_RETRY_AFTER, nullptr));
  return header == nullptr || header->ivalue < 0 ? 0 : int64_t{header->ivalue} * 1000;
}

// Boxes that lost the same provider do not come back in the same moment.
int64_t spread(int64_t ms) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  return ms + static_cast<int64_t>(static_cast<double>(ms) * std::uniform_real_distribution<double>(0, 0.1)(random));
}

// Whether an answer to a REGISTER of the account is awaited.
bool isRegistering(pjsua_acc_id account) {
  PJSUA_LOCK();
  pjsip_regc* session = pjsua_var.acc[account].valid ? pjsua_var.acc[account].regc : nullptr;
  pjsip_regc_info info{};
  const bool busy = session != nullptr && pjsip_regc_get_info(session, &info) == PJ_SUCCESS && info.is_busy;
  PJSUA_UNLOCK();
  return busy;
}

// PJSIP registers nothing else while a request of the session is under way. The session is deleted when that request has
// ended, without a callback.
void abandonRegistration(pjsua_acc_id account) {
  PJSUA_LOCK();
  pjsua_acc& of = pjsua_var.acc[account];
  if (of.regc != nullptr) pjsip_regc_destroy2(of.regc, PJ_TRUE);
  of.regc = nullptr;
  of.contact.slen = 0;
  of.reg_mapped_addr.slen = 0;
  PJSUA_UNLOCK();
}

}  // namespace

// mutex_ held. The server that said nothing comes last for a while; how many there are.
size_t Trunks::passOver(const Trunk& trunk) {
  const HostPort at = trunk.settings.nextHop();
  const size_t servers = resolver_.known(at.host, at.port, trunk.settings.transport).size();
  const std::string& asked = trunk.registrar;
  if (servers > 1) resolver_.penalise(!asked.empty() ? asked : resolver_.next(at.host, at.port, trunk.settings.transport));
  return servers;
}

// A server from which nothing comes is not waited for while there is another one.
void Trunks::watchRegistrations(int64_t now) {
  std::vector<std::pair<std::string, pjsua_acc_id>> accounts;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, trunk] : trunks_) {
      if (trunk.settings.registers && trunk.account != PJSUA_INVALID_ID) accounts.emplace_back(id, trunk.account);
    }
  }
  for (const auto& [id, account] : accounts) {
    const bool busy = isRegistering(account);
    {
      std::lock_guard lock(mutex_);
      const auto found = trunks_.find(id);
      if (found == trunks_.end() || found->second.account != account) continue;
      Trunk& trunk = found->second;
      if (!busy) {
        trunk.registeringSince = 0;
        trunk.registrar.clear();
        continue;
      }
      if (trunk.registeringSince == 0) trunk.registeringSince = now;
      const HostPort at = trunk.settings.nextHop();
      if (trunk.registrar.empty()) trunk.registrar = resolver_.next(at.host, at.port, trunk.settings.transport);
      if (now - trunk.registeringSince < silenceMs || trunk.refusals + 1 >= resolver_.known(at.host, at.port, trunk.settings.transport).size()) continue;
      trunk.refusals++;
      passOver(trunk);
      trunk.registeringSince = 0;
      trunk.registrar.clear();
      trunk.nextRegister = now;
    }
    abandonRegistration(account);
  }
}

void Trunks::onRegistration(pjsua_acc_id account, const pjsua_reg_info& info) {
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    if (trunk.account != account || !trunk.settings.registers) continue;
    const pjsip_regc_cbparam& result = *info.cbparam;
    trunk.registrationCode = result.code;
    trunk.registrationReason = result.status == PJ_SUCCESS ? text(result.reason) : errorText(result.status);
    trunk.nextRegister = 0;
    if (result.status == PJ_SUCCESS && result.code / 100 == 2) {
      trunk.registration = info.renew ? "registered" : "unknown";
      trunk.registrationReason.clear();
      trunk.refusals = 0;
      trunk.acceptedBy = sourceIp(result.rdata);
      trunk.from = own_.towards(trunk.acceptedBy);
    } else {
      // An answer is an answer, whatever it says.
      const bool answered = result.rdata != nullptr;
      const bool credentials = answered && (result.code == 401 || result.code == 403 || result.code == 404 || result.code == 407);
      trunk.registration = answered ? "refused" : "unreachable";
      const unsigned doublings = std::min(trunk.refusals++, 12u);
      const int64_t pause = spread(std::min((credentials ? refusedMs : soonMs) << doublings, credentials ? mostRefusedMs : mostMs));
      // The other servers of the name are asked without a pause, each once.
      const bool next = !answered && trunk.refusals < passOver(trunk);
      trunk.retryMs = next ? spread(reconnectMs) : std::max(pause, std::min(retryAfterMs(result.rdata), mostWaitMs));
      trunk.nextRegister = steadyMs() + trunk.retryMs;
    }
    publish(trunk);
  }
}

void Trunks::connectionClosed(const HostPort& far) {
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    // Where the registration does not stand, its own pauses count.
    if (!trunk.settings.registers || trunk.settings.transport == "udp" || trunk.registration != "registered") continue;
    const bool there = std::any_of(trunk.addresses.begin(), trunk.addresses.end(), [&](const HostPort& at) { return at.host == far.host && at.port == far.port; });
    if (there) trunk.nextRegister = steadyMs() + spread(reconnectMs);
  }
}

size_t Trunks::networkChanged(bool names, int64_t now) {
  std::lock_guard lock(mutex_);
  size_t count = 0;
  for (auto& [id, trunk] : trunks_) {
    const std::string from = trunk.acceptedBy.empty() ? "" : own_.towards(trunk.acceptedBy);
    // Where no way leads there now, the next change will say.
    const bool moved = !from.empty() && from != trunk.from;
    if (moved || names || !trunk.reachable) {
      trunk.nextKeepAlive = trunk.nextResolve = 0;
      trunk.silent.clear();
    }
    if (!trunk.settings.registers || !(moved || names || trunk.registration == "unreachable")) continue;
    trunk.nextRegister = now;
    count++;
  }
  return count;
}

void Trunks::registerNow(pjsua_acc_id account) {
  // A registration from the address that was ours may still wait for its answer.
  if (pjsua_acc_set_registration(account, PJ_TRUE) != PJSIP_EBUSY) return;
  std::lock_guard lock(mutex_);
  for (auto& [id, trunk] : trunks_) {
    if (trunk.account == account) trunk.nextRegister = steadyMs() + reconnectMs;
  }
}

std::vector<pjsua_acc_id> Trunks::dueRegistrations(int64_t now) {
  std::vector<pjsua_acc_id> due;
  for (auto& [id, trunk] : trunks_) {
    if (trunk.account == PJSUA_INVALID_ID || trunk.nextRegister == 0 || now < trunk.nextRegister) continue;
    trunk.nextRegister = 0;
    due.push_back(trunk.account);
  }
  return due;
}

}  // namespace pbx

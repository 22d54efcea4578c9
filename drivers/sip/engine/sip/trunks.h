// Trunks: an account each (registration, credentials, outbound proxy), the addresses their requests come from, and their
// state by registration and OPTIONS keep-alive (event `trunk`).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "endpoint.h"
#include "events.h"
#include "pj.h"
#include "settings.h"

namespace pbx {

class Trunks {
 public:
  Trunks(Events& events, Endpoint& endpoint);

  // Adds, changes and removes accounts; a trunk that is as it was is left alone, its calls always are.
  void configure(const Settings& settings);
  // A transport has come up: every trunk is asked, and registered, at once.
  void askAgain();
  // Keep-alive, resolution of names, deletion of accounts whose last call is over. Every 250 ms.
  void sweep(int64_t now);

  pjsua_acc_id account(const std::string& id) const;
  std::string byAccount(pjsua_acc_id account) const;
  // The trunk whose server has exactly this ip:port, "" for none.
  std::string byAddress(const std::string& ip, unsigned port) const;
  // The trunk whose server has this address or whose `allow` names it, "" for none.
  std::string byIp(const std::string& ip) const;

  void onRegistration(pjsua_acc_id account, const pjsua_reg_info& info);
  // A request came from the trunk: it is there, and need not be asked for a while.
  void heard(const std::string& id, int64_t now);

 private:
  struct Trunk {
    TrunkSettings settings;
    pjsua_acc_id account = PJSUA_INVALID_ID;
    std::vector<HostPort> addresses;
    int64_t nextKeepAlive = 0, nextResolve = 0, nextRegister = 0;
    bool reachable = true, asked = false;
    uintptr_t lastAnswered = 0;  // the newest keep-alive whose outcome is known
    std::string registration, state, reason;
    int code = 0, registrationCode = 0;
    std::string registrationReason;
  };
  bool open(Trunk& trunk, const Settings& settings);
  void resolve(const Trunk& trunk);
  void keepAlive(const Trunk& trunk);
  void publish(Trunk& trunk);
  // A question asked of PJSIP: the number stands for the trunk while the answer is awaited. PJSIP may give the answer, or
  // report a failure, or do both.
  void* ask(const Trunk& trunk);
  Trunk* answered(void* token);
  void forget(void* token);
  static void onResolved(pj_status_t status, void* token, const pjsip_server_addresses* addresses);
  static void onKeepAlive(void* token, pjsip_event* event);

  Events& events_;
  Endpoint& endpoint_;
  mutable std::mutex mutex_;
  std::map<std::string, Trunk> trunks_;
  std::map<uintptr_t, std::string> asked_;
  uintptr_t lastAsked_ = 0;
  std::vector<pjsua_acc_id> retired_;
};

// "sip:server" with the transport parameter the trunk needs; `user` may be empty.
std::string trunkUri(const TrunkSettings& trunk, const std::string& user);

}  // namespace pbx

// Trunks: an account each (registration, credentials, outbound proxy), the addresses their requests come from, and their
// state by registration and OPTIONS keep-alive (event `trunk`).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "../media/source_rule.h"
#include "endpoint.h"
#include "events.h"
#include "own_addresses.h"
#include "pj.h"
#include "resolver.h"
#include "settings.h"

namespace pbx {

class Trunks {
 public:
  Trunks(Events& events, Endpoint& endpoint, Resolver& resolver, const OwnAddresses& own);

  // Adds, changes and removes accounts; a trunk that is as it was is left alone, its calls always are.
  void configure(const Settings& settings);
  // Reports the state of every trunk, for a daemon that knows of none.
  void tellAll();
  // A transport has come up: every trunk is asked, and registered, at once.
  void askAgain();
  // Keep-alive, resolution of names, deletion of accounts whose last call has ended. Every 250 ms.
  void sweep(int64_t now);

  pjsua_acc_id account(const std::string& id) const;
  std::string byAccount(pjsua_acc_id account) const;
  // The trunk whose server has exactly this ip:port, "" for none.
  std::string byAddress(const std::string& ip, unsigned port) const;
  // The trunk whose server has this address or whose `allow` names it, "" for none.
  std::string byIp(const std::string& ip) const;
  // Whose call a request from this address is: the account's whose marked contact it was sent to, the only one whose server has this very port;
  // among several the one whose username it is sent to, or whose it says that it is and has to prove, the one that has the number,
  // else `otherwise`.
  std::string calledBy(const pjsip_rx_data* request, const HostPort& from, const std::string& otherwise) const;

  // What `allow` and the server's addresses come to: media of the trunk's calls may be learnt from there.
  std::vector<IpRange> ranges(const std::string& id) const;

  // The routes of the network have changed, or the name servers: a trunk that registered from an address that is not ours
  // towards that server any more, or by another name server's answer, registers again. How many do.
  size_t networkChanged(bool names, int64_t now);
  // A connection that we opened has ended: trunks registered over it register again.
  void connectionClosed(const HostPort& far);
  void onRegistration(pjsua_acc_id account, const pjsua_reg_info& info);
  // A request came from the trunk: it is there, and need not be asked for a while. `now`: steady, as below.
  void heard(const std::string& id, int64_t now);
  // A call found nobody there: it is asked at once.
  void doubt(const std::string& id);

  // The certificate of the server under that name and port was looked at; `fault` "": it is good.
  void tlsChecked(const HostPort& reached, const std::string& fault);

 private:
  struct Trunk {
    TrunkSettings settings;
    pjsua_acc_id account = PJSUA_INVALID_ID;
    std::vector<HostPort> addresses;
    // Steady; 0: at once, but for nextRegister: not at all, since PJSIP renews what stands.
    int64_t nextKeepAlive = 0, nextResolve = 0, nextRegister = 0, heardAt = 0;
    bool reachable = true, asked = false;
    std::set<std::string> silent;  // servers that have not answered the last questions
    std::string registration, reason, told;
    int code = 0, registrationCode = 0;
    std::string registrationReason;
    unsigned refusals = 0;  // of registrations, one after the other
    int64_t registeringSince = 0;  // steady; 0: no answer is awaited
    std::string registrar;         // ip:port that is to answer; "": not known yet
    int64_t retryMs = 0;    // the pause before the next one
    std::string tlsFault;  // why its server is not trusted
    // the server that accepted the registration, and our address towards it then; IP addresses
    std::string acceptedBy, from;
  };
  bool open(Trunk& trunk, const Settings& settings);
  void reopen(const Trunk& trunk, const Settings& settings);
  void resolve(const Trunk& trunk);
  void learn(const Resolver::Question& question, const std::vector<Target>& targets);
  void keepAlive(const Trunk& trunk);
  void watchRegistrations(int64_t now);
  void askServer(const TrunkSettings& settings, pjsua_acc_id account, const std::string& host, const Target& server);
  static void onKeepAlive(void* token, pjsip_event* event);
  // With mutex_ held.
  void publish(Trunk& trunk);
  size_t passOver(const Trunk& trunk);
  void judge(Trunk& trunk, bool there, int code, const std::string& reason);
  void dueAnswers(int64_t now);
  std::vector<pjsua_acc_id> dueRegistrations(int64_t now);
  // Without mutex_.
  void registerNow(pjsua_acc_id account);

  // A question asked of PJSIP: a number stands for it while the answer is awaited.
  struct Question {
    std::string trunk, server;
    int64_t askedAt = 0, until = 0;
  };
  static constexpr int64_t doubtEveryMs = 5000;  // a trunk that is not there is asked for
  static Trunks* only_;  // there is one in a process; PJSIP's callbacks carry a number alone
  Events& events_;
  Endpoint& endpoint_;
  Resolver& resolver_;
  const OwnAddresses& own_;
  mutable std::mutex mutex_;
  std::map<std::string, Trunk> trunks_;
  std::string outside_;  // how we are seen from outside, as settings say
  std::map<uintptr_t, Question> asked_;
  uintptr_t lastAsked_ = 0;
  std::vector<pjsua_acc_id> retired_;
};

}  // namespace pbx

// The registrar of our extensions (RFC 3261 section 10): digest first, the very same 403 for an unknown user and a wrong
// password, bindings with the address the request came from. Reports every change to the daemon (event `registration`).
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bans.h"
#include "digest.h"
#include "events.h"
#include "legs.h"
#include "pj.h"
#include "rates.h"
#include "settings.h"

namespace pbx {

class Registrar {
 public:
  Registrar(Events& events, CurrentSettings& settings, Digest& digest, Bans& bans, const Legs& legs) : events_(events), settings_(settings), digest_(digest), bans_(bans), legs_(legs) {}

  // Bindings of an earlier engine process come with `configure`; those of removed extensions go.
  void configure(const Settings& settings);
  void onRegister(pjsip_rx_data* request);
  // Verifies a phone's digest; answers 400, 401, 403 or not at all and returns "" when it does not hold, else the extension's
  // number. What anybody can forge gets a challenge and leaves nothing behind; a rate of its own, and failures, has only a
  // source that answers a nonce of ours.
  // `repeated`: it was served already, by a copy of it.
  std::string authenticate(pjsip_rx_data* request) {
    bool repeated = false;
    return authenticate(request, repeated);
  }

  bool hasLiveIp(const std::string& ip) const;
  bool hasLiveAddress(const std::string& address) const;
  // Newest first; empty when nothing is registered.
  std::vector<Contact> contacts(const std::string& extension) const;
  // A connection from this ip:port has ended: the phone that registered over it is gone until it comes again.
  void connectionClosed(const std::string& address);
  void sweep(int64_t now, int64_t steady);

 private:
  struct Binding {
    Contact contact;
    std::string callId;
    int cseq = 0;
    bool is(const Contact& other) const;
  };
  void report(const std::string& extension, const std::vector<Binding>& bindings, const std::string& userAgent);
  std::string authenticate(pjsip_rx_data* request, bool& repeated);
  // What is bound then, which is yet to be answered; nothing where the request was refused.
  std::optional<std::vector<Binding>> apply(pjsip_rx_data* request, const std::string& extension);
  // The calls of a phone that moved go to where this request of it came from.
  void moveCalls(const pjsip_rx_data* request, const std::string& extension, const std::vector<std::string>& before) const;
  std::vector<std::string> addressesOf(const std::string& extension) const;
  // The bindings of the extension as they stand, which no copy of a request changes.
  void answerAgain(pjsip_rx_data* request, const std::string& extension);
  void answerBindings(pjsip_rx_data* request, const std::vector<Binding>& bindings, int64_t now) const;
  void answerChallenge(pjsip_rx_data* request, const Settings& settings, bool stale);

  Events& events_;
  CurrentSettings& settings_;
  Digest& digest_;
  Bans& bans_;
  const Legs& legs_;
  // A challenge costs as little as refusing it would. The limit is far above what all phones of a site ask for at once; beyond
  // it the box would only be reflecting.
  SharedRate challenges_{10'000, 20'000};
  Rates proven_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Binding>> bindings_;  // newest first
};

}  // namespace pbx

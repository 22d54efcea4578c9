// The registrar of our extensions (RFC 3261 section 10): digest first, the very same 403 for an unknown user and a wrong
// password, bindings with the address the request came from. Tells the daemon every change (event `registration`).
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bans.h"
#include "digest.h"
#include "events.h"
#include "pj.h"
#include "settings.h"

namespace pbx {

int64_t nowMs();  // since 1970

class Registrar {
 public:
  Registrar(Events& events, CurrentSettings& settings, Digest& digest, Bans& bans) : events_(events), settings_(settings), digest_(digest), bans_(bans) {}

  // Bindings of an earlier engine process come with `configure`; those of removed extensions go.
  void configure(const Settings& settings);
  void onRegister(pjsip_rx_data* request);
  // Verifies a phone's digest; answers 401 or 403 and returns "" when it does not hold, else the extension's number.
  std::string authenticate(pjsip_rx_data* request);

  bool hasLiveIp(const std::string& ip) const;
  bool hasLiveAddress(const std::string& address) const;
  // Newest first; empty when nothing is registered.
  std::vector<Contact> contacts(const std::string& extension) const;
  void sweep(int64_t now);

 private:
  struct Binding {
    Contact contact;
    std::string callId;
    int cseq = 0;
  };
  void report(const std::string& extension, const std::vector<Binding>& bindings, const std::string& userAgent);
  void apply(pjsip_rx_data* request, const std::string& extension);

  Events& events_;
  CurrentSettings& settings_;
  Digest& digest_;
  Bans& bans_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Binding>> bindings_;  // newest first
};

}  // namespace pbx

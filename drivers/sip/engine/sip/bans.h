// Counts failed authentications per source and shuts out sources that guess (protocol events `banned` and `bans`). A failure is a
// wrong answer to a nonce of our own, which only who receives our answers can give: a forged address bans nobody.
// Behind an address where phones of the house are registered, one that guesses, or has a wrong password, is shut out under its username alone:
// all others there are the clinic's. What succeeds under another name forgives it nothing.
// Times are of the steady clock. A source is an IPv4 address or an IPv6 network of 64 bits, which a single customer has whole.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "recent_table.h"
#include "settings.h"

namespace pbx {

struct Ban {
  unsigned seconds = 0, failures = 0;
};

// A ban in force; `seconds` are left.
struct StandingBan {
  std::string source;
  unsigned seconds = 0, failures = 0;
};

class Bans {
 public:
  // A wrong answer from `ip` under that username; the ban when this failure caused one. 5 in 30 s as configured, and 20 in 5 minutes.
  // `house`: phones are registered from there; the ban is of the username then, and of the source where 20 in 5 minutes are of several,
  // of which none counts for more than 5.
  std::optional<Ban> failed(const std::string& ip, const BanSettings& limits, int64_t steadyMs, const std::string& user = "", bool house = false);
  void succeeded(const std::string& ip, const std::string& user);
  // True for the source, and for the user name `user` from that source.
  bool banned(const std::string& ip, int64_t steadyMs, const std::string& user = "");
  std::vector<StandingBan> list(int64_t steadyMs);
  // Ends the ban of an address (or of a source as listed) and forgets its failures; false: it was not banned.
  bool lift(const std::string& address, int64_t steadyMs);
  void sweep(int64_t steadyMs);

 private:
  struct Failure {
    int64_t at = 0;
    std::string user;
  };
  struct Source {
    std::deque<Failure> failures;
    std::map<std::string, int64_t> usersUntil;  // usernames that are shut out
    int64_t bannedUntil = 0, lastBanEnd = 0;
    unsigned bans = 0, bannedFor = 0;
  };
  static int64_t endOf(const Source& source);
  static constexpr size_t mostSources = 20000;
  std::mutex mutex_;
  RecentTable<Source> sources_{mostSources};
};

}  // namespace pbx

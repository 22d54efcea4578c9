// Counts failed authentications per source and shuts out sources that guess (protocol events `banned` and `bans`). A failure is a
// wrong answer to a nonce of our own, which only who receives our answers can give: a forged address bans nobody.
// Times are of the steady clock. A source is an IPv4 address or an IPv6 network of 64 bits, which a single customer has whole.
#pragma once
#include <cstdint>
#include <deque>
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
  // A wrong answer from `ip`; the ban when this failure caused one. 5 in 30 s as configured, and 20 in 5 minutes.
  std::optional<Ban> failed(const std::string& ip, const BanSettings& limits, int64_t steadyMs);
  void succeeded(const std::string& ip);
  bool banned(const std::string& ip, int64_t steadyMs);
  std::vector<StandingBan> list(int64_t steadyMs);
  // Ends the ban of an address (or of a source as listed) and forgets its failures; false: it was not banned.
  bool lift(const std::string& address, int64_t steadyMs);
  void sweep(int64_t steadyMs);

 private:
  struct Source {
    std::deque<int64_t> failures;
    int64_t bannedUntil = 0, lastBanEnd = 0;
    unsigned bans = 0, bannedFor = 0;
  };
  static constexpr size_t mostSources = 20000;
  std::mutex mutex_;
  RecentTable<Source> sources_{mostSources};
};

}  // namespace pbx

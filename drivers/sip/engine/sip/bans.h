// Counts failed authentications per source address and shuts out addresses that guess (protocol event `banned`).
// Rates are token buckets per address. Addresses that cost nothing to invent must not cost memory: tables are bounded.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "settings.h"

namespace pbx {

struct Ban {
  unsigned seconds = 0, failures = 0;
};

class Bans {
 public:
  // A wrong digest from `ip`; the ban when this failure caused one. 5 in 30 s as configured, and 20 in 5 minutes.
  std::optional<Ban> failed(const std::string& ip, const BanSettings& limits, int64_t nowMs);
  void succeeded(const std::string& ip);
  bool banned(const std::string& ip, int64_t nowMs);
  // false: `ip` sent more than `burst` requests at more than `perSecond`.
  bool withinRate(const std::string& ip, double perSecond, double burst, int64_t nowMs);
  void sweep(int64_t nowMs);

 private:
  struct Source {
    std::deque<int64_t> failures;
    int64_t bannedUntil = 0, lastBanEnd = 0;
    unsigned bans = 0;
  };
  struct Bucket {
    double tokens = 0;
    int64_t at = 0;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Source> sources_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace pbx

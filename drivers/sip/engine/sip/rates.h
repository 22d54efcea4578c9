// How many requests a source may send: a token bucket each, in a bounded table. Whose bucket is worth something must not share
// a table with those that anybody can fill by forging addresses. Times are of the steady clock.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>

#include "recent_table.h"

namespace pbx {

// `burst` at once, `perSecond` in the long run.
class Bucket {
 public:
  bool take(double perSecond, double burst, int64_t steadyMs);
  int64_t usedAt() const { return at_; }

 private:
  double tokens_ = 0;
  int64_t at_ = INT64_MIN;  // never: full
};

class Rates {
 public:
  // false: `key` asked for more.
  bool within(const std::string& key, double perSecond, double burst, int64_t steadyMs);
  void sweep(int64_t steadyMs);

 private:
  static constexpr size_t mostSources = 20000;
  std::mutex mutex_;
  RecentTable<Bucket> buckets_{mostSources};
};

// The rate of everybody together.
class SharedRate {
 public:
  SharedRate(double perSecond, double burst) : perSecond_(perSecond), burst_(burst) {}
  bool within(int64_t steadyMs) {
    std::lock_guard lock(mutex_);
    return bucket_.take(perSecond_, burst_, steadyMs);
  }

 private:
  double perSecond_, burst_;
  std::mutex mutex_;
  Bucket bucket_;
};

}  // namespace pbx

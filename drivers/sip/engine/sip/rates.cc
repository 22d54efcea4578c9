#include "rates.h"

#include <algorithm>

namespace pbx {

bool Bucket::take(double perSecond, double burst, int64_t now) {
  tokens_ = at_ == INT64_MIN ? burst : std::min(burst, tokens_ + static_cast<double>(now - at_) / 1000.0 * perSecond);
  at_ = now;
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

bool Rates::within(const std::string& key, double perSecond, double burst, int64_t now) {
  std::lock_guard lock(mutex_);
  return buckets_.touch(key).take(perSecond, burst, now);
}

void Rates::sweep(int64_t now) {
  std::lock_guard lock(mutex_);
  buckets_.eraseIf([&](const Bucket& bucket) { return bucket.usedAt() <= now - 60'000; });
}

}  // namespace pbx

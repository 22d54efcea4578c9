#include "rtp_ports.h"

#include <algorithm>
#include <random>

namespace pbx {

void RtpPorts::open(unsigned first, unsigned last) {
  std::lock_guard lock(mutex_);
  free_.clear();
  taken_.clear();
  for (unsigned port = first + first % 2; port + 1 <= last; port += 2) free_.push_back(static_cast<uint16_t>(port));
  std::random_device random;
  std::shuffle(free_.begin(), free_.end(), random);
  size_ = static_cast<unsigned>(free_.size());
}

uint16_t RtpPorts::next(uint16_t failed) {
  std::lock_guard lock(mutex_);
  free(failed);
  // When every port counts as taken, all are offered again: one that really is in use fails when it is tried.
  if (free_.empty()) {
    free_.assign(taken_.begin(), taken_.end());
    taken_.clear();
  }
  if (free_.empty()) return 0;
  const uint16_t port = free_.front();
  free_.pop_front();
  taken_.insert(port);
  return port;
}

void RtpPorts::release(uint16_t port) {
  std::lock_guard lock(mutex_);
  free(port);
}

void RtpPorts::free(uint16_t port) {
  if (taken_.erase(port) != 0) free_.push_back(port);
}

}  // namespace pbx

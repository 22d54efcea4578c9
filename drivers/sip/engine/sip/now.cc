#include "now.h"

#include <sys/time.h>

#include <chrono>

namespace pbx {

int64_t nowMs() {
  timeval now;
  gettimeofday(&now, nullptr);
  return int64_t{now.tv_sec} * 1000 + now.tv_usec / 1000;
}

int64_t steadyMs() {
  using std::chrono::steady_clock;
  static const int64_t wall = nowMs();
  static const auto began = steady_clock::now();
  return wall + std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began).count();
}

}  // namespace pbx

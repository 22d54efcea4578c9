#include "clock.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

namespace pbx {

namespace {

constexpr int64_t periodNs = 20'000'000;
// Up to here missed ticks are made up for (the far ends' jitter buffers take it); beyond, a burst would only be thrown
// away by the far ends, so the clock starts anew from now.
constexpr int64_t resyncNs = 100'000'000;
constexpr int priority = 20;

int64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// "" when the thread got SCHED_FIFO.
std::string raise(pthread_t thread) {
  rlimit limit{};
  getrlimit(RLIMIT_RTPRIO, &limit);
  if (limit.rlim_cur < static_cast<rlim_t>(priority) && limit.rlim_max > limit.rlim_cur) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, priority);
    setrlimit(RLIMIT_RTPRIO, &limit);
  }
  sched_param wanted{};
  wanted.sched_priority = priority;
  int error = pthread_setschedparam(thread, SCHED_FIFO, &wanted);
  if (error == EPERM && limit.rlim_cur > 0) {
    wanted.sched_priority = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, priority));
    error = pthread_setschedparam(thread, SCHED_FIFO, &wanted);
  }
  if (error == 0) return "";
  if (error == EPERM) {
    return "the system does not grant this program real-time priority (the limit RTPRIO is " + std::to_string(limit.rlim_max) +
           "); set LimitRTPRIO=20 in the service, or give it the capability CAP_SYS_NICE";
  }
  return std::string("real-time priority was refused: ") + std::strerror(error);
}

}  // namespace

bool TickClock::start(std::function<void()> tick, std::string& why) {
  tick_ = std::move(tick);
  running_ = true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    running_ = false;
    why = std::string("the clock thread could not be started: ") + error.what();
    return false;
  }
  pthread_setname_np(thread_.native_handle(), "media-clock");
  why = raise(thread_.native_handle());
  return true;
}

void TickClock::stop() {
  running_ = false;
  if (thread_.joinable()) thread_.join();
}

void TickClock::run() {
  int64_t due = monotonicNs() + periodNs;
  while (running_) {
    const timespec at{static_cast<time_t>(due / 1'000'000'000), static_cast<long>(due % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
    }
    const int64_t late = monotonicNs() - due;
    note(late);
    if (late > resyncNs) due += late;
    tick_();
    due += periodNs;
  }
}

void TickClock::note(int64_t latenessNs) {
  const auto bucket = std::clamp<int64_t>(latenessNs / 100'000, 0, static_cast<int64_t>(histogram_.size()) - 1);
  std::lock_guard lock(mutex_);
  histogram_[static_cast<size_t>(bucket)]++;
  count_++;
  maxNs_ = std::max(maxNs_, latenessNs);
}

Lateness TickClock::takeLateness() {
  std::lock_guard lock(mutex_);
  Lateness result;
  result.maxMs = static_cast<double>(maxNs_) / 1e6;
  uint32_t above = count_ / 100;  // how many ticks may be later than the 99th percentile
  for (size_t i = histogram_.size(); i-- > 0;) {
    if (histogram_[i] > above) {
      result.p99Ms = std::min(result.maxMs, static_cast<double>(i + 1) / 10);
      break;
    }
    above -= histogram_[i];
  }
  histogram_.fill(0);
  count_ = 0;
  maxNs_ = 0;
  return result;
}

}  // namespace pbx

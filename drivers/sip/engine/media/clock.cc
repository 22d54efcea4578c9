#include "clock.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "priority.h"

namespace pbx {

namespace {

constexpr int64_t periodNs = 20'000'000;
// Off the whole milliseconds: the kernel's own ticks fall there, on every processor at once, and threads that wake then
// start at uneven times.
constexpr int64_t phaseNs = 2'500'000;
// Up to here missed ticks are made up for, which the far ends' jitter buffers can absorb. Beyond it the far ends would only
// throw the burst away, so the clock restarts from now.
constexpr int64_t resyncNs = 100'000'000;

int64_t monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

timespec timeAt(int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

// Only the clock writes; a thread that takes the maximum may come in between.
void raiseTo(std::atomic<int64_t>& most, int64_t value) {
  int64_t seen = most.load(std::memory_order_relaxed);
  while (value > seen && !most.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

TickClock::~TickClock() {
  stop();
  sem_destroy(&nudges_);
}

bool TickClock::start(std::function<void()> tick, std::function<void()> between, std::string& why) {
  tick_ = std::move(tick);
  between_ = std::move(between);
  running_ = true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    running_ = false;
    why = std::string("the clock thread could not be started: ") + error.what();
    return false;
  }
  pthread_setname_np(thread_.native_handle(), "media-clock");
  why = raisePriority(thread_.native_handle(), clockPriority);
  return true;
}

void TickClock::stop() {
  running_ = false;
  if (thread_.joinable()) thread_.join();
}

void TickClock::run() {
  // Always at the same phase: other threads that work at fixed moments then know when this one runs (sip/packet_thread.cc).
  dueNs_ = (monotonicNs() / periodNs + 1) * periodNs + phaseNs;
  while (running_) {
    sleepUntil(dueNs_);
    const int64_t late = monotonicNs() - dueNs_;
    note(late);
    if (late > resyncNs) {
      dueNs_ += late / periodNs * periodNs;
      lost_ += static_cast<uint64_t>(late / periodNs);
    }
    tick_();
    dueNs_ += periodNs;
  }
}

void TickClock::rest(int64_t nsAfterDue) {
  const timespec at = timeAt(dueNs_ + nsAfterDue);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

void TickClock::sleepUntil(int64_t dueNs) {
  const timespec at = timeAt(dueNs);
  for (;;) {
    if (sem_clockwait(&nudges_, CLOCK_MONOTONIC, &at) != 0) {
      if (errno == EINTR) continue;
      return;
    }
    while (sem_trywait(&nudges_) == 0) {
    }
    // A nudge does not wait for a time that has passed: the tick serves it.
    if (monotonicNs() >= dueNs) return;
    between_();
  }
}

void TickClock::note(int64_t latenessNs) {
  const auto bucket = std::clamp<int64_t>(latenessNs / 100'000, 0, static_cast<int64_t>(histogram_.size()) - 1);
  histogram_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  raiseTo(maxNs_, latenessNs);
  raiseTo(ownMaxNs_, latenessNs);
}

double TickClock::takeMaxMs() {
  return static_cast<double>(ownMaxNs_.exchange(0, std::memory_order_relaxed)) / 1e6;
}

Lateness TickClock::takeLateness() {
  Lateness result;
  result.maxMs = static_cast<double>(maxNs_.exchange(0, std::memory_order_relaxed)) / 1e6;
  std::array<uint32_t, 1000> taken{};
  uint32_t count = 0;
  for (size_t i = 0; i < taken.size(); i++) count += taken[i] = histogram_[i].exchange(0, std::memory_order_relaxed);
  uint32_t above = count / 100;  // how many ticks may be later than the 99th percentile
  for (size_t i = taken.size(); i-- > 0;) {
    if (taken[i] > above) {
      result.p99Ms = std::min(result.maxMs, static_cast<double>(i + 1) / 10);
      break;
    }
    above -= taken[i];
  }
  return result;
}

}  // namespace pbx

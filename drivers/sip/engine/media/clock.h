// The 20 ms clock: one thread that calls a function at fixed points of the monotonic clock, with real-time priority
// when the system grants it, and keeps a histogram of how late it was woken.
#pragma once
#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace pbx {

struct Lateness {
  double p99Ms = 0, maxMs = 0;
};

class TickClock {
 public:
  TickClock() { sem_init(&nudges_, 0, 0); }
  ~TickClock();
  // false: the thread could not be started. `why`: why it runs without real-time priority, "" when it has it. `between` runs
  // on the same thread after a nudge.
  bool start(std::function<void()> tick, std::function<void()> between, std::string& why);
  void stop();
  // Something has come that cannot wait for the next tick. Any thread.
  void nudge() { sem_post(&nudges_); }
  // In `tick` alone: returns so long after the tick was due, at once where that has passed or no clock runs.
  void rest(int64_t nsAfterDue);
  // Since the last call; p99 in steps of 0.1 ms. Any thread.
  Lateness takeLateness();
  // The latest tick since the last call of this one.
  double takeMaxMs();
  // Ticks that were left out since the last call of this one, because the clock came too late for them. In `tick` alone.
  uint64_t takeLost() { return std::exchange(lost_, 0); }

 private:
  void run();
  void sleepUntil(int64_t dueNs);
  void note(int64_t latenessNs);

  std::function<void()> tick_, between_;
  sem_t nudges_{};
  std::thread thread_;
  std::atomic<bool> running_{false};
  std::array<std::atomic<uint32_t>, 1000> histogram_{};  // 0.1 ms each; the last one holds everything later
  std::atomic<int64_t> maxNs_{0}, ownMaxNs_{0};
  uint64_t lost_ = 0;
  int64_t dueNs_ = 0;
};

}  // namespace pbx

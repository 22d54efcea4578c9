// Carries the clock's events to their receivers: two rings of plain records that the clock fills, and a thread that reads
// them, calls the real MediaEvents, and frees what the clock no longer needs. The clock allocates no memory and takes no
// lock for it, and never waits.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "../ipc/frame.h"
#include "media.h"
#include "nodes.h"

namespace pbx {

// One writer, one reader. What is written is seen when it is published.
template <typename T, uint32_t size>
class Ring {
 public:
  static_assert((size & (size - 1)) == 0, "a power of two");
  Ring() : records_(std::make_unique_for_overwrite<std::array<T, size>>()) {}
  // The place of the next record, or null when there is none.
  T* reserve() { return written_ - tail_.load(std::memory_order_acquire) == size ? nullptr : &(*records_)[written_++ % size]; }
  bool publish() {
    const bool news = head_.load(std::memory_order_relaxed) != written_;
    head_.store(written_, std::memory_order_release);
    return news;
  }
  const T* first() const {
    const uint32_t tail = tail_.load(std::memory_order_relaxed);
    return head_.load(std::memory_order_acquire) == tail ? nullptr : &(*records_)[tail % size];
  }
  void drop() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::unique_ptr<std::array<T, size>> records_;
  uint32_t written_ = 0;  // the writer's own
  std::atomic<uint32_t> head_{0}, tail_{0};
};

// Something to be done once by the thread that delivers, after the tick.
struct Once : Node {
  explicit Once(std::function<void()> work) : work(std::move(work)) {}
  std::function<void()> work;
};

class EventRing {
 public:
  explicit EventRing(NodeStack& discards) : discards_(discards) {}
  ~EventRing() { stop(); }
  // `threaded` false: the code that drives the clock delivers.
  void start(MediaEvents& events, bool threaded);
  // Delivers what is left.
  void stop();

  // The clock's side.
  void played(LegId leg, uint32_t play, bool completed, unsigned playedMs) { add({Kind::played, completed, 0, leg, play, playedMs, nullptr}); }
  void firstHeard(LegId leg) { add({Kind::first, false, 0, leg, 0, 0, nullptr}); }
  void voice(LegId leg, bool active) { add({Kind::voice, active, 0, leg, 0, 0, nullptr}); }
  void inbandDigit(LegId leg, char digit, unsigned durationMs) { add({Kind::digit, false, digit, leg, 0, durationMs, nullptr}); }
  void faxTone(LegId leg, const char* tone) { add({Kind::tone, false, 0, leg, 0, 0, tone}); }
  void once(std::unique_ptr<Once> work) { once_.push(std::move(work)); }
  // 20 ms of a tapped leg.
  void audio(LegId leg, uint32_t atMs, std::span<const int16_t, 160> samples);
  // 20 ms of a forked leg: 160 samples, or 320 of 16 kHz.
  void forked(LegId leg, uint32_t atMs, bool said, std::span<const int16_t> samples);
  // The tick has ended: its records may be read.
  void publish();

  void deliver();
  // Pieces of 20 ms that found the ring full.
  uint64_t droppedAudio() const { return droppedAudio_.load(std::memory_order_relaxed); }

 private:
  enum class Kind : uint8_t { played, first, voice, digit, tone };
  struct Event {
    Kind kind;
    bool flag;
    char digit;
    LegId leg;
    uint32_t play;
    unsigned ms;
    const char* tone;  // a literal
  };
  struct Tapped {
    uint32_t tick;
    std::array<uint8_t, audioEntryBytes> entry;  // as the protocol has it
  };
  struct Forked {
    uint32_t tick;
    size_t size;
    std::array<uint8_t, forkHeadBytes + 2 * 320> entry;  // as the protocol has it
  };
  void add(const Event& event);
  void deliverAudio();
  void deliverForks();
  void run();

  NodeStack& discards_;
  MediaEvents* events_ = nullptr;
  Ring<Event, 8192> told_;
  Ring<Tapped, 2048> audio_;  // 200 ms of 200 legs
  Ring<Forked, 2048> forks_;  // 300 ms of 32 calls, both ways and at both rates
  NodeStack once_;
  uint32_t tick_ = 0;
  std::atomic<uint64_t> droppedAudio_{0}, droppedEvents_{0};
  std::atomic<uint32_t> wake_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;

  // The delivering thread's own.
  std::vector<uint8_t> frame_;
  uint64_t toldDropped_ = 0;
};

}  // namespace pbx

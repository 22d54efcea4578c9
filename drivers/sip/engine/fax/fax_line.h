// A fax call on a leg. The modems run on a thread of their own and not on the 20 ms clock: spandsp reads and writes the TIFF
// file in the midst of its work, and a disk that stalls must cost this call time, never the other legs their audio. The
// clock only passes samples through two lock-free rings. What is said is made three ticks ahead, so that a late thread does
// not tear the carrier; T.30 bears the 60 ms, and far more.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

#include "../media/media.h"
#include "audio_fax.h"
#include "fax.h"
#include "t38_fax.h"
#include "udptl_socket.h"

namespace pbx {

// Frames of one writer and one reader.
class FrameRing {
 public:
  struct Frame {
    std::array<int16_t, 160> samples;
    bool lost;
  };
  static constexpr uint32_t capacity = 128;  // 2.5 s

  // The slot to write, or null when the ring is full; publish() hands it over.
  Frame* next();
  void publish() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // The oldest frame, or null; drop() gives its slot back.
  const Frame* front() const;
  void drop() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  uint32_t size() const { return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire); }

 private:
  std::array<Frame, capacity> frames_;
  std::atomic<uint32_t> head_{0}, tail_{0};
};

class FaxLine final : public LineModem, FaxEvents {
 public:
  // The events come from the thread of this call; `ended` when the last sound had the time to leave.
  FaxLine(FaxOrder order, std::unique_ptr<FaxEvents> events);
  ~FaxLine() override;

  // false: no thread could be started.
  bool start();
  // Clock thread.
  void exchange(std::span<const int16_t> heard, bool lost, std::span<int16_t> said) override;
  // Ends it with DCN, code 7.
  void stop() { order(stopWanted_); }
  // The call is gone, code 49. `why`: who ended it, as FaxEnd::text says it; "" leaves spandsp's words.
  void drop(const std::string& why = "");
  // The call has changed to T.38: the session restarts over this socket. Does nothing once pages are on the wire.
  void changeToT38(std::shared_ptr<UdptlSocket> socket, const T38Terms& terms);
  // The transport may be changed: it is wanted, and no page has begun.
  bool mayChange() const { return order_.t38 && !trained_ && !stopWanted_ && !dropWanted_; }
  bool overT38() const { return t38_; }
  // The thread has not heard yet all that was said to it.
  bool behind() const { return heard_.size() > 0; }
  // The thread has done its last.
  bool finished() const { return finished_; }

 private:
  void order(std::atomic<bool>& flag);
  void run();
  void turn();
  void change();
  void progress(FaxPhase phase, const FaxState& state) override;
  void frame(const FaxFrame& frame) override { events_->frame(frame); }
  void ended(const FaxEnd& end) override { end_ = end; }

  const FaxOrder order_;
  std::unique_ptr<FaxEvents> events_;
  std::unique_ptr<FaxFrontEnd> fax_;
  FaxEnd end_;
  FrameRing heard_, said_;
  std::counting_semaphore<> wake_{0};
  std::atomic<bool> stopWanted_{false}, dropWanted_{false}, changeWanted_{false}, finished_{false};
  std::atomic<bool> trained_{false}, t38_{false};
  std::mutex mutex_;  // of these three, until the thread has taken them
  std::string dropText_;
  std::shared_ptr<UdptlSocket> socket_;
  T38Terms terms_;
  T38Fax* packets_ = nullptr;  // fax_, when it is one
  uint64_t ticks_ = 0;
  std::thread thread_;
};

}  // namespace pbx

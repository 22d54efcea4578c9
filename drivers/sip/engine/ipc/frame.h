// The link between pbx-engine and pbxd: length-prefixed frames over a stream socket (see PROTOCOL.md, "Frames").
// One thread reads, one thread writes; sending only queues, so that no caller waits for the other program unless it asks to (`handOver`).
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "priority_mutex.h"

namespace pbx {

enum class FrameKind : uint8_t { message = 1, clip = 2, audio = 3, pcm = 4, fork = 5 };

inline constexpr size_t maxFrameBytes = 16u << 20;      // the value of the length field: kind + payload
inline constexpr size_t audioEntryBytes = 8 + 2 * 160;  // of a leg in an audio frame
inline constexpr size_t forkHeadBytes = 12;             // of a piece in a fork frame, before its samples
inline constexpr size_t maxQueuedAudioBytes = 2u << 20;  // 0.6 s of 200 tapped legs: the reader is stuck

uint32_t readU32(const uint8_t* at);
void writeU32(uint8_t* at, uint32_t value);
// Copies little-endian s16 samples out of a payload; an odd last byte is ignored.
std::vector<int16_t> readPcm(std::span<const uint8_t> bytes);

class Link {
 public:
  // One frame from the daemon (message, clip or pcm); `payload` is valid during the call only. clip and pcm payloads
  // have their numbers and whole samples; that a message is a JSON object is the receiver's to check.
  // false: the frame breaks the protocol, the connection ends.
  using OnFrame = std::function<bool(FrameKind kind, std::span<const uint8_t> payload)>;
  // The last callback, once: "" for a plain end of file, else what went wrong. Not called after stop() was called.
  using OnEnd = std::function<void(const std::string& why)>;

  // Takes the descriptor over (a stream socket).
  explicit Link(int fd);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Starts both threads. The callbacks run on the reader thread.
  void start(OnFrame onFrame, OnEnd onEnd);
  // Writes what is queued for at most `drain`, then ends both threads and closes the descriptor. Not from a callback.
  void stop(std::chrono::milliseconds drain = std::chrono::milliseconds(500));

  // Queues a frame; any thread, also before start(). Audio is dropped and counted when too much of it waits; anything
  // else is never dropped while the link lives. Payloads over the frame limit throw std::length_error.
  void send(FrameKind kind, std::span<const uint8_t> payload);
  // Bytes that are not UTF-8 become U+FFFD.
  void sendMessage(const nlohmann::json& message);
  // Waits until all that was sent before is where the daemon can read it, whatever becomes of this process: for what is acknowledged to
  // somebody else. false: it was not within `atMost`, as the daemon reads nothing.
  bool handOver(std::chrono::milliseconds atMost);

  // 20 ms pieces of legs in the audio frames that were dropped.
  uint64_t droppedAudio() const { return droppedAudio_.load(std::memory_order_relaxed); }

 private:
  struct Frame {
    std::vector<uint8_t> bytes;  // whole: length, kind, payload
    bool audio = false;
  };

  void enqueue(FrameKind kind, const uint8_t* payload, size_t size);
  void readLoop();
  std::string readFrames();
  bool readFull(uint8_t* into, size_t size, std::string& why);
  void writeLoop();
  bool writeBatch(std::deque<Frame>& batch);

  int fd_;
  OnFrame onFrame_;
  OnEnd onEnd_;
  std::thread reader_, writer_;

  PriorityMutex mutex_;
  std::deque<Frame> queue_;
  std::atomic<size_t> queuedAudio_{0};
  std::atomic<uint64_t> droppedAudio_{0};
  std::atomic<uint32_t> wake_{0};
  uint64_t queued_ = 0;  // frames, ever
  std::atomic<uint64_t> written_{0};
  std::atomic<unsigned> waiting_{0};
  std::mutex handOverMutex_;
  std::condition_variable handedOver_;
  std::atomic<bool> idle_{true};     // nothing queued and nothing being written
  std::atomic<bool> broken_{false};  // a write failed: what is sent from now on is dropped
  std::atomic<bool> stopping_{false};
  std::atomic<bool> started_{false};
};

}  // namespace pbx

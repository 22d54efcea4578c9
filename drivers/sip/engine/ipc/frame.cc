#include "frame.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace pbx {

namespace {

constexpr size_t headerBytes = 5;  // length, kind
constexpr size_t batchFrames = 64;

// "" when a daemon's frame of this kind may have this many payload bytes.
std::string faultOf(uint8_t kind, size_t size) {
  switch (static_cast<FrameKind>(kind)) {
    case FrameKind::message:
      return "";
    case FrameKind::clip:
      return size >= 4 && size % 2 == 0 ? "" : "a clip frame of " + std::to_string(size) + " bytes";
    case FrameKind::pcm:
      return size >= 8 && size % 2 == 0 ? "" : "a pcm frame of " + std::to_string(size) + " bytes";
    case FrameKind::audio:
    case FrameKind::fork:
      break;
  }
  return "a frame of unknown kind " + std::to_string(kind);
}

}  // namespace

uint32_t readU32(const uint8_t* at) {
  return static_cast<uint32_t>(at[0]) | static_cast<uint32_t>(at[1]) << 8 | static_cast<uint32_t>(at[2]) << 16 |
         static_cast<uint32_t>(at[3]) << 24;
}

void writeU32(uint8_t* at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

std::vector<int16_t> readPcm(std::span<const uint8_t> bytes) {
  std::vector<int16_t> samples(bytes.size() / 2);
  for (size_t i = 0; i < samples.size(); i++) {
    samples[i] = static_cast<int16_t>(static_cast<uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8));
  }
  return samples;
}

Link::Link(int fd) : fd_(fd) {}

Link::~Link() {
  stop(std::chrono::milliseconds(0));
}

void Link::start(OnFrame onFrame, OnEnd onEnd) {
  onFrame_ = std::move(onFrame);
  onEnd_ = std::move(onEnd);
  started_ = true;
  writer_ = std::thread([this] { writeLoop(); });
  pthread_setname_np(writer_.native_handle(), "link-writer");
  reader_ = std::thread([this] { readLoop(); });
}

void Link::stop(std::chrono::milliseconds drain) {
  if (stopping_.exchange(true)) return;
  const auto until = std::chrono::steady_clock::now() + drain;
  while (started_ && !idle_ && !broken_ && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  broken_ = true;
  wake_++;
  wake_.notify_all();
  // Wakes a blocked reader and a blocked writer alike.
  shutdown(fd_, SHUT_RDWR);
  if (writer_.joinable()) writer_.join();
  if (reader_.joinable()) reader_.join();
  close(fd_);
}

void Link::send(FrameKind kind, std::span<const uint8_t> payload) {
  enqueue(kind, payload.data(), payload.size());
}

void Link::sendMessage(const nlohmann::json& message) {
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  enqueue(FrameKind::message, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

void Link::enqueue(FrameKind kind, const uint8_t* payload, size_t size) {
  if (size + 1 > maxFrameBytes) throw std::length_error("frame over 16 MiB");
  if (broken_) return;
  Frame frame;
  frame.audio = kind == FrameKind::audio || kind == FrameKind::fork;
  if (frame.audio && queuedAudio_.load(std::memory_order_relaxed) + size + headerBytes > maxQueuedAudioBytes) {
    droppedAudio_.fetch_add(std::max<size_t>(1, size / audioEntryBytes), std::memory_order_relaxed);
    return;
  }
  frame.bytes.resize(headerBytes + size);
  writeU32(frame.bytes.data(), static_cast<uint32_t>(size + 1));
  frame.bytes[4] = static_cast<uint8_t>(kind);
  if (size > 0) std::memcpy(frame.bytes.data() + headerBytes, payload, size);
  if (frame.audio) queuedAudio_.fetch_add(frame.bytes.size(), std::memory_order_relaxed);
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(frame));
    queued_++;
    idle_ = false;
  }
  wake_++;
  wake_.notify_one();
}

bool Link::handOver(std::chrono::milliseconds atMost) {
  uint64_t wanted;
  {
    std::lock_guard lock(mutex_);
    wanted = queued_;
  }
  if (written_ >= wanted) return true;
  std::unique_lock lock(handOverMutex_);
  waiting_++;
  const bool handed = handedOver_.wait_for(lock, atMost, [&] { return written_ >= wanted; });
  waiting_--;
  return handed;
}

void Link::readLoop() {
  const std::string why = readFrames();
  if (!stopping_ && onEnd_) onEnd_(why);
}

std::string Link::readFrames() {
  std::vector<uint8_t> payload;
  std::string why;
  for (;;) {
    uint8_t header[headerBytes];
    if (!readFull(header, 1, why)) return why;
    if (!readFull(header + 1, headerBytes - 1, why)) return why.empty() ? "the connection ended inside a frame" : why;
    const uint32_t length = readU32(header);
    if (length == 0 || length > maxFrameBytes) return "a frame of " + std::to_string(length) + " bytes";
    const size_t size = length - 1;
    if (const std::string fault = faultOf(header[4], size); !fault.empty()) return fault;
    payload.resize(size);
    if (!readFull(payload.data(), size, why)) return why.empty() ? "the connection ended inside a frame" : why;
    if (stopping_) return "";
    if (!onFrame_(static_cast<FrameKind>(header[4]), payload)) return "a frame that breaks the protocol";
    if (payload.capacity() > (1u << 20)) payload = {};  // one long clip must not hold its memory for ever
  }
}

// false with why == "": end of file.
bool Link::readFull(uint8_t* into, size_t size, std::string& why) {
  while (size > 0) {
    const ssize_t got = recv(fd_, into, size, 0);
    if (got == 0) return false;
    if (got < 0) {
      if (errno == EINTR) continue;
      // The daemon went away with bytes of ours unread: the same as its end of file.
      if (errno != ECONNRESET) why = std::string("reading: ") + std::strerror(errno);
      return false;
    }
    into += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

void Link::writeLoop() {
  std::deque<Frame> batch;
  while (!broken_) {
    const uint32_t seen = wake_;
    {
      std::lock_guard lock(mutex_);
      batch.swap(queue_);
      if (batch.empty()) idle_ = true;
    }
    if (batch.empty()) {
      if (broken_) return;
      wake_.wait(seen);
      continue;
    }
    if (!writeBatch(batch)) {
      broken_ = true;
      std::lock_guard lock(mutex_);
      queue_.clear();
    }
  }
}

bool Link::writeBatch(std::deque<Frame>& batch) {
  size_t offset = 0;  // bytes of the first frame that are written already
  while (!batch.empty()) {
    std::array<iovec, batchFrames> parts;
    const size_t count = std::min(batch.size(), parts.size());
    for (size_t i = 0; i < count; i++) {
      const size_t skip = i == 0 ? offset : 0;
      parts[i] = {batch[i].bytes.data() + skip, batch[i].bytes.size() - skip};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    // sendmsg is writev with a flag against SIGPIPE.
    const ssize_t wrote = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (wrote < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    size_t rest = static_cast<size_t>(wrote) + offset;
    while (!batch.empty() && rest >= batch.front().bytes.size()) {
      rest -= batch.front().bytes.size();
      if (batch.front().audio) queuedAudio_.fetch_sub(batch.front().bytes.size(), std::memory_order_relaxed);
      batch.pop_front();
      written_++;
    }
    offset = rest;
    if (waiting_ > 0) {
      std::lock_guard lock(handOverMutex_);
      handedOver_.notify_all();
    }
  }
  return true;
}

}  // namespace pbx

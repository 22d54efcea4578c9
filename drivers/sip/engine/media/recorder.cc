#include "recorder.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace pbx {

namespace {

constexpr int turnMs = 200;  // how often the writer empties the rings

}  // namespace

Recording::Recording(LegId leg, uint32_t record, std::string file, unsigned maxMs, unsigned channels)
    : leg_(leg),
      record_(record),
      file_(std::move(file)),
      maxSamples_(std::min(maxMs == 0 ? UINT64_MAX : uint64_t{maxMs} * 8, WavFile::maxSamples(channels))),
      channels_(channels),
      ring_(std::make_unique<Block[]>(ringBlocks)),
      samples_(std::make_unique<int16_t[]>(size_t{ringBlocks} * 160 * channels)) {}

bool Recording::append(std::span<const int16_t> samples, std::span<const int16_t> other) {
  if (reason_.load(std::memory_order_relaxed) != nullptr || failed_.load(std::memory_order_relaxed)) return false;
  const uint32_t count = static_cast<uint32_t>(std::min<uint64_t>(samples.size(), maxSamples_ - taken_));
  const uint32_t head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) == ringBlocks) {
    gap_ += count;
  } else if (count > 0) {
    Block& block = ring_[head % ringBlocks];
    block.gap = gap_;
    block.count = count;
    int16_t* into = samplesOf(head);
    for (size_t i = 0; i < count; i++) {
      *into++ = samples[i];
      if (channels_ == 2) *into++ = other[i];
    }
    gap_ = 0;
    head_.store(head + 1, std::memory_order_release);
  }
  taken_ += count;
  if (taken_ < maxSamples_) return true;
  finish("max-length", 0);
  return false;
}

void Recording::finish(const char* reason, unsigned trimMs) {
  if (reason_.load(std::memory_order_relaxed) != nullptr) return;
  trimMs_ = trimMs;
  lastGap_ = gap_;
  reason_.store(reason, std::memory_order_release);
}

bool Recording::service(MediaEvents& events) {
  // First the reason, then the ring: what was appended before the end is then in the ring.
  const char* reason = reason_.load(std::memory_order_acquire);
  std::string why;
  if (!opened_) {
    opened_ = true;
    why = wav_.open(file_, channels_);
  }
  uint32_t tail = tail_.load(std::memory_order_relaxed);
  const uint32_t head = head_.load(std::memory_order_acquire);
  while (why.empty() && tail != head) {
    // Neighbouring blocks go into one write.
    static thread_local std::array<int16_t, size_t{160} * 2 * 50> batch;
    const uint32_t gap = ring_[tail % ringBlocks].gap;
    size_t count = 0;
    do {
      const Block& block = ring_[tail % ringBlocks];
      std::copy_n(samplesOf(tail), block.count * channels_, batch.begin() + static_cast<ptrdiff_t>(count));
      count += block.count * channels_;
      tail++;
    } while (tail != head && ring_[tail % ringBlocks].gap == 0 && count + size_t{160} * channels_ <= batch.size());
    tail_.store(tail, std::memory_order_release);
    lost_ += gap;
    if (gap > 0) why = wav_.silence(gap);
    if (why.empty()) why = wav_.write(std::span(batch.data(), count));
  }
  // Keeps the header current, so that the file can be read in full after a crash.
  if (why.empty() && reason == nullptr) why = wav_.refresh();
  if (why.empty() && reason == nullptr) return false;
  if (why.empty() && lastGap_ > 0) {
    lost_ += lastGap_;
    why = wav_.silence(lastGap_);
  }
  if (why.empty()) why = wav_.commit(uint64_t{trimMs_} * 8);
  if (!why.empty()) {
    fail(events, why);
    return true;
  }
  if (lost_ > 0) {
    const std::string lostMs = std::to_string(lost_ / 8);
    std::fprintf(stderr, "WARN recording %s: the disk was too slow, %s ms were lost\n", file_.c_str(), lostMs.c_str());
  }
  events.recorded(leg_, record_, file_, static_cast<unsigned>(wav_.samples() / 8), reason);
  return true;
}

void Recording::fail(MediaEvents& events, const std::string& why) {
  failed_ = true;
  std::fprintf(stderr, "ERROR recording failed: %s\n", why.c_str());
  wav_.discard();
  events.recorded(leg_, record_, file_, static_cast<unsigned>(wav_.samples() / 8), "failed");
}

void RecordingWriter::start(MediaEvents& events) {
  events_ = &events;
  stopping_ = false;
  wakeFd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "recorder");
}

void RecordingWriter::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  wake();
  thread_.join();
  close(wakeFd_);
  wakeFd_ = -1;
}

void RecordingWriter::wake() {
  if (wakeFd_ >= 0) eventfd_write(wakeFd_, 1);
}

void RecordingWriter::run() {
  for (;;) {
    const bool last = stopping_;
    for (Node* node = added_.takeAll(); node != nullptr;) recordings_.emplace_back(static_cast<RecordingEntry*>(std::exchange(node, node->next)));
    std::erase_if(recordings_, [this](const auto& entry) { return entry->recording->service(*events_); });
    if (last) break;
    pollfd wait{wakeFd_, POLLIN, 0};
    poll(&wait, 1, turnMs);
    eventfd_t count;
    eventfd_read(wakeFd_, &count);
  }
  recordings_.clear();
}

}  // namespace pbx

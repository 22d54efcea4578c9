#include "event_ring.h"

#include <pthread.h>

#include <cstdio>
#include <cstring>

namespace pbx {

void EventRing::start(MediaEvents& events, bool threaded) {
  events_ = &events;
  stopping_ = false;
  if (!threaded) return;
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "media-events");
}

void EventRing::stop() {
  if (thread_.joinable()) {
    stopping_ = true;
    wake_++;
    wake_.notify_one();
    thread_.join();
  }
  if (events_ != nullptr) deliver();
  events_ = nullptr;
}

void EventRing::add(const Event& event) {
  if (Event* place = told_.reserve()) {
    *place = event;
  } else {
    droppedEvents_.fetch_add(1, std::memory_order_relaxed);
  }
}

void EventRing::audio(LegId leg, uint32_t atMs, std::span<const int16_t, 160> samples) {
  Tapped* place = audio_.reserve();
  if (place == nullptr) {
    droppedAudio_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  place->tick = tick_;
  writeU32(place->entry.data(), leg);
  writeU32(place->entry.data() + 4, atMs);
  std::memcpy(place->entry.data() + 8, samples.data(), samples.size_bytes());
}

void EventRing::forked(LegId leg, uint32_t atMs, bool said, std::span<const int16_t> samples) {
  Forked* place = forks_.reserve();
  if (place == nullptr) {
    droppedAudio_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  place->tick = tick_;
  place->size = forkHeadBytes + samples.size_bytes();
  uint8_t* at = place->entry.data();
  writeU32(at, leg);
  writeU32(at + 4, atMs);
  writeU32(at + 8, static_cast<uint32_t>(samples.size()) << 16 | (said ? 1u : 0u));
  std::memcpy(at + forkHeadBytes, samples.data(), samples.size_bytes());
}

void EventRing::publish() {
  tick_++;
  const bool told = told_.publish(), heard = audio_.publish(), forked = forks_.publish();
  if (!told && !heard && !forked && once_.empty() && discards_.empty()) return;
  wake_.fetch_add(1, std::memory_order_release);
  wake_.notify_one();
}

void EventRing::deliver() {
  while (const Event* event = told_.first()) {
    switch (event->kind) {
      case Kind::played:
        events_->played(event->leg, event->play, event->flag, event->ms);
        break;
      case Kind::first:
        events_->firstHeard(event->leg);
        break;
      case Kind::voice:
        events_->voice(event->leg, event->flag);
        break;
      case Kind::digit:
        events_->inbandDigit(event->leg, event->digit, event->ms);
        break;
      case Kind::tone:
        events_->faxTone(event->leg, event->tone);
        break;
    }
    told_.drop();
  }
  deliverAudio();
  deliverForks();
  for (Node* node = once_.takeAll(); node != nullptr;) {
    const std::unique_ptr<Node> work(std::exchange(node, node->next));
    static_cast<Once*>(work.get())->work();
  }
  if (const uint64_t dropped = droppedEvents_.load(std::memory_order_relaxed); dropped != toldDropped_) {
    std::fprintf(stderr, "ERROR %llu events of calls were lost: the machine is too busy\n", static_cast<unsigned long long>(dropped - toldDropped_));
    toldDropped_ = dropped;
  }
  discards_.free();
}

// A frame for each tick.
void EventRing::deliverAudio() {
  while (const Tapped* first = audio_.first()) {
    const uint32_t tick = first->tick;
    frame_.clear();
    for (const Tapped* piece = first; piece != nullptr && piece->tick == tick; piece = audio_.first()) {
      frame_.insert(frame_.end(), piece->entry.begin(), piece->entry.end());
      audio_.drop();
    }
    events_->audio(frame_);
  }
}

void EventRing::deliverForks() {
  while (const Forked* first = forks_.first()) {
    const uint32_t tick = first->tick;
    frame_.clear();
    for (const Forked* piece = first; piece != nullptr && piece->tick == tick; piece = forks_.first()) {
      frame_.insert(frame_.end(), piece->entry.begin(), piece->entry.begin() + static_cast<ptrdiff_t>(piece->size));
      forks_.drop();
    }
    events_->forked(frame_);
  }
}

void EventRing::run() {
  for (;;) {
    const uint32_t seen = wake_.load(std::memory_order_acquire);
    deliver();
    if (stopping_) return;
    wake_.wait(seen);
  }
}

}  // namespace pbx

#include "leg.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace pbx {

namespace {

constexpr unsigned leadInTicks = 10;  // 200 ms: the far end's media path opens while nothing is said
constexpr unsigned wideRate = 16000;

}  // namespace

Leg::Leg(LegId id, std::shared_ptr<PortSlot> slot, bool inbandDigits, NodeStack& discards)
    : id(id), queue(id, discards), slot_(std::move(slot)), discards_(discards), digits_(inbandDigits ? std::make_unique<DigitDetector>() : nullptr) {}

void Leg::setModem(std::shared_ptr<LineModem>& modem, std::shared_ptr<FaxTones>& tones) {
  modem_.swap(modem);
  if (!modem_) return;
  faxTones.swap(tones);
  std::lock_guard lock(slot_->mutex);
  if (slot_->port) slot_->port->carryModem();
}

void Leg::adapt(uint32_t generation, FramePort& port) {
  if (generation == generation_) return;
  if (generation_ == 0) leadTicks_ = leadInTicks;
  generation_ = generation;
  wideband_.reset();
  if (port.rate() == wideRate) wideband_.emplace();
  if (modem_) port.carryModem();
}

void Leg::receive() {
  ticks_++;
  std::lock_guard lock(slot_->mutex);
  FramePort* port = slot_->port.get();
  if (port == nullptr) {
    lost_ = true;
    heard_.fill(0);
    if (wideband_) wideband_->heard.fill(0);
    return;
  }
  adapt(slot_->generation, *port);
  if (!wideband_) {
    lost_ = !port->receive(heard_);
    if (lost_) heard_.fill(0);
    return;
  }
  lost_ = !port->receive(wideband_->heard);
  if (lost_) wideband_->heard.fill(0);
  wideband_->down.process(wideband_->heard, heard_);
}

bool Leg::onlyTalks() const {
  return queue.empty() && recordings_.empty() && !listening && !tapped && !digits_ && !faxTones && !modem_;
}

void Leg::send(const Leg* peer, EventRing& events) {
  Frame out;
  const bool talk = peer != nullptr && onlyTalks() && peer->onlyTalks();
  // A modem's time goes on while there is no stream, as in a re-INVITE.
  if (modem_) modem_->exchange(heard_, lost_, out);
  std::lock_guard lock(slot_->mutex);
  FramePort* port = slot_->port.get();
  if (port == nullptr) return;  // the queue waits
  adapt(slot_->generation, *port);
  if (!modem_) {
    if (!queue.empty() && leadTicks_ == 0) {
      queue.fill(out, events);
    } else if (queue.empty() && peer != nullptr) {
      out = peer->heard();
    } else {
      out.fill(0);
    }
  }
  if (leadTicks_ > 0) leadTicks_--;
  if (!wideband_) {
    port->send(out);
    return;
  }
  const WideFrame* wide = peer != nullptr ? peer->heardWide() : nullptr;
  sendWide(out, wide, talk && wide != nullptr, *port);
}

// Between the two ways of one voice lie a few samples of delay and the upper half of its spectrum: a frame that fades from one into
// the other has no edge.
void Leg::sendWide(const Frame& out, const WideFrame* peer, bool pass, FramePort& port) {
  const bool before = std::exchange(wideband_->passed, pass);
  if (before && pass) return port.send(*peer);
  WideFrame wide;
  wideband_->up.process(out, wide);
  constexpr int count = wide.size();
  for (int i = 0; i < count && before != pass && peer != nullptr; i++) {
    int16_t& sample = wide[static_cast<size_t>(i)];
    const int share = pass ? i + 1 : count - 1 - i;
    sample = static_cast<int16_t>(sample + ((*peer)[static_cast<size_t>(i)] - sample) * share / count);
  }
  port.send(wide);
}

void Leg::listen(EventRing& events, RecordingWriter& writer) {
  if (!modem_) detect(events);
  if (recordings_.discardIf(discards_, [this](const RecordingEntry& entry) { return !entry.recording->append(heard_); }) > 0) writer.wake();
}

void Leg::detect(EventRing& events) {
  if (faxTones) {
    if (const char* tone = faxTones->process(heard_)) events.faxTone(id, tone);
  }
  if (digits_ && generation_ > 0) {
    if (const auto key = digits_->process(heard_, lost_)) events.inbandDigit(id, key->digit, key->durationMs);
  }
  if (listening || !recordings_.empty()) {
    if (!voice_) voice_.emplace();
    if (voice_->process(heard_)) events.voice(id, voice_->active());
  } else {
    voice_.reset();
  }
}

void Leg::otherDigitSeen(std::unique_ptr<DigitDetector>& former) {
  otherDigitSeen_ = true;
  digits_.swap(former);
}

void Leg::inbandDigits(std::unique_ptr<DigitDetector>& detector) {
  if (detector && (digits_ || otherDigitSeen_)) return;
  digits_.swap(detector);
}

void Leg::stopRecording(uint32_t record, unsigned trimMs, RecordingWriter& writer) {
  const size_t ended = recordings_.discardIf(discards_, [&](const RecordingEntry& entry) {
    if (entry.recording->number() != record) return false;
    entry.recording->finish("stopped", trimMs);
    return true;
  });
  if (ended > 0) writer.wake();
}

void Leg::endRecordings(RecordingWriter& writer) {
  const size_t ended = recordings_.discardIf(discards_, [](const RecordingEntry& entry) {
    entry.recording->finish("ended", 0);
    return true;
  });
  if (ended > 0) writer.wake();
}

}  // namespace pbx

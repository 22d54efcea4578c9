#include "leg.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace pbx {

namespace {

constexpr unsigned leadInTicks = 10;  // 200 ms: the far end's media path opens while nothing is said
constexpr unsigned wideRate = 16000;
constexpr int whole = 4, below = 1;  // shares of what is heard below something: 12 dB less

int16_t clipped(int32_t sample) {
  return static_cast<int16_t>(std::clamp<int32_t>(sample, INT16_MIN, INT16_MAX));
}

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
  if (early_) return;
  ticks_++;
  if (!isHeard()) {
    if (!std::exchange(unheard_, true)) hearNothing();
    return;
  }
  std::lock_guard lock(slot_->mutex);
  FramePort* port = slot_->port.get();
  if (port == nullptr) return hearNothing();
  adapt(slot_->generation, *port);
  if (std::exchange(unheard_, false)) port->flush();
  if (!wideband_) {
    lost_ = !port->receive(heard_);
    if (lost_) heard_.fill(0);
    return;
  }
  lost_ = !port->receive(wideband_->heard);
  if (lost_) wideband_->heard.fill(0);
  wideband_->down.process(wideband_->heard, heard_);
}

void Leg::receiveEarly(EventRing& events) {
  // Where keys are looked for in the audio, the tick has to look first; what nobody heard, it has to throw away first.
  if (early_ || unheard_ || !awaitsPackets()) return;
  {
    std::lock_guard lock(slot_->mutex);
    if (slot_->port == nullptr || slot_->generation != generation_ || !slot_->port->ready()) return;
  }
  receive();
  early_ = true;
  tellHeard(events);
}

void Leg::hearNothing() {
  lost_ = true;
  heard_.fill(0);
  if (wideband_) wideband_->heard.fill(0);
}

bool Leg::isHeard() const {
  return bridge_ != 0 || listening || tapped || fork_ || !recordings_.empty() || digits_ || faxTones || modem_;
}

bool Leg::onlyTalks() const {
  return queue.empty() && !loop_ && !quiet_ && recordings_.empty() && !listening && !tapped && !digits_ && !faxTones && !modem_;
}

void Leg::join(uint32_t bridge, Leg* other) {
  leave();
  bridge_ = bridge;
  if (other != nullptr) std::swap(fellow_, other->fellow_);
}

void Leg::leave() {
  Leg* before = fellow_;
  while (before->fellow_ != this) before = before->fellow_;
  std::swap(before->fellow_, fellow_);
  bridge_ = 0;
}

const Leg* Leg::onlyVoice() const {
  const Leg* found = nullptr;
  for (const Leg* other = fellow_; hears && other != this; other = other->fellow_) {
    if (!other->speaks) continue;
    if (found != nullptr) return nullptr;
    found = other;
  }
  return found;
}

void Leg::mixVoices(Frame& out) const {
  std::array<int32_t, frameSamples> sum{};
  for (const Leg* other = fellow_; hears && other != this; other = other->fellow_) {
    for (size_t i = 0; other->speaks && i < frameSamples; i++) sum[i] += other->heard_[i];
  }
  for (size_t i = 0; i < frameSamples; i++) out[i] = clipped(sum[i]);
}

bool Leg::compose(const Leg* voice, EventRing& events, Frame& out, WideFrame& wide) {
  if (queue.live()) leadTicks_ = 0;
  const bool waits = leadTicks_ > 0;
  const bool says = !queue.empty() && !waits;
  const bool over = says && queue.saysOver();
  if (says && !over) {
    return queue.fill(out, wide, events);
  }
  if (waits && (loop_ || !queue.empty())) {
    out.fill(0);
  } else if (loop_) {
    loop_->fill(out);
  } else if (voice != nullptr) {
    out = voice->heard();
  } else {
    mixVoices(out);
  }
  if (!over && !quiet_) return false;
  Frame said{};
  if (over) queue.fill(said, wide, events);
  // What lies below is quieter, and gets so within one frame: an edge would click.
  const int from = quiet_ ? below : whole, to = over ? below : whole;
  constexpr int count = frameSamples;
  for (int i = 0; i < count; i++) {
    const auto at = static_cast<size_t>(i);
    out[at] = clipped(out[at] * (from * (count - i) + to * i) / (whole * count) + said[at]);
  }
  quiet_ = over;
  return false;
}

void Leg::send(EventRing& events) {
  Frame& out = said_;
  const Leg* peer = onlyVoice();
  const bool talk = peer != nullptr && onlyTalks() && peer->onlyTalks();
  // A modem's time goes on while there is no stream, as in a re-INVITE.
  if (modem_) modem_->exchange(heard_, lost_, out);
  std::lock_guard lock(slot_->mutex);
  FramePort* port = slot_->port.get();
  if (port == nullptr) {  // the queue waits
    out.fill(0);
    if (wideband_) wideband_->said.fill(0);
    return;
  }
  adapt(slot_->generation, *port);
  if (!firstTold_ && port->hasHeard()) {
    firstTold_ = true;
    events.firstHeard(id);
  }
  WideFrame played;
  const bool plays = !modem_ && compose(peer, events, out, played);
  if (leadTicks_ > 0) leadTicks_--;
  if (!wideband_) {
    port->send(out);
    return;
  }
  const WideFrame* source = plays ? &played : peer != nullptr ? peer->heardWide() : nullptr;
  sendWide(out, source, plays || (talk && source != nullptr), *port);
}

// Between the two ways of one voice lie a few samples of delay and the upper half of its spectrum: a frame that fades from one into
// the other has no edge.
void Leg::sendWide(const Frame& out, const WideFrame* source, bool pass, FramePort& port) {
  const bool before = std::exchange(wideband_->passed, pass);
  WideFrame& wide = wideband_->said;
  if (before && pass) {
    wide = *source;
    return port.send(wide);
  }
  wideband_->up.process(out, wide);
  constexpr int count = std::tuple_size_v<WideFrame>;
  for (int i = 0; i < count && before != pass; i++) {
    int16_t& sample = wide[static_cast<size_t>(i)];
    const int share = pass ? i + 1 : count - 1 - i;
    const int other = source != nullptr ? (*source)[static_cast<size_t>(i)] : 0;
    sample = static_cast<int16_t>(sample + (other - sample) * share / count);
  }
  port.send(wide);
}

void Leg::listen(EventRing& events, RecordingWriter& writer) {
  if (!modem_) detect(events);
  if (recordings_.discardIf(discards_, [this](const RecordingEntry& entry) { return !entry.recording->append(heard_, said_); }) > 0) writer.wake();
}

void Leg::tellFork(EventRing& events) {
  const bool told = std::exchange(early_, false);
  // A listener begins with what arrives after its order. What has waited for this tick would be followed by the next frame at once, and
  // the answers of a server that answers each frame would be late by one for good.
  if (!fork_ || std::exchange(forkBegins_, false)) return;
  if (!told) tellHeard(events);
  std::span<const int16_t> said;
  if (wideband_) said = wideband_->said;
  fork_->said(id, audioMs(), said_, said, events);
}

void Leg::tellHeard(EventRing& events) {
  std::span<const int16_t> heard;
  if (wideband_) heard = wideband_->heard;
  fork_->heard(id, audioMs(), heard_, heard, digits_ != nullptr, digits_ && digits_->sounded(), events);
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

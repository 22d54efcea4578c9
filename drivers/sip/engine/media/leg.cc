#include "leg.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace pbx {

namespace {

constexpr unsigned leadInTicks = 10;  // 200 ms: the far end's media path opens while nothing is said
constexpr unsigned wideRate = 16000;

}  // namespace

Leg::Leg(LegId id, std::shared_ptr<PortSlot> slot, bool inbandDigits)
    : id(id), queue(id), slot_(std::move(slot)), inbandDigits_(inbandDigits) {}

void Leg::setModem(std::shared_ptr<LineModem> modem) {
  modem_ = std::move(modem);
  if (!modem_) return;
  faxTones.reset();
  std::lock_guard lock(slot_->mutex);
  if (slot_->port) slot_->port->carryModem();
}

void Leg::adapt(uint32_t generation, FramePort& port) {
  if (generation == generation_) return;
  if (generation_ == 0) leadTicks_ = leadInTicks;
  generation_ = generation;
  wideband_ = port.rate() == wideRate ? std::make_unique<Wideband>() : nullptr;
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
  return queue.empty() && recordings_.empty() && !listening && !tapped && !inbandDigits_ && !faxTones && !modem_;
}

void Leg::send(const Leg* peer, std::vector<Played>& played) {
  Frame out;
  // A modem's time goes on while there is no stream, as in a re-INVITE.
  if (modem_) modem_->exchange(heard_, lost_, out);
  std::lock_guard lock(slot_->mutex);
  FramePort* port = slot_->port.get();
  if (port == nullptr) return;  // the queue waits
  adapt(slot_->generation, *port);
  if (!modem_) {
    if (!queue.empty() && leadTicks_ == 0) {
      queue.fill(out, played);
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
  sendWide(out, wide, wide != nullptr && onlyTalks() && peer->onlyTalks(), *port);
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

void Leg::listen(MediaEvents& events, RecordingWriter& writer) {
  if (!modem_) detect(events);
  const size_t ended = std::erase_if(recordings_, [this](const auto& recording) { return !recording->append(heard_); });
  if (ended > 0) writer.wake();
}

void Leg::detect(MediaEvents& events) {
  if (faxTones) {
    if (const char* tone = faxTones->process(heard_)) events.faxTone(id, tone);
  }
  if (inbandDigits_ && generation_ > 0) {
    if (!digits_) digits_ = std::make_unique<DigitDetector>();
    if (const auto key = digits_->process(heard_, lost_)) events.inbandDigit(id, key->digit, key->durationMs);
  }
  if (listening || !recordings_.empty()) {
    if (!voice_) voice_ = std::make_unique<VoiceActivity>();
    if (voice_->process(heard_)) events.voice(id, voice_->active());
  } else {
    voice_.reset();
  }
}

void Leg::otherDigitSeen() {
  otherDigitSeen_ = true;
  inbandDigits(false);
}

void Leg::inbandDigits(bool on) {
  inbandDigits_ = on && !otherDigitSeen_;
  if (!inbandDigits_) digits_.reset();
}

void Leg::stopRecording(uint32_t record, unsigned trimMs, RecordingWriter& writer) {
  const auto found = std::find_if(recordings_.begin(), recordings_.end(), [record](const auto& r) { return r->number() == record; });
  if (found == recordings_.end()) return;
  (*found)->finish("stopped", trimMs);
  recordings_.erase(found);
  writer.wake();
}

void Leg::endRecordings(RecordingWriter& writer) {
  for (const auto& recording : recordings_) recording->finish("ended", 0);
  if (!recordings_.empty()) writer.wake();
  recordings_.clear();
}

}  // namespace pbx

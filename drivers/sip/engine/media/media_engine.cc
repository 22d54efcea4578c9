#include "media_engine.h"

#include <bit>
#include <cstring>
#include <mutex>

#include "../ipc/frame.h"

namespace pbx {

static_assert(std::endian::native == std::endian::little, "audio frames carry samples as they lie in memory");

std::unique_ptr<Media> makeMedia() {
  return std::make_unique<MediaEngine>();
}

bool MediaEngine::start(MediaEvents& events, std::string& why) {
  startStepped(events);
  return clock_.start([this] { tick(); }, why);
}

void MediaEngine::startStepped(MediaEvents& events) {
  events_ = &events;
  writer_.start(events);
}

void MediaEngine::stop() {
  clock_.stop();
  // No clock any more: this thread may touch the legs.
  for (auto& [id, leg] : legs_) leg.endRecordings(writer_);
  writer_.stop();
  legs_.clear();
  std::lock_guard lock(slotMutex_);
  slots_.clear();
}

void MediaEngine::post(Command command) {
  std::lock_guard lock(commandMutex_);
  posted_.push_back(std::move(command));
}

template <typename Work>
void MediaEngine::onLeg(LegId leg, Work work) {
  post([this, leg, work = std::move(work)]() mutable {
    if (Leg* found = find(leg)) work(*found);
  });
}

Leg* MediaEngine::find(LegId leg) {
  const auto found = legs_.find(leg);
  return found == legs_.end() ? nullptr : &found->second;
}

// ---- the tick

void MediaEngine::tick() {
  {
    std::lock_guard lock(commandMutex_);
    running_.swap(posted_);
  }
  for (Command& command : running_) command();
  running_.clear();

  for (auto& [id, leg] : legs_) leg.receive();
  for (auto& [id, leg] : legs_) {
    const Leg* peer = leg.peer == 0 ? nullptr : find(leg.peer);
    leg.send(peer, played_);
  }
  for (const Played& item : played_) events_->played(item.leg, item.play, item.completed, item.playedMs);
  played_.clear();
  for (auto& [id, leg] : legs_) leg.listen(*events_, writer_);
  sendTapped();

  for (Command& once : afterTick_) once();
  afterTick_.clear();
}

void MediaEngine::sendTapped() {
  constexpr size_t entryBytes = 8 + 2 * frameSamples;
  tapFrame_.clear();
  for (const auto& [id, leg] : legs_) {
    if (!leg.tapped) continue;
    const size_t at = tapFrame_.size();
    tapFrame_.resize(at + entryBytes);
    writeU32(tapFrame_.data() + at, id);
    writeU32(tapFrame_.data() + at + 4, leg.audioMs());
    std::memcpy(tapFrame_.data() + at + 8, leg.heard().data(), 2 * frameSamples);
  }
  if (!tapFrame_.empty()) events_->audio(tapFrame_);
}

void MediaEngine::onTick(std::function<void()> once) {
  post([this, once = std::move(once)]() mutable { afterTick_.push_back(std::move(once)); });
}

ClockReport MediaEngine::report() {
  const Lateness lateness = clock_.takeLateness();
  std::lock_guard lock(clipMutex_);
  return {lateness.p99Ms, lateness.maxMs, legCount_, clipBytes_};
}

// ---- legs and ports

void MediaEngine::open(LegId leg, bool inbandDigits) {
  auto slot = std::make_shared<PortSlot>();
  {
    std::lock_guard lock(slotMutex_);
    if (!slots_.try_emplace(leg, slot).second) return;
  }
  post([this, leg, slot, inbandDigits] {
    legs_.try_emplace(leg, leg, slot, inbandDigits);
    legCount_ = static_cast<unsigned>(legs_.size());
  });
}

void MediaEngine::close(LegId leg) {
  detach(leg);
  {
    std::lock_guard lock(slotMutex_);
    slots_.erase(leg);
  }
  post([this, leg] {
    Leg* found = find(leg);
    if (found == nullptr) return;
    unbridge(*found);
    found->endRecordings(writer_);
    legs_.erase(leg);
    legCount_ = static_cast<unsigned>(legs_.size());
  });
}

std::shared_ptr<PortSlot> MediaEngine::slotOf(LegId leg) {
  std::lock_guard lock(slotMutex_);
  const auto found = slots_.find(leg);
  return found == slots_.end() ? nullptr : found->second;
}

void MediaEngine::attach(LegId leg, std::shared_ptr<FramePort> port) {
  const auto slot = slotOf(leg);
  if (!slot) return;
  {
    std::lock_guard lock(slot->mutex);
    slot->port.swap(port);
    slot->generation++;
  }
  // The former port, if any, dies here: outside the lock and not on the clock thread.
}

void MediaEngine::detach(LegId leg) {
  const auto slot = slotOf(leg);
  if (!slot) return;
  std::shared_ptr<FramePort> former;
  std::lock_guard lock(slot->mutex);
  former.swap(slot->port);
}

void MediaEngine::otherDigitSeen(LegId leg) {
  onLeg(leg, [](Leg& l) { l.otherDigitSeen(); });
}

void MediaEngine::inbandDigits(LegId leg, bool on) {
  onLeg(leg, [on](Leg& l) { l.inbandDigits(on); });
}

// ---- playing

void MediaEngine::storeClip(uint32_t clip, std::vector<int16_t> samples) {
  samples.shrink_to_fit();
  Clip stored = std::make_shared<const std::vector<int16_t>>(std::move(samples));
  std::lock_guard lock(clipMutex_);
  clipBytes_ += stored->size() * 2;
  clips_[clip].swap(stored);
  if (stored) clipBytes_ -= stored->size() * 2;
}

void MediaEngine::dropClip(uint32_t clip) {
  Clip dropped;
  std::lock_guard lock(clipMutex_);
  const auto found = clips_.find(clip);
  if (found == clips_.end()) return;
  dropped.swap(found->second);
  clips_.erase(found);
  clipBytes_ -= dropped->size() * 2;
}

void MediaEngine::add(LegId leg, uint32_t play, std::unique_ptr<PlaySource> source) {
  // std::function wants something copyable.
  auto shared = std::make_shared<std::unique_ptr<PlaySource>>(std::move(source));
  onLeg(leg, [play, shared](Leg& l) { l.queue.add(play, std::move(*shared)); });
}

void MediaEngine::playClip(LegId leg, uint32_t play, uint32_t clip, unsigned offsetMs) {
  Clip samples;
  {
    std::lock_guard lock(clipMutex_);
    if (const auto found = clips_.find(clip); found != clips_.end()) samples = found->second;
  }
  if (samples) {
    add(leg, play, clipSource(std::move(samples), offsetMs));
  } else {
    onLeg(leg, [this, play](Leg& l) { played_.push_back({l.id, play, false, 0}); });
  }
}

void MediaEngine::playSilence(LegId leg, uint32_t play, unsigned ms) {
  add(leg, play, silenceSource(ms));
}

void MediaEngine::playTone(LegId leg, uint32_t play, Tone tone) {
  add(leg, play, toneSource(tone));
}

void MediaEngine::playStream(LegId leg, uint32_t play) {
  onLeg(leg, [play](Leg& l) { l.queue.addStream(play); });
}

void MediaEngine::streamPcm(LegId leg, uint32_t play, std::span<const int16_t> samples) {
  onLeg(leg, [play, pcm = std::vector<int16_t>(samples.begin(), samples.end())](Leg& l) mutable {
    if (StreamSource* stream = l.queue.stream(play)) stream->append(std::move(pcm));
  });
}

void MediaEngine::streamEnd(LegId leg, uint32_t play) {
  onLeg(leg, [play](Leg& l) {
    if (StreamSource* stream = l.queue.stream(play)) stream->end();
  });
}

void MediaEngine::clear(LegId leg) {
  onLeg(leg, [this](Leg& l) { l.queue.clear(played_); });
}

// ---- recording, listening, bridging

void MediaEngine::record(LegId leg, uint32_t record, std::string file, unsigned maxMs) {
  auto recording = std::make_shared<Recording>(leg, record, std::move(file), maxMs);
  onLeg(leg, [this, recording](Leg& l) {
    writer_.add(recording);
    l.startRecording(recording);
  });
}

void MediaEngine::recordStop(LegId leg, uint32_t record, unsigned trimMs) {
  onLeg(leg, [this, record, trimMs](Leg& l) { l.stopRecording(record, trimMs, writer_); });
}

void MediaEngine::listen(LegId leg, bool on) {
  onLeg(leg, [on](Leg& l) { l.listening = on; });
}

void MediaEngine::tap(LegId leg, bool on) {
  onLeg(leg, [on](Leg& l) { l.tapped = on; });
}

void MediaEngine::listenForFax(LegId leg, bool on) {
  // Made here: the clock allocates nothing it can avoid.
  auto tones = on ? std::make_shared<FaxTones>() : nullptr;
  onLeg(leg, [tones](Leg& l) { l.faxTones = tones; });
}

void MediaEngine::modem(LegId leg, std::shared_ptr<LineModem> modem) {
  onLeg(leg, [modem = std::move(modem)](Leg& l) { l.setModem(modem); });
}

void MediaEngine::bridge(LegId a, LegId b) {
  post([this, a, b] {
    Leg* first = find(a);
    Leg* second = find(b);
    if (first == nullptr || second == nullptr || first == second) return;
    unbridge(*first);
    unbridge(*second);
    first->peer = b;
    second->peer = a;
  });
}

void MediaEngine::unbridge(LegId leg) {
  onLeg(leg, [this](Leg& l) { unbridge(l); });
}

void MediaEngine::unbridge(Leg& leg) {
  if (Leg* peer = leg.peer == 0 ? nullptr : find(leg.peer)) peer->peer = 0;
  leg.peer = 0;
}

}  // namespace pbx

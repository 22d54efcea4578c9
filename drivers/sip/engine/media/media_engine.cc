#include "media_engine.h"

#include <bit>
#include <mutex>
#include <utility>

namespace pbx {

static_assert(std::endian::native == std::endian::little, "audio frames carry samples as they lie in memory");

// What a leg sends comes late by all that took longer than usual before it in the same tick. With many legs each group begins at a moment
// of its own, so that the unevenness of those before ends there. A group takes about 0.6 ms, and to receive from 1,000 legs two.
constexpr unsigned groupLegs = 100;
constexpr int64_t groupNs = 1'000'000;
constexpr unsigned receivingGroups = 2;

std::unique_ptr<Media> makeMedia() {
  return std::make_unique<MediaEngine>();
}

bool MediaEngine::start(MediaEvents& events, std::string& why) {
  events_.start(events, true);
  writer_.start(events);
  return clock_.start([this] { tick(); }, [this] { hearEarly(); }, why);
}

void MediaEngine::startStepped(MediaEvents& events) {
  stepped_ = true;
  events_.start(events, false);
  writer_.start(events);
}

void MediaEngine::stop() {
  clock_.stop();
  // No clock any more: this thread may touch the legs.
  for (auto& [id, leg] : legs_) leg.endRecordings(writer_);
  writer_.stop();
  events_.stop();
  legs_.clear();
  chain();
  discards_.free();
  std::lock_guard lock(slotMutex_);
  slots_.clear();
}

template <typename Work>
void MediaEngine::post(Work work) {
  struct Posted final : Order {
    explicit Posted(Work work) : work(std::move(work)) {}
    void run() override { work(); }
    Work work;
  };
  orders_.push(std::make_unique<Posted>(std::move(work)));
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

void MediaEngine::chain() {
  Leg** end = &first_;
  for (auto& [id, leg] : legs_) {
    *end = &leg;
    end = &leg.next;
  }
  *end = nullptr;
}

// ---- the tick

void MediaEngine::tick() {
  // Where nobody is in a call nobody has missed it.
  if (const uint64_t lost = clock_.takeLost(); first_ != nullptr) lostTicks_ += lost;
  for (Node* node = orders_.takeAll(); node != nullptr;) {
    std::unique_ptr<Node> order(std::exchange(node, node->next));
    static_cast<Order&>(*order).run();
    discards_.push(std::move(order));
  }

  for (Leg* leg = first_; leg != nullptr; leg = leg->next) leg->receive();
  sendAll();
  for (Leg* leg = first_; leg != nullptr; leg = leg->next) leg->listen(events_, writer_);
  bool awaited = false;
  for (Leg* leg = first_; leg != nullptr; leg = leg->next) {
    if (leg->tapped) events_.audio(leg->id, leg->audioMs(), leg->heard());
    leg->tellFork(events_);
    awaited |= leg->awaitsPackets();
  }
  awaited_.store(awaited, std::memory_order_relaxed);

  while (!afterTick_.empty()) events_.once(afterTick_.takeFirst());
  publish();
}

void MediaEngine::sendAll() {
  unsigned sent = 0;
  for (Leg* leg = first_; leg != nullptr; leg = leg->next) {
    if (legCount_ > groupLegs && sent % groupLegs == 0) clock_.rest(groupNs * (sent / groupLegs + receivingGroups));
    leg->send(events_);
    sent++;
  }
}

void MediaEngine::hearEarly() {
  for (Leg* leg = first_; leg != nullptr; leg = leg->next) leg->receiveEarly(events_);
  publish();
}

void MediaEngine::publish() {
  events_.publish();
  if (stepped_) events_.deliver();
}

void MediaEngine::onTick(std::function<void()> once) {
  post([this, once = std::make_unique<Once>(std::move(once))]() mutable { afterTick_.add(std::move(once)); });
}

ClockReport MediaEngine::report() {
  const Lateness lateness = clock_.takeLateness();
  std::lock_guard lock(clipMutex_);
  return {lateness.p99Ms, lateness.maxMs, legCount_, clipBytes_, events_.droppedAudio(), lostTicks_};
}

// ---- legs and ports

void MediaEngine::open(LegId leg, bool inbandDigits) {
  auto slot = std::make_shared<PortSlot>();
  {
    std::lock_guard lock(slotMutex_);
    if (!slots_.try_emplace(leg, slot).second) return;
  }
  std::map<LegId, Leg> made;
  made.try_emplace(leg, leg, std::move(slot), inbandDigits, discards_);
  post([this, node = made.extract(leg)]() mutable {
    legs_.insert(std::move(node));
    chain();
    legCount_ = static_cast<unsigned>(legs_.size());
  });
}

void MediaEngine::close(LegId leg) {
  detach(leg);
  {
    std::lock_guard lock(slotMutex_);
    slots_.erase(leg);
  }
  post([this, leg, gone = std::map<LegId, Leg>::node_type()]() mutable {
    Leg* found = find(leg);
    if (found == nullptr) return;
    found->leave();
    found->endRecordings(writer_);
    gone = legs_.extract(leg);
    chain();
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
  onLeg(leg, [former = std::unique_ptr<DigitDetector>()](Leg& l) mutable { l.otherDigitSeen(former); });
}

void MediaEngine::inbandDigits(LegId leg, bool on) {
  onLeg(leg, [detector = on ? std::make_unique<DigitDetector>() : nullptr](Leg& l) mutable { l.inbandDigits(detector); });
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

void MediaEngine::add(LegId leg, uint32_t play, std::unique_ptr<PlaySource> source, bool over) {
  source->play = play;
  source->over = over;
  onLeg(leg, [source = std::move(source)](Leg& l) mutable { l.queue.add(std::move(source)); });
}

Clip MediaEngine::clipOf(uint32_t clip) {
  std::lock_guard lock(clipMutex_);
  const auto found = clips_.find(clip);
  return found == clips_.end() ? nullptr : found->second;
}

void MediaEngine::playClip(LegId leg, uint32_t play, uint32_t clip, unsigned offsetMs, bool over) {
  if (Clip samples = clipOf(clip)) {
    add(leg, play, clipSource(std::move(samples), offsetMs), over);
  } else {
    onLeg(leg, [this, play](Leg& l) { events_.played(l.id, play, false, 0); });
  }
}

void MediaEngine::playSilence(LegId leg, uint32_t play, unsigned ms) {
  add(leg, play, silenceSource(ms));
}

void MediaEngine::playTone(LegId leg, uint32_t play, Tone tone, bool over) {
  add(leg, play, toneSource(tone), over);
}

void MediaEngine::playStream(LegId leg, uint32_t play, bool wide) {
  add(leg, play, std::make_unique<StreamSource>(discards_, wide), false);
}

void MediaEngine::streamPcm(LegId leg, uint32_t play, std::span<const int16_t> samples) {
  auto chunk = std::make_unique<PcmChunk>(std::vector<int16_t>(samples.begin(), samples.end()));
  onLeg(leg, [play, chunk = std::move(chunk)](Leg& l) mutable {
    if (StreamSource* stream = l.queue.stream(play)) stream->append(chunk);
  });
}

void MediaEngine::streamEnd(LegId leg, uint32_t play) {
  onLeg(leg, [play](Leg& l) {
    if (StreamSource* stream = l.queue.stream(play)) stream->end();
  });
}

void MediaEngine::clear(LegId leg) {
  onLeg(leg, [this](Leg& l) { l.queue.clear(events_); });
}

void MediaEngine::loop(LegId leg, uint32_t clip, unsigned offsetMs) {
  Clip samples = clipOf(clip);
  if (!samples) samples = std::make_shared<const std::vector<int16_t>>();
  onLeg(leg, [loop = std::make_unique<Loop>(std::move(samples), offsetMs)](Leg& l) mutable { l.setLoop(loop); });
}

void MediaEngine::loopStop(LegId leg) {
  onLeg(leg, [former = std::unique_ptr<Loop>()](Leg& l) mutable { l.setLoop(former); });
}

// ---- recording, listening, bridging

void MediaEngine::record(LegId leg, uint32_t record, std::string file, unsigned maxMs, unsigned channels) {
  auto recording = std::make_shared<Recording>(leg, record, std::move(file), maxMs, channels);
  onLeg(leg, [this, written = std::make_unique<RecordingEntry>(recording), fed = std::make_unique<RecordingEntry>(recording)](Leg& l) mutable {
    writer_.add(std::move(written));
    l.startRecording(std::move(fed));
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

void MediaEngine::fork(LegId leg, Fork wanted) {
  onLeg(leg, [fork = wanted.any() ? std::make_unique<ForkTap>(wanted) : nullptr](Leg& l) mutable { l.setFork(fork); });
}

void MediaEngine::listenForFax(LegId leg, bool on) {
  onLeg(leg, [tones = on ? std::make_shared<FaxTones>() : nullptr](Leg& l) mutable { l.faxTones.swap(tones); });
}

void MediaEngine::modem(LegId leg, std::shared_ptr<LineModem> modem) {
  onLeg(leg, [modem = std::move(modem), tones = std::shared_ptr<FaxTones>()](Leg& l) mutable { l.setModem(modem, tones); });
}

void MediaEngine::join(LegId leg, uint32_t bridge, bool hears, bool speaks) {
  if (bridge == 0) return;
  onLeg(leg, [this, bridge, hears, speaks](Leg& l) {
    l.hears = hears;
    l.speaks = speaks;
    if (l.bridge() == bridge) return;
    Leg* other = first_;
    while (other != nullptr && other->bridge() != bridge) other = other->next;
    l.join(bridge, other);
  });
}

void MediaEngine::leave(LegId leg) {
  onLeg(leg, [](Leg& l) { l.leave(); });
}

}  // namespace pbx

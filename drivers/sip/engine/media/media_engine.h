// Media as it is built: callers queue orders, the clock takes them all once per tick and alone touches the legs. Orders bring the
// memory that they need and take away what is no longer used, so that the clock allocates and frees nothing. Between two ticks
// the clock only passes on what legs with a listener elsewhere (Fork) hear, when it has arrived.
// Only attach() and detach() act at once, on the port slot of their leg.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "../ipc/priority_mutex.h"
#include "clock.h"
#include "event_ring.h"
#include "leg.h"
#include "media.h"
#include "nodes.h"
#include "recorder.h"

namespace pbx {

class MediaEngine final : public Media {
 public:
  ~MediaEngine() override { stop(); }

  bool start(MediaEvents& events, std::string& why) override;
  void stop() override;
  // start() without a clock: the caller turns it by tick(). For tests that need exact ticks.
  void startStepped(MediaEvents& events);
  void tick();
  // What has arrived since goes to its listeners elsewhere.
  void hearEarly();

  void open(LegId leg, bool inbandDigits) override;
  void close(LegId leg) override;
  void attach(LegId leg, std::shared_ptr<FramePort> port) override;
  void detach(LegId leg) override;
  void otherDigitSeen(LegId leg) override;
  void inbandDigits(LegId leg, bool on) override;

  void storeClip(uint32_t clip, std::vector<int16_t> samples) override;
  void dropClip(uint32_t clip) override;
  void playClip(LegId leg, uint32_t play, uint32_t clip, unsigned offsetMs, bool over = false) override;
  void playSilence(LegId leg, uint32_t play, unsigned ms) override;
  void playTone(LegId leg, uint32_t play, Tone tone, bool over = false) override;
  void playStream(LegId leg, uint32_t play, bool wide = false) override;
  void streamPcm(LegId leg, uint32_t play, std::span<const int16_t> samples) override;
  void streamEnd(LegId leg, uint32_t play) override;
  void clear(LegId leg) override;
  void loop(LegId leg, uint32_t clip, unsigned offsetMs) override;
  void loopStop(LegId leg) override;

  void record(LegId leg, uint32_t record, std::string file, unsigned maxMs, unsigned channels = 1) override;
  void recordStop(LegId leg, uint32_t record, unsigned trimMs) override;
  void listen(LegId leg, bool on) override;
  void tap(LegId leg, bool on) override;
  void fork(LegId leg, Fork wanted) override;
  void listenForFax(LegId leg, bool on) override;
  void modem(LegId leg, std::shared_ptr<LineModem> modem) override;
  void join(LegId leg, uint32_t bridge, bool hears = true, bool speaks = true) override;
  void leave(LegId leg) override;

  bool awaitsPackets() const override { return awaited_.load(std::memory_order_relaxed); }
  void packetsArrived() override { clock_.nudge(); }
  void onTick(std::function<void()> once) override;
  ClockReport report() override;
  double latenessMaxMs() override { return clock_.takeMaxMs(); }

 private:
  void sendAll();
  struct Order : Node {
    virtual void run() = 0;
  };
  template <typename Work>
  void post(Work work);
  // Queues work on a leg; nothing happens when the leg is gone by then.
  template <typename Work>
  void onLeg(LegId leg, Work work);
  void add(LegId leg, uint32_t play, std::unique_ptr<PlaySource> source, bool over = false);
  Clip clipOf(uint32_t clip);
  std::shared_ptr<PortSlot> slotOf(LegId leg);

  Leg* find(LegId leg);

  NodeStack discards_;  // lives longer than what may end in it
  TickClock clock_;
  RecordingWriter writer_;
  EventRing events_{discards_};
  bool stepped_ = false;
  std::atomic<unsigned> legCount_{0};
  std::atomic<uint64_t> lostTicks_{0};
  std::atomic<bool> awaited_{false};  // by a fork of what some leg hears
  NodeStack orders_;

  PriorityMutex slotMutex_;
  std::unordered_map<LegId, std::shared_ptr<PortSlot>> slots_;

  PriorityMutex clipMutex_;
  std::unordered_map<uint32_t, Clip> clips_;
  size_t clipBytes_ = 0;

  // Clock thread only.
  void chain();
  void publish();
  std::map<LegId, Leg> legs_;
  // The same legs, in the order in which the clock walks over them four times a tick.
  Leg* first_ = nullptr;
  NodeList<Once> afterTick_;
};

}  // namespace pbx

// One leg as the clock sees it: its port, what it hears, what it plays, and who listens.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "../ipc/priority_mutex.h"
#include "digit_detector.h"
#include "event_ring.h"
#include "fax_tones.h"
#include "fork.h"
#include "halfband.h"
#include "media.h"
#include "play_queue.h"
#include "recorder.h"
#include "voice_activity.h"

namespace pbx {

inline constexpr size_t frameSamples = 160;
using Frame = std::array<int16_t, frameSamples>;
using WideFrame = std::array<int16_t, 2 * frameSamples>;

// The only thing the clock shares with the threads that attach and detach. The clock holds the lock while it is inside
// the port and at no other time.
struct PortSlot {
  PriorityMutex mutex;
  std::shared_ptr<FramePort> port;
  uint32_t generation = 0;  // counts attachments
};

class Leg {
 public:
  // `discards`: where everything goes that the clock has no more use for.
  Leg(LegId id, std::shared_ptr<PortSlot> slot, bool inbandDigits, NodeStack& discards);

  // The halves of a tick. All legs receive before the first one sends, so that bridged legs hear each other without delay.
  void receive();
  // Before the tick: where what is heard is awaited, and has arrived, it is received now and passed on at once.
  void receiveEarly(EventRing& events);
  bool awaitsPackets() const { return fork_ && fork_->hears() && !digits_ && !modem_; }
  void send(EventRing& events);
  // Detectors and recordings; behind sending, where their time delays nobody.
  void listen(EventRing& events, RecordingWriter& writer);

  // What these are given holds afterwards what the leg had before: it is the caller's to free.
  void otherDigitSeen(std::unique_ptr<DigitDetector>& former);
  void inbandDigits(std::unique_ptr<DigitDetector>& detector);  // null: off
  void setModem(std::shared_ptr<LineModem>& modem, std::shared_ptr<FaxTones>& tones);

  // A clip over and over; null: no more. Holds afterwards what there was before.
  void setLoop(std::unique_ptr<Loop>& loop) { loop_.swap(loop); }

  // Into a bridge that `other` is in (null: nobody is), out of the one it was in.
  void join(uint32_t bridge, Leg* other);
  void leave();
  uint32_t bridge() const { return bridge_; }  // 0: none

  // Null: nobody listens elsewhere. Holds afterwards what there was before.
  void setFork(std::unique_ptr<ForkTap>& fork) {
    forkBegins_ = !fork_;
    fork_.swap(fork);
  }
  // After listen(): what is heard, unless receiveEarly() has passed it on, and what is sent.
  void tellFork(EventRing& events);

  void startRecording(std::unique_ptr<RecordingEntry> recording) { recordings_.add(std::move(recording)); }
  void stopRecording(uint32_t record, unsigned trimMs, RecordingWriter& writer);
  void endRecordings(RecordingWriter& writer);

  const Frame& heard() const { return heard_; }
  // What was heard at 16 kHz, where that is what arrives.
  const WideFrame* heardWide() const { return wideband_ ? &wideband_->heard : nullptr; }
  uint32_t audioMs() const { return static_cast<uint32_t>(ticks_ * 20); }  // of the frame heard last

  const LegId id;
  PlayQueue queue;
  bool hears = true, speaks = true;  // in its bridge
  Leg* next = nullptr;               // in the clock's list
  bool listening = false;
  bool tapped = false;
  std::shared_ptr<FaxTones> faxTones;

 private:
  struct Wideband {
    Decimator down;
    Interpolator up;
    WideFrame heard{}, said{};
    bool passed = false;  // the frame sent last was one of 16 kHz as it came
  };
  // Whether somebody has use for what arrives; otherwise it is not even decoded.
  bool isHeard() const;
  // Nothing happens here but talk: nobody else listens, and nothing is played.
  bool onlyTalks() const;
  // The one leg that it hears in its bridge; null: nobody, or several.
  const Leg* onlyVoice() const;
  // All that it hears in its bridge.
  void mixVoices(Frame& out) const;
  // What is sent next: the queue, over or instead of the loop or the bridge. True: it is in `wide` at 16 kHz as it came.
  bool compose(const Leg* voice, EventRing& events, Frame& out, WideFrame& wide);
  // `source`: the same at 16 kHz, as the only other leg hears it or as it is played, or null; `pass`: it is sent as it came, otherwise
  // `out` is.
  void sendWide(const Frame& out, const WideFrame* source, bool pass, FramePort& port);
  void hearNothing();
  void tellHeard(EventRing& events);
  void adapt(uint32_t generation, FramePort& port);
  void detect(EventRing& events);

  std::shared_ptr<PortSlot> slot_;
  NodeStack& discards_;
  Frame heard_{}, said_{};
  bool lost_ = true;
  bool early_ = false;    // what the next tick hears is in heard_ already, and was passed on
  bool unheard_ = false;  // since the tick before, or longer
  // The bridge is a ring through its legs: a leg that moves takes no memory along.
  uint32_t bridge_ = 0;
  Leg* fellow_ = this;
  std::unique_ptr<Loop> loop_;
  bool quiet_ = false;  // something was said over what is heard otherwise
  uint64_t ticks_ = UINT64_MAX;  // the first receive() makes it 0
  uint32_t generation_ = 0;
  unsigned leadTicks_ = 0;  // silence still due before the first item
  std::optional<Wideband> wideband_;
  bool firstTold_ = false;  // that the far end is heard
  bool otherDigitSeen_ = false;
  std::unique_ptr<DigitDetector> digits_;  // null: keys in the audio do not count
  std::optional<VoiceActivity> voice_;
  NodeList<RecordingEntry> recordings_;
  std::shared_ptr<LineModem> modem_;
  std::unique_ptr<ForkTap> fork_;
  bool forkBegins_ = false;  // in this tick
};

}  // namespace pbx

// The media half of pbx-engine: one thread with a 20 ms clock that moves audio between the network, prompts, recordings
// and other legs. It knows nothing of SIP: the signalling half attaches a FramePort to a leg when its stream exists and
// detaches it before the stream goes. Every method may be called from any thread and returns at once, except detach(),
// which returns when the clock no longer uses the port. Audio is 8 kHz mono s16, 160 samples a tick.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pbx {

using LegId = uint32_t;

// One RTP stream as the clock sees it.
class FramePort {
 public:
  virtual ~FramePort() = default;
  // 8000, or 16000 for a wideband codec; frames are rate()/50 samples.
  virtual unsigned rate() const = 0;
  // Fills `samples` with the next 20 ms from the jitter buffer; false: nothing arrived (the clock uses silence).
  virtual bool receive(std::span<int16_t> samples) = 0;
  // Whether the next 20 ms have arrived whole.
  virtual bool ready() { return false; }
  // Nobody listened for a while: what has arrived meanwhile is thrown away. Clock thread.
  virtual void flush() = 0;
  // Sends 20 ms. Called every tick, with silence when there is nothing to play.
  virtual void send(std::span<const int16_t> samples) = 0;
  // Whether anything has come from the far end so far.
  virtual bool hasHeard() const { return false; }
  // From now on a modem speaks here: the delay stays constant, and a lost frame is reported, not concealed. Clock thread.
  virtual void carryModem() {}
};

// Something that speaks and listens on a leg by itself, such as a fax machine. While a leg has one, its queue waits, and
// nobody listens for keys or for a voice.
class LineModem {
 public:
  virtual ~LineModem() = default;
  // Clock thread, every tick: 20 ms in (`lost`: nothing arrived, silence), 20 ms out.
  virtual void exchange(std::span<const int16_t> heard, bool lost, std::span<int16_t> said) = 0;
};

// Which audio of a leg is delivered in pieces of 20 ms: what it hears, as soon as it has arrived, and what it is sent, each at
// 8 or 16 kHz.
struct Fork {
  bool heard = false, said = false, heardWide = false, saidWide = false;
  bool any() const { return heard || said || heardWide || saidWide; }
};

struct Tone {
  std::vector<double> hz;
  unsigned ms = 0;
  double dbm0 = -13.0;
};

// Called from the thread that delivers what the clock says (recorded: from the writer thread).
class MediaEvents {
 public:
  virtual ~MediaEvents() = default;
  virtual void played(LegId leg, uint32_t play, bool completed, unsigned playedMs) = 0;
  virtual void recorded(LegId leg, uint32_t record, const std::string& file, unsigned durationMs, const char* reason) = 0;
  // The first of the far end has come.
  virtual void firstHeard(LegId leg) = 0;
  virtual void voice(LegId leg, bool active) = 0;
  virtual void inbandDigit(LegId leg, char digit, unsigned durationMs) = 0;
  // "cng": a fax machine calls; "ced": one has answered. Each once.
  virtual void faxTone(LegId leg, const char* tone) = 0;
  // All tapped legs of one tick in the layout of the protocol's `audio` frame.
  virtual void audio(std::span<const uint8_t> frame) = 0;
  // Of forked legs, all that there is of them at one moment, in the layout of the `fork` frame.
  virtual void forked(std::span<const uint8_t> frame) = 0;
};

struct ClockReport {
  double latenessP99Ms = 0, latenessMaxMs = 0;  // since the last report
  unsigned legs = 0;
  size_t clipBytes = 0;
  uint64_t droppedAudio = 0;  // 20 ms pieces of tapped legs that nobody took in time, since the start
  uint64_t lostTicks = 0;     // 20 ms of all legs that were left out, because the machine was too slow, since the start
};

class Media {
 public:
  virtual ~Media() = default;
  // `why` says in words why the clock runs without real-time priority, "" when it has it.
  virtual bool start(MediaEvents& events, std::string& why) = 0;
  virtual void stop() = 0;

  virtual void open(LegId leg, bool inbandDigits) = 0;
  // Ends recordings (reason "ended"), drops the queue without events, forgets the leg.
  virtual void close(LegId leg) = 0;
  // A re-INVITE may attach again with another port or rate; queue, recordings and bridge go on.
  virtual void attach(LegId leg, std::shared_ptr<FramePort> port) = 0;
  virtual void detach(LegId leg) = 0;
  // Digits seen as RFC 4733 or INFO silence the in-band detector of that leg, so that a key is reported once.
  virtual void otherDigitSeen(LegId leg) = 0;
  // Whether tones in the audio count as keys from now on; otherDigitSeen() has the last word.
  virtual void inbandDigits(LegId leg, bool on) = 0;

  virtual void storeClip(uint32_t clip, std::vector<int16_t> samples) = 0;
  virtual void dropClip(uint32_t clip) = 0;
  // `over`: heard over what the leg hears otherwise, which is 12 dB quieter meanwhile, and not instead of it.
  virtual void playClip(LegId leg, uint32_t play, uint32_t clip, unsigned offsetMs, bool over = false) = 0;  // unknown clip: played(completed=false, 0)
  virtual void playSilence(LegId leg, uint32_t play, unsigned ms) = 0;
  virtual void playTone(LegId leg, uint32_t play, Tone tone, bool over = false) = 0;
  // `wide`: its samples are at 16 kHz, and are heard so where the leg has that rate.
  virtual void playStream(LegId leg, uint32_t play, bool wide = false) = 0;
  virtual void streamPcm(LegId leg, uint32_t play, std::span<const int16_t> samples) = 0;
  virtual void streamEnd(LegId leg, uint32_t play) = 0;
  virtual void clear(LegId leg) = 0;
  // From now on the leg hears this clip over and over, instead of its bridge, while its queue is empty; an unknown one: silence.
  virtual void loop(LegId leg, uint32_t clip, unsigned offsetMs) = 0;
  virtual void loopStop(LegId leg) = 0;

  // `channels` 2: what the leg hears from us on the right.
  virtual void record(LegId leg, uint32_t record, std::string file, unsigned maxMs, unsigned channels = 1) = 0;
  virtual void recordStop(LegId leg, uint32_t record, unsigned trimMs) = 0;
  virtual void listen(LegId leg, bool on) = 0;
  virtual void tap(LegId leg, bool on) = 0;
  virtual void fork(LegId leg, Fork wanted) = 0;
  virtual void listenForFax(LegId leg, bool on) = 0;
  // Null: the queue and the detectors again.
  virtual void modem(LegId leg, std::shared_ptr<LineModem> modem) = 0;
  // The leg is in this bridge from the next tick on, and in no other one. Who `hears` there hears all the others that speak.
  virtual void join(LegId leg, uint32_t bridge, bool hears = true, bool speaks = true) = 0;
  virtual void leave(LegId leg) = 0;

  // Whether the audio of a leg is awaited, so that it matters when a packet is taken. Any thread.
  virtual bool awaitsPackets() const = 0;
  // Packets have arrived: those that are awaited are not left to the next tick.
  virtual void packetsArrived() = 0;

  // Runs after the next tick, on the thread that delivers events: proof that both go on.
  virtual void onTick(std::function<void()> once) = 0;
  virtual ClockReport report() = 0;
  // Since it was asked last; report() has no part in it.
  virtual double latenessMaxMs() = 0;
};

std::unique_ptr<Media> makeMedia();

}  // namespace pbx

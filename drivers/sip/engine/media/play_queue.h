// What a leg plays: clips, silence, tones and streams one after the other, joined to the sample.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "event_ring.h"
#include "halfband.h"
#include "media.h"
#include "nodes.h"

namespace pbx {

using Clip = std::shared_ptr<const std::vector<int16_t>>;

class StreamSource;

// One item of the queue; `position` counts its samples from its own beginning, a clip's offset included.
class PlaySource : public Node {
 public:
  // Writes the next samples and returns how many; fewer than asked at the end, or when a stream has no more yet.
  virtual size_t render(std::span<int16_t> out) = 0;
  virtual bool finished() const = 0;
  // Its samples are at 16 kHz: render() gives an even number of them.
  virtual bool wide() const { return false; }
  virtual StreamSource* stream() { return nullptr; }
  unsigned playedMs() const { return static_cast<unsigned>(position / 8); }

  uint32_t play = 0;
  bool over = false;  // heard over what the leg hears otherwise, not instead of it

 protected:
  size_t position = 0;
};

struct PcmChunk : Node {
  explicit PcmChunk(std::vector<int16_t> samples) : samples(std::move(samples)) {}
  std::vector<int16_t> samples;
};

class StreamSource final : public PlaySource {
 public:
  StreamSource(NodeStack& discards, bool wide) : discards_(discards), wide_(wide) {}
  // Takes the chunk, unless the stream has ended.
  void append(std::unique_ptr<PcmChunk>& chunk);
  void end() { ended_ = true; }
  size_t render(std::span<int16_t> out) override;
  bool finished() const override { return ended_ && chunks_.empty(); }
  bool wide() const override { return wide_; }
  StreamSource* stream() override { return this; }
  size_t queuedMs() const { return queued_ / (wide_ ? 16 : 8); }

 private:
  NodeStack& discards_;
  const bool wide_;
  NodeList<PcmChunk> chunks_;
  size_t queued_ = 0;
  size_t used_ = 0;  // samples of the first chunk that were played
  bool ended_ = false;
};

std::unique_ptr<PlaySource> clipSource(Clip clip, unsigned offsetMs);
std::unique_ptr<PlaySource> silenceSource(unsigned ms);
// Every frequency at tone.dbm0, faded in and out over 5 ms; made quieter as a whole where the sum would clip.
std::unique_ptr<PlaySource> toneSource(const Tone& tone);

// A clip over and over, joined to the sample.
class Loop : public Node {
 public:
  Loop(Clip clip, unsigned offsetMs) : clip_(std::move(clip)), position_(clip_->empty() ? 0 : size_t{offsetMs} * 8 % clip_->size()) {}
  void fill(std::span<int16_t> out);

 private:
  Clip clip_;
  size_t position_;
};

class PlayQueue {
 public:
  PlayQueue(LegId leg, NodeStack& discards) : leg_(leg), discards_(discards) {}
  bool empty() const { return items_.empty(); }
  // Of a queue that is not empty: its next item is heard over the rest.
  bool saysOver() const { return items_.first()->over; }
  void add(std::unique_ptr<PlaySource> source) { items_.add(std::move(source)); }
  // All there is is a frame or two of streams: somebody sends as fast as it is heard, and whatever is kept back makes all of it late.
  bool live() const;
  // The open stream of that number, or null.
  StreamSource* stream(uint32_t play) const;
  // Fills a frame (with silence after the last sample) and reports the items whose last sample is in it. True: all that was
  // played was at 16 kHz and is in `wide` unchanged. Otherwise the content of `wide` is undefined. A silent frame may be left out (spare()).
  bool fill(std::span<int16_t> out, std::span<int16_t, 320> wide, EventRing& events);
  void clear(EventRing& events);

 private:
  bool next(std::span<int16_t> out, std::span<int16_t, 320> wide, EventRing& events);
  // What there is, where all of it is of streams; otherwise 0.
  size_t streamedMs() const;
  // After a tick: a frame was spare at each of the last ticks, and never more than two. So it comes as fast as it is heard, and all of it
  // is heard a frame late for good, because one frame once came late. What was sent ahead is longer, or ends before that is seen.
  bool spare();

  LegId leg_;
  NodeStack& discards_;
  NodeList<PlaySource> items_;
  Decimator down_;
  unsigned spareTicks_ = 0;
  // Doubled each time: where packets are late again and again the spare frame is needed.
  unsigned patience_ = 25;
};

}  // namespace pbx

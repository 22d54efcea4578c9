// What a leg plays: clips, silence, tones and streams one after the other, joined to the sample.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "media.h"

namespace pbx {

using Clip = std::shared_ptr<const std::vector<int16_t>>;

// One item of the queue; `position` counts its samples from its own beginning, a clip's offset included.
class PlaySource {
 public:
  virtual ~PlaySource() = default;
  // Writes the next samples and returns how many; fewer than asked at the end, or when a stream has no more yet.
  virtual size_t render(std::span<int16_t> out) = 0;
  virtual bool finished() const = 0;
  unsigned playedMs() const { return static_cast<unsigned>(position / 8); }

 protected:
  size_t position = 0;
};

class StreamSource final : public PlaySource {
 public:
  void append(std::vector<int16_t> samples);
  void end() { ended_ = true; }
  size_t render(std::span<int16_t> out) override;
  bool finished() const override { return ended_ && chunks_.empty(); }

 private:
  std::deque<std::vector<int16_t>> chunks_;
  size_t used_ = 0;  // samples of the first chunk that were played
  bool ended_ = false;
};

std::unique_ptr<PlaySource> clipSource(Clip clip, unsigned offsetMs);
std::unique_ptr<PlaySource> silenceSource(unsigned ms);
// Every frequency at tone.dbm0, faded in and out over 5 ms; made quieter as a whole where the sum would clip.
std::unique_ptr<PlaySource> toneSource(const Tone& tone);

struct Played {
  LegId leg;
  uint32_t play;
  bool completed;
  unsigned playedMs;
};

class PlayQueue {
 public:
  explicit PlayQueue(LegId leg) : leg_(leg) {}
  bool empty() const { return items_.empty(); }
  void add(uint32_t play, std::unique_ptr<PlaySource> source);
  void addStream(uint32_t play);
  // The open stream of that number, or null.
  StreamSource* stream(uint32_t play);
  // Fills a frame (with silence after the last sample) and notes the items whose last sample is in it.
  void fill(std::span<int16_t> out, std::vector<Played>& played);
  void clear(std::vector<Played>& played);

 private:
  struct Item {
    uint32_t play;
    std::unique_ptr<PlaySource> source;
    StreamSource* stream;
  };
  LegId leg_;
  std::deque<Item> items_;
};

}  // namespace pbx

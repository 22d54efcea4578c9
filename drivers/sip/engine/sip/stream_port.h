// A pjmedia audio stream as the media clock sees it, past the conference bridge. The bridge gets an idle port instead.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "../media/media.h"
#include "../media/silent_frames.h"
#include "pj.h"

namespace pbx {

class StreamPort : public FramePort {
 public:
  explicit StreamPort(pjmedia_stream* stream);
  unsigned rate() const override { return rate_; }
  bool receive(std::span<int16_t> samples) override;
  bool ready() override;
  void flush() override;
  bool hasHeard() const override;
  void send(std::span<const int16_t> samples) override;
  void carryModem() override;

 private:
  bool take(int16_t* into);
  static constexpr unsigned mostParts = 8;
  struct Heads {
    unsigned there = 0;
    std::array<bool, mostParts> normal{};
  };
  Heads look();
  bool complete(const Heads& heads, int16_t* samples);
  pjmedia_port* port_ = nullptr;
  unsigned rate_ = 8000;
  size_t portSamples_ = 160;  // of one frame of the stream; differs from ours at ptime 10, 30, ...
  std::vector<int16_t> in_, out_;
  uint64_t timestamp_ = 0;
  bool modem_ = false;
  unsigned parts_ = 1;  // frames of the jitter buffer in one of the port
  SilentFrames silent_;
  unsigned gather_ = 0;  // ticks in which nothing is taken out of the jitter buffer, so that it fills
};

// For the conference bridge: silent, owns its pool, goes away with its last reference.
pjmedia_port* makeIdlePort();

}  // namespace pbx

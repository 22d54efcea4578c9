// A copy of a leg's audio for a listener elsewhere (the verb `stream`): what the leg hears and what it is sent, each at 8 or
// 16 kHz. Where keys are looked for in the audio, what is heard comes 40 ms late and without their tones.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "event_ring.h"
#include "halfband.h"
#include "media.h"

namespace pbx {

class ForkTap {
 public:
  explicit ForkTap(Fork wanted) : wanted_(wanted) {}

  bool hears() const { return wanted_.heard || wanted_.heardWide; }
  // One tick of a leg; the wide halves are empty where the leg has 8 kHz. `late`: a key may turn out to be in these samples;
  // `key`: one is.
  void heard(LegId leg, uint32_t atMs, std::span<const int16_t, 160> samples, std::span<const int16_t> wide, bool late, bool key, EventRing& events);
  void said(LegId leg, uint32_t atMs, std::span<const int16_t, 160> samples, std::span<const int16_t> wide, EventRing& events);

 private:
  struct Piece {
    uint32_t atMs = 0;
    std::array<int16_t, 160> narrow{};
    std::array<int16_t, 320> wide{};
  };
  void tell(LegId leg, const Piece& piece, EventRing& events) const;

  Fork wanted_;
  Interpolator heardUp_, saidUp_;
  // Long enough for the detector to know a key (spandsp wants two blocks of 12.75 ms, and blocks lie anywhere).
  std::array<Piece, 2> held_;
  size_t count_ = 0;
};

}  // namespace pbx

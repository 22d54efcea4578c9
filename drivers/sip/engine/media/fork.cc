#include "fork.h"

#include <algorithm>

namespace pbx {

void ForkTap::heard(LegId leg, uint32_t atMs, std::span<const int16_t, 160> samples, std::span<const int16_t> wide, bool late, bool key, EventRing& events) {
  if (!hears()) return;
  Piece piece;
  piece.atMs = atMs;
  std::copy(samples.begin(), samples.end(), piece.narrow.begin());
  if (!wide.empty()) {
    std::copy(wide.begin(), wide.end(), piece.wide.begin());
  } else if (wanted_.heardWide) {
    heardUp_.process(piece.narrow, piece.wide);
  }
  if (key) {
    for (Piece* each : {&held_[0], &held_[1], &piece}) {
      each->narrow.fill(0);
      each->wide.fill(0);
    }
  }
  // In order, and all of it once nothing is late any more.
  while (count_ > 0 && (!late || count_ == held_.size())) {
    tell(leg, held_[0], events);
    held_[0] = held_[1];
    count_--;
  }
  if (late) {
    held_[count_++] = piece;
  } else {
    tell(leg, piece, events);
  }
}

void ForkTap::tell(LegId leg, const Piece& piece, EventRing& events) const {
  if (wanted_.heard) events.forked(leg, piece.atMs, false, piece.narrow);
  if (wanted_.heardWide) events.forked(leg, piece.atMs, false, piece.wide);
}

void ForkTap::said(LegId leg, uint32_t atMs, std::span<const int16_t, 160> samples, std::span<const int16_t> wide, EventRing& events) {
  if (wanted_.said) events.forked(leg, atMs, true, samples);
  if (!wanted_.saidWide) return;
  if (!wide.empty()) return events.forked(leg, atMs, true, wide);
  std::array<int16_t, 320> up;
  saidUp_.process(samples, up);
  events.forked(leg, atMs, true, up);
}

}  // namespace pbx

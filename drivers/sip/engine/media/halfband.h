// 2:1 resampling between 16 kHz (wideband codecs) and the 8 kHz of everything else: one half-band FIR filter, whose even
// taps but the middle one are zero, so that a leg costs a fraction of a general resampler.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pbx {

inline constexpr size_t halfbandPairs = 12;                   // symmetric pairs of taps at odd distance from the middle
inline constexpr size_t halfbandReach = 2 * halfbandPairs - 1;  // 23 samples at 16 kHz: 1.4 ms of delay

// 16 kHz -> 8 kHz; out has half as many samples as in.
class Decimator {
 public:
  void process(std::span<const int16_t> in, std::span<int16_t> out);

 private:
  std::array<float, 2 * halfbandReach> past_{};
};

// 8 kHz -> 16 kHz; out has twice as many samples as in.
class Interpolator {
 public:
  void process(std::span<const int16_t> in, std::span<int16_t> out);

 private:
  std::array<float, 2 * halfbandPairs - 1> past_{};
};

}  // namespace pbx

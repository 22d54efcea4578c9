// Call progress and DTMF tones for the play queue.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "play_queue.h"

namespace pbx {

namespace {

constexpr double sampleRate = 8000;
constexpr size_t fadeSamples = 40;    // 5 ms: no click
constexpr double overloadDbm0 = 3.14;  // of a full scale sine (G.711 u-law)

class ToneSource final : public PlaySource {
 public:
  explicit ToneSource(const Tone& tone) : length_(size_t{tone.ms} * 8), fade_(std::min(fadeSamples, length_ / 2)) {
    double amplitude = 32767 * std::pow(10, (tone.dbm0 - overloadDbm0) / 20);
    if (!tone.hz.empty()) amplitude = std::min(amplitude, 32767 / static_cast<double>(tone.hz.size()));
    for (const double hz : tone.hz) {
      if (hz <= 0 || hz >= sampleRate / 2) continue;
      waves_.push_back({std::polar(amplitude, 0.0), std::polar(1.0, 2 * std::numbers::pi * hz / sampleRate)});
    }
  }

  size_t render(std::span<int16_t> out) override {
    const size_t count = std::min(out.size(), length_ - position);
    for (size_t i = 0; i < count; i++, position++) {
      double sum = 0;
      for (Wave& wave : waves_) {
        sum += wave.phasor.imag();
        wave.phasor *= wave.step;
      }
      out[i] = static_cast<int16_t>(std::lrint(sum * gain()));
    }
    return count;
  }

  bool finished() const override { return position == length_; }

 private:
  struct Wave {
    std::complex<double> phasor, step;
  };

  double gain() const {
    const size_t fromEdge = std::min(position, length_ - 1 - position);
    return fromEdge >= fade_ ? 1 : (static_cast<double>(fromEdge) + 0.5) / static_cast<double>(fade_);
  }

  size_t length_, fade_;
  std::vector<Wave> waves_;
};

}  // namespace

std::unique_ptr<PlaySource> toneSource(const Tone& tone) {
  return std::make_unique<ToneSource>(tone);
}

}  // namespace pbx

#include "voice_activity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pbx {

namespace {

constexpr float quietestVoice = -42;       // dBm0: nothing below it is voice
constexpr float aboveFloor = 10;      // dB
constexpr float hysteresis = 3;       // dB: voice ends lower than it begins
constexpr float highestFloor = -32;   // dBm0: a loud speaker who never pauses stays audible
constexpr float firstFloor = -36;     // dBm0: the most that the first frames may count as noise
constexpr float noSignal = -80;       // dBm0: nothing arrives, or the far end suppresses silence; says nothing of the line
constexpr unsigned onsetFrames = 5;   // 100 ms
constexpr unsigned hangoverFrames = 15;
constexpr unsigned slotFrames = 10;

struct Biquad {
  float b0, b1, b2, a1, a2;
};

// Fourth order Butterworth high-pass at 200 Hz in two sections: mains hum and its first harmonics are not voice.
std::array<Biquad, 2> highPassDesign() {
  std::array<Biquad, 2> sections{};
  const double w = 2 * std::numbers::pi * 200 / 8000;
  const std::array<double, 2> q{0.54119610, 1.3065630};
  for (size_t i = 0; i < sections.size(); i++) {
    const double alpha = std::sin(w) / (2 * q[i]), c = std::cos(w), a0 = 1 + alpha;
    sections[i] = {static_cast<float>((1 + c) / 2 / a0), static_cast<float>(-(1 + c) / a0), static_cast<float>((1 + c) / 2 / a0),
                   static_cast<float>(-2 * c / a0), static_cast<float>((1 - alpha) / a0)};
  }
  return sections;
}

const std::array<Biquad, 2> highPass = highPassDesign();

}  // namespace

float VoiceActivity::level(std::span<const int16_t> samples) {
  float energy = 0;
  for (const int16_t sample : samples) {
    float value = sample;
    for (size_t i = 0; i < highPass.size(); i++) {
      const Biquad& c = highPass[i];
      Section& s = highPass_[i];
      const float out = c.b0 * value + c.b1 * s.in1 + c.b2 * s.in2 - c.a1 * s.out1 - c.a2 * s.out2;
      s.in2 = s.in1;
      s.in1 = value;
      s.out2 = s.out1;
      s.out1 = out;
      value = out;
    }
    energy += value * value;
  }
  // Denormal numbers in a filter that decays into silence would cost a hundred times the time.
  for (Section& s : highPass_) {
    if (std::fabs(s.out1) < 1e-9f) s = {};
  }
  // A full scale sine is 3.14 dBm0.
  const float meanSquare = energy / static_cast<float>(samples.size());
  return 10 * std::log10(std::max(meanSquare, 0.01f) / (32768.0f * 32768.0f / 2)) + 3.14f;
}

void VoiceActivity::follow(float level) {
  if (!learned_) {
    learned_ = true;
    minima_.fill(std::min(level, firstFloor));
  } else if (frames_ == 0) {
    minima_[slot_] = level;
  } else {
    minima_[slot_] = std::min(minima_[slot_], level);
  }
  if (++frames_ == slotFrames) {
    frames_ = 0;
    slot_ = (slot_ + 1) % minima_.size();
  }
  floor_ = std::min(*std::min_element(minima_.begin(), minima_.end()), highestFloor);
}

bool VoiceActivity::process(std::span<const int16_t> samples) {
  const float now = level(samples);
  if (now > noSignal) follow(now);
  const float threshold = std::max(quietestVoice, floor_ + aboveFloor) - (active_ ? hysteresis : 0);
  if (now >= threshold) {
    voiced_++;
    unvoiced_ = 0;
  } else {
    unvoiced_++;
    // One weak frame within a word (a stop consonant) does not restart the count.
    if (unvoiced_ > 1) voiced_ = 0;
  }
  if (!active_ && voiced_ >= onsetFrames) return active_ = true;
  if (active_ && unvoiced_ >= hangoverFrames) {
    active_ = false;
    voiced_ = 0;
    return true;
  }
  return false;
}

}  // namespace pbx

// Signals to test with, and how to measure them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <numbers>
#include <random>
#include <vector>

using Samples = std::vector<int16_t>;

// Peak of a sine of that level; 3.14 dBm0 is full scale (G.711 u-law).
inline double peakOf(double dbm0) {
  return 32767 * std::pow(10, (dbm0 - 3.14) / 20);
}

inline Samples sine(double hz, unsigned ms, double dbm0, double rate = 8000) {
  Samples out(static_cast<size_t>(ms * rate / 1000));
  for (size_t i = 0; i < out.size(); i++) {
    out[i] = static_cast<int16_t>(std::lrint(peakOf(dbm0) * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / rate)));
  }
  return out;
}

inline Samples noise(unsigned ms, double dbm0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, peakOf(dbm0) / std::numbers::sqrt2);
  Samples out(ms * 8);
  for (auto& sample : out) sample = static_cast<int16_t>(std::clamp(normal(random), -32768.0, 32767.0));
  return out;
}

inline Samples silence(unsigned ms) {
  return Samples(ms * 8);
}

// 1, 2, 3, ... so that every sample differs from its neighbours.
inline Samples ramp(size_t count, int from = 1) {
  Samples out(count);
  for (size_t i = 0; i < count; i++) out[i] = static_cast<int16_t>(from + static_cast<int>(i));
  return out;
}

inline Samples operator+(Samples a, const Samples& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Samples mix(Samples a, const Samples& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); i++) a[i] = static_cast<int16_t>(std::clamp(a[i] + b[i], -32768, 32767));
  return a;
}

// Level of one frequency, dBm0.
inline double levelAt(const Samples& samples, double hz, double rate = 8000) {
  double re = 0, im = 0;
  for (size_t i = 0; i < samples.size(); i++) {
    const double w = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(samples.size()));
    const double angle = 2 * std::numbers::pi * hz * static_cast<double>(i) / rate;
    re += w * samples[i] * std::cos(angle);
    im += w * samples[i] * std::sin(angle);
  }
  const double peak = 4 * std::hypot(re, im) / static_cast<double>(samples.size());
  return 20 * std::log10(std::max(peak, 1e-6) / 32767) + 3.14;
}

// Something like speech: 130 Hz pulses through a formant, in syllables of 180 ms with pauses of 60 ms.
inline Samples babble(unsigned ms, double dbm0) {
  Samples out(ms * 8);
  double y1 = 0, y2 = 0, energy = 0;
  std::vector<double> raw(out.size());
  for (size_t i = 0; i < out.size(); i++) {
    const size_t inSyllable = i % (240 * 8);
    const double envelope = inSyllable < 180 * 8 ? std::sin(std::numbers::pi * static_cast<double>(inSyllable) / (180 * 8)) : 0;
    const double pulse = i % 61 == 0 ? envelope : 0;
    const double r = 0.97, w = 2 * std::numbers::pi * (i / 1920 % 2 == 0 ? 600 : 900) / 8000;
    const double y = pulse + 2 * r * std::cos(w) * y1 - r * r * y2;
    y2 = y1;
    y1 = y;
    raw[i] = y;
    energy += y * y;
  }
  const double gain = peakOf(dbm0) / std::numbers::sqrt2 / std::sqrt(energy / static_cast<double>(out.size()));
  for (size_t i = 0; i < out.size(); i++) out[i] = static_cast<int16_t>(std::clamp(raw[i] * gain, -32768.0, 32767.0));
  return out;
}

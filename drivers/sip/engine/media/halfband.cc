#include "halfband.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pbx {

namespace {

constexpr size_t maxIn = 320;

// Modified Bessel function of the first kind, order 0 (for the Kaiser window).
double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 30; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

// taps[k] belongs to the samples at distance 2k+1 on both sides; the middle tap is 0.5.
std::array<float, halfbandPairs> halfbandDesign() {
  constexpr double beta = 5.5;  // about 58 dB; pass band to 3.4 kHz, stop band from 4.6 kHz
  std::array<double, halfbandPairs> taps{};
  double sum = 0;
  for (size_t k = 0; k < halfbandPairs; k++) {
    const double distance = static_cast<double>(2 * k + 1);
    const double ideal = std::sin(std::numbers::pi * distance / 2) / (std::numbers::pi * distance);
    const double edge = distance / (halfbandReach + 1);
    taps[k] = ideal * bessel(beta * std::sqrt(1 - edge * edge)) / bessel(beta);
    sum += 2 * taps[k];
  }
  std::array<float, halfbandPairs> result{};
  for (size_t k = 0; k < halfbandPairs; k++) result[k] = static_cast<float>(taps[k] * 0.5 / sum);  // unity gain at 0 Hz
  return result;
}

const std::array<float, halfbandPairs> taps = halfbandDesign();

int16_t toSample(float value) {
  return static_cast<int16_t>(std::lrintf(std::clamp(value, -32768.0f, 32767.0f)));
}

}  // namespace

void Decimator::process(std::span<const int16_t> in, std::span<int16_t> out) {
  std::array<float, 2 * halfbandReach + maxIn> line;
  std::copy(past_.begin(), past_.end(), line.begin());
  std::copy(in.begin(), in.end(), line.begin() + past_.size());
  for (size_t i = 0; i < out.size(); i++) {
    const float* middle = line.data() + 2 * i + halfbandReach;
    float sum = 0.5f * *middle;
    for (size_t k = 0; k < halfbandPairs; k++) sum += taps[k] * (middle[2 * k + 1] + *(middle - (2 * k + 1)));
    out[i] = toSample(sum);
  }
  std::copy_n(line.begin() + in.size(), past_.size(), past_.begin());
}

void Interpolator::process(std::span<const int16_t> in, std::span<int16_t> out) {
  std::array<float, 2 * halfbandPairs - 1 + maxIn / 2> line;
  std::copy(past_.begin(), past_.end(), line.begin());
  std::copy(in.begin(), in.end(), line.begin() + past_.size());
  for (size_t i = 0; i < in.size(); i++) {
    const float* left = line.data() + i + halfbandPairs - 1;
    float sum = 0;
    for (size_t k = 0; k < halfbandPairs; k++) sum += taps[k] * (*(left - k) + left[k + 1]);
    out[2 * i] = toSample(*left);
    out[2 * i + 1] = toSample(2 * sum);
  }
  std::copy_n(line.begin() + in.size(), past_.size(), past_.begin());
}

}  // namespace pbx

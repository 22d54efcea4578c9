#include "fax_tones.h"

#include <algorithm>

#include "../fax/spandsp_headers.h"

namespace pbx {

namespace {

// Frames of 20 ms. As many in a row are a tone worth listening to, and without one for as long the detectors have forgotten theirs.
constexpr unsigned likelyFrames = 3;
constexpr unsigned forgetFrames = 5;
// Of samples that were divided by 16. Half of the least that spandsp calls a tone.
constexpr int32_t quietest = 12 * 160;

}  // namespace

bool mayBeFaxTone(std::span<const int16_t> samples) {
  // A tone is c(k) = cos(2 pi f k / 8000) times what it is now, k samples later; two of them are in between. Products of 12 bits: no sum
  // of 160 overflows, and compilers make vectors of it.
  std::array<int16_t, 162> x{};
  const size_t count = std::min<size_t>(samples.size(), 160);
  for (size_t i = 0; i < count; i++) x[i] = static_cast<int16_t>(samples[i] / 16);
  int32_t c0 = 0, c1 = 0, c2 = 0;
  for (size_t i = 0; i < 160; i++) {
    c0 += x[i] * x[i];
    c1 += x[i] * x[i + 1];
    c2 += x[i] * x[i + 2];
  }
  if (c0 < quietest) return false;
  // CNG, 1062 to 1138 Hz: 0.63 to 0.67, and -0.10 to -0.21.
  const int64_t first = int64_t{c1} * 100 / c0, second = int64_t{c2} * 100 / c0;
  if (first > 48 && first < 76 && second > -40 && second < 10) return true;
  // V.21's 1650 and 1850 Hz: 0.27 to 0.12, and -0.85 to -0.97; CED, 2100 Hz: -0.08 and -0.99.
  return first > -30 && first < 45 && second < -60;
}

FaxTones::FaxTones()
    : calling_(modem_connect_tones_rx_init(nullptr, MODEM_CONNECT_TONES_FAX_CNG, nullptr, nullptr)),
      answering_(modem_connect_tones_rx_init(nullptr, MODEM_CONNECT_TONES_FAX_CED_OR_PREAMBLE, nullptr, nullptr)) {}

FaxTones::~FaxTones() {
  if (calling_ != nullptr) modem_connect_tones_rx_free(calling_);
  if (answering_ != nullptr) modem_connect_tones_rx_free(answering_);
}

const char* FaxTones::process(std::span<const int16_t> samples) {
  const bool likely = mayBeFaxTone(samples);
  likely_ = likely ? likely_ + 1 : 0;
  const char* tone = nullptr;
  if (feeding_ > 0) {
    tone = detect(samples);
    feeding_ = likely ? forgetFrames : feeding_ - 1;
  } else if (likely_ >= likelyFrames) {
    for (size_t i = 0; i < before_.size() && tone == nullptr; i++) tone = detect(before_[(next_ + i) % before_.size()]);
    if (tone == nullptr) tone = detect(samples);
    feeding_ = forgetFrames;
  }
  auto& kept = before_[next_];
  std::copy_n(samples.begin(), std::min(samples.size(), kept.size()), kept.begin());
  next_ = (next_ + 1) % before_.size();
  return tone;
}

const char* FaxTones::detect(std::span<const int16_t> samples) {
  const int count = static_cast<int>(samples.size());
  if (calling_ != nullptr && !cng_) {
    modem_connect_tones_rx(calling_, samples.data(), count);
    cng_ = modem_connect_tones_rx_get(calling_) != MODEM_CONNECT_TONES_NONE;
    if (cng_) return "cng";
  }
  if (answering_ != nullptr && !ced_) {
    modem_connect_tones_rx(answering_, samples.data(), count);
    ced_ = modem_connect_tones_rx_get(answering_) != MODEM_CONNECT_TONES_NONE;
    if (ced_) return "ced";
  }
  return nullptr;
}

}  // namespace pbx

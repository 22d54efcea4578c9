#include "digit_detector.h"

// spandsp.h is C of its time: it expects these to be there.
#include <cstdio>
#include <ctime>

#include <spandsp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

namespace pbx {

namespace {

constexpr uint64_t reportAfter = 480;  // samples: 60 ms
constexpr size_t block = 102;  // samples on which spandsp decides
// A pause seen this short is a lost packet within one key. As blocks lie anywhere, pauses up to 30 ms join a key and
// from 45 ms on they part two; people and dialers pause for longer (Q.24).
constexpr uint64_t joinUpTo = 3 * block;
constexpr uint64_t bridged = 480;  // samples that may be missing; a far end that sends nothing for longer is silent

}  // namespace

void DigitDetector::Free::operator()(dtmf_rx_state_s* state) const {
  dtmf_rx_free(state);
}

DigitDetector::DigitDetector() : state_(dtmf_rx_init(nullptr, nullptr, nullptr)) {
  if (!state_) throw std::bad_alloc();
  dtmf_rx_set_realtime_callback(state_.get(), &DigitDetector::onChange, this);
}

void DigitDetector::onChange(void* self, int code, int, int) {
  static_cast<DigitDetector*>(self)->change(static_cast<char>(code));
}

void DigitDetector::change(char digit) {
  if (held_ != 0) {
    ended_ = Digit{held_, static_cast<unsigned>((now_ - began_) / 8)};
    endedAt_ = now_;
    endedBegan_ = began_;
    held_ = 0;
  }
  if (digit == 0) return;
  held_ = digit;
  began_ = now_;
  if (!ended_) return;
  if (ended_->digit == digit && now_ - endedAt_ <= joinUpTo) {
    began_ = endedBegan_;
  } else {
    overtaken_ = ended_;
  }
  ended_.reset();
}

// The detector does not bear a constant offset, which some analogue gateways have: one pole at 25 Hz takes it away.
void DigitDetector::hear(std::span<const int16_t> samples) {
  std::array<int16_t, block> clean;
  while (!samples.empty()) {
    // Up to the end of a block: the detector changes its mind nowhere else.
    const size_t count = std::min(samples.size(), block - inBlock_);
    for (size_t i = 0; i < count; i++) {
      const float in = samples[i];
      dcOut_ = in - dcIn_ + 0.98f * dcOut_;
      dcIn_ = in;
      clean[i] = static_cast<int16_t>(std::clamp(dcOut_, -32768.0f, 32767.0f));
    }
    now_ += count;
    inBlock_ = (inBlock_ + count) % block;
    dtmf_rx(state_.get(), clean.data(), static_cast<int>(count));
    samples = samples.subspan(count);
  }
}

std::optional<Digit> DigitDetector::process(std::span<const int16_t> samples, bool lost) {
  lostRun_ = lost ? lostRun_ + samples.size() : 0;
  sounded_ = held_ != 0;
  if (lost && lostRun_ <= bridged) {
    now_ += samples.size();
    inBlock_ = 0;
    dtmf_rx_fillin(state_.get(), static_cast<int>(samples.size()));
  } else {
    hear(samples);
  }
  sounded_ = sounded_ || held_ != 0;
  std::optional<Digit> report;
  if (overtaken_) {
    report = overtaken_;
    overtaken_.reset();
  } else if (ended_ && now_ - endedAt_ >= reportAfter) {
    report = ended_;
    ended_.reset();
  }
  return report;
}

}  // namespace pbx

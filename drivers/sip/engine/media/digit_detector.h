// In-band DTMF (ITU-T Q.23, Q.24) of one leg: spandsp's detector, plus key duration and the joining of a key that a lost
// packet tore in two.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

struct dtmf_rx_state_s;

namespace pbx {

struct Digit {
  char digit;
  unsigned durationMs;
};

class DigitDetector {
 public:
  DigitDetector();
  DigitDetector(const DigitDetector&) = delete;
  DigitDetector& operator=(const DigitDetector&) = delete;

  // 20 ms of audio; `lost`: the network delivered nothing (the samples are zeros), which for a short while says nothing
  // about a key being held. Returns a key some 60 ms after its end: time in which the same key, seen as RFC 4733, can
  // still withdraw it.
  std::optional<Digit> process(std::span<const int16_t> samples, bool lost);
  // A key was down in the samples given last.
  bool sounded() const { return sounded_; }

 private:
  struct Free {
    void operator()(dtmf_rx_state_s* state) const;
  };
  static void onChange(void* self, int code, int level, int delay);
  void change(char digit);
  void hear(std::span<const int16_t> samples);

  std::unique_ptr<dtmf_rx_state_s, Free> state_;
  uint64_t now_ = 0;            // samples seen, at the end of the present chunk
  size_t inBlock_ = 0;          // samples of spandsp's present block
  uint64_t lostRun_ = 0;        // samples missing up to now
  char held_ = 0;               // the key that is down
  bool sounded_ = false;
  uint64_t began_ = 0;
  std::optional<Digit> ended_;  // the key that is up, not yet reported
  uint64_t endedAt_ = 0, endedBegan_ = 0;
  std::optional<Digit> overtaken_;  // a key that the next one followed within the waiting time
  float dcIn_ = 0, dcOut_ = 0;
};

}  // namespace pbx

// Distinguishes speech from silence, line noise and hum by energy above an adaptive noise floor. Telephone levels: speech is
// about -16 to -35 dBm0, noise below -45 dBm0.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pbx {

class VoiceActivity {
 public:
  // 20 ms of audio; true when the state changed: to active after 100 ms of voice, to inactive after 300 ms without.
  bool process(std::span<const int16_t> samples);
  bool active() const { return active_; }

 private:
  float level(std::span<const int16_t> samples);  // dBm0 above 200 Hz
  void follow(float level);

  struct Section {
    float in1 = 0, in2 = 0, out1 = 0, out2 = 0;
  };
  std::array<Section, 2> highPass_{};
  std::array<float, 10> minima_{};  // of the last 2 s, 200 ms each
  size_t slot_ = 0;
  unsigned frames_ = 0;  // in the present slot
  bool learned_ = false;
  float floor_ = 0;
  unsigned voiced_ = 0, unvoiced_ = 0;
  bool active_ = false;
};

}  // namespace pbx

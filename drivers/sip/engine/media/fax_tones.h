// The tones by which fax machines know each other (ITU-T T.30 section 4): CNG, 1100 Hz in bursts of 0.5 s, of the machine
// that calls; CED, 2100 Hz, or the V.21 preamble of the machine that answers. spandsp's detectors, which cost more than all else
// that a call needs: they run while there may be something for them.
#pragma once
#include <array>
#include <cstdint>
#include <span>

struct modem_connect_tones_rx_state_s;

namespace pbx {

// Whether most of what is heard may be one of these tones: by how it resembles itself one and two samples later, which says where
// in the spectrum it is. Silence and nearly all speech are not.
bool mayBeFaxTone(std::span<const int16_t> samples);

class FaxTones {
 public:
  FaxTones();
  ~FaxTones();
  FaxTones(const FaxTones&) = delete;
  FaxTones& operator=(const FaxTones&) = delete;

  // "cng" or "ced" when it was recognised in these 20 ms, each once in the life of the detector; else null.
  const char* process(std::span<const int16_t> samples);

 private:
  static constexpr size_t frame = 160;
  const char* detect(std::span<const int16_t> samples);
  modem_connect_tones_rx_state_s* calling_;
  modem_connect_tones_rx_state_s* answering_;
  bool cng_ = false, ced_ = false;
  std::array<std::array<int16_t, frame>, 3> before_{};  // what a tone began with until it was one
  unsigned next_ = 0;     // of before_
  unsigned likely_ = 0;   // frames in a row that may be a tone
  unsigned feeding_ = 0;  // frames for which the detectors still run
};

}  // namespace pbx

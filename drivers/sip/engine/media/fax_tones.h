// The tones by which fax machines know each other (ITU-T T.30 section 4): CNG, 1100 Hz in bursts of 0.5 s, of the machine
// that calls; CED, 2100 Hz, or the V.21 preamble of the machine that answers. spandsp's detectors.
#pragma once
#include <cstdint>
#include <span>

struct modem_connect_tones_rx_state_s;

namespace pbx {

class FaxTones {
 public:
  FaxTones();
  ~FaxTones();
  FaxTones(const FaxTones&) = delete;
  FaxTones& operator=(const FaxTones&) = delete;

  // "cng" or "ced" when it was recognised in these 20 ms, each once in the life of the detector; else null.
  const char* process(std::span<const int16_t> samples);

 private:
  modem_connect_tones_rx_state_s* calling_;
  modem_connect_tones_rx_state_s* answering_;
  bool cng_ = false, ced_ = false;
};

}  // namespace pbx

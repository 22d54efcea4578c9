#include "fax_tones.h"

#include "../fax/spandsp_headers.h"

namespace pbx {

FaxTones::FaxTones()
    : calling_(modem_connect_tones_rx_init(nullptr, MODEM_CONNECT_TONES_FAX_CNG, nullptr, nullptr)),
      answering_(modem_connect_tones_rx_init(nullptr, MODEM_CONNECT_TONES_FAX_CED_OR_PREAMBLE, nullptr, nullptr)) {}

FaxTones::~FaxTones() {
  if (calling_ != nullptr) modem_connect_tones_rx_free(calling_);
  if (answering_ != nullptr) modem_connect_tones_rx_free(answering_);
}

const char* FaxTones::process(std::span<const int16_t> samples) {
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

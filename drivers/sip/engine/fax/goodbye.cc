#include "goodbye.h"

#include <algorithm>

#include "spandsp_headers.h"

namespace pbx {

namespace {

constexpr uint8_t disconnect[] = {0xFF, 0x13, T30_DCN | 1};
constexpr int preambleFlags = 38;  // octets at 300 bit/s: 1 s

void sent(void* user) {
  // Asked for the next frame: there is none, the carrier ends.
  hdlc_tx_frame(static_cast<hdlc_tx_state_t*>(user), nullptr, 0);
}

}  // namespace

Goodbye::Goodbye() : frames_(hdlc_tx_init(nullptr, FALSE, 2, FALSE, sent, nullptr)), modem_(nullptr) {
  if (frames_ == nullptr) {
    over_ = true;
    return;
  }
  hdlc_tx_release(frames_);
  hdlc_tx_init(frames_, FALSE, 2, FALSE, sent, frames_);
  hdlc_tx_flags(frames_, preambleFlags);
  hdlc_tx_frame(frames_, disconnect, sizeof disconnect);
  modem_ = fsk_tx_init(nullptr, &preset_fsk_specs[FSK_V21CH2], reinterpret_cast<get_bit_func_t>(hdlc_tx_get_bit), frames_);
  over_ = modem_ == nullptr;
}

Goodbye::~Goodbye() {
  if (modem_ != nullptr) fsk_tx_free(modem_);
  if (frames_ != nullptr) hdlc_tx_free(frames_);
}

void Goodbye::say(std::span<int16_t> out) {
  std::fill(out.begin(), out.end(), int16_t{0});
  if (over_) return;
  const size_t silent = std::min<size_t>(pause_, out.size());
  pause_ -= static_cast<unsigned>(silent);
  const auto rest = out.subspan(silent);
  if (!rest.empty() && fsk_tx(modem_, rest.data(), static_cast<int>(rest.size())) < static_cast<int>(rest.size())) over_ = true;
}

}  // namespace pbx

#include "audio_fax.h"

#include <algorithm>
#include <array>
#include <new>

#include "spandsp_headers.h"

namespace pbx {

namespace {

constexpr size_t frameSamples = 160;
// 60 ms. A longer gap is silence: a modem that coasts on never notices the end of a carrier, and a far end that sends nothing while
// it is silent would be heard without end.
constexpr unsigned mostLostFrames = 3;

}  // namespace

AudioFax::AudioFax(const FaxOrder& order, FaxEvents& events) : fax_(fax_init(nullptr, order.sending)) {
  if (fax_ == nullptr) throw std::bad_alloc();
  fax_set_transmit_on_idle(fax_, TRUE);
  session_ = std::make_unique<T30Session>(fax_get_t30_state(fax_), order, events);
}

AudioFax::~AudioFax() {
  session_.reset();
  t30_terminate(fax_get_t30_state(fax_));  // closes the file
  fax_free(fax_);
}

void AudioFax::hear(std::span<const int16_t> samples) {
  if (session_->over() || goodbye_) return;
  if (!samples.empty()) lostFrames_ = 0;
  if (samples.empty() && ++lostFrames_ <= mostLostFrames) {
    // The modems coast through the gap and keep their symbol clock.
    fax_rx_fillin(fax_, frameSamples);
  } else {
    // spandsp works in place.
    std::array<int16_t, frameSamples> block{};
    std::copy_n(samples.begin(), std::min(samples.size(), block.size()), block.begin());
    fax_rx(fax_, block.data(), static_cast<int>(block.size()));
  }
  step();
}

void AudioFax::say(std::span<int16_t> out) {
  if (goodbye_) {
    goodbye_->say(out);
    if (goodbye_->over()) session_->end(T30_ERR_OPER_INT_FAIL, why_);
    return;
  }
  int made = session_->over() ? 0 : fax_tx(fax_, out.data(), static_cast<int>(out.size()));
  made = std::clamp(made, 0, static_cast<int>(out.size()));
  std::fill(out.begin() + made, out.end(), int16_t{0});
  step();
}

void AudioFax::step() {
  session_->poll();
  if (session_->exceeded()) stop(session_->exceededText());
}

void AudioFax::stop(const std::string& text) {
  if (session_->over() || goodbye_) return;
  why_ = text;
  goodbye_ = std::make_unique<Goodbye>();
}

}  // namespace pbx

// The detectors of fax tones run only where there may be something for them; what they find is the same as if they always ran.
#include "../media/fax_tones.h"

#include "check.h"
#include "signals.h"
// Its macros are in the way of the standard library's functions.
#include "../fax/spandsp_headers.h"

namespace {

// V.21 channel 2 as an answering machine begins with: flags of HDLC, 300 bit/s, 1650 and 1850 Hz.
Samples preamble(unsigned ms, double dbm0) {
  Samples out(ms * 8);
  double phase = 0;
  for (size_t i = 0; i < out.size(); i++) {
    const size_t bit = i * 300 / 8000 % 8;
    const bool one = bit != 0 && bit != 7;
    phase += 2 * std::numbers::pi * (one ? 1650 : 1850) / 8000;
    out[i] = static_cast<int16_t>(peakOf(dbm0) * std::sin(phase));
  }
  return out;
}

template <typename Each>
void frames(const Samples& samples, Each each) {
  for (size_t i = 0; i + 160 <= samples.size(); i += 160) each(std::span(samples).subspan(i, 160), i / 160);
}

struct Found {
  int cng = -1, ced = -1;
};

Found always(const Samples& samples) {
  Found found;
  for (const bool calling : {true, false}) {
    modem_connect_tones_rx_state_s* state =
        modem_connect_tones_rx_init(nullptr, calling ? MODEM_CONNECT_TONES_FAX_CNG : MODEM_CONNECT_TONES_FAX_CED_OR_PREAMBLE, nullptr, nullptr);
    int& at = calling ? found.cng : found.ced;
    frames(samples, [&](std::span<const int16_t> frame, size_t number) {
      if (at >= 0) return;
      modem_connect_tones_rx(state, frame.data(), static_cast<int>(frame.size()));
      if (modem_connect_tones_rx_get(state) != MODEM_CONNECT_TONES_NONE) at = static_cast<int>(number);
    });
    modem_connect_tones_rx_free(state);
  }
  return found;
}

Found gated(const Samples& samples) {
  Found found;
  pbx::FaxTones tones;
  frames(samples, [&](std::span<const int16_t> frame, size_t number) {
    const char* tone = tones.process(frame);
    if (tone != nullptr) (tone[1] == 'n' ? found.cng : found.ced) = static_cast<int>(number);
  });
  return found;
}

void same(const Samples& samples) {
  const Found one = always(samples), other = gated(samples);
  CHECK_SAME(other.cng >= 0, one.cng >= 0);
  CHECK_SAME(other.ced >= 0, one.ced >= 0);
  // A frame of 20 ms either way: a detector that always runs begins with what it heard before.
  CHECK(std::abs(other.cng - one.cng) <= 1);
  CHECK(std::abs(other.ced - one.ced) <= 1);
}

}  // namespace

TEST("fax tones: what is found, and when, is what detectors that always run find") {
  unsigned seed = 1;
  for (const double level : {-5.0, -20.0, -35.0, -42.0}) {
    for (const unsigned shift : {0u, 3u, 7u, 13u}) {
      const Samples before = babble(600, -20) + silence(40 + shift);
      const auto line = [&](const Samples& samples) { return mix(before + samples + silence(200), noise(8000, level - 25, seed++)); };
      for (const double hz : {1062.0, 1080.0, 1100.0, 1120.0, 1138.0}) same(line(sine(hz, 500, level) + silence(1000) + sine(hz, 500, level)));
      // The shortest that T.30 allows.
      same(line(sine(1100, 425, level) + silence(800)));
      for (const double hz : {2085.0, 2100.0, 2115.0}) same(line(sine(hz, 2600, level)));
      same(line(preamble(1000, level)));
    }
  }
  CHECK_BETWEEN(gated(sine(1100, 500, -20)).cng, 18, 24);
  CHECK(gated(sine(2100, 2600, -20)).ced > 0);
  CHECK(gated(preamble(1000, -20)).ced > 0);
}

TEST("fax tones: silence, noise, voices and ringing tones do not wake the detectors") {
  const auto share = [](const Samples& samples) {
    unsigned may = 0;
    frames(samples, [&](std::span<const int16_t> frame, size_t) { may += pbx::mayBeFaxTone(frame); });
    return 100.0 * may / static_cast<double>(samples.size() / 160);
  };
  CHECK_SAME(share(silence(1000)), 0.0);
  CHECK_SAME(share(noise(5000, -20)), 0.0);
  CHECK_SAME(share(mix(sine(440, 2000, -10), sine(480, 2000, -10))), 0.0);
  CHECK_SAME(share(sine(425, 2000, -10)), 0.0);
  CHECK(share(babble(20'000, -18)) < 5);
  CHECK_SAME(share(sine(1100, 1000, -20)), 100.0);
  CHECK_SAME(share(sine(2100, 1000, -40)), 100.0);
  CHECK_SAME(share(preamble(1000, -40)), 100.0);
}

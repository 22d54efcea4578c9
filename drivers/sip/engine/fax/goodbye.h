// A disconnect command (DCN, ITU-T T.30 section 5.3.6.1.8): one second of V.21 flags and the frame. It is made without
// spandsp's T.30 engine, which has no way to be stopped from outside.
#pragma once
#include <cstdint>
#include <span>

struct hdlc_tx_state_s;
struct fsk_tx_state_s;

namespace pbx {

class Goodbye {
 public:
  Goodbye();
  ~Goodbye();
  Goodbye(const Goodbye&) = delete;
  Goodbye& operator=(const Goodbye&) = delete;

  // Fills with the next samples; silence after the end.
  void say(std::span<int16_t> out);
  bool over() const { return over_; }

 private:
  hdlc_tx_state_s* frames_;
  fsk_tx_state_s* modem_;
  unsigned pause_ = 600;  // samples of silence before it: 75 ms, what T.30 leaves between two carriers
  bool over_ = false;
};

}  // namespace pbx

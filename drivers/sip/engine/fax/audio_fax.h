// A fax call over audio: spandsp's modems and T.30 engine, 160 samples in and 160 out for every 20 ms. Knows no time but
// the samples, so that two of them can talk faster than real time.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "goodbye.h"
#include "front_end.h"

struct fax_state_s;

namespace pbx {

class AudioFax final : public FaxFrontEnd {
 public:
  AudioFax(const FaxOrder& order, FaxEvents& events);
  ~AudioFax() override;

  void hear(std::span<const int16_t> samples) override;
  void say(std::span<int16_t> out) override;
  void stop(const std::string& text) override;
  T30Session& session() override { return *session_; }
  bool over() const override { return session_->over() && (!goodbye_ || goodbye_->over()); }

 private:
  void step();
  fax_state_s* fax_;
  std::unique_ptr<T30Session> session_;
  std::unique_ptr<Goodbye> goodbye_;
  std::string why_;
  unsigned lostFrames_ = 0;  // in a row
};

}  // namespace pbx

// What carries a T.30 session: modems over audio, or T.38.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "t30_session.h"

namespace pbx {

class FaxFrontEnd {
 public:
  virtual ~FaxFrontEnd() = default;
  // 20 ms of what the far end said, or (empty) that they were lost.
  virtual void hear(std::span<const int16_t> samples) = 0;
  // The next 20 ms for the far end.
  virtual void say(std::span<int16_t> out) = 0;
  // Says DCN and ends with code 7 and this text.
  virtual void stop(const std::string& text) = 0;
  virtual T30Session& session() = 0;
  // Ended, and the last of it was said.
  virtual bool over() const = 0;
};

}  // namespace pbx

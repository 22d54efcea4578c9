// Keeps frames from spandsp 0.0.6 that it fails on. Any caller can send them; each was found by fuzzing (npm run fuzz -- fax).
#pragma once
#include <cstdint>
#include <span>

namespace pbx {

class FrameGuard {
 public:
  // A frame of good check sum as it came, 3 octets or more: address, control, facsimile control field, facsimile information
  // field. The control field under which spandsp may read it: its own, or one that makes it harmless.
  uint8_t control(std::span<const uint8_t> frame);

 private:
  bool dangerous(std::span<const uint8_t> frame);
  unsigned nonStandard_ = 0;
};

}  // namespace pbx

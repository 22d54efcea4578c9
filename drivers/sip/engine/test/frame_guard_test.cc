// Frames that a caller may send and spandsp must not see.
#include "../fax/frame_guard.h"

#include <vector>

#include "check.h"

namespace {

using Frame = std::vector<uint8_t>;

bool dangerous(const Frame& frame) {
  return pbx::FrameGuard().control(frame) != frame[2];
}

// DCS of V.17 14400, fine, 1728 wide, T.6 with error correction, and so many octets in all; `number` is set as well.
Frame dcs(size_t size = 11, unsigned number = 0) {
  Frame frame = {0xFF, 0x13, 0x83, 0x00, 0x62, 0x80, 0x44};
  frame.resize(size);
  if (number > 0) frame.at(3 + (number - 1) / 8) |= static_cast<uint8_t>(1 << (number - 1) % 8);
  return frame;
}

}  // namespace

TEST("frame guard: image data without a number") {
  CHECK(dangerous({0xFF, 0x03, 0x06}));
  CHECK(dangerous({0xFF, 0x13, 0x07}));
  CHECK(!dangerous({0xFF, 0x03, 0x06, 0x00}));
  CHECK(!dangerous({0xFF, 0x03, 0x86}));
}

TEST("frame guard: DCS that is longer than the standard's or agrees to what was not offered") {
  CHECK(!dangerous(dcs()));
  CHECK(!dangerous(dcs(6)));
  CHECK(!dangerous(dcs(22)));
  CHECK(dangerous(dcs(23)));
  CHECK(dangerous(dcs(260)));
  for (const unsigned number : {13u, 17u, 18u, 41u, 42u, 43u, 78u, 79u, 105u, 109u}) CHECK(dangerous(dcs(20, number)));
  // Fine resolution, two-dimensional coding, unlimited length, shortest row time, 64 octets a frame.
  for (const unsigned number : {15u, 16u, 20u, 21u, 22u, 23u, 28u}) CHECK(!dangerous(dcs(20, number)));
}

TEST("frame guard: a modem that does not exist in the midst of a page") {
  CHECK(!dangerous({0xFF, 0x13, 0x12, 0x00, 0x20}));
  CHECK(dangerous({0xFF, 0x13, 0x12, 0x00, 0x30}));
  CHECK(dangerous({0xFF, 0x13, 0x12}));
}

TEST("frame guard: non-standard frames without end") {
  pbx::FrameGuard guard;
  const Frame nsf = {0xFF, 0x03, 0x20, 0xB5, 0x00};
  unsigned passed = 0;
  for (int i = 0; i < 1000; i++) passed += guard.control(nsf) == nsf[2];
  CHECK_SAME(passed, 64u);
}

// The rings between the clock and the receivers of its events.
#include "check.h"
#include "fakes.h"

namespace {

using Piece = std::array<int16_t, 160>;

}  // namespace

TEST("audio that nobody takes is dropped and counted, piece by piece; what was taken in comes whole and in order") {
  FakeEvents events;
  pbx::NodeStack discards;
  pbx::EventRing ring(discards);
  ring.start(events, false);
  // 300 ticks of ten tapped legs: more than the ring holds.
  for (uint32_t tick = 0; tick < 300; tick++) {
    for (pbx::LegId leg = 1; leg <= 10; leg++) ring.audio(leg, tick * 20, Piece{});
    ring.publish();
  }
  CHECK_SAME(ring.droppedAudio(), 3000u - 2048u);
  ring.deliver();
  CHECK_SAME(events.frames.size(), 205u);
  for (size_t tick = 0; tick < 204; tick++) {
    CHECK_SAME(events.frames[tick].size(), 10 * pbx::audioEntryBytes);
    CHECK_SAME(pbx::readU32(events.frames[tick].data() + 4), tick * 20);
  }
  events.frames.clear();
  ring.audio(3, 6000, Piece{});
  ring.publish();
  ring.deliver();
  CHECK_SAME(events.frames.size(), 1u);
  CHECK_SAME(pbx::readU32(events.frames[0].data()), 3u);
}

TEST("what the clock tells comes in its order, once it is published") {
  FakeEvents events;
  pbx::NodeStack discards;
  pbx::EventRing ring(discards);
  ring.start(events, false);
  ring.played(1, 7, true, 500);
  ring.played(1, 8, false, 120);
  ring.deliver();
  CHECK_SAME(events.story(), std::string());
  ring.publish();
  ring.deliver();
  CHECK_SAME(events.story(), std::string("7:done@500 8:cut@120"));
}

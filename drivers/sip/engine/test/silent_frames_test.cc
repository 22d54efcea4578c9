// Frames that were not sent, and frames that were lost, distinguished by what came.
#include "../media/silent_frames.h"

#include "check.h"

namespace {

struct Wire {
  pbx::SilentFrames frames;
  int frame = 1000;
  uint16_t sequence = 65530;
  int perPacket = 1;
  void packet() {
    frame += perPacket;
    sequence++;
    frames.see(frame, sequence);
  }
  void silence(int count) { frame += count; }
  void loss(int count) {
    frame += count * perPacket;
    sequence = static_cast<uint16_t>(sequence + count);
  }
  int silent() {
    int count = 0;
    while (frames.wasSilent()) count++;
    return count;
  }
};

}  // namespace

TEST("silent frames: a gap in the timestamps alone was never sent, a gap in both was lost") {
  Wire wire;
  for (int i = 0; i < 20; i++) wire.packet();
  CHECK_SAME(wire.silent(), 0);
  wire.loss(3);
  for (int i = 0; i < 5; i++) wire.packet();
  CHECK_SAME(wire.silent(), 0);
  wire.silence(4);
  wire.packet();
  CHECK_SAME(wire.silent(), 4);
  wire.silence(5);
  wire.loss(2);
  wire.packet();
  CHECK_SAME(wire.silent(), 5);
}

TEST("silent frames: comfort noise takes a number and carries no frame") {
  Wire wire;
  for (int i = 0; i < 20; i++) wire.packet();
  wire.sequence++;
  wire.silence(6);
  wire.packet();
  CHECK_SAME(wire.silent(), 5);
}

TEST("silent frames: packets of two frames, and one that is counted before its frame is there") {
  Wire wire;
  wire.perPacket = 2;
  for (int i = 0; i < 20; i++) wire.packet();
  wire.silent();
  for (int i = 0; i < 20; i++) wire.packet();
  CHECK_SAME(wire.silent(), 0);
  wire.frames.see(wire.frame, static_cast<uint16_t>(wire.sequence + 1));
  wire.packet();
  CHECK_SAME(wire.silent(), 0);
  wire.silence(7);
  wire.packet();
  CHECK_SAME(wire.silent(), 7);
}

TEST("silent frames: what follows an empty buffer begins anew") {
  Wire wire;
  for (int i = 0; i < 20; i++) wire.packet();
  wire.frames.ranDry();
  wire.silence(400);
  wire.packet();
  wire.packet();
  CHECK_SAME(wire.silent(), 0);
}

// Distinguishes frames that a far end did not send because it had nothing to say (voice activity detection, RFC 3551 section
// 4.1) from frames that were lost. In a silence the timestamps advance and the sequence numbers do not; a loss leaves a gap
// in both.
#pragma once
#include <cstdint>

namespace pbx {

class SilentFrames {
 public:
  // Each tick: the newest frame in the jitter buffer, counted by timestamps, and the newest sequence number that came.
  void see(int newest, uint16_t sequence);
  // The buffer is empty: what comes next starts a new count, however long it takes.
  void ranDry();
  // A frame is missing whose successors are there: true if it was never sent.
  bool wasSilent();

 private:
  bool known_ = false;
  int newest_ = 0;
  uint16_t sequence_ = 0;
  int step_ = 0;            // frames by which the last packet that came alone was further on
  int framesOfPacket_ = 1;
  int silent_ = 0;          // of the frames in the buffer; less than none while packets came that carry no frame
};

}  // namespace pbx

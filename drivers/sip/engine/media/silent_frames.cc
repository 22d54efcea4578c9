#include "silent_frames.h"

namespace pbx {

void SilentFrames::see(int newest, uint16_t sequence) {
  if (!known_) {
    known_ = true;
    silent_ = step_ = 0;
  } else {
    const int frames = newest - newest_;
    if (frames <= 0) return;  // the packet that was counted is not in the buffer yet
    const int packets = static_cast<int16_t>(sequence - sequence_);
    if (packets == 1) {
      if (frames == step_) framesOfPacket_ = frames;
      step_ = frames;
    }
    silent_ += frames - packets * framesOfPacket_;
  }
  newest_ = newest;
  sequence_ = sequence;
}

void SilentFrames::ranDry() {
  known_ = false;
  silent_ = 0;
}

bool SilentFrames::wasSilent() {
  if (silent_ <= 0) return false;
  silent_--;
  return true;
}

}  // namespace pbx

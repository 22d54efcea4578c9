// Reads keys out of the packets of RFC 4733 events, each once and with its first packet, whatever is lost, repeated or left out on the way. A
// press of a key is known by its code and the timestamp of its beginning; senders that give several presses one timestamp, or one press several,
// are understood as well.
#pragma once
#include <cstdint>

namespace pbx {

// One packet, in the order of its sequence number: what comes out of order does not come here. Milliseconds.
struct KeyPacket {
  char key = 0;
  uint32_t stamp = 0;  // counts on from anywhere, and begins again where the 32 bits of RTP do
  unsigned durationMs = 0;
  bool end = false, marked = false;
};

class KeyReader {
 public:
  // Whether a key was pressed whose first packet this is. `now`: of a clock that only goes forward.
  bool read(const KeyPacket& packet, int64_t now);

 private:
  bool goesOn(const KeyPacket& packet) const;
  bool isFull(const KeyPacket& packet, uint32_t later) const;

  // The newest packet's press; `open_`: its end has not come.
  KeyPacket last_;
  bool known_ = false, open_ = false;
  int64_t at_ = 0;
};

}  // namespace pbx

// Reads keys out of the packets of RFC 4733 events, each once, whatever is lost, repeated or left out on the way. A press of a key is known by its
// code and the timestamp of its beginning; senders that give several presses one timestamp, or one press several, are understood as well.
#pragma once
#include <cstdint>
#include <optional>

namespace pbx {

// One packet, in the order of its sequence number: what comes out of order does not come here. Milliseconds.
struct KeyPacket {
  char key = 0;
  uint32_t stamp = 0;  // counts on from anywhere, and begins again where the 32 bits of RTP do
  unsigned durationMs = 0;
  bool end = false, marked = false;
};

struct PressedKey {
  char key = 0;
  unsigned durationMs = 0;
};

class KeyReader {
 public:
  // At most two: one whose end was lost, and one that ends with this packet. `now`: of a clock that only goes forward.
  struct Found {
    std::optional<PressedKey> lost, ended;
  };
  Found read(const KeyPacket& packet, int64_t now);
  // A press whose end was lost, and nothing follows it.
  std::optional<PressedKey> overdue(int64_t now);

 private:
  bool goesOn(const KeyPacket& packet) const;
  bool isFull(const KeyPacket& packet, uint32_t later) const;
  std::optional<PressedKey> close();

  // The newest packet's press; `open_`: it has not been reported.
  KeyPacket last_;
  bool known_ = false, open_ = false;
  unsigned fullMs_ = 0;  // of the press, under timestamps before
  int64_t at_ = 0;
};

}  // namespace pbx

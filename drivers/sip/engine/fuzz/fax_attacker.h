// A fax machine of spandsp's that lies: it follows T.30 far enough to be let in, and then says odd frames and sends odd pages.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "../fax/udptl.h"
#include "fax_frames.h"

struct fax_state_s;
struct t30_state_s;
struct t38_terminal_state_s;

namespace fuzz {

struct Malice {
  double frames = 0;        // share of frames that are odd
  double imageFrames = 0;   // share of frames with image data that are
  double bits = 0;          // share of bits turned on pages without error correction
  int fill = -1;            // 0 .. 255: all image data in frames is this byte, such as empty rows without end
  bool image = false;       // pages without error correction are made up
  unsigned honest = 0;      // frames before the first lie
};

struct AttackerOrder {
  bool sending = false, t38 = false, ecm = true;
  int compressions = 0, modems = 0;  // spandsp's bits
  std::string file;                  // sending: read; else written
  Malice malice;
};

class Attacker {
 public:
  using Send = std::function<void(std::span<const uint8_t> ifp)>;
  // `send`: over T.38, called with each IFP packet.
  Attacker(Random& random, const AttackerOrder& order, Send send);
  ~Attacker();
  Attacker(const Attacker&) = delete;
  Attacker& operator=(const Attacker&) = delete;

  // 20 ms, of audio or of T.38.
  void turn(std::span<const int16_t> heard, std::span<int16_t> said);
  void receive(std::span<const uint8_t> ifp, uint16_t sequence);
  // spandsp asks for the next bit (0 or 1; negative: the page has ended) or for bytes of a page.
  int bit(int due);
  int chunk(std::span<uint8_t> bytes, int due);

 private:
  void frame(const uint8_t* message, int length);
  Random& random_;
  const AttackerOrder order_;
  Send send_;
  fax_state_s* fax_ = nullptr;
  t38_terminal_state_s* terminal_ = nullptr;
  t30_state_s* t30_ = nullptr;
  void (*sendFrame_)(void*, const uint8_t*, int) = nullptr;
  void* frontEnd_ = nullptr;
  Bytes image_;
  size_t at_ = 0;
  unsigned frames_ = 0;
  bool imaging_ = false;  // the training went well: what is sent without frames is a page
};

}  // namespace fuzz

#include "frame_guard.h"

#include <algorithm>
#include <iterator>

namespace pbx {

namespace {

// Facsimile control fields as spandsp stores them, without the bit that shows which side sent them (ITU-T T.30 section
// 5.3.6.1).
enum Fcf : uint8_t { dcs = 0x82, ctc = 0x12, nsf = 0x20, nss = 0x22, fcd = 0x06 };

constexpr uint8_t senderIdentity = 0xA2;
constexpr uint8_t unknown = 0;  // ends the call in order, where it is a command or an answer

constexpr unsigned mostNonStandard = 64;  // frames of one call
constexpr size_t mostDcs = 22;            // octets

// Bits of DCS (ITU-T T.30 table 2) that answer nothing a session of ours offers: a modem rate that does not exist, wider
// paper, more than fine resolution, JBIG.
constexpr unsigned notOffered[] = {13, 17, 18, 41, 42, 43, 78, 79, 105, 106, 107, 108, 109};

bool bit(std::span<const uint8_t> frame, unsigned number) {
  const size_t octet = 3 + (number - 1) / 8;
  return octet < frame.size() && (frame[octet] >> (number - 1) % 8 & 1) != 0;
}

}  // namespace

uint8_t FrameGuard::control(std::span<const uint8_t> frame) {
  if (!dangerous(frame)) return frame[2];
  // In the midst of a page the call goes on: the frame becomes a sender's identification, of which nothing is made.
  return (frame[2] & 0xFE) == fcd ? senderIdentity : unknown;
}

bool FrameGuard::dangerous(std::span<const uint8_t> frame) {
  switch (frame[2] & 0xFE) {
    case fcd:
      // Without a frame number its data is copied with a length of -1.
      return frame.size() < 4;
    case dcs:
      // It is written out as text into a place for 22 octets. A modem or a width that does not exist becomes an index or a
      // size of -1; wide rows of high resolution multiply what a page may take.
      return frame.size() > mostDcs || std::any_of(std::begin(notOffered), std::end(notOffered), [&](unsigned number) { return bit(frame, number); });
    case ctc:
      return frame.size() < 5 || bit(frame, 13);
    case nsf:
    case nss:
      // The content of each is kept until the end of the program.
      return ++nonStandard_ > mostNonStandard;
    default:
      return false;
  }
}

}  // namespace pbx

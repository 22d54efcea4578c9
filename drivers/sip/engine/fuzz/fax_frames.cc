#include "fax_frames.h"

#include <algorithm>
#include <string_view>

namespace fuzz {

namespace {

// Facsimile control fields as spandsp writes them (ITU-T T.30 section 5.3.6), of all commands and answers it knows or not.
const Bytes controls = {0x80, 0x40, 0x20, 0x81, 0x41, 0x21, 0x01, 0x82, 0x42, 0x22, 0xC2, 0xC1, 0x84, 0x44, 0x8E, 0x4E, 0x2E, 0x9E, 0x5E, 0x3E, 0xBE, 0x8C, 0x4C, 0xCC, 0xAC, 0x2C,
                        0x8A, 0xFA, 0x1A, 0x8B, 0x06, 0x86, 0x12, 0xCE, 0x1C, 0xEC, 0xDE, 0x6E, 0xCA, 0x62, 0xA1, 0xA2, 0x61, 0xE1, 0xE2, 0x24, 0xA4, 0x64, 0x92, 0x00, 0xFF};

// Code words of ITU-T T.4 and T.6 as text; the last few are the ends and beginnings that decoders trip over.
constexpr std::string_view words[] = {
    "1", "0001", "001", "011", "010", "000011", "000010", "0000011", "0000010",                     // pass, horizontal, vertical modes
    "00110101", "000111", "0111", "1000", "1011", "1100", "1110", "1111", "10011", "00110100",      // white runs
    "0000110111", "010", "11", "10", "011", "0011", "0010", "00011", "000101", "000100",            // black runs
    "11011", "10010", "010111", "0110111", "00110110", "010011011", "011010101",                    // white make-up
    "0000001111", "000011001000", "0000001110011", "0000001010100",                                 // black make-up
    "00000001000", "000000011111", "000000010010",                                                  // make-up of both, to 2560
    "000000000001", "0000000000011", "0000000000010", "000000000001000000000001",                   // ends of line and of block
    "0000001111", "0000001000", "00000000000000000000000000000000", "000000000001000000000001000000000001000000000001000000000001000000000001"};

}  // namespace

Bytes oddImage(Random& random, size_t size) {
  Bytes bytes(size);
  const size_t kind = random.below(5);
  if (kind == 0) {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.below(256));
    return bytes;
  }
  if (kind == 1) {
    // Ones are empty rows of T.6, eight in a byte; zeros never end.
    std::fill(bytes.begin(), bytes.end(), static_cast<uint8_t>(random.chance(0.5) ? 0xFF : random.chance(0.5) ? 0 : random.below(256)));
    return bytes;
  }
  const size_t count = sizeof words / sizeof *words;
  // Runs of no pixels fill no row: as many of them as there is room for.
  constexpr std::string_view nothing[] = {"001", "00110101", "0000110111"};
  const bool empty = random.chance(0.2);
  const std::string_view loop[] = {empty ? nothing[random.below(2)] : words[random.below(count)], empty ? nothing[1] : words[random.below(count)],
                                   empty ? nothing[2] : words[random.below(count)]};
  size_t at = 0;
  const auto put = [&](std::string_view word) {
    for (const char bit : word) {
      if (at >= size * 8) return;
      if (bit == '1') bytes[at / 8] |= static_cast<uint8_t>(1 << at % 8);
      at++;
    }
  };
  while (at < size * 8) {
    if (kind == 2) {
      for (const auto word : loop) put(word);
    } else {
      put(words[random.below(kind == 3 ? 9 : count)]);
    }
  }
  return bytes;
}

void damage(Random& random, Bytes& bytes) {
  for (size_t n = 1 + random.below(4); n > 0 && !bytes.empty(); n--) {
    const size_t at = random.below(bytes.size());
    switch (random.below(6)) {
      case 0: bytes[at] ^= static_cast<uint8_t>(1 << random.below(8)); break;
      case 1: bytes[at] = static_cast<uint8_t>(random.below(256)); break;
      case 2: bytes[at] = random.chance(0.5) ? 0xFF : 0; break;
      case 3: bytes.resize(at); break;
      case 4: {
        const Bytes part(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + random.below(bytes.size() - at)));
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(random.below(bytes.size())), part.begin(), part.end());
        break;
      }
      default: {
        Bytes more(random.below(300));
        for (uint8_t& byte : more) byte = static_cast<uint8_t>(random.below(256));
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), more.begin(), more.end());
      }
    }
  }
}

Bytes oddFrame(Random& random, std::span<const uint8_t> due, size_t most) {
  Bytes frame(due.begin(), due.end());
  const bool image = frame.size() > 4 && (frame[2] & 0xFE) == 0x06;
  switch (random.below(image ? 3 : 6)) {
    case 0:
      damage(random, frame);
      break;
    case 1:
      // Past the control field, which decides who reads it.
      if (frame.size() > 3) {
        Bytes rest(frame.begin() + 3, frame.end());
        damage(random, rest);
        frame.resize(3);
        frame.insert(frame.end(), rest.begin(), rest.end());
      }
      break;
    case 2:
      if (image) {
        const Bytes data = oddImage(random, frame.size() - 4);
        std::copy(data.begin(), data.end(), frame.begin() + 4);
        if (random.chance(0.2)) frame[3] = static_cast<uint8_t>(random.below(256));
      } else if (frame.size() > 2) {
        frame[2] = random.pick(controls);
      }
      break;
    case 3:
      if (frame.size() > 2) frame.resize(3 + random.below(frame.size() - 2));
      break;
    case 4:
      // One bit of what is asked for or agreed on.
      if (frame.size() > 3) frame[3 + random.below(frame.size() - 3)] ^= static_cast<uint8_t>(1 << random.below(8));
      break;
    default: {
      frame = {0xFF, static_cast<uint8_t>(random.chance(0.5) ? 0x13 : 0x03), static_cast<uint8_t>(random.pick(controls) | random.below(2))};
      Bytes field(random.below(random.chance(0.2) ? 300 : 24));
      for (uint8_t& byte : field) byte = static_cast<uint8_t>(random.below(256));
      frame.insert(frame.end(), field.begin(), field.end());
    }
  }
  if (frame.empty()) frame = {0xFF};
  frame.resize(std::min(frame.size(), most));
  return frame;
}

}  // namespace fuzz

#include "fax_datagrams.h"

namespace fuzz {

namespace {

void append(Bytes& out, const Bytes& more) {
  out.insert(out.end(), more.begin(), more.end());
}

Bytes noise(Random& random, size_t size) {
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.below(256));
  return bytes;
}

// Frames as T.38 carries them: least significant bit first.
Bytes hdlc(Random& random) {
  Bytes frame = oddFrame(random, Bytes{0xFF, 0x13, 0x80, 0x00, 0xEE, 0xF8, 0xC4, 0x80, 0x80}, 300);
  for (uint8_t& byte : frame) {
    uint8_t turned = 0;
    for (int bit = 0; bit < 8; bit++) turned = static_cast<uint8_t>(turned | (byte >> bit & 1) << (7 - bit));
    byte = turned;
  }
  return frame;
}

size_t lie(Random& random, size_t size) {
  if (!random.chance(0.03)) return size;
  return random.chance(0.5) ? size + random.below(5) - 2 : random.below(65536);
}

void appendField(Random& random, Bytes& out, const Bytes& bytes) {
  const size_t size = lie(random, bytes.size());
  if (size >= 128 || random.chance(0.02)) out.push_back(static_cast<uint8_t>(0x80 | (size >> 8 & 0x7F)));
  out.push_back(static_cast<uint8_t>(size));
  append(out, bytes);
}

}  // namespace

Bytes oddIfp(Random& random) {
  if (random.chance(0.05)) return noise(random, random.below(40));
  if (random.chance(0.25)) {
    // An indicator: silence, tones, preambles, trainings, or an extended one.
    if (random.chance(0.1)) return {static_cast<uint8_t>(0x20 | random.below(32)), static_cast<uint8_t>(random.below(256))};
    return {static_cast<uint8_t>(random.below(16) << 1)};
  }
  const size_t type = random.chance(0.5) ? 0 : random.below(random.chance(0.1) ? 16 : 9);
  const size_t count = random.below(random.chance(0.05) ? 256 : 4);
  Bytes out = {static_cast<uint8_t>(0xC0 | type << 1), static_cast<uint8_t>(lie(random, count))};
  bool half = false;  // fields without data take half an octet (version 0)
  for (size_t i = 0; i < count; i++) {
    const size_t kind = type == 0 ? random.below(6) : random.below(8);
    const bool data = kind == 0 || kind == 6 ? random.chance(0.95) : random.chance(0.1);
    const uint8_t code = static_cast<uint8_t>((data ? 8 : 0) | kind);
    if (half) out.back() |= code;
    else out.push_back(static_cast<uint8_t>(code << 4));
    half = !half && !data;
    if (!data) continue;
    const Bytes content = kind != 0 ? oddImage(random, 1 + random.below(100)) : type == 0 || random.chance(0.3) ? hdlc(random) : oddImage(random, 1 + random.below(300));
    const size_t size = lie(random, content.size() - 1);
    out.push_back(static_cast<uint8_t>(size >> 8));
    out.push_back(static_cast<uint8_t>(size));
    append(out, content);
  }
  if (random.chance(0.05)) damage(random, out);
  return out;
}

Bytes oddDatagram(Random& random, const Bytes& ifp, uint16_t& sequence) {
  if (random.chance(0.02)) sequence = static_cast<uint16_t>(random.below(65536));
  Bytes out = {static_cast<uint8_t>(sequence >> 8), static_cast<uint8_t>(sequence)};
  sequence = static_cast<uint16_t>(sequence + (random.chance(0.03) ? random.below(10) : 1));
  appendField(random, out, ifp);
  // Ends here, so that a reader that goes on is seen.
  if (random.chance(0.5)) return out;
  if (random.chance(0.8)) {
    out.push_back(0);
    const size_t count = random.below(random.chance(0.1) ? 80 : 4);
    out.push_back(static_cast<uint8_t>(lie(random, count)));
    for (size_t i = 0; i < count; i++) appendField(random, out, oddIfp(random));
  } else {
    // Parity, which is not used: a span, the number of parity fields, and these.
    append(out, {0x80, 1, static_cast<uint8_t>(random.below(8)), static_cast<uint8_t>(random.below(8))});
    append(out, noise(random, random.below(100)));
  }
  if (random.chance(0.05)) damage(random, out);
  return out;
}

}  // namespace fuzz

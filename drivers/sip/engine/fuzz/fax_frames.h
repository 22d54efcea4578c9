// What a hostile fax machine says: T.30 frames and the bits of pages, damaged ones and such as no machine would make.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mutate.h"

namespace fuzz {

using Bytes = std::vector<uint8_t>;

// Bytes of a page: code words of T.4 and T.6 in any order, one word for ever, or noise.
Bytes oddImage(Random& random, size_t size);
// A frame as spandsp takes it (address, control, facsimile control field, facsimile information field; no check sum), at
// most `most` bytes: the one that was due with some damage, or another.
Bytes oddFrame(Random& random, std::span<const uint8_t> due, size_t most);
// Bits, bytes, parts and lengths of anything.
void damage(Random& random, Bytes& bytes);

}  // namespace fuzz

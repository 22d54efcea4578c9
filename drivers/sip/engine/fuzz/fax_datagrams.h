// Odd IFP packets and UDPTL datagrams (ITU-T T.38).
#pragma once
#include "fax_frames.h"

namespace fuzz {

// An IFP packet of any type and any fields, whose lengths are right or lie.
Bytes oddIfp(Random& random);
// A datagram around a packet: right, or with counts and lengths that lie. `sequence` moves on, or jumps.
Bytes oddDatagram(Random& random, const Bytes& ifp, uint16_t& sequence);

}  // namespace fuzz

// The sender of a request that an edge (`edges`) only passed on: a proxy of this house in front of the box, which writes
// down where the request came to it from (RFC 3261 section 18.2.1, RFC 3581). A source that is no edge is judged by the
// packet alone, whatever its Via claims.
#pragma once
#include <string>
#include <vector>

#include "address.h"
#include "pj.h"

namespace pbx {

void setEdges(std::vector<Network> edges);
bool isEdge(const std::string& ip);

// The address that the packet has.
HostPort packetSource(const pjsip_rx_data* message);
bool fromEdge(const pjsip_rx_data* message);
// `received` and `rport` of the Via below the topmost, else its sent-by, where the packet came from an edge, and so on while that is an edge,
// too; the edge itself where there is no further Via or none that names an IP address. Of an answer: the packet's. The port is never 0.
HostPort senderOf(const pjsip_rx_data* message);

}  // namespace pbx

// Whether the URI that a digest was made for is the one the request goes to (RFC 7616 section 3.4.6): a digest that a phone made
// for one call must not place another.
#pragma once
#include <string>

#include "pj.h"

namespace pbx {

// The user must be the same. Differences that mean nothing here are let through: sips for sip, the case of the host, the port and the
// parameters, which phones leave out or add, and one IP address for another, which address translators write into the request.
bool sameTarget(const std::string& digestUri, pjsip_rx_data* request);

}  // namespace pbx

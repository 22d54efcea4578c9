// Who speaks to whom: numbers out of the addresses of a request, and numbers as addresses are written with them.
#pragma once
#include <string>

#include "pj.h"

namespace pbx {

// The user part of an address in a header: "Ann Lee" <sip:+1555@host>;x=y  ->  +1555. "" where there is none.
std::string userIn(const std::string& header);
// The sender's number: what a trunk asserts (RFC 3325) before what From claims; "" for one who withholds it.
std::string callerOf(const pjsip_rx_data* request, bool fromTrunk);
// The number that is wanted: of the request URI, else of To.
std::string calledOf(const pjsip_rx_data* request);
// Characters of the user part that RFC 3261 lets stand; the rest is escaped.
std::string escapedUser(const std::string& user);

}  // namespace pbx

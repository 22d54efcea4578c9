// What of a received message is put right, or looked at, before PJSIP's upper layers see it.
#pragma once
#include "pj.h"

namespace pbx {

// Headers that stand in their compact form have their long names (RFC 3261 section 7.3.3): PJSIP, and we, look for many by these alone.
void spellOut(pjsip_msg* message);
// PJSIP compares the URI of every Contact in the answer to a REGISTER with ours; "*" has none. And the Contact of an answer that begins a call has to be
// an address: where it is a telephone number, the one that was called stands for it.
void dropStars(pjsip_msg* message);
// Whether the message means what it says without the headers that could not be read, as a challenge of another kind, or a date in Expires.
bool understood(const pjsip_rx_data* message);
// PJSIP takes the URI of a Record-Route for a SIP URI without looking, and reads past the end of any other.
bool soundRoutes(const pjsip_msg* message);
// More bytes or lines of media than PJSIP's tables have room for.
bool tooLarge(const pjsip_msg_body* body);

}  // namespace pbx

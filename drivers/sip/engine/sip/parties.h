// Who speaks to whom: numbers out of the addresses of a request, and numbers as addresses are written with them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "pj.h"
#include "settings.h"

namespace pbx {

// The user part of an address in a header: "Ann Lee" <sip:+1555@host>;x=y  ->  +1555. "" where there is none.
std::string userIn(const std::string& header);
// The sender's number: what a trunk asserts (P-Asserted-Identity of RFC 3325, Remote-Party-ID) before what From claims; "" for
// one who withholds it.
std::string callerOf(const pjsip_rx_data* request, bool fromTrunk);
// The number that is wanted, by the trunk's `calledNumber`; of the request URI, else of To, without a trunk.
std::string calledOf(const pjsip_rx_data* request, const TrunkSettings* trunk);
// Who forwarded the call here last: Diversion (RFC 5806), else History-Info (RFC 7044); "" where nobody did.
std::string divertedBy(const pjsip_rx_data* request);
// Whether the request went to the contact of this trunk's account: it bears our mark, or the account's name as its user.
bool toContactOf(const pjsip_rx_data* request, const TrunkSettings& trunk);
// The mark of the account that the contact was made for (trunk_account.h); "" where there is none.
std::string markIn(const pjsip_rx_data* request);
// The same number in two spellings: with or without country code and plus sign.
bool sameNumber(const std::string& a, const std::string& b);
// The display name of From or To, "" where there is none.
std::string displayOf(const pjsip_fromto_hdr* header);
// Headers X-..., at most 20, names in lower case.
nlohmann::json extraHeaders(const pjsip_msg* message);
// Characters of the user part that RFC 3261 lets stand; the rest is escaped.
std::string escapedUser(const std::string& user);

}  // namespace pbx

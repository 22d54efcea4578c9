// Who speaks to whom: numbers out of the addresses of a request, and numbers as addresses are written with them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "number.h"
#include "pj.h"
#include "settings.h"

namespace pbx {

// Number and name out of one place; "" for what is not known, or withheld.
struct Party {
  std::string number, name;
};

// The caller of a request: what a trunk asserts (P-Asserted-Identity of RFC 3325, Remote-Party-ID) before what From claims,
// and the name that stands next to that very number. Empty for a caller who withholds the identity (RFC 3323), wherever it
// stands.
Party callerOf(const pjsip_rx_data* request, bool fromTrunk);
// The number that is wanted, by the trunk's `calledNumber`; of the request URI, else of To, without a trunk.
std::string calledOf(const pjsip_rx_data* request, const TrunkSettings* trunk);
// The emergency number in what a phone asks for, as it was dialled or by RFC 5031; "" where it is none.
std::string helpIn(const pjsip_rx_data* request, const Settings& settings);
// A phone whose registration has expired may call for help, and is challenged for its password as for REGISTER.
bool callsForHelp(const pjsip_rx_data* request, const Settings& settings);
// RFC 3261 section 8.2.2.1: schemes by which somebody can be reached here.
bool isReachable(const pjsip_uri* asked);
// The party that forwarded the call here last: Diversion (RFC 5806), else History-Info (RFC 7044); "" where there is none,
// or it is withheld.
std::string divertedBy(const pjsip_rx_data* request);
// Whether the request went to the contact of this trunk's account: it bears our mark, or the account's name as its user.
bool toContactOf(const pjsip_rx_data* request, const TrunkSettings& trunk);
// The mark of the account that the contact was made for (trunk_account.h); "" where there is none.
std::string markIn(const pjsip_rx_data* request);
// The display name of From or To, "" where there is none.
std::string nameOf(const pjsip_fromto_hdr* header);
// Headers X-..., at most 20, names in lower case; none with the number of one who withholds it from a trunk.
nlohmann::json extraHeaders(const pjsip_rx_data* request, bool fromTrunk);
// Characters of the user part that RFC 3261 lets stand; the rest is escaped.
std::string escapedUser(const std::string& user);

}  // namespace pbx

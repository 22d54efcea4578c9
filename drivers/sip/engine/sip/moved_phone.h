// A telephone that is heard from another place than when its call began: its connection broke and it made another, or the
// NAT mapped its address differently. Requests of its calls, above all a BYE, go to where it is now.
#pragma once
#include <functional>
#include <string>

#include "legs.h"
#include "pj.h"

namespace pbx {

// `request`: the REGISTER of a phone of the extension, which has proven itself. `left`: whether no phone is registered at that ip:port any more, where
// this one may have been. On the thread of SIP.
void callsFollow(const Legs& legs, const pjsip_rx_data* request, const std::string& extension, const std::function<bool(const std::string& address)>& left);

}  // namespace pbx

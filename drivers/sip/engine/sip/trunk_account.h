// The account of a trunk as pjsua wants it: where it registers and sends, and with what it proves itself.
#pragma once
#include <string>

#include "pj.h"
#include "settings.h"

namespace pbx {

// The parameter in a contact's address that names its trunk. Registrars send calls to the contact as they received it, and
// only this parameter distinguishes two accounts with one provider.
inline constexpr char contactMark[] = "line";

// "sip:server" with the transport parameter the trunk needs; `user` may be empty.
std::string trunkUri(const TrunkSettings& trunk, const std::string& user);

// Makes the account, or changes `account` if there is one; a new one does not register by itself. `config`: what every account of ours begins with; written to in
// place, since its lists hold its own address.
pj_status_t openAccount(const TrunkSettings& trunk, pjsua_acc_config& config, pjsua_acc_id& account);

}  // namespace pbx

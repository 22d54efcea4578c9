// Texts (RFC 3428): what a provider sends, and what the daemon orders and answers.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "mutate.h"

namespace fuzz {

// A MESSAGE outside any call, sound but for bodies that no person writes and headers that no provider needs.
std::string textRequest(Random& random, const std::string& via, const std::string& server, const std::string& user);
// `textSend` for the trunk `main`, one in five with an odd member.
nlohmann::json textOrder(Random& random, unsigned id);
// `textReply` to a text that came in; some come late, twice or to a text that never was.
nlohmann::json textReply(Random& random, unsigned id);

}  // namespace fuzz

// What the daemon's end of the socket sends: orders for any leg, ended or not, at any time; odd ones; and broken frames.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "mutate.h"

namespace fuzz {

// A sound order for a leg. Recordings go to `folder`.
nlohmann::json order(Random& random, unsigned leg, const std::string& folder);
nlohmann::json dialOrder(Random& random, unsigned leg);
// An order with members of the wrong kind or size.
nlohmann::json oddOrder(Random& random, unsigned leg);
// A `configure` message: the trunk "main" at that ip:port, the extension 101.
nlohmann::json configuration(const std::string& trunk);
// Adds trunks and extensions, odd ones among them, to a `configure` message.
void oddLines(Random& random, nlohmann::json& configure);
// Payload of a `clip` or `pcm` frame.
std::string pcmPayload(Random& random, unsigned leg);
// Bytes that break the framing sooner or later.
std::string damagedFrames(Random& random);

}  // namespace fuzz

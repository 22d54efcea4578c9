// Which codecs a call offers and accepts, and in which order: a trunk's `codecs` (protocol `configure`).
#pragma once
#include <string>
#include <vector>

#include "pj.h"

namespace pbx {

// Leaves the named codecs in every audio line, in that order, and telephone-event behind them. A line that would be left
// without a codec stays as it is, and so does everything when `codecs` is empty.
void chooseCodecs(pjmedia_sdp_session* sdp, const std::vector<std::string>& codecs);

}  // namespace pbx

// Replaces (RFC 3891): a call that takes the place of another one, which it names by its dialog.
#pragma once
#include <optional>
#include <string>

#include "pj.h"

namespace pbx {

// Tags as the one who is asked sees them: `toTag` is its own.
struct Replaced {
  std::string callId, toTag, fromTag;
  bool early = false;  // only while it rings
};

// The value of a Replaces, as it stands in a URI; nothing where it names no dialog.
std::optional<Replaced> readReplaces(pj_pool_t* pool, const pj_str_t& value);
// The header of a request, which is taken out of it, for pjsua would act on it by itself. False: there are several, or it names no dialog.
bool takeReplaces(pjsip_rx_data* request, std::optional<Replaced>& replaced);

// Of an INVITE that begins a call, while it is handed up.
Replaced dialogOf(pjsip_rx_data* invite);

}  // namespace pbx

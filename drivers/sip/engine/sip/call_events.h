// What PJSIP tells of calls, told to the daemon: arrival, progress, answer, media, keys, hold and the end with its reason.
// The callbacks run on PJSIP's threads, mostly under a dialog's lock: they only note and queue.
#pragma once
#include "context.h"

namespace pbx {

// pjsua's callbacks, bound to `context`, of which there is one in a process.
pjsua_callback callCallbacks(Context& context);

// The Q.850 cause for a SIP status (RFC 4497 section 8.4.4 and ITU-T Q.1912.5, as far as telephones use them).
int causeOf(int sipCode);

// Ends a leg that never reached PJSIP, or whose call could not be made.
void endWithoutCall(Context& context, const std::shared_ptr<CallLeg>& leg, int code, const std::string& text);

}  // namespace pbx

// Turns PJSIP's call callbacks into messages to the daemon: arrival, progress, answer, media, keys, hold and the end with
// its reason. The callbacks run on PJSIP's threads, mostly under a dialog's lock: they only note and queue.
#pragma once
#include "context.h"

namespace pbx {

// pjsua's callbacks, bound to `context`, of which there is one in a process.
pjsua_callback callCallbacks(Context& context);

// The Q.850 cause for a SIP status (RFC 4497 section 8.4.4 and ITU-T Q.1912.5, as far as telephones use them).
int causeOf(int sipCode);

// The cause that a message was sent with, 0 for none: Reason: Q.850;cause=17;text="..." (RFC 3326).
int reasonCause(const pjsip_rx_data* message);

inline constexpr const char* withoutMediaText = "no media was agreed on";

// An end that PJSIP came to by itself is none of the far end's, which only confirms it (487).
void noteOwnCancel(Context& context, CallLeg& leg, pjsua_call_id call);

// Reports the end of a leg once: what was noted about it, and PJSIP's last status. `event` may be null.
void reportEnd(Context& context, const std::shared_ptr<CallLeg>& leg, const pjsua_call_info& info, const pjsip_event* event);

// The far end does not take what we offered in a call that stands: waits, or gives the hold up.
void offerRefused(Context& context, CallLeg& leg, int code);

// Ends a leg that never reached PJSIP, or whose call could not be made.
void endWithoutCall(Context& context, const std::shared_ptr<CallLeg>& leg, int code, const std::string& text);

}  // namespace pbx

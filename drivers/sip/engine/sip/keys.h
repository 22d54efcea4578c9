// Keys the far end presses, by RFC 4733 events and by SIP INFO: each is reported once. Those in the voice are the media
// half's.
#pragma once
#include "context.h"

namespace pbx {

// One packet of an RFC 4733 event, as pjsua delivers it. The key is reported with its first packet: a prompt ends when the caller presses, not
// when they let go. How long it was pressed is not known then.
void keyEvent(Context& context, CallLeg& leg, const pjsua_dtmf_event& event);

// INFO inside a call (application/dtmf-relay, application/dtmf; a flash of the hook by application/hook-flash or
// application/broadsoft, too): answers it.
void keyInfo(Context& context, CallLeg& leg, pjsip_transaction* transaction, pjsip_rx_data* request);

}  // namespace pbx

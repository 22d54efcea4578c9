// The audio streams of a call: what becomes of one when PJSIP has made it, and before it goes.
#pragma once
#include "context.h"

namespace pbx {

// pjsua's on_stream_precreate: packets of the length that the far end asks for (a=ptime), of 60 ms at most.
void limitPacketTime(pjsua_call_id call, pjsua_on_stream_precreate_param* stream);
// The clock takes the stream, and listens for keys in its audio where the line's settings say so.
void streamCreated(Context& context, CallLeg& leg, pjmedia_stream* stream);
// The clock lets it go; its packets are counted for the leg.
void streamDestroyed(Context& context, CallLeg& leg, pjmedia_stream* stream);

}  // namespace pbx

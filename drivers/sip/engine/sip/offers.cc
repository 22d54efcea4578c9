// Descriptions of a call that we offer anew: hold, and the codecs of a modem. One transaction at a time may do so (RFC 3261
// section 14), so an offer often has to wait.
#include <cstdlib>

#include "call_control.h"
#include "call_events.h"

namespace pbx {

namespace {

constexpr int64_t offerAgainMs = 500;

}  // namespace

void CallControl::hold(LegId id, bool on) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->holding = on;
  }
  sendOffer(leg);
}

void CallControl::carryModem(LegId id) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    if (leg->modem) return;
    leg->modem = true;
    if (!leg->answered) return;
  }
  {
    const HeldCall call(*leg);
    pjsua_stream_info stream;
    if (call && (pjsua_call_get_stream_info(call.slot(), 0, &stream) != PJ_SUCCESS || stream.type != PJMEDIA_TYPE_AUDIO)) return;
    const std::string_view codec = call ? view(stream.info.aud.fmt.encoding_name) : "";
    if (codec == "PCMU" || codec == "PCMA") return;
  }
  sendOffer(leg);
}

void CallControl::sendOffer(const LegPointer& leg) {
  bool on = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    on = leg->holding;
    leg->offerAt = 0;
  }
  pj_status_t status = PJ_SUCCESS;
  {
    const HeldCall call(*leg);
    pjsua_call_setting setting = audioOnly();
    setting.flag = PJSUA_CALL_UNHOLD;
    status = !call ? call.status() : on ? pjsua_call_set_hold(call.slot(), nullptr) : pjsua_call_reinvite2(call.slot(), &setting, nullptr);
  }
  if (status == PJ_SUCCESS || status == PJSIP_ESESSIONTERMINATED) return;
  // Not answered yet, or another offer is under way, of ours or of the far end, or one whose answer nobody has acknowledged.
  std::lock_guard lock(context_.legs.mutex());
  leg->offerAt = steadyMs() + offerAgainMs;
}

void offerRefused(Context& context, CallLeg& leg, int code) {
  if (code == PJSIP_SC_UNAUTHORIZED || code == PJSIP_SC_PROXY_AUTHENTICATION_REQUIRED) return;
  std::lock_guard lock(context.legs.mutex());
  if (code == PJSIP_SC_REQUEST_PENDING) {
    // RFC 3261 section 14.1: both sides changed the call at once; who made the call waits longer.
    leg.offerAt = steadyMs() + (leg.inbound ? std::rand() % 2000 : 2100 + std::rand() % 1900);
  } else if (leg.holding) {
    // The far end goes on as it did, and is to be heard again.
    leg.holding = false;
    logLine("WARN", "leg " + std::to_string(leg.id) + ": the far end refuses to be put on hold: " + std::to_string(code));
  }
}

}  // namespace pbx

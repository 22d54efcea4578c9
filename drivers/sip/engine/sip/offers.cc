// New offers for a call that stands: hold, and the codecs of a modem. One transaction at a time may carry one (RFC 3261
// section 14), so an offer often has to wait. An offer also names the party a phone talks with when that has changed.
#include <cstdlib>

#include "call_control.h"
#include "call_events.h"
#include "identity.h"
#include "now.h"
#include "reply.h"

namespace pbx {

namespace {

constexpr int64_t offerAgainMs = 500;

std::vector<Header> assertedIdentity(const std::string& connected) {
  if (connected.empty()) return {};
  return {{"P-Asserted-Identity", connected}};
}

// RFC 3311: changes nothing else about the call, and needs no answer of a description. False: the far end does not take it.
bool sendUpdate(pjsip_inv_session* session, const std::vector<Header>& headers) {
  const pj_str_t method = pjText("UPDATE");
  if (session == nullptr || pjsip_dlg_remote_has_cap(session->dlg, PJSIP_H_ALLOW, nullptr, &method) != PJSIP_DIALOG_CAP_SUPPORTED) return false;
  pjsip_tx_data* update = nullptr;
  if (pjsip_inv_update(session, nullptr, nullptr, &update) != PJ_SUCCESS || update == nullptr) return false;
  for (const Header& header : headers) addHeader(update, header.name, header.value);
  return pjsip_inv_send_msg(session, update) == PJ_SUCCESS;
}

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

void CallControl::connected(LegId id, const std::string& number, const std::string& name) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  std::string shown = phoneFrom({number, name, ""}, context_.settings.get()->realm);
  {
    std::lock_guard lock(context_.legs.mutex());
    if (!leg->answered || leg->connected == shown) return;
    leg->connected = shown;
  }
  {
    const HeldCall call(*leg);
    if (call && sendUpdate(call.session(), assertedIdentity(shown))) return;
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
    const int line = call ? audioLine(call.slot()) : -1;
    if (call && (line < 0 || pjsua_call_get_stream_info(call.slot(), static_cast<unsigned>(line), &stream) != PJ_SUCCESS)) return;
    const std::string_view codec = call ? view(stream.info.aud.fmt.encoding_name) : "";
    if (codec == "PCMU" || codec == "PCMA") return;
  }
  sendOffer(leg);
}

void CallControl::sendOffer(const LegPointer& leg) {
  bool on = false;
  std::vector<Header> headers;
  {
    std::lock_guard lock(context_.legs.mutex());
    on = leg->holding;
    headers = assertedIdentity(leg->connected);
    leg->offerAt = 0;
  }
  pj_status_t status = PJ_SUCCESS;
  {
    const HeldCall call(*leg);
    pjsua_call_setting setting = audioOnly();
    setting.flag = PJSUA_CALL_UNHOLD;
    pjsua_msg_data data;
    pjsua_msg_data_init(&data);
    HeaderList list(headers);
    list.addTo(data.hdr_list);
    status = !call ? call.status() : on ? pjsua_call_set_hold(call.slot(), &data) : pjsua_call_reinvite2(call.slot(), &setting, &data);
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
    // RFC 3261 section 14.1: both sides changed the call at once; the side that made the call waits longer.
    leg.offerAt = steadyMs() + (leg.inbound ? std::rand() % 2000 : 2100 + std::rand() % 1900);
  } else if (leg.holding) {
    // The far end goes on as it did, and is to be heard again.
    leg.holding = false;
    logLine("WARN", "leg " + std::to_string(leg.id) + ": the far end refuses to be put on hold: " + std::to_string(code));
  }
}

}  // namespace pbx

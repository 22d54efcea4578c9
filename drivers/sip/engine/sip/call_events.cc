#include "call_events.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "keys.h"
#include "codec_choice.h"
#include "parties.h"
#include "reply.h"

namespace pbx {

namespace {

using nlohmann::json;

Context* bound = nullptr;

const std::vector<std::string> g711 = {"PCMU", "PCMA"};

// Events of an outbound call may arrive before dial() could bind its slot; the slot's user data names the leg from the start.
std::shared_ptr<CallLeg> legOf(pjsua_call_id call) {
  if (auto leg = bound->legs.byCall(call)) return leg;
  const auto* dialled = static_cast<const CallLeg*>(pjsua_call_get_user_data(call));
  if (dialled == nullptr) return nullptr;
  for (const auto& leg : bound->legs.all()) {
    if (leg.get() != dialled) continue;
    bound->legs.bind(leg, call);
    return leg;
  }
  return nullptr;
}

std::string displayOf(const pjsip_fromto_hdr* header) {
  if (header == nullptr || header->uri == nullptr || !PJSIP_URI_SCHEME_IS_SIP(header->uri)) return "";
  const auto* name = reinterpret_cast<const pjsip_name_addr*>(header->uri);
  return clean(view(name->display));
}

json extraHeaders(const pjsip_msg* message) {
  json headers = json::object();
  for (const pjsip_hdr* header = message->hdr.next; header != &message->hdr && headers.size() < 20; header = header->next) {
    const std::string_view name = view(header->name);
    if (name.size() < 3 || (name[0] != 'X' && name[0] != 'x') || name[1] != '-' || header->type != PJSIP_H_OTHER) continue;
    std::string lower;
    for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    headers[clean(lower)] = clean(view(reinterpret_cast<const pjsip_generic_string_hdr*>(header)->hvalue));
  }
  return headers;
}

void onFindAccount(const pjsip_rx_data*, pjsua_acc_id* account) {
  const Source& source = Gate::source();
  pjsua_acc_id wanted = PJSUA_INVALID_ID;
  if (!source.trunk.empty()) {
    wanted = bound->trunks.account(source.trunk);
  } else {
    const auto settings = bound->settings.get();
    const ExtensionSettings* extension = settings->extension(source.extension);
    const Srtp srtp = extension != nullptr ? extension->srtp : Srtp::automatic;
    wanted = bound->endpoint.phoneAccount(srtp == Srtp::required ? PJMEDIA_SRTP_MANDATORY : srtp == Srtp::off ? PJMEDIA_SRTP_DISABLED : PJMEDIA_SRTP_OPTIONAL);
  }
  if (wanted != PJSUA_INVALID_ID) *account = wanted;
}

void onIncoming(pjsua_acc_id, pjsua_call_id call, pjsip_rx_data* request) {
  const Source source = Gate::source();
  const auto leg = bound->legs.addInbound(call);
  leg->trunk = source.trunk;
  leg->extension = source.extension;
  bound->media.open(leg->id, bound->settings.get()->inbandDigits);
  const std::string from = source.extension.empty() ? callerOf(request, !source.trunk.empty()) : source.extension;
  bound->events.send({{"t", "invite"},
                      {"leg", leg->id},
                      {"trunk", source.trunk},
                      {"extension", source.extension},
                      {"from", clean(from)},
                      {"fromName", displayOf(request->msg_info.from)},
                      {"to", clean(calledOf(request))},
                      {"toName", displayOf(request->msg_info.to)},
                      {"diversion", clean(userIn(headerText(request, "Diversion")))},
                      {"headers", extraHeaders(request->msg_info.msg)},
                      {"source", sourceAddress(request)},
                      {"sipCallId", clean(view(request->msg_info.cid->id))},
                      {"secure", (request->tp_info.transport->flag & PJSIP_TRANSPORT_SECURE) != 0}});
}

// Reason: Q.850;cause=17;text="..." (RFC 3326)
int reasonCause(const pjsip_rx_data* message) {
  const std::string reason = headerText(message, "Reason");
  if (reason.find("Q.850") == std::string::npos) return 0;
  const size_t at = reason.find("cause=");
  return at == std::string::npos ? 0 : std::atoi(reason.c_str() + at + 6);
}

void reportEnd(const std::shared_ptr<CallLeg>& leg, const pjsua_call_info& info, const pjsip_event* event) {
  const bool received = event != nullptr && event->type == PJSIP_EVENT_TSX_STATE && event->body.tsx_state.type == PJSIP_EVENT_RX_MSG;
  int code = info.last_status;
  std::string said = clean(view(info.last_status_text));
  if (received && !leg->answered && event->body.tsx_state.tsx->status_code / 100 == 3) {
    // A redirection is not followed: where calls go is the daemon's to decide. PJSIP then speaks of 487.
    code = event->body.tsx_state.tsx->status_code;
    said = clean(view(event->body.tsx_state.tsx->status_text));
  }
  const char* by = leg->localEnd ? "local" : received ? "remote" : "system";
  const char* reason = "hangup";
  if (leg->silent) {
    by = "system";
    reason = "media-timeout";
  } else if (leg->timedOut) {
    by = "system";
    reason = "no-answer";
    code = 408;
  } else if (!leg->answered) {
    if (leg->inbound) {
      // Our own 487 to a CANCEL is what ends such a call.
      const bool canceled = received || code == PJSIP_SC_REQUEST_TERMINATED;
      reason = leg->localEnd ? "rejected" : canceled ? "canceled" : "failed";
      if (!leg->localEnd && canceled) by = "remote";
    } else {
      const bool refused = received && code >= 400;
      reason = leg->localEnd ? "canceled" : refused ? "rejected" : code == 408 ? "no-answer" : "failed";
    }
  } else {
    code = 200;
    if (std::strcmp(by, "system") == 0) reason = "failed";
  }
  int cause = received ? reasonCause(event->body.tsx_state.src.rdata) : 0;
  if (cause <= 0 || cause > 127) cause = leg->silent ? 41 : causeOf(code);
  const int64_t now = nowMs();
  bound->t38.legEnded(leg->id);
  bound->faxes.legEnded(leg->id);
  bound->media.close(leg->id);
  bound->events.ended(leg->id, {{"t", "ended"},
                                {"leg", leg->id},
                                {"by", by},
                                {"reason", reason},
                                {"code", code},
                                {"cause", cause},
                                {"text", said},
                                {"stats",
                                 {{"rxPackets", leg->rxPackets},
                                  {"rxLost", leg->rxLost},
                                  {"rxJitterMs", leg->rxJitterMs},
                                  {"txPackets", leg->txPackets},
                                  {"durationMs", leg->answeredAt > 0 ? now - leg->answeredAt : 0}}}});
}

void reportAnswer(const std::shared_ptr<CallLeg>& leg, pjsua_call_id call) {
  pjsua_stream_info stream;
  std::string codec;
  if (pjsua_call_get_stream_info(call, 0, &stream) == PJ_SUCCESS && stream.type == PJMEDIA_TYPE_AUDIO) codec = text(stream.info.aud.fmt.encoding_name);
  bool secure = false;
  pjmedia_transport_info transport;
  pjmedia_transport_info_init(&transport);
  if (pjsua_call_get_med_transport_info(call, 0, &transport) == PJ_SUCCESS) {
    const auto* srtp = static_cast<pjmedia_srtp_info*>(pjmedia_transport_info_get_spc_info(&transport, PJMEDIA_TRANSPORT_TYPE_SRTP));
    secure = srtp != nullptr && srtp->active;
  }
  {
    pjsua_call_info info;
    const bool known = pjsua_call_get_info(call, &info) == PJ_SUCCESS;
    std::lock_guard lock(bound->legs.mutex());
    leg->answered = true;
    leg->secure = secure;
    if (known) leg->sipCallId = text(info.call_id);
    leg->answeredAt = leg->packetsAt = nowMs();
  }
  bound->events.answered(leg->id, clean(codec), secure);
}

void onState(pjsua_call_id call, pjsip_event* event) {
  const auto leg = legOf(call);
  if (leg == nullptr) return;
  pjsua_call_info info;
  if (pjsua_call_get_info(call, &info) != PJ_SUCCESS) return;
  switch (info.state) {
    case PJSIP_INV_STATE_EARLY: {
      if (leg->inbound) return;
      const int code = info.last_status;
      const bool early = info.media_status == PJSUA_CALL_MEDIA_ACTIVE;
      {
        std::lock_guard lock(bound->legs.mutex());
        if (leg->lastProvisional == code) return;
        leg->lastProvisional = code;
      }
      bound->events.ringing(leg->id, code, early || code == 183);
      return;
    }
    case PJSIP_INV_STATE_CONFIRMED:
      reportAnswer(leg, call);
      return;
    case PJSIP_INV_STATE_DISCONNECTED:
      if (bound->legs.remove(leg->id) != nullptr) reportEnd(leg, info, event);
      return;
    default:
      return;
  }
}

void onStreamCreated(pjsua_call_id call, pjsua_on_stream_created_param* param) {
  const auto leg = legOf(call);
  if (leg == nullptr) return;
  pjmedia_port* idle = makeIdlePort();
  if (idle == nullptr) return;
  param->port = idle;
  param->destroy_port = PJ_TRUE;
  bound->media.attach(leg->id, std::make_shared<StreamPort>(param->stream));
}

void onStreamDestroyed(pjsua_call_id call, pjmedia_stream* stream, unsigned) {
  const auto leg = legOf(call);
  if (leg == nullptr) return;
  bound->media.detach(leg->id);
  pjmedia_rtcp_stat stat;
  if (pjmedia_stream_get_stat(stream, &stat) != PJ_SUCCESS) return;
  std::lock_guard lock(bound->legs.mutex());
  leg->rxPackets += stat.rx.pkt;
  leg->rxLost += stat.rx.loss;
  leg->txPackets += stat.tx.pkt;
  leg->rxJitterMs = stat.rx.jitter.mean / 1000.0;
}

void onMediaState(pjsua_call_id call) {
  const auto leg = legOf(call);
  pjsua_call_info info;
  if (leg == nullptr || pjsua_call_get_info(call, &info) != PJ_SUCCESS || info.media_cnt == 0) return;
  if (bound->t38.concerns(leg->id)) return;
  const bool held = info.media[0].status == PJSUA_CALL_MEDIA_REMOTE_HOLD;
  {
    std::lock_guard lock(bound->legs.mutex());
    if (leg->held == held || (!held && info.media[0].status != PJSUA_CALL_MEDIA_ACTIVE)) return;
    leg->held = held;
    leg->packetsAt = nowMs();
  }
  bound->events.send({{"t", held ? "held" : "resumed"}, {"leg", leg->id}});
}

void onDigit(pjsua_call_id call, const pjsua_dtmf_event* event) {
  if (const auto leg = legOf(call)) keyEvent(*bound, *leg, *event);
}

// The trunk's codecs. A call that arrives has no leg yet; the gate knows where it comes from.
void onSdp(pjsua_call_id call, pjmedia_sdp_session* sdp, pj_pool_t*, const pjmedia_sdp_session*) {
  const auto leg = legOf(call);
  const auto settings = bound->settings.get();
  if (const TrunkSettings* trunk = settings->trunk(leg != nullptr ? leg->trunk : Gate::source().trunk)) chooseCodecs(sdp, trunk->codecs);
  bool modem = false;
  if (leg != nullptr) {
    std::lock_guard lock(bound->legs.mutex());
    modem = leg->modem;
  }
  if (modem) chooseCodecs(sdp, g711);
}

// RFC 3261 section 14.1: both sides changed the call at once; who made the call waits longer.
void holdLater(CallLeg& leg) {
  std::lock_guard lock(bound->legs.mutex());
  leg.holdAgainAt = nowMs() + (leg.inbound ? std::rand() % 2000 : 2100 + std::rand() % 1900);
}

void onTransaction(pjsua_call_id call, pjsip_transaction* transaction, pjsip_event* event) {
  if (transaction->role == PJSIP_ROLE_UAC && transaction->state == PJSIP_TSX_STATE_COMPLETED && transaction->method.id == PJSIP_INVITE_METHOD && transaction->status_code == 491) {
    if (const auto leg = legOf(call); leg != nullptr && leg->answered && !bound->t38.concerns(leg->id)) holdLater(*leg);
  }
  if (transaction->role != PJSIP_ROLE_UAS || transaction->state != PJSIP_TSX_STATE_TRYING || view(transaction->method.name) != "INFO") return;
  if (event->body.tsx_state.type != PJSIP_EVENT_RX_MSG) return;
  if (const auto leg = legOf(call)) keyInfo(*bound, *leg, transaction, event->body.tsx_state.src.rdata);
}

// The daemon decides about transfers of its calls by itself; a far end that asks for one is told no.
void onTransferRequest(pjsua_call_id call, const pj_str_t* destination, pjsip_status_code* code, pjsua_call_setting*) {
  *code = PJSIP_SC_DECLINE;
  if (const auto leg = legOf(call)) bound->events.send({{"t", "refer"}, {"leg", leg->id}, {"to", clean(userIn(text(*destination)))}});
}

void onReplaceRequest(pjsua_call_id, pjsip_rx_data*, int* code, pj_str_t*) {
  *code = PJSIP_SC_DECLINE;
}

void onTransferStatus(pjsua_call_id call, int code, const pj_str_t*, pj_bool_t, pj_bool_t*) {
  if (const auto leg = legOf(call)) bound->events.send({{"t", "referred"}, {"leg", leg->id}, {"code", code}});
}

void onRegistration(pjsua_acc_id account, pjsua_reg_info* info) {
  bound->trunks.onRegistration(account, *info);
}

}  // namespace

pjsua_callback callCallbacks(Context& context) {
  bound = &context;
  pjsua_callback callbacks;
  pj_bzero(&callbacks, sizeof callbacks);
  callbacks.on_acc_find_for_incoming = onFindAccount;
  callbacks.on_incoming_call = onIncoming;
  callbacks.on_call_state = onState;
  callbacks.on_call_sdp_created = onSdp;
  callbacks.on_stream_created2 = onStreamCreated;
  callbacks.on_stream_destroyed = onStreamDestroyed;
  callbacks.on_call_media_state = onMediaState;
  callbacks.on_dtmf_event = onDigit;
  callbacks.on_call_tsx_state = onTransaction;
  callbacks.on_call_transfer_request2 = onTransferRequest;
  callbacks.on_call_replace_request = onReplaceRequest;
  callbacks.on_call_transfer_status = onTransferStatus;
  callbacks.on_reg_state2 = onRegistration;
  return callbacks;
}

void endWithoutCall(Context& context, const std::shared_ptr<CallLeg>& leg, int code, const std::string& text) {
  if (context.legs.remove(leg->id) == nullptr) return;
  context.media.close(leg->id);
  context.events.ended(leg->id, {{"t", "ended"}, {"leg", leg->id}, {"by", "system"}, {"reason", "failed"}, {"code", code}, {"cause", causeOf(code)}, {"text", clean(text)}, {"stats", json::object()}});
}

}  // namespace pbx

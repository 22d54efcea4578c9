#include "call_events.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "call_streams.h"
#include "codec_choice.h"
#include "far_end.h"
#include "held_call.h"
#include "keys.h"
#include "now.h"
#include "parties.h"
#include "reason.h"
#include "reply.h"
#include "stream_port.h"

namespace pbx {

namespace {

using nlohmann::json;

Context* bound = nullptr;

const std::vector<std::string> g711 = {"PCMU", "PCMA"};
// A caller whom the daemon does not even see goes where the provider sends those whom we refuse.
constexpr int64_t takenWithinMs = 5000;

// The call of a callback; null for a call that has just arrived and has no leg yet, or whose leg has ended.
std::shared_ptr<CallLeg> legOf(pjsua_call_id call) {
  return bound->legs.byCall(call);
}

bool isAnswered(const CallLeg& leg) {
  std::lock_guard lock(bound->legs.mutex());
  return leg.answered;
}

void onFindAccount(const pjsip_rx_data*, pjsua_acc_id* account) {
  MediaPaths::callArrives();
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
  const auto leg = std::make_shared<CallLeg>();
  leg->id = bound->legs.nextInbound();
  leg->inbound = true;
  leg->trunk = source.trunk;
  leg->extension = source.extension;
  leg->help = source.help;
  leg->forHelp = !source.help.empty();
  leg->caller = source.caller;
  leg->arrived = dialogOf(request);
  leg->call = call;
  leg->far = sourceIp(request);
  leg->told = bound->ownAddresses.toldTo(leg->far);
  leg->refuseAt = steadyMs() + takenWithinMs;
  if (leg->path = MediaPaths::ofThisRequest(); leg->path != nullptr) {
    leg->path->trust(bound->trunks.ranges(source.trunk));
    leg->path->signalledFrom(sourceIp(request));
    // A caller that has authenticated, or that answers on a connection, does not forge its address. A trunk's datagram
    // proves nothing yet.
    if (!source.extension.empty() || source.caller.channels == 0 || (request->tp_info.transport->flag & PJSIP_TRANSPORT_RELIABLE) != 0) leg->path->prove();
  }
  pjsua_call_set_user_data(call, Legs::userData(leg->id));
  bound->legs.add(leg);
  bound->media.open(leg->id, bound->settings.get()->inbandDigits);
  const auto settings = bound->settings.get();
  const ExtensionSettings* phone = settings->extension(source.extension);
  // A phone bears what is configured, whatever it says of itself.
  const Party caller = source.extension.empty() ? callerOf(request, !source.trunk.empty()) : Party{source.extension, phone != nullptr ? phone->name : ""};
  json invite = {{"t", "invite"},
                      {"leg", leg->id},
                      {"trunk", source.trunk},
                      {"extension", source.extension},
                      {"from", clean(caller.number)},
                      {"fromName", clean(caller.name)},
                      {"to", clean(calledOf(request, settings->trunk(source.trunk)))},
                      {"toName", clean(nameOf(request->msg_info.to))},
                      {"diversion", clean(divertedBy(request))},
                      {"headers", extraHeaders(request, !source.trunk.empty())},
                      {"source", sourceAddress(request)},
                      {"sipCallId", clean(view(request->msg_info.cid->id))},
                      {"secure", (request->tp_info.transport->flag & PJSIP_TRANSPORT_SECURE) != 0}};
  if (source.replaced) {
    const auto other = bound->legs.byDialog(*source.replaced);
    invite["replaces"] = {{"leg", other == nullptr ? 0 : other->id}, {"callId", clean(source.replaced->callId)}, {"toTag", clean(source.replaced->toTag)}, {"fromTag", clean(source.replaced->fromTag)}, {"early", source.replaced->early}};
  }
  if (!source.help.empty()) {
    std::lock_guard lock(bound->legs.mutex());
    leg->invite = invite;
  }
  bound->events.send(invite);
}

void reportAnswer(const std::shared_ptr<CallLeg>& leg, pjsua_call_id call, const pjsua_call_info& info) {
  const auto line = static_cast<unsigned>(audioLine(call));
  pjsua_stream_info stream;
  std::string codec;
  if (pjsua_call_get_stream_info(call, line, &stream) == PJ_SUCCESS) codec = text(stream.info.aud.fmt.encoding_name);
  bool secure = false;
  pjmedia_transport_info transport;
  pjmedia_transport_info_init(&transport);
  if (pjsua_call_get_med_transport_info(call, line, &transport) == PJ_SUCCESS) {
    const auto* srtp = static_cast<pjmedia_srtp_info*>(pjmedia_transport_info_get_spc_info(&transport, PJMEDIA_TRANSPORT_TYPE_SRTP));
    secure = srtp != nullptr && srtp->active;
  }
  std::string ownTag, farTag;
  if (const HeldCall held(*leg); held && held.session() != nullptr) {
    ownTag = text(held.session()->dlg->local.info->tag);
    farTag = text(held.session()->dlg->remote.info->tag);
  }
  {
    std::lock_guard lock(bound->legs.mutex());
    leg->answered = true;
    leg->ownTag = ownTag;
    leg->farTag = farTag;
    leg->secure = secure;
    leg->sipCallId = text(info.call_id);
    leg->answeredAt = leg->packetsAt = steadyMs();
  }
  bound->events.answered(leg->id, clean(codec), secure);
}

// A call that stands without a codec, or without the encryption that it must have, is none.
void refuseAnswer(const std::shared_ptr<CallLeg>& leg, pjsua_call_id call, const pjsua_call_info& info, const pjsip_event* event) {
  {
    std::lock_guard lock(bound->legs.mutex());
    leg->withoutMedia = true;
  }
  const bool said = isCanceled(call);  // pjsua did
  const EndHeaders headers(causeOf(PJSIP_SC_NOT_ACCEPTABLE_HERE));
  if (!said) pjsua_call_hangup(call, 0, nullptr, headers.data());
  reportEnd(*bound, leg, info, event);
}

void onState(pjsua_call_id call, pjsip_event* event) {
  pjsua_call_info info;
  if (pjsua_call_get_info(call, &info) != PJ_SUCCESS || bound->dialling.onState(call, info, event)) return;
  const auto leg = legOf(call);
  if (leg == nullptr) return;
  switch (info.state) {
    case PJSIP_INV_STATE_EARLY: {
      if (leg->inbound) return;
      const int code = info.last_status;
      // Its description is looked at after this.
      const bool early = info.media_status == PJSUA_CALL_MEDIA_ACTIVE || (isReceived(event) && event->body.tsx_state.src.rdata->msg_info.msg->body != nullptr);
      {
        std::lock_guard lock(bound->legs.mutex());
        if (leg->lastProvisional == code && (leg->early || !early)) return;
        leg->lastProvisional = code;
        leg->early = leg->early || early;
      }
      bound->events.ringing(leg->id, code, early);
      return;
    }
    case PJSIP_INV_STATE_CONFIRMED:
      bound->unacknowledged.settled(leg->id);
      if (audioLine(call) < 0) return refuseAnswer(leg, call, info, event);
      if (const auto path = bound->paths.of(*leg)) {
        path->trust(bound->trunks.ranges(leg->trunk));
        path->answered();
      }
      reportAnswer(leg, call, info);
      return;
    case PJSIP_INV_STATE_DISCONNECTED:
      bound->unacknowledged.settled(leg->id);
      noteOwnCancel(*bound, *leg, call);
      reportEnd(*bound, leg, info, event);
      return;
    default:
      return;
  }
}

void onStreamCreated(pjsua_call_id call, pjsua_on_stream_created_param* param) {
  pjmedia_port* idle = makeIdlePort();
  if (idle == nullptr) return;
  param->port = idle;
  param->destroy_port = PJ_TRUE;
  bound->dialling.onStream(call, param->stream, true);
  if (const auto leg = legOf(call)) streamCreated(*bound, *leg, param->stream);
}

void onStreamDestroyed(pjsua_call_id call, pjmedia_stream* stream, unsigned) {
  bound->dialling.onStream(call, stream, false);
  if (const auto leg = legOf(call)) streamDestroyed(*bound, *leg, stream);
}

void onMediaState(pjsua_call_id call) {
  const auto leg = legOf(call);
  pjsua_call_info info;
  if (leg == nullptr || pjsua_call_get_info(call, &info) != PJ_SUCCESS) return;
  const int line = audioLine(call);
  if (line < 0 || bound->t38.concerns(leg->id)) return;
  const pjsua_call_media_status status = info.media[line].status;
  const bool held = status == PJSUA_CALL_MEDIA_REMOTE_HOLD;
  {
    std::lock_guard lock(bound->legs.mutex());
    if (leg->held == held || (!held && status != PJSUA_CALL_MEDIA_ACTIVE)) return;
    leg->held = held;
    leg->packetsAt = steadyMs();
  }
  bound->events.send({{"t", held ? "held" : "resumed"}, {"leg", leg->id}});
}

void onDigit(pjsua_call_id call, const pjsua_dtmf_event* event) {
  if (const auto leg = legOf(call)) keyEvent(*bound, *leg, *event);
}

// Where the far end is to send its media.
void describeWay(CallLeg* leg, pjmedia_sdp_session* sdp, pj_pool_t* pool, const pjmedia_sdp_session* remote) {
  std::string far = FarEnd::now();
  bool first = true;
  if (leg != nullptr) {
    std::lock_guard lock(bound->legs.mutex());
    if (!leg->far.empty()) far = leg->far;
    first = !leg->answered;
  } else if (!Gate::source().far.empty()) {
    far = Gate::source().far;
  }
  const std::string told = bound->addressing.describe(sdp, pool, far, remote, first);
  if (leg == nullptr || told.empty()) return;
  std::lock_guard lock(bound->legs.mutex());
  leg->told = told;
}

// The way, and the trunk's codecs. A call that arrives has no leg yet; the gate knows where it comes from.
void onSdp(pjsua_call_id call, pjmedia_sdp_session* sdp, pj_pool_t* pool, const pjmedia_sdp_session* remote) {
  const auto leg = legOf(call);
  describeWay(leg.get(), sdp, pool, remote);
  const auto settings = bound->settings.get();
  if (const TrunkSettings* trunk = settings->trunk(leg != nullptr ? leg->trunk : Gate::source().trunk)) chooseCodecs(sdp, trunk->codecs);
  bool modem = false;
  if (leg != nullptr) {
    std::lock_guard lock(bound->legs.mutex());
    modem = leg->modem;
  }
  if (modem) chooseCodecs(sdp, g711);
}

// Where the call's messages come from; a PRACK has seen our provisional answer.
void noteSource(pjsua_call_id call, const pjsip_transaction* transaction, const pjsip_event* event) {
  if (!isReceived(event)) return;
  const std::string_view method = view(transaction->method.name);
  if (method != "INVITE" && method != "UPDATE" && method != "PRACK") return;
  const auto leg = legOf(call);
  if (leg == nullptr) return;
  const pjsip_rx_data* message = event->body.tsx_state.src.rdata;
  std::string source = sourceIp(message);
  {
    std::lock_guard lock(bound->legs.mutex());
    // An answer does not say where it came to the edge from.
    if (isEdge(source) && !leg->far.empty()) source = leg->far;
    leg->far = source;
  }
  const auto path = bound->paths.of(*leg);
  if (path == nullptr) return;
  path->signalledFrom(source);
  if (method == "PRACK" && transaction->role == PJSIP_ROLE_UAS) path->prove();
}

// A BYE of PJSIP's own, to a call that was accepted without a description that fits ours. Its answer is not waited for.
void noteRefusal(pjsua_call_id call, const pjsip_transaction* transaction, const pjsip_event* event) {
  if (transaction->role != PJSIP_ROLE_UAC || transaction->state != PJSIP_TSX_STATE_CALLING || transaction->method.id != PJSIP_BYE_METHOD) return;
  const auto leg = legOf(call);
  pjsua_call_info info;
  if (leg == nullptr || pjsua_call_get_info(call, &info) != PJ_SUCCESS) return;
  {
    std::lock_guard lock(bound->legs.mutex());
    if (leg->answered || leg->localEnd || leg->timedOut || leg->untaken || leg->unacknowledged) return;
    leg->withoutMedia = true;
  }
  bound->unacknowledged.settled(leg->id);
  reportEnd(*bound, leg, info, event);
}

// The far end did not answer an UPDATE or a session refresh, so the call has ended (RFC 3261 section 12.2.1.2). PJSIP would
// continue, and refresh the session no more. The BYE is sent and not waited for: that would take another 32 s.
void endUnanswered(pjsua_call_id call, const pjsip_transaction* transaction, const pjsip_event* event) {
  if (transaction->role != PJSIP_ROLE_UAC || transaction->state != PJSIP_TSX_STATE_TERMINATED || isReceived(event)) return;
  if (transaction->status_code != PJSIP_SC_REQUEST_TIMEOUT || view(transaction->method.name) != "UPDATE") return;
  const auto leg = legOf(call);
  pjsua_call_info info;
  if (leg == nullptr || !isAnswered(*leg) || pjsua_call_get_info(call, &info) != PJ_SUCCESS) return;
  pjsua_call_hangup(call, 0, nullptr, nullptr);
  reportEnd(*bound, leg, info, event);
}

void onTransaction(pjsua_call_id call, pjsip_transaction* transaction, pjsip_event* event) {
  endUnanswered(call, transaction, event);
  bound->dialling.onTransaction(call, transaction, event);
  noteSource(call, transaction, event);
  noteRefusal(call, transaction, event);
  if (transaction->role == PJSIP_ROLE_UAC && transaction->state == PJSIP_TSX_STATE_COMPLETED && transaction->method.id == PJSIP_INVITE_METHOD && transaction->status_code >= 300) {
    if (const auto leg = legOf(call); leg != nullptr && isAnswered(*leg) && !bound->t38.concerns(leg->id)) offerRefused(*bound, *leg, transaction->status_code);
  }
  if (transaction->role != PJSIP_ROLE_UAS || transaction->state != PJSIP_TSX_STATE_TRYING || event->body.tsx_state.type != PJSIP_EVENT_RX_MSG) return;
  const std::string_view method = view(transaction->method.name);
  const auto leg = method == "INFO" || method == "REFER" ? legOf(call) : nullptr;
  if (leg == nullptr) return;
  pjsip_rx_data* request = event->body.tsx_state.src.rdata;
  if (method == "INFO") {
    keyInfo(*bound, *leg, transaction, request);
  } else if (pjsip_dialog* dialog = pjsip_tsx_get_dlg(transaction)) {
    bound->transfers.onRequest(leg, dialog, request);
  }
}

// Of calls that have no leg any more; the others are taken before pjsua sees them.
void onTransferRequest(pjsua_call_id, const pj_str_t*, pjsip_status_code* code, pjsua_call_setting*) {
  *code = PJSIP_SC_DECLINE;
}

void onReplaceRequest(pjsua_call_id, pjsip_rx_data*, int* code, pj_str_t*) {
  *code = PJSIP_SC_DECLINE;
}

void onTransferStatus(pjsua_call_id call, int code, const pj_str_t*, pj_bool_t final, pj_bool_t*) {
  if (const auto leg = legOf(call)) bound->events.send({{"t", "referred"}, {"leg", leg->id}, {"code", code}, {"final", final != PJ_FALSE}});
}

void onTransport(pjsip_transport* transport, pjsip_transport_state state, const pjsip_transport_state_info* info) {
  bound->tlsServers.onTransport(transport, state, info);
  if (state != PJSIP_TP_STATE_DISCONNECTED || (transport->flag & PJSIP_TRANSPORT_RELIABLE) == 0) return;
  const HostPort far{text(transport->remote_name.host), static_cast<unsigned>(transport->remote_name.port)};
  if (transport->dir == PJSIP_TP_DIR_INCOMING) {
    bound->registrar.connectionClosed(joinHostPort(far.host, far.port));
  } else {
    bound->trunks.connectionClosed(far);
  }
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
  callbacks.on_rtp_port = &MediaPaths::nextPort;
  callbacks.on_create_media_transport = &MediaPaths::guard;
  callbacks.on_stream_precreate = limitPacketTime;
  callbacks.on_stream_created2 = onStreamCreated;
  callbacks.on_stream_destroyed = onStreamDestroyed;
  callbacks.on_call_media_state = onMediaState;
  callbacks.on_dtmf_event = onDigit;
  callbacks.on_call_tsx_state = onTransaction;
  callbacks.on_call_transfer_request2 = onTransferRequest;
  callbacks.on_call_replace_request = onReplaceRequest;
  callbacks.on_call_transfer_status = onTransferStatus;
  callbacks.on_reg_state2 = onRegistration;
  callbacks.on_transport_state = onTransport;
  return callbacks;
}

}  // namespace pbx

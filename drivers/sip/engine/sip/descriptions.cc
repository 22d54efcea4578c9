#include "descriptions.h"

#include "context.h"
#include "held_call.h"
#include "reply.h"
#include "t38_sdp.h"

namespace pbx {

namespace {

Descriptions* descriptionsInUse = nullptr;

// The part of a message that is its description; null: it has none.
pjsip_msg_body* descriptionOf(pjsip_msg* message) {
  pjsip_msg_body* body = message->body;
  if (body == nullptr) return nullptr;
  pjsip_media_type sdp;
  pjsip_media_type_init2(&sdp, const_cast<char*>("application"), const_cast<char*>("sdp"));
  if (view(body->content_type.type) == "multipart") {
    const pjsip_multipart_part* part = pjsip_multipart_find_part(body, &sdp, nullptr);
    body = part != nullptr ? part->body : nullptr;
  } else if (pjsip_media_type_cmp(&body->content_type, &sdp, PJ_FALSE) != 0) {
    body = nullptr;
  }
  return body != nullptr && body->data != nullptr ? body : nullptr;
}

std::string_view textOf(const pjsip_msg_body& body) {
  return {static_cast<const char*>(body.data), body.len};
}

void rewrite(pj_pool_t* pool, pjsip_msg_body& body, const pjmedia_sdp_session& sdp) {
  const pj_str_t text = copied(pool, printSdp(&sdp));
  if (text.slen == 0) return;  // longer than any description
  body.data = text.ptr;
  body.len = static_cast<unsigned>(text.slen);
}

// Our offer that a response belongs to; null: there is none.
const pjmedia_sdp_session* offerOf(pjsip_rx_data* response) {
  pj_str_t key;
  if (pjsip_tsx_create_key(response->tp_info.pool, &key, PJSIP_ROLE_UAC, &response->msg_info.cseq->method, response) != PJ_SUCCESS) return nullptr;
  pjsip_transaction* transaction = pjsip_tsx_layer_find_tsx(&key, PJ_TRUE);
  if (transaction == nullptr) return nullptr;
  std::string printed(PJSIP_MAX_PKT_LEN, 0);
  int size = 0;
  if (const pjsip_tx_data* sent = transaction->last_tx; sent != nullptr && sent->msg->body != nullptr) size = sent->msg->body->print_body(sent->msg->body, printed.data(), printed.size());
  pj_grp_lock_release(transaction->grp_lock);
  return size > 0 ? parseSdp(response->tp_info.pool, std::string_view(printed).substr(0, static_cast<size_t>(size))) : nullptr;
}

bool isMethod(const pjsip_cseq_hdr* cseq, std::initializer_list<std::string_view> names) {
  return cseq != nullptr && std::find(names.begin(), names.end(), view(cseq->method.name)) != names.end();
}

std::string warningText(const Warning& warning) {
  return std::to_string(warning.code) + " pbx \"" + warning.text + "\"";
}

}  // namespace

pj_status_t Descriptions::install() {
  static pjsip_module module{};
  descriptionsInUse = this;
  module.name = pjText("pbx-descriptions");
  module.id = -1;
  // Above the gate, which knows who asks, and below T.38, which reads what is left.
  module.priority = PJSIP_MOD_PRIORITY_TSX_LAYER - 3;
  module.on_rx_request = &Descriptions::receive;
  module.on_rx_response = &Descriptions::receiveResponse;
  module.on_tx_response = &Descriptions::send;
  return pjsip_endpt_register_module(pjsua_get_pjsip_endpt(), &module);
}

pj_bool_t Descriptions::receive(pjsip_rx_data* request) {
  return descriptionsInUse->onRequest(request) ? PJ_TRUE : PJ_FALSE;
}

pj_bool_t Descriptions::receiveResponse(pjsip_rx_data* response) {
  onResponse(response);
  return PJ_FALSE;
}

MediaTerms Descriptions::termsOf(const std::string& trunkId, const std::string& extensionNumber, bool modem) const {
  const auto settings = context_.settings.get();
  const TrunkSettings* trunk = settings->trunk(trunkId);
  const ExtensionSettings* extension = settings->extension(extensionNumber);
  MediaTerms terms;
  terms.srtp = trunk != nullptr ? trunk->srtp : extension != nullptr ? extension->srtp : Srtp::automatic;
  if (modem) terms.codecs.pop_back();
  if (trunk != nullptr && !trunk->codecs.empty()) terms.codecs = trunk->codecs;
  return terms;
}

std::optional<Descriptions::Standing> Descriptions::standingOf(pjsip_rx_data* request) const {
  const auto& info = request->msg_info;
  pjsip_dialog* dialog = pjsip_ua_find_dialog(&info.cid->id, &info.to->tag, &info.from->tag, PJ_TRUE);
  if (dialog == nullptr) return std::nullopt;
  std::optional<Standing> found;
  if (const auto leg = legOf(context_.legs, dialog)) {
    bool modem = false;
    {
      std::lock_guard lock(context_.legs.mutex());
      modem = leg->modem;
    }
    found = Standing{termsOf(leg->trunk, leg->extension, modem)};
    const pjsip_inv_session* call = pjsip_dlg_get_inv_session(dialog);
    const pjmedia_sdp_session* active = nullptr;
    if (call != nullptr && call->neg != nullptr && pjmedia_sdp_neg_get_active_remote(call->neg, &active) == PJ_SUCCESS) found->former = pjmedia_sdp_session_clone(request->tp_info.pool, active);
  }
  pjsip_dlg_dec_lock(dialog);
  return found;
}

bool Descriptions::onRequest(pjsip_rx_data* request) const {
  if (!isMethod(request->msg_info.cseq, {"INVITE", "UPDATE", "PRACK", "ACK"})) return false;
  pjsip_msg_body* body = descriptionOf(request->msg_info.msg);
  if (body == nullptr) return false;
  const Source& source = Gate::source();
  auto standing = request->msg_info.to->tag.slen > 0 ? standingOf(request) : Standing{termsOf(source.trunk, source.extension, false)};
  if (!standing) return false;
  standing->terms.family = request->pkt_info.src_addr.addr.sa_family == pj_AF_INET6() ? "IP6" : "IP4";
  pj_pool_t* pool = request->tp_info.pool;
  pjmedia_sdp_session* sdp = parseSdp(pool, textOf(*body));
  std::optional<Warning> fault = Warning{399, "The session description cannot be read"};
  if (sdp != nullptr) {
    const bool filled = fillIn(pool, *sdp, standing->former), chosen = chooseAudio(*sdp, standing->terms);
    if (filled || chosen) rewrite(pool, *body, *sdp);
    fault = faultOf(*sdp, standing->terms);
  }
  // An ACK has no answer; of a PRACK the call is refused (RFC 6337 section 2.3), by PJSIP.
  if (!fault || !isMethod(request->msg_info.cseq, {"INVITE", "UPDATE"})) return false;
  replyStateless(request, PJSIP_SC_NOT_ACCEPTABLE_HERE, {{"Warning", warningText(*fault)}, {"Accept", "application/sdp"}});
  return true;
}

void Descriptions::onResponse(pjsip_rx_data* response) {
  if (!isMethod(response->msg_info.cseq, {"INVITE", "UPDATE", "PRACK"})) return;
  pjsip_msg* message = response->msg_info.msg;
  pjsip_msg_body* body = descriptionOf(message);
  if (body == nullptr || message->line.status.code >= 300) return;
  pj_pool_t* pool = response->tp_info.pool;
  const pjmedia_sdp_session* offer = offerOf(response);
  pjmedia_sdp_session* sdp = parseSdp(pool, textOf(*body));
  if (sdp != nullptr && fillIn(pool, *sdp, offer)) rewrite(pool, *body, *sdp);
  if (message->line.status.code >= 200 || offer == nullptr || pjsip_100rel_is_reliable(response)) return;
  if (sdp == nullptr || !answers(pool, *sdp, *offer)) message->body = nullptr;
}

// What PJSIP refuses by itself, such as keys that cannot be read, says why as well.
pj_status_t Descriptions::send(pjsip_tx_data* response) {
  pjsip_msg* message = response->msg;
  int& code = message->line.status.code;
  if (!isMethod(static_cast<const pjsip_cseq_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_CSEQ, nullptr)), {"INVITE", "UPDATE"})) return PJ_SUCCESS;
  if (code != PJSIP_SC_NOT_ACCEPTABLE && code != PJSIP_SC_NOT_ACCEPTABLE_HERE) return PJ_SUCCESS;
  if (code == PJSIP_SC_NOT_ACCEPTABLE) {
    code = PJSIP_SC_NOT_ACCEPTABLE_HERE;
    message->line.status.reason = *pjsip_get_status_text(code);
  }
  const pj_str_t name = pjText("Warning");
  if (pjsip_msg_find_hdr_by_name(message, &name, nullptr) == nullptr) addHeader(response, "Warning", warningText({399, "No media can be agreed on"}));
  return PJ_SUCCESS;
}

}  // namespace pbx

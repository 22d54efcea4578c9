#include "text_sender.h"

#include <algorithm>

#include "parties.h"
#include "reply.h"
#include "trunk_account.h"

namespace pbx {

namespace {

constexpr size_t largestSent = 1300;  // RFC 3428 section 8
constexpr unsigned mostChallenges = 3;

TextSender* only = nullptr;  // there is one in a process; PJSIP's callbacks carry a number alone

// The server renewed its nonce, and the password may still be right.
bool stale(const pjsip_rx_data* answer) {
  for (const pjsip_hdr_e type : {PJSIP_H_WWW_AUTHENTICATE, PJSIP_H_PROXY_AUTHENTICATE}) {
    const auto* header = static_cast<const pjsip_www_authenticate_hdr*>(pjsip_msg_find_hdr(answer->msg_info.msg, type, nullptr));
    const pj_str_t digest = pjText("Digest");
    if (header != nullptr && pj_stricmp(&header->scheme, &digest) == 0 && header->challenge.digest.stale) return true;
  }
  return false;
}

unsigned retryAfterOf(const pjsip_rx_data* answer) {
  const auto* header = static_cast<const pjsip_retry_after_hdr*>(pjsip_msg_find_hdr(answer->msg_info.msg, PJSIP_H_RETRY_AFTER, nullptr));
  return header != nullptr ? static_cast<unsigned>(std::clamp(header->ivalue, 0, 86400)) : 0;
}

}  // namespace

TextSender::TextSender(CurrentSettings& settings, Trunks& trunks, Events& events) : settings_(settings), trunks_(trunks), events_(events) {
  only = this;
}

void TextSender::send(const TextOrder& order) {
  Sending sending{order.id, order.trunk, "", 0, 0};
  const auto settings = settings_.get();
  const TrunkSettings* trunk = settings->trunk(order.trunk);
  if (trunk == nullptr) return report(sending, {0, "there is no trunk " + order.trunk, false, 0});
  const pjsua_acc_id account = trunks_.account(order.trunk);
  if (account == PJSUA_INVALID_ID) return report(sending, {0, "the account of this trunk could not be opened", false, 0});
  if (order.body.size() > largestSent) return report(sending, {513, "the text has more than 1300 bytes", false, 0});
  pjsip_tx_data* request = nullptr;
  if (const pj_status_t status = compose(account, *trunk, order, &request); status != PJ_SUCCESS) return report(sending, {0, errorText(status), false, 0});
  if (const auto* call = static_cast<const pjsip_cid_hdr*>(pjsip_msg_find_hdr(request->msg, PJSIP_H_CALL_ID, nullptr))) sending.callId = text(call->id);
  transmit(request, std::move(sending));
}

// Without Contact, which RFC 3428 section 5 forbids; otherwise as a call of that trunk.
pj_status_t TextSender::compose(pjsua_acc_id account, const TrunkSettings& trunk, const TextOrder& order, pjsip_tx_data** request) {
  pjsip_method method;
  pj_str_t name = pjText("MESSAGE");
  pjsip_method_init_np(&method, &name);
  const std::string target = trunkUri(trunk, escapedUser(order.to));
  const pj_str_t uri = pjText(target);
  const pj_status_t status = pjsua_acc_create_request(account, &method, &uri, request);
  if (status != PJ_SUCCESS) return status;
  pj_pool_t* pool = (*request)->pool;
  pjsip_msg* message = (*request)->msg;
  const std::string domain = trunk.domain();
  const std::string from = "<sip:" + (order.from.empty() ? "anonymous" : escapedUser(order.from)) + "@" + joinHostPort(domain, 0) + ">";
  const pj_str_t written = pjText(from);
  pj_str_t own;
  // The parser wants a terminator behind the text.
  pj_strdup_with_null(pool, &own, &written);
  pjsip_uri* sender = pjsip_parse_uri(pool, own.ptr, static_cast<pj_size_t>(own.slen), PJSIP_PARSE_URI_AS_NAMEADDR);
  auto* header = static_cast<pjsip_from_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_FROM, nullptr));
  const pj_str_t type = pjText("text"), subtype = pjText("plain"), body = pjText(order.body);
  message->body = pjsip_msg_body_create(pool, &type, &subtype, &body);
  if (sender == nullptr || header == nullptr || message->body == nullptr) {
    pjsip_tx_data_dec_ref(*request);
    return PJSIP_EINVALIDURI;
  }
  header->uri = sender;
  static pj_str_t charset = pjText("charset"), utf8 = pjText("UTF-8");
  auto* parameter = PJ_POOL_ZALLOC_T(pool, pjsip_param);
  parameter->name = charset;
  parameter->value = utf8;
  pj_list_push_back(&message->body->content_type.param, parameter);
  return PJ_SUCCESS;
}

void TextSender::transmit(pjsip_tx_data* request, Sending sending) {
  void* token = nullptr;
  {
    std::lock_guard lock(mutex_);
    token = reinterpret_cast<void*>(++lastToken_);
    sending_[lastToken_] = std::move(sending);
  }
  const pj_status_t status = pjsip_endpt_send_request(pjsua_get_pjsip_endpt(), request, -1, token, &TextSender::onFinal);
  if (status == PJ_SUCCESS) return;
  // PJSIP may have reported this failure itself.
  if (const auto failed = take(token)) report(*failed, {0, errorText(status), false, 0});
}

std::optional<TextSender::Sending> TextSender::take(void* token) {
  std::lock_guard lock(mutex_);
  const auto at = sending_.find(reinterpret_cast<uintptr_t>(token));
  if (at == sending_.end()) return std::nullopt;
  Sending sending = std::move(at->second);
  sending_.erase(at);
  return sending;
}

void TextSender::onFinal(void* token, pjsip_event* event) {
  if (auto sending = only->take(token)) only->final(std::move(*sending), event);
}

void TextSender::final(Sending sending, pjsip_event* event) {
  const auto& state = event->body.tsx_state;
  pjsip_transaction* transaction = state.tsx;
  const int code = transaction->status_code;
  const std::string reason = text(transaction->status_text);
  if (state.type != PJSIP_EVENT_RX_MSG) {
    // The transport names the request only when it could not be written at all. A request that PJSIP itself gave up
    // waiting for may still sit in a connection that is being opened.
    const bool unsent = (state.type == PJSIP_EVENT_TRANSPORT_ERROR && state.src.tdata != nullptr) || (state.type == PJSIP_EVENT_USER && !stopped_);
    return report(sending, {0, unsent ? reason : "no answer", !unsent, 0});
  }
  pjsip_rx_data* answer = state.src.rdata;
  if (code == 401 || code == 407) {
    if (pjsip_tx_data* again = authorize(sending, answer, transaction)) return transmit(again, std::move(sending));
  }
  report(sending, {code, reason, true, retryAfterOf(answer)});
}

void TextSender::stop() {
  stopped_ = true;
  std::map<uintptr_t, Sending> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(sending_);
  }
  for (const auto& [token, sending] : all) report(sending, {0, "the engine ended before an answer came", true, 0});
}

pjsip_tx_data* TextSender::authorize(Sending& sending, pjsip_rx_data* challenge, pjsip_transaction* transaction) const {
  const int code = transaction->status_code;
  // A proxy and the server behind it may ask one after the other; the same one asks twice for a wrong password.
  if (sending.challenges >= mostChallenges || (sending.challenge == code && !stale(challenge))) return nullptr;
  const auto settings = settings_.get();
  const TrunkSettings* trunk = settings->trunk(sending.trunk);
  if (trunk == nullptr || trunk->authUsername.empty()) return nullptr;
  sending.challenges++;
  sending.challenge = code;
  pjsip_cred_info credentials;
  pj_bzero(&credentials, sizeof credentials);
  credentials.realm = pjText("*");
  credentials.scheme = pjText("digest");
  credentials.username = pjText(trunk->authUsername);
  credentials.data_type = PJSIP_CRED_DATA_PLAIN_PASSWD;
  credentials.data = pjText(trunk->password);
  pjsip_auth_clt_sess session;
  pjsip_tx_data* again = nullptr;
  if (pjsip_auth_clt_init(&session, pjsua_get_pjsip_endpt(), challenge->tp_info.pool, 0) != PJ_SUCCESS) return nullptr;
  if (pjsip_auth_clt_set_credentials(&session, 1, &credentials) != PJ_SUCCESS || pjsip_auth_clt_reinit_req(&session, challenge, transaction->last_tx, &again) != PJ_SUCCESS) again = nullptr;
  pjsip_auth_clt_deinit(&session);
  return again;
}

void TextSender::report(const Sending& sending, const Outcome& outcome) {
  events_.send({{"t", "textSent"},
                {"id", sending.id},
                {"code", outcome.code},
                {"reason", clean(outcome.reason)},
                {"sent", outcome.sent},
                {"retryAfter", outcome.retryAfter},
                {"sipCallId", clean(sending.callId)}});
}

}  // namespace pbx

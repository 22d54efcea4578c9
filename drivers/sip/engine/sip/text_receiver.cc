#include "text_receiver.h"

#include <openssl/sha.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "address.h"
#include "gate.h"
#include "now.h"
#include "parties.h"
#include "reply.h"

namespace pbx {

namespace {

TextReceiver* textReceiverInUse = nullptr;
pjsip_module module{};

constexpr int64_t textAnswerMs = 10'000;
constexpr size_t largestReceived = 4096;
constexpr size_t mostWaiting = 200;
constexpr double perSecond = 50, burst = 200;
const char* const retryAfter = "10";

bool same(const pj_str_t& text, const char* wanted) {
  const pj_str_t other = pjText(wanted);
  return pj_stricmp(&text, &other) == 0;
}

// text/plain in a character set that is UTF-8; RFC 3261 section 7.4.1 makes UTF-8 the usual one.
bool readable(const pjsip_media_type& type) {
  if (!same(type.type, "text") || !same(type.subtype, "plain")) return false;
  const pj_str_t name = pjText("charset");
  const pjsip_param* charset = pjsip_param_find(&type.param, &name);
  if (charset == nullptr) return true;
  std::string value = text(charset->value);
  std::erase(value, '"');
  const pj_str_t set = pjText(value);
  return same(set, "utf-8") || same(set, "us-ascii");
}

// What the body is refused with; 0: it is sound, and `body` is set.
int readBody(const pjsip_rx_data* request, std::string_view& body) {
  const pjsip_msg* message = request->msg_info.msg;
  const size_t announced = request->msg_info.clen != nullptr ? static_cast<size_t>(std::max(0, request->msg_info.clen->len)) : 0;
  if (announced > largestReceived || (message->body != nullptr && message->body->len > largestReceived)) return 413;
  const std::string encoding = headerText(request, "Content-Encoding");
  if (!encoding.empty() && encoding != "identity") return 415;
  const pjsip_media_type* type = request->msg_info.ctype != nullptr ? &request->msg_info.ctype->media : nullptr;
  // PJSIP has no body where no type is named.
  if (type == nullptr) return announced > 0 ? 415 : 400;
  if (!readable(*type)) return 415;
  if (message->body == nullptr || message->body->data == nullptr) return 400;
  body = {static_cast<const char*>(message->body->data), message->body->len};
  if (request->msg_info.clen != nullptr) {
    // A datagram that was cut short; what follows the body of one that was not is no part of it (RFC 3261 section 18.3).
    if (body.size() < announced) return 400;
    body = body.substr(0, announced);
  }
  return body.empty() ? 400 : 0;
}

// Line ends and tabs are part of a text; other control characters do harm wherever it is shown.
std::string printable(std::string_view body) {
  std::string text;
  for (const char c : body) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\r' || c == '\t') text += c;
  }
  return text;
}

// Names this one request whatever its headers look like: Call-ID, tag and number (RFC 3261 section 8.2.2.2).
std::string keyOf(const pjsip_rx_data* request) {
  const std::string source = text(request->msg_info.cid->id) + "\n" + text(request->msg_info.from->tag) + "\n" + std::to_string(request->msg_info.cseq->cseq);
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(source.data()), source.size(), hash);
  std::string key;
  for (size_t i = 0; i < 16; i++) {
    static const char* hex = "0123456789abcdef";
    key += hex[hash[i] >> 4];
    key += hex[hash[i] & 15];
  }
  return key;
}

}  // namespace

pj_status_t TextReceiver::install() {
  textReceiverInUse = this;
  module.name = pjText("pbx-texts");
  module.id = -1;
  // Above the transactions, which keep repetitions back; before pjsua, which would answer by itself.
  module.priority = PJSIP_MOD_PRIORITY_APPLICATION - 2;
  module.on_rx_request = &TextReceiver::onRequest;
  return pjsip_endpt_register_module(pjsua_get_pjsip_endpt(), &module);
}

pj_bool_t TextReceiver::onRequest(pjsip_rx_data* request) {
  if (view(request->msg_info.msg->line.req.method.name) != "MESSAGE") return PJ_FALSE;
  const Source source = Gate::source();
  if (source.trunk.empty()) {
    // A telephone's text would have to become one of a number outside, which nobody has asked for.
    replyStateless(request, 403, {{"Warning", "399 pbx \"Texts of extensions are not carried\""}});
  } else {
    textReceiverInUse->receive(request, source.trunk);
  }
  return PJ_TRUE;
}

void TextReceiver::receive(pjsip_rx_data* request, const std::string& trunk) {
  std::string_view body;
  switch (const int refusal = readBody(request, body)) {
    case 0: break;
    case 415: return replyStateless(request, 415, {{"Accept", "text/plain;charset=utf-8"}, {"Accept-Encoding", "identity"}});
    default: return replyStateless(request, refusal);
  }
  const std::string text = printable(body);
  if (text.empty()) return replyStateless(request, 400);
  bool full = false;
  {
    std::lock_guard lock(mutex_);
    full = stopped_ || waiting_.size() >= mostWaiting;
  }
  if (full || !rates_.within(sourceKey(sourceIp(request)) + " texts", perSecond, burst, steadyMs())) return replyStateless(request, 503, {{"Retry-After", retryAfter}});
  ask(request, trunk, text);
}

void TextReceiver::ask(pjsip_rx_data* request, const std::string& trunk, const std::string& body) {
  Waiting waiting;
  if (pjsip_endpt_create_response(pjsua_get_pjsip_endpt(), request, 200, nullptr, &waiting.response) != PJ_SUCCESS) return;
  if (pjsip_tsx_create_uas2(&module, request, nullptr, &waiting.transaction) != PJ_SUCCESS) {
    pjsip_tx_data_dec_ref(waiting.response);
    // Such as a CSeq that names another method.
    return replyStateless(request, 400);
  }
  pj_grp_lock_add_ref(waiting.transaction->grp_lock);
  pjsip_tsx_recv_msg(waiting.transaction, request);
  waiting.until = nowMs() + textAnswerMs;
  uint32_t id = 0;
  {
    std::lock_guard lock(mutex_);
    if (!stopped_) waiting_[id = ++lastId_] = waiting;
  }
  if (id == 0) return finish(waiting, 503);
  events_.send({{"t", "text"},
                {"id", id},
                {"trunk", trunk},
                {"from", clean(callerOf(request, true).number)},
                {"to", clean(calledOf(request, settings_.get()->trunk(trunk)))},
                {"body", body},
                {"date", clean(headerText(request, "Date"))},
                {"key", keyOf(request)},
                {"source", sourceAddress(request)},
                {"sipCallId", clean(view(request->msg_info.cid->id))}});
}

void TextReceiver::reply(uint32_t id, int code) {
  Waiting waiting;
  {
    std::lock_guard lock(mutex_);
    const auto at = waiting_.find(id);
    if (at == waiting_.end()) return;
    waiting = at->second;
    waiting_.erase(at);
  }
  finish(waiting, code >= 200 && code <= 699 ? code : 503);
}

void TextReceiver::sweep(int64_t now) {
  std::vector<Waiting> due;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](const auto& item) {
      if (now < item.second.until) return false;
      due.push_back(item.second);
      return true;
    });
  }
  for (const Waiting& waiting : due) finish(waiting, 503);
  if (!due.empty()) events_.log("warn", std::to_string(due.size()) + " text(s) were refused with 503: no answer came whether they are kept");
}

void TextReceiver::stop() {
  std::map<uint32_t, Waiting> all;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    all.swap(waiting_);
  }
  for (const auto& [id, waiting] : all) finish(waiting, 503);
}

void TextReceiver::finish(const Waiting& waiting, int code) {
  pjsip_tx_data* response = waiting.response;
  response->msg->line.status.code = code;
  response->msg->line.status.reason = *pjsip_get_status_text(code);
  if (code == 503) addHeader(response, "Retry-After", retryAfter);
  pjsip_transaction* transaction = waiting.transaction;
  pj_grp_lock_acquire(transaction->grp_lock);
  // The connection it came over may be gone, and the transaction with it.
  const bool alive = transaction->state == PJSIP_TSX_STATE_TRYING;
  if (!alive || pjsip_tsx_send_msg(transaction, response) != PJ_SUCCESS) pjsip_tx_data_dec_ref(response);
  pj_grp_lock_release(transaction->grp_lock);
  pj_grp_lock_dec_ref(transaction->grp_lock);
}

}  // namespace pbx

#include "t38_calls.h"

#include <cstdlib>

#include "endpoint.h"
#include "held_call.h"
#include "now.h"
#include "reply.h"

namespace pbx {

namespace {

T38Calls* t38CallsInUse = nullptr;

constexpr unsigned mostTries = 8;
constexpr int64_t tryAgainMs = 500;

std::string_view bodyOf(const pjsip_msg* message) {
  const pjsip_msg_body* body = message->body;
  if (body == nullptr || body->data == nullptr || view(body->content_type.subtype) != "sdp") return {};
  return {static_cast<const char*>(body->data), body->len};
}

bool mayDescribe(const pjsip_msg* message, const pjsip_cseq_hdr* cseq) {
  if (message->body == nullptr || cseq == nullptr) return false;
  const std::string_view method = view(cseq->method.name);
  return method == "INVITE" || method == "UPDATE" || method == "ACK" || method == "PRACK";
}

// Replaces the text of a received body.
void rewrite(pjsip_rx_data* data, const std::string& text) {
  auto* copy = static_cast<char*>(pj_pool_alloc(data->tp_info.pool, text.size() + 1));
  text.copy(copy, text.size());
  copy[text.size()] = 0;
  data->msg_info.msg->body->data = copy;
  data->msg_info.msg->body->len = static_cast<unsigned>(text.size());
}

void describeAsAudio(pjsip_rx_data* data, pjmedia_sdp_session* sdp) {
  const bool answer = data->msg_info.msg->type == PJSIP_RESPONSE_MSG || data->msg_info.msg->line.req.method.id == PJSIP_ACK_METHOD;
  imageToAudio(data->tp_info.pool, sdp, answer);
  rewrite(data, printSdp(sdp));
}

}  // namespace

pj_bool_t T38Calls::onRxRequest(pjsip_rx_data* data) {
  if (mayDescribe(data->msg_info.msg, data->msg_info.cseq) && data->msg_info.to->tag.slen > 0) t38CallsInUse->received(data);
  return PJ_FALSE;
}

pj_bool_t T38Calls::onRxResponse(pjsip_rx_data* data) {
  if (data->msg_info.cseq != nullptr) t38CallsInUse->answered(data);
  return PJ_FALSE;
}

pj_status_t T38Calls::onTx(pjsip_tx_data* data) {
  t38CallsInUse->sending(data);
  return PJ_SUCCESS;
}

pj_status_t T38Calls::install() {
  static pjsip_module module{};
  t38CallsInUse = this;
  module.name = pjText("pbx-t38");
  module.id = -1;
  // Between the gate and the transactions, and before a message is printed.
  module.priority = PJSIP_MOD_PRIORITY_TSX_LAYER - 2;
  module.on_rx_request = &T38Calls::onRxRequest;
  module.on_rx_response = &T38Calls::onRxResponse;
  module.on_tx_request = &T38Calls::onTx;
  module.on_tx_response = &T38Calls::onTx;
  return pjsip_endpt_register_module(pjsua_get_pjsip_endpt(), &module);
}

bool T38Calls::concerns(LegId leg) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, change] : changes_) {
    if (change.leg == leg) return true;
  }
  return false;
}

void T38Calls::legEnded(LegId leg) {
  std::lock_guard lock(mutex_);
  std::erase_if(changes_, [leg](const auto& item) { return item.second.leg == leg; });
}

// An offer of the far end, or its answer to ours in an ACK.
void T38Calls::received(pjsip_rx_data* data) {
  const std::string id = text(data->msg_info.cid->id);
  const std::string_view body = bodyOf(data->msg_info.msg);
  if (body.empty()) return;
  const bool image = body.find("m=image") != std::string_view::npos;
  std::lock_guard lock(mutex_);
  auto at = changes_.find(id);
  if (!image && at == changes_.end()) return;
  pjmedia_sdp_session* sdp = parseSdp(data->tp_info.pool, body);
  if (sdp == nullptr) return;
  auto line = readT38(sdp);
  if (!line) {
    // Back to audio. An offer of ours that is still on its way meets 491 and is not repeated.
    if (at != changes_.end() && at->second.state == State::active) changes_.erase(at);
    return;
  }
  if (at == changes_.end()) {
    const auto leg = legs_.bySipCallId(id);
    // pjsua answers 488. T.38 has no protection of its own: what was encrypted stays so.
    if (leg == nullptr || leg->secure || !faxes_.mayChange(leg->id)) return;
    Change change;
    change.leg = leg->id;
    change.socket = openSocket(*leg);
    if (change.socket == nullptr) return;
    at = changes_.emplace(id, std::move(change)).first;
  }
  Change& change = at->second;
  // While our own offer is out the far end's is refused with 491 (RFC 3261 section 14.2); pjsua does so, whatever it says.
  if (change.state != State::asked) {
    change.remote = *line;
    change.signalling = sourceIp(data);
    if (change.state != State::active) change.state = State::invited;
  }
  describeAsAudio(data, sdp);
}

// An answer to our offer, or its refusal.
void T38Calls::answered(pjsip_rx_data* data) {
  const std::string id = text(data->msg_info.cid->id);
  std::lock_guard lock(mutex_);
  const auto at = changes_.find(id);
  if (at == changes_.end()) return;
  Change& change = at->second;
  const int code = data->msg_info.msg->line.status.code;
  const bool invite = data->msg_info.cseq->method.id == PJSIP_INVITE_METHOD;
  if (code >= 300) {
    if (!invite || change.state != State::asked || code == 401 || code == 407) return;
    if (code == 491 && ++change.tries < mostTries) {
      change.state = State::asking;
      // RFC 3261 section 14.1: the side that did not make the call waits less; a receiving machine mostly did not.
      change.againAt = nowMs() + std::rand() % 2000;
      return;
    }
    logLine("INFO", "the far end refused T.38 with " + std::to_string(code) + ", the fax goes on over audio");
    changes_.erase(at);
    return;
  }
  const std::string_view body = bodyOf(data->msg_info.msg);
  if (code < 200 || body.empty()) return;
  pjmedia_sdp_session* sdp = parseSdp(data->tp_info.pool, body);
  if (sdp == nullptr) return;
  auto line = readT38(sdp);
  if (!line) {
    if (change.state == State::asked) changes_.erase(at);
    return;
  }
  change.remote = *line;
  change.signalling = sourceIp(data);
  describeAsAudio(data, sdp);
  if (invite && change.state == State::asked) {
    activate(change);
  } else if (change.state == State::active) {
    connect(change);
  }
}

void T38Calls::sending(pjsip_tx_data* data) {
  const auto* call = static_cast<const pjsip_cid_hdr*>(pjsip_msg_find_hdr(data->msg, PJSIP_H_CALL_ID, nullptr));
  const auto* cseq = static_cast<const pjsip_cseq_hdr*>(pjsip_msg_find_hdr(data->msg, PJSIP_H_CSEQ, nullptr));
  if (call == nullptr || cseq == nullptr) return;
  std::lock_guard lock(mutex_);
  const auto at = changes_.find(view(call->id));
  if (at == changes_.end()) return;
  Change& change = at->second;
  const bool answer = data->msg->type == PJSIP_RESPONSE_MSG;
  const int code = answer ? data->msg->line.status.code : 0;
  if (code >= 300 && change.state == State::invited && cseq->method.id == PJSIP_INVITE_METHOD) {
    changes_.erase(at);
    return;
  }
  if (change.state == State::asking || code >= 300 || !mayDescribe(data->msg, cseq)) return;
  // What was translated when it was sent first is sent again as it is.
  char text[4000];
  const int size = data->msg->body->print_body(data->msg->body, text, sizeof text);
  pjmedia_sdp_session* sdp = size > 0 ? parseSdp(data->pool, {text, static_cast<size_t>(size)}) : nullptr;
  if (sdp == nullptr || sdp->media_count == 0 || readT38(sdp)) return;
  audioToImage(data->pool, sdp, change.socket->port(), answer ? change.remote.lines : std::vector<std::string>{});
  const std::string translated = printSdp(sdp);
  const pj_str_t type = pjText("application"), subtype = pjText("sdp"), content = pjText(translated);
  data->msg->body = pjsip_msg_body_create(data->pool, &type, &subtype, &content);
  if (answer && change.state == State::invited && code >= 200) {
    activate(change);
  } else if (answer && change.state == State::active && code >= 200) {
    connect(change);  // the far end may have named another address
  }
}

void T38Calls::activate(Change& change) {
  change.state = State::active;
  connect(change);
  faxes_.changeToT38(change.leg, change.socket, change.remote.terms);
}

void T38Calls::connect(Change& change) {
  const auto leg = legs_.find(change.leg);
  const auto path = leg != nullptr ? paths_.of(*leg) : nullptr;
  std::vector<IpRange> trusted = path != nullptr ? path->trusted() : std::vector<IpRange>();
  if (SocketAddress signalling; SocketAddress::parse(change.signalling, 0, signalling)) trusted.push_back({signalling.ip, 128});
  if (change.socket->connect(change.remote.host, change.remote.port, std::move(trusted))) return;
  events_.log("warn", "a far end gave \"" + clean(change.remote.host) + "\" as its address for T.38, which is no IP address");
}

std::shared_ptr<UdptlSocket> T38Calls::openSocket(const CallLeg& leg) {
  const auto path = paths_.of(leg);
  std::shared_ptr<UdptlSocket> socket = UdptlSocket::open(paths_.ports, path != nullptr ? path->foreign : nullptr);
  if (socket == nullptr) events_.log("error", "no port of sip.rtpPorts could be opened for T.38, the fax stays on audio");
  return socket;
}

bool T38Calls::ask(const std::shared_ptr<CallLeg>& leg) {
  {
    std::lock_guard lock(mutex_);
    Change& change = changes_[leg->sipCallId];
    // The far end was quicker.
    if (change.state != State::asking) return true;
    change.leg = leg->id;
    if (!change.socket) change.socket = openSocket(*leg);
    if (!change.socket) {
      changes_.erase(leg->sipCallId);
      return true;
    }
    change.state = State::asked;
  }
  const pjsua_call_setting setting = audioOnly();
  if (const HeldCall call(*leg); call && pjsua_call_reinvite2(call.slot(), &setting, nullptr) == PJ_SUCCESS) return true;
  // Another transaction is in its course.
  std::lock_guard lock(mutex_);
  const auto at = changes_.find(leg->sipCallId);
  if (at == changes_.end() || at->second.state != State::asked) return true;
  changes_.erase(at);
  return false;
}

void T38Calls::sweep(int64_t now) {
  std::vector<LegId> due = faxes_.wantT38();
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, change] : changes_) {
      if (change.state != State::asking || change.againAt == 0 || now < change.againAt) continue;
      change.againAt = 0;
      if (faxes_.mayChange(change.leg)) due.push_back(change.leg);
    }
  }
  for (const LegId id : due) {
    const auto leg = legs_.find(id);
    if (leg == nullptr || leg->secure || leg->sipCallId.empty()) continue;
    if (!ask(leg)) faxes_.wantT38Again(id, tryAgainMs);
  }
}

}  // namespace pbx

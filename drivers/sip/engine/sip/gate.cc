#include "gate.h"

#include <algorithm>

#include "address.h"
#include "digest_uri.h"
#include "far_end.h"
#include "now.h"
#include "own_addresses.h"
#include "parties.h"
#include "phone_uri.h"
#include "reply.h"
#include "sound_message.h"

namespace pbx {

namespace {

Gate* gateInUse = nullptr;
thread_local Source currentSource;

// Rates of new requests from one address: what a busy trunk sends, and what all phones of a house could mean that have it in common. Calls and registrations of
// phones are not among them: anybody can forge these, so the registrar counts those that prove who they are.
constexpr double trunkPerSecond = 1500, trunkBurst = 3000, phonePerSecond = 100, phoneBurst = 1000;
// Calls for help of an address that is banned, with their challenges and CANCELs.
constexpr double bannedHelpPerSecond = 0.05, bannedHelpBurst = 8;

const char* const allowedInCall = "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, PRACK, REFER, NOTIFY, REGISTER";
// Texts stand by themselves: none is taken inside a call.
const std::string allowed = std::string(allowedInCall) + ", MESSAGE, SUBSCRIBE";
const char* const acceptedBodies = "application/sdp, text/plain";

// What a call may require, and what stands by itself.
const std::initializer_list<std::string_view> mayBeRequired = {"100rel", "timer", "replaces", "norefersub"};

bool asksTooMuch(pjsip_rx_data* request) {
  return requiresUnknown(request, mayBeRequired);
}

bool inOurDialog(const pjsip_rx_data* request) {
  const auto& info = request->msg_info;
  return info.to->tag.slen > 0 && pjsip_ua_find_dialog(&info.cid->id, &info.to->tag, &info.from->tag, PJ_FALSE) != nullptr;
}

// PJSIP takes calls to SIP addresses alone, and to those of SIPS over TLS alone. Not before the digest, which is of what was written.
void askForHelp(pjsip_rx_data* request, const std::string& number, const std::string& realm) {
  pjsip_sip_uri* uri = pjsip_sip_uri_create(request->tp_info.pool, PJ_FALSE);
  uri->user = copied(request->tp_info.pool, number);
  uri->host = copied(request->tp_info.pool, realm);
  request->msg_info.msg->line.req.uri = reinterpret_cast<pjsip_uri*>(uri);
  // A second attempt costs time, and not every phone makes one.
  dropUnknownRequired(request, mayBeRequired);
}

// Such a dialog is kept by a NOTIFY that was not answered, and PJSIP would say 500 to a further REFER. A repeated one has its answer already.
bool ofCallThatIsOver(pjsip_rx_data* refer) {
  const auto& info = refer->msg_info;
  if (isRepeated(refer)) return false;
  pjsip_dialog* dialog = pjsip_ua_find_dialog(&info.cid->id, &info.to->tag, &info.from->tag, PJ_TRUE);
  if (dialog == nullptr) return false;
  const pjsip_inv_session* call = pjsip_dlg_get_inv_session(dialog);
  const bool over = call == nullptr || call->state == PJSIP_INV_STATE_DISCONNECTED;
  pjsip_dlg_dec_lock(dialog);
  return over;
}

bool isMethod(const pjsip_rx_data* request, const char* name) {
  return view(request->msg_info.msg->line.req.method.name) == name;
}

void refuseMethod(pjsip_rx_data* request, const std::string& methods = allowed) {
  const bool known = isMethod(request, "MESSAGE") || isMethod(request, "SUBSCRIBE") || isMethod(request, "PUBLISH");
  replyStateless(request, known ? 405 : 501, {{"Allow", methods}});
}

// The Contact of who begins a call, or changes it, names another machine than the one that is heard, without a proxy between them that would stay
// on the way: it is written behind an address translator.
bool isUnreachable(const pjsip_rx_data* message) {
  const pjsip_method_e method = message->msg_info.cseq->method.id;
  const pjsip_msg* text = message->msg_info.msg;
  if (method != PJSIP_INVITE_METHOD && view(message->msg_info.cseq->method.name) != "UPDATE") return false;
  if (pjsip_msg_find_hdr(text, PJSIP_H_RECORD_ROUTE, nullptr) != nullptr) return false;
  const auto* via = message->msg_info.via;
  const bool proxied = text->type == PJSIP_REQUEST_MSG && static_cast<const void*>(via->next) != &text->hdr && pjsip_msg_find_hdr(text, PJSIP_H_VIA, via->next) != nullptr;
  const std::string host = contactHost(message);
  return !proxied && !host.empty() && host != message->pkt_info.src_name;
}

}  // namespace

const Source& Gate::source() {
  return currentSource;
}

pj_status_t Gate::install() {
  static pjsip_module module{};
  gateInUse = this;
  module.name = pjText("pbx-gate");
  module.id = -1;
  // Above the transport's own module, below the transaction layer.
  module.priority = PJSIP_MOD_PRIORITY_TSX_LAYER - 4;
  module.on_rx_request = &Gate::receive;
  module.on_rx_response = &Gate::receiveResponse;
  return pjsip_endpt_register_module(pjsua_get_pjsip_endpt(), &module);
}

pj_bool_t Gate::receive(pjsip_rx_data* request) {
  spellOut(request->msg_info.msg);
  return gateInUse->onRequest(request) ? PJ_TRUE : PJ_FALSE;
}

void Gate::keepReachable(pjsip_rx_data* message) const {
  // What is behind an edge is reached by its Record-Route.
  if (fromEdge(message)) return;
  const pjsip_transport* transport = message->tp_info.transport;
  const std::string ip = sourceIp(message);
  const bool unreachable = isUnreachable(message);
  if (unreachable && isNobody(contactHost(message), message->pkt_info.src_name)) {
    contactAtSource(message, transportName(message));
    return;
  }
  const bool reliable = (transport->flag & PJSIP_TRANSPORT_RELIABLE) != 0, secure = (transport->flag & PJSIP_TRANSPORT_SECURE) != 0;
  if (reliable && transport->dir != PJSIP_TP_DIR_INCOMING) return;
  const auto settings = settings_.get();
  const TrunkSettings* trunk = settings->trunk(trunks_.byIp(ip));
  if (trunk != nullptr && (!secure || trunk->transport == "tls")) return;
  if (secure || (unreachable && registrar_.hasLiveIp(ip))) contactAtSource(message, transportName(message));
}

pj_bool_t Gate::receiveResponse(pjsip_rx_data* response) {
  pjsip_msg* message = response->msg_info.msg;
  if (!understood(response)) return PJ_TRUE;
  spellOut(message);
  dropStars(message);
  gateInUse->keepReachable(response);
  // PJSIP's tables have room for what is let through. An answer with more describes nothing: a call that it accepts is ended
  // with BYE, since it has no media, and an offer in a call that stands fails.
  if (tooLarge(message->body)) message->body = nullptr;
  return soundRoutes(message) ? PJ_FALSE : PJ_TRUE;
}

Gate::Sender Gate::identify(pjsip_rx_data* request) const {
  const auto [ip, port] = senderOf(request);
  Sender sender;
  // Also where it is a trunk's outbound proxy: what the trunk sends has passed it.
  if (isEdge(ip)) {
    sender.kind = Kind::phone;
    sender.edge = true;
    return sender;
  }
  sender.trunk = trunks_.byAddress(ip, port);
  if (!sender.trunk.empty()) {
    sender.kind = Kind::trunk;
    sender.trunk = trunks_.calledBy(request, {ip, port}, sender.trunk);
    sender.exempt = true;
    return sender;
  }
  sender.exempt = registrar_.hasLiveAddress(sourceAddress(request));
  const std::string trunk = trunks_.byIp(ip);
  const auto settings = settings_.get();
  const bool phoneNumber = settings->extension(numberOf(request->msg_info.from->uri)) != nullptr;
  if (!trunk.empty() && !phoneNumber) {
    sender.kind = Kind::trunk;
    sender.trunk = trunks_.calledBy(request, {ip, port}, trunk);
  } else if (!trunk.empty() || sender.exempt || fromEdge(request) || registrar_.hasLiveIp(ip) || anyContains(settings->phoneNetworks, ip) || callsForHelp(request, *settings)) {
    sender.kind = Kind::phone;
  }
  return sender;
}

bool Gate::shutOut(pjsip_rx_data* request) const {
  const auto [ip, port] = senderOf(request);
  const int64_t now = steadyMs();
  const auto& info = request->msg_info;
  const auto proof = digestAnswer(request);
  const std::string user = proof ? proof->username : numberOf((info.msg->line.req.method.id == PJSIP_REGISTER_METHOD ? info.to : info.from)->uri);
  if (!bans_.banned(ip, now, user) || !trunks_.byAddress(ip, port).empty() || registrar_.hasLiveAddress(joinHostPort(ip, port)) || inOurDialog(request)) return false;
  // The neighbour of a guesser calls for help; a guesser gains three tries a minute by that.
  return !callsForHelp(request, *settings_.get()) || !rates_.within(sourceKey(ip) + " help", bannedHelpPerSecond, bannedHelpBurst, now);
}

bool Gate::onRequest(pjsip_rx_data* request) {
  // Messages are written to whom they go to next.
  FarEnd::set(packetSource(request).host);
  connections_.heard(request);
  if (request->msg_info.from == nullptr || request->msg_info.to == nullptr || request->msg_info.cid == nullptr || request->msg_info.cseq == nullptr) return true;
  const pjsip_msg* message = request->msg_info.msg;
  const pjsip_method_e method = message->line.req.method.id;
  // Anybody may ask to register, so nothing more is looked at here than a ban.
  if (method == PJSIP_REGISTER_METHOD) {
    if (!shutOut(request)) {
      if (understood(request)) registrar_.onRegister(request);
      else replyStateless(request, 400);
    }
    if (registrar_.hasLiveAddress(sourceAddress(request))) connections_.proven(request);
    return true;
  }
  const Sender sender = identify(request);
  // A provider is never shut out: over TCP and TLS its calls come from other ports than the one it is known by.
  if (sender.kind == Kind::trunk) {
    connections_.proven(request);
    trunks_.heard(sender.trunk, steadyMs());
  } else if (shutOut(request)) {
    return true;
  }
  keepReachable(request);
  // Lamps are lit where their phone is heard, whatever its Contact says.
  if (sender.kind != Kind::trunk && isMethod(request, "SUBSCRIBE") && !fromEdge(request)) contactAtSource(request, transportName(request));
  // A sender that knows the tags of a call takes part in it: a provider's other server, a phone whose registration ran out.
  if (sender.kind == Kind::stranger && !inOurDialog(request)) return true;
  if (!soundRoutes(message) || !understood(request)) {
    if (method != PJSIP_ACK_METHOD) replyStateless(request, 400);
    return true;
  }
  // What belongs to a dialog or transaction is matched, or answered 481, above.
  if (request->msg_info.to->tag.slen > 0 || method == PJSIP_ACK_METHOD || method == PJSIP_CANCEL_METHOD) {
    if (tooLarge(message->body)) {
      // An ACK has no answer.
      if (method != PJSIP_ACK_METHOD) {
        replyStateless(request, 488);
        return true;
      }
      request->msg_info.msg->body = nullptr;
    }
    return method != PJSIP_ACK_METHOD && method != PJSIP_CANCEL_METHOD && onInDialog(request);
  }
  const bool trunk = sender.kind == Kind::trunk;
  const bool help = !trunk && (method == PJSIP_INVITE_METHOD || method == PJSIP_OPTIONS_METHOD) && isSosUri(printed(message->line.req.uri, PJSIP_URI_IN_REQ_URI));
  if (!help && !isReachable(message->line.req.uri)) {
    replyStateless(request, PJSIP_SC_UNSUPPORTED_URI_SCHEME);
    return true;
  }
  const std::string key = sourceKey(sourceIp(request)) + (trunk ? " trunk" : "");
  // A phone with many lamps subscribes to all of them at once.
  const bool proven = !trunk && (method == PJSIP_INVITE_METHOD || isMethod(request, "SUBSCRIBE"));
  if (!proven && !sender.edge && !rates_.within(key, trunk ? trunkPerSecond : phonePerSecond, trunk ? trunkBurst : phoneBurst, steadyMs())) {
    replyStateless(request, 503, {{"Retry-After", "5"}});
    return true;
  }
  return method == PJSIP_INVITE_METHOD ? onInvite(request, sender) : onOther(request, sender);
}

bool Gate::onInDialog(pjsip_rx_data* request) {
  if (isMethod(request, "REFER") && ofCallThatIsOver(request)) {
    replyStateless(request, 481);
    return true;
  }
  // Who hangs up is heard, whatever else is asked for.
  if (isMethod(request, "BYE")) return false;
  for (const char* name : {"INVITE", "INFO", "UPDATE", "PRACK", "REFER", "NOTIFY", "SUBSCRIBE"}) {
    if (isMethod(request, name)) return asksTooMuch(request);
  }
  // PJSIP would answer 500 to what it has no use for inside a call.
  if (!inOurDialog(request)) {
    replyStateless(request, 481);
  } else if (request->msg_info.msg->line.req.method.id == PJSIP_OPTIONS_METHOD) {
    if (!asksTooMuch(request)) replyStateless(request, 200, {{"Allow", allowedInCall}, {"Accept", "application/sdp"}});
  } else {
    refuseMethod(request, allowedInCall);
  }
  return true;
}

bool Gate::onInvite(pjsip_rx_data* request, const Sender& sender) {
  if (tooLarge(request->msg_info.msg->body)) {
    replyStateless(request, 488);
    return true;
  }
  // Another machine answers its repetition.
  if (silent_ && !isRepeated(request)) return true;
  currentSource = Source{};
  currentSource.far = sourceIp(request);
  if (sender.kind == Kind::trunk) return onTrunkInvite(request, sender);
  // Before the digest: an edge asks the next box then, where a challenge would have the phone prove itself to one that takes no call.
  if (const unsigned seconds = closedTo(request, sender); seconds > 0 && !isRepeated(request)) {
    replyStateless(request, 503, {{"Retry-After", std::to_string(seconds)}});
    return true;
  }
  currentSource.extension = registrar_.authenticate(request);
  if (currentSource.extension.empty()) return true;
  connections_.proven(request);
  const auto settings = settings_.get();
  currentSource.help = helpIn(request, *settings);
  if (!currentSource.help.empty()) askForHelp(request, currentSource.help, settings->realm);
  if (!takeReplaces(request, currentSource.replaced)) {
    replyStateless(request, 400);
    return true;
  }
  return !admit(request, sender);
}

unsigned Gate::closedTo(const pjsip_rx_data* request, const Sender& sender) const {
  // A call for help may wait for the daemon.
  if (sender.kind == Kind::phone && callsForHelp(request, *settings_.get())) return 0;
  if (!attendance_.there(steadyMs())) return 5;
  // What a phone without an edge dials meanwhile the daemon refuses, and writes into the history of calls.
  if (draining_ && (sender.kind == Kind::trunk || fromEdge(request))) return 30;
  return room_.full() ? 5 : 0;
}

// Answers where the INVITE does not come in. What is repeated has its place already.
bool Gate::admit(pjsip_rx_data* request, const Sender& sender) {
  if (isRepeated(request)) return true;
  const unsigned seconds = closedTo(request, sender);
  if (seconds == 0 && room_.take(!currentSource.help.empty())) return true;
  replyStateless(request, 503, {{"Retry-After", std::to_string(std::max(seconds, 5u))}});
  return false;
}

bool Gate::onTrunkInvite(pjsip_rx_data* request, const Sender& sender) {
  const std::string& id = sender.trunk;
  const auto settings = settings_.get();
  const TrunkSettings* trunk = settings->trunk(id);
  if (trunk == nullptr || !trunkProven(request, *trunk)) return true;
  currentSource.trunk = id;
  currentSource.caller = {id, sourceIp(request), trunk->authenticateInbound ? 0 : trunk->channels};
  if (!unacknowledged_.flooded(currentSource.caller, steadyMs())) return !admit(request, sender);
  replyStateless(request, 503, {{"Retry-After", "8"}});
  return true;
}

bool Gate::trunkProven(pjsip_rx_data* request, const TrunkSettings& trunk) {
  if (!trunk.authenticateInbound) return true;
  const std::string realm = settings_.get()->realm, ip = sourceIp(request);
  const int64_t now = steadyMs();
  const auto answer = digestAnswer(request);
  bool stale = false;
  if (answer) {
    // RFC 7616 section 3.4.6, as for phones.
    if (!sameTarget(answer->uri, request)) {
      replyStateless(request, 400);
      return false;
    }
    const std::string method = text(request->msg_info.msg->line.req.method.name);
    const std::string password = answer->username == trunk.authUsername ? trunk.password : "";
    switch (digest_.check(*answer, method, realm, password, ip, requestId(request), now)) {
      case DigestVerdict::valid: return true;
      case DigestVerdict::repeated:
        if (isRepeated(request)) return true;
        stale = true;
        break;
      case DigestVerdict::stale: stale = true; break;
      case DigestVerdict::wrong: replyStateless(request, 403); return false;
    }
  }
  challenge(request, realm, digest_.challengeNonce(ip, now), stale);
  return false;
}

// What an INVITE would get: a provider that shares calls among several boxes asks for that.
void Gate::answerOptions(pjsip_rx_data* request, const Sender& sender) const {
  if (silent_ || asksTooMuch(request)) return;
  std::vector<Header> headers = {{"Allow", allowed}, {"Accept", acceptedBodies}};
  const unsigned seconds = draining_ ? 30 : closedTo(request, sender);
  if (seconds > 0) headers.push_back({"Retry-After", std::to_string(seconds)});
  replyStateless(request, seconds > 0 ? 503 : 200, headers);
}

bool Gate::onOther(pjsip_rx_data* request, const Sender& sender) {
  if (request->msg_info.msg->line.req.method.id == PJSIP_OPTIONS_METHOD) {
    if (sender.kind == Kind::trunk || sender.exempt || sender.edge || !registrar_.authenticate(request).empty()) answerOptions(request, sender);
    return true;
  }
  if (isMethod(request, "MESSAGE")) {
    currentSource = Source{};
    if (sender.kind == Kind::trunk) {
      const auto settings = settings_.get();
      const TrunkSettings* trunk = settings->trunk(sender.trunk);
      if (trunk == nullptr || !trunkProven(request, *trunk)) return true;
      currentSource.trunk = sender.trunk;
    }
    return asksTooMuch(request);
  }
  if (isMethod(request, "SUBSCRIBE") && sender.kind != Kind::trunk) {
    currentSource = Source{};
    currentSource.extension = registrar_.authenticate(request);
    if (currentSource.extension.empty()) return true;
    connections_.proven(request);
    return asksTooMuch(request);
  }
  for (const char* name : {"INFO", "UPDATE", "PRACK", "REFER", "NOTIFY", "BYE"}) {
    if (!isMethod(request, name)) continue;
    // These live inside a call only. A REFER could stand by itself, but nobody has the box call for them.
    replyStateless(request, isMethod(request, "REFER") ? 403 : 481);
    return true;
  }
  refuseMethod(request);
  return true;
}

}  // namespace pbx

#include "call_control.h"

#include <cctype>
#include <cstring>

#include "call_events.h"
#include "parties.h"

namespace pbx {

namespace {

constexpr int64_t mediaWatchEveryMs = 2000;

std::string quoted(const std::string& name) {
  std::string result = "\"";
  for (const char c : clean(name)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\" ";
}

// The source address of a phone, under the user its contact names: reaches it through NAT and on its own connection.
std::string phoneUri(const Contact& contact) {
  const size_t scheme = contact.uri.find(':');
  const size_t at = contact.uri.find('@');
  const std::string user = scheme != std::string::npos && at != std::string::npos ? contact.uri.substr(scheme + 1, at - scheme - 1) + "@" : "";
  return "sip:" + user + contact.address + (contact.transport == "udp" ? "" : ";transport=" + contact.transport);
}

pjmedia_srtp_use phoneSrtp(Srtp wanted, const Contact& contact) {
  switch (wanted) {
    case Srtp::off: return PJMEDIA_SRTP_DISABLED;
    case Srtp::optional: return PJMEDIA_SRTP_OPTIONAL;
    case Srtp::required: return PJMEDIA_SRTP_MANDATORY;
    case Srtp::automatic: break;
  }
  return contact.transport == "tls" ? PJMEDIA_SRTP_MANDATORY : PJMEDIA_SRTP_DISABLED;
}

// Frequencies of a key (ITU-T Q.23).
std::vector<double> keyTones(char key) {
  static const char* keys = "123A456B789C*0#D";
  static const double low[] = {697, 770, 852, 941}, high[] = {1209, 1336, 1477, 1633};
  const char* at = std::strchr(keys, std::toupper(static_cast<unsigned char>(key)));
  if (key == 0 || at == nullptr) return {};
  return {low[(at - keys) / 4], high[(at - keys) % 4]};
}

}  // namespace

void CallControl::progress(LegId id, int code) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || !leg->inbound || leg->call == PJSUA_INVALID_ID) return;
  const pjsua_call_setting setting = audioOnly();
  pjsua_call_answer2(leg->call, &setting, static_cast<unsigned>(code), nullptr, nullptr);
}

void CallControl::answer(LegId id) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || !leg->inbound || leg->call == PJSUA_INVALID_ID) return;
  const pjsua_call_setting setting = audioOnly();
  const pj_status_t status = pjsua_call_answer2(leg->call, &setting, 200, nullptr, nullptr);
  if (status != PJ_SUCCESS) pjsua_call_hangup(leg->call, 488, nullptr, nullptr);
}

void CallControl::reject(LegId id, int code, const std::string& reason) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || leg->call == PJSUA_INVALID_ID) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->localEnd = true;
  }
  const pj_str_t text = pjText(reason);
  pjsua_call_hangup(leg->call, static_cast<unsigned>(code), reason.empty() ? nullptr : &text, nullptr);
}

void CallControl::hangup(LegId id, int cause) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->localEnd = true;
  }
  if (leg->call == PJSUA_INVALID_ID) return;
  pjsua_msg_data data;
  pjsua_msg_data_init(&data);
  const std::string value = "Q.850;cause=" + std::to_string(cause > 0 && cause < 128 ? cause : 16);
  const pj_str_t name = pjText("Reason"), text = pjText(value);
  pjsip_generic_string_hdr reason;
  pjsip_generic_string_hdr_init2(&reason, const_cast<pj_str_t*>(&name), const_cast<pj_str_t*>(&text));
  pj_list_push_back(&data.hdr_list, &reason);
  pjsua_call_hangup(leg->call, 0, nullptr, &data);
}

void CallControl::dial(const DialOrder& order) {
  const auto leg = context_.legs.addOutbound(order.leg);
  leg->trunk = order.trunk;
  leg->extension = order.extension;
  leg->modem = order.fax;
  leg->dialUntil = nowMs() + int64_t{order.timeoutSeconds} * 1000;
  const auto settings = context_.settings.get();
  context_.media.open(leg->id, settings->inbandDigits);

  pjsua_acc_id account = PJSUA_INVALID_ID;
  std::string target, domain;
  if (!order.trunk.empty()) {
    const TrunkSettings* trunk = settings->trunk(order.trunk);
    if (trunk == nullptr) return endWithoutCall(context_, leg, 404, "there is no trunk " + order.trunk);
    account = context_.trunks.account(order.trunk);
    target = trunkUri(*trunk, escapedUser(order.to));
    domain = trunk->fromDomain.empty() ? splitHostPort(trunk->server).host : trunk->fromDomain;
  } else {
    const ExtensionSettings* extension = settings->extension(order.extension);
    if (extension == nullptr) return endWithoutCall(context_, leg, 404, "there is no extension " + order.extension);
    const auto contacts = context_.registrar.contacts(order.extension);
    if (contacts.empty()) return endWithoutCall(context_, leg, 480, "extension " + order.extension + " is not registered");
    account = context_.endpoint.phoneAccount(phoneSrtp(extension->srtp, contacts.front()));
    target = phoneUri(contacts.front());
    domain = settings->realm;
  }
  if (account == PJSUA_INVALID_ID) return endWithoutCall(context_, leg, 503, "the account of this line could not be opened");

  pjsua_msg_data data;
  pjsua_msg_data_init(&data);
  const std::string from = (order.callerName.empty() ? "" : quoted(order.callerName)) + "<sip:" + (order.from.empty() ? "anonymous" : escapedUser(order.from)) + "@" + joinHostPort(domain, 0) + ">";
  data.local_uri = pjText(from);
  const pj_str_t uri = pjText(target);
  const pjsua_call_setting setting = audioOnly();
  pjsua_call_id call = PJSUA_INVALID_ID;
  // The number is bound to the slot by user data first: events may arrive before this function returns.
  const pj_status_t status = pjsua_call_make_call(account, &uri, &setting, leg.get(), &data, &call);
  if (status != PJ_SUCCESS) return endWithoutCall(context_, leg, 503, errorText(status));
  context_.legs.bind(leg, call);
  bool ending = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    ending = leg->localEnd;
  }
  if (ending) pjsua_call_hangup(call, 0, nullptr, nullptr);
}

void CallControl::hold(LegId id, bool on) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || leg->call == PJSUA_INVALID_ID) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->holding = on;
  }
  sendHold(leg);
}

void CallControl::sendHold(const std::shared_ptr<CallLeg>& leg) {
  bool on = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    on = leg->holding;
    leg->holdAgainAt = 0;
  }
  if (on) {
    pjsua_call_set_hold(leg->call, nullptr);
  } else {
    pjsua_call_setting setting = audioOnly();
    setting.flag = PJSUA_CALL_UNHOLD;
    pjsua_call_reinvite2(leg->call, &setting, nullptr);
  }
}

void CallControl::digits(LegId id, const std::string& digits, const std::string& method) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || leg->call == PJSUA_INVALID_ID) return;
  const pj_str_t keys = pjText(digits);
  if (method == "info") {
    pjsua_call_send_dtmf_param param;
    pjsua_call_send_dtmf_param_default(&param);
    param.method = PJSUA_DTMF_METHOD_SIP_INFO;
    param.digits = keys;
    pjsua_call_send_dtmf(leg->call, &param);
    return;
  }
  if (method != "inband" && pjsua_call_dial_dtmf(leg->call, &keys) == PJ_SUCCESS) return;
  for (const char key : digits) {
    const auto tones = keyTones(key);
    if (tones.empty()) continue;
    context_.media.playTone(id, ownPlay, Tone{tones, 100, -8.0});
    context_.media.playSilence(id, ownPlay, 80);
  }
}

void CallControl::refer(LegId id, const std::string& to) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || leg->call == PJSUA_INVALID_ID) return;
  const std::string target = to.rfind("sip:", 0) == 0 || to.rfind("sips:", 0) == 0 ? to : "sip:" + escapedUser(to) + "@" + context_.settings.get()->realm;
  const pj_str_t uri = pjText(target);
  if (pjsua_call_xfer(leg->call, &uri, nullptr) != PJ_SUCCESS) context_.events.send({{"t", "referred"}, {"leg", id}, {"code", 400}});
}

void CallControl::carryModem(LegId id) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || leg->call == PJSUA_INVALID_ID) return;
  bool answered = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    if (leg->modem) return;
    leg->modem = true;
    answered = leg->answered;
  }
  pjsua_stream_info stream;
  if (!answered || pjsua_call_get_stream_info(leg->call, 0, &stream) != PJ_SUCCESS || stream.type != PJMEDIA_TYPE_AUDIO) return;
  if (view(stream.info.aud.fmt.encoding_name) == "PCMU" || view(stream.info.aud.fmt.encoding_name) == "PCMA") return;
  const pjsua_call_setting setting = audioOnly();
  pjsua_call_reinvite2(leg->call, &setting, nullptr);
}

void CallControl::watchMedia(const std::shared_ptr<CallLeg>& leg, int64_t now, int64_t patience) {
  pjsua_stream_stat stat;
  if (pjsua_call_get_stream_stat(leg->call, 0, &stat) != PJ_SUCCESS) return;
  bool lost = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    if (stat.rtcp.rx.pkt != leg->packetsSeen || leg->held || leg->holding) {
      leg->packetsSeen = stat.rtcp.rx.pkt;
      leg->packetsAt = now;
    } else {
      lost = now - leg->packetsAt >= patience;
      leg->silent = lost;
    }
  }
  if (lost) pjsua_call_hangup(leg->call, 0, nullptr, nullptr);
}

void CallControl::sweep(int64_t now) {
  const int64_t patience = int64_t{context_.settings.get()->mediaTimeoutSeconds} * 1000;
  const bool watch = now % mediaWatchEveryMs < 250;
  for (const auto& leg : context_.legs.all()) {
    bool late = false, answered = false, holdAgain = false;
    pjsua_call_id call = PJSUA_INVALID_ID;
    {
      std::lock_guard lock(context_.legs.mutex());
      answered = leg->answered;
      call = leg->call;
      late = !leg->inbound && !answered && !leg->timedOut && leg->dialUntil > 0 && now >= leg->dialUntil && call != PJSUA_INVALID_ID;
      if (late) leg->timedOut = true;
      holdAgain = leg->holdAgainAt > 0 && now >= leg->holdAgainAt;
    }
    if (late) pjsua_call_hangup(call, 0, nullptr, nullptr);
    if (holdAgain) sendHold(leg);
    if (answered && watch && patience > 0) watchMedia(leg, now, patience);
  }
}

}  // namespace pbx

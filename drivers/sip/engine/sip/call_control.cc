#include "call_control.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>

#include "call_events.h"
#include "now.h"
#include "parties.h"
#include "reason.h"

namespace pbx {

namespace {

constexpr int64_t againMs = 250;
// A caller with several boxes tries the next one after a 503, and comes back after this many seconds.
constexpr const char* comeAgainAfter = "5";

// Frequencies of a key (ITU-T Q.23).
std::vector<double> keyTones(char key) {
  static const char* keys = "123A456B789C*0#D";
  static const double low[] = {697, 770, 852, 941}, high[] = {1209, 1336, 1477, 1633};
  const char* at = std::strchr(keys, std::toupper(static_cast<unsigned char>(key)));
  if (key == 0 || at == nullptr) return {};
  return {low[(at - keys) / 4], high[(at - keys) % 4]};
}

}  // namespace

void CallControl::note(const LegPointer& leg, const char* order, pj_status_t status) const {
  // The call has ended meanwhile and needs nothing more.
  if (status == PJ_SUCCESS || status == PJSIP_ESESSIONTERMINATED) return;
  logLine("INFO", "leg " + std::to_string(leg->id) + ": " + order + " came to nothing: " + errorText(status));
}

void CallControl::take(LegId id) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  std::lock_guard lock(context_.legs.mutex());
  leg->taken = true;
}

void CallControl::progress(LegId id, int code) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || !leg->inbound || code <= 100 || code >= 200) return;
  const pjsua_call_setting setting = audioOnly();
  const HeldCall call(*leg);
  note(leg, "progress", call ? pjsua_call_answer2(call.slot(), &setting, static_cast<unsigned>(code), nullptr, nullptr) : call.status());
}

void CallControl::answer(LegId id) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr || !leg->inbound) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    if (leg->accepted) return;
    leg->accepted = true;
  }
  if (context_.unacknowledged.answer(id, leg->caller, steadyMs())) sendAnswer(leg);
}

void CallControl::sendAnswer(const LegPointer& leg) {
  const pjsua_call_setting setting = audioOnly();
  const HeldCall call(*leg);
  const pj_status_t status = call ? pjsua_call_answer2(call.slot(), &setting, 200, nullptr, nullptr) : call.status();
  if (status == PJ_SUCCESS) return;
  if (call.busy()) {
    std::lock_guard lock(context_.legs.mutex());
    leg->answerAt = steadyMs() + againMs;
    return;
  }
  note(leg, "answer", status);
  end(leg, {488, "", 0});
}

void CallControl::reject(LegId id, int code, const std::string& reason) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->localEnd = true;
  }
  end(leg, {code >= 300 && code < 700 ? code : 480, reason, 0});
}

void CallControl::hangup(LegId id, int cause) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->localEnd = true;
  }
  end(leg, {0, "", cause > 0 && cause < 128 ? cause : 16});
}

void CallControl::end(const LegPointer& leg, const Ending& ending) {
  auto why = Dialling::GiveUp::ordered;
  {
    std::lock_guard lock(context_.legs.mutex());
    if (leg->timedOut) why = Dialling::GiveUp::timedOut;
    if (leg->gaveWay) why = Dialling::GiveUp::gaveWay;
  }
  constexpr int nonSelectedUser = 26;  // Q.850: another phone has the call
  if (context_.dialling.giveUp(leg->id, why, ending.cause == nonSelectedUser)) return;
  const HeldCall call(*leg);
  // Also while it is being made.
  if (call.busy() || leg->call == PJSUA_INVALID_ID) {
    std::lock_guard lock(context_.legs.mutex());
    leg->ending = ending;
    leg->endAt = steadyMs() + againMs;
    return;
  }
  if (!call) return;
  const pj_str_t text = pjText(ending.reason);
  const EndHeaders headers(ending.cause, ending.code == PJSIP_SC_SERVICE_UNAVAILABLE ? comeAgainAfter : "");
  note(leg, "its end", pjsua_call_hangup(call.slot(), static_cast<unsigned>(ending.code), ending.reason.empty() ? nullptr : &text, headers.data()));
}

void CallControl::digits(LegId id, const std::string& digits, const std::string& method) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  std::string known;
  std::copy_if(digits.begin(), digits.end(), std::back_inserter(known), [](char key) { return !keyTones(key).empty(); });
  const pj_str_t keys = pjText(known);
  {
    const HeldCall call(*leg);
    if (!call) return note(leg, "keys", call.status());
    if (method == "info") {
      pjsua_call_send_dtmf_param param;
      pjsua_call_send_dtmf_param_default(&param);
      param.method = PJSUA_DTMF_METHOD_SIP_INFO;
      param.digits = keys;
      return note(leg, "keys by INFO", pjsua_call_send_dtmf(call.slot(), &param));
    }
    // Fails where RFC 4733 was not agreed on.
    if (method != "inband" && pjsua_call_dial_dtmf(call.slot(), &keys) == PJ_SUCCESS) return;
  }
  for (const char key : known) {
    context_.media.playTone(id, ownPlay, Tone{keyTones(key), 100, -8.0});
    context_.media.playSilence(id, ownPlay, 80);
  }
}

void CallControl::refer(LegId id, const std::string& to, LegId replaced) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  if (replaced != 0) {
    const auto other = context_.legs.find(replaced);
    pj_status_t status = PJSIP_ESESSIONTERMINATED;
    if (other != nullptr && other != leg) {
      const HeldCall third(*other), call(*leg);
      if (third && call) status = pjsua_call_xfer_replaces(call.slot(), third.slot(), PJSUA_XFER_NO_REQUIRE_REPLACES, nullptr);
    }
    return referOrdered(leg, status);
  }
  const std::string target = to.rfind("sip:", 0) == 0 || to.rfind("sips:", 0) == 0 ? to : "sip:" + escapedUser(to) + "@" + context_.settings.get()->realm;
  const pj_str_t uri = pjText(target);
  // PJSUA verifies in memory that does not grow, and ends the process where a longer text does not fit.
  pj_status_t status = target.size() > PJSIP_MAX_URL_SIZE ? PJSIP_EURITOOLONG : pjsua_verify_sip_url(target.c_str());
  if (status == PJ_SUCCESS) {
    const HeldCall call(*leg);
    status = call ? pjsua_call_xfer(call.slot(), &uri, nullptr) : call.status();
  }
  referOrdered(leg, status);
}

void CallControl::referOrdered(const LegPointer& leg, pj_status_t status) {
  if (status == PJ_SUCCESS) return;
  note(leg, "transfer", status);
  context_.events.send({{"t", "referred"}, {"leg", leg->id}, {"code", 400}, {"final", true}});
}

}  // namespace pbx

#include "dialling.h"

#include <algorithm>

#include "call_events.h"
#include "call_streams.h"
#include "held_call.h"
#include "now.h"
#include "parties.h"

namespace pbx {

namespace {

// Numbers of attempts: the daemon and those who call never get so far.
constexpr LegId firstAttempt = 0x80000000;

// What the caller hears of several phones: that somebody declined, else that one was busy, else what came.
constexpr int speaksForAll = 3;

int rank(int code) {
  return code / 100 == 6 || code / 100 == 3 ? speaksForAll : code == 486 ? 2 : code > 0 ? 1 : 0;
}

}  // namespace

Dialling::Held Dialling::attemptOf(pjsua_call_id call) const {
  const auto leg = context_.legs.byCall(call);
  if (leg == nullptr || leg->id < firstAttempt) return nullptr;
  std::lock_guard lock(mutex_);
  const auto at = attempts_.find(leg->id);
  return at == attempts_.end() ? nullptr : at->second;
}

void Dialling::dial(DialOrder order) {
  if (order.leg == 0 || order.leg % 2 != 0 || order.leg >= firstAttempt) return context_.events.log("error", "a call was ordered for leg " + std::to_string(order.leg) + ", which is not a number for it");
  const auto settings = context_.settings.get();
  const auto leg = std::make_shared<CallLeg>();
  leg->id = order.leg;
  leg->trunk = order.trunk;
  leg->extension = order.extension;
  leg->modem = order.fax;
  leg->forHelp = order.help;
  leg->dialUntil = steadyMs() + int64_t{order.timeoutSeconds} * 1000;
  if (!context_.legs.add(leg)) return context_.events.log("error", "a call was ordered for leg " + std::to_string(order.leg) + ", which there is already");
  context_.media.open(leg->id, settings->inbandDigits);
  if (order.replaces != 0) {
    const auto other = context_.legs.find(order.replaces);
    std::lock_guard lock(context_.legs.mutex());
    if (other != nullptr && other->answered) order.replaced = other->sipCallId + ";to-tag=" + other->farTag + ";from-tag=" + other->ownTag;
  }
  if (order.replaces != 0 && order.replaced.empty()) return endWithoutCall(context_, leg, 481, "the call to be replaced does not stand");
  std::vector<Place> places;
  if (!order.trunk.empty()) {
    const TrunkSettings* trunk = settings->trunk(order.trunk);
    if (trunk == nullptr) return endWithoutCall(context_, leg, 404, "there is no trunk " + order.trunk);
    places.push_back(trunkPlace(order, *trunk));
  } else {
    const ExtensionSettings* extension = settings->extension(order.extension);
    if (extension == nullptr) return endWithoutCall(context_, leg, 404, "there is no extension " + order.extension);
    places = phonePlaces(order, *settings, *extension);
    if (places.empty()) return endWithoutCall(context_, leg, 480, "extension " + order.extension + " is not registered");
  }
  if (places.front().account == PJSUA_INVALID_ID) return endWithoutCall(context_, leg, 503, "the account of this line could not be opened");
  {
    std::lock_guard lock(mutex_);
    const bool phones = order.trunk.empty();
    const int64_t silentUntil = order.silenceMs > 0 ? steadyMs() + order.silenceMs : 0;
    dials_[leg->id] = Dial{leg, order, phones, silentUntil, phones, {}, {}, {}};
  }
  std::string fault;
  bool any = false;
  for (const Place& one : places) {
    const std::string said = place(leg, one);
    any = any || said.empty();
    if (!said.empty()) fault = said;
  }
  Dial dial;
  {
    std::lock_guard lock(mutex_);
    const auto at = dials_.find(leg->id);
    if (at == dials_.end()) return;
    at->second.placing = false;
    if (!at->second.attempts.empty()) return;
    dial = std::move(at->second);
    dials_.erase(at);
  }
  if (any) return conclude(dial, "");
  endWithoutCall(context_, leg, 503, fault);
}

std::string Dialling::place(const std::shared_ptr<CallLeg>& leg, const Place& place) {
  if (!context_.room.take(leg->forHelp)) return "there is no room for one more call (sip.calls: " + std::to_string(context_.room.limit()) + ")";
  const auto attempt = std::make_shared<Attempt>();
  attempt->leg = std::make_shared<CallLeg>();
  attempt->leg->trunk = leg->trunk;
  attempt->leg->extension = leg->extension;
  attempt->leg->modem = leg->modem;
  attempt->leg->forHelp = leg->forHelp;
  attempt->leg->attempt = true;
  attempt->leg->far = place.far;
  attempt->of = leg->id;
  attempt->silentUntil = steadyMs() + silenceMs;
  attempt->server = place.server;
  {
    std::lock_guard lock(mutex_);
    const auto at = dials_.find(leg->id);
    if (at == dials_.end()) return "";  // given up, or another phone has answered already
    if (at->second.silentUntil > 0) attempt->silentUntil = std::min(attempt->silentUntil, at->second.silentUntil);
    attempt->leg->id = firstAttempt + (lastAttempt_++ & 0x3FFFFFFF);
    at->second.attempts.push_back(attempt);
    attempts_[attempt->leg->id] = attempt;
  }
  context_.legs.add(attempt->leg);
  pjsua_call_id call = PJSUA_INVALID_ID;
  const pj_status_t status = invite(place, *attempt->leg, call);
  if (status != PJ_SUCCESS) {
    context_.legs.remove(attempt->leg->id);
    std::lock_guard lock(mutex_);
    attempts_.erase(attempt->leg->id);
    if (const auto at = dials_.find(leg->id); at != dials_.end()) std::erase(at->second.attempts, attempt);
    return errorText(status);
  }
  attempt->leg->call = call;
  // The path is the daemon's leg's when that has taken the call over meanwhile.
  for (const auto& one : {attempt->leg, leg}) {
    if (const auto path = context_.paths.of(*one)) {
      path->trust(context_.trunks.ranges(leg->trunk));
      if (!place.path.empty()) path->signalledFrom(place.far);
      path->prove();  // we called; only who got our INVITE can answer it
    }
  }
  bool wanted = true;
  {
    std::lock_guard lock(mutex_);
    const auto at = dials_.find(leg->id);
    wanted = at != dials_.end() && std::find(at->second.attempts.begin(), at->second.attempts.end(), attempt) != at->second.attempts.end();
  }
  // Given up before its slot was known: nothing happens when it was taken over instead, for then the slot bears another number.
  if (!wanted) release({attempt}, false);
  return "";
}

void Dialling::release(const std::vector<Held>& attempts, bool answeredElsewhere) {
  for (const Held& attempt : attempts) {
    pjsua_msg_data data;
    pjsua_msg_data_init(&data);
    const std::vector<Header> reason = {{"Reason", "SIP;cause=200;text=\"Call completed elsewhere\""}, {"Reason", "Q.850;cause=26"}};
    HeaderList headers(reason);
    if (answeredElsewhere) headers.addTo(data.hdr_list);
    const HeldCall call(*attempt->leg);
    if (call) pjsua_call_hangup(call.slot(), 0, nullptr, &data);
  }
}

// The daemon's leg takes the call of this attempt over. On PJSIP's thread, which holds the call.
bool Dialling::adopt(pjsua_call_id call, const Held& attempt) {
  std::vector<Held> others;
  std::shared_ptr<CallLeg> leg;
  pjmedia_stream* stream = nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto at = dials_.find(attempt->of);
    if (at == dials_.end()) return false;
    leg = at->second.leg;
    others = std::move(at->second.attempts);
    std::erase(others, attempt);
    stream = attempt->stream;
    dials_.erase(at);
    attempts_.erase(attempt->leg->id);
  }
  context_.legs.remove(attempt->leg->id);
  pjsua_call_set_user_data(call, Legs::userData(leg->id));
  leg->call = call;
  bool ending = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    leg->path = attempt->leg->path;
    leg->far = attempt->leg->far;
    leg->told = attempt->leg->told;
    ending = leg->localEnd;
  }
  if (stream != nullptr) streamCreated(context_, *leg, stream);
  if (ending) pjsua_call_hangup(call, 0, nullptr, nullptr);
  release(others, true);
  return true;
}

void Dialling::end(const std::shared_ptr<CallLeg>& leg, const char* by, const char* reason, const Refusal& refusal) {
  if (context_.legs.remove(leg->id) == nullptr) return;
  context_.t38.legEnded(leg->id);
  context_.faxes.legEnded(leg->id, "our side: the call failed");
  context_.media.close(leg->id);
  constexpr int networkOutOfOrder = 38;
  const int cause = refusal.cause != 0 ? refusal.cause : refusal.code == 0 ? networkOutOfOrder : causeOf(refusal.code);
  nlohmann::json message = {{"t", "ended"}, {"leg", leg->id}, {"by", by}, {"reason", reason}, {"code", refusal.code}, {"cause", cause}, {"text", clean(refusal.text)}, {"stats", nlohmann::json::object()}};
  if (!refusal.redirect.empty()) message["redirect"] = clean(refusal.redirect);
  context_.events.ended(leg->id, std::move(message));
}

bool Dialling::giveUp(LegId id, GiveUp why, bool answeredElsewhere) {
  Dial dial;
  {
    std::lock_guard lock(mutex_);
    const auto at = dials_.find(id);
    if (at == dials_.end()) return false;
    dial = std::move(at->second);
    dials_.erase(at);
  }
  if (why == GiveUp::timedOut) {
    end(dial.leg, "system", "no-answer", {408, "nobody answered in time"});
  } else if (why == GiveUp::gaveWay) {
    end(dial.leg, "system", "failed", {503, "its place was needed by a call for help"});
  } else {
    end(dial.leg, "local", "canceled", {487, ""});
  }
  release(dial.attempts, answeredElsewhere);
  return true;
}

void Dialling::conclude(const Dial& dial, const std::string& last) {
  const std::string line = dial.phones ? "extension " + dial.order.extension : "trunk " + dial.order.trunk;
  if (dial.best.code == 0) {
    end(dial.leg, "system", "unreachable", {0, line + " does not answer" + (last.empty() ? "" : ": " + last)});
  } else if (dial.best.ours) {
    end(dial.leg, "system", "failed", dial.best);
  } else {
    end(dial.leg, "remote", "rejected", dial.best);
  }
}

void Dialling::failed(const Held& attempt, const Refusal& refusal) {
  const int code = refusal.code;
  Dial dial;
  {
    std::lock_guard lock(mutex_);
    const auto at = dials_.find(attempt->of);
    if (at == dials_.end() || std::erase(at->second.attempts, attempt) == 0) return;
    Dial& of = at->second;
    if (rank(code) > rank(of.best.code)) of.best = refusal;
    // RFC 3261 section 16.7: 6xx speaks for all. So does a phone whose person has calls go elsewhere.
    if (of.placing || (!of.attempts.empty() && rank(code) < speaksForAll)) return;
    dial = std::move(of);
    dials_.erase(at);
  }
  const bool late = dial.silentUntil > 0 && steadyMs() >= dial.silentUntil;
  if (!dial.phones && !late && (code == 0 || code == 503) && tryNextServer(dial, attempt)) return;
  conclude(dial, refusal.text);
  release(dial.attempts, false);
}

void Dialling::onStream(pjsua_call_id call, pjmedia_stream* stream, bool there) {
  const Held attempt = attemptOf(call);
  std::lock_guard lock(mutex_);
  if (attempt == nullptr) return;
  if (there) {
    attempt->stream = stream;
  } else if (attempt->stream == stream) {
    attempt->stream = nullptr;
  }
}

bool Dialling::onState(pjsua_call_id call, const pjsua_call_info& info, const pjsip_event* event) {
  const Held attempt = attemptOf(call);
  if (attempt == nullptr) return false;
  std::shared_ptr<CallLeg> leg;
  bool phones = false;
  {
    std::lock_guard lock(mutex_);
    if (const auto at = dials_.find(attempt->of); at != dials_.end()) {
      leg = at->second.leg;
      phones = at->second.phones;
    }
  }
  const bool over = info.state == PJSIP_INV_STATE_DISCONNECTED;
  const bool received = isReceived(event);
  // A redirection is not followed: where calls go is the daemon's to decide. PJSIP then speaks of 487.
  const bool redirected = over && received && event->body.tsx_state.tsx->status_code / 100 == 3;
  const int code = !received ? 0 : redirected ? event->body.tsx_state.tsx->status_code : info.last_status;
  // A refusal by the only server is the leg's own end, with all that was said.
  const bool ofPhoneOrServer = phones || code == 0 || code == 503;
  if (leg != nullptr && info.state == PJSIP_INV_STATE_EARLY && phones) {
    bool first = false;
    {
      std::lock_guard lock(context_.legs.mutex());
      first = leg->lastProvisional == 0;
      leg->lastProvisional = 180;
    }
    if (first) context_.events.ringing(leg->id, 180, false);
    return true;
  }
  const bool answer = info.state == PJSIP_INV_STATE_EARLY || info.state == PJSIP_INV_STATE_CONNECTING || info.state == PJSIP_INV_STATE_CONFIRMED;
  if (leg != nullptr && (answer || (over && !ofPhoneOrServer)) && adopt(call, attempt)) return false;
  if (!over) return true;
  Refusal refusal{code, clean(redirected ? view(event->body.tsx_state.tsx->status_text) : view(info.last_status_text))};
  if (isCanceled(call)) {
    refusal = {PJSIP_SC_NOT_ACCEPTABLE_HERE, withoutMediaText};
    refusal.ours = true;
  } else if (received) {
    refusal.cause = reasonCause(event->body.tsx_state.src.rdata);
  }
  if (redirected && phones) refusal.redirect = numberIn(headerText(event->body.tsx_state.src.rdata, "Contact"));
  failed(attempt, refusal);
  context_.legs.remove(attempt->leg->id);
  std::lock_guard lock(mutex_);
  attempts_.erase(attempt->leg->id);
  return true;
}

}  // namespace pbx

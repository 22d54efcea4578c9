#include "transfers.h"

#include <pjsip_ua.h>

#include <algorithm>

#include "context.h"
#include "held_call.h"
#include "number.h"
#include "parties.h"
#include "replaces.h"
#include "reply.h"

namespace pbx {

namespace {

// A phone that receives a failure may try again. One that never stops is broken, or two phones send a call round in circles.
constexpr unsigned mostTransfers = 20;
constexpr size_t longestTarget = 1000;

// The one address in Refer-To; "" for none, or for several, which RFC 3515 section 2.1 does not allow.
std::string onlyTarget(const pjsip_rx_data* request) {
  std::string only;
  size_t count = 0;
  for (const std::string& value : headerTexts(request, "Refer-To")) {
    eachAddress(value, [&](std::string_view one) {
      count++;
      only = one;
    });
  }
  return count == 1 && only.size() <= longestTarget ? only : "";
}

// The SIP address in a Refer-To; null where it is another.
const pjsip_sip_uri* targetIn(pj_pool_t* pool, const std::string& referTo) {
  // Without brackets all of it is the address: what follows a question mark is no parameter of the header.
  const bool bracketed = referTo.find('<') != std::string::npos;
  const std::string written = bracketed ? readAddress(referTo).uri : referTo;
  if (written.empty()) return nullptr;
  const pj_str_t given = pjText(written);
  pj_str_t copy;
  pj_strdup_with_null(pool, &copy, &given);
  const pjsip_uri* address = pjsip_parse_uri(pool, copy.ptr, static_cast<pj_size_t>(copy.slen), 0);
  const void* uri = address != nullptr ? pjsip_uri_get_uri(address) : nullptr;
  if (uri == nullptr || !(PJSIP_URI_SCHEME_IS_SIP(uri) || PJSIP_URI_SCHEME_IS_SIPS(uri))) return nullptr;
  return static_cast<const pjsip_sip_uri*>(uri);
}

}  // namespace

Transfers* Transfers::only_ = nullptr;

void Transfers::allow(LegId id, bool on) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  std::lock_guard lock(context_.legs.mutex());
  leg->transfers = on;
}

int Transfers::judge(const std::shared_ptr<CallLeg>& leg, const pjsip_rx_data* request, std::string& to, LegId& replaced) {
  pj_pool_t* pool = request->tp_info.pool;
  const std::string wanted = onlyTarget(request);
  const pjsip_sip_uri* target = targetIn(pool, wanted);
  to = numberIn(wanted);
  {
    std::lock_guard lock(context_.legs.mutex());
    if (!leg->transfers || !leg->answered || leg->refers++ >= mostTransfers) return PJSIP_SC_DECLINE;
  }
  {
    std::lock_guard lock(mutex_);
    if (running_.contains(leg->id)) return PJSIP_SC_REQUEST_PENDING;
  }
  // A call is meant by INVITE, or by no word.
  if (target != nullptr && target->method_param.slen > 0 && lowerCase(view(target->method_param)) != "invite") return PJSIP_SC_DECLINE;
  const pj_str_t name = pjText("Replaces");
  const pjsip_param* replaces = target != nullptr ? pjsip_param_find(&target->header_param, &name) : nullptr;
  if (replaces == nullptr) return to.empty() ? PJSIP_SC_BAD_REQUEST : PJSIP_SC_ACCEPTED;
  const auto dialog = readReplaces(pool, replaces->value);
  if (!dialog) return PJSIP_SC_BAD_REQUEST;
  // A transferring party has both calls: they are of one phone, or of one trunk.
  auto other = context_.legs.byDialog(*dialog);
  if (other == nullptr) other = context_.legs.ringingByDialog(*dialog);
  if (other == nullptr || other->id == leg->id || other->extension != leg->extension || other->trunk != leg->trunk) return PJSIP_SC_DECLINE;
  replaced = other->id;
  return PJSIP_SC_ACCEPTED;
}

void Transfers::onRequest(const std::shared_ptr<CallLeg>& leg, pjsip_dialog* dialog, pjsip_rx_data* request) {
  std::string to;
  LegId replaced = 0;
  const int code = judge(leg, request, to, replaced);
  uint32_t number = 0;
  if (code == PJSIP_SC_ACCEPTED) {
    {
      std::lock_guard lock(mutex_);
      number = ++last_;
    }
    if (!accept(leg->id, number, dialog, request)) return;
  } else {
    pjsip_dlg_respond(dialog, request, code, nullptr, nullptr, nullptr);
    if (code != PJSIP_SC_DECLINE) return;
  }
  context_.events.send({{"t", "refer"}, {"leg", leg->id}, {"refer", number}, {"to", clean(to)}, {"replaces", replaced}, {"referredBy", clean(numberIn(headerText(request, "Referred-By")))}});
}

bool Transfers::accept(LegId leg, uint32_t number, pjsip_dialog* dialog, pjsip_rx_data* request) {
  // RFC 4488: the phone wants no report of it.
  const std::string wants = lowerCase(headerText(request, "Refer-Sub"));
  if (!wants.empty() && wants.rfind("true", 0) != 0) {
    pjsip_tx_data* answer = nullptr;
    if (pjsip_dlg_create_response(dialog, request, PJSIP_SC_ACCEPTED, nullptr, &answer) != PJ_SUCCESS) return false;
    addHeader(answer, "Refer-Sub", "false");
    return pjsip_dlg_send_response(dialog, pjsip_rdata_get_tsx(request), answer) == PJ_SUCCESS;
  }
  pjsip_evsub_user callbacks{};
  callbacks.on_evsub_state = &Transfers::onState;
  pjsip_evsub* subscription = nullptr;
  if (pjsip_xfer_create_uas(dialog, &callbacks, request, &subscription) != PJ_SUCCESS) {
    pjsip_dlg_respond(dialog, request, PJSIP_SC_INTERNAL_SERVER_ERROR, nullptr, nullptr, nullptr);
    return false;
  }
  {
    std::lock_guard lock(mutex_);
    running_[leg] = {number, std::make_shared<EventSubscription>(subscription, dialog)};
  }
  pjsip_hdr none;
  pj_list_init(&none);
  pjsip_xfer_accept(subscription, request, PJSIP_SC_ACCEPTED, &none);
  pjsip_tx_data* notify = nullptr;
  if (pjsip_xfer_notify(subscription, PJSIP_EVSUB_STATE_ACTIVE, PJSIP_SC_TRYING, nullptr, &notify) == PJ_SUCCESS) pjsip_xfer_send_request(subscription, notify);
  return true;
}

void Transfers::progress(LegId id, uint32_t refer, int code) {
  if (code < 100 || code >= 700) return;
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  const HeldCall call(*leg);
  if (!call) return;
  const bool last = code >= 200;
  std::shared_ptr<EventSubscription> held;
  {
    std::lock_guard lock(mutex_);
    const auto at = running_.find(id);
    if (at == running_.end() || at->second.refer != refer) return;
    held = at->second.subscription;
    if (last) running_.erase(at);
  }
  pjsip_evsub* subscription = held->get();
  pjsip_tx_data* notify = nullptr;
  if (pjsip_xfer_notify(subscription, last ? PJSIP_EVSUB_STATE_TERMINATED : PJSIP_EVSUB_STATE_ACTIVE, code, nullptr, &notify) == PJ_SUCCESS) pjsip_xfer_send_request(subscription, notify);
}

void Transfers::legEnded(LegId leg) {
  std::shared_ptr<EventSubscription> held;
  {
    std::lock_guard lock(mutex_);
    const auto at = running_.find(leg);
    if (at == running_.end()) return;
    held = at->second.subscription;
    running_.erase(at);
  }
  pjsip_evsub_terminate(held->get(), PJ_FALSE);
}

void Transfers::stop() {
  std::map<LegId, Running> left;
  std::lock_guard lock(mutex_);
  left.swap(running_);
}

// The far end refuses to hear more of it, or does not answer.
void Transfers::onState(pjsip_evsub* subscription, pjsip_event*) {
  if (pjsip_evsub_get_state(subscription) != PJSIP_EVSUB_STATE_TERMINATED) return;
  // Its last reference goes without our lock.
  std::shared_ptr<EventSubscription> held;
  std::lock_guard lock(only_->mutex_);
  const auto at = std::find_if(only_->running_.begin(), only_->running_.end(), [&](const auto& one) { return one.second.subscription->get() == subscription; });
  if (at == only_->running_.end()) return;
  held = at->second.subscription;
  only_->running_.erase(at);
}

}  // namespace pbx

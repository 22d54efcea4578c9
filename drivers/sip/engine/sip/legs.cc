#include "legs.h"

namespace pbx {

LegId Legs::nextInbound() {
  std::lock_guard lock(mutex_);
  const LegId id = nextInbound_;
  nextInbound_ += 2;
  return id;
}

bool Legs::add(const std::shared_ptr<CallLeg>& leg) {
  std::lock_guard lock(mutex_);
  return legs_.try_emplace(leg->id, leg).second;
}

std::shared_ptr<CallLeg> Legs::find(LegId id) const {
  std::lock_guard lock(mutex_);
  const auto at = legs_.find(id);
  return at == legs_.end() ? nullptr : at->second;
}

std::shared_ptr<CallLeg> Legs::byCall(pjsua_call_id call) const {
  if (call < 0 || call >= PJSUA_MAX_CALLS) return nullptr;
  auto leg = find(static_cast<LegId>(reinterpret_cast<uintptr_t>(pjsua_call_get_user_data(call))));
  if (leg != nullptr) leg->call = call;
  return leg;
}

std::shared_ptr<CallLeg> Legs::bySipCallId(const std::string& id) const {
  std::lock_guard lock(mutex_);
  std::shared_ptr<CallLeg> found;
  for (const auto& [number, leg] : legs_) {
    if (leg->sipCallId != id) continue;
    if (found) return nullptr;
    found = leg;
  }
  return found;
}

namespace {

bool hasTags(const Replaced& dialog, const std::string& own, const std::string& far) {
  return (own == dialog.toTag && far == dialog.fromTag) || (own == dialog.fromTag && far == dialog.toTag);
}

}  // namespace

std::shared_ptr<CallLeg> Legs::byDialog(const Replaced& dialog) const {
  std::lock_guard lock(mutex_);
  for (const auto& [number, leg] : legs_) {
    if (leg->answered && leg->sipCallId == dialog.callId && hasTags(dialog, leg->ownTag, leg->farTag)) return leg;
  }
  return nullptr;
}

std::shared_ptr<CallLeg> Legs::ringingByDialog(const Replaced& dialog) const {
  std::lock_guard lock(mutex_);
  for (const auto& [number, leg] : legs_) {
    if (!leg->answered && leg->arrived.callId == dialog.callId && hasTags(dialog, leg->arrived.toTag, leg->arrived.fromTag)) return leg;
  }
  return nullptr;
}

std::shared_ptr<CallLeg> Legs::remove(LegId id) {
  std::lock_guard lock(mutex_);
  const auto at = legs_.find(id);
  if (at == legs_.end()) return nullptr;
  auto leg = at->second;
  legs_.erase(at);
  return leg;
}

std::vector<std::shared_ptr<CallLeg>> Legs::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CallLeg>> list;
  list.reserve(legs_.size());
  for (const auto& [id, leg] : legs_) list.push_back(leg);
  return list;
}

size_t Legs::count() const {
  std::lock_guard lock(mutex_);
  return legs_.size();
}

}  // namespace pbx

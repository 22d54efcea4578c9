#include "legs.h"

namespace pbx {

std::shared_ptr<CallLeg> Legs::addInbound(pjsua_call_id call) {
  std::lock_guard lock(mutex_);
  auto leg = std::make_shared<CallLeg>();
  leg->id = nextInbound_;
  nextInbound_ += 2;
  leg->call = call;
  leg->inbound = true;
  legs_[leg->id] = leg;
  byCall_[call] = leg;
  return leg;
}

std::shared_ptr<CallLeg> Legs::addOutbound(LegId id) {
  std::lock_guard lock(mutex_);
  auto leg = std::make_shared<CallLeg>();
  leg->id = id;
  legs_[id] = leg;
  return leg;
}

void Legs::bind(const std::shared_ptr<CallLeg>& leg, pjsua_call_id call) {
  std::lock_guard lock(mutex_);
  leg->call = call;
  byCall_[call] = leg;
}

std::shared_ptr<CallLeg> Legs::find(LegId id) const {
  std::lock_guard lock(mutex_);
  const auto at = legs_.find(id);
  return at == legs_.end() ? nullptr : at->second;
}

std::shared_ptr<CallLeg> Legs::byCall(pjsua_call_id call) const {
  if (call < 0 || call >= PJSUA_MAX_CALLS) return nullptr;
  std::lock_guard lock(mutex_);
  return byCall_[call];
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

std::shared_ptr<CallLeg> Legs::remove(LegId id) {
  std::lock_guard lock(mutex_);
  const auto at = legs_.find(id);
  if (at == legs_.end()) return nullptr;
  auto leg = at->second;
  legs_.erase(at);
  if (leg->call != PJSUA_INVALID_ID && byCall_[leg->call] == leg) byCall_[leg->call].reset();
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

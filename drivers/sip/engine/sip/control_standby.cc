// The times without a daemon, and the next one.
#include "control.h"
#include "pj.h"

namespace pbx {

using nlohmann::json;

void Control::note(LegId id, uint32_t bridge) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  std::lock_guard lock(context_.legs.mutex());
  leg->bridge = bridge;
}

bool Control::isAlone(LegId id) const {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return false;
  std::lock_guard lock(context_.legs.mutex());
  return leg->alone;
}

bool Control::standBy() {
  if (stopOrdered_ || wrongVersion_ || !started_) return false;
  registerThread();
  context_.events.hold();
  alone_ = true;
  // Of those who call meanwhile some wait for the next daemon (Gate::closedTo).
  context_.attendance.gone();
  standing_.abandon();
  // Also where nobody talks: somebody may call for help before the next one is there.
  return true;
}

bool Control::sweepStandingBy() {
  sweep();
  const bool helps = help_.busy();
  return standing_.sweep() > 0 || helps;
}

void Control::welcome() {
  greeted_ = false;
  returning_ = true;
  alone_ = false;
  context_.gate.drain(false);
  for (const uint32_t clip : clips_) context_.media.dropClip(clip);
  clips_.clear();
}

void Control::adopted(const json& message) {
  if (!returning_) return;
  returning_ = false;
  std::set<LegId> legs;
  if (const auto at = message.find("legs"); at != message.end() && at->is_array()) {
    for (const json& leg : *at) {
      if (leg.is_number_unsigned()) legs.insert(leg.get<LegId>());
    }
  }
  standing_.adopted(legs);
  context_.attendance.came();
  context_.events.release();
  context_.trunks.tellAll();
  context_.watchers.tellAll();
}

}  // namespace pbx

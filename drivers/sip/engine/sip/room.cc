#include "room.h"

#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "call_control.h"
#include "context.h"

namespace pbx {

unsigned Room::open(unsigned calls) {
  // RTP and RTCP; and as many for SIP as there are at most (connections.cc), with files that are recorded or read.
  constexpr rlim_t perCall = 2, others = 1500;
  rlimit files{};
  unsigned most = PJSUA_MAX_CALLS;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    const rlim_t left = files.rlim_cur - std::min(others, files.rlim_cur / 2);
    most = static_cast<unsigned>(std::min<rlim_t>(most, left / perCall));
  }
  slots_ = std::min(calls + forHelp + ending, most);
  return slots_;
}

unsigned Room::limit() const {
  const unsigned most = slots_ > forHelp + ending ? slots_ - forHelp - ending : 0;
  return std::min(most, context_.settings.get()->calls);
}

bool Room::take(bool help) {
  const unsigned used = inUse();
  if (used < limit()) return true;
  // One slot stays free: calls of ours and calls that arrive are counted on two threads.
  if (!help || used + 1 >= slots_) return false;
  if (used < limit() + forHelp) return true;
  if (const auto leg = leastHarmful()) {
    context_.events.log("warn", "leg " + std::to_string(leg->id) + " ends: a call for help needs its place");
    CallControl(context_).giveWay(leg);
  }
  return true;
}

// Chooses a ringing leg first, then one without a partner, then one in a conversation; of equals the newest. It is marked as
// the one that gives way.
std::shared_ptr<CallLeg> Room::leastHarmful() const {
  const auto legs = context_.legs.all();
  std::lock_guard lock(context_.legs.mutex());
  std::set<uint32_t> helping;
  for (const auto& leg : legs) {
    if (leg->forHelp && leg->bridge != 0) helping.insert(leg->bridge);
  }
  std::shared_ptr<CallLeg> chosen;
  const auto harm = [](const CallLeg& leg) {
    const bool talks = leg.answered || leg.accepted;
    return std::tuple(talks, talks && leg.bridge != 0, -leg.answeredAt, ~leg.id);
  };
  for (const auto& leg : legs) {
    if (leg->forHelp || leg->attempt || leg->gaveWay || leg->localEnd || leg->endAt > 0 || helping.contains(leg->bridge)) continue;
    if (chosen == nullptr || harm(*leg) < harm(*chosen)) chosen = leg;
  }
  if (chosen != nullptr) chosen->gaveWay = true;
  return chosen;
}

}  // namespace pbx

#include "unacknowledged.h"

#include <algorithm>

namespace pbx {

namespace {

// The answer is repeated after 0.5, 1.5, 3.5 and 7.5 s (RFC 3261 section 13.3.1.4): an ACK that was lost comes again.
constexpr int64_t patienceMs = 8000;
// A round trip and one repetition: a far end that acknowledges at all has done so by then.
constexpr int64_t promptMs = 1000;
constexpr int64_t waitMs = 4000;
constexpr int64_t countEveryMs = 10'000;

unsigned quarterOf(unsigned channels) {
  return std::max(1u, channels / 4);
}

}  // namespace

bool Unacknowledged::room(const Caller& caller) const {
  if (caller.channels == 0) return true;
  unsigned ofAddress = 0, ofTrunk = 0;
  for (const auto& [leg, entry] : open_) {
    if (entry.caller.trunk != caller.trunk) continue;
    ofTrunk++;
    if (entry.caller.ip == caller.ip) ofAddress++;
  }
  // Half for all addresses together: a trunk may allow a whole network of them.
  return ofAddress < quarterOf(caller.channels) && ofTrunk < std::max(1u, caller.channels / 2);
}

bool Unacknowledged::stale(const Caller& caller, int64_t now) const {
  if (caller.channels == 0) return false;
  unsigned old = 0;
  for (const auto& [leg, entry] : open_) {
    if (entry.caller.trunk == caller.trunk && entry.caller.ip == caller.ip && now - entry.since >= promptMs) old++;
  }
  return old >= quarterOf(caller.channels);
}

bool Unacknowledged::answer(LegId leg, const Caller& caller, int64_t now) {
  std::lock_guard lock(mutex_);
  if (open_.contains(leg)) return true;
  const bool behind = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& item) { return item.second.caller.trunk == caller.trunk && item.second.caller.ip == caller.ip; });
  if (behind || !room(caller)) {
    waiting_.emplace_back(leg, Entry{caller, now});
    return false;
  }
  open_[leg] = Entry{caller, now};
  return true;
}

void Unacknowledged::settled(LegId leg) {
  std::lock_guard lock(mutex_);
  open_.erase(leg);
  std::erase_if(waiting_, [&](const auto& item) { return item.first == leg; });
}

bool Unacknowledged::flooded(const Caller& caller, int64_t now) {
  std::lock_guard lock(mutex_);
  if (!stale(caller, now)) return false;
  Told& told = told_[caller.trunk];
  told.refused++;
  told.address = caller.ip;
  return true;
}

Unacknowledged::Due Unacknowledged::sweep(int64_t now) {
  Due due;
  std::map<std::string, Told> tell;
  {
    std::lock_guard lock(mutex_);
    std::deque<std::pair<LegId, Entry>> left;
    for (auto& [leg, entry] : waiting_) {
      if (stale(entry.caller, now) || now - entry.since >= waitMs) {
        due.refuse.push_back(leg);
        Told& told = told_[entry.caller.trunk];
        told.refused++;
        told.address = entry.caller.ip;
      } else if (room(entry.caller)) {
        due.answer.push_back(leg);
        open_[leg] = Entry{entry.caller, now};
      } else {
        left.emplace_back(leg, std::move(entry));
      }
    }
    waiting_.swap(left);
    for (auto at = open_.begin(); at != open_.end();) {
      if (now - at->second.since < patienceMs) {
        ++at;
        continue;
      }
      due.end.push_back(at->first);
      Told& told = told_[at->second.caller.trunk];
      told.ended++;
      told.address = at->second.caller.ip;
      at = open_.erase(at);
    }
    if (!told_.empty() && now >= tellAt_) {
      tell.swap(told_);
      tellAt_ = now + countEveryMs;
    }
  }
  for (const auto& [trunk, told] : tell) {
    events_.send({{"t", "unacknowledged"}, {"trunk", trunk}, {"ended", told.ended}, {"refused", told.refused}, {"address", told.address}});
  }
  return due;
}

}  // namespace pbx

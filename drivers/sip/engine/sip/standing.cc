#include "standing.h"

#include "now.h"

namespace pbx {

namespace {

constexpr size_t longestTag = 1000;
constexpr int64_t longestAloneMs = 10'000, helpWaitsMs = 5000;
constexpr int normalClearing = 16, temporaryFailure = 41;  // Q.850

}  // namespace

void Standing::keep(LegId id, const std::string& tag) {
  const auto leg = context_.legs.find(id);
  if (leg == nullptr) return;
  std::lock_guard lock(context_.legs.mutex());
  leg->tag = tag.size() <= longestTag ? tag : "";
}

void Standing::abandon() {
  stays_.clear();
  aloneUntil_ = steadyMs() + longestAloneMs;
  for (const auto& leg : context_.legs.all()) {
    bool stays = false, refuse = false, alone = false, waits = false;
    {
      std::lock_guard lock(context_.legs.mutex());
      if (leg->alone) continue;
      // A 200 that is sent is heard: its ACK comes, or the call ends for want of one.
      stays = (leg->answered || leg->accepted) && !leg->tag.empty() && !leg->localEnd;
      alone = leg->bridge == 0;
      refuse = leg->inbound && !leg->accepted;
      // A call for help waits for the next daemon, as if the last one had not heard of it.
      waits = refuse && !leg->help.empty() && !leg->localEnd;
      if (waits) {
        leg->taken = false;
        leg->refuseAt = steadyMs() + helpWaitsMs;
      }
      if (stays) stays_[leg->id] = {leg->inbound, leg->trunk, leg->extension, leg->tag, leg->bridge, leg->records};
    }
    if (waits) {
      context_.events.send(leg->invite);
    } else if (stays) {
      // Nobody is there to listen.
      context_.media.tap(leg->id, false);
      context_.media.fork(leg->id, {});
      context_.media.listen(leg->id, false);
      // The recording of a caller without a partner was announced to the daemon that has gone, and stops; that of a
      // conversation goes on to its end.
      for (const auto& [record, file] : alone ? stays_[leg->id].records : std::map<uint32_t, std::string>{}) context_.media.recordStop(leg->id, record, 0);
    } else if (refuse) {
      calls_.reject(leg->id, 503, "");
    } else {
      calls_.hangup(leg->id, temporaryFailure);
    }
  }
}

size_t Standing::sweep() {
  std::map<uint32_t, unsigned> company;
  size_t standing = 0;
  for (const auto& [id, stay] : stays_) {
    if (context_.legs.find(id) == nullptr) continue;
    standing++;
    company[stay.bridge]++;
  }
  for (const auto& [id, stay] : stays_) {
    if (stay.bridge != 0 && company[stay.bridge] == 1) calls_.hangup(id, normalClearing);
    // Nobody waits in silence for a daemon that may not come.
    if (stay.bridge == 0 && steadyMs() > aloneUntil_) calls_.hangup(id, temporaryFailure);
  }
  return standing;
}

nlohmann::json Standing::list() const {
  nlohmann::json legs = nlohmann::json::array();
  const int64_t now = steadyMs();
  for (const auto& [id, stay] : stays_) {
    const auto leg = context_.legs.find(id);
    nlohmann::json one = {{"leg", id}, {"inbound", stay.inbound}, {"trunk", stay.trunk}, {"extension", stay.extension}, {"tag", stay.tag}, {"bridge", stay.bridge}, {"over", leg == nullptr}, {"held", false}, {"answeredMs", 0}};
    one["records"] = nlohmann::json::array();
    for (const auto& [record, file] : stay.records) one["records"].push_back({{"record", record}, {"file", file}});
    if (leg != nullptr) {
      std::lock_guard lock(context_.legs.mutex());
      one["held"] = leg->held;
      one["answeredMs"] = leg->answeredAt > 0 ? now - leg->answeredAt : 0;
    }
    legs.push_back(std::move(one));
  }
  return legs;
}

void Standing::adopted(const std::set<LegId>& legs) {
  for (const auto& [id, stay] : stays_) {
    if (!legs.contains(id)) calls_.hangup(id, temporaryFailure);
  }
  stays_.clear();
}

}  // namespace pbx

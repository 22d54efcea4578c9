#include "help_alone.h"

#include <algorithm>
#include <utility>

#include "now.h"

namespace pbx {

using nlohmann::json;

namespace {

// As the daemon does; the centre answers, or the next trunk is tried.
constexpr unsigned helpRingsSeconds = 120;
// For a trunk from which nothing comes, where there is another one.
constexpr int64_t trunkPatienceMs = 4000;
constexpr int helpIsOver = 16;
// Of a daemon that has begun to place the call and stands still now.
constexpr int64_t standsStillMs = 5000;

}  // namespace

bool HelpAlone::busy() const {
  if (!placed_.empty()) return true;
  const auto legs = context_.legs.all();
  std::lock_guard lock(context_.legs.mutex());
  return std::any_of(legs.begin(), legs.end(), [](const auto& leg) { return !leg->help.empty() && !leg->taken && !leg->localEnd; });
}

void HelpAlone::sweep() {
  const int64_t now = steadyMs();
  const bool standsStill = context_.attendance.silentMs(now) >= standsStillMs;
  for (const auto& leg : context_.legs.all()) {
    bool due = false;
    {
      std::lock_guard lock(context_.legs.mutex());
      due = !leg->help.empty() && !leg->alone && !leg->accepted && !leg->localEnd && now >= leg->refuseAt && (!leg->taken || standsStill);
      if (due) leg->taken = leg->alone = true;
    }
    if (!due) continue;
    if (standsStill) dropHalfPlaced();
    take(leg);
  }
  for (const json& message : context_.events.takeDiverted()) onEvent(message);
  std::erase_if(placed_, [&](const auto& item) {
    const bool gone = item.second.over && item.second.out == 0;
    if (gone) context_.events.divert(item.first, false);
    return gone;
  });
}

// What the daemon dialled for a call for help and can connect with nobody.
void HelpAlone::dropHalfPlaced() {
  for (const auto& leg : context_.legs.all()) {
    bool half = false;
    {
      std::lock_guard lock(context_.legs.mutex());
      half = leg->forHelp && !leg->inbound && !leg->attempt && !leg->alone && leg->bridge == 0 && !leg->localEnd;
    }
    if (half) calls_.hangup(leg->id, helpIsOver);
  }
}

void HelpAlone::take(const std::shared_ptr<CallLeg>& leg) {
  const auto settings = context_.settings.get();
  const HelpSettings& help = settings->help;
  const HelpPlace* place = help.placeOf(leg->far);
  const auto number = help.dial.find(leg->help);
  const ExtensionSettings* phone = settings->extension(leg->extension);
  Placed call;
  call.number = number == help.dial.end() ? leg->help : number->second;
  call.extension = leg->extension;
  call.source = leg->far;
  call.name = phone == nullptr ? "" : phone->name;
  if (place != nullptr) {
    call.callerId = place->callerId;
    for (const auto& [name, value] : place->headers) call.headers.push_back({name, value});
  }
  for (const std::string& id : help.trunks) {
    if (settings->trunk(id) != nullptr) call.trunks.push_back(id);
  }
  for (const TrunkSettings& trunk : settings->trunks) {
    if (std::find(call.trunks.begin(), call.trunks.end(), trunk.id) == call.trunks.end()) call.trunks.push_back(trunk.id);
  }
  logLine("WARN", "EMERGENCY: no daemon takes the call of " + call.extension + " to " + call.number + ": it is placed without one");
  context_.events.divert(leg->id, true);
  calls_.progress(leg->id, 180);
  dial(leg->id, placed_[leg->id] = call);
}

void HelpAlone::dial(LegId phone, Placed& call) {
  if (call.trunks.empty()) {
    logLine("ERROR", "EMERGENCY: the call of " + call.extension + " to " + call.number + " could not be put through");
    call.out = 0;
    report(call, true);
    return calls_.reject(phone, 503, "");
  }
  call.trunk = call.trunks.front();
  call.trunks.erase(call.trunks.begin());
  const TrunkSettings* trunk = context_.settings.get()->trunk(call.trunk);
  const std::string own = trunk == nullptr || trunk->numbers.empty() ? "" : trunk->numbers.front();
  call.out = lastLeg_ += 2;
  context_.events.divert(call.out, true);
  DialOrder order{call.out, call.trunk, "", call.number, call.callerId.empty() ? own : call.callerId, call.name, "", helpRingsSeconds};
  order.headers = call.headers;
  order.silenceMs = call.trunks.empty() ? 0 : trunkPatienceMs;
  order.help = true;
  context_.dialling.dial(order);
  const auto leg = context_.legs.find(call.out);
  if (leg == nullptr) return;
  std::lock_guard lock(context_.legs.mutex());
  leg->alone = true;
}

void HelpAlone::onEvent(const json& message) {
  const std::string event = message.value("t", "");
  const LegId leg = message.value("leg", 0u);
  for (auto& [phone, call] : placed_) {
    if (leg == phone && event == "ended") {
      call.over = true;
      // A caller who hangs up before help has answered may need it all the more.
      report(call, false);
      if (call.out != 0) calls_.hangup(call.out, helpIsOver);
    } else if (leg == call.out && event == "answered" && !call.over) {
      answered(phone, call);
    } else if (leg == call.out && event == "ended") {
      context_.events.divert(leg, false);
      call.out = 0;
      if (call.answered) calls_.hangup(phone, helpIsOver);
      else if (!call.over) dial(phone, call);
    }
  }
}

void HelpAlone::answered(LegId phone, Placed& call) {
  call.answered = true;
  calls_.answer(phone);
  lastBridge_++;
  for (const LegId leg : {phone, call.out}) context_.media.join(leg, lastBridge_, true, true);
  report(call, false);
}

void HelpAlone::report(Placed& call, bool lost) {
  if (std::exchange(call.reported, true)) return;
  context_.events.send({{"t", "helped"}, {"number", call.number}, {"extension", call.extension}, {"source", call.source}, {"trunk", call.trunk}, {"at", nowMs()}, {"lost", lost}});
}

}  // namespace pbx

#include "fax_calls.h"

#include <chrono>

namespace pbx {

using nlohmann::json;

namespace {

const char* phaseName(FaxPhase phase) {
  switch (phase) {
    case FaxPhase::negotiating: return "negotiating";
    case FaxPhase::training: return "training";
    case FaxPhase::page: return "page";
    case FaxPhase::confirmed: return "confirmed";
  }
  return "";
}

class Reports final : public FaxEvents {
 public:
  Reports(LegId leg, Events& events) : leg_(leg), events_(events), began_(std::chrono::steady_clock::now()) {}

  void progress(FaxPhase phase, const FaxState& state) override {
    json message = common("fax", state);
    message["phase"] = phaseName(phase);
    events_.send(message);
  }
  void frame(const FaxFrame& frame) override {
    const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_).count();
    events_.send({{"t", "faxFrame"}, {"leg", leg_}, {"atMs", at}, {"received", frame.received}, {"name", frame.name}, {"fif", frame.fif}});
  }
  void ended(const FaxEnd& end) override {
    json message = common("faxEnded", end.state);
    message["code"] = end.code;
    message["text"] = clean(end.text);
    message["badRows"] = end.badRows;
    message["unconfirmedLastPage"] = end.unconfirmedLastPage;
    events_.faxEnded(leg_, message);
  }

  const FaxLine* line = nullptr;  // the line that reports

 private:
  json common(const char* type, const FaxState& state) const {
    return {{"t", type},
            {"leg", leg_},
            {"pages", state.pages},
            {"bitRate", state.bitRate},
            {"ecm", state.ecm},
            {"resolution", state.fine ? "fine" : "standard"},
            {"transport", line->overT38() ? "t38" : "sip-audio"},
            {"remoteId", clean(state.remoteId)}};
  }
  const LegId leg_;
  Events& events_;
  const std::chrono::steady_clock::time_point began_;
};

}  // namespace

bool FaxCalls::start(LegId leg, const FaxOrder& order) {
  auto reports = std::make_unique<Reports>(leg, events_);
  Reports& teller = *reports;
  auto line = std::make_shared<FaxLine>(order, std::move(reports));
  teller.line = line.get();
  {
    std::lock_guard lock(mutex_);
    // The receiver asks for T.38: the sender's gateway would do so only when it hears the answer.
    const Call call{line, !order.sending && order.t38, Clock::now() + std::chrono::seconds(1)};
    if (!calls_.try_emplace(leg, call).second) return false;
  }
  events_.faxStarted(leg);
  if (!line->start()) {
    events_.faxEnded(leg, {{"t", "faxEnded"}, {"leg", leg}, {"code", 47}, {"text", "The machine has no room for another fax call"}});
    return true;
  }
  media_.modem(leg, line);
  return true;
}

void FaxCalls::stop(LegId leg) {
  std::lock_guard lock(mutex_);
  if (const auto at = calls_.find(leg); at != calls_.end()) at->second.line->stop();
}

void FaxCalls::legEnded(LegId leg, const std::string& why) {
  std::lock_guard lock(mutex_);
  if (const auto at = calls_.find(leg); at != calls_.end()) at->second.line->drop(why);
}

bool FaxCalls::mayChange(LegId leg) {
  std::lock_guard lock(mutex_);
  const auto at = calls_.find(leg);
  return at != calls_.end() && at->second.line->mayChange();
}

bool FaxCalls::overAudio(LegId leg) {
  std::lock_guard lock(mutex_);
  const auto at = calls_.find(leg);
  return at != calls_.end() && !at->second.line->overT38();
}

void FaxCalls::changeToT38(LegId leg, std::shared_ptr<UdptlSocket> socket, const T38Terms& terms) {
  std::lock_guard lock(mutex_);
  if (const auto at = calls_.find(leg); at != calls_.end()) at->second.line->changeToT38(std::move(socket), terms);
}

std::vector<LegId> FaxCalls::wantT38() {
  std::lock_guard lock(mutex_);
  std::vector<LegId> due;
  for (auto& [leg, call] : calls_) {
    if (!call.asks || Clock::now() < call.askAt) continue;
    call.asks = false;
    if (call.line->mayChange() && !call.line->overT38()) due.push_back(leg);
  }
  return due;
}

void FaxCalls::wantT38Again(LegId leg, int64_t inMs) {
  std::lock_guard lock(mutex_);
  const auto at = calls_.find(leg);
  if (at == calls_.end()) return;
  at->second.asks = true;
  at->second.askAt = Clock::now() + std::chrono::milliseconds(inMs);
}

void FaxCalls::sweep() {
  std::vector<std::shared_ptr<FaxLine>> former;
  std::lock_guard lock(mutex_);
  former.swap(retired_);
  for (auto at = calls_.begin(); at != calls_.end();) {
    if (at->second.line->finished()) {
      media_.modem(at->first, nullptr);
      retired_.push_back(std::move(at->second.line));
      at = calls_.erase(at);
    } else {
      ++at;
    }
  }
}

}  // namespace pbx

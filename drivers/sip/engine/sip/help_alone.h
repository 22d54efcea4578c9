// Calls for help that no daemon takes: it is gone, or stands still. They are placed by its last configuration, through one
// trunk after the other, and a daemon takes no further part in them; the next daemon gets a report of each.
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "call_control.h"

namespace pbx {

class HelpAlone {
 public:
  HelpAlone(Context& context, CallControl& calls) : context_(context), calls_(calls) {}

  // Every 250 ms: takes those that have waited long enough, and goes on with the others.
  void sweep();
  // Whether somebody calls for help with whom no daemon has to do.
  bool busy() const;

 private:
  // The leg of the phone is the key.
  struct Placed {
    std::string number, extension, source, callerId, name;
    std::vector<Header> headers;
    std::vector<std::string> trunks;  // still to be tried
    std::string trunk;
    LegId out = 0;  // through it; 0: over
    bool answered = false, over = false, reported = false;
  };
  void take(const std::shared_ptr<CallLeg>& leg);
  void dropHalfPlaced();
  // Through the next trunk, or by none.
  void dial(LegId phone, Placed& call);
  void onEvent(const nlohmann::json& message);
  void answered(LegId phone, Placed& call);
  // Once a call: when it is answered, given up by the phone, or `lost`, through no trunk.
  void report(Placed& call, bool lost);
  Context& context_;
  CallControl& calls_;
  std::map<LegId, Placed> placed_;
  LegId lastLeg_ = 0x40000000;  // no daemon gets so far
  uint32_t lastBridge_ = 0x40000000;
};

}  // namespace pbx

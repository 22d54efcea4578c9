// Calls that outlive the daemon: those that it has marked with a tag of its own. While none is there they stay as they are, but for what is
// recorded of one that is in no bridge, and the next one is given the list of them; what it does not take is ended.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "call_control.h"

namespace pbx {

class Standing {
 public:
  Standing(Context& context, CallControl& calls) : context_(context), calls_(calls) {}

  // `tag` "": the call ends with the daemon.
  void keep(LegId leg, const std::string& tag);
  // The daemon is gone: all calls but those that stay, and those for help that nobody has answered yet, are ended.
  void abandon();
  // While no daemon is there: ends the legs whose partner has hung up, and after 10 s those without a partner. Returns how
  // many legs stand still.
  size_t sweep();
  // For the next daemon: all that stayed when the last one went.
  nlohmann::json list() const;
  // It has these; the others are ended.
  void adopted(const std::set<LegId>& legs);

 private:
  struct Stay {
    bool inbound = false;
    std::string trunk, extension, tag;
    uint32_t bridge = 0;
    std::map<uint32_t, std::string> records;
  };
  Context& context_;
  CallControl& calls_;
  std::map<LegId, Stay> stays_;
  int64_t aloneUntil_ = 0;  // for legs without a partner in a bridge, of the steady clock
};

}  // namespace pbx

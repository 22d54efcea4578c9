// What follows when the machine's addresses, routes or name servers change: registrations are renewed, calls get a new offer
// with the new address, connections from an address that has gone are ended.
#pragma once
#include <cstdint>
#include <string>

#include "network_watch.h"

namespace pbx {

struct Context;

class NetworkChanges {
 public:
  explicit NetworkChanges(Context& context) : context_(context) {}
  // Every 250 ms. `now`: steady.
  void sweep(int64_t now);

 private:
  size_t offerAnew(int64_t now);
  Context& context_;
  NetworkWatch watch_;
  bool told_ = false;  // the fault has not been reported yet
};

}  // namespace pbx

// What follows when the machine's addresses, ways or name servers change: registrations are made anew, calls that stand are
// described anew, connections from an address that is gone are ended.
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
  bool told_ = false;  // that nobody tells
};

}  // namespace pbx

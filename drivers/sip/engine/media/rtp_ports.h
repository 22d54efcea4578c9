// Which port a call gets: of sip.rtpPorts the one that has been free longest. A far end that goes on sending after its call
// has ended sends to a port without a call for as long as others are free, and so reaches no other call.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_set>

namespace pbx {

// Even ports, each with the port after it. Any thread.
class RtpPorts {
 public:
  // Before the first call. The first round is in an order that nobody can know: after a restart the far ends of calls that are gone may still
  // send to ports at the beginning of the range.
  void open(unsigned first, unsigned last);
  // To be tried next. `failed`: the one given out before, which another program has; 0 for none. 0: there is none.
  uint16_t next(uint16_t failed = 0);
  // Its socket is closed, or was never opened. Other numbers are passed over.
  void release(uint16_t port);
  unsigned size() const { return size_; }

 private:
  void free(uint16_t port);
  std::mutex mutex_;
  std::deque<uint16_t> free_;  // the one that was given back first comes first
  std::unordered_set<uint16_t> taken_;
  unsigned size_ = 0;
};

}  // namespace pbx

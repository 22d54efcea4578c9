// The fax calls of this engine by leg: begun and stopped by the daemon, ended with their leg, reported in messages.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "../fax/fax_line.h"
#include "../media/media.h"
#include "events.h"

namespace pbx {

class FaxCalls {
 public:
  FaxCalls(Media& media, Events& events) : media_(media), events_(events) {}

  // false: this leg has one already. Any thread, as all of these.
  bool start(LegId leg, const FaxOrder& order);
  void stop(LegId leg);
  // `why`: who ended the call, for the report of a fax that was not through; "" when the far end did.
  void legEnded(LegId leg, const std::string& why);
  // The fax of this leg allows T.38, and no page has begun.
  bool mayChange(LegId leg);
  // A fax of this leg goes on over its audio: T.30's own timers notice when the far end is gone.
  bool overAudio(LegId leg);
  void changeToT38(LegId leg, std::shared_ptr<UdptlSocket> socket, const T38Terms& terms);
  // Receiving machines whose time to ask for T.38 has come; each is named once, and after wantT38Again() once more.
  std::vector<LegId> wantT38();
  void wantT38Again(LegId leg, int64_t inMs);
  // Forgets the ones that have ended; every 250 ms.
  void sweep();

 private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    std::shared_ptr<FaxLine> line;
    bool asks = false;  // for T.38, at this time
    Clock::time_point askAt;
  };
  Media& media_;
  Events& events_;
  std::mutex mutex_;
  std::map<LegId, Call> calls_;
  // Over, and perhaps held by the clock for one more tick: it is not the clock that takes them apart.
  std::vector<std::shared_ptr<FaxLine>> retired_;
};

}  // namespace pbx

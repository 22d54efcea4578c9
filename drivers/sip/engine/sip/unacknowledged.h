// Answers (200 to an INVITE) whose ACK is awaited. Over UDP anybody can send an INVITE in a trunk's name and have it answered;
// the ACK is the first sign that the far end heard the answer. Such calls end soon, and on each trunk they are few.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../media/media.h"
#include "events.h"

namespace pbx {

class Unacknowledged {
 public:
  explicit Unacknowledged(Events& events) : events_(events) {}

  struct Caller {
    std::string trunk, ip;  // trunk "": a phone, which proved itself before
    unsigned channels = 0;  // of the trunk; 0: no limit, as for a phone or a trunk whose calls are proven by digest
  };
  // The call is to be answered. false: not now, since a quarter of the channels stands unacknowledged for that address; a
  // sweep answers it, as soon as others were acknowledged, or refuses it.
  bool answer(LegId leg, const Caller& caller, int64_t now);
  // Acknowledged, or over.
  void settled(LegId leg);
  // Further calls of this address are to be refused: its answers stay without ACK for longer than any network takes.
  bool flooded(const Caller& caller, int64_t now);

  struct Due {
    std::vector<LegId> answer, refuse, end;
  };
  // Returns what is to be done; reports to the daemon what was ended and refused (event `unacknowledged`).
  Due sweep(int64_t now);

 private:
  struct Entry {
    Caller caller;
    int64_t since = 0;
  };
  bool room(const Caller& caller) const;
  bool stale(const Caller& caller, int64_t now) const;

  struct Told {
    unsigned ended = 0, refused = 0;
    std::string address;
  };
  Events& events_;
  mutable std::mutex mutex_;
  std::map<LegId, Entry> open_;
  std::deque<std::pair<LegId, Entry>> waiting_;
  std::map<std::string, Told> told_;  // by trunk, since the last report
  int64_t tellAt_ = 0;
};

}  // namespace pbx

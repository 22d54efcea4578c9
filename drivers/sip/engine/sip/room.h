// Room for calls: so many legs may be there at once (`calls`), and four more for calls for help. Beyond these a call for help takes the place of
// another call: of one that rings before one that talks, and never of one for help. PJSUA, which would answer 486 where it has no slot left, has
// more slots than are ever asked of it: a call whose BYE nobody answers keeps its own for 32 s.
#pragma once
#include <atomic>
#include <memory>

#include "legs.h"
#include "pj.h"

namespace pbx {

struct Context;

class Room {
 public:
  explicit Room(Context& context) : context_(context) {}

  // Before PJSUA starts: how many slots it is to have for so many calls. Fewer where the system lets this program open too few files.
  unsigned open(unsigned calls);

  // Whether there is room for one more leg; a call for help has another call end where there is none.
  bool take(bool help);
  // Whether a call that is not for help would be refused.
  bool full() const { return inUse() >= limit(); }
  unsigned inUse() const { return pjsua_call_get_count(); }
  // `calls` as it is in force: what was given at the start is the most.
  unsigned limit() const;

 private:
  static constexpr unsigned forHelp = 4, ending = 28;
  std::shared_ptr<CallLeg> leastHarmful() const;

  Context& context_;
  std::atomic<unsigned> slots_{0};
};

}  // namespace pbx

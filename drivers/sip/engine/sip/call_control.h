// What the daemon does with a leg: answer, refuse, end, hold, keys, transfer. Every function takes the leg's number and does
// nothing when that leg has ended. An order that another thread or transaction stands in the way of is carried out later, by
// a sweep.
#pragma once
#include <string>

#include "context.h"
#include "held_call.h"

namespace pbx {

class CallControl {
 public:
  explicit CallControl(Context& context) : context_(context) {}

  // The daemon has heard of this call; any other order for the leg says so, too.
  void take(LegId leg);
  void progress(LegId leg, int code);
  void answer(LegId leg);
  void reject(LegId leg, int code, const std::string& reason);
  void hangup(LegId leg, int cause);
  void hold(LegId leg, bool on);
  // The phone talks with somebody else by now.
  void connected(LegId leg, const std::string& number, const std::string& name);
  // method: "rfc4733", "info", "inband" or "" for the first that works.
  void digits(LegId leg, const std::string& digits, const std::string& method);
  // `replaced`: the far end takes the place of ours in the call of that leg, and `to` does not count; 0: it calls `to`.
  void refer(LegId leg, const std::string& to, LegId replaced);
  // A modem will speak on this call: no codec but G.711 from now on.
  void carryModem(LegId leg);

  // It ends for a call for help (room.h).
  void giveWay(const std::shared_ptr<CallLeg>& leg) { end(leg, {503, "", 0}); }

  // Dial timers, missing ACKs, missing RTP, calls that nobody takes, orders that had to wait; every 250 ms.
  void sweep();

 private:
  using LegPointer = std::shared_ptr<CallLeg>;
  void end(const LegPointer& leg, const Ending& ending);
  void sendAnswer(const LegPointer& leg);
  // Answers that had to wait for acknowledgements of others, and those that were never acknowledged.
  void sweepAnswers(int64_t now);
  void endUnacknowledged(const LegPointer& leg);
  // Sends a new offer that describes the call as the daemon wants it now.
  void sendOffer(const LegPointer& leg);
  void watchMedia(const LegPointer& leg, int64_t now, int64_t patience);
  void tellForeign(const LegPointer& leg);
  void referOrdered(const LegPointer& leg, pj_status_t status);
  // Notes an order that failed, for the engine's log.
  void note(const LegPointer& leg, const char* order, pj_status_t status) const;
  Context& context_;
  int64_t nextMediaWatch_ = 0;
};

}  // namespace pbx

// What the daemon does with a leg: answer, refuse, dial, end, hold, keys, transfer. Every function takes the leg's number
// and does nothing when that leg is over.
#pragma once
#include <string>

#include "context.h"

namespace pbx {

struct DialOrder {
  LegId leg = 0;
  std::string trunk, extension;  // one of them
  std::string to, from, callerName;
  unsigned timeoutSeconds = 30;
  bool fax = false;  // G.711 only
};

class CallControl {
 public:
  explicit CallControl(Context& context) : context_(context) {}

  void progress(LegId leg, int code);
  void answer(LegId leg);
  void reject(LegId leg, int code, const std::string& reason);
  void hangup(LegId leg, int cause);
  void dial(const DialOrder& order);
  void hold(LegId leg, bool on);
  // method: "rfc4733", "info", "inband" or "" for the first that works.
  void digits(LegId leg, const std::string& digits, const std::string& method);
  void refer(LegId leg, const std::string& to);
  // A modem will speak on this call: no codec but G.711 from now on.
  void carryModem(LegId leg);

  // Dial timers and missing RTP; every 250 ms.
  void sweep(int64_t now);

 private:
  void sendHold(const std::shared_ptr<CallLeg>& leg);
  void watchMedia(const std::shared_ptr<CallLeg>& leg, int64_t now, int64_t patience);
  Context& context_;
};

}  // namespace pbx

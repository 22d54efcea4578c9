// Transfers that the far end of a call asks for (REFER, RFC 3515). They are taken before pjsua sees them, which would dial
// by itself: the daemon decides what becomes of them, and the far end gets NOTIFY.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "event_subscription.h"
#include "legs.h"
#include "pj.h"

namespace pbx {

struct Context;

class Transfers {
 public:
  explicit Transfers(Context& context) : context_(context) { only_ = this; }

  // Whether the far end of this leg may ask for transfers at all; otherwise 603.
  void allow(LegId leg, bool on);
  // A REFER inside the leg's call, which is answered here. PJSIP's thread, which holds the call.
  void onRequest(const std::shared_ptr<CallLeg>& leg, pjsip_dialog* dialog, pjsip_rx_data* request);
  // How it goes on: 1xx, or the final status, after which the far end hears no more of it.
  void progress(LegId leg, uint32_t refer, int code);
  // Before PJSIP goes.
  void stop();
  void legEnded(LegId leg);

 private:
  struct Running {
    uint32_t refer = 0;
    std::shared_ptr<EventSubscription> subscription;
  };
  // Answers with a final status, or takes the request: 202.
  int judge(const std::shared_ptr<CallLeg>& leg, const pjsip_rx_data* request, std::string& to, LegId& replaced);
  bool accept(LegId leg, uint32_t number, pjsip_dialog* dialog, pjsip_rx_data* request);
  static void onState(pjsip_evsub* subscription, pjsip_event*);

  static Transfers* only_;
  Context& context_;
  std::mutex mutex_;  // taken after PJSIP's locks, and never held while PJSIP is called
  std::map<LegId, Running> running_;  // one a leg
  uint32_t last_ = 0;
};

}  // namespace pbx

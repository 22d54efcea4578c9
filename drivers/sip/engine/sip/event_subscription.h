// A subscription of PJSIP's (RFC 6665), which stays, with its dialog, while this is there.
#pragma once
#include <pjsip_simple.h>

#include "pj.h"

namespace pbx {

class EventSubscription {
 public:
  EventSubscription(pjsip_evsub* of, pjsip_dialog* dialog) : of_(of), dialog_(dialog) { pjsip_evsub_add_ref(of_); }
  ~EventSubscription() { pjsip_evsub_dec_ref(of_); }
  EventSubscription(const EventSubscription&) = delete;
  EventSubscription& operator=(const EventSubscription&) = delete;
  pjsip_evsub* get() const { return of_; }
  pjsip_dialog* dialog() const { return dialog_; }

 private:
  pjsip_evsub* of_;
  pjsip_dialog* dialog_;
};

}  // namespace pbx

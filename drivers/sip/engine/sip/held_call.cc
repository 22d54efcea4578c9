#include "held_call.h"

#include <pjsua-lib/pjsua_internal.h>

namespace pbx {

HeldCall::HeldCall(const CallLeg& leg) {
  const pjsua_call_id slot = leg.call;
  if (slot == PJSUA_INVALID_ID) return;
  pjsua_call* call = nullptr;
  status_ = acquire_call("leg", slot, &call, &dialog_);
  if (status_ != PJ_SUCCESS) {
    dialog_ = nullptr;
  } else if (call->user_data != Legs::userData(leg.id)) {
    status_ = PJSIP_ESESSIONTERMINATED;
  } else {
    slot_ = slot;
    session_ = call->inv;
  }
}

HeldCall::~HeldCall() {
  if (dialog_ != nullptr) pjsip_dlg_dec_lock(dialog_);
}

}  // namespace pbx

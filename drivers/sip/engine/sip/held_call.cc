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

int audioLine(pjsua_call_id call) {
  // pjsua's own index of it also counts an offer that failed.
  const pjsua_call& of = pjsua_var.calls[call];
  for (unsigned line = 0; line < of.med_cnt; line++) {
    const pjsua_call_media& media = of.media[line];
    if (media.type == PJMEDIA_TYPE_AUDIO && media.state != PJSUA_CALL_MEDIA_NONE && media.state != PJSUA_CALL_MEDIA_ERROR) return static_cast<int>(line);
  }
  return -1;
}

bool isCanceled(pjsua_call_id call) {
  const pjsip_inv_session* session = pjsua_var.calls[call].inv;
  // PJSIP says so of a call that its caller gave up as well.
  return session != nullptr && session->role == PJSIP_ROLE_UAC && session->cancelling;
}

std::shared_ptr<CallLeg> legOf(const Legs& legs, const pjsip_dialog* dialog) {
  const auto* call = static_cast<const pjsua_call*>(dialog->mod_data[pjsua_var.mod.id]);
  return call == nullptr ? nullptr : legs.byCall(call->index);
}

}  // namespace pbx

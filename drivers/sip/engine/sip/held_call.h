// A leg's call in its pjsua slot, held while something is ordered of it: until this object goes, the slot carries no other call.
#pragma once
#include "legs.h"

namespace pbx {

class HeldCall {
 public:
  // Waits for other threads that hold the call, 2 s at most. To be called without Legs' mutex.
  explicit HeldCall(const CallLeg& leg);
  ~HeldCall();
  HeldCall(const HeldCall&) = delete;
  HeldCall& operator=(const HeldCall&) = delete;

  explicit operator bool() const { return status_ == PJ_SUCCESS; }
  // PJSIP_ESESSIONTERMINATED: the call has ended, or was not made yet; PJ_ETIMEDOUT: another thread does not let it go.
  pj_status_t status() const { return status_; }
  bool busy() const { return status_ == PJ_ETIMEDOUT; }
  pjsua_call_id slot() const { return slot_; }
  // Null before there is one.
  pjsip_inv_session* session() const { return session_; }

 private:
  pj_status_t status_ = PJSIP_ESESSIONTERMINATED;
  pjsua_call_id slot_ = PJSUA_INVALID_ID;
  pjsip_inv_session* session_ = nullptr;
  pjsip_dialog* dialog_ = nullptr;
};

// Which line of a call that was agreed on is its audio, by pjsua's numbers; -1: none. The caller holds the call, or is one of its callbacks.
int audioLine(pjsua_call_id call);

// Whether a CANCEL of ours was sent, or waits to be sent: by an order, or by PJSIP itself, which found no media in an answer. For the callbacks of
// the call.
bool isCanceled(pjsua_call_id call);

// The leg of a dialog that the caller has locked; null: it is no call, or the leg has ended.
std::shared_ptr<CallLeg> legOf(const Legs& legs, const pjsip_dialog* dialog);

}  // namespace pbx

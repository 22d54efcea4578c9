// The calls of this engine as legs: numbers that are never used twice, bound to pjsua's call slots, which are. A leg is
// made when a call arrives or is dialled and goes with pjsua's DISCONNECTED; what the daemon asks of a leg that is gone
// reaches nobody.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../media/media.h"
#include "pj.h"
#include "stream_port.h"

namespace pbx {

struct CallLeg {
  LegId id = 0;
  pjsua_call_id call = PJSUA_INVALID_ID;
  bool inbound = false;
  std::string trunk, extension;
  std::string sipCallId;  // known once it is answered
  bool secure = false;    // its media is SRTP; likewise

  // All below are guarded by Legs' mutex.
  bool answered = false, held = false;
  // Our own hold as the daemon wants it; a re-INVITE that met one of the far end (491) is sent again at `holdAgainAt`.
  bool holding = false;
  int64_t holdAgainAt = 0;
  bool localEnd = false, timedOut = false, silent = false;  // who ends it: the daemon, the dial timer, missing RTP
  int64_t dialUntil = 0;
  bool modem = false;  // a fax machine speaks: G.711 only
  int lastProvisional = 0;
  unsigned packetsSeen = 0;
  int64_t packetsAt = 0;
  int64_t answeredAt = 0;
  // An RFC 4733 event that has begun: reported at its end, or when nothing follows it.
  char digit = 0;
  unsigned digitStamp = 0, digitMs = 0;
  int64_t digitAt = 0;
  unsigned lastDigitStamp = 0;
  bool digitReported = false;
  std::shared_ptr<StreamPort> port;
  uint32_t rxPackets = 0, rxLost = 0, txPackets = 0;
  double rxJitterMs = 0;
};

class Legs {
 public:
  // Odd numbers for inbound legs.
  std::shared_ptr<CallLeg> addInbound(pjsua_call_id call);
  std::shared_ptr<CallLeg> addOutbound(LegId id);
  void bind(const std::shared_ptr<CallLeg>& leg, pjsua_call_id call);
  std::shared_ptr<CallLeg> find(LegId id) const;
  std::shared_ptr<CallLeg> byCall(pjsua_call_id call) const;
  // Null also when two legs share the Call-ID: a call of this engine to itself.
  std::shared_ptr<CallLeg> bySipCallId(const std::string& id) const;
  // Forgets the leg; null when it is gone already.
  std::shared_ptr<CallLeg> remove(LegId id);
  std::vector<std::shared_ptr<CallLeg>> all() const;
  size_t count() const;

  // Guards the members of every leg.
  std::mutex& mutex() const { return mutex_; }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<LegId, std::shared_ptr<CallLeg>> legs_;
  std::shared_ptr<CallLeg> byCall_[PJSUA_MAX_CALLS];
  LegId nextInbound_ = 1;
};

}  // namespace pbx

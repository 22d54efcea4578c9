// The calls of this engine as legs: numbers that are never used twice, while pjsua's call slots are. A slot's user data
// names the leg it carries. Code that orders something of a call holds it first (held_call.h), so that an order for an ended
// leg reaches no call. A leg is made when a call arrives or is dialled and goes with pjsua's DISCONNECTED.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "../media/media.h"
#include "key_reader.h"
#include "pj.h"
#include "replaces.h"
#include "unacknowledged.h"

namespace pbx {

class MediaPath;

// How a call is to end: a final answer, a CANCEL or a BYE, as its state wants.
struct Ending {
  int code = 0;        // of a refusal; 0: PJSIP's choice
  std::string reason;  // its reason phrase
  int cause = 0;       // Q.850, for the Reason header (RFC 3326); 0: none
};

struct CallLeg {
  // These stay as they are once the leg is among the others.
  LegId id = 0;
  bool inbound = false;
  bool forHelp = false;  // a call for help, or a part of one: it gives way to nobody
  bool attempt = false;  // see Dialling: the daemon does not know it
  std::string trunk, extension;
  Unacknowledged::Caller caller;
  Replaced arrived;  // the dialog of one that arrives, its tags as we see them

  // Where it was seen; only the slot's user data says whether it still is there.
  std::atomic<pjsua_call_id> call{PJSUA_INVALID_ID};

  // All below are guarded by Legs' mutex. Moments are of the steady clock, in ms.
  std::string sipCallId;  // known once it is answered
  std::string ownTag, farTag;  // likewise
  bool secure = false;    // its media is SRTP; likewise
  std::shared_ptr<MediaPath> path;
  pjmedia_stream* stream = nullptr;  // what the media half has of it; null: nothing
  std::string far;        // the IP address its far end signals from, or is called at
  std::string told;       // our address that was sent to the far end for media; "": none yet
  bool taken = false;     // the daemon has spoken of this call
  std::string help;       // the emergency number that a phone of ours dialled; "": none
  nlohmann::json invite;  // of such a call, as it was reported to the daemon
  bool alone = false;     // no daemon has part in it (help_alone.h)
  bool accepted = false;  // 200 was sent, or waits for its turn
  int64_t refuseAt = 0;   // when nobody has taken it
  bool answered = false, held = false;
  std::string tag;      // the daemon's: the call outlives it; "": it does not
  uint32_t bridge = 0;  // the one it is in; 0: none
  std::map<uint32_t, std::string> records;  // files of recordings that were begun, by their numbers
  std::string connected;  // P-Asserted-Identity of whom it talks with by now; "": whom it called, or who called it
  // Our own hold as the daemon wants it; a re-INVITE that could not be made, or met one of the far end (491), is made at `offerAt`.
  bool holding = false;
  int64_t offerAt = 0;
  // What ended it: the daemon, the dial timer, missing RTP, missing ACK, an answer without media, a daemon that says
  // nothing.
  bool localEnd = false, timedOut = false, silent = false, unacknowledged = false, withoutMedia = false, untaken = false;
  bool gaveWay = false;  // ended for a call for help (room.h)
  // An answer and an end that could not be ordered, for another thread held the call.
  int64_t answerAt = 0;
  Ending ending;
  int64_t endAt = 0;
  int64_t dialUntil = 0;
  bool transfers = false;  // its far end may ask for transfers (REFER)
  unsigned refers = 0;     // how often it did
  bool modem = false;  // a fax machine speaks: G.711 only
  int lastProvisional = 0;
  bool early = false;  // the far end has described its media before the answer
  unsigned packetsSeen = 0;
  int64_t packetsAt = 0;
  int64_t answeredAt = 0;
  KeyReader keys;  // of its RFC 4733 events
  uint32_t rxPackets = 0, rxLost = 0, txPackets = 0;
  double rxJitterMs = 0;
};

class Legs {
 public:
  // An odd number, for a leg that arrives.
  LegId nextInbound();
  // false: there is a leg of that number.
  bool add(const std::shared_ptr<CallLeg>& leg);
  std::shared_ptr<CallLeg> find(LegId id) const;
  // What a slot of pjsua carries as user data, and the leg it names; for pjsua's callbacks, which hold the slot.
  static void* userData(LegId id) { return reinterpret_cast<void*>(static_cast<uintptr_t>(id)); }
  std::shared_ptr<CallLeg> byCall(pjsua_call_id call) const;
  // Null also when two legs share the Call-ID: a call of this engine to itself.
  std::shared_ptr<CallLeg> bySipCallId(const std::string& id) const;
  // An answered call by its dialog; the tags may stand the other way round, for the one who names it may be either end.
  std::shared_ptr<CallLeg> byDialog(const Replaced& dialog) const;
  // The same of a call that has arrived and is not answered.
  std::shared_ptr<CallLeg> ringingByDialog(const Replaced& dialog) const;
  // Forgets the leg; null when it is gone already.
  std::shared_ptr<CallLeg> remove(LegId id);
  std::vector<std::shared_ptr<CallLeg>> all() const;
  size_t count() const;

  // Guards the members of every leg. Taken after PJSIP's locks, never before them.
  std::mutex& mutex() const { return mutex_; }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<LegId, std::shared_ptr<CallLeg>> legs_;
  LegId nextInbound_ = 1;
};

}  // namespace pbx

// Calls of ours that nobody has answered yet: every phone of an extension at once, the servers of a trunk one after the other.
// Each INVITE is a leg of its own that the daemon never hears of, an attempt; the daemon's leg takes over the call of one of
// them: of the phone that answers first, of the server that shows the first sign of life. A server or a phone from which
// nothing at all comes holds nobody up for longer than `silenceMs`.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "identity.h"
#include "legs.h"
#include "pj.h"
#include "settings.h"

namespace pbx {

struct Context;

struct DialOrder {
  LegId leg = 0;
  std::string trunk, extension;  // one of them
  std::string to, from, callerName, diversion;
  unsigned timeoutSeconds = 30;
  bool fax = false;    // G.711 only
  std::vector<Header> headers = {};  // further ones of the INVITE, through a trunk
  int64_t silenceMs = 0;  // nothing comes for that long: another trunk is tried; 0: nobody waits
  LegId replaces = 0;  // the call takes the place of this leg's, at its far end
  std::string replaced = {};  // its dialog, as the header names it
  bool help = false;   // for a call for help: there is room for it
};

// The address for a call to a phone: the user of its Contact at the address it is heard from. Of one behind an edge its
// whole Contact, which `path` leads to.
std::string phoneAddress(const Contact& contact);
// Puts the Route headers of the way to a phone behind an edge into a message, which is not sent yet.
void addRoutes(pj_pool_t* pool, const std::string& path, pjsip_hdr& list);

class Dialling {
 public:
  explicit Dialling(Context& context) : context_(context) {}

  void dial(DialOrder order);
  // By the daemon's order, because nobody answered in time, or for a call for help (room.h).
  enum class GiveUp { ordered, timedOut, gaveWay };
  // Ends a leg that has no call of its own yet. False: it has one. `answeredElsewhere`: the phones that ring are notified of
  // that, and show no missed call (RFC 3326).
  bool giveUp(LegId leg, GiveUp why, bool answeredElsewhere = false);

  // pjsua's callbacks, before anybody else looks at the call. True: it is an attempt, and the daemon's leg has no part in this.
  bool onState(pjsua_call_id call, const pjsua_call_info& info, const pjsip_event* event);
  void onTransaction(pjsua_call_id call, const pjsip_transaction* transaction, const pjsip_event* event);
  void onStream(pjsua_call_id call, pjmedia_stream* stream, bool there);  // false: it goes

  // Every 250 ms. `now`: steady.
  void sweep(int64_t now);

 private:
  // RFC 3261 section 17.1.1.2 would repeat the INVITE for 32 s, and a connection may take as long; a live server answers 100
  // at once.
  static constexpr int64_t silenceMs = 4000;
  struct Attempt {
    std::shared_ptr<CallLeg> leg;  // its own
    LegId of = 0;                  // the daemon's
    bool heard = false;            // anything came back
    int64_t silentUntil = 0;
    std::string server;  // ip:port that it goes to
    pjmedia_stream* stream = nullptr;
  };
  using Held = std::shared_ptr<Attempt>;
  struct Refusal {
    int code = 0;  // 0: nothing came from there
    std::string text;
    int cause = 0;  // by its Reason
    std::string redirect = {};  // the number that a phone has its calls go to (3xx)
    bool ours = false;          // it did not refuse: no media could be agreed on with it
  };
  struct Dial {
    std::shared_ptr<CallLeg> leg;
    DialOrder order;
    bool phones = false;
    int64_t silentUntil = 0;         // of all servers together, steady; 0: each has its own time
    bool placing = false;            // not all phones have been called yet
    std::vector<Held> attempts;      // that may still answer
    std::vector<std::string> tried;  // servers
    Refusal best;                    // so far
  };
  // Where an INVITE goes, and as whom.
  struct Place {
    pjsua_acc_id account = PJSUA_INVALID_ID;
    std::string target;
    Identity identity;
    std::string server;  // of a trunk, ip:port; "": its name is not known yet
    std::string far;  // the IP address it will probably go to, "" while its name is not known
    std::string path = {};  // of a phone behind an edge (RFC 3327)
    std::optional<Contact> phone = {};
  };

  Held attemptOf(pjsua_call_id call) const;
  // Sends one INVITE; an error text, "" when it is on its way.
  std::string place(const std::shared_ptr<CallLeg>& leg, const Place& place);
  pj_status_t invite(const Place& place, const CallLeg& attempt, pjsua_call_id& call) const;
  static void addReplaces(const DialOrder& order, Identity& identity);
  Place trunkPlace(const DialOrder& order, const TrunkSettings& trunk) const;
  std::vector<Place> phonePlaces(const DialOrder& order, const Settings& settings, const ExtensionSettings& extension) const;
  bool tryNextServer(Dial dial, const Held& attempt);
  // False: it was given up.
  bool adopt(pjsua_call_id call, const Held& attempt);
  // An attempt has ended without an answer.
  void failed(const Held& attempt, const Refusal& refusal);
  // Nobody is left who could answer; `last`: what the last one said.
  void conclude(const Dial& dial, const std::string& last);
  void end(const std::shared_ptr<CallLeg>& leg, const char* by, const char* reason, const Refusal& refusal);
  void release(const std::vector<Held>& attempts, bool answeredElsewhere);

  Context& context_;
  mutable std::mutex mutex_;  // never held while PJSIP is called
  std::map<LegId, Dial> dials_;
  std::map<LegId, Held> attempts_;  // by their own numbers
  LegId lastAttempt_ = 0;
};

}  // namespace pbx

// Decides about every request before pjsua sees it (a PJSIP module below the transaction layer): who sent it, whether it
// may come in at all, and what is answered without a call slot, a transaction or a word to strangers.
#pragma once
#include <atomic>
#include <string>

#include "attendance.h"
#include "bans.h"
#include "connections.h"
#include "digest.h"
#include "pj.h"
#include "rates.h"
#include "registrar.h"
#include "replaces.h"
#include "room.h"
#include "settings.h"
#include "trunks.h"
#include "unacknowledged.h"

namespace pbx {

// The sender of an accepted INVITE or MESSAGE; set while PJSIP hands that very request up on the same thread.
struct Source {
  std::string trunk;      // "" for a phone
  std::string extension;  // "" for a trunk; else proven by digest
  std::string far;        // its IP address
  std::string help;       // the emergency number that a phone of ours dials; "": none
  Unacknowledged::Caller caller;
  std::optional<Replaced> replaced;  // the call whose place this one is to take; phones only
};

class Gate {
 public:
  Gate(CurrentSettings& settings, Registrar& registrar, Trunks& trunks, Bans& bans, Rates& rates, Digest& digest, Connections& connections, Unacknowledged& unacknowledged, Room& room, const Attendance& attendance)
      : settings_(settings), registrar_(registrar), trunks_(trunks), bans_(bans), rates_(rates), digest_(digest), connections_(connections), unacknowledged_(unacknowledged), room_(room), attendance_(attendance) {}

  // Registers the module; the object must outlive PJSIP.
  pj_status_t install();
  // `silent`: what is new gets no answer; it is repeated, and another machine has our address by then.
  void drain(bool on, bool silent = false) {
    draining_ = on;
    silent_ = on && silent;
  }
  static const Source& source();

 private:
  enum class Kind { stranger, trunk, phone };
  struct Sender {
    Kind kind = Kind::stranger;
    std::string trunk;
    bool exempt = false;  // never banned: a trunk's own address, or a phone that is registered from there
    bool edge = false;    // an edge itself, which asks whether we are there
  };

  Sender identify(pjsip_rx_data* request) const;
  // Its source guesses passwords and is neither a trunk's server nor a phone that is registered from exactly there; it is neither a part of a call
  // that stands nor a call for help.
  bool shutOut(pjsip_rx_data* request) const;
  bool onRequest(pjsip_rx_data* request);  // true: dealt with
  bool onInDialog(pjsip_rx_data* request);
  bool onTrunkInvite(pjsip_rx_data* request, const Sender& sender);
  // `authenticateInbound`: whether the provider proves itself with the account's password; answered otherwise.
  bool trunkProven(pjsip_rx_data* request, const TrunkSettings& trunk);
  bool onInvite(pjsip_rx_data* request, const Sender& sender);
  // What an INVITE from there would get: 0 where it would come in, else the seconds after which it might. A call for help comes in: it may
  // wait until a daemon is there.
  unsigned closedTo(const pjsip_rx_data* request, const Sender& sender) const;
  bool admit(pjsip_rx_data* request, const Sender& sender);
  void answerOptions(pjsip_rx_data* request, const Sender& sender) const;
  bool onOther(pjsip_rx_data* request, const Sender& sender);
  static pj_bool_t receive(pjsip_rx_data* request);
  static pj_bool_t receiveResponse(pjsip_rx_data* response);
  // A phone over TLS is spoken to on the connection it opened, whatever its Contact says: it has no certificate that could be checked on
  // another; and one whose Contact leads nowhere is, where it is registered from.
  void keepReachable(pjsip_rx_data* message) const;

  CurrentSettings& settings_;
  Registrar& registrar_;
  Trunks& trunks_;
  Bans& bans_;
  Rates& rates_;
  Digest& digest_;
  Connections& connections_;
  Unacknowledged& unacknowledged_;
  Room& room_;
  const Attendance& attendance_;
  std::atomic<bool> draining_{false}, silent_{false};
};

}  // namespace pbx

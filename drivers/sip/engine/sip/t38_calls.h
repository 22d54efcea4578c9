// Calls that change to T.38. pjsua knows audio lines only and refuses an image line by itself; so its descriptions are
// translated on the wire, below the transaction layer: inside, such a call is an audio call on hold, outside it is T.38.
// Refreshes of the session (RFC 4028) need nothing more: a repeated description is the translated one.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "../fax/udptl_socket.h"
#include "events.h"
#include "fax_calls.h"
#include "legs.h"
#include "media_path.h"
#include "t38_sdp.h"

namespace pbx {

class T38Calls {
 public:
  T38Calls(Legs& legs, MediaPaths& paths, FaxCalls& faxes, Events& events)
      : legs_(legs), paths_(paths), faxes_(faxes), events_(events) {}

  pj_status_t install();
  // The call is in T.38 or about to change: what pjsua says of hold and of 491 is not meant.
  bool concerns(LegId leg) const;
  void legEnded(LegId leg);
  // The receiving machine asks for T.38, 1 s after it answered; every 250 ms.
  void sweep(int64_t now);

 private:
  enum class State { asking, asked, invited, active };
  struct Change {
    LegId leg = 0;
    State state = State::asking;
    std::shared_ptr<UdptlSocket> socket;
    T38Line remote;
    std::string signalling;  // IP address the far end's messages come from
    int64_t againAt = 0;
    unsigned tries = 0;
  };

  static pj_bool_t onRxRequest(pjsip_rx_data* data);
  static pj_bool_t onRxResponse(pjsip_rx_data* data);
  static pj_status_t onTx(pjsip_tx_data* data);

  void received(pjsip_rx_data* data);
  void answered(pjsip_rx_data* data);
  void sending(pjsip_tx_data* data);
  void activate(Change& change);
  // Directs the socket to where the far end's description and its signalling are now.
  void connect(Change& change);
  std::shared_ptr<UdptlSocket> openSocket(const CallLeg& leg);
  bool ask(const std::shared_ptr<CallLeg>& leg);

  Legs& legs_;
  MediaPaths& paths_;
  FaxCalls& faxes_;
  Events& events_;
  mutable std::mutex mutex_;
  std::map<std::string, Change, std::less<>> changes_;  // by Call-ID
};

}  // namespace pbx

// Texts that go out: a MESSAGE (RFC 3428) of a trunk's account, the provider's challenge answered, and one `textSent` for
// every `textSend`, whatever happens.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "events.h"
#include "pj.h"
#include "settings.h"
#include "trunks.h"

namespace pbx {

struct TextOrder {
  uint32_t id = 0;  // the daemon's
  std::string trunk, to, from, body;
};

class TextSender {
 public:
  TextSender(CurrentSettings& settings, Trunks& trunks, Events& events);

  // Returns at once; the outcome follows.
  void send(const TextOrder& order);
  // The engine ends: what is under way may have arrived.
  void stop();

 private:
  struct Sending {
    uint32_t id = 0;
    std::string trunk, callId;
    unsigned challenges = 0;
    int challenge = 0;  // 401 or 407, the last one
  };
  struct Outcome {
    int code = 0;        // the far end's final status, 0: none came
    std::string reason;  // its words, or what went wrong here
    bool sent = false;   // it left, or may have left
    unsigned retryAfter = 0;
  };
  static pj_status_t compose(pjsua_acc_id account, const TrunkSettings& trunk, const TextOrder& order, pjsip_tx_data** request);
  void transmit(pjsip_tx_data* request, Sending sending);
  // The request again with credentials; nullptr when there are none that could help.
  pjsip_tx_data* authorize(Sending& sending, pjsip_rx_data* challenge, pjsip_transaction* transaction) const;
  std::optional<Sending> take(void* token);
  void report(const Sending& sending, const Outcome& outcome);
  static void onFinal(void* token, pjsip_event* event);
  void final(Sending sending, pjsip_event* event);

  CurrentSettings& settings_;
  Trunks& trunks_;
  Events& events_;
  std::mutex mutex_;  // never held while PJSIP is called
  std::map<uintptr_t, Sending> sending_;
  uintptr_t lastToken_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace pbx

// Texts that come in: a trunk's MESSAGE (RFC 3428) becomes the event `text`, and is accepted (200) only when the daemon says
// that it is kept. If the daemon does not confirm it, the sender is asked to try again. The gate has decided who may send.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "events.h"
#include "pj.h"
#include "rates.h"

namespace pbx {

class TextReceiver {
 public:
  TextReceiver(Events& events, Rates& rates, CurrentSettings& settings) : events_(events), rates_(rates), settings_(settings) {}

  // Registers the module; the object must outlive PJSIP.
  pj_status_t install();
  // The daemon's answer; a text that is not waiting any more is left as it is.
  void reply(uint32_t id, int code);
  // Texts whose answer is overdue are refused with 503. Every 250 ms.
  void sweep(int64_t now);
  // The daemon is gone: what waits and what comes gets 503.
  void stop();

 private:
  // `transaction` is held by its group lock; `response` is ours until it is sent.
  struct Waiting {
    pjsip_transaction* transaction = nullptr;
    pjsip_tx_data* response = nullptr;
    int64_t until = 0;
  };
  static pj_bool_t onRequest(pjsip_rx_data* request);
  void receive(pjsip_rx_data* request, const std::string& trunk);
  void ask(pjsip_rx_data* request, const std::string& trunk, const std::string& body);
  static void finish(const Waiting& waiting, int code);

  Events& events_;
  Rates& rates_;
  CurrentSettings& settings_;
  std::mutex mutex_;  // never held while PJSIP is called
  std::map<uint32_t, Waiting> waiting_;
  uint32_t lastId_ = 0;
  bool stopped_ = false;
};

}  // namespace pbx

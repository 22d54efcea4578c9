// The descriptions of the far end on their way to PJSIP (a module between the gate and the transactions): they are filled in, one line of
// audio is chosen, and what no call can come of is refused with 488 and the reason, in every request that can be refused. An answer that comes before
// the final one and is not sent reliably binds nobody (RFC 6337 section 2.2): one that does not fit is left aside.
#pragma once
#include <optional>

#include "audio_lines.h"

namespace pbx {

struct Context;

class Descriptions {
 public:
  explicit Descriptions(Context& context) : context_(context) {}
  // Registers the module; the object must outlive PJSIP.
  pj_status_t install();

 private:
  // What is known of the call that a request belongs to.
  struct Standing {
    MediaTerms terms;
    const pjmedia_sdp_session* former = nullptr;  // the far end's, as it is in force; in the request's memory
  };
  // Nothing: there is no such call.
  std::optional<Standing> standingOf(pjsip_rx_data* request) const;
  MediaTerms termsOf(const std::string& trunk, const std::string& extension, bool modem) const;
  bool onRequest(pjsip_rx_data* request) const;  // true: refused
  static void onResponse(pjsip_rx_data* response);
  static pj_bool_t receive(pjsip_rx_data* request);
  static pj_bool_t receiveResponse(pjsip_rx_data* response);
  static pj_status_t send(pjsip_tx_data* response);
  Context& context_;
};

}  // namespace pbx

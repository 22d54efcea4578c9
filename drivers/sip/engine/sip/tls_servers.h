// Which TLS servers this engine speaks to: looked at when the handshake is done and before the first byte of SIP is sent.
#pragma once
#include <openssl/types.h>

#include <string>

#include "events.h"
#include "pj.h"
#include "settings.h"
#include "trunks.h"

namespace pbx {

// Whether a trunk's `server` (host or host:port) is what was reached; one without port, found by SRV, may be at any.
bool isAt(const std::string& server, const HostPort& reached);

class TlsServers {
 public:
  TlsServers(CurrentSettings& settings, Trunks& trunks, Events& events) : settings_(settings), trunks_(trunks), events_(events) {}

  // PJSIP's callback on_transport_state. A connection that is not to be trusted is ended here: what waits for it is not sent.
  void onTransport(pjsip_transport* transport, pjsip_transport_state state, const pjsip_transport_state_info* info);

 private:
  // Why the server that was reached under that name and port, at `ip`, is not to be spoken to; "" when it is.
  std::string fault(SSL* connection, const HostPort& reached, const std::string& ip) const;

  CurrentSettings& settings_;
  Trunks& trunks_;
  Events& events_;
};

}  // namespace pbx

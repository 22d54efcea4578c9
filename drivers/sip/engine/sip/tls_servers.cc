#include "tls_servers.h"

#include <strings.h>

#include "certificates.h"

namespace pbx {

namespace {

std::string hostAlone(const std::string& server) {
  return splitHostPort(server).host;
}

}  // namespace

bool isAt(const std::string& server, const HostPort& reached) {
  const HostPort at = splitHostPort(server);
  return strcasecmp(at.host.c_str(), reached.host.c_str()) == 0 && (at.port == 0 || at.port == reached.port);
}

std::string TlsServers::fault(SSL* connection, const HostPort& reached, const std::string& ip) const {
  const std::string& host = reached.host;
  const auto settings = settings_.get();
  if (connection == nullptr) return "the connection is not encrypted";
  bool configured = false, trusted = false;
  std::string why;
  for (const TrunkSettings& trunk : settings->trunks) {
    if (trunk.transport != "tls") continue;
    if (!isAt(trunk.server, reached) && (trunk.outboundProxy.empty() || !isAt(trunk.outboundProxy, reached))) continue;
    configured = true;
    if (!trunk.tlsVerify) continue;
    // PJSIP shares the connection among trunks of one server: it must be good enough for each of them.
    if (why = certificateFault(connection, host, trunk.caFile); !why.empty()) return why;
  }
  if (configured) return "";
  // A request inside a call goes to where the provider's Contact or Record-Route points: a host that shows the certificate
  // of a trunk's server is the provider, whatever its address. A phone is reached on the connection that it opened, never on
  // a new one.
  for (const TrunkSettings& trunk : settings->trunks) {
    if (trunk.transport != "tls" || trusted) continue;
    if (!trunk.tlsVerify) {
      trusted = trunks_.byIp(ip) == trunk.id;
    } else {
      why = certificateFault(connection, hostAlone(trunk.server), trunk.caFile);
      trusted = why.empty() || certificateFault(connection, host, trunk.caFile).empty();
    }
  }
  return trusted ? "" : why.empty() ? "it is no server of a trunk" : why;
}

void TlsServers::onTransport(pjsip_transport* transport, pjsip_transport_state state, const pjsip_transport_state_info* info) {
  if (state != PJSIP_TP_STATE_CONNECTED || transport->dir != PJSIP_TP_DIR_OUTGOING || (transport->flag & PJSIP_TRANSPORT_SECURE) == 0) return;
  const auto* tls = static_cast<const pjsip_tls_state_info*>(info->ext_info);
  SSL* connection = tls != nullptr && tls->ssl_sock_info != nullptr ? static_cast<SSL*>(tls->ssl_sock_info->native_ssl) : nullptr;
  std::string host = text(transport->remote_name.host);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  char buffer[PJ_INET6_ADDRSTRLEN + 10];
  const HostPort reached{host, pj_sockaddr_get_port(&transport->key.rem_addr)};
  const std::string why = fault(connection, reached, pj_sockaddr_print(&transport->key.rem_addr, buffer, sizeof buffer, 0));
  if (!why.empty()) {
    pjsip_transport_shutdown(transport);
    events_.log("warn", "TLS server " + clean(host) + " is not trusted: " + why);
  }
  trunks_.tlsChecked(reached, why);
}

}  // namespace pbx

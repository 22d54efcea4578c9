#include "connections.h"

#include <sys/socket.h>

#include <utility>

#include "far_end.h"
#include "media_path.h"
#include "now.h"
#include "reply.h"

// The one place where PJLIB takes a connection from a listener of either kind (pjsip/accept-filter.patch).
extern "C" pj_bool_t (*pj_activesock_accept_filter)(pj_sock_t socket, const pj_sockaddr_t* from);
// Every end of a socket passes here (linked with --wrap=pj_sock_close): a number is used again at once.
extern "C" pj_status_t __real_pj_sock_close(pj_sock_t socket);

namespace pbx {

namespace {

Connections* connectionsInUse = nullptr;

// A site behind one address translation has many phones, and each of them old connections.
constexpr unsigned mostPerKnown = 128;
// With the strangers' 200 and what we open ourselves this stays below PJSIP_MAX_TRANSPORTS.
constexpr size_t mostKnown = 700;
// Between its first request and the one that proves it, a phone is not pushed aside.
constexpr int64_t loginMs = 2000;
// A refusal is reported at once, and then no more often than this.
constexpr int64_t tellEveryMs = 5000;

std::string ipOf(const pj_sockaddr_t* address) {
  char buffer[PJ_INET6_ADDRSTRLEN + 10];
  return pj_sockaddr_print(address, buffer, sizeof buffer, 0);
}

std::string makeKey(const pj_sockaddr_t* remote, unsigned localPort) {
  return joinHostPort(ipOf(remote), pj_sockaddr_get_port(remote)) + ">" + std::to_string(localPort);
}

// 0: it takes no datagrams, or has no port yet.
uint16_t datagramPort(pj_sock_t socket) {
  int type = 0;
  socklen_t size = sizeof type;
  const auto fd = static_cast<int>(socket);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_DGRAM) return 0;
  sockaddr_storage own{};
  size = sizeof own;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
  return SocketAddress::of(reinterpret_cast<const sockaddr*>(&own)).port;
}

pj_bool_t filter(pj_sock_t socket, const pj_sockaddr_t* from) {
  return connectionsInUse == nullptr || connectionsInUse->admit(socket, from) ? PJ_TRUE : PJ_FALSE;
}

}  // namespace

void Connections::install() {
  connectionsInUse = this;
  pj_activesock_accept_filter = &filter;
}

void Connections::refuse(const char* reason, const std::string& ip) {
  refused_[reason]++;
  refusedLast_ = ip;
}

void Connections::end(pj_sock_t socket, Connection& connection, const char* reason) {
  refuse(reason, connection.ip);
  connection.ended = true;
  strangers_--;
  // PJSIP reads the end of the stream and puts everything away on its own thread.
  shutdown(static_cast<int>(socket), SHUT_RDWR);
}

bool Connections::evict(int64_t now) {
  auto oldest = open_.end();
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    const Connection& connection = at->second;
    if (connection.known || connection.ended || (connection.heard && now - connection.since < loginMs)) continue;
    const bool before = oldest == open_.end() || std::pair(connection.heard, connection.since) < std::pair(oldest->second.heard, oldest->second.since);
    if (before) oldest = at;
  }
  if (oldest == open_.end()) return false;
  end(oldest->first, oldest->second, "strangers");
  return true;
}

bool Connections::admit(pj_sock_t socket, const pj_sockaddr_t* from) {
  const int64_t now = steadyMs();
  const std::string ip = ipOf(from);
  // An edge brings everybody's.
  const bool trunk = isEdge(ip) || !trunks_.byIp(ip).empty();
  const bool banned = !trunk && bans_.banned(ip, now);
  const bool known = trunk || registrar_.hasLiveIp(ip);
  const ConnectionSettings limits = settings_.get()->connections;
  pj_sockaddr local;
  int size = sizeof local;
  const unsigned localPort = pj_sock_getsockname(socket, &local, &size) == PJ_SUCCESS ? pj_sockaddr_get_port(&local) : 0;

  std::lock_guard lock(mutex_);
  const auto at = byIp_.find(ip);
  const unsigned same = at == byIp_.end() ? 0 : at->second;
  // One for a call for help, which alone is listened to.
  const char* reason = banned && same > 0                                           ? "banned"
                       : same >= (known ? mostPerKnown : limits.perAddress)         ? "address"
                       : !known && strangers_ >= limits.strangers && !evict(now)    ? "strangers"
                       : known && open_.size() - strangers_ >= mostKnown            ? "known"
                                                                                    : nullptr;
  if (reason != nullptr) {
    refuse(reason, ip);
    return false;
  }
  Connection connection{ip, makeKey(from, localPort), now, known, false, false};
  byKey_[connection.key] = socket;
  byIp_[ip]++;
  if (!known) strangers_++;
  open_[socket] = std::move(connection);
  return true;
}

void Connections::closed(pj_sock_t socket) {
  std::lock_guard lock(mutex_);
  const auto at = open_.find(socket);
  if (at == open_.end()) return;
  if (const auto named = byKey_.find(at->second.key); named != byKey_.end() && named->second == socket) byKey_.erase(named);
  if (const auto same = byIp_.find(at->second.ip); same != byIp_.end() && --same->second == 0) byIp_.erase(same);
  if (!at->second.known && !at->second.ended) strangers_--;
  open_.erase(at);
}

Connections::Connection* Connections::of(const pjsip_rx_data* request) {
  const pjsip_transport* transport = request->tp_info.transport;
  if (!PJSIP_TRANSPORT_IS_RELIABLE(transport) || transport->dir != PJSIP_TP_DIR_INCOMING) return nullptr;
  const auto named = byKey_.find(makeKey(&transport->key.rem_addr, pj_sockaddr_get_port(&transport->local_addr)));
  if (named == byKey_.end()) return nullptr;
  const auto at = open_.find(named->second);
  return at == open_.end() ? nullptr : &at->second;
}

void Connections::heard(const pjsip_rx_data* request) {
  std::lock_guard lock(mutex_);
  if (Connection* connection = of(request)) connection->heard = true;
}

void Connections::proven(const pjsip_rx_data* request) {
  std::lock_guard lock(mutex_);
  Connection* connection = of(request);
  if (connection == nullptr || connection->known || connection->ended) return;
  connection->known = true;
  strangers_--;
}

void Connections::sweep(int64_t now) {
  const ConnectionSettings limits = settings_.get()->connections;
  nlohmann::json counts = nlohmann::json::object();
  std::string last;
  {
    std::lock_guard lock(mutex_);
    for (auto& [socket, connection] : open_) {
      if (connection.known || connection.ended) continue;
      const int64_t age = now - connection.since;
      const char* reason = !connection.heard && age >= limits.requestMs ? "silent" : age >= limits.proofMs ? "unproven" : nullptr;
      if (reason != nullptr) end(socket, connection, reason);
    }
    if (refused_.empty() || now < tellAt_) return;
    for (const auto& [reason, count] : refused_) counts[reason] = count;
    last = refusedLast_;
    refused_.clear();
    tellAt_ = now + tellEveryMs;
  }
  events_.send({{"t", "refused"}, {"counts", counts}, {"address", last}});
}

}  // namespace pbx

extern "C" pj_status_t __wrap_pj_sock_close(pj_sock_t socket) {
  if (pbx::connectionsInUse != nullptr) pbx::connectionsInUse->closed(socket);
  const uint16_t port = pbx::datagramPort(socket);
  const pj_status_t status = __real_pj_sock_close(socket);
  pbx::MediaPaths::socketClosed(port);
  return status;
}

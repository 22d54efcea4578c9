// Who may hold a connection to the SIP listeners over TCP and TLS, and for how long. Decided when the connection is taken
// from the kernel, before PJSIP spends a transport or a handshake on it. A source is known when it comes from a trunk's
// address or from where a phone is registered, and when a request was proven by digest on that connection. Strangers have
// few places, each address fewer, and must say something whole and prove themselves in time; the other places stay free for
// those known.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "bans.h"
#include "events.h"
#include "pj.h"
#include "registrar.h"
#include "settings.h"
#include "trunks.h"

namespace pbx {

class Connections {
 public:
  Connections(CurrentSettings& settings, Registrar& registrar, Trunks& trunks, Bans& bans, Events& events)
      : settings_(settings), registrar_(registrar), trunks_(trunks), bans_(bans), events_(events) {}

  // Stands before the listeners; to be called before they are opened. The object must outlive PJSIP.
  void install();
  // A whole request came, over any transport.
  void heard(const pjsip_rx_data* request);
  // The sender is known: a trunk, or a phone that proved itself.
  void proven(const pjsip_rx_data* request);
  // Ends connections whose time is up; reports to the daemon what was refused (event `refused`).
  void sweep(int64_t now);

  // Called from where PJLIB accepts and closes sockets.
  bool admit(pj_sock_t socket, const pj_sockaddr_t* from);
  void closed(pj_sock_t socket);

 private:
  struct Connection {
    std::string ip, key;  // key: both ends, `remote ip:port>local port`
    int64_t since = 0;
    bool known = false, heard = false, ended = false;
  };
  Connection* of(const pjsip_rx_data* request);  // mutex_ is held
  // All three: mutex_ is held.
  void end(pj_sock_t socket, Connection& connection, const char* reason);
  // Makes room for a stranger: a connection that has said nothing gives way first, the oldest of them. false: none may be
  // closed.
  bool evict(int64_t now);
  void refuse(const char* reason, const std::string& ip);

  CurrentSettings& settings_;
  Registrar& registrar_;
  Trunks& trunks_;
  Bans& bans_;
  Events& events_;
  std::mutex mutex_;
  std::unordered_map<pj_sock_t, Connection> open_;
  std::unordered_map<std::string, pj_sock_t> byKey_;
  std::unordered_map<std::string, unsigned> byIp_;
  unsigned strangers_ = 0;
  std::map<std::string, unsigned> refused_;  // reason -> count since the last report
  std::string refusedLast_;
  int64_t tellAt_ = 0;
};

}  // namespace pbx

#include "network_watch.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace pbx {

namespace {

// A change is acted on after so much quiet, and in an unquiet network now and then all the same.
constexpr int64_t quietMs = 1000, settledByMs = 5000;
constexpr int64_t namesEveryMs = 1000, doubtEveryMs = 5000;

// The lines that name the servers; a DHCP client rewrites its comments at each renewal.
std::string nameServers() {
  std::ifstream file("/etc/resolv.conf");
  std::ostringstream lines;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("nameserver", 0) == 0 || line.rfind("options", 0) == 0 || line.rfind("search", 0) == 0) lines << line << '\n';
  }
  return lines.str();
}

}  // namespace

NetworkWatch::NetworkWatch() : names_(nameServers()) {
  socket_ = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  sockaddr_nl groups{};
  groups.nl_family = AF_NETLINK;
  groups.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (socket_ >= 0 && bind(socket_, reinterpret_cast<sockaddr*>(&groups), sizeof groups) == 0) return;
  fault_ = std::strerror(errno);
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

NetworkWatch::~NetworkWatch() {
  if (socket_ >= 0) close(socket_);
}

// The content of the messages does not matter: the routes are read again. ENOBUFS means that messages were lost for want of
// room.
bool NetworkWatch::heard() {
  bool any = false;
  char buffer[8192];
  for (int i = 0; socket_ >= 0 && i < 1000; i++) {
    const ssize_t size = recv(socket_, buffer, sizeof buffer, MSG_TRUNC);
    if (size < 0 && errno != ENOBUFS && errno != EINTR) break;
    any = true;
  }
  return any;
}

bool NetworkWatch::namesChanged(int64_t now) {
  if (now < nextNames_) return false;
  nextNames_ = now + namesEveryMs;
  std::string names = nameServers();
  // A file that is just being written, or a link that is down: nothing to ask, nothing to change to.
  if (names.empty() || names == names_) return false;
  names_ = std::move(names);
  return true;
}

NetworkWatch::Change NetworkWatch::sweep(int64_t now) {
  Change change;
  change.names = namesChanged(now);
  if (heard()) {
    if (firstHeard_ == 0) firstHeard_ = now;
    lastHeard_ = now;
  }
  if (firstHeard_ != 0 && (now - lastHeard_ >= quietMs || now - firstHeard_ >= settledByMs)) {
    change.routes = true;
    firstHeard_ = 0;
  }
  if (socket_ < 0 && now >= nextDoubt_) {
    change.routes = nextDoubt_ != 0;
    nextDoubt_ = now + doubtEveryMs;
  }
  return change;
}

}  // namespace pbx

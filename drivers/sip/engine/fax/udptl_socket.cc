#include "udptl_socket.h"

#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "udptl.h"

namespace pbx {

namespace {

constexpr unsigned datagramsPerTick = 64;  // more than a far end at full speed sends in a second

socklen_t fill(const SocketAddress& address, int family, sockaddr_storage& into) {
  into = {};
  into.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&into);
    v4->sin_port = htons(address.port);
    std::memcpy(&v4->sin_addr, address.ip.data() + 12, 4);
    return sizeof *v4;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&into);
  v6->sin6_port = htons(address.port);
  std::memcpy(&v6->sin6_addr, address.ip.data(), 16);
  return sizeof *v6;
}

// -1: the socket could not be opened; errno says why.
int openSocket(int family, unsigned port) {
  const int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (family == AF_INET6) {
    const int off = 0;
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  SocketAddress any;
  any.port = static_cast<uint16_t>(port);
  sockaddr_storage at;
  const socklen_t size = fill(any, family, at);
  if (bind(fd, reinterpret_cast<sockaddr*>(&at), size) == 0) return fd;
  const int why = errno;
  close(fd);
  errno = why;
  return -1;
}

}  // namespace

std::unique_ptr<UdptlSocket> UdptlSocket::open(std::shared_ptr<RtpPorts> ports, std::shared_ptr<ForeignPackets> foreign, bool ipv6) {
  int family = ipv6 ? AF_INET6 : AF_INET;
  uint16_t port = 0;
  for (unsigned tries = 0; tries < ports->size(); tries++) {
    port = ports->next(port);
    int fd = openSocket(family, port);
    if (fd < 0 && family == AF_INET6 && errno != EADDRINUSE) {
      family = AF_INET;
      fd = openSocket(family, port);
    }
    if (fd >= 0) return std::unique_ptr<UdptlSocket>(new UdptlSocket(std::move(ports), fd, family, port, std::move(foreign)));
  }
  ports->release(port);
  return nullptr;
}

UdptlSocket::~UdptlSocket() {
  close(fd_);
  ports_->release(port_);
}

bool UdptlSocket::connect(const std::string& host, unsigned port, std::vector<IpRange> trusted) {
  SocketAddress remote;
  if (!SocketAddress::parse(host, port, remote)) return false;
  std::lock_guard lock(mutex_);
  rule_.trust(std::move(trusted));
  rule_.describe(remote, SourceRule::clock());
  connected_ = true;
  return true;
}

void UdptlSocket::send(std::span<const uint8_t> datagram) {
  std::lock_guard lock(mutex_);
  if (!connected_) return;
  sockaddr_storage to;
  const socklen_t size = fill(rule_.current(), family_, to);
  sendto(fd_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&to), size);
}

bool UdptlSocket::accepts(const SocketAddress& from, std::span<const uint8_t> datagram) {
  std::lock_guard lock(mutex_);
  const int64_t now = SourceRule::clock();
  if (connected_ && rule_.known(from, now)) return true;
  if (connected_ && isUdptl(datagram) && rule_.mayLearn(from, now)) {
    rule_.learn(from, now);
    return true;
  }
  if (connected_ && foreign_) foreign_->add(from);
  return false;
}

void UdptlSocket::receive(const std::function<void(std::span<const uint8_t>)>& each) {
  uint8_t buffer[2048];
  for (unsigned n = 0; n < datagramsPerTick; n++) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const ssize_t got = recvfrom(fd_, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0) return;
    const std::span<const uint8_t> datagram(buffer, static_cast<size_t>(got));
    if (accepts(SocketAddress::of(reinterpret_cast<const sockaddr*>(&from)), datagram)) each(datagram);
  }
}

}  // namespace pbx

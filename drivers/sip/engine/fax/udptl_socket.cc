#include "udptl_socket.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>

namespace pbx {

namespace {

constexpr unsigned datagramsPerTick = 64;  // more than a far end at full speed sends in a second

// An IPv4 address in the form the kernel gives it on a socket of both families.
bool parse(const std::string& host, in6_addr& address) {
  if (inet_pton(AF_INET6, host.c_str(), &address) == 1) return true;
  return inet_pton(AF_INET6, ("::ffff:" + host).c_str(), &address) == 1;
}

int openSocket(unsigned port) {
  const int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int off = 0;
  setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(static_cast<uint16_t>(port));
  if (bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

std::unique_ptr<UdptlSocket> UdptlSocket::open(unsigned first, unsigned last) {
  std::random_device random;
  for (int tries = 0; tries < 200 && last >= first; tries++) {
    const unsigned port = first + random() % (last - first + 1);
    const int fd = openSocket(port);
    if (fd >= 0) return std::unique_ptr<UdptlSocket>(new UdptlSocket(fd, port));
  }
  return nullptr;
}

UdptlSocket::~UdptlSocket() {
  close(fd_);
}

bool UdptlSocket::connect(const std::string& host, unsigned port, const std::string& signalling) {
  std::lock_guard lock(mutex_);
  sockaddr_in6 remote{};
  remote.sin6_family = AF_INET6;
  remote.sin6_port = htons(static_cast<uint16_t>(port));
  if (!parse(host, remote.sin6_addr)) return false;
  remote_ = remote;
  if (signalling.empty() || !parse(signalling, signalling_)) signalling_ = remote.sin6_addr;
  connected_ = true;
  return true;
}

void UdptlSocket::send(std::span<const uint8_t> datagram) {
  std::lock_guard lock(mutex_);
  if (connected_) sendto(fd_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&remote_), sizeof remote_);
}

void UdptlSocket::receive(const std::function<void(std::span<const uint8_t>)>& each) {
  uint8_t buffer[2048];
  for (unsigned n = 0; n < datagramsPerTick; n++) {
    sockaddr_in6 from{};
    socklen_t size = sizeof from;
    const ssize_t got = recvfrom(fd_, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0) return;
    {
      std::lock_guard lock(mutex_);
      const bool known = std::memcmp(&from.sin6_addr, &remote_.sin6_addr, sizeof from.sin6_addr) == 0;
      if (!connected_ || (!known && std::memcmp(&from.sin6_addr, &signalling_, sizeof from.sin6_addr) != 0)) continue;
      remote_ = from;
    }
    each({buffer, static_cast<size_t>(got)});
  }
}

}  // namespace pbx

// UDP ends of the fuzzer, each an address of its own to the engine.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace fuzz {

struct Socket {
  int fd = -1;
  std::string ip, via;
  explicit Socket(const std::string& address) : ip(address) {
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    inet_pton(AF_INET, ip.c_str(), &own.sin_addr);
    socklen_t size = sizeof own;
    if (bind(fd, reinterpret_cast<sockaddr*>(&own), size) != 0 || getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0) throw std::runtime_error("cannot bind " + ip);
    via = ip + ":" + std::to_string(ntohs(own.sin_port));
  }
  ~Socket() { close(fd); }
};

inline sockaddr_in addressOf(uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  return to;
}

}  // namespace fuzz

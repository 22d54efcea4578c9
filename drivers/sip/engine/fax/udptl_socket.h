// The UDP socket of one T.38 call. Takes datagrams only from where the far end says it is, or where its signalling comes
// from; answers to the port they really come from, as a far end behind NAT needs it.
#pragma once
#include <netinet/in.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace pbx {

class UdptlSocket {
 public:
  // A free port of the range, found by trying; null when there is none.
  static std::unique_ptr<UdptlSocket> open(unsigned first, unsigned last);
  ~UdptlSocket();
  UdptlSocket(const UdptlSocket&) = delete;
  UdptlSocket& operator=(const UdptlSocket&) = delete;

  unsigned port() const { return port_; }
  // IP addresses; `signalling` may be "". Any thread. false: not an address.
  bool connect(const std::string& host, unsigned port, const std::string& signalling);
  void send(std::span<const uint8_t> datagram);
  // All that has arrived. Never waits.
  void receive(const std::function<void(std::span<const uint8_t>)>& each);

 private:
  UdptlSocket(int fd, unsigned port) : fd_(fd), port_(port) {}
  const int fd_;
  const unsigned port_;
  std::mutex mutex_;
  sockaddr_in6 remote_{};
  in6_addr signalling_{};
  bool connected_ = false;
};

}  // namespace pbx

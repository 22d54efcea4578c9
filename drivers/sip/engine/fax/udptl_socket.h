// The UDP socket of one T.38 call. Takes datagrams only from where the far end says it is, or from a source that the rule of
// media/source_rule.h allows and that speaks UDPTL; answers to where they really come from, as a far end behind NAT needs it.
#pragma once
#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "../media/rtp_ports.h"
#include "../media/source_rule.h"

namespace pbx {

class UdptlSocket {
 public:
  // At a port of `ports`; null when there is none. The port after it stays free: where a far end takes this
  // for RTP, its RTCP goes there. `foreign` may be null. Of both families, or of IPv4 where there is no IPv6.
  static std::unique_ptr<UdptlSocket> open(std::shared_ptr<RtpPorts> ports, std::shared_ptr<ForeignPackets> foreign, bool ipv6 = true);
  ~UdptlSocket();
  UdptlSocket(const UdptlSocket&) = delete;
  UdptlSocket& operator=(const UdptlSocket&) = delete;

  unsigned port() const { return port_; }
  // An IP address; `trusted`: addresses that may be learnt in addition. Any thread. The same address again changes nothing.
  // false: not an address.
  bool connect(const std::string& host, unsigned port, std::vector<IpRange> trusted);
  void send(std::span<const uint8_t> datagram);
  // All that has arrived. Never waits.
  void receive(const std::function<void(std::span<const uint8_t>)>& each);

 private:
  UdptlSocket(std::shared_ptr<RtpPorts> ports, int fd, int family, uint16_t port, std::shared_ptr<ForeignPackets> foreign)
      : ports_(std::move(ports)), fd_(fd), family_(family), port_(port), foreign_(std::move(foreign)) {}
  bool accepts(const SocketAddress& from, std::span<const uint8_t> datagram);
  const std::shared_ptr<RtpPorts> ports_;
  const int fd_;
  const int family_;
  const uint16_t port_;
  const std::shared_ptr<ForeignPackets> foreign_;
  std::mutex mutex_;
  SourceRule rule_;
  bool connected_ = false;
};

}  // namespace pbx

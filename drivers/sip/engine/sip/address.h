// IP addresses and networks as written in configuration and in SIP messages.
#pragma once
#include <netinet/in.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../media/source_rule.h"

namespace pbx {

struct HostPort {
  std::string host;
  unsigned port = 0;  // 0: not given
};

// "host", "host:port", "[v6]:port".
HostPort splitHostPort(std::string_view text);
std::string joinHostPort(std::string_view host, unsigned port);
bool isIpLiteral(const std::string& host);
// Whether no machine that can be reached from here is meant by a host that is named by who sends from that address: 0.0.0.0, a private address of one that
// has a public one, its own loopback, a name under ".invalid".
bool isNobody(const std::string& host, const std::string& source);
// What one sender has to itself: an IPv4 address, the network of 64 bits of an IPv6 address ("2001:db8:1:2::/64").
std::string sourceKey(const std::string& ip);

// One network in CIDR notation; a bare address is a network of one.
class Network {
 public:
  static std::optional<Network> parse(std::string_view text);
  bool contains(const std::string& ip) const;
  IpRange range() const;

 private:
  int family_ = AF_INET;
  unsigned bits_ = 0;
  unsigned char bytes_[16] = {};
};

bool anyContains(const std::vector<Network>& networks, const std::string& ip);
// The local address the kernel would use to reach `ip`, "" when there is none.
std::string localAddressFor(const std::string& ip);

}  // namespace pbx

#include "address.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace pbx {

namespace {

unsigned number(std::string_view text, unsigned fallback) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? value : fallback;
}

}  // namespace

HostPort splitHostPort(std::string_view text) {
  if (!text.empty() && text.front() == '[') {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return {std::string(text), 0};
    const unsigned port = close + 1 < text.size() && text[close + 1] == ':' ? number(text.substr(close + 2), 0) : 0;
    return {std::string(text.substr(1, close - 1)), port};
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find(':') != colon) return {std::string(text), 0};
  return {std::string(text.substr(0, colon)), number(text.substr(colon + 1), 0)};
}

std::string joinHostPort(std::string_view host, unsigned port) {
  std::string joined = host.find(':') == std::string_view::npos ? std::string(host) : "[" + std::string(host) + "]";
  if (port != 0) joined += ":" + std::to_string(port);
  return joined;
}

bool isIpLiteral(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool isNobody(const std::string& host, const std::string& source) {
  const auto within = [](const std::string& ip, std::initializer_list<const char*> networks) {
    return std::any_of(networks.begin(), networks.end(), [&](const char* network) { return Network::parse(network)->contains(ip); });
  };
  const auto isLoopback = [&](const std::string& ip) { return within(ip, {"127.0.0.0/8", "::1/128"}); };
  // Of one house, or of the network of one provider.
  const auto isPrivate = [&](const std::string& ip) {
    return isLoopback(ip) || within(ip, {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "fc00::/7", "fe80::/10"});
  };
  const std::string_view reserved = ".invalid";
  if (!isIpLiteral(host)) return host.size() > reserved.size() && host.compare(host.size() - reserved.size(), reserved.size(), reserved) == 0;
  return host == "0.0.0.0" || host == "::" || (isLoopback(host) && !isLoopback(source)) || (isPrivate(host) && !isPrivate(source));
}

std::string sourceKey(const std::string& ip) {
  unsigned char bytes[16];
  if (inet_pton(AF_INET6, ip.c_str(), bytes) != 1) return ip;
  char text[INET6_ADDRSTRLEN] = "";
  static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::memcmp(bytes, mapped, sizeof mapped) == 0) {
    inet_ntop(AF_INET, bytes + 12, text, sizeof text);
    return text;
  }
  std::memset(bytes + 8, 0, 8);
  inet_ntop(AF_INET6, bytes, text, sizeof text);
  return std::string(text) + "/64";
}

std::optional<Network> Network::parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string ip(text.substr(0, slash));
  Network network;
  if (inet_pton(AF_INET, ip.c_str(), network.bytes_) == 1) {
    network.family_ = AF_INET;
  } else if (inet_pton(AF_INET6, ip.c_str(), network.bytes_) == 1) {
    network.family_ = AF_INET6;
  } else {
    return std::nullopt;
  }
  const unsigned most = network.family_ == AF_INET ? 32 : 128;
  network.bits_ = slash == std::string_view::npos ? most : number(text.substr(slash + 1), most + 1);
  if (network.bits_ > most) return std::nullopt;
  return network;
}

bool Network::contains(const std::string& ip) const {
  unsigned char other[16];
  if (inet_pton(family_, ip.c_str(), other) != 1) return false;
  const unsigned whole = bits_ / 8;
  if (std::memcmp(bytes_, other, whole) != 0) return false;
  const unsigned rest = bits_ % 8;
  if (rest == 0) return true;
  const unsigned mask = 0xFFu << (8 - rest) & 0xFFu;
  return (bytes_[whole] & mask) == (other[whole] & mask);
}

IpRange Network::range() const {
  IpRange range;
  if (family_ == AF_INET) {
    range.ip[10] = range.ip[11] = 0xFF;
    std::memcpy(range.ip.data() + 12, bytes_, 4);
    range.bits = 96 + bits_;
  } else {
    std::memcpy(range.ip.data(), bytes_, 16);
    range.bits = bits_;
  }
  return range;
}

bool anyContains(const std::vector<Network>& networks, const std::string& ip) {
  return std::any_of(networks.begin(), networks.end(), [&](const Network& network) { return network.contains(ip); });
}

std::string localAddressFor(const std::string& ip) {
  sockaddr_storage peer{};
  socklen_t length = 0;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&peer);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&peer);
  if (inet_pton(AF_INET, ip.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(9);
    length = sizeof *v4;
  } else if (inet_pton(AF_INET6, ip.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(9);
    length = sizeof *v6;
  } else {
    return "";
  }
  // Connecting a datagram socket sends nothing; it only asks the routing table.
  const int fd = socket(peer.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  std::string address;
  sockaddr_storage own{};
  socklen_t ownLength = sizeof own;
  if (connect(fd, reinterpret_cast<sockaddr*>(&peer), length) == 0 && getsockname(fd, reinterpret_cast<sockaddr*>(&own), &ownLength) == 0) {
    char buffer[INET6_ADDRSTRLEN] = "";
    const void* bytes = own.ss_family == AF_INET ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(&own)->sin_addr)
                                                 : static_cast<const void*>(&reinterpret_cast<sockaddr_in6*>(&own)->sin6_addr);
    if (inet_ntop(own.ss_family, bytes, buffer, sizeof buffer) != nullptr) address = buffer;
  }
  close(fd);
  return address;
}

}  // namespace pbx

#include "source_rule.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace pbx {

namespace {

std::atomic<uint64_t> foreignOfAll{0};

void mapV4(const void* address, IpBytes& ip) {
  ip = {};
  ip[10] = ip[11] = 0xFF;
  std::memcpy(ip.data() + 12, address, 4);
}

}  // namespace

SocketAddress SocketAddress::of(const sockaddr* address) {
  SocketAddress result;
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    mapV4(&v4->sin_addr, result.ip);
    result.port = ntohs(v4->sin_port);
  } else if (address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    std::memcpy(result.ip.data(), &v6->sin6_addr, 16);
    result.port = ntohs(v6->sin6_port);
  }
  return result;
}

bool SocketAddress::parse(const std::string& host, unsigned port, SocketAddress& into) {
  in_addr v4{};
  SocketAddress result;
  result.port = static_cast<uint16_t>(port);
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    mapV4(&v4, result.ip);
  } else if (inet_pton(AF_INET6, host.c_str(), result.ip.data()) != 1) {
    return false;
  }
  into = result;
  return true;
}

std::string SocketAddress::text() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  in6_addr address{};
  std::memcpy(&address, ip.data(), 16);
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    inet_ntop(AF_INET, ip.data() + 12, buffer, sizeof buffer);
    return std::string(buffer) + ":" + std::to_string(port);
  }
  inet_ntop(AF_INET6, ip.data(), buffer, sizeof buffer);
  return "[" + std::string(buffer) + "]:" + std::to_string(port);
}

bool IpRange::contains(const IpBytes& other) const {
  const unsigned whole = bits / 8, rest = bits % 8;
  if (std::memcmp(ip.data(), other.data(), whole) != 0) return false;
  if (rest == 0) return true;
  const unsigned mask = 0xFFu << (8 - rest) & 0xFFu;
  return (ip[whole] & mask) == (other[whole] & mask);
}

void ForeignPackets::add(const SocketAddress& from) {
  uint64_t half = 0;
  std::memcpy(&half, from.ip.data(), 8);
  high_.store(half, std::memory_order_relaxed);
  std::memcpy(&half, from.ip.data() + 8, 8);
  low_.store(half, std::memory_order_relaxed);
  port_.store(from.port, std::memory_order_relaxed);
  count_++;
  foreignOfAll++;
}

SocketAddress ForeignPackets::from() const {
  SocketAddress result;
  const uint64_t high = high_, low = low_;
  std::memcpy(result.ip.data(), &high, 8);
  std::memcpy(result.ip.data() + 8, &low, 8);
  result.port = port_;
  return result;
}

uint64_t ForeignPackets::total() {
  return foreignOfAll;
}

int64_t SourceRule::clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SourceRule::describe(const SocketAddress& said, int64_t now) {
  if (heardAt_ != 0 && said == said_) return;
  former_ = current_;
  said_ = current_ = said;
  heardAt_ = now;
  settled_ = false;
  learnUntil_ = now + learnMs;
}

void SourceRule::trust(std::vector<IpRange> ranges) {
  std::lock_guard lock(mutex_);
  trusted_ = std::move(ranges);
}

bool SourceRule::known(const SocketAddress& from, int64_t now) {
  if (!(from == current_) && !(from == said_)) return false;
  current_ = from;
  heardAt_ = now;
  settled_ = true;
  return true;
}

bool SourceRule::mayLearn(const SocketAddress& from, int64_t now) const {
  // What the far end has left behind is still on its way when a new description comes.
  const bool early = !settled_ && now < learnUntil_ && !(from == former_);
  if (!early && now - heardAt_ < silentMs) return false;
  if (from.ip == said_.ip) return true;
  std::lock_guard lock(mutex_);
  return std::any_of(trusted_.begin(), trusted_.end(), [&](const IpRange& range) { return range.contains(from.ip); });
}

void SourceRule::learn(const SocketAddress& from, int64_t now) {
  current_ = from;
  heardAt_ = now;
  settled_ = true;
}

}  // namespace pbx

// From whom the datagrams of a call are taken: RTP, RTCP and UDPTL follow one rule. A call belongs to the address its
// session description names. Any other source that may speak for it (a far end behind NAT, a gateway that sends from another
// port) is learnt once, shortly after the answer, and only where its IP address is known by other means. Everybody else is
// foreign: audio of theirs would be heard, and ours be sent to them.
#pragma once
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace pbx {

// IPv4 in the mapped form ::ffff:a.b.c.d.
using IpBytes = std::array<uint8_t, 16>;

struct SocketAddress {
  IpBytes ip{};
  uint16_t port = 0;
  bool operator==(const SocketAddress&) const = default;
  static SocketAddress of(const sockaddr* address);
  // false: `host` is no IP address.
  static bool parse(const std::string& host, unsigned port, SocketAddress& into);
  std::string text() const;
};

struct IpRange {
  IpBytes ip{};
  unsigned bits = 128;
  bool contains(const IpBytes& other) const;
};

// What was refused on one call, by any of its sockets. No lock: written where packets are received.
class ForeignPackets {
 public:
  void add(const SocketAddress& from);
  uint32_t count() const { return count_; }
  // The newest source; use it only for messages to people.
  SocketAddress from() const;
  // Of all calls of this process.
  static uint64_t total();

 private:
  std::atomic<uint32_t> count_{0};
  std::atomic<uint64_t> high_{0}, low_{0};
  std::atomic<uint16_t> port_{0};
};

// Times are milliseconds of a clock that only goes forward.
class SourceRule {
 public:
  static constexpr int64_t learnMs = 2000;   // after the answer or a new description
  static constexpr int64_t silentMs = 5000;  // of the source in use, after which it may be replaced
  static int64_t clock();

  // The session description names this address. The same address again changes nothing; another address restarts the
  // learning. Not while judge() runs.
  void describe(const SocketAddress& said, int64_t now);
  // Whose packets may be learnt from, besides the described IP address: the signalling's source, a trunk's addresses. Any
  // thread.
  void trust(std::vector<IpRange> ranges);
  // The call is answered: the time for learning runs from here. Any thread.
  void answered(int64_t now) { learnUntil_ = now + learnMs; }

  // The packet comes from the source in use, or from the described one, which is in use from then on.
  bool known(const SocketAddress& from, int64_t now);
  // An unknown source may be taken, if what it sends makes sense: then learn() it.
  bool mayLearn(const SocketAddress& from, int64_t now) const;
  void learn(const SocketAddress& from, int64_t now);
  // Where the far end is.
  const SocketAddress& current() const { return current_; }

 private:
  SocketAddress said_, current_, former_;
  int64_t heardAt_ = 0;
  bool settled_ = false;  // heard from the described address, or learnt
  std::atomic<int64_t> learnUntil_{0};
  mutable std::mutex mutex_;  // of the next; never taken for packets of a known source
  std::vector<IpRange> trusted_;
};

}  // namespace pbx

// Whose datagrams belong to a call: the rule in virtual time, and UDPTL's socket by it.
#include "../fax/udptl.h"
#include "../fax/udptl_socket.h"
#include "../media/source_rule.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include "check.h"

namespace {

using Bytes = std::vector<uint8_t>;

pbx::SocketAddress at(const char* host, unsigned port) {
  pbx::SocketAddress address;
  CHECK(pbx::SocketAddress::parse(host, port, address));
  return address;
}

pbx::IpRange range(const char* host, unsigned bits) {
  return {at(host, 0).ip, bits};
}

// As the users of the rule do: a known source, or one that may be learnt.
bool takes(pbx::SourceRule& rule, const pbx::SocketAddress& from, int64_t now) {
  if (rule.known(from, now)) return true;
  if (!rule.mayLearn(from, now)) return false;
  rule.learn(from, now);
  return true;
}

struct Peer {
  int fd;
  explicit Peer(const char* host) : fd(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    inet_pton(AF_INET, host, &own.sin_addr);
    CHECK(bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
  }
  ~Peer() { close(fd); }
  unsigned port() const {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
    return ntohs(own.sin_port);
  }
  void send(const Bytes& bytes, unsigned port) const {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    sendto(fd, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
  }
  bool hears() const {
    uint8_t buffer[100];
    return recv(fd, buffer, sizeof buffer, 0) > 0;
  }
};

}  // namespace

TEST("source rule: learnt once, early, and only from who is known otherwise") {
  pbx::SourceRule rule;
  rule.trust({range("192.0.2.1", 128), range("198.51.100.0", 96 + 24)});
  rule.describe(at("10.0.0.5", 4000), 1000);
  CHECK(!takes(rule, at("203.0.113.9", 4000), 1100));
  CHECK(takes(rule, at("192.0.2.1", 30000), 1200));
  CHECK(rule.current() == at("192.0.2.1", 30000));
  CHECK(!takes(rule, at("192.0.2.1", 30002), 1300));     // once
  CHECK(!takes(rule, at("198.51.100.7", 5000), 1300));
  CHECK(takes(rule, at("10.0.0.5", 4000), 1400));        // the described one always
  CHECK(!takes(rule, at("192.0.2.1", 30000), 1500));
}

TEST("source rule: not after 2 s, unless the source is silent for 5 s or the call was answered later") {
  pbx::SourceRule rule;
  rule.trust({range("192.0.2.1", 128)});
  rule.describe(at("10.0.0.5", 4000), 1000);
  CHECK(!takes(rule, at("192.0.2.1", 30000), 3000));
  rule.answered(4000);
  CHECK(takes(rule, at("192.0.2.1", 30000), 4100));
  CHECK(!takes(rule, at("192.0.2.1", 30002), 9099));
  CHECK(takes(rule, at("192.0.2.1", 30002), 9100));
  CHECK(!takes(rule, at("192.0.2.1", 30000), 9200));
  CHECK(!takes(rule, at("203.0.113.9", 1), 60000));
}

TEST("source rule: a new description begins anew and does not learn what was left; the same one changes nothing") {
  pbx::SourceRule rule;
  rule.trust({range("192.0.2.1", 128)});
  rule.describe(at("10.0.0.5", 4000), 1000);
  CHECK(takes(rule, at("192.0.2.1", 30000), 1100));
  rule.describe(at("10.0.0.5", 4000), 2000);
  CHECK(rule.current() == at("192.0.2.1", 30000));
  rule.describe(at("10.0.0.6", 4000), 3000);
  CHECK(!takes(rule, at("192.0.2.1", 30000), 3100));
  CHECK(takes(rule, at("192.0.2.1", 30004), 3100));
}

TEST("udptl: what may teach an address is whole UDPTL and never RTP or RTCP") {
  pbx::UdptlSender sender(400);
  for (int i = 0; i < 5; i++) CHECK(pbx::isUdptl(sender.wrap(Bytes(i == 3 ? 200 : 3, 7))));
  const Bytes parity = {0, 1, 1, 0x10, 0x80, 1, 3, 2, 1, 0xAA, 1, 0xBB};
  CHECK(pbx::isUdptl(parity));
  CHECK(!pbx::isUdptl(Bytes{0x81, 0xC9, 0, 7, 0, 0, 0, 1}));
  CHECK(!pbx::isUdptl(Bytes(172, 0x80)));
  CHECK(!pbx::isUdptl(Bytes{'j', 'u', 'n', 'k'}));
  CHECK(!pbx::isUdptl({}));
}

TEST("udptl socket: even ports, junk diverts nothing, and without IPv6 it is an IPv4 socket") {
  for (const bool ipv6 : {true, false}) {
    auto foreign = std::make_shared<pbx::ForeignPackets>();
    auto ports = std::make_shared<pbx::RtpPorts>();
    ports->open(21001, 21999);
    auto socket = pbx::UdptlSocket::open(ports, foreign, ipv6);
    CHECK(socket != nullptr && socket->port() % 2 == 0);
    Peer far("127.0.0.1"), other("127.0.0.1"), stranger("127.0.0.66");
    CHECK(socket->connect("127.0.0.1", far.port(), {}));
    const Bytes good = pbx::UdptlSender(400).wrap(Bytes(3, 1));
    unsigned heard = 0;
    const auto count = [&] { socket->receive([&](std::span<const uint8_t>) { heard++; }); };
    other.send({'j', 'u', 'n', 'k'}, socket->port());
    stranger.send(good, socket->port());
    count();
    socket->send(good);
    CHECK_SAME(heard, 0u);
    CHECK(far.hears() && !other.hears() && !stranger.hears());
    CHECK_SAME(foreign->count(), 2u);
    other.send(good, socket->port());  // the same host from another port, early: behind NAT
    count();
    socket->send(good);
    CHECK_SAME(heard, 1u);
    CHECK(other.hears());
  }
}

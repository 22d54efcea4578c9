// In which order calls get the ports of sip.rtpPorts.
#include "../media/rtp_ports.h"

#include <set>
#include <vector>

#include "check.h"

namespace {

// Every port of it once, in the order in which they are given out.
std::vector<uint16_t> takeAll(pbx::RtpPorts& ports) {
  std::vector<uint16_t> taken;
  for (unsigned n = 0; n < ports.size(); n++) taken.push_back(ports.next());
  return taken;
}

}  // namespace

TEST("rtp ports: even ones whose next lies in the range, too, each once") {
  struct {
    unsigned first, last, lowest, highest, pairs;
  } const cases[] = {{10000, 10005, 10000, 10004, 3}, {10001, 10006, 10002, 10004, 2}, {10000, 10004, 10000, 10002, 2}, {65530, 65535, 65530, 65534, 3}};
  for (const auto& [first, last, lowest, highest, pairs] : cases) {
    pbx::RtpPorts ports;
    ports.open(first, last);
    const auto taken = takeAll(ports);
    const std::set<uint16_t> all(taken.begin(), taken.end());
    CHECK_SAME(all.size(), size_t{pairs});
    CHECK_SAME(unsigned{*all.begin()}, lowest);
    CHECK_SAME(unsigned{*all.rbegin()}, highest);
    for (const uint16_t port : all) CHECK(port % 2 == 0);
  }
}

TEST("rtp ports: the one that has been free longest comes first, however long its call was") {
  pbx::RtpPorts ports;
  ports.open(10000, 10019);
  const auto round = takeAll(ports);
  for (const size_t n : {7, 2, 9, 0, 1, 3, 4, 5, 6, 8}) ports.release(round[n]);
  for (const size_t n : {7, 2, 9, 0, 1}) CHECK_SAME(ports.next(), round[n]);
  ports.release(round[2]);  // given back just now: all others are before it
  for (const size_t n : {3, 4, 5, 6, 8, 2}) CHECK_SAME(ports.next(), round[n]);
}

TEST("rtp ports: what another program has is tried again last, and nothing is given back twice") {
  pbx::RtpPorts ports;
  ports.open(10000, 10005);
  const uint16_t foreign = ports.next();
  const uint16_t own = ports.next(foreign);
  CHECK(own != foreign);
  ports.release(own);
  ports.release(own);
  ports.release(5060);
  const uint16_t third = ports.next();
  CHECK(third != own && third != foreign);
  CHECK_SAME(ports.next(), foreign);
  CHECK_SAME(ports.next(), own);
}

TEST("rtp ports: where all are taken they are tried again, and a range of none has none") {
  pbx::RtpPorts ports;
  CHECK_SAME(ports.next(), uint16_t{0});
  ports.open(10000, 10003);
  const auto taken = takeAll(ports);
  const uint16_t again = ports.next();
  CHECK(again == taken[0] || again == taken[1]);
}

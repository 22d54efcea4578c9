// Session descriptions that offer T.38: read, turned into what PJSIP is shown and back, printed.
#include "../sip/t38_sdp.h"

#include "fax_cases.h"
#include "mutate.h"

namespace fuzz {

namespace {

pj_pool_factory* factory() {
  static pj_caching_pool pools;
  static const bool ready = [] {
    pj_log_set_level(0);
    pj_init();
    pj_caching_pool_init(&pools, nullptr, 0);
    return true;
  }();
  return ready ? &pools.factory : nullptr;
}

std::string offer(Random& random) {
  static const std::vector<std::string> lines = {
      "m=audio 4000 RTP/AVP 0 8\r\n", "m=image 4002 udptl t38\r\n", "m=image 4002 UDPTL t38\r\n", "m=image 0 udptl t38\r\n", "m=image 65535 tcp t38\r\n", "m=video 0 RTP/AVP 96\r\n",
      "m=image 4002/2 udptl t38 t38 x\r\n"};
  static const std::vector<std::string> attributes = {
      "a=T38FaxVersion:0\r\n", "a=T38FaxVersion:4294967299\r\n", "a=T38MaxBitRate:14400\r\n", "a=T38MaxBitRate:-1\r\n", "a=T38MaxBitRate\r\n", "a=T38FaxRateManagement:transferredTCF\r\n",
      "a=T38FaxMaxBuffer:2000\r\n", "a=T38FaxMaxDatagram:400\r\n", "a=T38FaxMaxDatagram:0\r\n", "a=T38FaxMaxDatagram:99999999999999999999\r\n", "a=T38FaxMaxDatagram:x\r\n",
      "a=T38FaxUdpEC:t38UDPFEC\r\n", "a=T38FaxFillBitRemoval\r\n", "a=sendrecv\r\n", "c=IN IP4 127.0.0.1\r\n", "c=IN IP6 ::1\r\n", "a=:\r\n"};
  std::string text = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\n";
  if (random.chance(0.8)) text += "c=IN IP4 127.0.0.1\r\n";
  text += "t=0 0\r\n";
  for (size_t i = random.below(random.chance(0.1) ? 40 : 4); i > 0; i--) {
    text += random.pick(lines);
    for (size_t n = random.below(random.chance(0.05) ? 100 : 6); n > 0; n--) text += random.pick(attributes);
  }
  return random.chance(0.6) ? mutateBytes(random, text) : text;
}

}  // namespace

CaseResult runSdpCase(uint64_t seed, uint64_t number) {
  CaseResult result;
  result.kind = "session descriptions";
  Random random(seed * 1'000'003 + number);
  for (int i = 0; i < 200; i++) {
    pj_pool_t* pool = pj_pool_create(factory(), "fuzz", 4000, 4000, nullptr);
    // A copy of its exact size, so that a reader that goes on is seen.
    const std::string text = offer(random);
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    text.copy(exact.get(), text.size());
    if (pjmedia_sdp_session* sdp = pbx::parseSdp(pool, {exact.get(), text.size()})) {
      const auto line = pbx::readT38(sdp);
      pbx::imageToAudio(pool, sdp, random.chance(0.5));
      pbx::printSdp(sdp);
      pbx::audioToImage(pool, sdp, 4000, line ? line->lines : std::vector<std::string>());
      pbx::printSdp(sdp);
    }
    pj_pool_release(pool);
  }
  return result;
}

}  // namespace fuzz

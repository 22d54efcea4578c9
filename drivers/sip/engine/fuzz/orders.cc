#include "orders.h"

#include <cstdint>

namespace fuzz {

using nlohmann::json;

namespace {

std::string u32(uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; i++) text += static_cast<char>(value >> (8 * i));
  return text;
}

json oddValue(Random& random) {
  switch (random.below(12)) {
    case 0: return nullptr;
    case 1: return -1;
    case 2: return 4294967296.0;
    case 3: return 1e300;
    case 4: return "";
    case 5: return std::string(1 + random.below(5000), 'x');
    case 6: return json::array({1, "a", nullptr});
    case 7: return json::object({{"a", 1}});
    case 8: return "\x01\r\n\"<>;@%00";
    case 9: return true;
    case 10: return static_cast<unsigned>(random.below(100000));
    default: return "sip:x@127.0.0.1:9;transport=tls";
  }
}

}  // namespace

json order(Random& random, unsigned leg, const std::string& folder) {
  const auto on = [&] { return random.chance(0.5); };
  switch (random.below(22)) {
    case 0: case 1: return {{"t", "answer"}, {"leg", leg}};
    case 2: return {{"t", on() ? "answer" : "take"}, {"leg", leg}};
    case 3: return {{"t", "progress"}, {"leg", leg}, {"code", on() ? 180 : 183}};
    case 4: return {{"t", "reject"}, {"leg", leg}, {"code", 400 + random.below(300)}, {"reason", random.token(5)}};
    case 5: return {{"t", "hangup"}, {"leg", leg}, {"cause", random.below(140)}};
    case 6: return {{"t", "play"}, {"leg", leg}, {"play", 1}, {"tone", {{"hz", {440}}, {"ms", 500}, {"dbm0", -10}}}};
    case 7: return {{"t", "hold"}, {"leg", leg}, {"on", on()}};
    case 8: return {{"t", "digits"}, {"leg", leg}, {"digits", "12#D"}, {"method", random.pick(std::vector<std::string>{"info", "rfc4733", "inband", ""})}};
    case 9: return {{"t", on() ? "refer" : "transfers"}, {"leg", leg}, {"to", "102"}, {"replaces", random.below(3)}, {"on", true}};
    case 10: return {{"t", "record"}, {"leg", leg}, {"record", random.below(20)}, {"file", folder + "/record-" + std::to_string(random.below(20)) + ".wav"}, {"maxMs", 1000}, {"channels", 1 + random.below(2)}};
    case 11: return {{"t", on() ? "tap" : "fork"}, {"leg", leg}, {"on", on()}, {"heard", on()}, {"said", on()}, {"heardWide", on()}, {"saidWide", on()}};
    case 12: return {{"t", "join"}, {"leg", leg}, {"bridge", 1 + random.below(3)}, {"hears", on()}, {"speaks", on()}};
    case 13: return {{"t", on() ? "leave" : "loopStop"}, {"leg", leg}};
    case 14: return {{"t", "listen"}, {"leg", leg}, {"on", on()}};
    case 15: return {{"t", "play"}, {"leg", leg}, {"play", 2}, {"clip", random.below(4)}, {"offsetMs", random.below(300)}, {"over", on()}};
    case 16: return {{"t", "play"}, {"leg", leg}, {"play", 3}, {"stream", true}, {"rate", on() ? 16000 : 8000}};
    case 17: return {{"t", "playEnd"}, {"leg", leg}, {"play", 3}};
    case 18: return {{"t", "recordStop"}, {"leg", leg}, {"record", random.below(20)}, {"trimMs", random.below(400)}};
    case 19: return {{"t", "loop"}, {"leg", leg}, {"clip", random.below(4)}};
    case 20: return {{"t", "referProgress"}, {"leg", leg}, {"refer", 1 + random.below(5)}, {"code", 100 + random.below(600)}};
    default: return {{"t", "clear"}, {"leg", leg}};
  }
}

json dialOrder(Random& random, unsigned leg) {
  json dial = {{"t", "dial"}, {"leg", leg}, {"to", "+15559990000"}, {"from", "+15550001000"}, {"callerName", "Clinic"}, {"timeout", 1 + random.below(5)}};
  dial[random.chance(0.8) ? "trunk" : "extension"] = random.chance(0.5) ? "main" : "101";
  if (random.chance(0.1)) dial[random.chance(0.5) ? "to" : "callerName"] = oddValue(random);
  return dial;
}

json oddOrder(Random& random, unsigned leg) {
  json odd = order(random, leg, "/nonexistent");
  std::vector<std::string> names;
  for (const auto& [name, value] : odd.items()) names.push_back(name);
  for (size_t i = 0, faults = 1 + random.below(3); i < faults; i++) {
    const std::string& name = random.pick(names);
    if (random.chance(0.3)) odd.erase(name);
    else odd[name] = oddValue(random);
  }
  if (random.chance(0.1)) odd["t"] = random.pick(std::vector<std::string>{"ping", "clipDrop", "hello", "unheard-of", "dial"});
  // A second greeting, or one of another version, ends the connection as it should.
  if (odd.value("t", json()) == "hello") odd["version"] = 2;
  return odd;
}

json configuration(const std::string& trunk) {
  return {{"t", "configure"}, {"udp", "127.0.0.1:0"}, {"tcp", "127.0.0.1:0"}, {"tls", nullptr}, {"rtpPorts", {30000, 34000}}, {"realm", "pbx"}, {"nameservers", json::array()}, {"inbandDigits", true}, {"mediaTimeoutSeconds", 10},
          {"phoneNetworks", {"127.0.0.3/32"}}, {"edges", {"127.0.0.5/32"}}, {"calls", 60}, {"emergencyNumbers", {"911"}}, {"ban", {{"failures", 1000000}, {"windowSeconds", 1}, {"seconds", 1}}},
          {"trunks", {{{"id", "main"}, {"server", trunk}, {"transport", "udp"}, {"username", "u"}, {"password", "p"}, {"register", true}, {"keepAliveSeconds", 2}, {"srtp", "optional"}, {"codecs", {"PCMU", "PCMA", "G722"}}}}},
          {"extensions", {{{"number", "101"}, {"password", "secret"}, {"name", "Phone"}, {"srtp", "auto"}, {"contacts", json::array()}}}}};
}

void oddLines(Random& random, json& configure) {
  static const std::vector<std::string> servers = {"127.0.0.1:9", "127.0.0.1", "[::1]:5060", "localhost", "no such host", "", ":", "127.0.0.1:99999", "999.1.1.1", "<>"};
  for (size_t i = 0, count = random.below(4); i < count; i++) {
    json trunk = {{"id", "extra" + std::to_string(random.below(5))}, {"server", random.pick(servers)}, {"transport", random.pick(std::vector<std::string>{"udp", "tcp", "tls", "x"})}, {"username", random.chance(0.3) ? "u;\"<" : "u"},
                  {"password", "p"}, {"register", random.chance(0.5)}, {"registerSeconds", random.below(100)}, {"keepAliveSeconds", random.below(3)}, {"srtp", "required"}};
    if (random.chance(0.3)) trunk["outboundProxy"] = random.pick(servers);
    if (random.chance(0.3)) trunk["allow"] = {"127.0.0.5/99", "::/0", oddValue(random)};
    if (random.chance(0.2)) trunk[random.pick(std::vector<std::string>{"id", "server", "username", "fromDomain"})] = oddValue(random);
    configure["trunks"].push_back(trunk);
  }
  if (random.chance(0.5)) configure["extensions"].push_back({{"number", oddValue(random)}, {"password", oddValue(random)}, {"contacts", {{{"uri", oddValue(random)}, {"transport", "udp"}, {"address", "127.0.0.3:9"}, {"expiresAt", 9e15}}}}});
  if (random.chance(0.3)) configure["ban"] = oddValue(random);
  if (random.chance(0.3)) configure["publicAddress"] = random.chance(0.5) ? json("127.0.0.9") : oddValue(random);
  if (random.chance(0.3)) configure["edges"] = {"127.0.0.5/32", oddValue(random)};
  if (random.chance(0.3)) configure["calls"] = random.chance(0.5) ? json(random.below(80)) : oddValue(random);
  if (random.chance(0.3)) configure["localNetworks"] = {"127.0.0.3/32", oddValue(random)};
}

std::string pcmPayload(Random& random, unsigned leg) {
  return u32(random.chance(0.5) ? static_cast<uint32_t>(random.below(4)) : leg) + u32(3) + std::string(2 * random.below(2000), static_cast<char>(random.below(256)));
}

std::string damagedFrames(Random& random) {
  std::string bytes;
  for (size_t i = 0, count = 1 + random.below(5); i < count; i++) {
    std::string payload = random.chance(0.5) ? oddOrder(random, 1).dump(-1, ' ', false, json::error_handler_t::replace) : random.token(random.below(200));
    if (random.chance(0.6)) payload = mutateBytes(random, payload);
    const uint32_t length = random.chance(0.8) ? static_cast<uint32_t>(payload.size() + 1) : random.pick(std::vector<uint32_t>{0, 1, 4, 16u << 20, (16u << 20) + 1, 0xFFFFFFFF});
    bytes += u32(length) + static_cast<char>(random.chance(0.8) ? 1 + random.below(4) : random.below(256)) + payload;
  }
  return bytes;
}

}  // namespace fuzz

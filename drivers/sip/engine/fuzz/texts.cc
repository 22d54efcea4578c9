#include "texts.h"

namespace fuzz {

using nlohmann::json;

namespace {

std::string bodyOf(Random& random) {
  switch (random.below(9)) {
    case 0: return "";
    case 1: return std::string("a\0b\0", 4) + random.token();
    case 2: return "\xff\xfe\xc3\x28\xed\xa0\x80\xf4\x90\x80\x80" + random.token();
    case 3: return std::string(random.below(8000), 'x');
    case 4: return std::string(4090 + random.below(12), '\xc3');
    case 5: return "--b\r\nContent-Type: text/plain\r\n\r\npart\r\n--b\r\nContent-Type: multipart/mixed;boundary=c\r\n\r\n--c\r\n\r\n--c--\r\n--b--\r\n";
    case 6: return "\r\n\r\nMESSAGE sip:x SIP/2.0\r\n\r\n";
    default: return "Hello " + random.token() + " \xf0\x9f\x98\x80";
  }
}

std::string typeOf(Random& random) {
  static const std::vector<std::string> types = {"text/plain", "text/plain",  "text/plain;charset=\"utf-8\"", "TEXT/PLAIN;Charset=US-ASCII;format=flowed", "text/plain;charset=utf-16", "text/plain;charset", "multipart/mixed;boundary=b", "multipart/mixed",
                                                 "message/cpim", "application/sdp", "text/", "*/*"};
  return random.pick(types);
}

}  // namespace

std::string textRequest(Random& random, const std::string& via, const std::string& server, const std::string& user) {
  const std::string body = bodyOf(random);
  std::string head = "MESSAGE " + random.pick(std::vector<std::string>{"sip:+15550001000@" + server, "sip:" + server, "tel:+15550001000", "sips:%00%ff@x"}) + " SIP/2.0\r\nVia: SIP/2.0/UDP " + via + ";rport;branch=z9hG4bK" + random.token(12) +
                     "\r\nMax-Forwards: 70\r\nFrom: <sip:" + user + "@" + via + ">;tag=" + random.token() + "\r\nTo: <sip:+15550001000@" + server + ">\r\nCall-ID: " + random.token(20) + "\r\nCSeq: " + std::to_string(1 + random.below(5)) + " MESSAGE\r\n";
  if (random.chance(0.2)) head += "Date: Sat, 13 Nov 2010 23:29:00 GMT\r\nP-Asserted-Identity: <tel:+15551234567>\r\n";
  if (random.chance(0.1)) head += "P-Asserted-Identity: " + std::string(random.below(3000), 'p') + "\r\nDate: " + std::string(random.below(3000), 'd') + "\r\n";
  if (random.chance(0.1)) head += "Content-Encoding: " + random.pick(std::vector<std::string>{"identity", "gzip", ""}) + "\r\n";
  if (random.chance(0.1)) head += "Expires: 4294967295\r\nSubject: " + std::string(random.below(2000), 's') + "\r\n";
  if (random.chance(0.95)) head += "Content-Type: " + typeOf(random) + "\r\n";
  const size_t length = random.chance(0.9) ? body.size() : random.pick(std::vector<size_t>{0, 1, 4097, 2147483647, 4294967295});
  return head + "Content-Length: " + std::to_string(length) + "\r\n\r\n" + body;
}

json textOrder(Random& random, unsigned id) {
  json order = {{"t", "textSend"}, {"id", id}, {"trunk", "main"}, {"to", "+15559990000"}, {"from", "+15550001000"}, {"body", "Hello " + random.token(random.below(1400))}};
  if (random.chance(0.2)) {
    static const std::vector<json> odd = {nullptr, -1, 1e300, "", std::string(5000, 'x'), std::string("a\0b", 3), "\r\nX: y\r\n\r\n", "<sip:a@b>;x=\"", json::array(), "\xc3\xbf%zz@@"};
    order[random.pick(std::vector<std::string>{"id", "trunk", "to", "from", "body"})] = random.pick(odd);
  }
  return order;
}

json textReply(Random& random, unsigned id) {
  static const std::vector<json> codes = {200, 200, 200, 503, 405, 0, 99, 700, 65536, "200", nullptr};
  return {{"t", "textReply"}, {"id", random.chance(0.9) ? id : static_cast<unsigned>(random.below(id + 5))}, {"code", random.pick(codes)}};
}

}  // namespace fuzz

#include "mutate.h"

#include <algorithm>

namespace fuzz {

namespace {

const std::vector<std::string> numbers = {"0", "-1", "1", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296", "99999999999999999999", "00000000000000000001", "1e9", "0x10", ""};
const std::vector<std::string> splinters = {"<", ">", "\"", "\\", ";", ",", "@", ":", "%", "%00", "%zz", "\r\n", "\r", "\n", "\r\n ", " ", "\t", "[", "[::1]", "]", "=", "/", "*", "sip:", "sips:", "tel:", ";lr", ";transport=tls", "\xff\xfe", "\xc3", "a=", "m=audio 1 RTP/AVP 0\r\n", "v=0\r\n", "()", "?x=y&z", "\"\"", "<<<>>>", "127.0.0.1", "::ffff:127.0.0.1"};
const std::vector<std::string> extraLines = {
    "Require: 100rel", "Require: x-unknown, timer", "Supported: 100rel, timer, replaces, norefersub", "Session-Expires: 0;refresher=uas", "Session-Expires: 90;refresher=uac",
    "Min-SE: 4294967295", "Replaces: a;to-tag=b;from-tag=c", "Replaces: ;;;", "RSeq: 1", "RAck: 1 1 INVITE", "Expires: 0", "Expires: -5", "Contact: *", "Contact: <sip:x@127.0.0.1:9>;expires=99999999999",
    "Contact: \"unterminated <sip:a@b>", "Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK;rport;received=1.2.3.4", "Via: SIP/2.0/UDP [::1]:65536;branch=", "Record-Route: <sip:127.0.0.1:9;lr>", "Record-Route: <tel:+1555>", "Record-Route: <x:>", "Route: <sip:127.0.0.1:9;lr>", "Route: <tel:+1555>", "Contact: <tel:+1555>", "Contact: <x:y>", "From: <x:y>;tag=1",
    "Route: <sip:" , "P-Asserted-Identity: <tel:+1555>", "P-Asserted-Identity: \"", "Diversion: <sip:", "Reason: Q.850;cause=999999", "Refer-To: <sip:x@127.0.0.1?Replaces=a%3Bto-tag%3Db>", "Refer-To: ", "Event: refer",
    "Subscription-State: terminated", "Content-Type: multipart/mixed;boundary=\"b\"", "Content-Type: multipart/mixed", "Content-Encoding: gzip", "Content-Length: 5", "Max-Forwards: 0", "Max-Forwards: -1",
    "Authorization: Digest username=\"101\", realm=\"pbx\", nonce=\"\", uri=\"\", response=\"\"", "Authorization: Digest", "Authorization: Basic x", "Proxy-Authenticate: Digest realm=\"a\",nonce=\"b\",algorithm=AKAv1-MD5,qop=\"auth,auth-int\"",
    "WWW-Authenticate: Digest realm=\"\\\"\",nonce=\"\"", "Date: x", "Timestamp: 1.2.3", "CSeq: 4294967295 INVITE", "CSeq: 1", "X-A: b", "x-" , ": novalue", "NoColon", "From: <sip:101@x>;tag=second", "Call-ID: "};

std::vector<size_t> lineStarts(const std::string& text) {
  std::vector<size_t> starts = {0};
  for (size_t at = text.find("\r\n"); at != std::string::npos; at = text.find("\r\n", at + 2)) starts.push_back(at + 2);
  return starts;
}

void damage(Random& random, std::string& text) {
  if (text.empty()) return;
  const size_t at = random.below(text.size());
  switch (random.below(12)) {
    case 0: text[at] = static_cast<char>(text[at] ^ (1 << random.below(8))); break;
    case 1: text[at] = static_cast<char>(random.below(256)); break;
    case 2: text.erase(at, 1 + random.below(20)); break;
    case 3: text.insert(at, random.pick(splinters)); break;
    case 4: text.insert(at, std::string(1 + random.below(random.chance(0.2) ? 3000 : 60), static_cast<char>('0' + random.below(75)))); break;
    case 5: {  // another number
      const size_t digit = text.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
      text.replace(digit, end - digit, random.pick(numbers));
      break;
    }
    case 6: {  // a line twice, or away, or elsewhere
      const auto starts = lineStarts(text);
      const size_t line = random.below(starts.size());
      const size_t end = line + 1 < starts.size() ? starts[line + 1] : text.size();
      const std::string copy = text.substr(starts[line], end - starts[line]);
      if (random.chance(0.5)) text.erase(starts[line], end - starts[line]);
      if (random.chance(0.6)) text.insert(std::min(random.pick(starts), text.size()), copy);
      break;
    }
    case 7:
    case 8: {  // a header or SDP line of another kind
      const auto starts = lineStarts(text);
      text.insert(starts.size() > 1 ? starts[1 + random.below(starts.size() - 1)] : 0, random.pick(extraLines) + "\r\n");
      break;
    }
    case 9: text.resize(at); break;
    case 10: {  // a piece again
      const std::string piece = text.substr(at, 1 + random.below(80));
      const size_t times = 1 + random.below(random.chance(0.1) ? 40 : 4);
      for (size_t i = 0; i < times; i++) text.insert(at, piece);
      break;
    }
    default: std::swap(text[at], text[random.below(text.size())]); break;
  }
}

}  // namespace

std::string Random::token(size_t size) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  for (size_t i = 0; i < size; i++) text += letters[below(sizeof letters - 1)];
  return text;
}

std::string withLength(const std::string& message) {
  const size_t end = message.find("\r\n\r\n");
  const size_t header = message.find("Content-Length:");
  if (end == std::string::npos || header == std::string::npos || header > end) return message;
  const size_t lineEnd = message.find("\r\n", header);
  return message.substr(0, header) + "Content-Length: " + std::to_string(message.size() - end - 4) + message.substr(lineEnd);
}

std::string mutateSip(Random& random, std::string message) {
  const size_t end = message.find("\r\n\r\n");
  const size_t faults = 1 + random.below(4);
  // The body alone now and then: a message that parses carries its damage furthest.
  if (end != std::string::npos && end + 4 < message.size() && random.chance(0.4)) {
    std::string body = message.substr(end + 4);
    for (size_t i = 0; i < faults; i++) damage(random, body);
    message = message.substr(0, end + 4) + body;
  } else {
    for (size_t i = 0; i < faults; i++) damage(random, message);
  }
  if (random.chance(0.5)) message = withLength(message);
  if (message.size() > 60000) message.resize(60000);
  return message;
}

std::string mutateBytes(Random& random, std::string packet) {
  for (size_t i = 0, faults = random.below(5); i < faults && !packet.empty(); i++) {
    const size_t at = random.below(random.chance(0.7) ? std::min<size_t>(packet.size(), 24) : packet.size());
    switch (random.below(5)) {
      case 0: packet[at] = static_cast<char>(packet[at] ^ (1 << random.below(8))); break;
      case 1: packet[at] = static_cast<char>(random.below(256)); break;
      case 2: packet.resize(at); break;
      case 3: packet.insert(at, packet.substr(at, 1 + random.below(40))); break;
      default: packet += std::string(random.below(random.chance(0.1) ? 1500 : 30), static_cast<char>(random.below(256))); break;
    }
  }
  return packet;
}

}  // namespace fuzz

#include "messages.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "../sip/digest.h"

namespace fuzz {

namespace {

std::string branch(Random& random) {
  return "z9hG4bK" + random.token(12);
}

void replaceAll(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
}

std::string crlf(std::string text) {
  replaceAll(text, "\n", "\r\n");
  return text;
}

std::string bytes(std::initializer_list<uint32_t> words) {
  std::string text;
  for (const uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(word >> shift);
  }
  return text;
}

std::string finish(std::string head, const std::string& type, const std::string& body) {
  if (!body.empty()) head += "Content-Type: " + type + "\r\n";
  return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

std::string header(const std::string& message, const std::string& name) {
  const size_t at = message.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  size_t start = at + name.size() + 3;
  while (start < message.size() && message[start] == ' ') start++;
  const size_t end = message.find("\r\n", start);
  return message.substr(start, end == std::string::npos ? end : end - start);
}

int statusOf(const std::string& message) {
  return message.rfind("SIP/2.0 ", 0) == 0 ? std::atoi(message.c_str() + 8) : 0;
}

std::string methodOf(const std::string& message) {
  if (statusOf(message) == 0) return message.substr(0, message.find(' '));
  const std::string cseq = header(message, "CSeq");
  const size_t space = cseq.find(' ');
  return space == std::string::npos ? "" : cseq.substr(space + 1);
}

std::string tagOf(const std::string& headerValue) {
  const size_t at = headerValue.find(";tag=");
  if (at == std::string::npos) return "";
  const size_t end = headerValue.find_first_of(";> ", at + 5);
  return headerValue.substr(at + 5, end == std::string::npos ? end : end - at - 5);
}

uint16_t audioPort(const std::string& message) {
  const size_t at = message.find("m=audio ");
  return at == std::string::npos ? 0 : static_cast<uint16_t>(std::atoi(message.c_str() + at + 8));
}

std::string digestHeader(const std::string& method, const std::string& user, const std::string& password, const std::string& nonce, const std::string& uri, const std::string& cnonce, unsigned count) {
  char nc[9];
  std::snprintf(nc, sizeof nc, "%08x", count);
  const pbx::DigestAnswer answer{.username = user, .realm = "pbx", .nonce = nonce, .uri = uri, .response = "", .algorithm = "MD5", .cnonce = cnonce, .qop = "auth", .nc = nc};
  return "Digest username=\"" + user + "\", realm=\"pbx\", nonce=\"" + nonce + "\", uri=\"" + uri + "\", response=\"" + pbx::Digest::response(answer, method, password) + "\", algorithm=MD5, cnonce=\"" + cnonce + "\", qop=auth, nc=" + nc;
}

std::string sdp(Random& random, const std::string& ip) {
  static const std::vector<std::string> media = {
      "m=audio PORT RTP/AVP 0 8 9 101\na=rtpmap:0 PCMU/8000\na=rtpmap:8 PCMA/8000\na=rtpmap:9 G722/8000\na=rtpmap:101 telephone-event/8000\na=fmtp:101 0-16\na=ptime:20\na=sendrecv\n",
      "m=audio PORT RTP/AVP 8\na=ptime:30\na=maxptime:60\n",
      "m=audio PORT RTP/AVP 9 0\na=sendonly\n",
      "m=audio PORT RTP/AVP 0 97 101 200\na=rtpmap:97 AMR\na=fmtp:97 x\n",
      "m=audio 0 RTP/AVP 0\n",
      "m=audio PORT RTP/AVP 0\na=inactive\na=rtcp:PORT IN IP4 127.0.0.1\na=rtcp-mux\na=ssrc:1 cname:x\n",
      "m=audio PORT RTP/SAVP 0 101\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz\na=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:NzB4d1BINUAvLEw6UzF3WSJ+PSdFcGdUJShpX1Zj|2^20|1:32\na=rtpmap:101 telephone-event/8000\n",
      "m=audio PORT RTP/AVP 96 97 0\na=rtpmap:96 opus/48000/2\na=fmtp:96 minptime=10;useinbandfec=1\na=rtpmap:97 PCMU/16000\na=curr:qos local none\n",
      "m=audio PORT RTP/AVP 0\nm=video PORT RTP/AVP 31 34\na=rtpmap:34 H263/90000\n",
      "m=audio PORT RTP/AVP 0\nm=text PORT RTP/AVP 98 100\na=rtpmap:98 t140/1000\na=rtpmap:100 red/1000\na=fmtp:100 98/98/98\n",
      "m=image PORT udptl t38\na=T38FaxVersion:0\na=T38MaxBitRate:14400\na=T38FaxUdpEC:t38UDPRedundancy\n",
      "m=audio 0 RTP/AVP 0\nm=image PORT udptl t38\n",
      "m=audio PORT RTP/AVP 0 0 0 0\na=rtpmap:0 PCMU/8000/2\na=candidate:1 1 UDP 2130706431 127.0.0.1 PORT typ host\na=ice-ufrag:abcd\na=ice-pwd:0123456789012345678901\n",
      "m=audio PORT RTP/SAVPF 0\na=fingerprint:sha-256 00:11:22\na=setup:actpass\nm=application PORT DTLS/SCTP 5000\n"};
  static const std::vector<std::string> names = {"s=-\n", "s=-\n", "s=-\n", "s=\n", ""};
  std::string text = "v=0\no=peer 1 " + std::to_string(random.below(1000)) + " IN IP4 IP\n" + random.pick(names) + "c=IN IP4 " + (random.chance(0.05) ? "0.0.0.0" : "IP") + "\nt=0 0\n" + media[random.chance(0.5) ? 0 : random.below(media.size())];
  while (random.chance(0.2)) text += random.pick(media);
  replaceAll(text, "IP4 IP", "IP4 " + ip);
  replaceAll(text, "PORT", std::to_string(20000 + 2 * random.below(5000)));
  return crlf(text);
}

std::string invite(Random& random, Dialog& dialog, const std::string& server, const std::string& authorization) {
  dialog.branch = branch(random);
  const std::string ip = dialog.via.substr(0, dialog.via.find(':'));
  std::string head = "INVITE sip:+15550001000@" + server + " SIP/2.0\r\nVia: SIP/2.0/UDP " + dialog.via + ";rport;branch=" + dialog.branch + "\r\nMax-Forwards: 70\r\nFrom: \"Peer\" <sip:" + dialog.user + "@" + dialog.via +
                     ">;tag=" + dialog.ourTag + "\r\nTo: <sip:+15550001000@" + server + ">\r\nCall-ID: " + dialog.callId + "\r\nCSeq: " + std::to_string(dialog.cseq) + " INVITE\r\nContact: <sip:" + dialog.user + "@" + dialog.via + ">\r\n";
  if (!authorization.empty()) head += "Authorization: " + authorization + "\r\n";
  if (random.chance(0.3)) head += "Supported: 100rel, timer\r\nSession-Expires: 1800;refresher=uas\r\nMin-SE: 90\r\n";
  if (random.chance(0.1)) head += "Require: 100rel\r\n";
  if (random.chance(0.3)) head += "P-Asserted-Identity: \"Ann\" <sip:+15551234567@127.0.0.1>\r\nDiversion: <sip:+1555@x>;reason=unconditional\r\nX-Account: 7\r\n";
  if (random.chance(0.2)) head += "Record-Route: <sip:" + dialog.via + ";lr>\r\n";
  return random.chance(0.1) ? finish(head, "", "") : finish(head, "application/sdp", sdp(random, ip));
}

std::string inDialog(Random& random, Dialog& dialog, const std::string& method) {
  const std::string ip = dialog.via.substr(0, dialog.via.find(':'));
  const bool ofInvite = method == "ACK" || method == "CANCEL";
  if (!ofInvite) dialog.cseq++;
  const std::string own = "<sip:" + dialog.user + "@" + dialog.via + ">;tag=" + dialog.ourTag;
  std::string other = "<sip:+15550001000@127.0.0.1>";
  if (!dialog.theirTag.empty() && method != "CANCEL") other += ";tag=" + dialog.theirTag;
  std::string head = method + " " + (dialog.target.empty() ? "sip:pbx@127.0.0.1" : dialog.target) + " SIP/2.0\r\nVia: SIP/2.0/UDP " + dialog.via + ";rport;branch=" + (method == "CANCEL" ? dialog.branch : branch(random)) +
                     "\r\nMax-Forwards: 70\r\nFrom: " + own + "\r\nTo: " + other + "\r\nCall-ID: " + dialog.callId + "\r\nCSeq: " + std::to_string(dialog.cseq) + " " + method + "\r\nContact: <sip:" + dialog.user + "@" + dialog.via + ">\r\n";
  if (method == "INVITE" || method == "UPDATE") return random.chance(0.15) ? finish(head, "", "") : finish(head, "application/sdp", sdp(random, ip));
  if (method == "ACK") return random.chance(0.1) ? finish(head, "application/sdp", sdp(random, ip)) : finish(head, "", "");
  if (method == "PRACK") return finish(head + "RAck: " + std::to_string(dialog.rseq) + " 1 INVITE\r\n", "", "");
  if (method == "BYE") return finish(head + (random.chance(0.3) ? "Reason: Q.850;cause=16;text=\"bye\"\r\n" : ""), "", "");
  if (method == "REFER") return finish(head + "Refer-To: <sip:102@127.0.0.1" + (random.chance(0.3) ? "?Replaces=abc%3Bto-tag%3Dx%3Bfrom-tag%3Dy" : "") + ">\r\nReferred-By: <sip:x@127.0.0.1>\r\n", "", "");
  if (method == "NOTIFY") return finish(head + "Event: refer\r\nSubscription-State: " + (random.chance(0.5) ? "active;expires=60" : "terminated;reason=noresource") + "\r\n", "message/sipfrag;version=2.0", "SIP/2.0 " + std::to_string(100 + random.below(600)) + " X\r\n");
  if (method == "INFO") {
    if (random.chance(0.5)) return finish(head, "application/dtmf-relay", "Signal=" + std::string(1, "0123456789*#AD"[random.below(14)]) + "\r\nDuration=160\r\n");
    if (random.chance(0.5)) return finish(head, "application/dtmf", "5");
    return finish(head, "application/media_control+xml", "<?xml version=\"1.0\"?><media_control><vc_primitive><to_encoder><picture_fast_update/></to_encoder></vc_primitive></media_control>");
  }
  return finish(head, "", "");
}

std::string outOfDialog(Random& random, const std::string& method, const std::string& via, const std::string& server, const std::string& user, const std::string& authorization) {
  std::string head = method + " sip:" + server + " SIP/2.0\r\nVia: SIP/2.0/UDP " + via + ";rport;branch=" + branch(random) + "\r\nMax-Forwards: 70\r\nFrom: <sip:" + user + "@" + server + ">;tag=" + random.token() + "\r\nTo: <sip:" + user + "@" + server +
                     ">\r\nCall-ID: " + random.token(16) + "\r\nCSeq: " + std::to_string(1 + random.below(100)) + " " + method + "\r\nContact: <sip:" + user + "@" + via + ">;expires=" + std::to_string(random.below(4000)) + "\r\n";
  if (!authorization.empty()) head += "Authorization: " + authorization + "\r\n";
  if (random.chance(0.5)) head += "Expires: 300\r\nUser-Agent: fuzz\r\nAllow: INVITE, ACK\r\n";
  return finish(head, method == "MESSAGE" ? "text/plain" : "", method == "MESSAGE" ? "hello" : "");
}

std::string throughEdge(Random& random, std::string request) {
  static const std::vector<std::string> hosts = {"10.9.0.1", "10.9.0.1:5060", "127.0.0.1", "127.0.0.5", "127.0.0.5:99999", "phone.example", "[2001:db8::7]:5060", "[::1", "", "999.1.1.1", ":::", "10.9.0.1:-1"};
  static const std::vector<std::string> more = {"", ";rport", ";rport=40000", ";rport=0", ";rport=-7", ";rport=4294967296", ";received=10.9.0.2", ";received=[2001:db8::8]", ";received=127.0.0.5", ";received=127.0.0.1", ";received=", ";received=%00", ";maddr=239.0.0.1;ttl=999"};
  std::string lines;
  for (size_t i = 0, count = random.chance(0.9) ? random.below(3) : random.below(60); i < count; i++) {
    lines += "Via: SIP/2.0/" + std::string(random.chance(0.9) ? "UDP" : "TLS") + " " + random.pick(hosts) + random.pick(more) + random.pick(more) + ";branch=" + branch(random) + (random.chance(0.1) ? ", SIP/2.0/UDP " + random.pick(hosts) : "") + "\r\n";
  }
  if (random.chance(0.3)) lines += random.chance(0.8) ? "Path: <sip:127.0.0.5:9;lr;received=sip:10.9.0.1>\r\nSupported: path\r\n" : "Path: " + std::string(random.below(2500), random.chance(0.5) ? 'p' : '<') + "\r\n";
  if (random.chance(0.1)) lines += "Require: " + random.pick(std::vector<std::string>{"path", "nonsense", "path, nonsense", ",", ""}) + "\r\n";
  if (random.chance(0.3)) lines += "Record-Route: <sip:127.0.0.5:9;lr>\r\n";
  const size_t via = request.find("\r\nVia:"), end = via == std::string::npos ? via : request.find("\r\n", via + 2);
  return end == std::string::npos ? request : request.insert(end + 2, lines);
}

std::string answer(Random& random, const std::string& request, int code, const std::string& tag, const std::string& contact, const std::string& ip) {
  const std::string method = methodOf(request);
  std::string to = header(request, "To");
  if (tagOf(to).empty()) to += ";tag=" + tag;
  std::string head = "SIP/2.0 " + std::to_string(code) + " Answer\r\nVia: " + header(request, "Via") + "\r\nFrom: " + header(request, "From") + "\r\nTo: " + to + "\r\nCall-ID: " + header(request, "Call-ID") + "\r\nCSeq: " + header(request, "CSeq") +
                     "\r\nContact: <sip:peer@" + contact + ">\r\n";
  if (random.chance(0.2)) head += "Require: 100rel\r\nRSeq: " + std::to_string(1 + random.below(5)) + "\r\n";
  if (code == 401 || code == 407) head += std::string(code == 401 ? "WWW" : "Proxy") + "-Authenticate: Digest realm=\"trunk\",nonce=\"" + random.token() + "\",algorithm=" + (random.chance(0.5) ? "MD5" : "SHA-256") + ",qop=\"auth\"\r\n";
  if (code == 422) head += "Min-SE: 100\r\n";
  if (code / 100 == 3) head += "Contact: <sip:other@127.0.0.1:9>\r\n";
  if (method == "REGISTER") head += "Expires: 60\r\n";
  const bool body = (method == "INVITE" || method == "UPDATE") && (code == 183 || code / 100 == 2);
  return body ? finish(head, "application/sdp", sdp(random, ip)) : finish(head, "", "");
}

std::string rtp(Random& random, uint16_t sequence, uint32_t timestamp) {
  static const uint32_t kinds[] = {0, 0, 0, 8, 9, 13, 96, 101, 101};
  const uint32_t kind = kinds[random.below(9)];
  std::string packet = bytes({0x80000000u | (random.chance(0.1) ? 0x800000u : 0u) | kind << 16 | sequence, timestamp, 0x1234});
  if (kind == 101) return packet + bytes({static_cast<uint32_t>(random.below(18)) << 24 | (random.chance(0.4) ? 0x8Au : 0x0Au) << 16 | static_cast<uint32_t>(random.below(2000))});
  return packet + std::string(kind == 13 ? 1 : 160, static_cast<char>(random.below(256)));
}

std::string rtcp(Random& random) {
  static const std::vector<std::string> kinds = {
      bytes({0x81c8000c, 0x1234, 1, 2, 3, 4, 5, 0x1234, 0, 0, 0, 0, 0}), bytes({0x81c90007, 0x1234, 0x1234, 0, 1, 2, 3, 4}), bytes({0x80c90001, 0x1234, 0x81ca0003, 0x1234, 0x01044142, 0x43440000}),
      bytes({0x81cb0001, 0x1234}), bytes({0x81cd0003, 0x1234, 0x1234, 0x00010001}), bytes({0x80cf0004, 0x1234, 0x04000002, 1, 2}), bytes({0x81ce0002, 0x1234, 0x1234}), bytes({0x80cc0003, 0x1234, 0x41424344, 0})};
  return random.pick(kinds);
}

std::string stun(Random& random) {
  const std::string attributes = bytes({0x00060009}) + random.token(9) + std::string(3, '\0') + bytes({0x00080014}) + random.token(20) + bytes({0x80280004, 0x12345678});
  return bytes({(random.chance(0.5) ? 0x00010000u : 0x01010000u) | static_cast<uint32_t>(attributes.size()), 0x2112a442}) + random.token(12) + attributes;
}

}  // namespace fuzz

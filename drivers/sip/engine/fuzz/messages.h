// The seeds: sound SIP messages, SDP bodies and RTP packets as real peers send them, in and out of dialogs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mutate.h"

namespace fuzz {

// A call as this end sees it. Our INVITE and theirs alike: `ourTag` is the tag of this end.
struct Dialog {
  std::string callId, ourTag, theirTag, target, branch, leg;
  std::string via;     // our ip:port
  std::string user;    // From user
  unsigned cseq = 1, rseq = 0;
  bool weCalled = true, confirmed = false;
  uint16_t rtp = 0;  // where their audio wants ours, once known
};

// The value of the first header of that name (case as written), "" when there is none.
std::string header(const std::string& message, const std::string& name);
int statusOf(const std::string& message);           // 0 for a request
std::string methodOf(const std::string& message);   // of the request, or of CSeq
std::string tagOf(const std::string& headerValue);
uint16_t audioPort(const std::string& message);     // of m=audio, 0 when there is none

// An Authorization value for realm "pbx".
std::string digestHeader(const std::string& method, const std::string& user, const std::string& password, const std::string& nonce, const std::string& uri, const std::string& cnonce, unsigned count);
std::string sdp(Random& random, const std::string& ip);
std::string invite(Random& random, Dialog& dialog, const std::string& server, const std::string& authorization);
// ACK, BYE, CANCEL, re-INVITE, UPDATE, INFO, REFER, PRACK, NOTIFY, OPTIONS, MESSAGE within a call.
std::string inDialog(Random& random, Dialog& dialog, const std::string& method);
std::string outOfDialog(Random& random, const std::string& method, const std::string& via, const std::string& server, const std::string& user, const std::string& authorization);
// The request as a proxy passes it on that is an edge of the box: with more or less sensible Via below its own, and the way back (Path).
std::string throughEdge(Random& random, std::string request);
// An answer to a request of the engine, with a tag and a body where one belongs.
std::string answer(Random& random, const std::string& request, int code, const std::string& tag, const std::string& contact, const std::string& ip);
std::string rtp(Random& random, uint16_t sequence, uint32_t timestamp);
std::string rtcp(Random& random);
std::string stun(Random& random);

}  // namespace fuzz

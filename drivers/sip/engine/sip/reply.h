// Answers that need no transaction: the guard's and the registrar's. And the digest fields of a request.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest.h"
#include "pj.h"

namespace pbx {

struct Header {
  std::string name, value;
};

// Sends a final answer statelessly; a repeated request gets a repeated answer.
void replyStateless(pjsip_rx_data* request, int code, const std::vector<Header>& headers = {});
// Answers 420 where Require names more than the `known` tags (RFC 3261 section 8.2.2.3), and says so.
bool requiresUnknown(pjsip_rx_data* request, std::initializer_list<std::string_view> known);
// Takes these others out of Require.
void dropUnknownRequired(pjsip_rx_data* request, std::initializer_list<std::string_view> known);
// 401 with a fresh nonce.
void challenge(pjsip_rx_data* request, const std::string& realm, const std::string& nonce, bool stale);
// To a message that is still to be sent. name and value are copied.
void addHeader(pjsip_tx_data* message, std::string_view name, std::string_view value);
std::optional<DigestAnswer> digestAnswer(const pjsip_rx_data* request);

// As it is written in that place; "" for one that is too long.
std::string printed(const pjsip_uri* uri, pjsip_uri_context_e context);
// As numberOfUri().
std::string numberOf(const pjsip_uri* uri);
// The far end's (far_end.h), not an edge's.
std::string sourceIp(const pjsip_rx_data* request);
std::string sourceAddress(const pjsip_rx_data* request);  // ip:port
// What a retransmission has in common with the request that it repeats: sender, Call-ID, CSeq and branch.
std::string requestId(const pjsip_rx_data* request);
// Whether it belongs to a transaction that stands: a retransmission, which PJSIP answers.
bool isRepeated(const pjsip_rx_data* request);
const char* transportName(const pjsip_rx_data* request);   // udp, tcp or tls
// The value of the first header of that name, "" when there is none.
std::string headerText(const pjsip_rx_data* request, const char* name);
// Of all headers of that name, in order.
std::vector<std::string> headerTexts(const pjsip_rx_data* request, const char* name);

}  // namespace pbx

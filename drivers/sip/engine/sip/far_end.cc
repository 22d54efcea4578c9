#include "far_end.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace pbx {

namespace {

// Of a chain of edges; a request that went through more says nothing that could be true.
constexpr int longestChain = 8;
constexpr unsigned usualPort = 5060, largestPort = 65535;

std::atomic<bool> anyEdge{false};
std::mutex edgesMutex;
std::shared_ptr<const std::vector<Network>> edgesNow = std::make_shared<std::vector<Network>>();

std::shared_ptr<const std::vector<Network>> currentEdges() {
  std::lock_guard lock(edgesMutex);
  return edgesNow;
}

std::string withoutBrackets(const pj_str_t& host) {
  std::string_view name = view(host);
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  return std::string(name);
}

// false: it names no IP address.
bool senderIn(const pjsip_via_hdr* via, HostPort& sender) {
  const std::string host = withoutBrackets(via->recvd_param.slen > 0 ? via->recvd_param : via->sent_by.host);
  if (!isIpLiteral(host)) return false;
  const int port = via->rport_param > 0 ? via->rport_param : via->sent_by.port;
  sender = {host, port > 0 && static_cast<unsigned>(port) <= largestPort ? static_cast<unsigned>(port) : usualPort};
  return true;
}

}  // namespace

void setEdges(std::vector<Network> edges) {
  std::lock_guard lock(edgesMutex);
  anyEdge = !edges.empty();
  edgesNow = std::make_shared<const std::vector<Network>>(std::move(edges));
}

bool isEdge(const std::string& ip) {
  return anyEdge && anyContains(*currentEdges(), ip);
}

HostPort packetSource(const pjsip_rx_data* message) {
  return {message->pkt_info.src_name, static_cast<unsigned>(message->pkt_info.src_port)};
}

bool fromEdge(const pjsip_rx_data* message) {
  return anyEdge && isEdge(message->pkt_info.src_name);
}

HostPort senderOf(const pjsip_rx_data* message) {
  HostPort sender = packetSource(message);
  const pjsip_msg* text = message->msg_info.msg;
  if (!anyEdge || text == nullptr || text->type != PJSIP_REQUEST_MSG) return sender;
  const auto edges = currentEdges();
  const auto* via = message->msg_info.via;
  for (int hops = 0; via != nullptr && hops < longestChain && anyContains(*edges, sender.host); hops++) {
    const void* next = via->next;
    if (next == &text->hdr) break;
    via = static_cast<const pjsip_via_hdr*>(pjsip_msg_find_hdr(text, PJSIP_H_VIA, next));
    if (via == nullptr || !senderIn(via, sender)) break;
  }
  return sender;
}

}  // namespace pbx

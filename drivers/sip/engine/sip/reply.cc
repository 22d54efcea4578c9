#include "reply.h"

#include <algorithm>

#include "address.h"
#include "far_end.h"
#include "number.h"

namespace pbx {

void replyStateless(pjsip_rx_data* request, int code, const std::vector<Header>& headers) {
  if (request->msg_info.msg->line.req.method.id == PJSIP_ACK_METHOD) return;
  pjsip_hdr list;
  pj_list_init(&list);
  for (const Header& header : headers) {
    const pj_str_t name = pjText(header.name), value = pjText(header.value);
    auto* made = reinterpret_cast<pjsip_hdr*>(pjsip_generic_string_hdr_create(request->tp_info.pool, &name, &value));
    if (made != nullptr) pj_list_push_back(&list, made);
  }
  pjsip_endpt_respond_stateless(pjsua_get_pjsip_endpt(), request, code, nullptr, &list, nullptr);
}

bool requiresUnknown(pjsip_rx_data* request, std::initializer_list<std::string_view> known) {
  std::string unknown;
  const pjsip_msg* message = request->msg_info.msg;
  for (const pjsip_hdr* at = message->hdr.next; at != &message->hdr; at = at->next) {
    if (at->type != PJSIP_H_REQUIRE) continue;
    const auto* require = reinterpret_cast<const pjsip_require_hdr*>(at);
    for (unsigned i = 0; i < require->count; i++) {
      const std::string tag = text(require->values[i]);
      if (!tag.empty() && std::find(known.begin(), known.end(), lowerCase(tag)) == known.end()) unknown += (unknown.empty() ? "" : ", ") + tag;
    }
  }
  if (unknown.empty()) return false;
  replyStateless(request, PJSIP_SC_BAD_EXTENSION, {{"Unsupported", unknown}});
  return true;
}

void dropUnknownRequired(pjsip_rx_data* request, std::initializer_list<std::string_view> known) {
  pjsip_msg* message = request->msg_info.msg;
  for (pjsip_hdr *at = message->hdr.next, *next = nullptr; at != &message->hdr; at = next) {
    next = at->next;
    if (at->type != PJSIP_H_REQUIRE) continue;
    auto* require = reinterpret_cast<pjsip_require_hdr*>(at);
    const auto end = std::remove_if(require->values, require->values + require->count, [&](const pj_str_t& tag) {
      return std::find(known.begin(), known.end(), lowerCase(text(tag))) == known.end();
    });
    require->count = static_cast<unsigned>(end - require->values);
    if (require->count == 0) pj_list_erase(at);
  }
}

void challenge(pjsip_rx_data* request, const std::string& realm, const std::string& nonce, bool stale) {
  // MD5 alone: phones such as baresip 1.0 give up at a challenge that also offers SHA-256 (RFC 8760).
  replyStateless(request, 401, {{"WWW-Authenticate", "Digest realm=\"" + realm + "\", nonce=\"" + nonce + "\", qop=\"auth\", algorithm=MD5" + (stale ? ", stale=true" : "")}});
}

void addHeader(pjsip_tx_data* message, std::string_view name, std::string_view value) {
  const pj_str_t named = pjText(name), valued = pjText(value);
  auto* header = reinterpret_cast<pjsip_hdr*>(pjsip_generic_string_hdr_create(message->pool, &named, &valued));
  if (header != nullptr) pjsip_msg_add_hdr(message->msg, header);
}

std::optional<DigestAnswer> digestAnswer(const pjsip_rx_data* request) {
  const auto* header = static_cast<pjsip_authorization_hdr*>(pjsip_msg_find_hdr(request->msg_info.msg, PJSIP_H_AUTHORIZATION, nullptr));
  const pj_str_t digest = pjText("Digest");
  if (header == nullptr || pj_stricmp(&header->scheme, &digest) != 0) return std::nullopt;
  const pjsip_digest_credential& credential = header->credential.digest;
  DigestAnswer answer;
  answer.username = text(credential.username);
  answer.realm = text(credential.realm);
  answer.nonce = text(credential.nonce);
  answer.uri = text(credential.uri);
  answer.response = text(credential.response);
  answer.algorithm = text(credential.algorithm);
  answer.cnonce = text(credential.cnonce);
  answer.qop = text(credential.qop);
  answer.nc = text(credential.nc);
  return answer;
}

std::string printed(const pjsip_uri* uri, pjsip_uri_context_e context) {
  if (uri == nullptr) return "";
  char buffer[PJSIP_MAX_PKT_LEN];
  const int size = pjsip_uri_print(context, uri, buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : "";
}

std::string numberOf(const pjsip_uri* uri) {
  return uri == nullptr ? "" : numberOfUri(printed(static_cast<const pjsip_uri*>(pjsip_uri_get_uri(uri)), PJSIP_URI_IN_REQ_URI));
}

std::string sourceIp(const pjsip_rx_data* request) {
  return senderOf(request).host;
}

std::string sourceAddress(const pjsip_rx_data* request) {
  const HostPort sender = senderOf(request);
  return joinHostPort(sender.host, sender.port);
}

std::string requestId(const pjsip_rx_data* request) {
  const auto& info = request->msg_info;
  const std::string branch = info.via != nullptr ? text(info.via->branch_param) : "";
  return sourceAddress(request) + " " + std::to_string(info.cseq != nullptr ? info.cseq->cseq : 0) + " " + branch + " " + (info.cid != nullptr ? text(info.cid->id) : "");
}

bool isRepeated(const pjsip_rx_data* request) {
  pj_str_t key;
  if (pjsip_tsx_create_key(request->tp_info.pool, &key, PJSIP_ROLE_UAS, &request->msg_info.cseq->method, request) != PJ_SUCCESS) return false;
  return pjsip_tsx_layer_find_tsx(&key, PJ_FALSE) != nullptr;
}

const char* transportName(const pjsip_rx_data* request) {
  const pjsip_transport* transport = request->tp_info.transport;
  if (transport == nullptr) return "udp";
  if ((transport->flag & PJSIP_TRANSPORT_SECURE) != 0) return "tls";
  return (transport->flag & PJSIP_TRANSPORT_RELIABLE) != 0 ? "tcp" : "udp";
}

namespace {

std::string valueOf(const pjsip_hdr* header) {
  char buffer[2500];
  const int size = pjsip_hdr_print_on(const_cast<pjsip_hdr*>(header), buffer, sizeof buffer - 1);
  if (size <= 0) return "";
  const std::string_view line(buffer, static_cast<size_t>(size));
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return "";
  const size_t start = line.find_first_not_of(" \t", colon + 1);
  return start == std::string_view::npos ? "" : std::string(line.substr(start));
}

}  // namespace

std::vector<std::string> headerTexts(const pjsip_rx_data* request, const char* name) {
  const pj_str_t wanted = pjText(name);
  std::vector<std::string> texts;
  for (const void* at = nullptr; texts.size() < 32;) {
    auto* header = static_cast<pjsip_hdr*>(pjsip_msg_find_hdr_by_name(request->msg_info.msg, &wanted, at));
    if (header == nullptr) break;
    texts.push_back(valueOf(header));
    at = header->next;
    if (at == &request->msg_info.msg->hdr) break;
  }
  return texts;
}

std::string headerText(const pjsip_rx_data* request, const char* name) {
  const pj_str_t wanted = pjText(name);
  auto* header = static_cast<pjsip_hdr*>(pjsip_msg_find_hdr_by_name(request->msg_info.msg, &wanted, nullptr));
  return header == nullptr ? "" : valueOf(header);
}

}  // namespace pbx

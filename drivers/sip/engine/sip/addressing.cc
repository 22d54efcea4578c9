#include "addressing.h"

#include "t38_sdp.h"

namespace pbx {

namespace {

const Addressing* addressingInUse = nullptr;

const char* familyName(const std::string& ip) {
  return ip.find(':') == std::string::npos ? "IP4" : "IP6";
}

// Where RTP is to come, by the first line that has any.
const pjmedia_sdp_conn* connectionOf(const pjmedia_sdp_session* sdp) {
  for (unsigned i = 0; sdp != nullptr && i < sdp->media_count; i++) {
    if (sdp->media[i]->conn != nullptr) return sdp->media[i]->conn;
  }
  return sdp != nullptr ? sdp->conn : nullptr;
}

// false: of the other family, or no address of ours.
bool replace(const OwnAddresses& own, pjmedia_sdp_conn* connection, pj_pool_t* pool, const std::string& told) {
  if (connection == nullptr || view(connection->addr_type) != familyName(told) || !own.isOurs(view(connection->addr))) return false;
  connection->addr = copied(pool, told);
  return true;
}

// RFC 3605: "4001 IN IP4 192.0.2.1"
void replaceInRtcp(pjmedia_sdp_media* media, pj_pool_t* pool, const std::string& told) {
  pjmedia_sdp_attr* rtcp = pjmedia_sdp_media_find_attr2(media, "rtcp", nullptr);
  if (rtcp == nullptr) return;
  const std::string value = text(rtcp->value);
  const std::string before = std::string(" IN ") + familyName(told) + " ";
  const size_t at = value.find(before);
  if (at != std::string::npos) rtcp->value = copied(pool, value.substr(0, at) + before + told);
}

bool replaceAll(const OwnAddresses& own, pjmedia_sdp_session* sdp, pj_pool_t* pool, const std::string& told) {
  bool any = replace(own, sdp->conn, pool, told);
  for (unsigned i = 0; i < sdp->media_count; i++) {
    pjmedia_sdp_media* media = sdp->media[i];
    const bool here = replace(own, media->conn, pool, told);
    any = any || here;
    if (here || media->conn == nullptr) replaceInRtcp(media, pool, told);
  }
  return any;
}

std::string ownAddressOf(const OwnAddresses& own, const pjsip_transport* transport, const std::string& ip) {
  // Of a connection, and of a socket that has one address, the kernel is not asked.
  if (!pj_sockaddr_has_addr(&transport->local_addr)) return own.towards(ip);
  char address[PJ_INET6_ADDRSTRLEN] = "";
  pj_sockaddr_print(&transport->local_addr, address, sizeof address, 0);
  return address;
}

bool isSip(const pjsip_uri* uri) {
  return PJSIP_URI_SCHEME_IS_SIP(uri) || PJSIP_URI_SCHEME_IS_SIPS(uri);
}

}  // namespace

pj_status_t Addressing::install() {
  static pjsip_module module{};
  addressingInUse = this;
  module.name = pjText("pbx-addressing");
  module.id = -1;
  // After T.38 has written its descriptions, before a message is printed.
  module.priority = PJSIP_MOD_PRIORITY_TRANSPORT_LAYER + 2;
  module.on_tx_request = &Addressing::onTx;
  module.on_tx_response = &Addressing::onTx;
  return pjsip_endpt_register_module(pjsua_get_pjsip_endpt(), &module);
}

pj_status_t Addressing::onTx(pjsip_tx_data* data) {
  // What was written when it was sent first is sent again as it is.
  if (!pjsip_tx_data_is_valid(data)) addressingInUse->sending(data);
  return PJ_SUCCESS;
}

void Addressing::sending(pjsip_tx_data* data) const {
  const std::string ip = data->tp_info.dst_name;
  const std::string own = ownAddressOf(own_, data->tp_info.transport, ip);
  if (own.empty()) return;
  const std::string told = own_.toldTo(ip, own);
  pjsip_msg* message = data->msg;
  const bool request = message->type == PJSIP_REQUEST_MSG;
  if (auto* via = static_cast<pjsip_via_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_VIA, nullptr)); request && via != nullptr) {
    // That of a CANCEL is the INVITE's (RFC 3261 section 9.1).
    if (message->line.req.method.id != PJSIP_CANCEL_METHOD && own_.isOurs(view(via->sent_by.host))) via->sent_by.host = copied(data->pool, own);
  }
  for (const void* at = nullptr;;) {
    auto* contact = static_cast<pjsip_contact_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_CONTACT, at));
    if (contact == nullptr) break;
    at = contact->next;
    // A registration that is taken back is named as it was made.
    if (!contact->star && contact->uri != nullptr && contact->expires != 0) {
      auto* uri = static_cast<pjsip_sip_uri*>(pjsip_uri_get_uri(contact->uri));
      // What a registrar has seen of us from outside (PJSIP's contact rewriting) stays.
      if (isSip(reinterpret_cast<pjsip_uri*>(uri)) && own_.isOurs(view(uri->host))) uri->host = copied(data->pool, told);
    }
    if (at == &message->hdr) break;
  }
  const auto* to = static_cast<const pjsip_to_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_TO, nullptr));
  if (request && message->line.req.method.id == PJSIP_INVITE_METHOD && to != nullptr && to->tag.slen == 0) correctOffer(data, told);
}

// A new call that goes to another server than the one its description was made for.
void Addressing::correctOffer(pjsip_tx_data* data, const std::string& told) const {
  const pjsip_msg_body* body = data->msg->body;
  if (body == nullptr || view(body->content_type.subtype) != "sdp") return;
  char text[4000];
  const int size = data->msg->body->print_body(data->msg->body, text, sizeof text);
  if (size <= 0 || std::string_view(text, static_cast<size_t>(size)).find(std::string("c=IN ") + familyName(told) + " " + told + "\r\n") != std::string_view::npos) return;
  pjmedia_sdp_session* sdp = parseSdp(data->pool, {text, static_cast<size_t>(size)});
  if (sdp == nullptr || !replaceAll(own_, sdp, data->pool, told)) return;
  const std::string written = printSdp(sdp);
  const pj_str_t type = pjText("application"), subtype = pjText("sdp"), content = pjText(written);
  data->msg->body = pjsip_msg_body_create(data->pool, &type, &subtype, &content);
}

std::string Addressing::describe(pjmedia_sdp_session* ours, pj_pool_t* pool, const std::string& far, const pjmedia_sdp_session* theirs, bool first) const {
  const pjmedia_sdp_conn* connection = connectionOf(ours);
  if (connection == nullptr || far.empty()) return "";
  const pjmedia_sdp_conn* remote = connectionOf(theirs);
  std::string told = own_.toldTo(far);
  if (remote != nullptr && view(connection->addr_type) != familyName(told)) told = own_.toldTo(text(remote->addr));
  if (told.empty() || view(connection->addr_type) != familyName(told)) return "";
  const std::string before = text(ours->origin.addr);
  replaceAll(own_, ours, pool, told);
  if (first && own_.isOurs(before)) {
    ours->origin.addr_type = pjText(familyName(told));
    ours->origin.addr = copied(pool, told);
  }
  return told;
}

}  // namespace pbx

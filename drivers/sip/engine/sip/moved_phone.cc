#include "moved_phone.h"

#include "address.h"
#include "held_call.h"
#include "reply.h"

namespace pbx {

namespace {

pjsip_sip_uri* sipUri(pjsip_uri* written) {
  void* uri = written == nullptr ? nullptr : pjsip_uri_get_uri(written);
  return uri != nullptr && PJSIP_URI_SCHEME_IS_SIP(uri) ? static_cast<pjsip_sip_uri*>(uri) : nullptr;
}

}  // namespace

void callsFollow(const Legs& legs, const pjsip_rx_data* request, const std::string& extension, const std::function<bool(const std::string& address)>& left) {
  const std::string transport = transportName(request);
  for (const auto& leg : legs.all()) {
    if (leg->extension != extension) continue;
    const HeldCall held(*leg);
    if (held.session() == nullptr) continue;
    pjsip_dialog* dialog = held.session()->dlg;
    pjsip_sip_uri* target = sipUri(dialog->target);
    // Behind a proxy it is reached by that.
    if (target == nullptr || !pj_list_empty(&dialog->route_set)) continue;
    const std::string by = target->transport_param.slen == 0 ? "udp" : text(target->transport_param);
    if (by != transport || !left(joinHostPort(text(target->host), static_cast<unsigned>(target->port)))) continue;
    target->host = copied(dialog->pool, request->pkt_info.src_name);
    target->port = request->pkt_info.src_port;
  }
}

}  // namespace pbx

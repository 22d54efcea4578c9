// Where PJSIP asks the resolver: names of requests to addresses, in PJSIP's own form.
#include "resolver.h"

namespace pbx {

void Resolver::addresses(const std::vector<Target>& targets, const std::string& transport, pjsip_server_addresses& into) {
  const pjsip_transport_type_e used = transport == "tls" ? PJSIP_TRANSPORT_TLS : transport == "tcp" ? PJSIP_TRANSPORT_TCP : PJSIP_TRANSPORT_UDP;
  into.count = 0;
  for (const Target& server : targets) {
    if (into.count == PJSIP_MAX_RESOLVED_ADDRESSES) break;
    const bool v6 = server.ip.find(':') != std::string::npos;
    auto& entry = into.entry[into.count];
    const pj_str_t ip = pjText(server.ip);
    if (pj_sockaddr_init(v6 ? pj_AF_INET6() : pj_AF_INET(), &entry.addr, &ip, static_cast<pj_uint16_t>(server.port)) != PJ_SUCCESS) continue;
    entry.name = ip;
    entry.addr_len = pj_sockaddr_get_len(&entry.addr);
    entry.type = static_cast<pjsip_transport_type_e>(v6 ? used | PJSIP_TRANSPORT_IPV6 : used);
    entry.priority = server.priority;
    entry.weight = server.weight;
    into.count++;
  }
}

void Resolver::onRequest(pjsip_resolver_t*, pj_pool_t*, const pjsip_host_info* target, void* token, pjsip_resolver_callback* done) {
  const auto type = static_cast<pjsip_transport_type_e>(target->type & ~PJSIP_TRANSPORT_IPV6);
  const bool reliable = (target->flag & PJSIP_TRANSPORT_RELIABLE) != 0 || type == PJSIP_TRANSPORT_TCP;
  const bool secure = (target->flag & PJSIP_TRANSPORT_SECURE) != 0 || type == PJSIP_TRANSPORT_TLS;
  const std::string transport = secure ? "tls" : reliable ? "tcp" : "udp";
  only_->resolve(text(target->addr.host), static_cast<unsigned>(target->addr.port), transport, [=](const std::vector<Target>& targets) {
    pjsip_server_addresses found{};
    addresses(targets, transport, found);
    done(found.count > 0 ? PJ_SUCCESS : PJ_ERESOLVE, token, found.count > 0 ? &found : nullptr);
  });
}

}  // namespace pbx

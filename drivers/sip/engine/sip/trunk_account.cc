#include "trunk_account.h"

#include "address.h"

namespace pbx {

namespace {

std::string uriTransport(const std::string& transport) {
  return transport == "tcp" || transport == "tls" ? ";transport=" + transport : "";
}

pjmedia_srtp_use srtpUse(Srtp srtp) {
  if (srtp == Srtp::required) return PJMEDIA_SRTP_MANDATORY;
  return srtp == Srtp::off ? PJMEDIA_SRTP_DISABLED : PJMEDIA_SRTP_OPTIONAL;
}

std::string hostOf(const std::string& server) {
  return joinHostPort(splitHostPort(server).host, 0);
}

}  // namespace

std::string trunkUri(const TrunkSettings& trunk, const std::string& user) {
  const HostPort at = splitHostPort(trunk.server);
  return "sip:" + (user.empty() ? "" : user + "@") + joinHostPort(at.host, at.port) + uriTransport(trunk.transport);
}

pj_status_t openAccount(const TrunkSettings& t, pjsua_acc_config& config, pjsua_acc_id& account) {
  const std::string domain = t.fromDomain.empty() ? hostOf(t.server) : t.fromDomain;
  const std::string id = "<sip:" + (t.username.empty() ? "" : t.username + "@") + domain + uriTransport(t.transport) + ">";
  const std::string registrar = trunkUri(t, "");
  const std::string mark = std::string(";") + contactMark + "=" + t.id;
  std::string proxy;
  config.id = pjText(id);
  config.contact_uri_params = pjText(mark);
  if (t.registers) {
    config.reg_uri = pjText(registrar);
    config.reg_timeout = t.registerSeconds;
    config.reg_retry_interval = config.reg_first_retry_interval = 0;  // when is trunk_registration.cc's to say
  }
  if (!t.username.empty() || !t.authUsername.empty()) {
    config.cred_count = 1;
    // Over TLS only the server that showed its certificate can ask. Elsewhere an impostor that can answer in its place knows
    // its realm anyway.
    config.cred_info[0].realm = pjText(t.realm.empty() ? std::string_view("*") : t.realm);
    config.cred_info[0].scheme = pjText("digest");
    config.cred_info[0].username = pjText(t.authUsername);
    config.cred_info[0].data_type = PJSIP_CRED_DATA_PLAIN_PASSWD;
    config.cred_info[0].data = pjText(t.password);
  }
  if (!t.outboundProxy.empty()) {
    const HostPort at = splitHostPort(t.outboundProxy);
    proxy = "<sip:" + joinHostPort(at.host, at.port) + uriTransport(t.transport) + ";lr>";
    config.proxy_cnt = 1;
    config.proxy[0] = pjText(proxy);
  }
  config.use_srtp = srtpUse(t.srtp);
  return account == PJSUA_INVALID_ID ? pjsua_acc_add(&config, PJ_FALSE, &account) : pjsua_acc_modify(account, &config);
}

}  // namespace pbx

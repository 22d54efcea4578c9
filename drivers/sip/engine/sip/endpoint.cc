#include "endpoint.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "address.h"
#include "events.h"

namespace pbx {

namespace {

// The sockets of an ended call keep their places in the queue for PJ_IOQUEUE_KEY_FREE_DELAY. When 500 calls end within this
// half second, the next call still gets a place, and is not answered 500.
constexpr unsigned endedSockets = 1000;

using nlohmann::json;

// PJSIP's own log, for development: PBX_ENGINE_PJSIP_LOG=0..6. Silent otherwise, since a stranger's datagram must not
// be able to write lines; what a technician must see is reported by the engine itself.
unsigned pjsipLogLevel() {
  const char* level = std::getenv("PBX_ENGINE_PJSIP_LOG");
  return level != nullptr ? static_cast<unsigned>(std::atoi(level)) : 0;
}

void writeLog(int level, const char* data, int size) {
  logLine(level <= 1 ? "ERROR" : level <= 2 ? "WARN" : "DEBUG", std::string(data, static_cast<size_t>(size)));
}

// "[::]:5060" stands for every address of both families: PJSIP, and so we, open a socket for each.
bool isEverywhere(const std::string& host) {
  return host.empty() || host == "0.0.0.0" || host == "::";
}

void orderCodecs() {
  static const struct {
    const char* name;
    pj_uint8_t priority;
  } order[] = {{"PCMU/8000", 200}, {"PCMA/8000", 199}, {"G722/16000", 198}};
  pjsua_codec_info codecs[32];
  unsigned count = 32;
  pjsua_enum_codecs(codecs, &count);
  for (unsigned i = 0; i < count; i++) pjsua_codec_set_priority(&codecs[i].codec_id, PJMEDIA_CODEC_PRIO_DISABLED);
  for (const auto& codec : order) {
    const pj_str_t name = pjText(codec.name);
    pjsua_codec_set_priority(&name, codec.priority);
  }
}

std::string contentOf(const TlsSettings& tls) {
  std::string content;
  for (const std::string& file : {tls.certificate, tls.key}) {
    std::ifstream stream(file, std::ios::binary);
    content.append(std::istreambuf_iterator<char>(stream), {});
  }
  return content;
}

pjsua_transport_config transportConfig(const HostPort& at, const TlsSettings* tls) {
  pjsua_transport_config config;
  pjsua_transport_config_default(&config);
  config.port = at.port;
  // Of one that is named PJSIP makes every contact, wherever that leads.
  if (!isEverywhere(at.host)) config.bound_addr = pjText(at.host);
  if (tls == nullptr) return config;
  config.tls_setting.cert_file = pjText(tls->certificate);
  config.tls_setting.privkey_file = pjText(tls->key);
  config.tls_setting.method = PJSIP_TLSV1_2_METHOD;
  config.tls_setting.proto = PJ_SSL_SOCK_PROTO_TLS1_2 | PJ_SSL_SOCK_PROTO_TLS1_3;
  config.tls_setting.timeout.sec = 10;
  // A listener that is opened again next to its own connections.
  config.tls_setting.reuse_addr = PJ_TRUE;
  return config;
}

}  // namespace

pjsua_call_setting audioOnly() {
  pjsua_call_setting setting;
  pjsua_call_setting_default(&setting);
  setting.aud_cnt = 1;
  setting.vid_cnt = 0;
  setting.txt_cnt = 0;
  return setting;
}

std::string Endpoint::bind(pjsip_transport_type_e type, const std::string& listen, const TlsSettings* tls, std::string& fault) {
  const HostPort at = splitHostPort(listen);
  if (!at.host.empty() && !isIpLiteral(at.host)) {
    fault = "\"" + listen + "\" is not an IP address and port such as 127.0.0.1:5060";
    return "";
  }
  const bool v6 = at.host.find(':') != std::string::npos;
  const pjsua_transport_config config = transportConfig(at, tls);
  if (tls != nullptr) {
    for (const std::string& file : {tls->certificate, tls->key}) {
      if (access(file.c_str(), R_OK) != 0) {
        fault = "the file \"" + file + "\" cannot be read";
        return "";
      }
    }
    certificate_ = contentOf(*tls);
  }
  pjsua_transport_id id = PJSUA_INVALID_ID;
  const auto kind = static_cast<pjsip_transport_type_e>(v6 ? type | PJSIP_TRANSPORT_IPV6 : type);
  const pj_status_t status = pjsua_transport_create(kind, &config, &id);
  if (status != PJ_SUCCESS) {
    fault = listen + ": " + errorText(status);
    return "";
  }
  pjsua_transport_info info;
  pjsua_transport_get_info(id, &info);
  const std::string bound = joinHostPort(at.host.empty() ? "0.0.0.0" : at.host, static_cast<unsigned>(pj_sockaddr_get_port(&info.local_addr)));
  if (tls != nullptr) secure_.push_back({id, bound});
  return bound;
}

void Endpoint::readAgain(const TlsSettings& tls, json& configured) {
  const std::string content = contentOf(tls);
  if (secure_.empty() || content.empty() || content == certificate_) return;
  certificate_ = content;
  for (const Secure& listener : secure_) {
    const HostPort at = splitHostPort(listener.listen);
    const pjsua_transport_config config = transportConfig(at, &tls);
    const pj_status_t status = pjsua_transport_lis_restart(listener.id, &config);
    if (status != PJ_SUCCESS) configured["errors"].push_back({{"part", "tls"}, {"text", listener.listen + ": " + errorText(status)}});
  }
}

pjsua_acc_config Endpoint::accountDefaults(const Settings& settings) const {
  pjsua_acc_config account;
  pjsua_acc_config_default(&account);
  account.rtp_cfg.port = settings.rtpFirst & ~1u;
  account.rtp_cfg.port_range = settings.rtpLast - settings.rtpFirst;
  if (!mediaAddress_.empty()) account.rtp_cfg.bound_addr = pjText(mediaAddress_);
  // Of both families that of the call is taken: the far end's offer says, and who dials does (dial_places.cc).
  const int family = families();
  account.ipv6_media_use = family == AF_INET ? PJSUA_IPV6_DISABLED : family == AF_INET6 ? PJSUA_IPV6_ENABLED_PREFER_IPV6 : PJSUA_IPV6_ENABLED_PREFER_IPV4;
  account.ipv6_sip_use = family == AF_INET6 ? PJSUA_IPV6_ENABLED_PREFER_IPV6 : PJSUA_IPV6_ENABLED_NO_PREFERENCE;
  // Behind address translation the contact is what the registrar saw, unless somebody has said what it is.
  account.allow_contact_rewrite = settings.publicAddress.empty() ? PJ_TRUE : PJ_FALSE;
  account.allow_via_rewrite = PJ_FALSE;
  account.srtp_secure_signaling = 0;
  // Understood when a peer requires it, not asked for: a lost PRACK must not hold up an answer.
  account.require_100rel = PJSUA_100REL_NOT_USED;
  account.use_timer = PJSUA_SIP_TIMER_OPTIONAL;
  // Detects a far end that has gone where no media flow, as on hold: the session is refreshed after half of it. PJSIP's 1800
  // s would leave such a call standing for a quarter of an hour.
  account.timer_setting.sess_expires = 180;
  account.lock_codec = 0;
  account.mwi_enabled = PJ_FALSE;
  account.register_on_acc_add = PJ_FALSE;
  account.auto_repond_sip_message = PJ_FALSE;
  account.enable_rtcp_mux = PJ_FALSE;
  // PJSIP would look the server up by itself for that, and wait.
  account.contact_use_src_port = PJ_FALSE;
  return account;
}

bool Endpoint::bindPart(const char* part, pjsip_transport_type_e type, const std::string& listen, const TlsSettings* tls, json& configured) {
  if (listen.empty()) return false;
  Bound& bound = bound_[part];
  const HostPort at = splitHostPort(listen);
  const bool v6 = at.host.find(':') != std::string::npos;
  const auto bindOne = [&](std::string& into, const std::string& address) {
    if (!into.empty()) return false;
    std::string fault;
    into = bind(type, address, tls, fault);
    if (!fault.empty()) configured["errors"].push_back({{"part", part}, {"text", fault}});
    return !into.empty();
  };
  const bool more = bindOne(v6 ? bound.v6 : bound.v4, listen);
  if (at.host != "::") return more;
  // Of a port that the kernel chose, the same one.
  const unsigned port = at.port != 0 || bound.v6.empty() ? at.port : splitHostPort(bound.v6).port;
  return bindOne(bound.v4, joinHostPort("0.0.0.0", port)) || more;
}

bool Endpoint::bindMissing(const Settings& settings, json& configured) {
  bool more = bindPart("udp", PJSIP_TRANSPORT_UDP, settings.udp, nullptr, configured);
  more = bindPart("tcp", PJSIP_TRANSPORT_TCP, settings.tcp, nullptr, configured) || more;
  if (settings.tls) readAgain(*settings.tls, configured);
  if (settings.tls) more = bindPart("tls", PJSIP_TRANSPORT_TLS, settings.tls->listen, &*settings.tls, configured) || more;
  if (pjsua_get_state() == PJSUA_STATE_RUNNING) addPhoneAccounts(settings, configured);
  for (const auto& [part, bound] : bound_) {
    const std::string& address = bound.v6.empty() ? bound.v4 : bound.v6;
    configured[part] = address.empty() ? json(nullptr) : json(address);
  }
  return more;
}

bool Endpoint::listens() const {
  return std::any_of(bound_.begin(), bound_.end(), [](const auto& item) { return !item.second.v4.empty() || !item.second.v6.empty(); });
}

int Endpoint::families() const {
  bool v4 = false, v6 = false;
  for (const auto& [part, bound] : bound_) {
    v4 = v4 || !bound.v4.empty();
    v6 = v6 || !bound.v6.empty();
  }
  return v4 == v6 ? AF_UNSPEC : v4 ? AF_INET : AF_INET6;
}

// PJSIP makes no account while there is no transport.
void Endpoint::addPhoneAccounts(const Settings& settings, json& configured) {
  if (!listens()) return;
  const std::string id = "<sip:" + (mediaAddress_.empty() ? settings.realm : joinHostPort(mediaAddress_, 0)) + ">";
  for (const pjmedia_srtp_use use : {PJMEDIA_SRTP_DISABLED, PJMEDIA_SRTP_OPTIONAL, PJMEDIA_SRTP_MANDATORY}) {
    if (phoneAccounts_[use] != PJSUA_INVALID_ID) continue;
    pjsua_acc_config account = accountDefaults(settings);
    account.id = pjText(id);
    account.use_srtp = use;
    const pj_status_t status = pjsua_acc_add(&account, use == PJMEDIA_SRTP_OPTIONAL, &phoneAccounts_[use]);
    if (status != PJ_SUCCESS) configured["errors"].push_back({{"part", "endpoint"}, {"text", "account for phones: " + errorText(status)}});
  }
}

bool Endpoint::start(const Settings& settings, unsigned slots, const pjsua_callback& callbacks, Media& legs, json& configured, std::string& why) {
  pj_log_set_level(static_cast<int>(pjsipLogLevel()));
  pj_status_t status = pjsua_create();
  if (status != PJ_SUCCESS) {
    why = errorText(status);
    return false;
  }
  // A trunk's transport is what was configured: a long request does not try TCP by itself first (RFC 3261 section 18.1.1),
  // where many providers have a firewall that says nothing.
  pjsip_cfg()->endpt.disable_tcp_switch = PJ_TRUE;
  pjsua_config config;
  pjsua_config_default(&config);
  config.max_calls = slots;
  config.thread_cnt = 1;
  config.user_agent = pjText("pbx");
  config.cb = callbacks;
  config.enable_unsolicited_mwi = PJ_FALSE;
  pjsua_logging_config logging;
  pjsua_logging_config_default(&logging);
  logging.level = logging.console_level = pjsipLogLevel();
  logging.msg_logging = pjsipLogLevel() >= 4;
  logging.decor = 0;
  logging.cb = writeLog;
  pjsua_media_config media;
  pjsua_media_config_default(&media);
  media.clock_rate = media.snd_clock_rate = 8000;
  media.channel_count = 1;
  media.audio_frame_ptime = 20;
  media.ptime = 0;  // what the far end asks for, 20 ms otherwise
  media.max_media_ports = slots + 2;
  packets_.expect(2 * slots + endedSockets);
  media.quality = 1;
  media.no_vad = PJ_TRUE;
  media.ec_tail_len = 0;
  media.enable_ice = PJ_FALSE;
  status = pjsua_init(&config, &logging, &media);
  if (status != PJ_SUCCESS) {
    why = errorText(status);
    return false;
  }
  if (!packets_.start(pjmedia_endpt_get_ioqueue(pjsua_get_pjmedia_endpt()), legs, why)) return false;
  bindMissing(settings, configured);
  // Media is received where SIP is: at one address, or at all.
  std::set<std::string> hosts;
  for (const std::string& listen : {settings.udp, settings.tcp, settings.tls ? settings.tls->listen : std::string()}) {
    const std::string host = splitHostPort(listen).host;
    if (!listen.empty()) hosts.insert(isEverywhere(host) ? "" : host);
  }
  if (hosts.size() == 1) mediaAddress_ = *hosts.begin();

  orderCodecs();
  status = pjsua_start();
  // The conference bridge moves no audio here (bridge.cc): it needs no clock.
  if (status == PJ_SUCCESS) pjsua_set_no_snd_dev();
  if (status != PJ_SUCCESS) {
    why = errorText(status);
    return false;
  }
  addPhoneAccounts(settings, configured);
  return true;
}

void Endpoint::destroy() {
  packets_.stop();
  pjsua_destroy2(PJSUA_DESTROY_NO_RX_MSG);
}

}  // namespace pbx

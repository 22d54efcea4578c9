// pjsua's start: transports, codecs, memory and thread settings, and the accounts under which phones are called.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "packet_thread.h"
#include "pj.h"
#include "settings.h"

namespace pbx {

class Endpoint {
 public:
  // Binds the transports of the first `configure`. Faults of single transports go into the answer's `errors`; false:
  // PJSIP itself does not start (`why`). `slots`: as many calls as PJSUA is to have room for. `legs`: learns that packets came.
  bool start(const Settings& settings, unsigned slots, const pjsua_callback& callbacks, Media& legs, nlohmann::json& configured, std::string& why);
  // Binds what is configured and not bound: all at the start, later what was in use by another program at that time.
  // Writes what is bound, and each new failure, into `configured`. true: more is bound than before.
  bool bindMissing(const Settings& settings, nlohmann::json& configured);
  // Something is bound: calls can be made.
  bool listens() const;
  // Accounts for phones, one for each way of securing media.
  pjsua_acc_id phoneAccount(pjmedia_srtp_use use) const { return phoneAccounts_[use]; }
  // Account settings every account of ours begins with.
  pjsua_acc_config accountDefaults(const Settings& settings) const;
  // AF_INET or AF_INET6 when all listeners are of one kind, AF_UNSPEC otherwise: what addresses can be sent to.
  int families() const;
  // The one address that all listeners name, at which media is received, too; "" when they listen at all.
  const std::string& mediaAddress() const { return mediaAddress_; }
  void destroy();

 private:
  void addPhoneAccounts(const Settings& settings, nlohmann::json& configured);
  // true: more of it is bound than before.
  bool bindPart(const char* part, pjsip_transport_type_e type, const std::string& listen, const TlsSettings* tls, nlohmann::json& configured);
  std::string bind(pjsip_transport_type_e type, const std::string& listen, const TlsSettings* tls, std::string& fault);
  // A certificate that was replaced is shown from now on; connections that stand go on with the former one.
  void readAgain(const TlsSettings& tls, nlohmann::json& configured);
  // Part of the protocol's `configured` -> host:port, one of each family, "" while it is not bound.
  struct Bound {
    std::string v4, v6;
  };
  std::map<std::string, Bound> bound_;
  // Listeners of TLS, as they were opened, and what certificate and key said then.
  struct Secure {
    pjsua_transport_id id;
    std::string listen;
  };
  std::vector<Secure> secure_;
  std::string certificate_;
  std::string mediaAddress_;
  PacketThread packets_;
  pjsua_acc_id phoneAccounts_[PJMEDIA_SRTP_MANDATORY + 1] = {PJSUA_INVALID_ID, PJSUA_INVALID_ID, PJSUA_INVALID_ID};
};

// The offer every call of ours makes and accepts: one audio stream, nothing else.
pjsua_call_setting audioOnly();

}  // namespace pbx

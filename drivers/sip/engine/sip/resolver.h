// Names of SIP servers to the addresses that serve them (RFC 3263 without NAPTR: SRV, then A and AAAA). DNS is asked through c-ares
// on a thread of its own, for every request of PJSIP and for the trunks: neither the control thread nor the SIP worker ever waits
// for a name server, and a question's memory lives until its answer.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pj.h"

struct ares_addrinfo;
struct ares_channeldata;

namespace pbx {

// A server: an address and port, and its place in the order of RFC 2782.
struct Target {
  std::string ip;
  unsigned port = 0, priority = 0, weight = 0;
};

class Resolver {
 public:
  struct Question {
    std::string key, host, transport;
    unsigned port;
  };
  using Done = std::function<void(const std::vector<Target>&)>;
  using Learned = std::function<void(const Question&, const std::vector<Target>&)>;

  Resolver() = default;
  ~Resolver();
  Resolver(const Resolver&) = delete;

  // Takes over PJSIP's look-ups, once, after pjsua_init. Without `nameservers` those of /etc/resolv.conf are asked, as it stands at
  // that moment. `families`: AF_INET, AF_INET6 or AF_UNSPEC, what there are listeners for; of a name that has both, the IPv4
  // addresses are used, so that a trunk is of one family.
  void start(const std::vector<std::string>& nameservers, int families);
  void stop();
  // Called on the SIP worker for every answer of DNS, whichever part asked. Set it before `start`.
  void observe(Learned learned) { learned_ = std::move(learned); }

  // `port` 0: by SRV for the transport, "udp", "tcp" or "tls". `done` is called exactly once, with the best first and empty when
  // there is none: at once for a number and for what is known, otherwise by the SIP worker within some seconds. While no name
  // server answers, what was known is given for a day.
  void resolve(const std::string& host, unsigned port, const std::string& transport, Done done);
  // What is known of a name now, in no order; a number is itself.
  std::vector<Target> known(const std::string& host, unsigned port, const std::string& transport);

  // A server (ip:port) that did not answer comes after all others for a minute, or until it is heard again.
  void penalise(const std::string& server);
  void pardon(const std::string& server);
  // Other name servers: what is known is asked for again when it is wanted next, and nobody is out of favour.
  void renew();

  // As PJSIP wants them; `into` names the texts of `targets`.
  static void addresses(const std::vector<Target>& targets, const std::string& transport, pjsip_server_addresses& into);

  // Best first (RFC 2782), and those that did not answer last, the latest of them at the very end.
  std::vector<Target> inOrder(std::vector<Target> targets);
  // Which of the known servers of a name (ip:port) a request goes to now, `without` some; "": none is known or left.
  std::string next(const std::string& host, unsigned port, const std::string& transport, const std::vector<std::string>& without = {});

 private:
  struct Known {
    std::vector<Target> targets;
    int64_t freshUntil = 0, usableUntil = 0;
  };
  struct Lookup;

  void run();
  void open();
  void begin(Question question);
  void finish(Lookup& lookup);
  void wake();
  static void onService(void* lookup, int status, int timeouts, unsigned char* answer, int size);
  static void onAddresses(void* lookup, int status, int timeouts, struct ares_addrinfo* result);
  static void onRequest(pjsip_resolver_t*, pj_pool_t*, const pjsip_host_info* target, void* token, pjsip_resolver_callback* done);

  static Resolver* only_;  // there is one in a process; PJSIP's hook carries no pointer of ours
  Learned learned_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, int64_t> penalised_;  // until when
  std::map<std::string, std::vector<Done>> waiting_;  // by key: one look-up for all who ask meanwhile
  std::vector<Question> questions_;
  bool stopping_ = false;
  std::thread thread_;
  int wake_ = -1;

  // The thread's own.
  ares_channeldata* channel_ = nullptr;
  std::string nameservers_;
  int families_ = 0;
  int64_t configured_ = 0;  // the time of resolv.conf that the channel was made from
  unsigned running_ = 0;
};

}  // namespace pbx

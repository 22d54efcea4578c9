#include "resolver.h"

#include <ares.h>
#include <ares_nameser.h>
#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "address.h"
#include "now.h"

namespace pbx {

namespace {

constexpr int tryMs = 1000, tries = 2;
constexpr int64_t leastFreshMs = 2'000, mostFreshMs = 60'000, usableMs = 24 * 3600 * 1000;
constexpr int64_t penaltyMs = 60'000;
constexpr size_t mostServers = PJSIP_MAX_RESOLVED_ADDRESSES;
const char* const systemFile = "/etc/resolv.conf";

int64_t changedAt(const char* file) {
  struct stat found {};
  return stat(file, &found) == 0 ? int64_t{found.st_mtim.tv_sec} * 1000 + found.st_mtim.tv_nsec / 1'000'000 : 0;
}

unsigned defaultPort(const std::string& transport) {
  return transport == "tls" ? 5061 : 5060;
}

std::string serviceName(const std::string& host, const std::string& transport) {
  return (transport == "tls" ? "_sips._tcp." : transport == "tcp" ? "_sip._tcp." : "_sip._udp.") + host;
}

// By priority; among equals each is first in proportion to its weight (RFC 2782). A process draws once for each server:
// requests that belong together go to the same server, and which server a request went to can be worked out afterwards.
std::vector<Target> ordered(std::vector<Target> targets) {
  static const uint32_t drawOf = std::random_device{}();
  std::vector<std::pair<double, Target>> drawn;
  for (Target& target : targets) {
    std::seed_seq seed{drawOf, static_cast<uint32_t>(std::hash<std::string>{}(joinHostPort(target.ip, target.port)))};
    std::minstd_rand random(seed);
    const double lot = std::exponential_distribution<double>(target.weight + 0.01)(random);
    drawn.emplace_back(lot, std::move(target));
  }
  std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) {
    return a.second.priority != b.second.priority ? a.second.priority < b.second.priority : a.first < b.first;
  });
  targets.clear();
  for (auto& [lot, target] : drawn) targets.push_back(std::move(target));
  return targets;
}

// Hands a result to the SIP worker: PJSIP's callbacks expect its thread and locks.
struct Delivery {
  Resolver& resolver;
  const Resolver::Learned& learned;
  Resolver::Question question;
  std::vector<Resolver::Done> to;
  std::vector<Target> targets;
};

void deliver(void* given) {
  const std::unique_ptr<Delivery> delivery(static_cast<Delivery*>(given));
  if (delivery->learned) delivery->learned(delivery->question, delivery->targets);
  for (const Resolver::Done& done : delivery->to) done(delivery->resolver.inOrder(delivery->targets));
}

}  // namespace

// One question on its way: the services of the name, then the addresses of each of its hosts.
struct Resolver::Lookup {
  Resolver& resolver;
  Question question;
  struct Host {
    std::string name;
    Target place;  // without ip
  };
  std::vector<Host> hosts;
  std::vector<Target> found;
  int open = 0;
  int64_t freshMs = mostFreshMs;
  bool unanswered = false;  // no name server said anything of use

  void askAddresses();
  struct Answer {
    Lookup* lookup;
    size_t host;
  };
};

Resolver* Resolver::only_ = nullptr;

Resolver::~Resolver() {
  stop();
}

void Resolver::start(const std::vector<std::string>& nameservers, int families) {
  if (thread_.joinable()) return;
  ares_library_init(ARES_LIB_INIT_ALL);
  for (const std::string& server : nameservers) nameservers_ += (nameservers_.empty() ? "" : ",") + server;
  families_ = families;
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  only_ = this;
  static pjsip_ext_resolver hook{&Resolver::onRequest};
  pjsip_endpt_set_ext_resolver(pjsua_get_pjsip_endpt(), &hook);
  thread_ = std::thread([this] { run(); });
}

void Resolver::stop() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
  close(wake_);
}

void Resolver::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

void Resolver::resolve(const std::string& host, unsigned port, const std::string& transport, Done done) {
  if (isIpLiteral(host)) return done({{host, port != 0 ? port : defaultPort(transport), 0, 0}});
  std::string key = joinHostPort(host, port) + " " + transport;
  std::vector<Target> targets;
  {
    std::lock_guard lock(mutex_);
    const auto at = known_.find(key);
    if (at == known_.end() || steadyMs() >= at->second.freshUntil) {
      auto& waiting = waiting_[key];
      waiting.push_back(std::move(done));
      if (waiting.size() > 1) return;
      questions_.push_back({std::move(key), host, transport, port});
      wake();
      return;
    }
    targets = at->second.targets;
  }
  done(inOrder(std::move(targets)));
}

std::vector<Target> Resolver::known(const std::string& host, unsigned port, const std::string& transport) {
  if (isIpLiteral(host)) return {{host, port != 0 ? port : defaultPort(transport), 0, 0}};
  std::lock_guard lock(mutex_);
  const auto at = known_.find(joinHostPort(host, port) + " " + transport);
  return at == known_.end() ? std::vector<Target>() : at->second.targets;
}

void Resolver::penalise(const std::string& server) {
  if (server.empty()) return;
  std::lock_guard lock(mutex_);
  std::erase_if(penalised_, [now = steadyMs()](const auto& item) { return item.second <= now; });
  penalised_[server] = steadyMs() + penaltyMs;
}

void Resolver::pardon(const std::string& server) {
  std::lock_guard lock(mutex_);
  penalised_.erase(server);
}

std::string Resolver::next(const std::string& host, unsigned port, const std::string& transport, const std::vector<std::string>& without) {
  for (const Target& target : inOrder(known(host, port, transport))) {
    const std::string server = joinHostPort(target.ip, target.port);
    if (std::find(without.begin(), without.end(), server) == without.end()) return server;
  }
  return "";
}

void Resolver::renew() {
  std::lock_guard lock(mutex_);
  for (auto& [key, known] : known_) known.freshUntil = 0;
  penalised_.clear();
}

std::vector<Target> Resolver::inOrder(std::vector<Target> targets) {
  targets = ordered(std::move(targets));
  std::lock_guard lock(mutex_);
  const int64_t now = steadyMs();
  const auto until = [&](const Target& target) {
    const auto at = penalised_.find(joinHostPort(target.ip, target.port));
    return at == penalised_.end() || at->second <= now ? 0 : at->second;
  };
  std::stable_sort(targets.begin(), targets.end(), [&](const Target& a, const Target& b) { return until(a) < until(b); });
  return targets;
}

void Resolver::open() {
  configured_ = changedAt(systemFile);
  ares_options options{};
  options.timeout = tryMs;
  options.tries = tries;
  if (ares_init_options(&channel_, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES) != ARES_SUCCESS) {
    channel_ = nullptr;
    return;
  }
  if (!nameservers_.empty()) ares_set_servers_ports_csv(channel_, nameservers_.c_str());
}

void Resolver::run() {
  registerThread();
  for (;;) {
    std::vector<Question> questions;
    {
      std::lock_guard lock(mutex_);
      if (stopping_) break;
      questions.swap(questions_);
    }
    // The clinic has a new router: ask whom the system asks now. Questions to the former name server are cancelled, as no
    // answer will come.
    if (channel_ != nullptr && nameservers_.empty() && !questions.empty() && changedAt(systemFile) != configured_) {
      ares_cancel(channel_);
      ares_destroy(channel_);
      channel_ = nullptr;
    }
    if (channel_ == nullptr) open();
    for (Question& question : questions) begin(std::move(question));
    ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
    pollfd waits[ARES_GETSOCK_MAXNUM + 1] = {{wake_, POLLIN, 0}};
    nfds_t count = 1;
    const int mask = channel_ != nullptr ? ares_getsock(channel_, sockets, ARES_GETSOCK_MAXNUM) : 0;
    for (int i = 0; i < ARES_GETSOCK_MAXNUM; i++) {
      const int events = (ARES_GETSOCK_READABLE(mask, i) ? POLLIN : 0) | (ARES_GETSOCK_WRITABLE(mask, i) ? POLLOUT : 0);
      if (events != 0) waits[count++] = {sockets[i], static_cast<short>(events), 0};
    }
    poll(waits, count, running_ > 0 ? 100 : -1);
    uint64_t woken;
    while (read(wake_, &woken, sizeof woken) > 0) {
    }
    for (nfds_t i = 1; i < count; i++) {
      const bool readable = (waits[i].revents & (POLLIN | POLLERR | POLLHUP)) != 0;
      ares_process_fd(channel_, readable ? waits[i].fd : ARES_SOCKET_BAD, (waits[i].revents & POLLOUT) != 0 ? waits[i].fd : ARES_SOCKET_BAD);
    }
    if (channel_ != nullptr) ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // time-outs
  }
  if (channel_ != nullptr) ares_destroy(channel_);
}

void Resolver::begin(Question question) {
  auto* lookup = new Lookup{*this, std::move(question), {}, {}};
  running_++;
  if (channel_ == nullptr) {
    lookup->unanswered = true;
    finish(*lookup);
    return;
  }
  if (lookup->question.port == 0) {
    ares_query(channel_, serviceName(lookup->question.host, lookup->question.transport).c_str(), C_IN, T_SRV, &Resolver::onService, lookup);
    return;
  }
  lookup->hosts.push_back({lookup->question.host, {"", lookup->question.port, 0, 0}});
  lookup->askAddresses();
}

void Resolver::onService(void* given, int status, int, unsigned char* answer, int size) {
  auto* lookup = static_cast<Lookup*>(given);
  if (status == ARES_EDESTRUCTION || status == ARES_ECANCELLED) {
    lookup->unanswered = true;
    return lookup->resolver.finish(*lookup);
  }
  ares_srv_reply* services = nullptr;
  if (status == ARES_SUCCESS) status = ares_parse_srv_reply(answer, size, &services);
  for (const ares_srv_reply* service = services; service != nullptr && lookup->hosts.size() < mostServers; service = service->next) {
    // A single "." says that the service is decidedly not there.
    if (service->host[0] != '\0' && std::string_view(service->host) != ".") {
      lookup->hosts.push_back({service->host, {"", service->port, service->priority, service->weight}});
    }
  }
  const bool none = services != nullptr && lookup->hosts.empty();
  if (services != nullptr) ares_free_data(services);
  if (none) return lookup->resolver.finish(*lookup);
  if (lookup->hosts.empty()) lookup->hosts.push_back({lookup->question.host, {"", defaultPort(lookup->question.transport), 0, 0}});
  lookup->askAddresses();
}

void Resolver::Lookup::askAddresses() {
  ares_addrinfo_hints hints{};
  hints.ai_family = resolver.families_;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = ARES_AI_NOSORT;
  // Answers may come inside of the call (a line of /etc/hosts): the extra one keeps the look-up alive until all have been asked.
  open = static_cast<int>(hosts.size()) + 1;
  for (size_t i = 0; i < hosts.size(); i++) {
    ares_getaddrinfo(resolver.channel_, hosts[i].name.c_str(), nullptr, &hints, &Resolver::onAddresses, new Answer{this, i});
  }
  if (--open == 0) resolver.finish(*this);
}

void Resolver::onAddresses(void* given, int status, int, ares_addrinfo* result) {
  const std::unique_ptr<Lookup::Answer> answer(static_cast<Lookup::Answer*>(given));
  Lookup& lookup = *answer->lookup;
  if (status != ARES_SUCCESS && status != ARES_ENODATA && status != ARES_ENOTFOUND) lookup.unanswered = true;
  for (const ares_addrinfo_node* node = result != nullptr ? result->nodes : nullptr; node != nullptr; node = node->ai_next) {
    char ip[INET6_ADDRSTRLEN] = "";
    const void* bytes = node->ai_family == AF_INET6 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(node->ai_addr)->sin6_addr)
                                                    : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(node->ai_addr)->sin_addr);
    if (inet_ntop(node->ai_family, bytes, ip, sizeof ip) == nullptr) continue;
    Target target = lookup.hosts[answer->host].place;
    target.ip = ip;
    lookup.found.push_back(target);
    lookup.freshMs = std::min(lookup.freshMs, int64_t{node->ai_ttl} * 1000);
  }
  if (result != nullptr) ares_freeaddrinfo(result);
  if (--lookup.open == 0) lookup.resolver.finish(lookup);
}

// The last word on a question; the look-up is gone afterwards.
void Resolver::finish(Lookup& lookup) {
  const std::unique_ptr<Lookup> ended(&lookup);
  running_--;
  const auto isV6 = [](const Target& target) { return target.ip.find(':') != std::string::npos; };
  if (!std::all_of(lookup.found.begin(), lookup.found.end(), isV6)) std::erase_if(lookup.found, isV6);
  auto delivery = std::make_unique<Delivery>(Delivery{*this, learned_, lookup.question, {}, {}});
  {
    std::lock_guard lock(mutex_);
    const int64_t now = steadyMs();
    Known& known = known_[lookup.question.key];
    if (!lookup.found.empty()) {
      known = {lookup.found, now + std::max(leastFreshMs, lookup.freshMs), now + usableMs};
    } else if (!lookup.unanswered || now >= known.usableUntil) {
      known.targets.clear();  // the name is gone, or nobody has known it for a day
    }
    delivery->targets = known.targets;
    if (known.targets.empty()) known_.erase(lookup.question.key);
    if (const auto at = waiting_.find(lookup.question.key); at != waiting_.end()) {
      delivery->to = std::move(at->second);
      waiting_.erase(at);
    }
  }
  if (pjsua_schedule_timer2(&deliver, delivery.get(), 0) == PJ_SUCCESS) delivery.release();
}

}  // namespace pbx

#include "own_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <utility>

namespace pbx {

namespace {

// Far ends that are spoken to between two changes of the network; a stranger's datagrams must not fill the memory.
constexpr size_t mostWays = 512;

thread_local std::string farEnd;

bool sameFamily(const std::string& a, const std::string& b) {
  return (a.find(':') == std::string::npos) == (b.find(':') == std::string::npos);
}

std::set<std::string, std::less<>> addressesNow() {
  std::set<std::string, std::less<>> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr) continue;
    char text[INET6_ADDRSTRLEN] = "";
    if (at->ifa_addr->sa_family == AF_INET) {
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text);
    } else if (at->ifa_addr->sa_family == AF_INET6) {
      inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr, text, sizeof text);
    }
    if (text[0] != '\0') found.insert(text);
  }
  freeifaddrs(list);
  return found;
}

}  // namespace

void OwnAddresses::listenAt(const std::string& address) {
  std::lock_guard lock(mutex_);
  listens_ = address;
}

std::string OwnAddresses::towards(const std::string& ip) const {
  {
    std::lock_guard lock(mutex_);
    if (!listens_.empty()) return sameFamily(listens_, ip) ? listens_ : "";
    if (const auto at = ways_.find(ip); at != ways_.end()) return at->second;
  }
  std::string own = localAddressFor(ip);
  std::lock_guard lock(mutex_);
  if (ways_.size() >= mostWays) ways_.clear();
  return ways_[ip] = std::move(own);
}

std::string OwnAddresses::toldTo(const std::string& ip, const std::string& own) const {
  const auto settings = settings_.get();
  const std::string& outside = settings->publicAddress;
  if (own.empty() || outside.empty() || !sameFamily(outside, own)) return own;
  return anyContains(settings->localNetworks, ip) ? own : outside;
}

bool OwnAddresses::isOurs(std::string_view host) const {
  // All of 127/8 is, of which an interface has one.
  if (host == settings_.get()->publicAddress || host.starts_with("127.") || host == "0.0.0.0" || host == "::") return true;
  std::lock_guard lock(mutex_);
  return ever_.contains(host);
}

bool OwnAddresses::stands(const std::string& ip) const {
  std::lock_guard lock(mutex_);
  return ip.starts_with("127.") || now_.contains(ip);
}

bool OwnAddresses::refresh() {
  auto found = addressesNow();
  std::lock_guard lock(mutex_);
  ways_.clear();
  if (found == now_) return false;
  ever_.insert(found.begin(), found.end());
  now_ = std::move(found);
  return true;
}

const std::string& FarEnd::now() {
  return farEnd;
}

void FarEnd::set(const std::string& ip) {
  farEnd = ip;
}

FarEnd::FarEnd(const std::string& ip) : before_(std::exchange(farEnd, ip)) {}

FarEnd::~FarEnd() {
  farEnd = std::move(before_);
}

}  // namespace pbx

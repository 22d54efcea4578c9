// Trunks by their addresses: whose request this is, and whose media.
#include <algorithm>

#include "parties.h"
#include "trunks.h"

namespace pbx {

std::string Trunks::byAddress(const std::string& ip, unsigned port) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, trunk] : trunks_) {
    for (const HostPort& address : trunk.addresses) {
      if (address.host == ip && address.port == port) return id;
    }
  }
  return "";
}

std::string Trunks::byIp(const std::string& ip) const {
  std::lock_guard lock(mutex_);
  for (const auto& [id, trunk] : trunks_) {
    if (anyContains(trunk.settings.allow, ip)) return id;
    for (const HostPort& address : trunk.addresses) {
      if (address.host == ip) return id;
    }
  }
  return "";
}

std::string Trunks::calledBy(const pjsip_rx_data* request, const HostPort& from, const std::string& otherwise) const {
  std::lock_guard lock(mutex_);
  std::vector<const TrunkSettings*> there, exact;
  for (const auto& [id, trunk] : trunks_) {
    bool known = anyContains(trunk.settings.allow, from.host), same = false;
    for (const HostPort& address : trunk.addresses) {
      known = known || address.host == from.host;
      same = same || (address.host == from.host && address.port == from.port);
    }
    if (known) there.push_back(&trunk.settings);
    if (same) exact.push_back(&trunk.settings);
  }
  if (there.size() < 2) return otherwise;
  // Only we wrote that, for this account.
  const std::string mark = markIn(request);
  for (const TrunkSettings* trunk : there) {
    if (mark == trunk->id) return trunk->id;
  }
  // Where several have one address and port, or none has this port, the request says which trunk it is for.
  if (!exact.empty()) there = exact;
  if (there.size() == 1) return there.front()->id;
  for (const TrunkSettings* trunk : there) {
    if (toContactOf(request, *trunk)) return trunk->id;
  }
  // It has to prove that name: another box calls from any port, and by no registration.
  const std::string caller = numberOf(request->msg_info.from->uri);
  for (const TrunkSettings* trunk : there) {
    if (trunk->authenticateInbound && !trunk->username.empty() && caller == numberOfUser(trunk->username)) return trunk->id;
  }
  for (const TrunkSettings* trunk : there) {
    const std::string called = calledOf(request, trunk);
    if (std::any_of(trunk->numbers.begin(), trunk->numbers.end(), [&](const std::string& own) { return sameNumber(own, called); })) return trunk->id;
  }
  return otherwise;
}

std::vector<IpRange> Trunks::ranges(const std::string& id) const {
  std::lock_guard lock(mutex_);
  std::vector<IpRange> ranges;
  const auto at = trunks_.find(id);
  if (at == trunks_.end()) return ranges;
  for (const Network& network : at->second.settings.allow) ranges.push_back(network.range());
  for (const HostPort& address : at->second.addresses) {
    SocketAddress parsed;
    if (SocketAddress::parse(address.host, 0, parsed)) ranges.push_back({parsed.ip, 128});
  }
  return ranges;
}

}  // namespace pbx

#include "network_changes.h"

#include <dirent.h>
#include <sys/socket.h>

#include <cstdlib>

#include "context.h"

namespace pbx {

namespace {

std::string localAddressOf(int descriptor) {
  sockaddr_storage own{}, far{};
  socklen_t ownSize = sizeof own, farSize = sizeof far;
  int type = 0;
  socklen_t typeSize = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &typeSize) != 0 || type != SOCK_STREAM) return "";
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &ownSize) != 0 || (own.ss_family != AF_INET && own.ss_family != AF_INET6)) return "";
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&far), &farSize) != 0) return "";
  char text[PJ_INET6_ADDRSTRLEN] = "";
  pj_sockaddr_print(&own, text, sizeof text, 0);
  return text;
}

// Nothing ever comes over a connection whose own address is gone, and TCP takes a quarter of an hour to find out. PJSIP reads
// the end of the stream and puts everything away on its own thread.
void endOrphans(const OwnAddresses& own) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    const std::string address = localAddressOf(descriptor);
    if (!address.empty() && !own.stands(address)) shutdown(descriptor, SHUT_RDWR);
  }
  closedir(folder);
}

}  // namespace

// Calls whose far end knows an address at which it no longer reaches us.
size_t NetworkChanges::offerAnew(int64_t now) {
  size_t count = 0;
  for (const auto& leg : context_.legs.all()) {
    std::string far, told;
    {
      std::lock_guard lock(context_.legs.mutex());
      if (!leg->answered) continue;
      far = leg->far;
      told = leg->told;
    }
    const std::string right = far.empty() ? "" : context_.ownAddresses.toldTo(far);
    // Where no way leads nothing can be said.
    if (right.empty() || right == told) continue;
    std::lock_guard lock(context_.legs.mutex());
    leg->offerAt = now;
    count++;
  }
  return count;
}

void NetworkChanges::sweep(int64_t now) {
  if (!watch_.fault().empty() && !told_) {
    told_ = true;
    context_.events.log("warn", "the kernel does not tell of changes of the network (" + watch_.fault() + "); ways are looked at every few seconds instead");
  }
  const NetworkWatch::Change change = watch_.sweep(now);
  if (!change.routes && !change.names) return;
  if (context_.ownAddresses.refresh()) endOrphans(context_.ownAddresses);
  if (change.names) context_.resolver.renew();
  const size_t lines = context_.trunks.networkChanged(change.names, now);
  const size_t calls = offerAnew(now);
  if (!change.names && lines == 0 && calls == 0) return;
  context_.events.log("info", std::string(change.names ? "the name servers have changed" : "the network has changed") + ": " + std::to_string(lines) + " trunks are registered anew, " + std::to_string(calls) + " calls are told their new address");
}

}  // namespace pbx

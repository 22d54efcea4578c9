#include "service.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace pbx {

namespace {

constexpr auto every = std::chrono::seconds(1);

}  // namespace

Service::Service() {
  const char* name = std::getenv("NOTIFY_SOCKET");
  if (name == nullptr || (name[0] != '/' && name[0] != '@') || std::strlen(name) >= sizeof(sockaddr_un::sun_path)) return;
  name_ = name;
  fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

Service::~Service() {
  if (fd_ >= 0) close(fd_);
}

void Service::ready() {
  tell("READY=1");
}

void Service::turn(const std::function<void(std::function<void()> answered)>& ask) {
  const auto now = std::chrono::steady_clock::now();
  if (fd_ < 0 || now < next_ || !answered_.exchange(false)) return;
  next_ = now + every;
  tell("WATCHDOG=1");
  ask([this] { answered_ = true; });
}

void Service::tell(const std::string& state) const {
  if (fd_ < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name_.data(), name_.size());
  socklen_t size = sizeof address;
  if (name_[0] == '@') {
    address.sun_path[0] = '\0';
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
  }
  sendto(fd_, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace pbx

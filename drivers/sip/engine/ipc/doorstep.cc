#include "doorstep.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pbx {

bool Doorstep::open(const std::string& path, unsigned mode, std::string& why) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    why = "its path has more than " + std::to_string(sizeof address.sun_path - 1) + " characters";
    return false;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool taken = probe >= 0 && (connect(probe, name, sizeof address) == 0 || errno == EAGAIN);
  if (probe >= 0) ::close(probe);
  if (taken) {
    why = "another engine listens there";
    return false;
  }
  unlink(path.c_str());
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ >= 0 && bind(fd_, name, sizeof address) == 0 && chmod(path.c_str(), mode) == 0 && listen(fd_, 4) == 0) {
    path_ = path;
    return true;
  }
  why = std::strerror(errno);
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  return false;
}

int Doorstep::accept(std::chrono::milliseconds atMost) {
  pollfd waiting{fd_, POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(atMost.count())) <= 0) return -1;
  return accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
}

void Doorstep::close() {
  if (fd_ < 0) return;
  unlink(path_.c_str());
  ::close(fd_);
  fd_ = -1;
}

}  // namespace pbx

// Notices that this machine's network has changed: the kernel reports addresses and routes (netlink), and a file names the
// name servers.
#pragma once
#include <cstdint>
#include <string>

namespace pbx {

class NetworkWatch {
 public:
  struct Change {
    bool routes = false;  // addresses or ways, perhaps
    bool names = false;   // the name servers
  };

  NetworkWatch();
  ~NetworkWatch();
  NetworkWatch(const NetworkWatch&) = delete;
  NetworkWatch& operator=(const NetworkWatch&) = delete;

  // "" while the kernel reports changes; else why it does not. A change of the routes is then assumed every few seconds.
  const std::string& fault() const { return fault_; }
  // Never waits. What has changed since the last time, once it has been quiet for a second: an interface that comes up says so
  // many times. One thread, some times a second; `now`: steady, ms.
  Change sweep(int64_t now);

 private:
  bool heard();
  bool namesChanged(int64_t now);
  int socket_ = -1;
  std::string fault_, names_;
  int64_t firstHeard_ = 0, lastHeard_ = 0, nextNames_ = 0, nextDoubt_ = 0;
};

}  // namespace pbx

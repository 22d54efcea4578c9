// Reports to systemd (sd_notify(3)) that the engine waits for the daemon, and that it is alive. The watchdog message is sent
// only when all threads have answered. When it stays away, systemd ends this process and starts another.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <string>

namespace pbx {

class Service {
 public:
  // Sends nothing where no service manager has asked for it (NOTIFY_SOCKET).
  Service();
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // It listens.
  void ready();
  // Often: `ask` is called once a second, and has `answered` called by the last of the threads that it asked.
  void turn(const std::function<void(std::function<void()> answered)>& ask);

 private:
  void tell(const std::string& state) const;

  int fd_ = -1;
  std::string name_;
  std::chrono::steady_clock::time_point next_{};
  std::atomic<bool> answered_{true};
};

}  // namespace pbx

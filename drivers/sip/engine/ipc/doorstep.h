// Where a daemon finds this engine: a unix stream socket under a path that only the service may enter. It listens from the start, so that no
// moment is missed, and takes nobody in before it is asked to.
#pragma once
#include <chrono>
#include <string>

namespace pbx {

class Doorstep {
 public:
  ~Doorstep() { close(); }
  // Takes the path over from an engine that is gone; false: another one listens there, or it cannot be had. A user that may
  // write to a file of `mode` may enter.
  bool open(const std::string& path, unsigned mode, std::string& why);
  bool isOpen() const { return fd_ >= 0; }
  // The descriptor of a daemon that has connected; -1 if none connected within `atMost`.
  int accept(std::chrono::milliseconds atMost);
  // From now on a daemon that connects finds nothing here, and starts an engine.
  void close();

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace pbx

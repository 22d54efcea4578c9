// pbx-engine as a child of the fuzzer: started with the socket pair of the protocol, configured, watched for its end.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fuzz {

class EngineProcess {
 public:
  // Its standard error (the sanitizers' reports) goes to `errorFile`.
  EngineProcess(const std::string& program, const std::string& errorFile, bool append);
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  void send(const nlohmann::json& message);
  void sendFrame(uint8_t kind, const std::string& payload);
  // Bytes as they are.
  void write(const std::string& bytes);
  // The next message that has arrived; null when there is none within `waitMs` or the engine has gone.
  nlohmann::json receive(int waitMs);
  // Waits for a message of that type, keeping the others for receive(); null after `waitMs`.
  nlohmann::json await(const std::string& type, int waitMs);
  bool alive();
  // Ends the link, as the daemon would; the exit status as waitpid() gives it, -1 when the engine had to be killed.
  int finish(int waitMs);
  std::string statusText() const;

 private:
  bool readMore(int waitMs);
  int fd_ = -1;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false, closed_ = false;
  std::vector<uint8_t> buffer_;
  std::deque<nlohmann::json> messages_;
};

}  // namespace fuzz

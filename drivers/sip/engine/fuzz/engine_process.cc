#include "engine_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace fuzz {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

EngineProcess::EngineProcess(const std::string& program, const std::string& errorFile, bool append) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) throw std::runtime_error("no socket pair");
  const std::string path = std::filesystem::absolute(program);
  const std::string folder = errorFile.substr(0, errorFile.find_last_of('/') + 1);
  const int errors = open(errorFile.c_str(), O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0644);
  if (errors < 0) throw std::runtime_error("cannot write " + errorFile);
  pid_ = fork();
  if (pid_ == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(errors, 1);
    dup2(errors, 2);
    // dup2 onto itself would leave the descriptor to be closed by exec.
    if (pair[1] == 3) {
      fcntl(3, F_SETFD, 0);
    } else {
      dup2(pair[1], 3);
    }
    // Odd names of recordings are files below the fuzzer's folder.
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(126);
    setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99:allocator_may_return_null=0", 0);
    setenv("UBSAN_OPTIONS", "print_stacktrace=1", 0);
    execl(path.c_str(), program.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(errors);
  close(pair[1]);
  fd_ = pair[0];
}

EngineProcess::~EngineProcess() {
  if (!ended_) finish(3000);
}

void EngineProcess::send(const json& message) {
  sendFrame(1, message.dump(-1, ' ', false, json::error_handler_t::replace));
}

void EngineProcess::sendFrame(uint8_t kind, const std::string& payload) {
  const auto length = static_cast<uint32_t>(payload.size() + 1);
  std::string frame(5, '\0');
  for (int i = 0; i < 4; i++) frame[static_cast<size_t>(i)] = static_cast<char>(length >> (8 * i));
  frame[4] = static_cast<char>(kind);
  write(frame + payload);
}

void EngineProcess::write(const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) {
      closed_ = true;
      return;
    }
    sent += static_cast<size_t>(n);
  }
}

bool EngineProcess::readMore(int waitMs) {
  pollfd ready{fd_, POLLIN, 0};
  if (closed_ || poll(&ready, 1, waitMs) <= 0) return false;
  uint8_t bytes[65536];
  const ssize_t n = recv(fd_, bytes, sizeof bytes, 0);
  if (n <= 0) {
    closed_ = true;
    return false;
  }
  buffer_.insert(buffer_.end(), bytes, bytes + n);
  size_t at = 0;
  while (buffer_.size() - at >= 5) {
    uint32_t length = 0;
    std::memcpy(&length, buffer_.data() + at, 4);
    if (buffer_.size() - at < 4 + size_t{length}) break;
    if (buffer_[at + 4] == 1) {
      json message = json::parse(buffer_.begin() + static_cast<ptrdiff_t>(at + 5), buffer_.begin() + static_cast<ptrdiff_t>(at + 4 + length), nullptr, false);
      if (!message.is_object()) throw std::runtime_error("the engine sent a frame that is not a JSON object");
      messages_.push_back(std::move(message));
    }
    at += 4 + length;
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(at));
  return true;
}

json EngineProcess::receive(int waitMs) {
  if (messages_.empty()) readMore(waitMs);
  if (messages_.empty()) return nullptr;
  json message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

json EngineProcess::await(const std::string& type, int waitMs) {
  const auto until = Clock::now() + std::chrono::milliseconds(waitMs);
  for (size_t seen = 0;;) {
    for (; seen < messages_.size(); seen++) {
      if (messages_[seen].value("t", "") != type) continue;
      json found = std::move(messages_[seen]);
      messages_.erase(messages_.begin() + static_cast<ptrdiff_t>(seen));
      return found;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0 || closed_) return nullptr;
    readMore(static_cast<int>(left));
  }
}

bool EngineProcess::alive() {
  if (ended_) return false;
  if (waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
  return !ended_;
}

int EngineProcess::finish(int waitMs) {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  closed_ = true;
  const auto until = Clock::now() + std::chrono::milliseconds(waitMs);
  while (alive() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!ended_) {
    // SIGABRT lets a sanitizer or a debugger say where it stood.
    kill(pid_, SIGABRT);
    waitpid(pid_, &status_, 0);
    ended_ = true;
    return -1;
  }
  return status_;
}

std::string EngineProcess::statusText() const {
  if (WIFSIGNALED(status_)) return std::string("ended by signal ") + strsignal(WTERMSIG(status_));
  return "exited with " + std::to_string(WEXITSTATUS(status_));
}

}  // namespace fuzz

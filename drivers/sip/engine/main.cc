// pbx-engine [--standby PATH]: SIP, RTP and the media clock of pbxd, as a process of its own. Started by the daemon with a stream socket
// as descriptor 3 (see PROTOCOL.md); the end of that socket is the order to end all calls and to stop. With a path, calls that the daemon
// has marked stay, and the next daemon finds them there.
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "ipc/doorstep.h"
#include "ipc/frame.h"
#include "media/media.h"
#include "sip/control.h"

namespace {

constexpr int linkDescriptor = 3;
constexpr auto sweepEvery = std::chrono::milliseconds(250);
constexpr auto farewell = std::chrono::milliseconds(2000);
// So long calls stay without a daemon; and so long their ends are kept for it, where none stands any more.
constexpr auto longestAlone = std::chrono::seconds(60), longestIdle = std::chrono::seconds(10);

struct End {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
};

// BYE, CANCEL or a refusal for every call, and the time for the answers to come in.
void endCalls() {
  pjsua_call_hangup_all();
  const auto until = std::chrono::steady_clock::now() + farewell;
  while (pjsua_call_get_count() > 0 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// Serves the daemon until it is gone.
void serve(pbx::Link& link, pbx::Control& control) {
  End end;
  link.start([&](pbx::FrameKind kind, std::span<const uint8_t> payload) { return control.onFrame(kind, payload); },
             [&](const std::string& fault) {
               if (!fault.empty()) pbx::logLine("ERROR", "the link to the daemon ended: " + fault);
               std::lock_guard lock(end.mutex);
               end.reached = true;
               end.changed.notify_all();
             });
  std::unique_lock lock(end.mutex);
  while (!end.changed.wait_for(lock, sweepEvery, [&] { return end.reached; })) {
    lock.unlock();
    control.sweep();
    lock.lock();
  }
}

// The connection of the next daemon; -1: nobody comes for these calls.
int awaitDaemon(pbx::Doorstep& doorstep, pbx::Control& control) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto until = now() + longestAlone;
  auto standing = now();
  while (now() < until && now() < standing + longestIdle) {
    if (const int fd = doorstep.accept(sweepEvery); fd >= 0) return fd;
    if (control.sweepStandingBy()) standing = now();
  }
  return -1;
}

}  // namespace

int main(int count, char** arguments) {
  sockaddr_storage name;
  socklen_t size = sizeof name;
  if (getsockname(linkDescriptor, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    std::fprintf(stderr, "ERROR pbx-engine is started by pbxd: descriptor %d must be a stream socket\n", linkDescriptor);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  // PJLIB stops accepting connections for good when descriptors ran out once.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  // Few threads allocate: more arenas would only keep memory.
  mallopt(M_ARENA_MAX, 2);

  pbx::Doorstep doorstep;
  std::string why;
  if (count == 3 && std::strcmp(arguments[1], "--standby") == 0 && !doorstep.open(arguments[2], why)) {
    pbx::logLine("WARN", "talks will end with the daemon: " + std::string(arguments[2]) + ": " + why);
  }
  auto media = pbx::makeMedia();
  int code = 0;
  {
    auto link = std::make_shared<pbx::Link>(linkDescriptor);
    pbx::Context context(link, *media);
    why.clear();
    media->start(context.events, why);
    pbx::Control control(context, why);
    for (;;) {
      serve(*link, control);
      if (!doorstep.isOpen() || !control.standBy()) break;
      link->stop(std::chrono::milliseconds(0));
      pbx::logLine("WARN", "the daemon is gone: calls that are to outlive it stay");
      const int fd = awaitDaemon(doorstep, control);
      if (fd < 0) break;
      link = std::make_shared<pbx::Link>(fd);
      control.welcome();
      context.events.attach(link);
    }
    doorstep.close();
    if (control.wrongVersion()) code = 3;
    if (control.started()) {
      pbx::registerThread();
      context.textReceiver.stop();
      context.watchers.stop();
      endCalls();
      context.textSender.stop();
      context.transfers.stop();
      media->stop();
      context.resolver.stop();
      context.endpoint.destroy();
    } else {
      media->stop();
    }
    link->stop(std::chrono::milliseconds(200));
  }
  return code;
}

// pbx-engine [--standby PATH]: SIP, RTP and the media clock of pbxd, as a process of its own. Started by the daemon with a
// stream socket as descriptor 3 (see PROTOCOL.md); the end of that socket is the order to end all calls and to stop. With a
// path, calls that the daemon has marked stay, and the next daemon finds them there. pbx-engine --serve PATH: a service of
// its own (systemd/pbxd-engine.service). It also waits at PATH for the first daemon, and SIGTERM is an order to end all
// calls; systemd restarts it whenever it has ended.
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "ipc/doorstep.h"
#include "ipc/frame.h"
#include "ipc/service.h"
#include "media/media.h"
#include "sip/control.h"

namespace {

constexpr int linkDescriptor = 3;
constexpr auto sweepEvery = std::chrono::milliseconds(250);
constexpr auto farewell = std::chrono::milliseconds(2000);
// So long calls stay without a daemon; and so long their ends are kept for it, where none stands any more.
constexpr auto longestAlone = std::chrono::seconds(60), longestIdle = std::chrono::seconds(10);

// Users of the socket of a service: its own user and its group, which the daemon belongs to.
constexpr unsigned forGroup = 0660, forUser = 0600;

std::atomic<bool> stopOrdered{false};

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

void live(pbx::Service& service, pbx::Control& control) {
  service.turn([&control](std::function<void()> answered) { control.ask(std::move(answered)); });
}

// Serves the daemon until it is gone, or the end is ordered.
void serve(pbx::Link& link, pbx::Control& control, pbx::Service& service) {
  End end;
  link.start([&](pbx::FrameKind kind, std::span<const uint8_t> payload) { return control.onFrame(kind, payload); },
             [&](const std::string& fault) {
               if (!fault.empty()) pbx::logLine("ERROR", "the link to the daemon ended: " + fault);
               std::lock_guard lock(end.mutex);
               end.reached = true;
               end.changed.notify_all();
             });
  std::unique_lock lock(end.mutex);
  while (!stopOrdered && !end.changed.wait_for(lock, sweepEvery, [&] { return end.reached; })) {
    lock.unlock();
    control.sweep();
    live(service, control);
    lock.lock();
  }
}

// The connection of the first daemon of a service; -1: the end is ordered.
int awaitFirst(pbx::Doorstep& doorstep, pbx::Service& service) {
  while (!stopOrdered) {
    if (const int fd = doorstep.accept(sweepEvery); fd >= 0) return fd;
    service.turn([](std::function<void()> answered) { answered(); });
  }
  return -1;
}

// The connection of the next daemon; -1: nobody comes for these calls, or the end is ordered. A service waits without an end: phones can call for
// help meanwhile.
int awaitNext(pbx::Doorstep& doorstep, pbx::Control& control, pbx::Service& service, bool serves) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto until = now() + longestAlone;
  auto standing = now();
  while (!stopOrdered && (serves || (now() < until && now() < standing + longestIdle))) {
    if (const int fd = doorstep.accept(sweepEvery); fd >= 0) return fd;
    if (control.sweepStandingBy()) standing = now();
    live(service, control);
  }
  return -1;
}

// Daemons, from the first to the last; then all calls are ended. The exit status.
int run(int fd, pbx::Doorstep& doorstep, pbx::Service& service, bool serves) {
  auto media = pbx::makeMedia();
  auto link = std::make_shared<pbx::Link>(fd);
  pbx::Context context(link, *media);
  std::string why;
  media->start(context.events, why);
  pbx::Control control(context, why);
  for (;;) {
    serve(*link, control, service);
    if (stopOrdered || !doorstep.isOpen() || !control.standBy()) break;
    link->stop(std::chrono::milliseconds(0));
    pbx::logLine("WARN", "the daemon is gone: calls that are to outlive it stay, and phones can call for help");
    const int next = awaitNext(doorstep, control, service, serves);
    if (next < 0) break;
    link = std::make_shared<pbx::Link>(next);
    control.welcome();
    context.events.attach(link);
  }
  doorstep.close();
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
  return control.wrongVersion() ? 3 : 0;
}

bool isSocket(int fd) {
  sockaddr_storage name;
  socklen_t size = sizeof name;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0;
}

// What the system grants to this process, and what it does not let others do to it.
void settle(bool serves) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, serves ? [](int) { stopOrdered = true; } : SIG_IGN);
  // PJLIB stops accepting connections for good when descriptors ran out once.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  // Few threads allocate: more arenas would only keep memory.
  mallopt(M_ARENA_MAX, 2);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count == 3 ? arguments[1] : "";
  const bool serves = mode == "--serve";
  if (!serves && !isSocket(linkDescriptor)) {
    std::fprintf(stderr, "ERROR pbx-engine is started by pbxd: descriptor %d must be a stream socket\n", linkDescriptor);
    return 2;
  }
  settle(serves);
  pbx::Service service;
  pbx::Doorstep doorstep;
  std::string why;
  if (!serves) {
    if (mode == "--standby" && !doorstep.open(arguments[2], forUser, why)) {
      pbx::logLine("WARN", "talks will end with the daemon: " + std::string(arguments[2]) + ": " + why);
    }
    return run(linkDescriptor, doorstep, service, serves);
  }
  // What it writes is for the daemon as well.
  umask(0007);
  if (!doorstep.open(arguments[2], forGroup, why)) {
    pbx::logLine("ERROR", std::string(arguments[2]) + " cannot be listened on: " + why);
    return 1;
  }
  service.ready();
  const int fd = awaitFirst(doorstep, service);
  return fd < 0 ? 0 : run(fd, doorstep, service, serves);
}

// pbx-engine: SIP, RTP and the media clock of pbxd, as a process of its own. Started by the daemon with a stream socket as
// descriptor 3 (see PROTOCOL.md); the end of that socket is the order to end all calls and to stop.
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "ipc/frame.h"
#include "media/media.h"
#include "sip/control.h"

namespace {

constexpr int linkDescriptor = 3;
constexpr auto sweepEvery = std::chrono::milliseconds(250);
constexpr auto farewell = std::chrono::milliseconds(2000);

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

}  // namespace

int main() {
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

  End end;
  auto media = pbx::makeMedia();
  int code = 0;
  {
    pbx::Link link(linkDescriptor);
    pbx::Context context(link, *media);
    std::string why;
    media->start(context.events, why);
    pbx::Control control(context, why);
    const auto stop = [&] {
      std::lock_guard lock(end.mutex);
      end.reached = true;
      end.changed.notify_all();
    };
    link.start([&](pbx::FrameKind kind, std::span<const uint8_t> payload) { return control.onFrame(kind, payload); },
               [&](const std::string& fault) {
                 if (!fault.empty()) pbx::logLine("ERROR", "the link to the daemon ended: " + fault);
                 stop();
               });
    std::unique_lock lock(end.mutex);
    while (!end.changed.wait_for(lock, sweepEvery, [&] { return end.reached; })) {
      lock.unlock();
      control.sweep();
      lock.lock();
    }
    lock.unlock();
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
    link.stop(std::chrono::milliseconds(200));
  }
  return code;
}

#include "packet_thread.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "../media/priority.h"

namespace {
thread_local bool forMedia = false;
std::atomic<unsigned> expected{0};
}  // namespace

// PJMEDIA's own thread, which would wake up for every packet, is never started (Makefile).
extern "C" pj_status_t __real_pjmedia_endpt_create2(pj_pool_factory* factory, pj_ioqueue_t* sockets, unsigned threads, pjmedia_endpt** endpoint);
extern "C" pj_status_t __real_pj_ioqueue_create(pj_pool_t* pool, pj_size_t most, pj_ioqueue_t** queue);
extern "C" pj_status_t __wrap_pjmedia_endpt_create2(pj_pool_factory* factory, pj_ioqueue_t* sockets, unsigned, pjmedia_endpt** endpoint) {
  forMedia = true;
  const pj_status_t status = __real_pjmedia_endpt_create2(factory, sockets, 0, endpoint);
  forMedia = false;
  return status;
}
// A queue has its memory from the start, 1 kB a socket: that of media as much as the calls need, whatever PJ_IOQUEUE_MAX_HANDLES says.
extern "C" pj_status_t __wrap_pj_ioqueue_create(pj_pool_t* pool, pj_size_t most, pj_ioqueue_t** queue) {
  return __real_pj_ioqueue_create(pool, forMedia ? std::max<pj_size_t>(expected, 16) : most, queue);
}

namespace pbx {

namespace {

// A part of the clock's 20 ms. Most of what a look costs is the sleep before it.
constexpr int64_t periodNs = 5'000'000;
// The same after packets that were awaited, so that many calls do not wake this thread up one by one.
constexpr int64_t awaitedNs = 2'500'000;
// 1 ms before the clock's (media/clock.cc): what has come by then is heard in this tick and not in the next, and neither is in the
// other's way. Off the kernel's ticks as that is.
constexpr int64_t phaseNs = 1'500'000;
// While there are calls no packet wakes this thread up. After 100 ms without any the next one does.
constexpr unsigned emptyLooks = 20;
constexpr pj_time_val idle{0, 50};
constexpr pj_time_val now{0, 0};

void sleepToNextLook(int64_t periodNs) {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  const int64_t ns = at.tv_sec * 1'000'000'000LL + at.tv_nsec;
  const int64_t next = (ns - phaseNs) / periodNs * periodNs + periodNs + phaseNs;
  at.tv_sec = static_cast<time_t>(next / 1'000'000'000);
  at.tv_nsec = static_cast<long>(next % 1'000'000'000);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

}  // namespace

void PacketThread::expect(unsigned sockets) {
  expected = sockets;
}

bool PacketThread::start(pj_ioqueue_t* sockets, Media& media, std::string& why) {
  running_ = true;
  try {
    thread_ = std::thread([this, sockets, &media] { run(sockets, media); });
  } catch (const std::system_error& error) {
    running_ = false;
    why = std::string("the thread that receives audio could not be started: ") + error.what();
    return false;
  }
  pthread_setname_np(thread_.native_handle(), "media-packets");
  // It holds locks that the clock takes, too, and a busy machine must not keep it waiting. Where the system grants no priority the
  // clock has said so already.
  raisePriority(thread_.native_handle(), packetPriority);
  return true;
}

void PacketThread::stop() {
  running_ = false;
  if (thread_.joinable()) thread_.join();
}

void PacketThread::run(pj_ioqueue_t* sockets, Media& media) {
  registerThread();
  unsigned empty = 0;
  while (running_) {
    const bool awaited = media.awaitsPackets();
    // A socket gives one packet for each look into the queue; what came at once is taken at once.
    int served = pj_ioqueue_poll(sockets, !awaited && empty < emptyLooks ? &now : &idle);
    empty = served > 0 ? 0 : std::min(empty + 1, emptyLooks);
    while (served > 0 && running_) served = pj_ioqueue_poll(sockets, &now);
    if (awaited && empty == 0) media.packetsArrived();
    sleepToNextLook(awaited ? awaitedNs : periodNs);
  }
}

}  // namespace pbx

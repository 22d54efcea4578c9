// The thread that takes RTP and RTCP off the sockets of all calls. It looks at them at fixed moments: one wake-up serves
// every packet that has come since the last one. What that may cost a packet is below what the jitter buffer and the clock
// notice. While audio is awaited elsewhere (Media::awaitsPackets) a packet wakes it up.
#pragma once
#include <atomic>
#include <string>
#include <thread>

#include "../media/media.h"
#include "pj.h"

namespace pbx {

class PacketThread {
 public:
  ~PacketThread() { stop(); }
  // `sockets`: PJMEDIA's event queue. false: there is no such thread, and `why` says so.
  // Before PJMEDIA starts: the queue is to have room for so many sockets.
  void expect(unsigned sockets);
  bool start(pj_ioqueue_t* sockets, Media& media, std::string& why);
  void stop();

 private:
  void run(pj_ioqueue_t* sockets, Media& media);
  std::thread thread_;
  std::atomic<bool> running_{false};
};

}  // namespace pbx

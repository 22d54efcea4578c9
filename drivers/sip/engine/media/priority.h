// Real-time priorities of this program's threads. The clock comes before what feeds it: a received packet may wait a moment,
// a tick may not.
#pragma once
#include <pthread.h>

#include <string>

namespace pbx {

inline constexpr int clockPriority = 20, packetPriority = 10;

// Gives the thread SCHED_FIFO of that priority, or of as much of it as the limit RTPRIO leaves; "" when it got it, else why not.
std::string raisePriority(pthread_t thread, int priority);

}  // namespace pbx

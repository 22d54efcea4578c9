#include "priority.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pbx {

std::string raisePriority(pthread_t thread, int priority) {
  rlimit limit{};
  getrlimit(RLIMIT_RTPRIO, &limit);
  if (limit.rlim_cur < static_cast<rlim_t>(clockPriority) && limit.rlim_max > limit.rlim_cur) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, clockPriority);
    setrlimit(RLIMIT_RTPRIO, &limit);
  }
  sched_param wanted{};
  wanted.sched_priority = priority;
  int error = pthread_setschedparam(thread, SCHED_FIFO, &wanted);
  if (error == EPERM && limit.rlim_cur > 0) {
    // The order among the threads stays as it is meant, as far as the limit has room for one.
    const int most = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, clockPriority));
    wanted.sched_priority = std::max(1, most * priority / clockPriority);
    error = pthread_setschedparam(thread, SCHED_FIFO, &wanted);
  }
  if (error == 0) return "";
  if (error == EPERM) {
    return "the system does not grant this program real-time priority (the limit RTPRIO is " + std::to_string(limit.rlim_max) +
           "); set LimitRTPRIO=20 in the service, or give it the capability CAP_SYS_NICE";
  }
  return std::string("real-time priority was refused: ") + std::strerror(error);
}

}  // namespace pbx

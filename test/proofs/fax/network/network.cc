// A bad network between two network namespaces, for programs that know nothing of it: each namespace has one interface whose
// packets pass through here, where they are lost, held up and let overtake each other. What tc netem does in a kernel that has it.
//   network [-l loss] [-d delay ms] [-j jitter ms] [-s seed]        as root
// loss: share of packets, 0 to 1. jitter: mean of a further delay, exponential. Addresses: 10.77.0.1 and 10.77.0.2. Says
// "ready PID PID" when both are there: processes that stay in the namespaces, for nsenter. Ends with its standard input.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Weather {
  double loss = 0, delayMs = 0, jitterMs = 0;
  unsigned seed = 1;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

void command(const std::string& words) {
  if (std::system(words.c_str()) != 0) {
    std::fprintf(stderr, "network: %s\n", words.c_str());
    std::exit(2);
  }
}

struct Side {
  int device = -1;
  pid_t holder = 0;
};

// A namespace of its own for this process, and a child that stays in it.
Side open(const std::string& own, const std::string& other) {
  if (unshare(CLONE_NEWNET) != 0) fail("unshare");
  Side side;
  side.device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (side.device < 0) fail("/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strcpy(request.ifr_name, "line");
  if (ioctl(side.device, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
  command("ip link set lo up && ip addr add " + own + " peer " + other + " dev line && ip link set line up");
  side.holder = fork();
  if (side.holder < 0) fail("fork");
  if (side.holder == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  return side;
}

// One direction.
class Way {
 public:
  Way(int from, int to, const Weather& weather, unsigned seed) : from_(from), to_(to), weather_(weather), random_(seed) {}

  void take() {
    char packet[4096];
    for (ssize_t size; (size = read(from_, packet, sizeof packet)) > 0;) {
      if (std::uniform_real_distribution<>(0, 1)(random_) < weather_.loss) continue;
      double ms = weather_.delayMs;
      if (weather_.jitterMs > 0) ms += std::exponential_distribution<>(1 / weather_.jitterMs)(random_);
      held_.emplace(Clock::now() + std::chrono::microseconds(std::lround(ms * 1000)), std::string(packet, static_cast<size_t>(size)));
    }
  }

  void give(Clock::time_point now) {
    for (; !held_.empty() && held_.begin()->first <= now; held_.erase(held_.begin())) {
      const std::string& packet = held_.begin()->second;
      if (write(to_, packet.data(), packet.size()) < 0) continue;  // lost as well
    }
  }

  Clock::time_point due() const { return held_.empty() ? Clock::time_point::max() : held_.begin()->first; }
  int from() const { return from_; }

 private:
  const int from_, to_;
  const Weather weather_;
  std::mt19937 random_;
  std::multimap<Clock::time_point, std::string> held_;
};

}  // namespace

int main(int count, char** words) {
  Weather weather;
  for (int option; (option = getopt(count, words, "l:d:j:s:")) != -1;) {
    const double number = option == '?' ? 0 : std::atof(optarg);
    if (option == 'l') weather.loss = number;
    else if (option == 'd') weather.delayMs = number;
    else if (option == 'j') weather.jitterMs = number;
    else if (option == 's') weather.seed = static_cast<unsigned>(number);
    else return 2;
  }
  const Side one = open("10.77.0.1", "10.77.0.2"), two = open("10.77.0.2", "10.77.0.1");
  Way there(one.device, two.device, weather, weather.seed * 2), back(two.device, one.device, weather, weather.seed * 2 + 1);
  std::printf("ready %d %d\n", one.holder, two.holder);
  std::fflush(stdout);
  for (;;) {
    pollfd watched[] = {{0, POLLIN, 0}, {there.from(), POLLIN, 0}, {back.from(), POLLIN, 0}};
    const auto due = std::min(there.due(), back.due());
    timespec wait{1, 0};
    const auto now = Clock::now();
    if (due <= now) {
      wait = {0, 0};
    } else if (due - now < std::chrono::seconds(1)) {
      wait = {0, std::chrono::nanoseconds(due - now).count()};
    }
    ppoll(watched, 3, &wait, nullptr);
    if (watched[0].revents != 0) break;
    there.take();
    back.take();
    const auto then = Clock::now();
    there.give(then);
    back.give(then);
  }
  for (const pid_t holder : {one.holder, two.holder}) {
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
  }
}

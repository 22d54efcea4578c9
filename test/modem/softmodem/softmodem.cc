// Two Class 1 modems (spandsp's T.31) on two pseudo terminals, joined by a telephone line in memory: the rig of the modem
// tests. softmodem [-d delay ms] [-s speed] LINK:NUMBER[:NAME] LINK:NUMBER[:NAME]
//
// Special numbers: 90 busy, 91 no dial tone, 92 no answer, 93 answers and is silent, 94 answers and hangs up after 3 s,
// 95 the firmware's DELAYED, 96 its BLACKLISTED. Orders, one a line on standard input: "unplug N", "plug N", "mute N"
// (stops answering), "unmute N", "ring N NUMBER" (rings without a caller), "drop" (the exchange ends the call). Modems
// count from 0. Says "ready" when both terminals are there.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <spandsp.h>

namespace {

constexpr int block = 160;  // 20 ms
constexpr int ringPeriod = 6000, noAnswerAfter = 20000, dropLag = 800;

int delayBlocks = 3;

struct Modem {
  int index = 0;
  std::string link, number, name;
  t31_state_t* t31 = nullptr;
  int master = -1, slave = -1;
  bool clear = true;  // clear to send: the modem takes bytes
  bool muted = false;
  bool offHook = false, inCall = false;
  Modem* peer = nullptr;      // dialled, or ringing from
  std::string special;        // a number that no modem has
  long sinceDial = -1, sinceRing = -1, sinceAnswer = -1, sinceDrop = -1;
  bool connected = false;
  std::string ringFrom;       // "ring" order
  std::deque<std::array<int16_t, block>> wire;  // on the way to this modem

  at_state_t* at() { return reinterpret_cast<at_state_t*>(t31); }           // its first member
  at_profile_t* profile() { return reinterpret_cast<at_profile_t*>(t31); }  // and that one's
};

std::array<Modem, 2> modems;

void plug(Modem& m) {
  if (m.master >= 0) return;
  char name[128];
  termios raw;
  if (openpty(&m.master, &m.slave, name, nullptr, nullptr) != 0) std::exit(2);
  tcgetattr(m.slave, &raw);
  cfmakeraw(&raw);
  tcsetattr(m.slave, TCSANOW, &raw);
  fcntl(m.master, F_SETFL, O_NONBLOCK);
  unlink(m.link.c_str());
  if (symlink(name, m.link.c_str()) != 0) std::exit(2);
}

void unplug(Modem& m) {
  if (m.master < 0) return;
  unlink(m.link.c_str());
  close(m.slave);
  close(m.master);
  m.master = m.slave = -1;
}

int toTerminal(at_state_t*, void* user, const uint8_t* bytes, size_t count) {
  auto& m = *static_cast<Modem*>(user);
  if (m.master >= 0 && !m.muted && write(m.master, bytes, count) < 0) return -1;
  return 0;
}

void lost(Modem& m) {
  if (m.inCall) {
    m.inCall = false;
    m.wire.clear();
    t31_call_event(m.t31, AT_CALL_EVENT_HANGUP);
  }
}

void hangUp(Modem& m) {
  m.offHook = m.connected = false;
  m.special.clear();
  m.sinceDial = m.sinceAnswer = -1;
  Modem* other = m.peer;
  m.peer = nullptr;
  if (other != nullptr && other->peer == &m) {
    if (other->inCall) other->sinceDrop = 0;  // the last of the audio is still on its way
    else other->sinceRing = -1, other->peer = nullptr;
  }
  m.inCall = false;
}

int control(t31_state_t*, void* user, int operation, const char* number) {
  auto& m = *static_cast<Modem*>(user);
  switch (operation) {
    case AT_MODEM_CONTROL_CALL: {
      std::string digits;
      for (const char* c = number; c != nullptr && *c != 0; c++)
        if (*c >= '0' && *c <= '9') digits += *c;
      m.offHook = true;
      m.sinceDial = 0;
      Modem& other = modems[1 - m.index];
      if (digits == other.number) {
        if (other.offHook || other.master < 0) m.special = "90";
        else m.peer = &other;
      } else {
        m.special = digits;
      }
      break;
    }
    case AT_MODEM_CONTROL_ANSWER:
      m.offHook = true;
      m.sinceAnswer = 0;
      break;
    case AT_MODEM_CONTROL_HANGUP:
    case AT_MODEM_CONTROL_ONHOOK:
      hangUp(m);
      break;
    case AT_MODEM_CONTROL_OFFHOOK:
      m.offHook = true;
      break;
    case AT_MODEM_CONTROL_CTS:
      m.clear = number != nullptr;
      break;
    default:
      break;
  }
  return 0;
}

void fail(Modem& m, const char* words) {
  at_put_response(m.at(), words);
  at_set_at_rx_mode(m.at(), AT_MODE_ONHOOK_COMMAND);
  hangUp(m);
}

void ring(Modem& m, const std::string& number, const std::string& name) {
  if (m.sinceRing == 0) {
    at_reset_call_info(m.at());
    at_set_call_info(m.at(), "DATE", "1121");
    at_set_call_info(m.at(), "TIME", "0640");
    at_set_call_info(m.at(), "NAME", name.c_str());
    at_set_call_info(m.at(), "NMBR", number.c_str());
  }
  if (m.sinceRing % ringPeriod == 0) t31_call_event(m.t31, AT_CALL_EVENT_ALERTING);
  m.sinceRing += 20;
}

void exchange(Modem& m) {
  if (m.sinceDrop >= 0 && (m.sinceDrop += 20) > dropLag) {
    m.sinceDrop = -1;
    m.peer = nullptr;
    lost(m);
  }
  if (!m.ringFrom.empty()) {
    ring(m, m.ringFrom, "");
    if (m.sinceRing > 3 * ringPeriod || m.sinceAnswer >= 0) m.ringFrom.clear(), m.sinceRing = -1;
  }
  if (m.sinceAnswer >= 0 && !m.inCall) {
    m.sinceAnswer = -1;
    if (m.peer != nullptr && m.peer->peer == &m) {
      m.sinceRing = -1;
      m.inCall = m.peer->inCall = true;
      m.peer->sinceDial = -1;
      t31_call_event(m.t31, AT_CALL_EVENT_ANSWERED);
      t31_call_event(m.peer->t31, AT_CALL_EVENT_CONNECTED);
    } else {
      t31_call_event(m.t31, AT_CALL_EVENT_ANSWERED);  // nobody is there: it plays to the exchange
    }
  }
  if (m.sinceDial < 0) return;
  m.sinceDial += 20;
  const long waited = m.sinceDial;
  if (m.peer != nullptr && waited > 500) {
    Modem& other = *m.peer;
    if (other.peer == nullptr && !other.offHook) other.peer = &m, other.sinceRing = 0;
    if (other.peer == &m && !other.offHook) ring(other, m.number, m.name);
    if (waited > 60000) fail(m, "NO ANSWER");
  } else if (m.special == "91") {
    if (waited > 2000) fail(m, "NO DIALTONE");
  } else if (m.special == "92") {
    if (waited > noAnswerAfter) fail(m, "NO ANSWER");
  } else if (m.special == "93") {
    if (waited > 1000L * m.profile()->s_regs[7]) fail(m, "NO CARRIER");
  } else if (m.special == "94") {
    if (waited > 3000) fail(m, "NO CARRIER");
  } else if (m.special == "95") {
    fail(m, "DELAYED 00:01:30");
  } else if (m.special == "96") {
    fail(m, "BLACKLISTED");
  } else if (!m.special.empty() && waited > 2000) {
    fail(m, "BUSY");
  }
}

void step(Modem& m) {
  char bytes[1024];
  while (m.master >= 0 && m.clear) {
    const auto got = read(m.master, bytes, sizeof bytes);
    if (got <= 0) break;
    if (!m.muted) t31_at_rx(m.t31, bytes, static_cast<int>(got));
  }
  exchange(m);
  std::array<int16_t, block> out{};
  const int made = t31_tx(m.t31, out.data(), block);
  for (int i = made < 0 ? 0 : made; i < block; i++) out[i] = 0;
  Modem& other = modems[1 - m.index];
  if (m.inCall && other.inCall) other.wire.push_back(out);
  std::array<int16_t, block> in{};
  if (m.wire.size() > static_cast<size_t>(delayBlocks)) {
    in = m.wire.front();
    m.wire.pop_front();
  }
  t31_rx(m.t31, in.data(), block);
}

void order(const std::string& line) {
  std::istringstream words(line);
  std::string verb, number;
  unsigned index = 0;
  words >> verb >> index >> number;
  Modem& m = modems[index & 1];
  if (verb == "unplug") unplug(m);
  if (verb == "plug") plug(m);
  if (verb == "mute") m.muted = true;
  if (verb == "unmute") m.muted = false;
  if (verb == "ring") m.ringFrom = number, m.sinceRing = 0;
  if (verb == "drop") {
    for (auto& each : modems) each.peer = nullptr, lost(each);
  }
}

}  // namespace

int main(int argc, char** argv) {
  double speed = 1;
  int option;
  while ((option = getopt(argc, argv, "d:s:")) != -1) {
    if (option == 'd') delayBlocks = std::atoi(optarg) / 20;
    if (option == 's') speed = std::atof(optarg);
  }
  if (argc - optind != 2 || speed <= 0) return 2;
  for (int i = 0; i < 2; i++) {
    Modem& m = modems[i];
    m.index = i;
    std::istringstream parts(argv[optind + i]);
    std::getline(parts, m.link, ':');
    std::getline(parts, m.number, ':');
    std::getline(parts, m.name, ':');
    m.t31 = t31_init(nullptr, toTerminal, &m, control, &m, nullptr, nullptr);
    t31_set_transmit_on_idle(m.t31, TRUE);
    plug(m);
  }
  std::puts("ready");
  std::fflush(stdout);

  using clock = std::chrono::steady_clock;
  const auto tick = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(0.02 / speed));
  auto next = clock::now();
  std::string typed;
  for (;;) {
    for (auto& m : modems) step(m);
    pollfd in{0, POLLIN, 0};
    while (poll(&in, 1, 0) > 0) {
      char bytes[256];
      const auto got = read(0, bytes, sizeof bytes);
      if (got <= 0) {
        for (auto& m : modems) unplug(m);
        return 0;
      }
      typed.append(bytes, static_cast<size_t>(got));
      for (size_t end; (end = typed.find('\n')) != std::string::npos; typed.erase(0, end + 1)) order(typed.substr(0, end));
    }
    next += tick;
    // A machine that was busy elsewhere slows the line; it does not hurry afterwards.
    if (next < clock::now() - 5 * tick) next = clock::now();
    std::this_thread::sleep_until(next);
  }
}

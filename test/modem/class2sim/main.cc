// Two modems of class 2, 2.0 and 2.1 on two pseudo terminals, joined by a telephone line that loses nothing.
// class2sim [-s speed] LINK:NUMBER:NAME[:KNOBS] LINK:NUMBER:NAME[:KNOBS]
// Knobs, joined by "+": classes=0/2, model=TEXT, noxon, straight, nofine, nortc, noquality, rate=BR, ecm=EC.
//
// Numbers and orders as of softmodem, and 97 (no loop current); further orders: "corrupt N" (the next page that modem N
// receives is damaged), "cut N" (the call breaks off in the next page that modem N sends), "hang N CODE" (its next +FDT ends so).
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "dce.h"

namespace {

constexpr double tickMs = 4;

struct Terminal {
  std::string link;
  int master = -1, slave = -1;
  bool muted = false;
  std::string unwritten;
  Dce dce;
};

std::array<Terminal, 2> terminals;

void plug(Terminal& t) {
  if (t.master >= 0) return;
  char name[128];
  termios raw;
  if (openpty(&t.master, &t.slave, name, nullptr, nullptr) != 0) std::exit(2);
  tcgetattr(t.slave, &raw);
  cfmakeraw(&raw);
  tcsetattr(t.slave, TCSANOW, &raw);
  fcntl(t.master, F_SETFL, O_NONBLOCK);
  unlink(t.link.c_str());
  if (symlink(name, t.link.c_str()) != 0) std::exit(2);
  t.dce.plugged = true;
}

void unplug(Terminal& t) {
  if (t.master < 0) return;
  unlink(t.link.c_str());
  close(t.slave);
  close(t.master);
  t.master = t.slave = -1;
  t.dce.plugged = false;
  t.unwritten.clear();
}

void flush(Terminal& t) {
  while (t.master >= 0 && !t.unwritten.empty()) {
    const auto wrote = write(t.master, t.unwritten.data(), t.unwritten.size());
    if (wrote <= 0) return;
    t.unwritten.erase(0, static_cast<size_t>(wrote));
  }
}

void turn(Terminal& t, const std::string& knob) {
  const size_t equals = knob.find('=');
  const std::string name = knob.substr(0, equals), value = equals == std::string::npos ? "" : knob.substr(equals + 1);
  Knobs& knobs = t.dce.knobs;
  if (name == "classes") {
    knobs.classes = value;
    for (char& c : knobs.classes)
      if (c == '/') c = ',';
  }
  if (name == "model") knobs.model = value;
  if (name == "noxon") knobs.noXon = true;
  if (name == "straight") knobs.straight = true;
  if (name == "nofine") knobs.noFine = true;
  if (name == "nortc") knobs.noRtc = true;
  if (name == "noquality") knobs.noQuality = true;
  if (name == "rate") knobs.rate = std::atoi(value.c_str());
  if (name == "ecm") knobs.ecm = std::atoi(value.c_str());
}

void order(const std::string& line) {
  std::istringstream words(line);
  std::string verb, number;
  unsigned index = 0;
  words >> verb >> index >> number;
  Terminal& t = terminals[index & 1];
  if (verb == "unplug") unplug(t);
  if (verb == "plug") plug(t);
  if (verb == "mute") t.muted = true;
  if (verb == "unmute") t.muted = false;
  if (verb == "ring") t.dce.ringOrder(number);
  if (verb == "corrupt") t.dce.corruptNext = true;
  if (verb == "cut") t.dce.cutNext = true;
  if (verb == "hang") t.dce.hangNext = std::atoi(number.c_str());
  if (verb == "drop") {
    for (auto& each : terminals) each.dce.lost(50);
  }
}

}  // namespace

int main(int argc, char** argv) {
  double speed = 1;
  int option;
  while ((option = getopt(argc, argv, "d:s:")) != -1)
    if (option == 's') speed = std::atof(optarg);
  if (argc - optind != 2 || speed <= 0) return 2;
  for (int i = 0; i < 2; i++) {
    Terminal& t = terminals[i];
    std::istringstream parts(argv[optind + i]);
    std::string knobs;
    std::getline(parts, t.link, ':');
    std::getline(parts, t.dce.number, ':');
    std::getline(parts, t.dce.name, ':');
    std::getline(parts, knobs);
    std::istringstream list(knobs);
    for (std::string knob; std::getline(list, knob, '+');) turn(t, knob);
    t.dce.other = &terminals[1 - i].dce;
    t.dce.write = [&t](const std::string& bytes) {
      if (t.master >= 0 && !t.muted) t.unwritten += bytes;
    };
    plug(t);
  }
  std::puts("ready");
  std::fflush(stdout);
  const int ms = std::max(1, static_cast<int>(tickMs * speed));
  std::string typed;
  for (;;) {
    pollfd ends[3] = {{0, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    poll(ends, 1, 0);
    if (ends[0].revents != 0) {
      char bytes[256];
      const auto got = read(0, bytes, sizeof bytes);
      if (got <= 0) {
        for (auto& t : terminals) unplug(t);
        return 0;
      }
      typed.append(bytes, static_cast<size_t>(got));
      for (size_t end; (end = typed.find('\n')) != std::string::npos; typed.erase(0, end + 1)) order(typed.substr(0, end));
    }
    for (auto& t : terminals) {
      uint8_t bytes[512];
      while (t.master >= 0 && t.dce.wantsMore()) {
        const auto got = read(t.master, bytes, sizeof bytes);
        if (got <= 0) break;
        if (!t.muted) t.dce.hear(bytes, static_cast<size_t>(got));
      }
      t.dce.pass(ms);
      flush(t);
    }
    for (auto& t : terminals) flush(t);
    std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(tickMs * 1000)));
  }
}

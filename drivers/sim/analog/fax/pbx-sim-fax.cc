// The fax half of a simulated modem: spandsp's T.31 (class 1) between the bytes of a terminal and the samples of a line. It has
// no line and no terminal of its own: both are in the messages of standard input and output, a letter, a length of two bytes
// (the lower first) and so many bytes.
//
// In:  S 160 samples of the line, answered by as many; B bytes of the terminal; C the call that was dialled is answered;
//      X the call failed, with the words of the result; H the exchange has opened the loop.
// Out: S samples; B bytes for the terminal; D a number to dial; A off hook; H on hook; P no more bytes for now; R more again.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include <inttypes.h>
#include <limits.h>
#include <time.h>
#include <spandsp.h>

namespace {

constexpr int block = 160;  // 20 ms
constexpr size_t mostAtOnce = 512;

t31_state_t* t31 = nullptr;
bool attached = false;  // what it says of its setup is nobody's business
bool clear = true;      // clear to send: it takes bytes
bool paused = false;
bool hungUp = false;    // said behind the result
std::string waiting;    // bytes of the terminal that it has not taken yet
std::string out;

at_state_t* at() { return reinterpret_cast<at_state_t*>(t31); }  // its first member

void say(char letter, const void* bytes = nullptr, size_t count = 0) {
  out += letter;
  out += static_cast<char>(count & 0xff);
  out += static_cast<char>(count >> 8);
  if (count > 0) out.append(static_cast<const char*>(bytes), count);
}

bool flush() {
  for (size_t at = 0; at < out.size();) {
    const auto put = write(STDOUT_FILENO, out.data() + at, out.size() - at);
    if (put <= 0) return false;
    at += static_cast<size_t>(put);
  }
  out.clear();
  return true;
}

int toTerminal(at_state_t*, void*, const uint8_t* bytes, size_t count) {
  if (attached) say('B', bytes, count);
  return 0;
}

int control(t31_state_t*, void*, int operation, const char* number) {
  switch (operation) {
    case AT_MODEM_CONTROL_CALL:
      say('D', number == nullptr ? "" : number, number == nullptr ? 0 : strlen(number));
      break;
    case AT_MODEM_CONTROL_ANSWER:
      say('A');
      t31_call_event(t31, AT_CALL_EVENT_ANSWERED);
      break;
    case AT_MODEM_CONTROL_OFFHOOK:
      say('A');
      break;
    case AT_MODEM_CONTROL_HANGUP:
    case AT_MODEM_CONTROL_ONHOOK:
      hungUp = true;
      break;
    case AT_MODEM_CONTROL_CTS:
      clear = number != nullptr;
      break;
    default:
      break;
  }
  return 0;
}

void feed() {
  while (clear && !waiting.empty()) {
    const std::string some = waiting.substr(0, mostAtOnce);
    waiting.erase(0, some.size());
    t31_at_rx(t31, some.data(), static_cast<int>(some.size()));
  }
  if (paused == waiting.empty()) {
    paused = !paused;
    say(paused ? 'P' : 'R');
  }
}

void line(const std::string& bytes) {
  std::array<int16_t, block> in{}, made{};
  memcpy(in.data(), bytes.data(), std::min(bytes.size(), sizeof in));
  const int count = t31_tx(t31, made.data(), block);
  for (int i = count < 0 ? 0 : count; i < block; i++) made[i] = 0;
  say('S', made.data(), sizeof made);
  t31_rx(t31, in.data(), block);
  feed();
}

void obey(char letter, const std::string& bytes) {
  switch (letter) {
    case 'S':
      line(bytes);
      break;
    case 'B':
      waiting += bytes;
      feed();
      break;
    case 'C':
      t31_call_event(t31, AT_CALL_EVENT_CONNECTED);
      break;
    case 'X':
      at_put_response(at(), bytes.c_str());
      at_set_at_rx_mode(at(), AT_MODE_ONHOOK_COMMAND);
      hungUp = true;
      break;
    case 'H':
      t31_call_event(t31, AT_CALL_EVENT_HANGUP);
      break;
    default:
      break;
  }
}

bool take(void* into, size_t count) {
  for (size_t at = 0; at < count;) {
    const auto got = read(STDIN_FILENO, static_cast<char*>(into) + at, count - at);
    if (got <= 0) return false;
    at += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

int main() {
  t31 = t31_init(nullptr, toTerminal, nullptr, control, nullptr, nullptr, nullptr);
  if (t31 == nullptr) return 1;
  t31_set_transmit_on_idle(t31, TRUE);
  const char setup[] = "ATE0\rAT+FCLASS=1\r";
  t31_at_rx(t31, setup, sizeof setup - 1);
  out.clear();
  hungUp = false;
  attached = true;
  for (;;) {
    unsigned char head[3];
    if (!take(head, sizeof head)) return 0;
    std::string bytes(head[1] | head[2] << 8, '\0');
    if (!take(bytes.data(), bytes.size())) return 0;
    obey(static_cast<char>(head[0]), bytes);
    if (hungUp) say('H');
    hungUp = false;
    if (!flush()) return 0;
  }
}

// The half of the modem that makes calls.
#include <algorithm>

#include "dce.h"

namespace {

constexpr char dle = 0x10, etx = 0x03;
constexpr int ringPeriod = 6000;
// The return to control, the lowest bit first, and what the carrier brings until it is gone: efax wants to see some of it.
const std::vector<uint8_t> rtc{0x00, 0x08, 0x80, 0x00, 0x08, 0x80, 0x00, 0x08, 0x80, 0, 0, 0, 0};

std::string withZeros(int code) {
  if (code >= 100) return "A" + std::to_string(code - 100);
  return (code < 10 ? "0" : "") + std::to_string(code);
}

}  // namespace

void Dce::dial(const std::string& text) {
  std::string digits;
  for (const char c : text)
    if (c >= '0' && c <= '9') digits += c;
  done_ = true;
  waits_ = Waits::dial;
  offHook_ = caller_ = true;
  lostCode_ = -1;
  met_ = false;
  dialled_ = digits == other->number && (other->offHook_ || !other->plugged) ? "90" : digits;
  sinceDial_ = 0;
}

void Dce::answer() {
  done_ = true;
  waits_ = Waits::answer;
  offHook_ = true;
  caller_ = met_ = false;
  lostCode_ = pendingEnd_ = -1;
  pagesHeard = 0;
  sinceRing_ = -1;
  ringFrom_.clear();
  if (other->waits_ != Waits::dial || other->dialled_ != number) return;
  inCall_ = other->inCall_ = true;
  other->sinceDial_ = -1;
  other->sinceUp_ = 0;
}

void Dce::fail(const std::string& words) {
  say(words);
  waits_ = Waits::nothing;
  hangUp();
}

void Dce::hangUp() {
  const bool was = inCall_;
  if (sinceDial_ >= 0 && other->rings_ > 0 && !other->inCall_) other->sinceRing_ = -1, other->rings_ = 0;
  inCall_ = offHook_ = false;
  waits_ = Waits::nothing;
  mode_ = Mode::command;
  sinceDial_ = sinceUp_ = untilCarrier_ = -1;
  pipe_.clear();
  dialled_.clear();
  if (was) other->lost(other->caller_ ? 51 : 101);
}

void Dce::ended(int code) {
  waits_ = Waits::nothing;
  lostCode_ = -1;
  inCall_ = offHook_ = false;
  say(report("HNG:", "HS:") + (class2() ? std::to_string(code) : withZeros(code)));
  say(class2() || code == 0 ? "OK" : "ERROR");
}

void Dce::lost(int code) {
  if (!inCall_) return;
  inCall_ = false;
  untilCarrier_ = -1;
  if (mode_ == Mode::receiving) {
    mode_ = Mode::command;
    write(std::string{dle, etx});
    ended(90);
  } else if (waits_ != Waits::nothing && mode_ == Mode::command) {
    ended(waits_ == Waits::carrier ? 24 : waits_ == Waits::answer ? 70 : code);
  } else {
    inCall_ = true;  // to be reported at the next command
    lostCode_ = code;
  }
}

void Dce::ringOrder(const std::string& from) {
  ringFrom_ = from;
  sinceRing_ = 0;
  rings_ = 0;
}

void Dce::ring() {
  const std::string from = ringFrom_.empty() ? other->number : ringFrom_;
  if (sinceRing_ == 0 && cid_) {
    say("DATE = 1121");
    say("TIME = 0640");
    say("NMBR = " + from);
    say("NAME = " + (ringFrom_.empty() ? other->name : ""));
  }
  say("RING");
  rings_++;
  if (s0_ > 0 && rings_ >= s0_) answer();
}

void Dce::connect() {
  met_ = true;
  waits_ = Waits::nothing;
  rings_ = 0;
  say(report("CON", "CO"));
  say(report("TSI:", "TI:") + "\"" + other->id_ + "\"");
  say(report("DCS:", "CS:") + termsText(other->agreed()));
  say("OK");
}

// Both are ready: training, then data.
void Dce::startPage() {
  Dce& caller = caller_ ? *this : *other;
  if (caller.waits_ == Waits::carrier && caller.other->waits_ == Waits::page && caller.untilCarrier_ < 0) caller.untilCarrier_ = 500;
}

void Dce::endData(char mark) {
  mark_ = mark;
  over_ = true;
}

void Dce::moveData(int ms) {
  credit_ += ms * (agreed()[1] + 1) * 2400 / 8000.0;
  credit_ = std::min(credit_, 4096.0);
  if (lostCode_ >= 0) pipe_.clear();
  if (lostCode_ < 0 && !other->flows_) return;
  std::vector<uint8_t> bytes;
  while (credit_ >= 1 && !pipe_.empty()) {
    bytes.push_back(pipe_.front());
    pipe_.pop_front();
    credit_ -= 1;
  }
  for (auto& byte : bytes)
    if (moved_++ / 256 % 4 == 1 && other->corruptNext) byte ^= 0x5A;
  if (cutNext && !bytes.empty()) {
    cutNext = false;
    other->lost(90);
    lostCode_ = 50;
    return;
  }
  if (lostCode_ < 0) other->giveData(bytes);
  if (!over_ || !pipe_.empty()) return;
  over_ = false;
  mode_ = Mode::command;
  if (lostCode_ >= 0) return ended(lostCode_);
  other->corruptNext = false;
  if (class2() || !knobs.noRtc) other->giveData(rtc);
  other->write(std::string{dle, etx});
  other->mode_ = Mode::command;
  other->pagesHeard++;
  if (class2()) {
    waits_ = Waits::nothing;
    say("OK");
  } else {
    ending_ = mark_ == '.' ? 2 : mark_ == ';' ? 1 : 0;
    waits_ = Waits::verdict;
    other->tellPageEnd();
  }
}

void Dce::tellPageEnd() {
  quality_ = 1;
  pendingEnd_ = other->ending_;
  say(report("PTS:1,", "PS:1,") + "282,0,0,0");
  say("+FET:" + std::to_string(pendingEnd_));
  say("OK");
}

// The computer of the receiver went on: its judgement stands.
void Dce::giveVerdict() {
  const int ending = pendingEnd_;
  pendingEnd_ = -1;
  const bool good = quality_ % 2 == 1;
  Dce& caller = *other;
  caller.waits_ = Waits::nothing;
  const bool over = good && ending == 2;
  if (caller.class2()) caller.say("+FPTS:" + std::to_string(quality_) + ",100,0,0,0");
  if (over) {
    caller.ended(0);
    return ended(0);
  }
  caller.say(good || caller.class2() ? "OK" : "ERROR");
  startPage();
}

void Dce::pass(int ms) {
  if (sinceRing_ >= 0) {
    if (sinceRing_ % ringPeriod < ms && (sinceRing_ == 0 || sinceRing_ >= ringPeriod)) ring();
    if (sinceRing_ >= 0) sinceRing_ += ms;
    if (!ringFrom_.empty() && sinceRing_ > 3 * ringPeriod) sinceRing_ = -1, rings_ = 0, ringFrom_.clear();
  }
  if (sinceUp_ >= 0 && (sinceUp_ += ms) > 2000) {
    sinceUp_ = -1;
    waits_ = Waits::nothing;
    say(report("CON", "CO"));
    say(report("CSI:", "CI:") + "\"" + other->id_ + "\"");
    say(report("DIS:", "IS:") + termsText(other->own_));
    say("OK");
  }
  if (untilCarrier_ >= 0 && (untilCarrier_ -= ms) < 0) {
    untilCarrier_ = -1;
    waits_ = other->waits_ = Waits::nothing;
    say(report("DCS:", "CS:") + termsText(agreed()));
    say("CONNECT");
    other->say(other->report("DCS:", "CS:") + termsText(agreed()));
    other->say("CONNECT");
    if (class2() && !knobs.noXon) write("\x11");
    mode_ = Mode::sending;
    other->mode_ = Mode::receiving;
    shielded_ = over_ = other->flows_ = false;
    pipe_.clear();
    moved_ = 0;
  }
  if (mode_ == Mode::sending) moveData(ms);
  if (sinceDial_ < 0) return;
  sinceDial_ += ms;
  if (dialled_ == other->number) {
    if (sinceDial_ > 500 && other->sinceRing_ < 0 && other->rings_ == 0) other->sinceRing_ = 0;
    if (sinceDial_ > 60000) fail("NO ANSWER");
  } else if (dialled_ == "91") {
    if (sinceDial_ > 2000) fail("NO DIALTONE");
  } else if (dialled_ == "92") {
    if (sinceDial_ > 20000) fail("NO ANSWER");
  } else if (dialled_ == "93") {
    if (sinceDial_ > 1000L * s7_) sinceDial_ = -1, ended(11);
  } else if (dialled_ == "94") {
    if (sinceDial_ > 3000) fail("NO CARRIER");
  } else if (dialled_ == "95") {
    fail("DELAYED 00:01:30");
  } else if (dialled_ == "96") {
    fail("BLACKLISTED");
  } else if (dialled_ == "97") {
    if (sinceDial_ > 2000) sinceDial_ = -1, ended(3);
  } else if (sinceDial_ > 2000) {
    fail("BUSY");
  }
}

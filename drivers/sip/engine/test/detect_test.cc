// In-band digits and voice activity.
#include "check.h"
#include "fakes.h"

namespace {

Samples key(char digit, unsigned ms, double dbm0 = -10) {
  static const std::string keys = "123A456B789C*0#D";
  static const double rows[] = {697, 770, 852, 941}, columns[] = {1209, 1336, 1477, 1633};
  const size_t at = keys.find(digit);
  return mix(sine(rows[at / 4], ms, dbm0), sine(columns[at % 4], ms, dbm0 + 1));
}

Samples keys(const std::string& digits, unsigned on, unsigned off, double dbm0 = -10) {
  Samples out = silence(100);
  for (const char digit : digits) out = out + key(digit, on, dbm0) + silence(off);
  return out + silence(200 - (on + off) * static_cast<unsigned>(digits.size()) % 20);
}

const std::string all = "123A456B789C*0#D";

std::string heardKeys(const Samples& samples) {
  Stepped s;
  auto port = s.openLeg(1, true);
  s.hear(*port, samples);
  return s.events.keys();
}

}  // namespace

TEST("every key is reported once, at several speeds and levels, in noise") {
  for (const auto& [on, off, level, floor] :
       std::vector<std::array<double, 4>>{
           {50, 50, -10, -90}, {80, 80, -10, -32}, {200, 120, -4, -40}, {100, 100, -24, -45}, {45, 60, -12, -50}}) {
    const Samples clean = keys(all, static_cast<unsigned>(on), static_cast<unsigned>(off), level);
    CHECK_SAME(heardKeys(mix(clean, noise(static_cast<unsigned>(clean.size() / 8), floor))), all);
  }
}

TEST("the same key twice is two keys, one long key is one, with its duration") {
  CHECK_SAME(heardKeys(keys("1155##", 60, 60)), "1155##");
  Stepped s;
  auto port = s.openLeg(1, true);
  s.hear(*port, silence(100) + key('7', 400) + silence(200));
  CHECK_SAME(s.events.keys(), "7");
  CHECK_BETWEEN(s.events.digits.empty() ? 0 : s.events.digits[0].ms, 380, 420);
}

TEST("a key torn by lost packets, or lying on a constant offset, is one key") {
  Stepped s;
  auto port = s.openLeg(1, true);
  s.hear(*port, silence(100) + key('5', 100));
  s.ticks(2);
  s.hear(*port, key('5', 100) + silence(200));
  CHECK_SAME(s.events.keys(), "5");
  Samples offset(8000, 3000);
  CHECK_SAME(heardKeys(mix(offset, silence(300) + key('9', 100) + silence(600))), "9");
}

TEST("a hole of 20 ms leaves a key whole and a pause of 45 ms parts two, wherever they lie") {
  for (unsigned shift = 0; shift < 102; shift += 3) {
    const Samples lead = Samples(800 + shift);
    for (const unsigned pause : {20u, 45u}) {
      Samples samples = lead + key('3', 50) + silence(pause) + key('3', 50) + silence(200);
      samples.resize(samples.size() / 160 * 160);
      CHECK_SAME(heardKeys(samples), pause == 20 ? "3" : "33");
    }
  }
}

TEST("a key ends when the far end stops sending after it") {
  Stepped s;
  auto port = s.openLeg(1, true);
  s.hear(*port, silence(100) + key('8', 120));
  s.ticks(12);
  CHECK_SAME(s.events.keys(), "8");
}

TEST("digits seen another way silence the detector, also for the key just heard") {
  Stepped s;
  auto port = s.openLeg(1, true);
  port->incoming = silence(100) + key('5', 100) + silence(400) + key('6', 100) + silence(300);
  s.ticks(12);
  s.media.otherDigitSeen(1);
  s.ticks(38);
  CHECK_SAME(s.events.keys(), "");
}

TEST("a leg opened without in-band digits reports none") {
  Stepped s;
  auto port = s.openLeg(1, false);
  s.hear(*port, keys(all, 80, 80));
  CHECK_SAME(s.events.keys(), "");
}

TEST("speech-like sound and call progress tones are no keys") {
  CHECK_SAME(heardKeys(babble(20000, -15)), "");
  CHECK_SAME(heardKeys(mix(sine(440, 2000, -13), sine(480, 2000, -13))), "");
  CHECK_SAME(heardKeys(noise(10000, -20)), "");
}

TEST("voice is told from silence, noise and hum") {
  struct Row {
    const char* what;
    Samples samples;
    bool voice;
  };
  Samples mains = mix(mix(sine(50, 5000, -30), sine(100, 5000, -38)), sine(150, 5000, -45));
  const std::vector<Row> rows{
      {"nothing", silence(5000), false},
      {"line noise", noise(5000, -50), false},
      {"loud line noise", noise(5000, -38), false},
      {"noise that begins late", silence(1000) + noise(4000, -46), false},
      {"mains hum", mains, false},
      {"mains hum that begins late", noise(1000, -60) + mains, false},
      {"hum at 440 Hz", sine(440, 5000, -44), false},
      {"a click", silence(1000) + noise(60, -15) + silence(2000), false},
      {"clicks", silence(1000) + noise(40, -15) + silence(300) + noise(40, -15) + silence(2000), false},
      {"speech", silence(1000) + babble(2000, -20), true},
      {"quiet speech", noise(1000, -60) + babble(2000, -32), true},
      {"speech at once", babble(2000, -20), true},
      {"speech in noise", mix(noise(4000, -45), silence(1000) + babble(3000, -22)), true},
      {"speech on hum", mix(mains, silence(1000) + babble(3000, -22)), true},
  };
  for (const Row& row : rows) {
    Stepped s;
    auto port = s.openLeg(1);
    s.media.listen(1, true);
    s.hear(*port, row.samples);
    if (s.events.voices.empty() == row.voice) {
      check::fail(__FILE__, __LINE__, std::string(row.what) + (row.voice ? " is not heard" : " is taken for voice"));
    }
    if (row.voice && !s.events.voices.empty()) CHECK(s.events.voices[0].active);
  }
}

TEST("voice begins 100 ms after its onset, lasts over a pause of 200 ms, and ends 300 ms after the last sound") {
  Stepped s;
  auto port = s.openLeg(1);
  s.media.listen(1, true);
  const unsigned before = s.events.ticks;
  s.hear(*port, silence(1000) + noise(400, -20) + silence(200) + noise(400, -20, 2) + silence(1000));
  CHECK_SAME(s.events.voices.size(), 2u);
  if (s.events.voices.size() != 2) return;
  CHECK(s.events.voices[0].active && !s.events.voices[1].active);
  CHECK_SAME((s.events.voices[0].tick - before) * 20, 1100u);
  CHECK_BETWEEN((s.events.voices[1].tick - before) * 20, 2300, 2340);
}

TEST("without listen and without a recording there are no voice events") {
  Stepped s;
  auto port = s.openLeg(1);
  s.hear(*port, babble(1000, -20));
  s.media.listen(1, true);
  s.hear(*port, babble(1000, -20));
  s.media.listen(1, false);
  s.hear(*port, silence(1000));
  CHECK_SAME(s.events.voices.size(), 1u);
}

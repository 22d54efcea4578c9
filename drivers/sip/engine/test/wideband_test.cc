// Two phones that both speak G.722: 16 kHz from end to end while they only talk, 8 kHz while anybody else has a part in it.
#include "check.h"
#include "fakes.h"

namespace {

constexpr unsigned ms = 1000;
const double low = 1000, high = 5000;  // above 4 kHz nothing passes where samples are 8 kHz

Samples both() {
  return mix(sine(low, ms, -16, 16000), sine(high, ms, -16, 16000));
}

struct Heard {
  double low, high;
};

// One leg speaks, the other hears it; the first 100 ms are the change's.
Heard talk(Stepped& s, FakePort& from, FakePort& to) {
  to.sent.clear();
  s.hear(from, both());
  const Samples steady(to.sent.begin() + to.rate() / 10, to.sent.end());
  return {levelAt(steady, low, to.rate()), levelAt(steady, high, to.rate())};
}

struct Pair : Stepped {
  std::shared_ptr<FakePort> a = openLeg(1, false, 16000), b = openLeg(2, false, 16000);
  Pair() { bridge(1, 2); }
  bool wide() {
    const Heard there = talk(*this, *a, *b), back = talk(*this, *b, *a);
    for (const Heard& heard : {there, back}) CHECK_BETWEEN(heard.low, -16.2, -15.8);
    if (there.high > -30) {
      for (const Heard& heard : {there, back}) CHECK_BETWEEN(heard.high, -16.2, -15.8);
      return true;
    }
    for (const Heard& heard : {there, back}) CHECK_BETWEEN(heard.high, -200, -50);
    return false;
  }
};

}  // namespace

TEST("between two legs of 16 kHz nothing is lost, and a recording, a detector, a listener or a prompt narrows both ways while it lasts") {
  TempDir dir;
  Pair pair;
  CHECK(pair.wide());
  pair.media.record(1, 7, dir.file("a.wav"), 0);
  CHECK(!pair.wide());
  pair.media.recordStop(1, 7, 0);
  CHECK(pair.wide());
  pair.media.listen(2, true);
  CHECK(!pair.wide());
  pair.media.listen(2, false);
  pair.media.tap(2, true);
  CHECK(!pair.wide());
  pair.media.tap(2, false);
  pair.media.inbandDigits(1, true);
  CHECK(!pair.wide());
  pair.media.inbandDigits(1, false);
  pair.media.listenForFax(2, true);
  CHECK(!pair.wide());
  pair.media.listenForFax(2, false);
  CHECK(pair.wide());
}

TEST("what is played to one of two wide legs is heard whole, and the other leg goes on in 8 kHz until it is over") {
  Pair pair;
  CHECK(pair.wide());
  pair.media.storeClip(1, sine(600, 500, -10));
  pair.media.playClip(1, 1, 1, 0);
  pair.a->sent.clear();
  pair.hear(*pair.b, both());
  CHECK_BETWEEN(levelAt(Samples(pair.a->sent.begin() + 1600, pair.a->sent.begin() + 6400), 600, 16000), -10.2, -9.8);
  CHECK_SAME(pair.events.story(), std::string("1:done@500"));
  CHECK(pair.wide());
  // A clip that ends within one tick is heard, too.
  pair.media.storeClip(2, Samples(160, 9000));
  pair.media.playClip(1, 2, 2, 0);
  pair.a->sent.clear();
  pair.ticks(2);
  CHECK_BETWEEN(*std::max_element(pair.a->sent.begin(), pair.a->sent.end()), 8500, 10500);
}

TEST("the change between wide and narrow leaves no edge in the sound") {
  TempDir dir;
  Pair pair;
  const Samples tone = sine(300, 3000, -10, 16000);
  pair.b->sent.clear();
  pair.a->incoming = tone;
  pair.ticks(50);
  pair.media.record(2, 7, dir.file("b.wav"), 0);
  pair.ticks(50);
  pair.media.recordStop(2, 7, 0);
  pair.ticks(50);
  int steepest = 0;
  for (size_t i = 1601; i < pair.b->sent.size(); i++) steepest = std::max(steepest, std::abs(pair.b->sent[i] - pair.b->sent[i - 1]));
  const double steepestOfTone = peakOf(-10) * 2 * std::numbers::pi * 300 / 16000;
  CHECK_BETWEEN(steepest, steepestOfTone * 0.9, steepestOfTone * 1.3);
}

TEST("a wide and a narrow leg understand each other at the same level") {
  Stepped s;
  const auto wide = s.openLeg(1, false, 16000), narrow = s.openLeg(2);
  s.bridge(1, 2);
  const Heard there = talk(s, *wide, *narrow);
  CHECK_BETWEEN(there.low, -16.2, -15.8);
  wide->sent.clear();
  s.hear(*narrow, sine(low, ms, -16));
  CHECK_BETWEEN(levelAt(Samples(wide->sent.begin() + 1600, wide->sent.end()), low, 16000), -16.2, -15.8);
}

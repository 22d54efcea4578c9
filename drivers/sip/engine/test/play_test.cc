// Play queue, bridge, tap and resampling, tick by tick.
#include "../ipc/frame.h"
#include "check.h"
#include "fakes.h"

using pbx::Tone;

TEST("a leg sends silence from the first tick, and the first item begins 200 ms after the first attach") {
  Stepped s;
  s.media.storeClip(1, ramp(160));
  auto port = s.leg(1);
  s.media.playClip(1, 7, 1, 0);
  s.ticks(12);
  CHECK_SAME(port->sent.size(), 12u * 160);
  CHECK(Samples(port->sent.begin(), port->sent.begin() + 1600) == silence(200));
  CHECK(Samples(port->sent.begin() + 1600, port->sent.begin() + 1760) == ramp(160));
  CHECK_SAME(s.events.story(), "7:done@20");
}

TEST("clips, silence and streams follow one another without a lost or added sample") {
  Stepped s;
  s.media.storeClip(1, ramp(205));
  s.media.storeClip(2, ramp(33, 1000));
  auto port = s.openLeg(1);
  s.media.playClip(1, 1, 1, 0);
  s.media.playClip(1, 2, 2, 0);
  s.media.playSilence(1, 3, 3);
  s.media.playStream(1, 4);
  s.media.streamPcm(1, 4, ramp(77, 2000));
  s.media.streamPcm(1, 4, ramp(11, 2077));
  s.media.streamEnd(1, 4);
  s.media.playClip(1, 5, 1, 0);
  s.ticks(4);
  const Samples wanted = ramp(205) + ramp(33, 1000) + silence(3) + ramp(88, 2000) + ramp(205);
  CHECK(Samples(port->sent.begin(), port->sent.begin() + static_cast<ptrdiff_t>(wanted.size())) == wanted);
  CHECK_SAME(s.events.story(), "1:done@25 2:done@4 3:done@3 4:done@11 5:done@25");
}

TEST("a clip is reported in the tick that sends its last sample") {
  Stepped s;
  s.media.storeClip(1, ramp(320));
  auto port = s.openLeg(1);
  s.media.playClip(1, 1, 1, 0);
  s.ticks(1);
  CHECK_SAME(s.events.story(), "");
  s.ticks(1);
  CHECK_SAME(s.events.story(), "1:done@40");
  CHECK_SAME(port->sent.back(), 320);
}

TEST("clear acts at the next tick, tells how far each item came, and a clip resumes from there") {
  Stepped s;
  s.media.storeClip(1, ramp(8000));
  auto port = s.openLeg(1);
  s.media.playClip(1, 1, 1, 0);
  s.media.playClip(1, 2, 1, 250);
  s.ticks(3);
  s.media.clear(1);
  s.ticks(2);
  CHECK_SAME(s.events.story(), "1:cut@60 2:cut@250");
  CHECK(port->sent == ramp(480) + silence(40));
  port->sent.clear();
  s.media.playClip(1, 3, 1, 60);
  s.ticks(1);
  s.media.clear(1);
  s.ticks(1);
  CHECK(Samples(port->sent.begin(), port->sent.begin() + 160) == ramp(160, 481));
  CHECK_SAME(s.events.story(), "1:cut@60 2:cut@250 3:cut@80");
}

TEST("an unknown clip is reported as not played; one past its end, empty or dropped while playing does no harm") {
  Stepped s;
  s.media.storeClip(1, ramp(160));
  s.media.storeClip(2, {});
  auto port = s.openLeg(1);
  s.media.playClip(1, 1, 99, 0);
  s.media.playClip(1, 2, 1, 5000);
  s.media.playClip(1, 3, 2, 0);
  s.media.playClip(1, 4, 1, 0);
  s.media.dropClip(1);
  s.media.playClip(1, 5, 1, 0);
  s.ticks(2);
  CHECK_SAME(s.events.story(), "1:cut@0 5:cut@0 2:done@20 3:done@0 4:done@20");
  CHECK(port->sent == ramp(160) + silence(20));
  CHECK_SAME(s.media.report().clipBytes, 0u);
}

TEST("a dry stream is silence until more comes and counts only what was played") {
  Stepped s;
  auto port = s.openLeg(1);
  s.media.playStream(1, 1);
  s.media.playSilence(1, 2, 20);
  s.media.streamPcm(1, 1, ramp(100));
  s.ticks(2);
  CHECK_SAME(s.events.story(), "");
  s.media.streamPcm(1, 1, ramp(60, 101));
  s.ticks(1);
  s.media.streamEnd(1, 1);
  s.ticks(1);
  CHECK_SAME(s.events.story(), "1:done@20 2:done@20");
  CHECK(port->sent == ramp(100) + Samples(220) + ramp(60, 101) + Samples(100) + silence(20));
}

TEST("a tone has its frequencies, its level and its length") {
  Stepped s;
  auto port = s.openLeg(1);
  s.media.playTone(1, 1, Tone{{697, 1209}, 500, -13});
  s.ticks(25);
  CHECK_SAME(s.events.story(), "1:done@500");
  const Samples middle(port->sent.begin() + 400, port->sent.begin() + 3600);
  CHECK_BETWEEN(levelAt(middle, 697), -13.1, -12.9);
  CHECK_BETWEEN(levelAt(middle, 1209), -13.1, -12.9);
  CHECK_BETWEEN(levelAt(middle, 950), -300, -70);
  for (const ptrdiff_t edge : {0, 3999}) CHECK_BETWEEN(port->sent[static_cast<size_t>(edge)], -150, 150);
  port->sent.clear();
  s.media.playTone(1, 2, Tone{{400, 450, 500}, 200, 3});
  s.ticks(10);
  CHECK_BETWEEN(*std::max_element(port->sent.begin(), port->sent.end()), 25000, 32767);
}

TEST("bridged legs hear each other in the same tick; an own play queue is heard instead") {
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2);
  a->sent.clear();
  s.bridge(1, 2);
  a->incoming = ramp(160, 100);
  b->incoming = ramp(160, 5000);
  s.ticks(1);
  CHECK(a->sent == ramp(160, 5000));
  CHECK(b->sent == ramp(160, 100));
  s.media.playSilence(1, 1, 20);
  b->incoming = ramp(320, 6000);
  s.ticks(2);
  CHECK(a->sent == ramp(160, 5000) + silence(20) + ramp(160, 6160));
  s.media.leave(2);
  a->incoming = b->incoming = ramp(160, 1);
  a->sent.clear();
  s.ticks(1);
  CHECK(a->sent == silence(20));
}

TEST("a leg that closes or is bridged elsewhere leaves its peer in silence") {
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2), c = s.openLeg(3);
  s.bridge(1, 2);
  s.ticks(1);
  s.bridge(2, 3);
  a->incoming = b->incoming = c->incoming = ramp(320);
  s.ticks(1);
  CHECK(Samples(a->sent.end() - 160, a->sent.end()) == silence(20));
  CHECK(Samples(c->sent.end() - 160, c->sent.end()) == ramp(160));
  s.media.close(2);
  s.ticks(1);
  CHECK(Samples(c->sent.end() - 160, c->sent.end()) == silence(20));
  CHECK_SAME(s.media.report().legs, 2u);
  const size_t before = b->sent.size();
  s.media.playSilence(2, 1, 20);
  s.ticks(1);
  CHECK_SAME(b->sent.size(), before);
  CHECK_SAME(s.events.story(), "");
}

TEST("a leg without a port keeps its queue; another port goes on with it") {
  Stepped s;
  s.media.storeClip(1, ramp(480));
  auto port = s.openLeg(1);
  s.media.playClip(1, 1, 1, 0);
  s.ticks(1);
  s.media.detach(1);
  CHECK_SAME(port.use_count(), 1);
  s.ticks(5);
  CHECK_SAME(port->sent.size(), 160u);
  auto next = std::make_shared<FakePort>(8000);
  s.media.attach(1, next);
  s.ticks(2);
  CHECK(next->sent == ramp(320, 161));
  CHECK_SAME(s.events.story(), "1:done@60");
}

TEST("the tap frame holds every tapped leg with its own clock and without gaps") {
  Stepped s;
  auto a = s.leg(1);
  s.ticks(3);
  auto b = s.leg(2);
  s.media.tap(1, true);
  s.media.tap(2, true);
  a->incoming = ramp(160);
  b->incoming = ramp(160, 500);
  s.ticks(1);
  s.media.detach(2);
  s.ticks(1);
  s.media.tap(1, false);
  s.ticks(1);
  CHECK_SAME(s.events.frames.size(), 3u);
  const auto& f = s.events.frames;
  CHECK_SAME(f[0].size(), 2u * 328);
  CHECK_SAME(pbx::readU32(f[0].data()), 1u);
  CHECK_SAME(pbx::readU32(f[0].data() + 4), 60u);
  CHECK(pbx::readPcm({f[0].data() + 8, 320}) == ramp(160));
  CHECK_SAME(pbx::readU32(f[0].data() + 328), 2u);
  CHECK_SAME(pbx::readU32(f[0].data() + 332), 0u);
  CHECK(pbx::readPcm({f[0].data() + 336, 320}) == ramp(160, 500));
  CHECK_SAME(pbx::readU32(f[1].data() + 332), 20u);
  CHECK(pbx::readPcm({f[1].data() + 336, 320}) == silence(20));
  CHECK_SAME(f[2].size(), 328u);
  CHECK_SAME(pbx::readU32(f[2].data() + 4), 40u);
}

TEST("a wideband leg passes 1 kHz both ways, and nothing above 4 kHz folds down") {
  for (const auto& [hz, alias, low, high] : std::vector<std::array<double, 4>>{
           {300, 300, -10.2, -9.8}, {1000, 1000, -10.2, -9.8}, {3000, 3000, -10.5, -9.5},
           {5000, 3000, -300, -50}, {6000, 2000, -300, -50}, {7500, 500, -300, -50}}) {
    Stepped s;
    auto wide = s.openLeg(1, false, 16000), narrow = s.openLeg(2);
    s.bridge(1, 2);
    narrow->sent.clear();
    s.hear(*wide, sine(hz, 500, -10, 16000));
    CHECK_BETWEEN(levelAt(Samples(narrow->sent.begin() + 800, narrow->sent.end()), alias), low, high);
  }
  for (const double hz : {300.0, 1000.0, 3000.0}) {
    Stepped s;
    auto wide = s.openLeg(1, false, 16000), narrow = s.openLeg(2);
    s.bridge(1, 2);
    wide->sent.clear();
    s.hear(*narrow, sine(hz, 500, -10));
    const Samples steady(wide->sent.begin() + 1600, wide->sent.end());
    CHECK_BETWEEN(levelAt(steady, hz, 16000), -10.5, -9.5);
    CHECK_BETWEEN(levelAt(steady, 8000 - hz, 16000), -300, -50);
  }
}

TEST("onTick runs once, after the tick") {
  Stepped s;
  auto port = s.leg(1);
  size_t sent = 0;
  int runs = 0;
  s.media.onTick([&] {
    sent = port->sent.size();
    runs++;
  });
  s.ticks(2);
  CHECK_SAME(sent, 160u);
  CHECK_SAME(runs, 1);
}

TEST("the first of the far end is told once, whether anybody listens or not") {
  Stepped s;
  auto port = s.openLeg(1);
  CHECK_SAME(s.events.firsts.size(), 0u);
  port->came = true;
  s.ticks(3);
  CHECK_SAME(s.events.firsts.size(), 1u);
  auto next = std::make_shared<FakePort>();
  next->came = true;
  s.media.attach(1, next);
  s.ticks(3);
  CHECK_SAME(s.events.firsts.size(), 1u);
}

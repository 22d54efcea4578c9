// Bridges: who hears whom, moving from one to another, what is heard instead of them and over them, both sides in one file.
#include "check.h"
#include "fakes.h"

namespace {

Samples last(const FakePort& port, unsigned ms) {
  return {port.sent.end() - ms * 8, port.sent.end()};
}

}  // namespace

TEST("a leg that moves to another bridge hears the new one in the very tick in which it leaves the old one") {
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2), c = s.openLeg(3);
  s.bridge(1, 2);
  s.media.join(3, 77);
  a->incoming = ramp(960, 1);
  b->incoming = ramp(960, 5000);
  c->incoming = ramp(960, 9000);
  s.ticks(3);
  CHECK(last(*a, 60) == ramp(480, 5000));
  CHECK(last(*c, 60) == silence(60));
  a->sent.clear();
  s.media.join(1, 77);
  s.ticks(3);
  CHECK(a->sent == ramp(480, 9480));
  CHECK(last(*c, 60) == ramp(480, 481));
  CHECK(last(*b, 60) == silence(60));
}

TEST("of several in a bridge each hears all the others, loud voices without a fold; who may not speak is not heard, who may not hear hears nobody") {
  Stepped s;
  std::shared_ptr<FakePort> ports[4];
  for (pbx::LegId id = 1; id <= 3; id++) {
    ports[id] = s.openLeg(id);
    s.media.join(id, 5);
  }
  const auto say = [&](int one, int two, int three) {
    ports[1]->incoming = Samples(160, static_cast<int16_t>(one));
    ports[2]->incoming = Samples(160, static_cast<int16_t>(two));
    ports[3]->incoming = Samples(160, static_cast<int16_t>(three));
    s.ticks(1);
    return std::to_string(ports[1]->sent.back()) + " " + std::to_string(ports[2]->sent.back()) + " " + std::to_string(ports[3]->sent.back());
  };
  CHECK_SAME(say(100, 20, 3), "23 103 120");
  CHECK_SAME(say(30000, 30000, -32768), "-2768 -2768 32767");
  s.media.join(3, 5, true, false);
  CHECK_SAME(say(100, 20, 3), "20 100 120");
  s.media.join(3, 5, false, true);
  CHECK_SAME(say(100, 20, 3), "23 103 0");
  s.media.close(2);
  s.media.join(3, 5);
  s.ticks(1);
  CHECK_SAME(say(100, 20, 3), "3 103 100");
}

TEST("a clip goes round without a seam instead of the bridge, prompts interrupt it and it stands still meanwhile, and then the bridge is heard as before") {
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2);
  s.bridge(1, 2);
  s.media.storeClip(1, ramp(250));
  s.media.loop(1, 1, 10);
  a->sent.clear();
  b->incoming = ramp(1600, 7000);
  s.ticks(3);
  CHECK(a->sent == ramp(170, 81) + ramp(250) + ramp(60));
  s.media.playSilence(1, 1, 20);
  s.ticks(2);
  CHECK(last(*a, 40) == silence(20) + ramp(160, 61));
  s.media.loopStop(1);
  s.ticks(1);
  CHECK(last(*a, 20) == ramp(160, 7800));
  s.media.loop(1, 99, 0);
  s.ticks(1);
  CHECK(last(*a, 20) == silence(20));
}

TEST("something said over a bridge is heard by its leg alone, and what lies below it is 12 dB quieter meanwhile, without an edge") {
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2);
  s.bridge(1, 2);
  s.media.storeClip(1, sine(1000, 1000, -20));
  a->incoming = b->incoming = sine(400, 2000, -10);
  s.ticks(5);
  a->sent.clear();
  b->sent.clear();
  s.media.playClip(1, 7, 1, 0, true);
  s.ticks(60);
  const Samples during(a->sent.begin() + 800, a->sent.begin() + 7200);
  CHECK_BETWEEN(levelAt(during, 1000), -20.3, -19.7);
  CHECK_BETWEEN(levelAt(during, 400), -22.3, -21.8);
  CHECK_BETWEEN(levelAt(Samples(a->sent.begin() + 8400, a->sent.end()), 400), -10.2, -9.8);
  CHECK_BETWEEN(levelAt(b->sent, 1000), -300, -50);
  CHECK_BETWEEN(levelAt(b->sent, 400), -10.2, -9.8);
  CHECK_SAME(s.events.story(), "7:done@1000");
  int steepest = 0;
  for (size_t i = 1; i < a->sent.size(); i++) steepest = std::max(steepest, std::abs(a->sent[i] - a->sent[i - 1]));
  CHECK_BETWEEN(steepest, 1000, 5200);
}

TEST("a recording of two channels holds what the leg said and what it heard, in step, across a move and a hold") {
  TempDir dir;
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2), c = s.openLeg(3);
  s.bridge(1, 2);
  s.media.record(1, 4, dir.file("both.wav"), 60000, 2);
  s.media.storeClip(1, Samples(160, 555));
  a->incoming = ramp(800);
  b->incoming = Samples(480, 222);
  c->incoming = Samples(800, 333);
  s.ticks(2);
  s.media.loop(1, 1, 0);
  s.ticks(1);
  s.media.loopStop(1);
  s.bridge(1, 3);
  s.ticks(2);
  s.media.recordStop(1, 4, 10);
  s.ticks(1);
  const auto done = s.events.recordings(1);
  CHECK_SAME(done[0].durationMs, 90u);
  const std::string bytes = bytesOf(dir.file("both.wav"));
  CHECK_SAME(bytes[22], 2);
  const Samples interleaved = wavSamples(bytes);
  Samples left, right;
  for (size_t i = 0; i + 1 < interleaved.size(); i += 2) {
    left.push_back(interleaved[i]);
    right.push_back(interleaved[i + 1]);
  }
  CHECK(left == ramp(720));
  CHECK(right == Samples(320, 222) + Samples(160, 555) + Samples(240, 333));
}

TEST("what a recording holds so far can be read while it grows") {
  TempDir dir;
  Stepped s;
  auto a = s.openLeg(1);
  s.media.record(1, 4, dir.file("a.wav"), 0, 2);
  s.ticks(25);
  uint32_t told = 0;
  for (int i = 0; i < 300 && told == 0; i++) {
    usleep(10000);
    const std::string bytes = bytesOf(dir.file("a.wav.part"));
    if (bytes.size() >= 44) memcpy(&told, bytes.data() + 40, 4);
  }
  CHECK_SAME(told, 25u * 640);
}

TEST("what nobody listens to is not decoded, and who listens then hears what comes from now on") {
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2);
  s.media.inbandDigits(1, false);
  s.media.inbandDigits(2, false);
  a->incoming = ramp(480, 1);
  b->incoming = ramp(480, 5000);
  s.ticks(5);
  CHECK_SAME(a->incoming.size(), 480u);
  CHECK_SAME(a->flushed + b->flushed, 0u);
  s.bridge(1, 2);
  s.ticks(3);
  CHECK_SAME(a->flushed, 1u);
  CHECK(last(*a, 60) == ramp(480, 5000));
  CHECK(last(*b, 60) == ramp(480, 1));
  s.media.leave(1);
  s.ticks(2);
  s.media.tap(1, true);
  s.ticks(2);
  CHECK_SAME(a->flushed, 2u);
  CHECK_SAME(b->flushed, 1u);
}

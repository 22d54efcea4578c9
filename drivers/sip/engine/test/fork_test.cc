// The copy of a leg's audio for a stream: both ways, both rates, without keys; and what such a stream has played.
#include "check.h"
#include "fakes.h"

namespace {

struct Piece {
  uint32_t leg, atMs;
  bool said;
  Samples samples;
};

std::vector<Piece> pieces(const std::vector<std::vector<uint8_t>>& frames) {
  std::vector<Piece> all;
  for (const auto& frame : frames) {
    for (size_t at = 0; at + pbx::forkHeadBytes <= frame.size();) {
      const uint8_t* head = frame.data() + at;
      const uint32_t kind = pbx::readU32(head + 8), count = kind >> 16;
      all.push_back({pbx::readU32(head), pbx::readU32(head + 4), (kind & 1) != 0, pbx::readPcm({head + pbx::forkHeadBytes, 2 * count})});
      at += pbx::forkHeadBytes + 2 * count;
    }
  }
  return all;
}

Samples joined(const std::vector<Piece>& all, bool said, size_t length) {
  Samples out;
  for (const Piece& each : all) {
    if (each.said == said && each.samples.size() == length) out.insert(out.end(), each.samples.begin(), each.samples.end());
  }
  return out;
}

}  // namespace

TEST("a fork tells what a leg hears and what it is sent, in step, until nobody wants it") {
  Stepped s;
  auto port = s.leg(1);
  s.ticks(20);
  s.media.fork(1, {true, true});
  s.ticks(1);
  s.media.storeClip(1, ramp(320, 7));
  s.media.playClip(1, 1, 1, 0);
  port->incoming = ramp(320, 900);
  port->sent.clear();
  s.ticks(2);
  s.media.fork(1, {});
  s.ticks(1);
  const auto all = pieces(s.events.forks);
  CHECK_SAME(s.events.forks.size(), 2u);
  CHECK_SAME(all.size(), 4u);
  CHECK_SAME(all[0].atMs, 420u);
  CHECK_SAME(all[3].atMs, 440u);
  CHECK(joined(all, false, 160) == ramp(320, 900));
  CHECK(joined(all, true, 160) == ramp(320, 7));
  CHECK(port->sent == ramp(320, 7) + silence(20));
}

TEST("at 16 kHz a wide leg loses nothing, a narrow one is told at the same level") {
  for (const unsigned rate : {8000u, 16000u}) {
    Stepped s;
    auto port = s.openLeg(1, false, rate);
    s.media.fork(1, {false, false, true, true});
    s.ticks(1);
    s.hear(*port, rate == 8000 ? sine(1000, 600, -16) : mix(sine(1000, 600, -16, 16000), sine(5000, 600, -16, 16000)));
    const Samples heard = joined(pieces(s.events.forks), false, 320);
    CHECK_SAME(heard.size(), 9600u);
    const Samples steady(heard.begin() + 1600, heard.end());
    CHECK_BETWEEN(levelAt(steady, 1000, 16000), -16.2, -15.8);
    CHECK_BETWEEN(levelAt(steady, 5000, 16000), rate == 8000 ? -200 : -16.2, rate == 8000 ? -50 : -15.8);
    CHECK_SAME(joined(pieces(s.events.forks), true, 320).size(), 9600u);
  }
}

TEST("what is played at 16 kHz is heard so by a wide leg, and at 8 kHz by a narrow one, a recording and a fork") {
  for (const unsigned rate : {8000u, 16000u}) {
    Stepped s;
    auto port = s.openLeg(1, false, rate);
    s.ticks(20);
    s.media.fork(1, {false, true, false, true});
    s.ticks(1);
    s.media.playStream(1, 9, true);
    s.media.streamPcm(1, 9, mix(sine(1000, 600, -16, 16000), sine(5000, 600, -16, 16000)));
    s.media.streamEnd(1, 9);
    port->sent.clear();
    s.ticks(32);
    CHECK_SAME(s.events.story(), std::string("9:done@600"));
    const Samples steady(port->sent.begin() + rate / 10, port->sent.begin() + rate / 2);
    CHECK_BETWEEN(levelAt(steady, 1000, rate), -16.2, -15.8);
    // At 8 kHz what is above 4 kHz may not fold down.
    CHECK_BETWEEN(levelAt(steady, rate == 8000 ? 3000 : 5000, rate), rate == 8000 ? -200 : -16.2, rate == 8000 ? -50 : -15.8);
    const auto all = pieces(s.events.forks);
    const Samples narrow = joined(all, true, 160), wide = joined(all, true, 320);
    CHECK_BETWEEN(levelAt(Samples(narrow.begin() + 800, narrow.begin() + 4000), 1000), -16.2, -15.8);
    CHECK_BETWEEN(levelAt(Samples(wide.begin() + 1600, wide.begin() + 8000), 5000, 16000), rate == 8000 ? -200 : -16.2, rate == 8000 ? -50 : -15.8);
  }
}

TEST("pieces of odd length at 16 kHz join without a gap, and what follows at 8 kHz begins where they end") {
  Stepped s;
  auto port = s.openLeg(1, false, 16000);
  s.ticks(20);
  const Samples tone = sine(300, 400, -10, 16000);
  s.media.playStream(1, 1, true);
  for (size_t at = 0; at < tone.size(); at += 333) s.media.streamPcm(1, 1, std::span(tone).subspan(at, std::min<size_t>(333, tone.size() - at)));
  s.media.streamEnd(1, 1);
  s.media.playSilence(1, 2, 100);
  port->sent.clear();
  s.ticks(26);
  CHECK_SAME(s.events.story(), std::string("1:done@400 2:done@100"));
  int steepest = 0;
  for (size_t i = 321; i < 6300; i++) steepest = std::max(steepest, std::abs(port->sent[i] - port->sent[i - 1]));
  const double steepestOfTone = peakOf(-10) * 2 * std::numbers::pi * 300 / 16000;
  CHECK_BETWEEN(steepest, steepestOfTone * 0.9, steepestOfTone * 1.1);
}

TEST("a frame is passed on when it has arrived, and the tick hears the same frame, once") {
  for (const unsigned rate : {8000u, 16000u}) {
    Stepped s;
    auto port = s.openLeg(1, false, rate), other = s.openLeg(2, false, rate);
    s.bridge(1, 2);
    s.media.fork(1, {rate == 8000, true, rate == 16000, false});
    s.ticks(1);
    s.events.forks.clear();
    CHECK(s.media.awaitsPackets());
    const unsigned length = rate / 50;
    const auto heard = [&] { return joined(pieces(s.events.forks), false, length); };
    // Half of one has not arrived.
    port->incoming = ramp(length / 2, 7);
    s.media.hearEarly();
    CHECK(heard().empty());
    port->incoming = ramp(length, 7);
    s.media.hearEarly();
    CHECK(heard() == ramp(length, 7));
    // The next one of a burst stays in the jitter buffer until the tick has heard the first.
    port->incoming = ramp(length, 900);
    s.media.hearEarly();
    CHECK(heard() == ramp(length, 7));
    other->sent.clear();
    s.ticks(1);
    CHECK(other->sent == ramp(length, 7));
    CHECK(heard() == ramp(length, 7));
    s.media.hearEarly();
    CHECK(heard() == ramp(length, 7) + ramp(length, 900));
    s.ticks(1);
    CHECK(other->sent == ramp(length, 7) + ramp(length, 900));
    // What is sent belongs to the tick, and has the time of what was heard in it.
    const auto all = pieces(s.events.forks);
    CHECK_SAME(all.size(), 4u);
    for (size_t i = 0; i < 4; i++) CHECK_SAME(all[i].atMs, all[0].atMs + i / 2 * 20);
    CHECK(!all[0].said && all[1].said && !all[2].said && all[3].said);
    // With nothing more the tick has silence, as ever.
    s.ticks(1);
    CHECK(heard() == ramp(length, 7) + ramp(length, 900) + Samples(length, 0));
  }
}

TEST("a listener begins with what arrives after its order, and one more listener takes nothing from it") {
  Stepped s;
  auto port = s.openLeg(1);
  s.media.fork(1, {true, true});
  port->incoming = ramp(480);
  s.ticks(1);
  CHECK(s.events.forks.empty());
  s.ticks(1);
  s.media.fork(1, {true, true, true});
  s.ticks(1);
  const auto all = pieces(s.events.forks);
  CHECK(joined(all, false, 160) == ramp(320, 161));
  CHECK_SAME(joined(all, true, 160).size(), 320u);
  CHECK_SAME(joined(all, false, 320).size(), 320u);
}

TEST("packets are awaited for what a leg hears alone, and not where keys are looked for in it") {
  Stepped s;
  auto keys = s.openLeg(1, true), said = s.openLeg(2), free = s.openLeg(3);
  s.media.fork(1, {true});
  s.media.fork(2, {false, true});
  s.ticks(1);
  CHECK(!s.media.awaitsPackets());
  s.media.fork(3, {true});
  s.ticks(1);
  CHECK(s.media.awaitsPackets());
  s.media.fork(3, {});
  s.ticks(1);
  CHECK(!s.media.awaitsPackets());
  keys->incoming = said->incoming = free->incoming = ramp(160);
  s.events.forks.clear();
  s.media.hearEarly();
  CHECK(s.events.forks.empty());
}

TEST("keys in the audio are no part of a fork, wherever in a frame they lie, and what is around them is whole") {
  for (unsigned offset = 0; offset < 20; offset += 3) {
    Stepped s;
    auto port = s.openLeg(1, true);
    s.media.fork(1, {true});
    s.ticks(1);
    const unsigned pressed = 300 + offset;
    s.hear(*port, sine(300, pressed, -20) + mix(sine(770, 100, -10), sine(1336, 100, -9)) + sine(300, 600 - pressed, -20));
    s.ticks(4);
    CHECK_SAME(s.events.keys(), "5");
    const auto all = pieces(s.events.forks);
    const Samples heard = joined(all, false, 160);
    for (size_t i = 1; i < all.size(); i++) CHECK_SAME(all[i].atMs, all[i - 1].atMs + 20);
    CHECK_SAME(all.front().atMs, 220u);
    // Of the tones not 2 ms are left; a frame before and one after may go with them.
    const auto from = [&](size_t ms) { return heard.begin() + static_cast<ptrdiff_t>(ms * 8); };
    CHECK_BETWEEN(levelAt(Samples(from(pressed), from(pressed + 100)), 1336), -300, -45);
    CHECK_BETWEEN(levelAt(Samples(from(0), from(pressed - 40)), 300), -20.3, -19.7);
    CHECK_BETWEEN(levelAt(Samples(from(pressed + 140), from(680)), 300), -20.3, -19.7);
  }
}

TEST("who sends as fast as it is heard is heard at once, and who says all of it in one go after the first 200 ms") {
  Stepped s;
  auto live = s.leg(1), said = s.leg(2), two = s.leg(3);
  // Two frames that came between the same two ticks, each in a play of its own.
  for (uint32_t play = 1; play <= 2; play++) {
    s.media.playStream(3, play);
    s.media.streamPcm(3, play, ramp(160, play));
    s.media.streamEnd(3, play);
  }
  s.media.playStream(1, 1);
  s.media.streamPcm(1, 1, ramp(160));
  s.media.playStream(2, 2);
  s.media.streamPcm(2, 2, ramp(800));
  s.ticks(1);
  CHECK(live->sent == ramp(160));
  s.media.streamPcm(1, 1, ramp(160, 161));
  s.ticks(1);
  CHECK(live->sent == ramp(320));
  CHECK(two->sent == ramp(160, 1) + ramp(160, 2));
  s.ticks(13);
  CHECK(said->sent == silence(200) + ramp(800));
}

TEST("a stream that comes as fast as it is heard, a frame late, leaves out one silent frame and is heard in time") {
  Stepped s;
  auto port = s.openLeg(1);
  uint32_t play = 0;
  // A whole item each, as the daemon sends them.
  const auto piece = [&](const Samples& samples) {
    s.media.playStream(1, ++play);
    s.media.streamPcm(1, play, samples);
    s.media.streamEnd(1, play);
  };
  piece(ramp(160, 1000));
  const auto late = [&](unsigned frames, const Samples& samples) {
    for (unsigned i = 0; i < frames; i++) {
      piece(samples);
      s.ticks(1);
    }
  };
  // What is loud is all heard, however long it is late.
  late(60, ramp(160, 1000));
  CHECK_SAME(s.events.plays.size(), 60u);
  port->sent.clear();
  late(3, silence(20));
  CHECK_SAME(s.events.plays.size(), 64u);
  CHECK(port->sent == ramp(160, 1000) + silence(40));
  CHECK_SAME(s.events.plays.back().play, 64u);
  // In time from now on; late once more, it is given twice as long.
  late(10, silence(20));
  CHECK_SAME(s.events.plays.size(), 74u);
  piece(silence(20));
  late(49, silence(20));
  CHECK_SAME(s.events.plays.size(), 123u);
  late(2, silence(20));
  CHECK_SAME(s.events.plays.size(), 126u);
  CHECK(std::ranges::all_of(s.events.plays, [](const auto& each) { return each.completed && each.playedMs == 20; }));
}

TEST("of what was sent ahead nothing is left out, however silent it is") {
  Stepped s;
  s.openLeg(1);
  s.media.playStream(1, 1);
  s.media.streamPcm(1, 1, silence(2000));
  s.media.streamEnd(1, 1);
  s.ticks(99);
  CHECK_SAME(s.events.story(), "");
  s.ticks(1);
  CHECK_SAME(s.events.story(), "1:done@2000");
  // Five frames ahead, each followed by another at the pace of the clock.
  for (uint32_t play = 2; play < 7; play++) {
    s.media.playStream(1, play);
    s.media.streamPcm(1, play, silence(20));
    s.media.streamEnd(1, play);
  }
  for (uint32_t play = 7; play < 107; play++) {
    s.media.playStream(1, play);
    s.media.streamPcm(1, play, silence(20));
    s.media.streamEnd(1, play);
    s.ticks(1);
  }
  CHECK_SAME(s.events.plays.back().play, 101u);
}

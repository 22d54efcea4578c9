// Fax on legs of the media engine: tones, and modems in place of the queue.
#include "../fax/fax_line.h"
#include "check.h"
#include "fax_rig.h"

namespace {

struct LineStory {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<pbx::FaxEnd> end;
  std::optional<pbx::FaxEnd> wait(double seconds) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return end.has_value(); });
    return end;
  }
};

struct LineEvents final : pbx::FaxEvents {
  LineStory& story;
  explicit LineEvents(LineStory& s) : story(s) {}
  void progress(pbx::FaxPhase, const pbx::FaxState&) override {}
  void frame(const pbx::FaxFrame&) override {}
  void ended(const pbx::FaxEnd& end) override {
    std::lock_guard lock(story.mutex);
    story.end = end;
    story.changed.notify_all();
  }
};

}  // namespace

TEST("fax tones: CNG and CED are heard once each, speech and keys are not taken for them") {
  Stepped rig;
  auto port = rig.openLeg(1);
  rig.media.listenForFax(1, true);
  rig.hear(*port, babble(20'000, -18) + mix(sine(697, 3000, -8), sine(1209, 3000, -8)) + silence(200));
  CHECK_SAME(rig.events.tones, "");
  const Samples cng = sine(1100, 500, -16) + silence(3000);
  rig.hear(*port, cng + cng + cng);
  CHECK_SAME(rig.events.tones, "cng");
  rig.hear(*port, sine(2100, 3000, -16));
  CHECK_SAME(rig.events.tones, "cng ced");
  rig.media.listenForFax(1, false);
  rig.media.listenForFax(1, true);
  rig.hear(*port, cng);
  CHECK_SAME(rig.events.tones, "cng ced cng");
}

TEST("fax line: a modem takes the leg, its queue waits, and gets it back") {
  class Echo final : public pbx::LineModem {
   public:
    void exchange(std::span<const int16_t> heard, bool lost, std::span<int16_t> said) override {
      for (size_t i = 0; i < said.size(); i++) said[i] = lost ? -1 : static_cast<int16_t>(heard[i] + 1);
    }
  };
  Stepped rig;
  auto port = rig.openLeg(1);
  rig.media.modem(1, std::make_shared<Echo>());
  rig.media.playSilence(1, 5, 40);
  rig.hear(*port, ramp(320));
  CHECK(port->sent == ramp(320, 2));
  port->sent.clear();
  rig.ticks(1);
  CHECK_SAME(port->sent.at(0), -1);
  CHECK_SAME(rig.events.story(), "");
  rig.media.modem(1, nullptr);
  rig.ticks(2);
  CHECK_SAME(rig.events.story(), "5:done@40");
}

TEST("fax line: two legs fax to each other, each on its thread") {
  TempDir dir;
  const std::vector<FaxPage> pages = {faxPage(100, 3)};
  writeFax(dir.file("in.tif"), pages);
  pbx::FaxOrder send, receive;
  send.sending = true;
  send.file = dir.file("in.tif");
  receive.file = dir.file("out.tif");
  LineStory sent, received;
  pbx::FaxLine a(send, std::make_unique<LineEvents>(sent)), b(receive, std::make_unique<LineEvents>(received));
  CHECK(a.start() && b.start());
  std::array<int16_t, 160> fromA{}, fromB{}, next;
  const auto follow = [](const pbx::FaxLine& line) {
    while (line.behind() && !line.finished()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  // As fast as the threads follow.
  for (unsigned tick = 0; tick < 6000 && !(a.finished() && b.finished()); tick++) {
    a.exchange(fromB, false, next);
    b.exchange(fromA, false, fromB);
    fromA = next;
    follow(a);
    follow(b);
  }
  CHECK(sent.wait(1) && sent.end->code == 0);
  CHECK(received.wait(1) && received.end->code == 0);
  const auto got = readFax(dir.file("out.tif"));
  CHECK_SAME(got.size(), 1u);
  CHECK(!got.empty() && samePage(got[0], pages[0], 32));
}

TEST("fax line: a leg that ends leaves code 49 behind") {
  TempDir dir;
  pbx::FaxOrder receive;
  receive.file = dir.file("out.tif");
  LineStory story;
  pbx::FaxLine line(receive, std::make_unique<LineEvents>(story));
  CHECK(line.start());
  std::array<int16_t, 160> quiet{}, said;
  for (int i = 0; i < 50; i++) line.exchange(quiet, false, said);
  line.drop();
  CHECK(story.wait(5) && story.end->code == 49);
}

// The real clock: pace, lateness with many legs, and callers on other threads.
#include <thread>

#include "check.h"
#include "fakes.h"

namespace {

// A port that only counts; it may be destroyed the moment detach() returned.
class CountingPort final : public pbx::FramePort {
 public:
  explicit CountingPort(unsigned rate) : rate_(rate) {}
  ~CountingPort() override { alive_ = false; }
  unsigned rate() const override { return rate_; }
  bool receive(std::span<int16_t> samples) override {
    if (!alive_) abort();
    std::fill(samples.begin(), samples.end(), int16_t{1000});
    return ++received_ % 10 != 0;
  }
  bool ready() override {
    if (!alive_) abort();
    return true;
  }
  void flush() override {
    if (!alive_) abort();
  }
  void send(std::span<const int16_t> samples) override {
    if (!alive_) abort();
    sum_ += samples[0];
    sent++;
  }
  std::atomic<unsigned> sent{0};

 private:
  unsigned rate_;
  bool alive_ = true;
  unsigned received_ = 0;
  int sum_ = 0;
};

class QuietEvents final : public pbx::MediaEvents {
 public:
  void played(pbx::LegId, uint32_t, bool, unsigned) override { plays++; }
  void recorded(pbx::LegId, uint32_t, const std::string&, unsigned, const char*) override { recordings++; }
  void firstHeard(pbx::LegId) override {}
  void voice(pbx::LegId, bool) override {}
  void inbandDigit(pbx::LegId, char, unsigned) override {}
  void faxTone(pbx::LegId, const char*) override {}
  void audio(std::span<const uint8_t> frame) override { audioBytes += frame.size(); }
  void forked(std::span<const uint8_t> frame) override { audioBytes += frame.size(); }
  std::atomic<unsigned> plays{0}, recordings{0};
  std::atomic<size_t> audioBytes{0};
};

}  // namespace

TEST("the clock keeps 20 ms with 200 legs that play, are tapped and watched for keys") {
  QuietEvents events;
  auto media = pbx::makeMedia();
  media->storeClip(1, Samples(80000, 500));
  std::vector<std::shared_ptr<CountingPort>> ports;
  std::string why;
  CHECK(media->start(events, why));
  if (!why.empty()) std::printf("# no real-time priority: %s\n", why.c_str());
  for (pbx::LegId leg = 1; leg <= 200; leg++) {
    ports.push_back(std::make_shared<CountingPort>(leg % 4 == 0 ? 16000 : 8000));
    media->open(leg, true);
    media->attach(leg, ports.back());
    media->playClip(leg, leg, 1, 0);
    media->tap(leg, true);
    media->listen(leg, true);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  media->report();
  const unsigned before = ports[0]->sent;
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const unsigned ticks = ports[0]->sent - before;
  const pbx::ClockReport report = media->report();
  media->stop();
  CHECK_BETWEEN(ticks, 90, 106);
  CHECK_SAME(report.legs, 200u);
  CHECK_SAME(report.clipBytes, 160000u);
  CHECK_BETWEEN(report.latenessP99Ms, 0, report.latenessMaxMs);
  std::printf("# lateness p99 %.1f ms, max %.1f ms\n", report.latenessP99Ms, report.latenessMaxMs);
}

TEST("after a stall the clock goes on at its pace: a short one is made up for, a long one is not") {
  for (const unsigned stallMs : {70u, 300u}) {
    pbx::TickClock clock;
    std::atomic<unsigned> ticks{0};
    std::string why;
    CHECK(clock.start(
        [&] {
          if (++ticks == 5) std::this_thread::sleep_for(std::chrono::milliseconds(stallMs));
        },
        [] {}, why));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    clock.stop();
    // Asking for the latest tick alone takes nothing away from the report.
    CHECK_BETWEEN(clock.takeMaxMs(), stallMs - 21, stallMs + 30);
    CHECK_SAME(clock.takeMaxMs(), 0);
    const pbx::Lateness lateness = clock.takeLateness();
    if (stallMs == 70) CHECK_BETWEEN(ticks, 27, 31);
    if (stallMs == 300) CHECK_BETWEEN(ticks, 13, 17);
    CHECK_BETWEEN(lateness.maxMs, stallMs - 21, stallMs + 30);
    CHECK_SAME(clock.takeLateness().maxMs, 0);
  }
}

TEST("a nudge is served between two ticks, on their thread, and moves none of them") {
  pbx::TickClock clock;
  std::atomic<unsigned> ticks{0}, between{0};
  std::thread::id ticking;
  std::string why;
  CHECK(clock.start([&] { ticking = std::this_thread::get_id(), ticks++; }, [&] { if (ticking == std::this_thread::get_id()) between++; }, why));
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
  while (std::chrono::steady_clock::now() < until) {
    clock.nudge();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  clock.stop();
  CHECK_BETWEEN(ticks, 26, 32);
  CHECK_BETWEEN(between, 60, 200);
}

TEST("legs may be opened, attached, used, detached and closed from many threads while the clock turns") {
  TempDir dir;
  QuietEvents events;
  auto media = pbx::makeMedia();
  std::string why;
  CHECK(media->start(events, why));
  std::atomic<unsigned> recordings{0};
  std::vector<std::thread> callers;
  for (unsigned caller = 0; caller < 4; caller++) {
    callers.emplace_back([&, caller] {
      std::mt19937 random(caller);
      for (unsigned i = 0; i < 60; i++) {
        const pbx::LegId leg = 1 + caller + 4 * i;
        media->open(leg, i % 2);
        media->storeClip(caller, Samples(1000, 7));
        media->playClip(leg, 1, caller, 0);
        media->playStream(leg, 2);
        media->tap(leg, i % 3 == 0);
        media->fork(leg, {i % 2 == 0, i % 5 == 0, i % 3 == 1, i % 7 == 0});
        media->listen(leg, i % 2 == 0);
        if (i % 4 == 0) {
          media->record(leg, leg, dir.file(std::to_string(leg) + ".wav"), 40);
          recordings++;
        }
        for (unsigned turn = 0; turn < 5; turn++) {
          auto port = std::make_unique<CountingPort>(random() % 2 ? 8000 : 16000);
          // What the signalling half does: the port's memory goes as soon as detach() has returned.
          media->attach(leg, std::shared_ptr<pbx::FramePort>(port.get(), [](pbx::FramePort*) {}));
          media->join(leg, 1 + leg / 3);
          media->join(leg - 4, 1 + leg / 3);
          media->loop(leg, caller, 10);
          media->packetsArrived();
          media->streamPcm(leg, 2, Samples(300, 9));
          if (random() % 2) media->clear(leg);
          std::this_thread::sleep_for(std::chrono::milliseconds(random() % 12));
          media->detach(leg);
        }
        media->dropClip(caller);
        media->otherDigitSeen(leg);
        media->close(leg);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  std::atomic<bool> turned{false};
  media->onTick([&] { turned = true; });
  while (!turned) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_SAME(media->report().legs, 0u);
  media->stop();
  CHECK_SAME(events.recordings, recordings);
}

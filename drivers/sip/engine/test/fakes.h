// The network's place in the tests: a port that remembers what was sent and delivers what it is given, and a record of
// the events.
#pragma once
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../media/media_engine.h"
#include "signals.h"

class FakePort final : public pbx::FramePort {
 public:
  explicit FakePort(unsigned rate = 8000) : rate_(rate) {}
  unsigned rate() const override { return rate_; }
  bool receive(std::span<int16_t> samples) override {
    if (samples.size() != rate_ / 50) std::abort();
    if (incoming.size() < samples.size()) return false;
    came = true;
    std::copy_n(incoming.begin(), samples.size(), samples.begin());
    incoming.erase(incoming.begin(), incoming.begin() + static_cast<ptrdiff_t>(samples.size()));
    return true;
  }
  bool ready() override { return incoming.size() >= rate_ / 50; }
  void flush() override { flushed++; }
  bool hasHeard() const override { return came; }
  void send(std::span<const int16_t> samples) override {
    if (samples.size() != rate_ / 50) std::abort();
    sent.insert(sent.end(), samples.begin(), samples.end());
  }
  Samples incoming, sent;
  unsigned flushed = 0;
  bool came = false;

 private:
  unsigned rate_;
};

struct RecordedEvent {
  pbx::LegId leg;
  uint32_t record;
  std::string file;
  unsigned durationMs;
  std::string reason;
};

class FakeEvents final : public pbx::MediaEvents {
 public:
  void played(pbx::LegId leg, uint32_t play, bool completed, unsigned playedMs) override {
    std::lock_guard lock(mutex_);
    plays.push_back({leg, play, completed, playedMs});
  }
  void recorded(pbx::LegId leg, uint32_t record, const std::string& file, unsigned durationMs, const char* reason) override {
    std::lock_guard lock(mutex_);
    recordings_.push_back({leg, record, file, durationMs, reason});
    changed_.notify_all();
  }
  void firstHeard(pbx::LegId leg) override { firsts.push_back({leg, ticks}); }
  void voice(pbx::LegId, bool active) override { voices.push_back({ticks, active}); }
  void inbandDigit(pbx::LegId, char digit, unsigned durationMs) override { digits.push_back({digit, durationMs, ticks}); }
  void faxTone(pbx::LegId, const char* tone) override { tones += std::string(tones.empty() ? "" : " ") + tone; }
  void audio(std::span<const uint8_t> frame) override { frames.emplace_back(frame.begin(), frame.end()); }
  void forked(std::span<const uint8_t> frame) override { forks.emplace_back(frame.begin(), frame.end()); }

  // Waits until `count` recordings were reported in all; returns them.
  std::vector<RecordedEvent> recordings(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return recordings_.size() >= count; });
    return recordings_;
  }
  // "7:done@500 8:cut@120"
  std::string story() {
    std::string text;
    for (const auto& p : plays) {
      text += (text.empty() ? "" : " ") + std::to_string(p.play) + (p.completed ? ":done@" : ":cut@") + std::to_string(p.playedMs);
    }
    return text;
  }
  std::string keys() const {
    std::string text;
    for (const auto& d : digits) text += d.digit;
    return text;
  }

  struct Voice {
    unsigned tick;
    bool active;
  };
  struct First {
    pbx::LegId leg;
    unsigned tick;
  };
  struct Key {
    char digit;
    unsigned ms, tick;
  };
  unsigned ticks = 0;  // the stepping test's count
  struct Played {
    pbx::LegId leg;
    uint32_t play;
    bool completed;
    unsigned playedMs;
  };
  std::vector<Played> plays;
  std::vector<First> firsts;
  std::vector<Voice> voices;
  std::string tones;  // "cng ced"
  std::vector<Key> digits;
  std::vector<std::vector<uint8_t>> frames, forks;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecordedEvent> recordings_;
};

// An engine whose clock the test turns.
struct Stepped {
  FakeEvents events;
  pbx::MediaEngine media;

  Stepped() { media.startStepped(events); }
  std::shared_ptr<FakePort> leg(pbx::LegId id, bool inband = false, unsigned rate = 8000) {
    auto port = std::make_shared<FakePort>(rate);
    media.open(id, inband);
    media.attach(id, port);
    return port;
  }
  // A leg past its first 200 ms.
  std::shared_ptr<FakePort> openLeg(pbx::LegId id, bool inband = false, unsigned rate = 8000) {
    auto port = leg(id, inband, rate);
    ticks(10);
    port->sent.clear();
    return port;
  }
  void ticks(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
      events.ticks++;
      media.tick();
    }
  }
  // Two legs in a bridge of their own.
  void bridge(pbx::LegId a, pbx::LegId b) {
    bridges++;
    media.join(a, bridges);
    media.join(b, bridges);
  }
  uint32_t bridges = 0;
  // Lets the leg hear the samples.
  void hear(FakePort& port, const Samples& samples) {
    port.incoming = samples;
    ticks(static_cast<unsigned>(samples.size() / (port.rate() / 50)));
  }
};

struct TempDir {
  std::string path;
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "engine-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return path + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path)) all.push_back(entry.path().filename());
    return all;
  }
};

inline std::string bytesOf(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Samples wavSamples(const std::string& bytes) {
  Samples samples((bytes.size() - std::min<size_t>(bytes.size(), 44)) / 2);
  if (!samples.empty()) memcpy(samples.data(), bytes.data() + 44, samples.size() * 2);
  return samples;
}

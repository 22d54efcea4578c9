// Recordings: what is in the file, when it appears, how it ends.
#include <sys/resource.h>

#include <csignal>

#include "check.h"
#include "fakes.h"

namespace {

std::string le32(uint32_t value) {
  std::string bytes(4, '\0');
  memcpy(bytes.data(), &value, 4);
  return bytes;
}

}  // namespace

TEST("a recording holds what the leg heard, in a WAV file that appears whole") {
  TempDir dir;
  Stepped s;
  auto port = s.openLeg(1);
  const std::string file = dir.file("a.wav");
  s.media.record(1, 5, file, 0);
  const Samples heard = ramp(1600);
  s.hear(*port, heard);
  CHECK(!std::filesystem::exists(file));
  s.media.recordStop(1, 5, 0);
  s.ticks(1);
  const auto done = s.events.recordings(1);
  CHECK_SAME(done.size(), 1u);
  CHECK_SAME(done[0].reason, "stopped");
  CHECK_SAME(done[0].leg, 1u);
  CHECK_SAME(done[0].record, 5u);
  CHECK_SAME(done[0].file, file);
  CHECK_SAME(done[0].durationMs, 200u);
  const std::string bytes = bytesOf(file);
  CHECK_SAME(bytes.size(), 44u + 3200);
  CHECK(bytes.substr(0, 4) == "RIFF" && bytes.substr(4, 4) == le32(36 + 3200) && bytes.substr(8, 8) == "WAVEfmt ");
  CHECK(bytes.substr(24, 4) == le32(8000) && bytes.substr(36, 4) == "data" && bytes.substr(40, 4) == le32(3200));
  CHECK(wavSamples(bytes) == heard);
  CHECK_SAME(dir.names().size(), 1u);
}

TEST("while it runs the recording is a .part file") {
  TempDir dir;
  Stepped s;
  auto port = s.openLeg(1);
  s.media.record(1, 1, dir.file("a.wav"), 0);
  s.ticks(2);
  for (int i = 0; i < 200 && dir.names().empty(); i++) usleep(10000);
  CHECK(dir.names() == std::vector<std::string>{"a.wav.part"});
}

TEST("lost packets and a missing stream are silence of the same length") {
  TempDir dir;
  Stepped s;
  auto port = s.openLeg(1);
  s.media.record(1, 1, dir.file("a.wav"), 0);
  s.hear(*port, ramp(160));
  s.ticks(3);
  s.hear(*port, ramp(160, 500));
  s.media.detach(1);
  s.ticks(2);
  s.media.recordStop(1, 1, 0);
  s.ticks(1);
  s.events.recordings(1);
  CHECK(wavSamples(bytesOf(dir.file("a.wav"))) == ramp(160) + silence(60) + ramp(160, 500) + silence(40));
}

TEST("the longest duration is kept to the sample; the trim takes the end off") {
  TempDir dir;
  Stepped s;
  auto port = s.openLeg(1);
  s.media.record(1, 1, dir.file("max.wav"), 113);
  s.media.record(1, 2, dir.file("trim.wav"), 60000);
  s.media.record(1, 3, dir.file("all.wav"), 60000);
  const Samples heard = ramp(1600);
  s.hear(*port, heard);
  s.media.recordStop(1, 1, 0);
  s.media.recordStop(1, 2, 47);
  s.media.recordStop(1, 3, 9999);
  s.ticks(1);
  for (const auto& e : s.events.recordings(3)) {
    CHECK_SAME(e.reason, e.record == 1 ? "max-length" : "stopped");
    CHECK_SAME(e.durationMs, e.record == 1 ? 113u : e.record == 2 ? 153u : 0u);
    const Samples kept(heard.begin(), heard.begin() + e.durationMs * 8);
    CHECK(wavSamples(bytesOf(e.file)) == kept);
    CHECK_SAME(bytesOf(e.file).substr(40, 4), le32(e.durationMs * 16));
  }
}

TEST("a leg that closes ends its recording; so does the end of the engine; both keep the audio") {
  TempDir dir;
  Stepped s;
  auto a = s.openLeg(1), b = s.openLeg(2);
  s.media.record(1, 1, dir.file("a.wav"), 0);
  s.media.record(2, 2, dir.file("b.wav"), 0);
  s.hear(*a, ramp(320));
  s.media.close(1);
  s.ticks(1);
  CHECK_SAME(s.events.recordings(1)[0].reason, "ended");
  s.media.stop();
  const auto done = s.events.recordings(2);
  CHECK_SAME(done.size(), 2u);
  CHECK_SAME(done[1].reason, "ended");
  CHECK_SAME(done[1].durationMs, 60u);
  CHECK(wavSamples(bytesOf(dir.file("a.wav"))) == ramp(320));
  CHECK(wavSamples(bytesOf(dir.file("b.wav"))) == silence(60));
}

TEST("a recording that cannot be written is reported as failed at once and leaves nothing behind") {
  TempDir dir;
  Stepped s;
  auto port = s.openLeg(1);
  s.media.record(1, 1, dir.file("no/such/folder.wav"), 0);
  s.ticks(1);
  CHECK_SAME(s.events.recordings(1)[0].reason, "failed");
  s.media.recordStop(1, 1, 0);
  s.ticks(1);

  // The disk is full: no file may grow beyond 20 kB.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 20000;
  setrlimit(RLIMIT_FSIZE, &small);
  s.media.record(1, 2, dir.file("full.wav"), 0);
  s.hear(*port, ramp(160 * 200));
  const auto done = s.events.recordings(2);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_SAME(done.size(), 2u);
  CHECK_SAME(done.back().reason, "failed");
  CHECK(dir.names().empty());
  s.ticks(5);
  s.media.close(1);
  s.ticks(1);
  s.media.stop();
  CHECK_SAME(s.events.recordings(2).size(), 2u);
}

TEST("a disk slower than the ring holds costs audio but no time") {
  TempDir dir;
  Stepped s;
  // A recording that is not serviced until it has ended: its ring holds 8 s.
  pbx::Recording recording(1, 1, dir.file("a.wav"), 0, 1);
  for (int i = 0; i < 450; i++) recording.append(Samples(160, static_cast<int16_t>(i + 1)), {});
  CHECK(!recording.service(s.events));
  recording.append(Samples(160, 1000), {});
  recording.finish("stopped", 0);
  CHECK(recording.service(s.events));
  const Samples kept = wavSamples(bytesOf(dir.file("a.wav")));
  CHECK_SAME(kept.size(), 451u * 160);
  CHECK_SAME(kept[399 * 160], 400);
  CHECK_SAME(kept[400 * 160], 0);
  CHECK_SAME(kept.back(), 1000);
}

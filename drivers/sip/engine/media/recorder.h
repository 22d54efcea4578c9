// Recordings: the clock hands 20 ms blocks to a bounded ring, a writer thread puts them into WAV files. The clock never
// waits for a disk; a disk that stalls for longer than the ring holds costs audio, not time: the gap is kept as silence.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "media.h"
#include "nodes.h"
#include "wav_file.h"

namespace pbx {

class Recording {
 public:
  // maxMs 0: as long as a WAV file can be.
  Recording(LegId leg, uint32_t record, std::string file, unsigned maxMs, unsigned channels);

  LegId leg() const { return leg_; }
  uint32_t number() const { return record_; }

  // Clock side. append() returns false when the recording takes no more: full or failed.
  // `other`: of the same length, for the right channel of two.
  bool append(std::span<const int16_t> samples, std::span<const int16_t> other);
  // Ends it; the reason is a string literal. Later calls are ignored.
  void finish(const char* reason, unsigned trimMs);

  // Writer side. Writes what the ring holds; true when the recording has ended and `recorded` was reported.
  bool service(MediaEvents& events);

 private:
  struct Block {
    uint32_t gap = 0;  // samples of silence before it: blocks that found the ring full
    uint32_t count = 0;  // samples of each channel
  };
  int16_t* samplesOf(uint32_t block) const { return samples_.get() + size_t{block % ringBlocks} * 160 * channels_; }
  static constexpr uint32_t ringBlocks = 400;  // 8 s

  void fail(MediaEvents& events, const std::string& why);

  const LegId leg_;
  const uint32_t record_;
  const std::string file_;
  const uint64_t maxSamples_;  // of each channel

  const unsigned channels_;
  std::unique_ptr<Block[]> ring_;
  std::unique_ptr<int16_t[]> samples_;  // of the blocks, interleaved
  std::atomic<uint32_t> head_{0}, tail_{0};  // written by the clock / by the writer; both only grow
  std::atomic<const char*> reason_{nullptr};
  std::atomic<bool> failed_{false};

  // Clock only.
  uint64_t taken_ = 0;
  uint32_t gap_ = 0;
  unsigned trimMs_ = 0;  // published by reason_
  uint32_t lastGap_ = 0;  // likewise: silence after the last block

  // Writer only.
  WavFile wav_;
  bool opened_ = false;
  uint64_t lost_ = 0;
};

// A recording in somebody's list.
struct RecordingEntry : Node {
  explicit RecordingEntry(std::shared_ptr<Recording> recording) : recording(std::move(recording)) {}
  std::shared_ptr<Recording> recording;
};

class RecordingWriter {
 public:
  ~RecordingWriter() { stop(); }
  void start(MediaEvents& events);
  // Returns when every finished recording is on disk and reported.
  void stop();
  // Any thread; the recording is serviced until it has ended.
  void add(std::unique_ptr<RecordingEntry> recording) { added_.push(std::move(recording)); }
  // Something was finished: look now and not only at the next turn.
  void wake();

 private:
  void run();

  MediaEvents* events_ = nullptr;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  int wakeFd_ = -1;
  NodeStack added_;
  std::vector<std::unique_ptr<RecordingEntry>> recordings_;  // writer thread only
};

}  // namespace pbx

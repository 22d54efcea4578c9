// A WAV file (RIFF, PCM, 8 kHz, 16 bit, one channel or two) that appears under its name only when it is whole and on the disk; until
// then it is `<name>.part`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pbx {

class WavFile {
 public:
  static constexpr uint64_t maxSamples(unsigned channels) { return (0xffffffffull - 44) / (2 * channels); }  // the header's sizes are 32 bit

  WavFile() = default;
  ~WavFile();  // an uncommitted file is removed
  WavFile(const WavFile&) = delete;
  WavFile& operator=(const WavFile&) = delete;

  // Each returns "" or what went wrong, in words.
  std::string open(const std::string& name, unsigned channels);
  std::string write(std::span<const int16_t> samples);  // of all channels, interleaved
  std::string silence(uint64_t samples);
  // The header covers all samples written so far.
  std::string refresh();
  // Takes the last samples off, completes the header, syncs, renames, syncs the folder.
  std::string commit(uint64_t trimSamples);
  void discard();

  uint64_t samples() const { return samples_; }  // of each channel

 private:
  std::string writeHeader();
  std::string writeAll(const void* data, size_t size);

  int fd_ = -1;
  std::string name_, part_;
  unsigned channels_ = 1;
  uint64_t samples_ = 0, told_ = 0;
};

}  // namespace pbx

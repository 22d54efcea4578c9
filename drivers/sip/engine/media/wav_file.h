// A WAV file (RIFF, PCM, 8 kHz, 16 bit, mono) that appears under its name only when it is whole and on the disk; until
// then it is `<name>.part`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pbx {

class WavFile {
 public:
  static constexpr uint64_t maxSamples = (0xffffffffull - 44) / 2;  // the header's sizes are 32 bit

  WavFile() = default;
  ~WavFile();  // an uncommitted file is removed
  WavFile(const WavFile&) = delete;
  WavFile& operator=(const WavFile&) = delete;

  // Each returns "" or what went wrong, in words.
  std::string open(const std::string& name);
  std::string write(std::span<const int16_t> samples);
  std::string silence(uint64_t samples);
  // Takes the last samples off, completes the header, syncs, renames, syncs the folder.
  std::string commit(uint64_t trimSamples);
  void discard();

  uint64_t samples() const { return samples_; }

 private:
  std::string writeHeader();
  std::string writeAll(const void* data, size_t size);

  int fd_ = -1;
  std::string name_, part_;
  uint64_t samples_ = 0;
};

}  // namespace pbx

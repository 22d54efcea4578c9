#include "wav_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace pbx {

static_assert(std::endian::native == std::endian::little, "WAV samples are written as they lie in memory");

namespace {

std::string failure(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

}  // namespace

WavFile::~WavFile() {
  discard();
}

std::string WavFile::open(const std::string& name, unsigned channels) {
  name_ = name;
  channels_ = channels;
  part_ = name + ".part";
  // A telephone message is nobody's but the service's.
  fd_ = ::open(part_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (fd_ < 0) return failure("creating " + part_);
  if (std::string why = writeHeader(); !why.empty()) return why;
  return lseek(fd_, 0, SEEK_END) < 0 ? failure("writing " + part_) : "";
}

std::string WavFile::refresh() {
  return told_ == samples_ ? "" : writeHeader();
}

std::string WavFile::writeHeader() {
  struct Header {
    char riff[4];
    uint32_t riffBytes;
    char wave[4], fmt[4];
    uint32_t fmtBytes;
    uint16_t format, channels;
    uint32_t sampleRate, bytesPerSecond;
    uint16_t blockAlign, bits;
    char data[4];
    uint32_t dataBytes;
  };
  static_assert(sizeof(Header) == 44);
  const uint16_t frame = static_cast<uint16_t>(2 * channels_);
  const uint32_t bytes = static_cast<uint32_t>(samples_ * frame);
  const Header header{{'R', 'I', 'F', 'F'}, bytes + 36, {'W', 'A', 'V', 'E'}, {'f', 'm', 't', ' '}, 16, 1, static_cast<uint16_t>(channels_), 8000, 8000u * frame, frame, 16,
                      {'d', 'a', 't', 'a'}, bytes};
  if (pwrite(fd_, &header, sizeof header, 0) != sizeof header) return failure("writing " + part_);
  told_ = samples_;
  return "";
}

std::string WavFile::writeAll(const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t wrote = ::write(fd_, at, size);
    if (wrote < 0) {
      if (errno == EINTR) continue;
      return failure("writing " + part_);
    }
    at += wrote;
    size -= static_cast<size_t>(wrote);
  }
  return "";
}

std::string WavFile::write(std::span<const int16_t> samples) {
  std::string why = writeAll(samples.data(), samples.size_bytes());
  if (why.empty()) samples_ += samples.size() / channels_;
  return why;
}

std::string WavFile::silence(uint64_t samples) {
  static constexpr std::array<int16_t, 4000> zeros{};
  while (samples > 0) {
    const size_t count = static_cast<size_t>(std::min<uint64_t>(samples, zeros.size() / channels_));
    if (std::string why = write(std::span(zeros.data(), count * channels_)); !why.empty()) return why;
    samples -= count;
  }
  return "";
}

std::string WavFile::commit(uint64_t trimSamples) {
  samples_ -= std::min(samples_, trimSamples);
  if (trimSamples > 0 && ftruncate(fd_, static_cast<off_t>(44 + samples_ * 2 * channels_)) < 0) return failure("shortening " + part_);
  if (std::string why = writeHeader(); !why.empty()) return why;
  if (fdatasync(fd_) < 0) return failure("syncing " + part_);
  if (rename(part_.c_str(), name_.c_str()) < 0) return failure("renaming " + part_);
  close(fd_);
  fd_ = -1;
  const size_t slash = name_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : name_.substr(0, slash);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure("opening " + folder);
  const bool synced = fsync(fd) == 0;
  const std::string why = synced ? "" : failure("syncing " + folder);
  close(fd);
  return why;
}

void WavFile::discard() {
  if (fd_ < 0) return;
  close(fd_);
  fd_ = -1;
  unlink(part_.c_str());
}

}  // namespace pbx

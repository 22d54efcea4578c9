// The bytes between this program and the modem: what is to be written, and what was read put into the two forms it has,
// lines of results and data shielded by DLE (ITU-T T.31 section 8.2).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pbx {

constexpr uint8_t dle = 0x10, etx = 0x03, sub = 0x1A;

// Appends `data` with each DLE doubled.
void shield(std::span<const uint8_t> data, std::string& out);

// The other direction, across the borders of chunks.
class Unshield {
 public:
  // Appends the data to `out`; stops after DLE ETX. Gives the number of bytes taken.
  size_t take(std::span<const uint8_t> bytes, std::vector<uint8_t>& out);
  // DLE ETX was seen.
  bool over() const { return over_; }
  void restart() { over_ = shielded_ = false; }

 private:
  bool shielded_ = false, over_ = false;
};

// Result lines end with LF, never with CR: the LF behind "CONNECT" is not data.
class ResultLine {
 public:
  // Takes bytes up to the end of a line; true when `text` is a line that is not empty.
  bool take(std::span<const uint8_t> bytes, size_t& taken, std::string& text);
  void restart() { line_.clear(); }

 private:
  std::string line_;
};

}  // namespace pbx

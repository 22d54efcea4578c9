#include "tty.h"

namespace pbx {

namespace {

constexpr size_t longestLine = 256;

}  // namespace

void shield(std::span<const uint8_t> data, std::string& out) {
  for (const uint8_t byte : data) {
    out += static_cast<char>(byte);
    if (byte == dle) out += static_cast<char>(dle);
  }
}

size_t Unshield::take(std::span<const uint8_t> bytes, std::vector<uint8_t>& out) {
  size_t at = 0;
  while (at < bytes.size() && !over_) {
    const uint8_t byte = bytes[at++];
    if (!shielded_) {
      if (byte == dle) shielded_ = true;
      else out.push_back(byte);
      continue;
    }
    shielded_ = false;
    if (byte == dle) out.push_back(dle);
    else if (byte == sub) out.insert(out.end(), 2, dle);
    else if (byte == etx) over_ = true;
    // Anything else behind DLE is an event of the modem, not data.
  }
  return at;
}

bool ResultLine::take(std::span<const uint8_t> bytes, size_t& taken, std::string& text) {
  taken = 0;
  while (taken < bytes.size()) {
    const char c = static_cast<char>(bytes[taken++]);
    if (c != '\n') {
      if (c != '\r' && c != 0 && line_.size() < longestLine) line_ += c;
      continue;
    }
    if (line_.empty()) continue;
    text.swap(line_);
    line_.clear();
    return true;
  }
  return false;
}

}  // namespace pbx

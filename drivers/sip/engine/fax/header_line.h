// What spandsp wants for the header line of a page (47 CFR 68.318(d)): texts in its character set and of its lengths.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace pbx {

// At most `most` characters of Latin-1; what it cannot say becomes "?".
inline std::string latin1(const std::string& utf8, size_t most) {
  std::string out;
  for (size_t i = 0; i < utf8.size() && out.size() < most;) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (length == 1) {
      out += lead < 0x20 || lead == 0x7F ? ' ' : static_cast<char>(lead);
    } else if (length == 2 && i + 1 < utf8.size() && lead <= 0xC3) {
      out += static_cast<char>(((lead & 3) << 6) | (utf8[i + 1] & 0x3F));
    } else {
      out += '?';
    }
    i += length;
  }
  return out;
}

// With an empty text spandsp leaves the whole line out, with its date and number.
inline std::string headerText(const std::string& header) {
  return header.empty() ? " " : latin1(header, 50);
}

// TSI or CSI: at most 20 of digits, + and space.
inline std::string station(const std::string& id) {
  std::string out;
  for (const char c : id) {
    if (out.size() < 20 && ((c >= '0' && c <= '9') || c == '+' || c == ' ')) out += c;
  }
  return out;
}

// POSIX counts zones westwards: two hours east of Greenwich is "UTC-02:00".
inline std::string posixZone(int minutes) {
  char text[32];
  const int size = std::abs(minutes) % (24 * 60);
  std::snprintf(text, sizeof text, "UTC%c%02d:%02d", minutes > 0 ? '-' : '+', size / 60, size % 60);
  return text;
}

}  // namespace pbx

// What spandsp wants for the header line of a page (47 CFR 68.318(d)): texts in its character set and of its lengths.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace pbx {

// Upper half of the character set of spandsp's font for this line, code page 437.
inline constexpr std::u16string_view upperHalf =
    u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
static_assert(upperHalf.size() == 128);

// At most `most` characters of code page 437; what it lacks becomes "?".
inline std::string fontText(const std::string& utf8, size_t most) {
  std::string out;
  for (size_t i = 0; i < utf8.size() && out.size() < most;) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    char32_t letter = length == 1 ? lead : lead & (0xFF >> (length + 1));
    for (size_t more = 1; more < length; more++) letter = (letter << 6) | (i + more < utf8.size() ? utf8[i + more] & 0x3F : 0);
    const size_t place = letter > 0xFFFF ? upperHalf.npos : upperHalf.find(static_cast<char16_t>(letter));
    if (length == 1) out += lead < 0x20 || lead == 0x7F ? ' ' : static_cast<char>(lead);
    else out += place == upperHalf.npos ? '?' : static_cast<char>(0x80 + place);
    i += length;
  }
  return out;
}

// With an empty text spandsp leaves the whole line out, with its date and number.
inline std::string headerText(const std::string& header) {
  return header.empty() ? " " : fontText(header, 50);
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

// Numbers and names in addresses: the one reader for every URI and header that bears a number (RFC 3261 sections 19.1.6, 25.1; RFC 3966).
#pragma once
#include <string>
#include <string_view>

namespace pbx {

// A header's value, such as "Ann Lee" <sip:+1555@host>;x=y, or a URI alone.
struct Address {
  std::string name;        // the display name, its quoted pairs read; "" for none
  std::string uri;         // as it is written
  std::string parameters;  // of the header, with their first semicolon
};

Address readAddress(std::string_view text);
// The entries of a header that may hold several: a comma in quotes or in angle brackets parts nothing.
// NEXT is called with each.
template <typename Next>
void eachAddress(std::string_view list, Next next) {
  size_t start = 0;
  bool quoted = false, bracketed = false;
  for (size_t i = 0; i <= list.size(); i++) {
    if (i < list.size()) {
      const char c = list[i];
      if (quoted && c == '\\') i++;
      else if (c == '"') quoted = !quoted;
      else if (!quoted && (c == '<' || c == '>')) bracketed = c == '<';
      if (i < list.size() && (quoted || bracketed || c != ',')) continue;
    }
    next(list.substr(start, std::min(i, list.size()) - start));
    start = i + 1;
  }
}

// The number of a SIP, SIPS or tel URI, or its user where that is no number; "" for none. A number is without the visual separators of
// RFC 3966 and without parameters; a local number behind a phone-context that makes a whole one of it bears that in front.
std::string numberOfUri(std::string_view uri);
// The same of a user part that is unescaped already.
std::string numberOfUser(std::string_view user);
// Of a header's value.
std::string numberIn(std::string_view address);
// Whether it is a call for help by RFC 5031: urn:service:sos or a service below it.
bool isSosUri(std::string_view uri);
// The value of a parameter, its name in lower case, compared without case; "" where there is none, or it has no value.
std::string parameterOf(std::string_view parameters, std::string_view name);
std::string lowerCase(std::string_view text);
// The same number in two spellings: with or without country code and plus sign.
bool sameNumber(const std::string& a, const std::string& b);
// Whether the text holds the number in any spelling, with more around it; of a short number, whether it is that number.
bool holdsNumber(const std::string& text, const std::string& number);

}  // namespace pbx

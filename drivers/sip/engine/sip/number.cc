#include "number.h"

#include <algorithm>
#include <cctype>

namespace pbx {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int hexValue(char c) {
  return isDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); i++) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hexValue(text[i + 1]) >= 0 && hexValue(text[i + 2]) >= 0;
    result += escape ? static_cast<char>(hexValue(text[i + 1]) * 16 + hexValue(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return result;
}

// A telephone number, an extension or a feature code without its visual separators; "" where the text is none of them.
std::string plainNumber(std::string_view text) {
  std::string number;
  bool any = false;
  for (const char c : text) {
    if (std::string_view("-.() /").find(c) != std::string_view::npos) continue;
    if (!(isDigit(c) || c == '*' || c == '#' || (c == '+' && number.empty()))) return "";
    any = any || c != '+';
    number += c;
  }
  return any ? number : "";
}

// RFC 3966 section 5.1.5: a context that begins with + names the area in which the local number is dialled. That of a code, of an extension or of
// an emergency number is the house; only what becomes a whole number by it is one.
std::string withContext(const std::string& local, std::string_view parameters) {
  const std::string context = plainNumber(unescaped(parameterOf(parameters, "phone-context")));
  if (context.size() < 2 || context[0] != '+' || local[0] == '+' || !std::all_of(local.begin(), local.end(), isDigit)) return local;
  constexpr size_t shortestSubscriber = 7, longestNumber = 15, northAmerican = 11;
  const size_t digits = context.size() - 1 + local.size();
  const bool fits = context[1] == '1' ? digits == northAmerican : digits <= longestNumber;
  return fits && local.size() >= shortestSubscriber ? context + local : local;
}

// So many at the end of two numbers say that they are the same.
constexpr size_t nationalDigits = 7;

std::string digitsOf(const std::string& text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), isDigit);
  return digits;
}

// Up to the quote that ends it; `at` is behind that then.
std::string quotedText(std::string_view text, size_t& at) {
  std::string result;
  for (at++; at < text.size() && text[at] != '"'; at++) {
    if (text[at] == '\\' && at + 1 < text.size()) at++;
    result += text[at];
  }
  at++;
  return result;
}

}  // namespace

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string parameterOf(std::string_view parameters, std::string_view name) {
  for (size_t at = parameters.find(';'); at != std::string_view::npos; at = parameters.find(';', at)) {
    at++;
    const std::string_view one = parameters.substr(at, parameters.find(';', at) - at);
    const size_t equals = one.find('=');
    if (lowerCase(trimmed(one.substr(0, equals))) != name) continue;
    std::string_view value = equals == std::string_view::npos ? std::string_view() : trimmed(one.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return "";
}

std::string numberOfUser(std::string_view user) {
  const size_t end = user.find(';');
  const std::string number = plainNumber(user.substr(0, end));
  // RFC 3261 section 25.1: the semicolon of another user is one of its letters.
  if (number.empty()) return std::string(user[0] == ';' ? std::string_view() : user);
  return end == std::string_view::npos ? number : withContext(number, user.substr(end));
}

std::string numberOfUri(std::string_view uri) {
  uri = trimmed(uri);
  const size_t colon = uri.find(':');
  if (colon == std::string_view::npos) return "";
  const std::string scheme = lowerCase(uri.substr(0, colon));
  const std::string_view rest = uri.substr(colon + 1);
  if (scheme == "tel") return numberOfUser(unescaped(rest.substr(0, rest.find('?'))));
  if (scheme != "sip" && scheme != "sips") return "";
  const size_t at = rest.find('@');
  // Without a host it is an address that only we can complete, such as <sip:103> in a redirection.
  if (at == std::string_view::npos) {
    const std::string_view host = rest.substr(0, rest.find_first_of(";?"));
    return host.find('.') == std::string_view::npos ? plainNumber(unescaped(host)) : "";
  }
  const std::string_view userinfo = rest.substr(0, at);
  return numberOfUser(unescaped(userinfo.substr(0, userinfo.find(':'))));
}

std::string numberIn(std::string_view address) {
  return numberOfUri(readAddress(address).uri);
}

bool isSosUri(std::string_view uri) {
  const std::string lower = lowerCase(trimmed(uri));
  static const std::string sos = "urn:service:sos";
  return lower.rfind(sos, 0) == 0 && (lower.size() == sos.size() || lower[sos.size()] == '.');
}

Address readAddress(std::string_view text) {
  Address address;
  text = trimmed(text);
  size_t at = 0;
  while (at < text.size() && text[at] != '<') {
    if (text[at] == '"') {
      address.name += quotedText(text, at);
    } else {
      address.name += text[at++];
    }
  }
  if (at < text.size()) {
    address.name = trimmed(address.name);
    const size_t end = std::min(text.find('>', at), text.size());
    address.uri = text.substr(at + 1, end - at - 1);
    if (end < text.size()) address.parameters = text.substr(text.find(';', end) == std::string_view::npos ? text.size() : text.find(';', end));
    return address;
  }
  // RFC 3261 section 20: without brackets what follows a semicolon is the header's, but a number's parameters stand before the host, or in a
  // URI that has none.
  address.name.clear();
  const size_t host = text.find('@');
  const size_t end = host == std::string_view::npos ? text.find('?') : text.find_first_of(";?", host);
  address.uri = text.substr(0, end);
  if (end != std::string_view::npos) address.parameters = text.substr(end);
  return address;
}

bool sameNumber(const std::string& a, const std::string& b) {
  const std::string x = digitsOf(a), y = digitsOf(b);
  const std::string& longer = x.size() >= y.size() ? x : y;
  const std::string& shorter = x.size() >= y.size() ? y : x;
  return x == y ? !x.empty() : shorter.size() >= nationalDigits && longer.compare(longer.size() - shorter.size(), std::string::npos, shorter) == 0;
}

bool holdsNumber(const std::string& text, const std::string& number) {
  const std::string all = digitsOf(unescaped(text)), wanted = digitsOf(number);
  if (wanted.size() < nationalDigits) return !wanted.empty() && all == wanted;
  return all.find(wanted.substr(wanted.size() - nationalDigits)) != std::string::npos;
}

}  // namespace pbx

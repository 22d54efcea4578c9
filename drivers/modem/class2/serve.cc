#include "serve.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include "t4_pages.h"

namespace pbx {

namespace {

using nlohmann::json;

constexpr int longestPage = 16 << 20;
constexpr size_t longestLine = 65536;

std::string text(const json& message, const char* name) {
  const auto at = message.find(name);
  return at != message.end() && at->is_string() ? at->get<std::string>() : std::string();
}

int number(const json& message, const char* name) {
  const auto at = message.find(name);
  return at != message.end() && at->is_number_integer() ? at->get<int>() : 0;
}

bool truth(const json& message, const char* name) {
  const auto at = message.find(name);
  return at != message.end() && at->is_boolean() && at->get<bool>();
}

void tell(const json& message) {
  std::puts(message.dump().c_str());
  std::fflush(stdout);
}

bool writeAll(int data, const T4Data& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const auto wrote = write(data, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

bool readAll(int data, T4Data& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const auto got = read(data, bytes.data() + done, bytes.size() - done);
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool nextLine(std::string& typed, std::string& line) {
  for (;;) {
    const size_t end = typed.find('\n');
    if (end != std::string::npos) {
      line = typed.substr(0, end);
      typed.erase(0, end + 1);
      return true;
    }
    char bytes[4096];
    const auto got = read(0, bytes, sizeof bytes);
    if (got <= 0 || typed.size() > longestLine) return false;
    typed.append(bytes, static_cast<size_t>(got));
  }
}

bool encode(const PagesOrder& order, const json& message, int data) {
  T4Data page;
  const int code = encodePage(order, static_cast<unsigned>(std::max(0, number(message, "page"))), truth(message, "fine"), page);
  if (code != 0) page.clear();
  tell({{"t", "page"}, {"code", code}, {"bytes", page.size()}});
  return writeAll(data, page);
}

bool readPage(IncomingPages& pages, const json& message, int data) {
  const int count = number(message, "bytes");
  if (count < 0 || count > longestPage) return false;
  T4Data bytes(static_cast<size_t>(count));
  if (!readAll(data, bytes)) return false;
  const std::string coding = text(message, "coding");
  const T4Coding known = coding == "mmr" ? T4Coding::mmr : coding == "mr" ? T4Coding::mr : T4Coding::mh;
  const PageLook look = pages.read(bytes, known, truth(message, "fine"), truth(message, "reversed"));
  tell({{"t", "look"}, {"rows", look.rows}, {"badRows", look.badRows}, {"reversed", look.reversed}});
  return true;
}

}  // namespace

int servePages(const std::string& first, std::string typed, int data) {
  const json message = json::parse(first, nullptr, false);
  PagesOrder order;
  order.sending = text(message, "t") == "pagesOut";
  order.file = text(message, "file");
  order.standardFile = text(message, "standardFile");
  order.stationId = text(message, "stationId");
  order.header = text(message, "header");
  order.utcOffsetMinutes = number(message, "utcOffsetMinutes");
  order.rtc = truth(message, "rtc");
  std::optional<IncomingPages> incoming;
  if (!order.sending) incoming.emplace(order.file);
  std::string line;
  while (nextLine(typed, line)) {
    const json wanted = json::parse(line, nullptr, false);
    if (!wanted.is_object()) return 2;
    const std::string what = text(wanted, "t");
    if (what == "encode" && order.sending) {
      if (!encode(order, wanted, data)) return 1;
    } else if (what == "read" && incoming) {
      if (!readPage(*incoming, wanted, data)) return 1;
    } else if (what == "keep" && incoming) {
      tell({{"t", "kept"}, {"kept", incoming->keep()}});
    } else {
      return 2;
    }
  }
  return 0;
}

}  // namespace pbx

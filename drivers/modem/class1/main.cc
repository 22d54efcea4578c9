// pbx-fax: one fax call over a Class 1 modem. The bytes of the serial line come and go on descriptor 3; the order is one
// line of JSON on standard input ("faxSend" or "faxReceive" of drivers/sip/PROTOCOL.md without "leg"), "faxStop" or the end
// of the input stop it; progress is reported in lines of JSON on standard output ("fax", "faxFrame", "faxEnded"). An order
// for pages alone is the business of ../class2/serve.h. With "speed": N it believes that time goes N times faster: for the
// tests, where the line does too.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>

#include <nlohmann/json.hpp>

#include "class1.h"
#include "serve.h"

namespace {

using nlohmann::json;
using clock = std::chrono::steady_clock;

constexpr int terminal = 3;
constexpr int stepMs = 20, idleMs = 90'000, callMs = 60 * 60'000;
constexpr size_t longestOrder = 65536;

void tell(const json& message) {
  std::puts(message.dump(-1, ' ', true, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

const char* phaseName(pbx::FaxPhase phase) {
  switch (phase) {
    case pbx::FaxPhase::negotiating: return "negotiating";
    case pbx::FaxPhase::training: return "training";
    case pbx::FaxPhase::page: return "page";
    case pbx::FaxPhase::confirmed: return "confirmed";
  }
  return "";
}

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c >= ' ' && c <= '~') out += c;
  return out;
}

class Reports final : public pbx::FaxEvents {
 public:
  void progress(pbx::FaxPhase phase, const pbx::FaxState& state) override {
    json message = common("fax", state);
    message["phase"] = phaseName(phase);
    tell(message);
    happened = true;
  }
  void frame(const pbx::FaxFrame& frame) override {
    tell({{"t", "faxFrame"}, {"atMs", atMs}, {"received", frame.received}, {"name", frame.name}, {"fif", frame.fif}});
    happened = true;
  }
  void ended(const pbx::FaxEnd& end) override {
    end_ = common("faxEnded", end.state);
    end_["code"] = end.code;
    end_["text"] = printable(end.text);
    end_["badRows"] = end.badRows;
    end_["unconfirmedLastPage"] = end.unconfirmedLastPage;
  }
  // Separate from ended(): it needs what the modem did.
  void close(const std::string& modemFault) {
    end_["modemFault"] = modemFault;
    tell(end_);
  }

  int atMs = 0;
  bool happened = false;

 private:
  static json common(const char* type, const pbx::FaxState& state) {
    return {{"t", type},
            {"pages", state.pages},
            {"bitRate", state.bitRate},
            {"ecm", state.ecm},
            {"resolution", state.fine ? "fine" : "standard"},
            {"transport", "modem"},
            {"remoteId", printable(state.remoteId)}};
  }
  json end_;
};

bool readOrder(const std::string& line, pbx::FaxOrder& order, int& speed) {
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object()) return false;
  const auto string = [&](const char* name) {
    const auto at = message.find(name);
    return at != message.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const auto number = [&](const char* name, int otherwise) {
    const auto at = message.find(name);
    return at != message.end() && at->is_number_integer() ? at->get<int>() : otherwise;
  };
  const std::string type = string("t");
  if (type != "faxSend" && type != "faxReceive") return false;
  order.sending = type == "faxSend";
  order.file = string("file");
  order.standardFile = string("standardFile");
  order.firstPage = static_cast<unsigned>(std::max(0, number("firstPage", 0)));
  order.stationId = string("stationId");
  order.header = string("header");
  order.utcOffsetMinutes = number("utcOffsetMinutes", 0);
  const auto ecm = message.find("ecm");
  order.ecm = ecm == message.end() || !ecm->is_boolean() || ecm->get<bool>();
  if (const auto at = message.find("modems"); at != message.end() && at->is_array()) {
    const auto has = [&](const char* name) { return std::find(at->begin(), at->end(), json(name)) != at->end(); };
    order.v17 = has("v17");
    order.v29 = has("v29");
  }
  speed = std::clamp(number("speed", 1), 1, 100);
  return !order.file.empty() && order.file.size() < 256;  // spandsp's room for a path
}

bool readLine(std::string& typed, std::string& line) {
  const size_t end = typed.find('\n');
  if (end == std::string::npos) return false;
  line = typed.substr(0, end);
  typed.erase(0, end + 1);
  return true;
}

class Call {
 public:
  Call(const pbx::FaxOrder& order, int speed) : modem_(order, reports_), speed_(speed) {}

  void run(std::string& typed) {
    auto last = clock::now();
    bool input = true;
    while (!modem_.over()) {
      pollfd descriptors[2] = {{terminal, static_cast<short>(POLLIN | (modem_.unwritten().empty() ? 0 : POLLOUT)), 0}, {input ? 0 : -1, POLLIN, 0}};
      poll(descriptors, 2, std::max(1, stepMs / speed_));
      pass(last);
      if (descriptors[0].revents != 0) exchange();
      if (descriptors[1].revents != 0) input = obey(typed);
    }
    flush();
    reports_.close(modem_.fault());
  }

 private:
  void pass(clock::time_point& last) {
    const auto now = clock::now();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - last);
    if (ms.count() <= 0) return;
    last += ms;
    const int passed = static_cast<int>(std::min<int64_t>(ms.count() * speed_, 10'000));
    reports_.atMs += passed;
    silentMs_ = reports_.happened ? 0 : silentMs_ + passed;
    reports_.happened = false;
    modem_.advance(passed);
    if (silentMs_ > idleMs) modem_.stop("Nothing was heard for 90 seconds"), silentMs_ = 0;
    if (reports_.atMs > callMs) modem_.stop("The fax took more than 60 minutes");
  }

  void exchange() {
    std::array<uint8_t, 4096> bytes;
    const auto got = read(terminal, bytes.data(), bytes.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      modem_.dropped();
      return;
    }
    if (got > 0) {
      silentMs_ = 0;
      modem_.hear(std::span(bytes).first(static_cast<size_t>(got)));
    }
    flush();
  }

  void flush() {
    for (;;) {
      modem_.more();
      std::string& out = modem_.unwritten();
      if (out.empty()) return;
      const auto written = send(terminal, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (written <= 0) return;
      out.erase(0, static_cast<size_t>(written));
      silentMs_ = 0;
    }
  }

  // False after the end of the input.
  bool obey(std::string& typed) {
    char bytes[1024];
    const auto got = read(0, bytes, sizeof bytes);
    if (got <= 0) {
      modem_.stop("The fax was stopped");
      return false;
    }
    typed.append(bytes, static_cast<size_t>(got));
    std::string line;
    while (readLine(typed, line)) {
      const json message = json::parse(line, nullptr, false);
      if (message.is_object() && message.value("t", json()) == "faxStop") modem_.stop("The fax was stopped");
    }
    return typed.size() < longestOrder;
  }

  Reports reports_;
  pbx::Class1 modem_;
  const int speed_;
  int silentMs_ = 0;
};

bool isForPages(const std::string& line) {
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object()) return false;
  const json type = message.value("t", json());
  return type == "pagesOut" || type == "pagesIn";
}

int pages(const std::string& line, const std::string& typed) {
  try {
    return pbx::servePages(line, typed, terminal);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ERROR pbx-fax: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main() {
  std::string typed, line;
  while (!readLine(typed, line)) {
    char bytes[4096];
    const auto got = read(0, bytes, sizeof bytes);
    if (got <= 0 || typed.size() > longestOrder) return 2;
    typed.append(bytes, static_cast<size_t>(got));
  }
  pbx::FaxOrder order;
  int speed = 1;
  if (isForPages(line)) return pages(line, typed);
  if (!readOrder(line, order, speed)) {
    std::fputs("ERROR pbx-fax: the order is not understood\n", stderr);
    return 2;
  }
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  // What waits here is not yet at the modem: little of it, so that "stop" is soon heard.
  const int room = 4096;
  setsockopt(terminal, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  try {
    Call(order, speed).run(typed);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ERROR pbx-fax: %s\n", error.what());
    return 1;
  }
  return 0;
}

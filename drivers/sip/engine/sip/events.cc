#include "events.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace pbx {

using nlohmann::json;

namespace {

constexpr size_t mostHeld = 1000;

// Whether a daemon must know of it that was not there when it happened.
bool outlivesDaemon(const json& message) {
  static constexpr std::array types{"invite", "registration", "trunk", "unsubscribed", "text", "banned", "helped"};
  if (message.contains("leg")) return true;
  const auto type = message.find("t");
  return type != message.end() && std::any_of(types.begin(), types.end(), [&](const char* one) { return *type == one; });
}

// The length of the UTF-8 character that begins there; 0 where none does.
size_t characterAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t n) { return at + n < text.size() ? static_cast<unsigned char>(text[at + n]) : 0u; };
  const unsigned first = byte(0);
  const size_t size = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
  for (size_t n = 1; n < size; n++) {
    if ((byte(n) & 0xC0) != 0x80) return 0;
  }
  // Longer than need be, half of a pair, or beyond the last.
  const unsigned second = byte(1);
  const bool odd = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return odd ? 0 : size;
}

// SIP is UTF-8 (RFC 3261 section 25.1); what is none is ISO 8859-1, as older gateways write names.
std::string inUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && characterAt(text, at) > 0) at += characterAt(text, at);
  if (at == text.size()) return std::string(text);
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | byte >> 6);
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return result;
}

}  // namespace

void Events::send(const json& message) {
  std::lock_guard lock(linkMutex_);
  if (!diverted_.empty() && diverted_.contains(message.value("leg", 0u))) return aside_.push_back(message);
  if (!holding_) return link_->sendMessage(message);
  if (!outlivesDaemon(message)) return;
  // The end of a call is never left out: there are fewer calls than that.
  if (held_.size() < mostHeld || message.value("t", "") == "ended") held_.push_back(message);
}

void Events::hold() {
  std::lock_guard lock(linkMutex_);
  holding_ = true;
}

void Events::divert(LegId leg, bool on) {
  std::lock_guard lock(linkMutex_);
  if (!on) {
    diverted_.erase(leg);
    return;
  }
  diverted_.insert(leg);
  const auto isOf = [&](const json& message) { return message.value("leg", 0u) == leg; };
  if (holding_) {
    std::erase_if(held_, isOf);
  } else {
    link_->sendMessage({{"t", "ended"}, {"leg", leg}, {"by", "system"}, {"reason", "failed"}, {"code", 503}, {"cause", 41}, {"text", "the engine places this call by itself"}, {"stats", json::object()}});
  }
}

std::vector<json> Events::takeDiverted() {
  std::lock_guard lock(linkMutex_);
  return std::exchange(aside_, {});
}

void Events::attach(std::shared_ptr<Link> link) {
  std::lock_guard lock(linkMutex_);
  link_ = std::move(link);
}

void Events::tell(const json& message) {
  std::lock_guard lock(linkMutex_);
  link_->sendMessage(message);
}

void Events::release() {
  std::lock_guard lock(linkMutex_);
  holding_ = false;
  for (const json& message : held_) link_->sendMessage(message);
  held_.clear();
}

uint64_t Events::droppedAudio() const {
  std::lock_guard lock(linkMutex_);
  return link_->droppedAudio();
}

void Events::handOver() {
  std::shared_ptr<Link> link;
  {
    std::lock_guard lock(linkMutex_);
    if (!holding_) link = link_;
  }
  if (link != nullptr) link->handOver(std::chrono::milliseconds(100));
}

std::string clean(std::string_view given) {
  const std::string text = inUtf8(given);
  std::string result;
  size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) continue;
    // Bytes 10xxxxxx continue a UTF-8 character and are not counted.
    if ((byte & 0xC0) != 0x80 && ++characters > 128) break;
    if (result.size() >= 512) break;
    result += c;
  }
  return result;
}

void logLine(const char* level, const std::string& text) {
  // To the journal, where no daemon reads along: its priorities are those of sd-daemon(3).
  static const bool toJournal = std::getenv("JOURNAL_STREAM") != nullptr;
  const char first = std::toupper(static_cast<unsigned char>(level[0]));
  std::string line = !toJournal ? "" : first == 'E' ? "<3>" : first == 'W' ? "<4>" : first == 'D' ? "<7>" : "<6>";
  line += std::string(level) + " ";
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

json contactsJson(const std::vector<Contact>& contacts) {
  json list = json::array();
  for (const Contact& contact : contacts) {
    json one = {{"uri", contact.uri}, {"transport", contact.transport}, {"address", contact.address}, {"expiresAt", contact.expiresAt}};
    if (!contact.path.empty()) one["path"] = contact.path;
    list.push_back(std::move(one));
  }
  return list;
}

void Events::log(const char* level, const std::string& text) {
  logLine(level, text);
  send({{"t", "log"}, {"level", level}, {"text", text}});
}

void Events::trunk(const std::string& id, const char* state, int code, const std::string& reason, unsigned retrySeconds) {
  send({{"t", "trunk"}, {"id", id}, {"state", state}, {"code", code}, {"reason", clean(reason)}, {"retrySeconds", retrySeconds}});
}

void Events::registration(const std::string& extension, const std::vector<Contact>& contacts, const std::string& userAgent) {
  send({{"t", "registration"}, {"extension", extension}, {"contacts", contactsJson(contacts)}, {"userAgent", clean(userAgent)}});
}

void Events::banned(const std::string& address, unsigned seconds, unsigned failures) {
  send({{"t", "banned"}, {"address", address}, {"seconds", seconds}, {"failures", failures}});
}

void Events::ringing(LegId leg, int code, bool early) {
  send({{"t", "ringing"}, {"leg", leg}, {"code", code}, {"early", early}});
}

void Events::answered(LegId leg, const std::string& codec, bool secure) {
  send({{"t", "answered"}, {"leg", leg}, {"codec", codec}, {"secure", secure}});
}

void Events::digit(LegId leg, char digit, const char* method, unsigned durationMs) {
  send({{"t", "digit"}, {"leg", leg}, {"digit", std::string(1, digit)}, {"method", method}, {"durationMs", durationMs}});
}

void Events::recordStarted(LegId leg) {
  std::lock_guard lock(mutex_);
  open_[leg]++;
}

void Events::ended(LegId leg, json message) {
  std::lock_guard lock(mutex_);
  if (open_.contains(leg)) {
    waiting_[leg] = std::move(message);
  } else {
    send(message);
  }
}

void Events::played(LegId leg, uint32_t play, bool completed, unsigned playedMs) {
  if (play == ownPlay) return;
  send({{"t", "played"}, {"leg", leg}, {"play", play}, {"completed", completed}, {"playedMs", playedMs}});
}

void Events::recorded(LegId leg, uint32_t record, const std::string& file, unsigned durationMs, const char* reason) {
  last(leg, {{"t", "recorded"}, {"leg", leg}, {"record", record}, {"file", file}, {"durationMs", durationMs}, {"reason", reason}});
}

void Events::last(LegId leg, const json& message) {
  std::lock_guard lock(mutex_);
  send(message);
  const auto at = open_.find(leg);
  if (at == open_.end() || --at->second > 0) return;
  open_.erase(at);
  if (const auto last = waiting_.find(leg); last != waiting_.end()) {
    send(last->second);
    waiting_.erase(last);
  }
}

void Events::firstHeard(LegId leg) {
  send({{"t", "heard"}, {"leg", leg}});
}

void Events::voice(LegId leg, bool active) {
  send({{"t", "voice"}, {"leg", leg}, {"active", active}});
}

void Events::inbandDigit(LegId leg, char digit, unsigned durationMs) {
  this->digit(leg, digit, "inband", durationMs);
}

void Events::faxTone(LegId leg, const char* tone) {
  send({{"t", "tone"}, {"leg", leg}, {"tone", tone}});
}

void Events::audio(std::span<const uint8_t> frame) {
  std::lock_guard lock(linkMutex_);
  if (!holding_) link_->send(FrameKind::audio, frame);
}

void Events::forked(std::span<const uint8_t> frame) {
  std::lock_guard lock(linkMutex_);
  if (!holding_) link_->send(FrameKind::fork, frame);
}

}  // namespace pbx

#include "keys.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "now.h"
#include "reply.h"

namespace pbx {

namespace {

const char* const acceptedInfo = "application/dtmf-relay, application/dtmf, application/hook-flash, application/broadsoft";
constexpr unsigned usualMs = 100, longestMs = 10'000;
const std::string_view keys = "0123456789*#ABCD!";  // in the order of the event codes; the last is a flash of the hook

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

unsigned numberIn(std::string_view text, unsigned otherwise) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

// "5", "*", or the event code as some phones write it: "10" for the star. 0: not a key.
char keyIn(std::string_view text) {
  if (text.size() == 1) {
    const char key = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if (key == 'R') return '!';  // as PJMEDIA has it
    return keys.find(key) == std::string_view::npos ? '\0' : key;
  }
  if (text.size() == 2 && strncasecmp(text.data(), "hf", 2) == 0) return '!';
  const unsigned code = numberIn(text, 99);
  return code < keys.size() ? keys[code] : '\0';
}

struct Pressed {
  char key = 0;
  unsigned durationMs = usualMs;
};

// "Signal=5\r\nDuration=160\r\n"
Pressed readRelay(std::string_view body) {
  Pressed pressed;
  while (!body.empty()) {
    const size_t end = body.find('\n');
    const std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    const size_t sign = line.find_first_of("=:");
    if (sign == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, sign)), value = trimmed(line.substr(sign + 1));
    if (name.size() == 6 && strncasecmp(name.data(), "Signal", 6) == 0) pressed.key = keyIn(value);
    if (name.size() == 8 && strncasecmp(name.data(), "Duration", 8) == 0) pressed.durationMs = std::min(numberIn(value, usualMs), longestMs);
  }
  return pressed;
}

// key 0: not a key. Nothing: a type that is no key's.
std::optional<Pressed> readInfo(const pjsip_media_type& type, std::string_view body) {
  const auto is = [&type](const char* subtype) {
    const pj_str_t application = pjText("application"), wanted = pjText(subtype);
    return pj_stricmp(&type.type, &application) == 0 && pj_stricmp(&type.subtype, &wanted) == 0;
  };
  const std::string_view line = trimmed(body.substr(0, body.find('\n')));
  // "signal=hf", in a type of its own on some phones
  if (is("dtmf-relay") || is("hook-flash")) return readRelay(body);
  if (is("dtmf")) return Pressed{keyIn(line)};
  // A BroadWorks phone: other events of its, such as those of the hook, are none of ours.
  if (is("broadsoft")) return line == "event flashhook" ? std::optional(Pressed{'!'}) : std::nullopt;
  return std::nullopt;
}

}  // namespace

void keyEvent(Context& context, CallLeg& leg, const pjsua_dtmf_event& event) {
  if (event.method != PJSUA_DTMF_METHOD_RFC2833 || event.digit == 0 || event.digit > 127) return;
  const char key = keyIn(std::string(1, static_cast<char>(event.digit)));
  if (key == 0) return;
  context.media.otherDigitSeen(leg.id);
  std::lock_guard lock(context.legs.mutex());
  const bool end = (event.flags & PJMEDIA_STREAM_DTMF_IS_END) != 0, marked = (event.flags & PJMEDIA_STREAM_DTMF_IS_MARKED) != 0;
  if (leg.keys.read({key, event.timestamp, event.duration, end, marked}, steadyMs())) context.events.digit(leg.id, key, "rfc4733", 0);
}

void keyInfo(Context& context, CallLeg& leg, pjsip_transaction* transaction, pjsip_rx_data* request) {
  pjsip_msg* message = request->msg_info.msg;
  Pressed pressed;
  int code = 200;
  if (const pjsip_msg_body* body = message->body; body != nullptr && body->len > 0) {
    const auto read = readInfo(body->content_type, {static_cast<const char*>(body->data), body->len});
    code = !read ? 415 : read->key == 0 ? 400 : 200;
    pressed = read.value_or(pressed);
  }
  if (pressed.key != 0) {
    context.media.otherDigitSeen(leg.id);
    context.events.digit(leg.id, pressed.key, "info", pressed.durationMs);
    // An engine that dies after its answer must have reported the key.
    context.events.handOver();
  }
  pjsip_tx_data* answer = nullptr;
  if (pjsip_endpt_create_response(pjsua_get_pjsip_endpt(), request, code, nullptr, &answer) == PJ_SUCCESS) {
    // RFC 3261 21.4.13
    if (code == 415) addHeader(answer, "Accept", acceptedInfo);
    pjsip_tsx_send_msg(transaction, answer);
  }
  // pjsua would read the body again, and answer again.
  message->body = nullptr;
}

}  // namespace pbx

#include "dce.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace {

constexpr char dle = 0x10, etx = 0x03, can = 0x18;

uint8_t mirrored(uint8_t byte) {
  uint8_t out = 0;
  for (int bit = 0; bit < 8; bit++) out |= ((byte >> bit) & 1) << (7 - bit);
  return out;
}

bool starts(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

}  // namespace

void Dce::hear(const uint8_t* bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char c = static_cast<char>(bytes[i]);
    if (mode_ == Mode::sending) {
      if (shielded_) {
        shielded_ = false;
        if (c == dle) pipe_.push_back(dle);
        else if (class2() ? c == etx : (c == ',' || c == ';' || c == '.')) endData(c);
        else if (c == can) leaveData();
      } else if (c == dle) {
        shielded_ = true;
      } else {
        pipe_.push_back(static_cast<uint8_t>(c));
      }
      continue;
    }
    if (mode_ == Mode::receiving) {
      if (c == 0x12 || c == 0x11) flows_ = true;
      if (c == can) {
        mode_ = Mode::command;
        write(std::string{dle, etx});
        say("OK");
      }
      continue;
    }
    if ((waits_ == Waits::dial || waits_ == Waits::answer) && c == '\r') {
      hangUp();
      say("NO CARRIER");
      line_.clear();
      continue;
    }
    if (echo_) write(std::string(1, c));
    if (c != '\r') {
      if (c >= ' ' && line_.size() < 300) line_ += c;
      continue;
    }
    std::string line;
    line.swap(line_);
    while (!line.empty() && line[0] == ' ') line.erase(0, 1);
    const size_t at = line.find("AT");
    if (at != std::string::npos) command(line.substr(at + 2));
  }
}

void Dce::command(const std::string& line) {
  done_ = false;
  for (size_t at = 0; at < line.size() && !done_;) {
    if (line[at] == ' ' || line[at] == ';') {
      at++;
    } else if (line[at] == '+' || line[at] == '-') {
      const size_t end = std::min(line.find(';', at), line.size());
      extended(line.substr(at, end - at));
      at = end;
    } else if (!basic(line, at)) {
      say("ERROR");
      done_ = true;
    }
  }
  if (!done_) say("OK");
}

bool Dce::basic(const std::string& line, size_t& at) {
  const char letter = line[at++];
  const auto digits = [&] {
    int n = 0;
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') n = n * 10 + (line[at++] - '0');
    return n;
  };
  switch (letter) {
    case 'D':
      dial(line.substr(at));
      at = line.size();
      return true;
    case 'A':
      answer();
      return true;
    case 'H':
      digits();
      hangUp();
      return true;
    case 'Z':
      digits();
      hangUp();
      class_ = "0";
      echo_ = true;
      s0_ = 0;
      return true;
    case 'I':
      digits();
      say(knobs.model);
      return true;
    case 'E':
      echo_ = digits() != 0;
      return true;
    case 'S': {
      const int reg = digits();
      if (at < line.size() && line[at] == '=') {
        at++;
        const int value = digits();
        if (reg == 0) s0_ = value;
        if (reg == 7) s7_ = value;
      } else {
        at = line.size();
        say("000");
      }
      return true;
    }
    case '&':
    case '\\':
      if (at < line.size()) at++;
      digits();
      return true;
    default:
      digits();
      return std::string("QVXMLCBPTNFYW").find(letter) != std::string::npos;
  }
}

void Dce::extended(const std::string& text) {
  const bool asks = !text.empty() && text.back() == '?';
  const size_t equals = text.find('=');
  const std::string verb = text.substr(0, std::min(equals, text.find('?')));
  const std::string value = equals == std::string::npos || asks ? "" : text.substr(equals + 1);
  const auto is = [&](const char* two, const char* newer) { return verb == std::string("+F") + (class2() ? two : newer); };
  const auto error = [&] {
    say("ERROR");
    done_ = true;
  };
  if (lostCode_ >= 0 && (is("DT", "DT") || is("DR", "DR") || is("ET", "ET"))) {
    ended(lostCode_);
    done_ = true;
  } else if (verb == "+VCID") {
    cid_ = value != "0";
  } else if (verb == "+FCLASS") {
    if (text == "+FCLASS=?") return say(knobs.classes);
    if (asks) return say(class_);
    std::istringstream list(knobs.classes);
    for (std::string each; std::getline(list, each, ',');)
      if (each == value) return void(class_ = value);
    error();
  } else if (verb == "+GMM" || verb == "+GMI" || verb == "+FMFR" || verb == "+FMDL" || verb == "+FMI" || verb == "+FMM" || verb == "+FMR" || verb == "+FREV") {
    say(knobs.model);
  } else if (class_ == "0") {
    if (!starts(verb, "+V") && !starts(verb, "-")) error();
  } else if (is("DCC", "CC")) {
    if (text.ends_with("=?")) {
      say(std::string("(") + (knobs.noFine ? "0" : "0,1") + "),(0-" + std::to_string(knobs.rate) + "),(0),(0-2),(0),(0-" + std::to_string(knobs.ecm) + "),(0),(0-7)");
    } else if (asks) {
      say(termsText(own_));
    } else {
      own_ = session_ = readTerms(value, own_);
    }
  } else if (is("DIS", "IS")) {
    if (asks) return say(termsText(session_));
    session_ = readTerms(value, session_);
  } else if (is("LID", "LI")) {
    id_ = value.size() >= 2 ? value.substr(1, value.size() - 2) : "";
  } else if (is("PTS", "PS")) {
    if (knobs.noQuality) return error();
    if (!asks) quality_ = std::atoi(value.c_str());
  } else if (is("K", "KS")) {
    if (!inCall_) return error();
    hangUp();
    ended(2);
    done_ = true;
  } else if (is("DT", "DT")) {
    if (!inCall_ || !caller_) return error();
    done_ = true;
    if (hangNext >= 0) {
      const int code = hangNext;
      hangNext = -1;
      other->lost(code >= 20 ? 70 : 1);
      inCall_ = offHook_ = false;
      return ended(code);
    }
    waits_ = Waits::carrier;
    if (!other->met_ && other->waits_ == Waits::answer) other->connect();
    startPage();
  } else if (is("DR", "DR")) {
    if (!inCall_ || caller_) return error();
    done_ = true;
    waits_ = Waits::page;
    if (pendingEnd_ >= 0) giveVerdict();
    else startPage();
  } else if (is("ET", "ET") && class2()) {
    if (!inCall_ || !caller_) return error();
    done_ = true;
    ending_ = std::atoi(value.c_str());
    waits_ = Waits::verdict;
    other->tellPageEnd();
  } else if (verb.size() > 2 && verb[1] == 'F') {
    if (verb == "+FBO") reversed_ = (std::atoi(value.c_str()) & 1) != 0;
    static const std::vector<const char*> both{"+FCR", "+FBO", "+FBOR", "+FPHCTO", "+FCT", "+FNR", "+FLO", "+FIE", "+FCQ", "+FRQ", "+FSP", "+FSPL", "+FAA", "+FIP", "+FAXERR", "+FBUG"};
    if (std::none_of(both.begin(), both.end(), [&](const char* known) { return verb == known; })) error();
  } else if (!starts(verb, "+V") && !starts(verb, "-")) {
    error();
  }
}

std::string Dce::termsText(const Terms& terms) const {
  std::string out;
  for (const int term : terms) out += (out.empty() ? "" : ",") + std::to_string(term);
  return out;
}

Dce::Terms Dce::readTerms(const std::string& text, Terms terms) const {
  std::istringstream list(text);
  size_t index = 0;
  for (std::string each; std::getline(list, each, ',') && index < terms.size(); index++)
    if (!each.empty()) terms[index] = std::atoi(each.c_str());
  if (knobs.noFine) terms[0] = 0;
  terms[1] = std::min(terms[1], knobs.rate);
  terms[5] = std::min(terms[5], knobs.ecm);
  return terms;
}

// The computer gives up: what is left is not sent.
void Dce::leaveData() {
  pipe_.clear();
  mode_ = Mode::command;
  say("OK");
}

Dce::Terms Dce::agreed() const {
  Terms terms = session_;
  for (size_t i = 0; i < terms.size(); i++) terms[i] = std::min(session_[i], other->own_[i]);
  return terms;
}

void Dce::giveData(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (uint8_t byte : bytes) {
    if (class2() ? !knobs.straight : reversed_) byte = mirrored(byte);
    out += static_cast<char>(byte);
    if (byte == dle) out += dle;
  }
  if (!out.empty()) write(out);
}

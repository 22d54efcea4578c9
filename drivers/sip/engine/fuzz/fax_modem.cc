#include "fax_modem.h"

#include <algorithm>

#include "../fax/spandsp_headers.h"

namespace fuzz {

namespace {

constexpr uint8_t dle = 0x10, etx = 0x03;
constexpr size_t longestPage = 6000;
constexpr uint8_t address = 0xFF, more = 0x03, last = 0x13;

const std::vector<std::string> results = {"OK", "CONNECT", "ERROR", "NO CARRIER", "+FCERROR", "+FRH:3", "RING", "BUSY", "", "CONNECT 14400", "+F", "+FHNG:1", "NMBR=5551234", "OKOK", "ok", "NO CARRIER 12",
                                          std::string(5000, 'A'), std::string("O\0K", 3), "\x10\x03", "\x10", "\x13", "\xFF\xFE", "+FCERROR\r\n\r\nCONNECT", "OK\r\n\r\nERROR", "CONNECT\r\n\r\nNO CARRIER"};

uint8_t reversed(uint8_t byte) {
  uint8_t result = 0;
  for (int bit = 0; bit < 8; bit++) result = static_cast<uint8_t>(result | (byte >> bit & 1) << (7 - bit));
  return result;
}

// The frames of error correction mode as a synchronous carrier has them, lowest bit first.
Bytes framed(const std::vector<Bytes>& frames) {
  struct Queue {
    const std::vector<Bytes>& frames;
    size_t next = 0;
    hdlc_tx_state_t* tx = nullptr;
  } queue{frames};
  queue.tx = hdlc_tx_init(
      nullptr, FALSE, 2, FALSE,
      [](void* self) {
        Queue& all = *static_cast<Queue*>(self);
        if (all.next == all.frames.size()) {
          hdlc_tx_frame(all.tx, nullptr, 0);
        } else {
          const Bytes& frame = all.frames[all.next++];
          hdlc_tx_frame(all.tx, frame.data(), frame.size());
        }
      },
      &queue);
  hdlc_tx_flags(queue.tx, 20);
  Bytes bytes;
  for (int byte = hdlc_tx_get_byte(queue.tx); byte >= 0 && bytes.size() < 4 * longestPage; byte = hdlc_tx_get_byte(queue.tx)) bytes.push_back(reversed(static_cast<uint8_t>(byte)));
  hdlc_tx_free(queue.tx);
  return bytes;
}

void putBits(Bytes& bytes, size_t& at, const char* bits) {
  for (; *bits != 0; bits++, at++) {
    if (at / 8 == bytes.size()) bytes.push_back(0);
    if (*bits == '1') bytes[at / 8] |= static_cast<uint8_t>(1 << at % 8);
  }
}

// White rows: of T.6 where error correction is on, else of T.4.
Bytes whiteRows(bool ecm, unsigned rows) {
  Bytes bytes;
  size_t at = 0;
  for (unsigned row = 0; row < rows; row++) putBits(bytes, at, ecm ? "1" : "00000000000101001101100110101");
  for (int end = 0; end < (ecm ? 2 : 6); end++) putBits(bytes, at, "000000000001");
  bytes.resize(bytes.size() + 4);
  return bytes;
}

}  // namespace

LyingModem::LyingModem(Random& random, bool sends, bool ecm, const ModemMalice& malice)
    : random_(random), sends_(sends), ecm_(ecm), malice_(malice), state_(sends ? State::frame : State::listening) {
  if (sends) return;
  // A modem that dialled has already reported CONNECT and is in the first frame.
  due({address, more, T30_CSI, '1', '2', '3'});
  due({address, last, T30_DIS, 0, static_cast<uint8_t>(random.chance(0.8) ? 0xEE : 0x0A), 0xF4, static_cast<uint8_t>(ecm ? 0x44 : 0x00)});
  giveFrame();
}

void LyingModem::due(std::initializer_list<uint8_t> frame) {
  due_.emplace_back(frame);
}

void LyingModem::answer(const std::string& result) {
  const bool lies = random_.chance(malice_.results);
  if (lies && random_.chance(0.2)) return;  // it says nothing
  const std::string& said = lies ? random_.pick(results) : result;
  out_.insert(out_.end(), {'\r', '\n'});
  out_.insert(out_.end(), said.begin(), said.end());
  out_.insert(out_.end(), {'\r', '\n'});
  wait_ = static_cast<unsigned>(random_.below(lies && random_.chance(0.1) ? 400 : 8));
}

void LyingModem::take(std::span<const char> bytes) {
  for (const char character : bytes) {
    const uint8_t byte = static_cast<uint8_t>(character);
    switch (state_) {
      case State::listening:
        // Any byte ends it; what it wanted to say of the far end is gone.
        state_ = State::command;
        due_.clear();
        out_.clear();
        answer("OK");
        break;
      case State::command:
        if (byte != '\r') {
          if (line_.size() < 200 && byte >= ' ') line_ += character;
          break;
        }
        obey(line_);
        line_.clear();
        break;
      default:
        if (escaped_) {
          escaped_ = false;
          if (byte == etx) state_ == State::frame ? onFrame(heard_) : onPage();
          else heard_.push_back(byte);
        } else if (byte == dle) {
          escaped_ = true;
        } else if (heard_.size() < 600) {
          heard_.push_back(byte);
        }
    }
  }
}

void LyingModem::obey(const std::string& command) {
  heard_.clear();
  escaped_ = false;
  if (command == "AT+FTH=3") {
    state_ = State::frame;
    answer("CONNECT");
  } else if (command.starts_with("AT+FTM=")) {
    state_ = State::page;
    answer("CONNECT");
  } else if (command == "AT+FRH=3") {
    if (due_.empty()) return answer(random_.chance(0.5) ? "NO CARRIER" : "ERROR");
    state_ = State::listening;
    answer("CONNECT");
    giveFrame();
  } else if (command.starts_with("AT+FRM=")) {
    if (sends_ && pageNext_) {
      state_ = State::listening;
      answer("CONNECT");
      givePage();
    } else if (!due_.empty() && random_.chance(0.5)) {
      state_ = State::listening;
      answer("+FRH:3");
      giveFrame();
    } else {
      answer("+FCERROR");
    }
  } else {
    answer("OK");
  }
}

// One frame, its check sum (which nobody reads) and the result; the modem is in command mode afterwards.
void LyingModem::giveFrame() {
  Bytes frame = due_.front();
  due_.pop_front();
  if (random_.chance(malice_.frames)) frame = oddFrame(random_, frame, random_.chance(0.1) ? 2000 : 260);
  frame.insert(frame.end(), {0x12, 0x34});
  for (const uint8_t byte : frame) {
    out_.push_back(byte);
    if (byte == dle && !random_.chance(malice_.results)) out_.push_back(dle);
  }
  if (!random_.chance(malice_.results)) out_.insert(out_.end(), {dle, etx});
  state_ = State::command;
  const bool bad = random_.chance(malice_.frames / 4);
  answer(bad ? "ERROR" : "OK");
}

Bytes LyingModem::page() {
  const bool odd = random_.chance(malice_.pages);
  if (!trained_) return odd ? oddImage(random_, random_.below(longestPage)) : Bytes(2000);
  const Bytes image = odd ? oddImage(random_, 1 + random_.below(longestPage)) : whiteRows(ecm_, 20 + static_cast<unsigned>(random_.below(200)));
  if (!ecm_ || (odd && random_.chance(0.2))) return image;
  std::vector<Bytes> frames;
  for (size_t at = 0, number = 0; at < image.size() && number < 256; at += 256, number++) {
    Bytes frame = {address, more, 0x06, static_cast<uint8_t>(number)};
    frame.insert(frame.end(), image.begin() + static_cast<ptrdiff_t>(at), image.begin() + static_cast<ptrdiff_t>(std::min(at + 256, image.size())));
    frame.resize(260);
    if (random_.chance(malice_.frames)) frame = oddFrame(random_, frame, 390);
    frames.push_back(frame);
  }
  for (int end = 0; end < 3; end++) frames.push_back({address, more, 0x86});
  return framed(frames);
}

void LyingModem::givePage() {
  pageNext_ = false;
  for (const uint8_t byte : page()) {
    out_.push_back(byte);
    if (byte == dle && !random_.chance(malice_.results / 4)) out_.push_back(dle);
  }
  if (!random_.chance(malice_.results)) out_.insert(out_.end(), {dle, etx});
  if (trained_) {
    const bool end = ++pages_ > random_.below(4);
    if (ecm_) due({address, last, T30_PPS | 1, static_cast<uint8_t>(end ? T30_EOP : T30_MPS), static_cast<uint8_t>(pages_ - 1), 0, 0});
    else due({address, last, static_cast<uint8_t>((end ? T30_EOP : T30_MPS) | 1)});
  }
  state_ = State::command;
  answer("NO CARRIER");
}

// What the far end does about a frame of ours.
void LyingModem::onFrame(const Bytes& frame) {
  const bool final = frame.size() > 1 && (frame[1] & 0x10) != 0;
  const uint8_t control = frame.size() > 2 ? frame[2] & 0xFE : 0;
  heard_.clear();
  state_ = final ? State::command : State::frame;
  answer(final ? "OK" : "CONNECT");
  if (!final) return;
  if (sends_) {
    switch (control) {
      case T30_DIS:
      case T30_FTT & 0xFE:
      case T30_RTN & 0xFE:
        due_.clear();
        due({address, more, T30_TSI | 1, '1', '2', '3'});
        due({address, last, T30_DCS | 1, 0, static_cast<uint8_t>(random_.chance(0.5) ? 0x62 : 0x46), 0xF4, static_cast<uint8_t>(ecm_ ? 0x44 : 0x00)});
        trained_ = false;
        pageNext_ = true;
        break;
      case T30_CFR & 0xFE:
        trained_ = pageNext_ = true;
        break;
      case T30_MCF & 0xFE:
      case T30_RTP & 0xFE:
        if (random_.chance(0.6)) pageNext_ = true;
        else due({address, last, T30_DCN | 1});
        break;
      case T30_PPR & 0xFE:
      case T30_CTR & 0xFE:
        pageNext_ = true;
        break;
      default:
        if (random_.chance(0.5)) due({address, last, T30_DCN | 1});
    }
    return;
  }
  due_.clear();
  switch (control) {
    case T30_EOP & 0xFE:
    case T30_MPS & 0xFE:
    case T30_EOM & 0xFE:
    case T30_PPS & 0xFE:
    case T30_RR & 0xFE:
      if (random_.chance(0.7)) due({address, last, T30_MCF});
      else if (random_.chance(0.4)) due({address, last, T30_RNR});
      else if (random_.chance(0.3)) due({address, last, T30_RTN});
      else due({address, last, T30_PPR, 0xFF, static_cast<uint8_t>(random_.below(256)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80});
      break;
    case T30_CTC & 0xFE:
      due({address, last, T30_CTR});
      break;
    case T30_EOR & 0xFE:
      due({address, last, T30_ERR});
      break;
    default:
      break;
  }
}

// Ours is through: the check of the training, or a page.
void LyingModem::onPage() {
  heard_.clear();
  state_ = State::command;
  answer("OK");
  if (sends_ || trained_) return;
  trained_ = !random_.chance(0.2);
  due_.clear();
  due({address, last, static_cast<uint8_t>(trained_ ? T30_CFR : T30_FTT)});
}

void LyingModem::noise() {
  if (!random_.chance(malice_.noise)) return;
  if (random_.chance(0.5)) return answer(random_.pick(results));
  for (size_t n = random_.below(random_.chance(0.1) ? 3000 : 20); n > 0; n--) out_.push_back(static_cast<uint8_t>(random_.chance(0.1) ? dle : random_.below(256)));
}

Bytes LyingModem::say() {
  noise();
  if (wait_ > 0) {
    wait_--;
    return {};
  }
  const size_t most = random_.chance(0.5) ? 4096 : 1 + random_.below(64);
  Bytes said(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(std::min(most, out_.size())));
  out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(said.size()));
  return said;
}

}  // namespace fuzz

// What the modem says, put into what the T.30 engine wants to know.
#include "class1.h"

#include "class1_terms.h"

namespace pbx {

void Class1::hear(std::span<const uint8_t> bytes) {
  while (!bytes.empty() && !session_->over()) {
    size_t taken = 0;
    if (state_ == State::receiving) {
      taken = onData(bytes);
    } else {
      std::string text;
      if (line_.take(bytes, taken, text)) onResult(text);
    }
    bytes = bytes.subspan(taken);
    run();
  }
}

size_t Class1::onData(std::span<const uint8_t> bytes) {
  const bool image = fast(now_.type);
  const size_t taken = unshield_.take(bytes, heard_);
  if (image) {
    // Once the engine has the end of the page, the rest is repetition.
    const bool wanted = rx_.type == now_.type && rx_.hdlc == now_.hdlc;
    if (wanted && now_.hdlc) {
      for (auto& byte : heard_) byte = reversed(byte);
      hdlc_rx_put(hdlcRx_, heard_.data(), static_cast<int>(heard_.size()));
    } else if (wanted) {
      t30_non_ecm_put_chunk(t30_, heard_.data(), static_cast<int>(heard_.size()));
    }
    heard_.clear();
  } else if (isNoCarrier(heard_)) {
    // The carrier went before any frame came: a result where data were expected.
    heard_.clear();
    onRxResult("NO CARRIER");
    return taken;
  } else if (heard_.size() > longestFrame) {
    heard_.resize(longestFrame);
  }
  if (unshield_.over()) {
    state_ = State::received;
    timer_ = connectMs;
  }
  return taken;
}

void Class1::onResult(const std::string& line) {
  const bool connect = line.starts_with("CONNECT"), ok = line == "OK";
  const bool refusal = line == "ERROR" || line == "NO CARRIER";
  if (line == "RING" || (!connect && !ok && !refusal && !line.starts_with("+F"))) return;
  switch (state_) {
    case State::startingRx:
    case State::received:
      onRxResult(line);
      break;
    case State::silence:
    case State::canceling:
    case State::recovering:
      if (connect) break;
      if (state_ != State::silence) lastWasRx_ = true;
      gapMade_ = state_ == State::silence;
      state_ = State::idle;
      timer_ = 0;
      break;
    case State::startingHdlc:
      if (connect) state_ = State::sendHdlc, timer_ = 0, errors_ = 0;
      else refused();
      break;
    case State::sentHdlc:
      if (refusal) {
        refused();
        // The frame went nowhere: the engine, which waits for it, listens next, and repeats or gives up by its own timers.
        steps_++;
        break;
      }
      state_ = connect ? State::sendHdlc : State::idle;
      timer_ = 0;
      errors_ = 0;
      lastWasRx_ = lastWasFastTx_ = gapMade_ = false;
      steps_++;
      break;
    case State::startingTx:
      if (connect) errors_ = 0, startSending();
      else refused();
      break;
    case State::sent:
      if (connect) break;
      state_ = State::idle;
      timer_ = 0;
      lastWasRx_ = gapMade_ = false;
      lastWasFastTx_ = true;
      tx_.type = T30_MODEM_NONE;
      steps_++;
      break;
    default:
      break;
  }
}

void Class1::onRxResult(const std::string& line) {
  timer_ = 0;
  if (state_ == State::received && !fast(now_.type)) {
    errors_ = 0;
    onFrame(line == "OK");
    return;
  }
  if (state_ == State::startingRx && (line.starts_with("CONNECT") || line.starts_with("+FRH"))) {
    // +FRH:3 (adaptive reception): V.21 came where a fast carrier was wanted.
    if (line.starts_with("+FRH")) now_ = {T30_MODEM_V21, 300, false, true}, ran_ = true;
    errors_ = 0;
    heard_.clear();
    unshield_.restart();
    state_ = State::receiving;
    if (fast(now_.type) && now_.hdlc) hdlc_rx_init(hdlcRx_, FALSE, TRUE, 5, t30_hdlc_accept, t30_);
    status(SIG_STATUS_CARRIER_UP);
    status(fast(now_.type) ? SIG_STATUS_TRAINING_SUCCEEDED : SIG_STATUS_FRAMING_OK);
    return;
  }
  const bool carried = state_ != State::startingRx;
  state_ = State::idle;
  lastWasRx_ = true;
  gapMade_ = false;
  if (carried) {
    if (fast(now_.type)) ran_ = true;
    status(SIG_STATUS_CARRIER_DOWN);
  } else if (line == "+FCERROR") {
    ran_ = true;  // the far end says something in V.21
  } else if (line == "ERROR") {
    refused();
  }
}

// A V.21 frame ended: its two check bytes are the modem's affair.
void Class1::onFrame(bool good) {
  Frame frame;
  frame.swap(heard_);
  state_ = State::idle;
  lastWasRx_ = true;
  gapMade_ = false;
  const bool whole = frame.size() >= 5;
  // The next one follows at once: the modem must be listening before anything is thought about this one.
  const bool moreFollows = good && whole && (frame[1] & finalFrame) == 0;
  if (moreFollows) command("AT+FRH=3", State::startingRx, 0);
  if (whole && !stopping_) t30_hdlc_accept(t30_, frame.data(), static_cast<int>(frame.size()) - 2, good);
  if (!moreFollows && !stopping_) status(SIG_STATUS_CARRIER_DOWN);
}

// ERROR means that the modem is on hook: the call is lost. Some say it once without reason.
void Class1::refused() {
  state_ = State::idle;
  timer_ = 0;
  if (++errors_ >= errorsToLost) session_->dropped();
}
}  // namespace pbx

#include "class1.h"

#include <algorithm>
#include <array>
#include <new>

#include "class1_terms.h"

namespace pbx {

Class1::Class1(const FaxOrder& order, FaxEvents& events)
    : t30_(nullptr), hdlcTx_(nullptr), hdlcRx_(nullptr), state_(order.sending ? State::startingRx : State::sendHdlc) {
  now_ = {T30_MODEM_V21, 300, false, true};
  t30_ = t30_init(
      nullptr, order.sending,
      [](void* self, int type, int rate, int shortTrain, int hdlc) {
        static_cast<Class1*>(self)->wantRx({type, rate, shortTrain != 0, hdlc != 0});
      },
      this,
      [](void* self, int type, int rate, int shortTrain, int hdlc) {
        static_cast<Class1*>(self)->wantTx({type, rate, shortTrain != 0, hdlc != 0}, shortTrain);
      },
      this, [](void* self, const uint8_t* message, int length) { static_cast<Class1*>(self)->queueFrame(message, length); }, this);
  if (t30_ == nullptr) throw std::bad_alloc();
  hdlcTx_ = hdlc_tx_init(nullptr, FALSE, 2, FALSE, [](void* self) { static_cast<Class1*>(self)->underflow(); }, this);
  hdlcRx_ = hdlc_rx_init(nullptr, FALSE, TRUE, 5, t30_hdlc_accept, t30_);
  if (hdlcTx_ == nullptr || hdlcRx_ == nullptr) throw std::bad_alloc();
  frames_.clear();
  steps_ = 0;
  t30_restart(t30_);
  session_ = std::make_unique<T30Session>(t30_, order, events);
  // A caller hears "CONNECT" from ATD, and the code that dialled has consumed it.
  if (order.sending) onRxResult("CONNECT");
  run();
}

Class1::~Class1() {
  session_.reset();
  t30_terminate(t30_);  // closes the file
  t30_free(t30_);
  hdlc_tx_free(hdlcTx_);
  hdlc_rx_free(hdlcRx_);
}

void Class1::wantRx(const Carrier& wanted) {
  rx_ = wanted;
  lag_ = 0;
  ran_ = false;
}

void Class1::wantTx(const Carrier& wanted, int pauseMs) {
  tx_ = wanted;
  pause_ = wanted.type == T30_MODEM_PAUSE ? pauseMs : -1;
  // The modem has answered with the tone before it said CONNECT.
  if (wanted.type == T30_MODEM_CED) steps_++;
}

// The engine gives frames before it says for which carrier, too.
void Class1::queueFrame(const uint8_t* message, int length) {
  if (length < 0) frames_.clear();
  else frames_.emplace_back(message, message + length);
}

void Class1::underflow() {
  if (frames_.empty()) t30_front_end_status(t30_, T30_FRONT_END_SEND_STEP_COMPLETE);
  if (frames_.empty()) return;
  hdlc_tx_frame(hdlcTx_, frames_.front().data(), frames_.front().size());
  frames_.pop_front();
}

void Class1::status(int signal) {
  if (now_.hdlc) t30_hdlc_accept(t30_, nullptr, signal, TRUE);
  else t30_non_ecm_put_bit(t30_, signal);
}

void Class1::run() {
  while (!session_->over()) {
    if (stopping_) {
      steps_ = 0;
    } else if (steps_ > 0) {
      steps_--;
      t30_front_end_status(t30_, T30_FRONT_END_SEND_STEP_COMPLETE);
      continue;
    }
    if (!act()) break;
  }
  session_->poll();
  if (session_->exceeded()) stop(session_->exceededText());
}

bool Class1::act() {
  if (stopping_) return actStopping();
  switch (state_) {
    case State::idle:
      return actIdle();
    case State::startingRx:
    case State::receiving:
      return leaveReceiver();
    case State::sendHdlc: {
      if (frames_.empty()) return false;
      const Frame frame = std::move(frames_.front());
      frames_.pop_front();
      shield(frame, out_);
      out_ += static_cast<char>(dle);
      out_ += static_cast<char>(etx);
      state_ = State::sentHdlc;
      timer_ = frameMs;
      return true;
    }
    default:
      return false;
  }
}

bool Class1::actIdle() {
  if (!frames_.empty() && frames_.front().empty()) {
    frames_.pop_front();
    steps_++;
    return true;
  }
  const bool control = tx_.type == T30_MODEM_V21 && !frames_.empty();
  if (control || fast(tx_.type)) {
    // Two carriers are 75 ms apart (ITU-T T.30 section 5.1).
    if (!gapMade_) command(lastWasRx_ ? "AT+FRS=7" : lastWasFastTx_ ? "AT+FTS=9" : "AT+FTS=7", State::silence, silenceMs);
    else if (control) command("AT+FTH=3", State::startingHdlc, connectMs);
    else command("AT+FTM=" + std::to_string(number(tx_.type, tx_.bitRate, tx_.shortTrain)), State::startingTx, connectMs);
    return true;
  }
  if (fast(rx_.type) && !ran_) {
    now_ = rx_;
    command("AT+FRM=" + std::to_string(number(rx_.type, rx_.bitRate, rx_.shortTrain)), State::startingRx, 0);
    return true;
  }
  if (rx_.type == T30_MODEM_V21 || fast(rx_.type)) {
    now_ = {T30_MODEM_V21, 300, false, true};
    command("AT+FRH=3", State::startingRx, 0);
    return true;
  }
  return false;
}

// Whether the engine wants something that the receiver is in the way of.
bool Class1::leaveReceiver() {
  const bool send = (tx_.type == T30_MODEM_V21 && !frames_.empty()) || fast(tx_.type);
  bool leave = send;
  if (!send && fast(now_.type) && rx_.type == T30_MODEM_V21) leave = state_ == State::startingRx || lag_ > lagMs;
  if (!send && now_.type == T30_MODEM_V21 && fast(rx_.type) && !ran_) leave = true;
  if (leave) cancel();
  return leave;
}

bool Class1::actStopping() {
  switch (state_) {
    case State::idle:
      if (saidGoodbye_) {
        session_->end(T30_ERR_OPER_INT_FAIL, why_);
        return true;
      }
      command("AT+FTH=3", State::startingHdlc, connectMs);
      return true;
    case State::startingRx:
    case State::receiving:
      cancel();
      return true;
    case State::sending:
      fastDone_ = true;
      fill();
      // With too much unwritten yet, the end is put behind it by more().
      return state_ != State::sending;
    case State::sendHdlc:
      if (saidGoodbye_) return false;
      saidGoodbye_ = true;
      shield(disconnect, out_);
      out_ += static_cast<char>(dle);
      out_ += static_cast<char>(etx);
      state_ = State::sentHdlc;
      timer_ = frameMs;
      return true;
    default:
      return false;
  }
}

void Class1::command(const std::string& text, State next, int withinMs) {
  out_ += text;
  out_ += '\r';
  state_ = next;
  timer_ = withinMs;
  lag_ = 0;
}

void Class1::cancel() {
  const bool connected = state_ == State::receiving;
  out_ += '\x18';
  state_ = State::canceling;
  timer_ = cancelMs;
  line_.restart();
  if (connected) status(SIG_STATUS_CARRIER_DOWN);
}

void Class1::startSending() {
  state_ = State::sending;
  timer_ = 0;
  fastDone_ = false;
  now_ = tx_;
  if (tx_.hdlc) {
    hdlc_tx_init(hdlcTx_, FALSE, 2, FALSE, [](void* self) { static_cast<Class1*>(self)->underflow(); }, this);
    hdlc_tx_flags(hdlcTx_, tx_.bitRate / (8 * 5));  // 200 ms
    if (!frames_.empty()) underflow();
  }
  fill();
}

void Class1::fill() {
  std::array<uint8_t, chunk> bytes;
  while (state_ == State::sending && out_.size() < writeAhead) {
    size_t made = 0;
    if (!fastDone_ && now_.hdlc) {
      while (made < chunk && !fastDone_) {
        const int byte = hdlc_tx_get_byte(hdlcTx_);
        if (byte < 0) fastDone_ = true;
        else bytes[made++] = reversed(static_cast<uint8_t>(byte));
      }
    } else if (!fastDone_) {
      const int got = t30_non_ecm_get_chunk(t30_, bytes.data(), chunk);
      made = static_cast<size_t>(std::clamp(got, 0, static_cast<int>(chunk)));
      fastDone_ = made < chunk;
    }
    shield(std::span(bytes).first(made), out_);
    if (!fastDone_) continue;
    out_ += static_cast<char>(dle);
    out_ += static_cast<char>(etx);
    state_ = State::sent;
    timer_ = drainMs;
  }
}

void Class1::more() {
  fill();
}

void Class1::advance(int ms) {
  if (session_->over()) return;
  if (stopping_) {
    goodbyeMs_ -= ms;
    if (goodbyeMs_ <= 0) session_->end(T30_ERR_OPER_INT_FAIL, why_);
  } else {
    t30_timer_update(t30_, ms * samplesPerMs);
  }
  lag_ += ms;
  if (pause_ >= 0 && (pause_ -= ms) <= 0) {
    pause_ = -1;
    steps_++;
  }
  if (timer_ > 0 && (timer_ -= ms) <= 0) {
    timer_ = 0;
    onTimeout();
  }
  run();
}

void Class1::onTimeout() {
  switch (state_) {
    case State::silence:
      gapMade_ = true;
      out_ += '\x18';
      state_ = State::canceling;
      timer_ = cancelMs;
      break;
    case State::canceling:
      command("AT", State::recovering, recoverMs);
      break;
    case State::received:
      // The result behind the data is missing: as good as none.
      state_ = State::idle;
      lastWasRx_ = true;
      gapMade_ = false;
      status(SIG_STATUS_CARRIER_DOWN);
      break;
    default:
      modemFault("The modem stopped answering");
  }
}

void Class1::modemFault(const std::string& text) {
  fault_ = text;
  session_->end(T30_ERR_CALLDROPPED, text);
}

void Class1::stop(const std::string& text) {
  if (session_->over() || stopping_) return;
  why_ = text;
  stopping_ = true;
  goodbyeMs_ = goodbyeMs;
  frames_.clear();
  run();
}

}  // namespace pbx

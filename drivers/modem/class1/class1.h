// A T.30 session over a Class 1 modem (ITU-T T.31): what spandsp's T.30 engine wants to hear and say, put into AT commands,
// and what the modem answers, put into signals for the engine. Error correction mode needs HDLC on the fast carriers,
// which such a modem does not have: it is made here. Knows no time but advance(), and no file descriptor.
//
// The call is up already: a caller's modem is in +FRH=3 (receiving V.21), an answerer's in +FTH=3 (its carrier is on).
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "t30_session.h"
#include "tty.h"

struct t30_state_s;
struct hdlc_tx_state_s;
struct hdlc_rx_state_s;

namespace pbx {

class Class1 {
 public:
  // More than this unwritten: no more page data is made.
  static constexpr size_t writeAhead = 512;

  Class1(const FaxOrder& order, FaxEvents& events);
  ~Class1();
  Class1(const Class1&) = delete;
  Class1& operator=(const Class1&) = delete;

  // Bytes from the modem.
  void hear(std::span<const uint8_t> bytes);
  // So many milliseconds went by.
  void advance(int ms);
  // Bytes for the modem; the owner takes from the front, and calls more() when it could write.
  std::string& unwritten() { return out_; }
  void more();

  // Says DCN and ends with code 7 and this text.
  void stop(const std::string& text);
  // The port is gone.
  void dropped() { session_->dropped(); }
  bool over() const { return session_->over(); }
  // "" or what the modem did wrong, which ended the session with code 49.
  const std::string& fault() const { return fault_; }

 private:
  // Where the modem is.
  enum class State {
    idle,         // command mode
    silence,      // +FTS or +FRS
    startingHdlc, // +FTH=3 without CONNECT yet
    sendHdlc,     // connected: wants a frame
    sentHdlc,     // a frame went out: CONNECT or OK will come
    startingRx,   // +FRH=3 or +FRM without CONNECT yet
    receiving,    // data come
    received,     // V.21: after DLE ETX, a result will come
    startingTx,   // +FTM without CONNECT yet
    sending,      // page data go out
    sent,         // after DLE ETX, OK will come
    canceling,    // a receiver was asked to stop
    recovering,   // it did not say OK: "AT" was sent
  };
  struct Carrier {
    int type = 0;  // T30_MODEM_...
    int bitRate = 0;
    bool shortTrain = false, hdlc = false;
  };
  // Frame for V.21 or, empty, the end of the transmission.
  using Frame = std::vector<uint8_t>;

  void wantRx(const Carrier& wanted);
  void wantTx(const Carrier& wanted, int pauseMs);
  void queueFrame(const uint8_t* message, int length);
  void status(int signal);
  void underflow();

  void run();
  bool act();
  bool actIdle();
  bool actStopping();
  bool leaveReceiver();
  void command(const std::string& text, State next, int withinMs);
  void cancel();
  void startSending();
  void fill();
  void onResult(const std::string& line);
  void onRxResult(const std::string& line);
  void onFrame(bool good);
  size_t onData(std::span<const uint8_t> bytes);
  void onTimeout();
  void refused();
  void modemFault(const std::string& text);

  t30_state_s* t30_;
  hdlc_tx_state_s* hdlcTx_;
  hdlc_rx_state_s* hdlcRx_;
  std::unique_ptr<T30Session> session_;
  State state_;
  Carrier rx_, tx_, now_;  // wanted; on the line
  std::deque<Frame> frames_;
  std::vector<uint8_t> heard_;
  Unshield unshield_;
  ResultLine line_;
  std::string out_;
  std::string why_, fault_;
  int timer_ = 0;      // ms until onTimeout; 0: none
  int goodbyeMs_ = 0;  // ms that stop() may still take
  int pause_ = -1;     // ms of silence that the engine asked for
  int steps_ = 0;      // completed steps of sending, owed to the engine
  int errors_ = 0;     // ERROR in a row to a receive command
  int lag_ = 0;        // ms that a wanted change of the receiver has waited
  bool lastWasRx_ = false, lastWasFastTx_ = false, gapMade_ = true;
  bool final_ = false;     // the frame on its way is the last
  bool fastDone_ = false;  // the engine gave all of its page
  bool ran_ = false;       // the fast carrier that was wanted has ended: V.21 comes next
  bool stopping_ = false, saidGoodbye_ = false;
};

}  // namespace pbx

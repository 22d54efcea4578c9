// One modem of class 2, 2.0 and 2.1 as its computer sees it: commands, results, page data. T.30 itself is left out: what the
// two modems of a call would say to each other is a call of a function.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

struct Knobs {
  std::string classes = "0,2,2.0,2.1", model = "Class 2 simulator";
  bool noXon = false;      // class 2: CONNECT, and no XON
  bool straight = false;   // class 2: received bits the right way round
  bool noFine = false;
  bool noRtc = false;      // class 2.0: the end of the page is the computer's business
  bool noQuality = false;  // +FPTS= and +FPS= are errors
  int rate = 5;            // the highest BR
  int ecm = 2;             // the highest EC
};

class Dce {
 public:
  using Terms = std::array<int, 8>;  // VR BR WD LN DF EC BF ST

  void hear(const uint8_t* bytes, size_t count);
  void pass(int ms);
  bool wantsMore() const { return pipe_.size() < 1024; }
  void lost(int code);  // the call is gone
  void ringOrder(const std::string& from);

  std::function<void(const std::string&)> write;
  Knobs knobs;
  std::string number, name;
  Dce* other = nullptr;
  bool plugged = true, corruptNext = false, cutNext = false;
  int hangNext = -1;  // the next +FDT ends so
  unsigned pagesHeard = 0;

 private:
  enum class Mode { command, sending, receiving };
  enum class Waits { nothing, dial, answer, page, carrier, verdict };

  void say(const std::string& text) { write("\r\n" + text + "\r\n"); }
  void command(const std::string& line);
  bool basic(const std::string& line, size_t& at);
  void extended(const std::string& text);
  void dial(const std::string& number);
  void answer();
  void hangUp();
  void ring();
  void connect();
  void startPage();
  void moveData(int ms);
  void endData(char mark);
  void leaveData();
  void tellPageEnd();
  void giveVerdict();
  void fail(const std::string& words);
  void ended(int code);
  void giveData(const std::vector<uint8_t>& bytes);
  bool class2() const { return class_ == "2"; }
  std::string report(const char* two, const char* other2) const { return std::string("+F") + (class2() ? two : other2); }
  std::string termsText(const Terms& terms) const;
  Terms readTerms(const std::string& text, Terms otherwise) const;
  Terms agreed() const;

  std::string line_, class_ = "0", id_;
  bool echo_ = true, cid_ = false, done_ = false;
  int s0_ = 0, s7_ = 60;
  Terms own_{1, 5, 0, 2, 0, 0, 0, 0}, session_ = own_;
  Mode mode_ = Mode::command;
  Waits waits_ = Waits::nothing;
  bool inCall_ = false, caller_ = false, met_ = false, offHook_ = false;
  std::string dialled_, ringFrom_;
  long sinceDial_ = -1, sinceRing_ = -1, sinceUp_ = -1, untilCarrier_ = -1;
  int rings_ = 0;
  bool reversed_ = false;  // +FBO: received bits the other way round
  bool shielded_ = false, over_ = false, flows_ = false, cutting_ = false;
  char mark_ = 0;
  int ending_ = -1, quality_ = 1, pendingEnd_ = -1;
  int lostCode_ = -1;
  double credit_ = 0;
  unsigned moved_ = 0;  // bytes of this page
  std::deque<uint8_t> pipe_;
};

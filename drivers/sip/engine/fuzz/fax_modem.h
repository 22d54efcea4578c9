// A Class 1 modem (ITU-T T.31) that lies, with a fax machine behind it that lies as well. It knows the whole dialogue, so it
// can lie at every step of it.
#pragma once
#include <deque>
#include <span>
#include <string>

#include "fax_frames.h"

namespace fuzz {

struct ModemMalice {
  double results = 0;  // share of answers to commands that are not what T.31 says
  double frames = 0;   // share of T.30 frames that are odd
  double pages = 0;    // share of fast carriers with odd content
  double noise = 0;    // share of 20 ms in which bytes come that nobody asked for
};

class LyingModem {
 public:
  // `sends`: the fax machine at the other end does, and called.
  LyingModem(Random& random, bool sends, bool ecm, const ModemMalice& malice);
  // Bytes of the computer.
  void take(std::span<const char> bytes);
  // Bytes for the computer, 20 ms later.
  Bytes say();

 private:
  enum class State { command, frame, page, listening };
  void obey(const std::string& command);
  void onFrame(const Bytes& frame);
  void onPage();
  void answer(const std::string& result);
  void giveFrame();
  void givePage();
  void due(std::initializer_list<uint8_t> frame);
  Bytes page();
  void noise();

  Random& random_;
  const bool sends_, ecm_;
  const ModemMalice malice_;
  State state_;
  bool escaped_ = false;
  std::string line_;
  Bytes heard_;
  std::deque<Bytes> due_;  // frames of the far end, the last one final
  Bytes out_;
  unsigned wait_ = 0;      // times 20 ms before anything is said
  bool trained_ = false, pageNext_ = false;
  unsigned pages_ = 0;
};

}  // namespace fuzz

// One T.30 session over spandsp's T.30 engine, whatever carries it: capabilities, files, header line, progress, frame log,
// the change to standard resolution, the limits, and what became of it. All calls from one thread.
#pragma once
#include <cstdint>
#include <string>

#include "fax.h"
#include "frame_guard.h"

struct t30_state_s;

namespace pbx {

class T30Session {
 public:
  // Pages of one call; rows of one page, above which a far end is filling our memory and not sending a document. With error
  // correction rows are seen a block of 64 KB at a time, which holds 524,288 empty ones (113 MB) at the very most.
  static constexpr unsigned maxPages = 200, maxRows = 30000;

  // `t30` is the engine inside a front end that outlives the session; it is set up, not started.
  T30Session(t30_state_s* t30, const FaxOrder& order, FaxEvents& events);
  // No events come out of spandsp after it.
  ~T30Session();
  T30Session(const T30Session&) = delete;
  T30Session& operator=(const T30Session&) = delete;

  // Call it after every step of the front end: notices confirmed pages and limits.
  void poll();
  // The far end or the call is gone. `text`: who ended it and why, where that is known; else spandsp's words.
  void dropped(const std::string& text = "");
  // Ends with this code and text; what spandsp would have said is forgotten.
  void end(int code, const std::string& text);
  // Leaves without a word: the call goes on over another front end.
  void abandon() { over_ = true; }

  bool over() const { return over_; }
  // A page limit was passed: the owner says goodbye (DCN) and calls end() with these.
  bool exceeded() const { return !exceeded_.empty(); }
  const std::string& exceededText() const { return exceeded_; }
  // The far end was heard in V.21; a session without it met no fax machine.
  bool negotiating() const { return heard_; }
  // Pages are on the wire: too late to change the front end.
  bool trained() const { return trained_; }

 private:
  void onFrame(bool received, const uint8_t* message, int length);
  void onPhaseE(int code);
  void logImageFrames();
  void update();
  void progress(FaxPhase phase);
  void finish(int code, const std::string& text);

  t30_state_s* t30_;
  const FaxOrder order_;
  FaxEvents& events_;
  FaxState state_;
  FrameGuard guard_;
  unsigned badRows_ = 0, badRowsOfPage_ = 0;
  unsigned imageFrames_ = 0;
  bool imageReceived_ = false;
  bool heard_ = false, trained_ = false, standard_ = false, over_ = false;
  bool moreFollows_ = false;   // the last post-page command was MPS
  bool endUnanswered_ = false;  // the end of a page (EOP, MPS, EOM) went out and nothing came back
  std::string exceeded_, droppedText_;
};

}  // namespace pbx

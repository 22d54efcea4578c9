// Whether a daemon is there that takes calls: one is connected, has taken over what was left by the last one, and has spoken within 2 s. Where
// none has ever asked whether we are there (`ping`), none is expected to go on asking. Times are of the steady clock.
#pragma once
#include <atomic>
#include <cstdint>

namespace pbx {

class Attendance {
 public:
  void came() { there_ = true; }
  void gone() { there_ = false; }
  void spoke(int64_t steadyMs) { spokeAt_ = steadyMs; }
  void asked() { asks_ = true; }
  bool there(int64_t steadyMs) const { return there_ && (!asks_ || steadyMs - spokeAt_ <= longestSilenceMs); }
  // For how long it has said nothing though it is connected and pings; 0 where that cannot be known.
  int64_t silentMs(int64_t steadyMs) const { return there_ && asks_ ? steadyMs - spokeAt_ : 0; }

 private:
  static constexpr int64_t longestSilenceMs = 2000;
  std::atomic<bool> there_{false}, asks_{false};
  std::atomic<int64_t> spokeAt_{0};
};

}  // namespace pbx

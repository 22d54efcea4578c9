// The daemon's messages and frames, carried out. Runs on the link's reader thread, one at a time.
#pragma once
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "call_control.h"
#include "context.h"
#include "help_alone.h"
#include "standing.h"

namespace pbx {

inline constexpr int protocolVersion = 2;
inline constexpr const char* engineVersion = "0.1.0";

class Control {
 public:
  Control(Context& context, std::string realtimeWhy) : context_(context), calls_(context), realtimeWhy_(std::move(realtimeWhy)) {}

  // false: the frame breaks the protocol.
  bool onFrame(FrameKind kind, std::span<const uint8_t> payload);
  // Housekeeping of all parts; every 250 ms.
  void sweep();
  // The daemon is gone; false: it has ordered the end, or there was nothing yet.
  bool standBy();
  // Instead of sweep() until the next daemon is there; false: no call stands any more, and nobody calls for help.
  bool sweepStandingBy();
  // Has `answered` called by way of all threads that must not stand still. Not from a callback of theirs.
  void ask(std::function<void()> answered);
  // The next daemon has come, and nothing of it was read yet.
  void welcome();
  bool started() const { return started_; }
  bool wrongVersion() const { return wrongVersion_; }

 private:
  bool onMessage(const nlohmann::json& message);
  void ping(uint32_t n);
  void adopted(const nlohmann::json& message);
  void configure(const nlohmann::json& message);
  void play(const nlohmann::json& message);
  void fax(const nlohmann::json& message, bool sending);
  bool onTextMessage(const std::string& type, const nlohmann::json& message);
  bool onLampMessage(const std::string& type, const nlohmann::json& message);
  bool onLegMessage(const std::string& type, const nlohmann::json& message);
  bool onMediaMessage(const std::string& type, const nlohmann::json& message);
  // Whether the daemon has no part in this leg any more.
  bool isAlone(LegId leg) const;
  // The bridge that the leg is in by now.
  void note(LegId leg, uint32_t bridge);
  void sendStats();

  Context& context_;
  CallControl calls_;
  Standing standing_{context_, calls_};
  HelpAlone help_{context_, calls_};
  std::set<uint32_t> clips_;  // that the daemon has stored
  uint32_t lastLeg_ = 0, lastBridge_ = 0;  // the largest numbers that any daemon has given
  bool stopOrdered_ = false;
  std::atomic<bool> alone_{false};  // no daemon is there
  bool returning_ = false;          // the one that is there has not adopted yet
  std::string realtimeWhy_;
  std::atomic<bool> started_{false}, wrongVersion_{false};
  bool greeted_ = false, failed_ = false;
  int64_t nextStats_ = 0, nextSecond_ = 0;
};

}  // namespace pbx

// Every message from the engine to the daemon. Any thread may call; each call queues one frame and returns. Keeps the
// promise that `ended` is the last message about a leg: it waits for the leg's recordings and its fax to be complete.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../ipc/frame.h"
#include "../media/media.h"
#include "settings.h"

namespace pbx {

// As the protocol passes texts of strangers: at most 128 characters, no control characters.
std::string clean(std::string_view text);
// One line of the engine's log (standard output): `LEVEL text`.
void logLine(const char* level, const std::string& text);

// Play numbers of the engine's own (digits sent in-band); the daemon never hears of them.
inline constexpr uint32_t ownPlay = 0xFFFFFFFF;

class Events : public MediaEvents {
 public:
  explicit Events(std::shared_ptr<Link> link) : link_(std::move(link)) {}

  void send(const nlohmann::json& message);
  // The daemon is gone: what the next one must know is kept for it, the rest is dropped.
  void hold();
  // Attaches the next daemon. Until `release` it gets only what is sent directly; then the stored messages, and all that
  // follow.
  void attach(std::shared_ptr<Link> link);
  // What happens to the leg is not the daemon's any more: it waits for takeDiverted(). A daemon that knows the leg is
  // notified that it has ended.
  void divert(LegId leg, bool on);
  std::vector<nlohmann::json> takeDiverted();
  void tell(const nlohmann::json& message);
  void release();
  // 20 ms pieces of tapped legs that the daemon did not take in time, since it is there.
  uint64_t droppedAudio() const;
  // For a technician: to the daemon and to the engine's own log. `level`: error, warn or info.
  void log(const char* level, const std::string& text);
  void trunk(const std::string& id, const char* state, int code, const std::string& reason, unsigned retrySeconds);
  void registration(const std::string& extension, const std::vector<Contact>& contacts, const std::string& userAgent);
  void banned(const std::string& address, unsigned seconds, unsigned failures);
  void ringing(LegId leg, int code, bool early);
  void answered(LegId leg, const std::string& codec, bool secure);
  void digit(LegId leg, char digit, const char* method, unsigned durationMs);
  // Call it between notifying the daemon and acknowledging to the far end, which then takes the matter as done.
  void handOver();
  // A recording of `leg` was asked for: `ended` waits for its `recorded`.
  void recordStarted(LegId leg);
  // A fax call began on `leg`: `ended` waits for its `faxEnded`.
  void faxStarted(LegId leg) { recordStarted(leg); }
  void faxEnded(LegId leg, const nlohmann::json& message) { last(leg, message); }
  void ended(LegId leg, nlohmann::json message);

  void played(LegId leg, uint32_t play, bool completed, unsigned playedMs) override;
  void recorded(LegId leg, uint32_t record, const std::string& file, unsigned durationMs, const char* reason) override;
  void firstHeard(LegId leg) override;
  void voice(LegId leg, bool active) override;
  void inbandDigit(LegId leg, char digit, unsigned durationMs) override;
  void faxTone(LegId leg, const char* tone) override;
  void audio(std::span<const uint8_t> frame) override;
  void forked(std::span<const uint8_t> frame) override;

 private:
  // Something of the leg is complete, which its `ended` may wait for.
  void last(LegId leg, const nlohmann::json& message);

  // Guards the next five; taken after every other lock.
  mutable std::mutex linkMutex_;
  std::shared_ptr<Link> link_;
  bool holding_ = false;
  std::vector<nlohmann::json> held_, aside_;
  std::set<LegId> diverted_;
  std::mutex mutex_;
  std::map<LegId, unsigned> open_;  // recordings and faxes
  std::map<LegId, nlohmann::json> waiting_;
};

nlohmann::json contactsJson(const std::vector<Contact>& contacts);

}  // namespace pbx

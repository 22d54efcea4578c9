#include "key_reader.h"

#include <algorithm>

namespace pbx {

namespace {

constexpr int64_t lostEndMs = 400;
// Packets are 20 ms after one another, and one may be lost; another press does not begin or end so soon (ITU-T Q.24: 40 ms
// of tone, 40 ms of pause). PJMEDIA reports a large timestamp to 32 ms.
constexpr unsigned betweenPacketsMs = 75, lateEndMs = 60;
// The duration has 16 bits: a longer press goes on under a new timestamp (RFC 4733 section 2.5.1.3).
constexpr unsigned longestMs = 8000;

// PJMEDIA reports timestamps in ms: 29 of the 32 bits are left.
uint32_t after(uint32_t later, uint32_t earlier) {
  return (later - earlier) & 0x1FFFFFFF;
}

}  // namespace

// Whether the packet belongs to the newest press.
bool KeyReader::goesOn(const KeyPacket& packet) const {
  if (!known_ || packet.key != last_.key) return false;
  if (packet.stamp == last_.stamp) {
    // A new press begins: by its mark after an end, or by a duration that starts again. Some senders give no durations, or
    // none with the end.
    if (packet.end) return true;
    if (packet.marked && !open_) return false;
    return packet.durationMs >= last_.durationMs || (!packet.marked && packet.durationMs == 0);
  }
  if (packet.marked) return false;
  const uint32_t later = after(packet.stamp, last_.stamp);
  // Ends that bear the time at which they are sent.
  if (packet.end && packet.durationMs >= last_.durationMs && later <= (open_ ? packet.durationMs + lateEndMs : betweenPacketsMs)) return true;
  // Packets that all bear it.
  if (open_ && packet.durationMs > last_.durationMs && later <= betweenPacketsMs) return true;
  return isFull(packet, later);
}

// The press goes on under a new timestamp, where its duration begins again.
bool KeyReader::isFull(const KeyPacket& packet, uint32_t later) const {
  return open_ && last_.durationMs >= longestMs && packet.durationMs < last_.durationMs && later <= last_.durationMs + 200;
}

bool KeyReader::read(const KeyPacket& packet, int64_t now) {
  if (now - at_ >= lostEndMs) open_ = false;
  const bool begins = !goesOn(packet);
  if (begins) {
    open_ = true;
    last_ = packet;
  } else {
    const bool full = packet.stamp != last_.stamp && isFull(packet, after(packet.stamp, last_.stamp));
    last_.durationMs = full ? packet.durationMs : std::max(last_.durationMs, packet.durationMs);
    last_.stamp = packet.stamp;
  }
  known_ = true;
  at_ = now;
  if (packet.end) open_ = false;
  return begins;
}

}  // namespace pbx

// Keys as RFC 4733 events, from senders of every kind: each press is reported once, even when packets are lost, repeated,
// reordered or left out.
#include "../sip/key_reader.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "check.h"

using namespace pbx;

namespace {

// How a sender writes its presses.
struct Sender {
  const char* name;
  bool oneStamp = false;     // all presses under one timestamp
  bool stampsOfEnds = false;  // each end under a timestamp of its own
  bool stampsOfAll = false;   // each packet
  uint32_t coarse = 1;        // timestamps are given in steps of so many ms
  bool marks = true, marksAll = false;
  bool starts = true, durations = true, lastDuration = true;
  unsigned ends = 3;
};

const std::vector<Sender> senders = {
    {.name = "as the standard has it"},
    {.name = "one timestamp for all presses", .oneStamp = true},
    {.name = "ends with timestamps of their own", .stampsOfEnds = true},
    {.name = "packets with timestamps of their own", .stampsOfAll = true},
    {.name = "packets with timestamps of their own and no marks", .stampsOfAll = true, .marks = false},
    {.name = "ends with timestamps of their own, told to 32 ms", .stampsOfEnds = true, .coarse = 32},
    {.name = "as the standard has it, told to 32 ms", .coarse = 32},
    {.name = "no marks", .marks = false},
    {.name = "a mark on every packet", .marksAll = true},
    {.name = "ends alone", .marks = false, .starts = false},
    {.name = "no durations", .durations = false},
    {.name = "no durations and no marks", .marks = false, .durations = false},
    {.name = "no duration in the ends", .lastDuration = false},
    {.name = "one end", .ends = 1},
    {.name = "six ends", .ends = 6},
    {.name = "no ends", .ends = 0},
};

struct Sent {
  KeyPacket packet;
  int64_t at = 0;
  size_t press = 0;
  unsigned sequence = 0;
};

std::vector<Sent> packetsOf(const std::string& keys, const Sender& sender, unsigned pressMs = 100, unsigned pauseMs = 80) {
  std::vector<Sent> all;
  int64_t at = 1000;
  unsigned sequence = 0;
  const uint32_t first = 0x1FFFFFFF - 150;  // the timestamp begins again on the way
  for (size_t press = 0; press < keys.size(); press++) {
    const uint32_t stamp = (first + (sender.oneStamp ? 0 : static_cast<uint32_t>(at))) & 0x1FFFFFFF;
    const auto send = [&](uint32_t under, unsigned ms, bool end, bool marked) {
      if (sender.stampsOfAll) under = first + static_cast<uint32_t>(at);
      under = (under + sender.coarse / 2) / sender.coarse * sender.coarse;
      all.push_back({{keys[press], under & 0x1FFFFFFF, sender.durations ? ms : 0, end, marked}, at, press, sequence++});
      at += 20;
    };
    for (unsigned ms = 20; ms < pressMs; ms += 20) {
      if (sender.starts) {
        send(stamp, ms, false, sender.marksAll || (sender.marks && ms == 20));
      } else {
        at += 20;
      }
    }
    for (unsigned end = 0; end < sender.ends; end++) send(stamp + (sender.stampsOfEnds ? pressMs + 20 * end : 0), sender.lastDuration ? pressMs : 0, true, sender.marksAll);
    at += pauseMs;
  }
  return all;
}

// What the engine hands on: only what is newer than all that came before (PJMEDIA drops the rest).
std::string readKeys(std::vector<Sent> packets) {
  KeyReader reader;
  std::string read;
  unsigned newest = 0;
  bool any = false;
  int64_t now = 0;
  for (const Sent& sent : packets) {
    now = std::max(now, sent.at);
    if (any && sent.sequence <= newest) continue;
    any = true;
    newest = sent.sequence;
    if (reader.read(sent.packet, now)) read += sent.packet.key;
  }
  return read;
}

std::vector<Sent> without(std::vector<Sent> packets, const std::vector<bool>& lost) {
  std::vector<Sent> left;
  for (const Sent& sent : packets) {
    if (!lost[sent.sequence]) left.push_back(sent);
  }
  return left;
}

}  // namespace

TEST("a key is reported with its first packet, and at no other") {
  for (const Sender& sender : senders) {
    KeyReader reader;
    size_t press = 99;
    for (const Sent& sent : packetsOf("1525", sender)) {
      CHECK_SAME(reader.read(sent.packet, sent.at), sent.press != press);
      press = sent.press;
    }
  }
}

TEST("keys of every sender are told once each") {
  for (const Sender& sender : senders) {
    for (const std::string keys : {"1234", "5", "5555", "1122#*", "90A0D!"}) {
      CHECK_SAME(readKeys(packetsOf(keys, sender)) + " " + sender.name, keys + " " + sender.name);
    }
  }
}

TEST("a key that is held for long is one, and so is one that goes on under a new timestamp where the duration has no more bits") {
  CHECK_SAME(readKeys(packetsOf("7", senders[0], 6000)), "7");
  std::vector<Sent> packets;
  unsigned sequence = 0;
  for (unsigned ms = 20; ms <= 12'000; ms += 20) {
    const bool second = ms > 8191;
    packets.push_back({{'7', second ? 100u + 8191u : 100u, second ? ms - 8191 : ms, ms == 12'000, ms == 20}, 1000 + ms, 0, sequence++});
  }
  CHECK_SAME(readKeys(packets), "7");
}

TEST("a press under the timestamp of the one before is told by its mark, or by a duration that begins anew") {
  const auto key = [](unsigned ms, bool end, bool marked, unsigned sequence) { return Sent{{'5', 77, ms, end, marked}, 1000 + 20 * static_cast<int64_t>(sequence), 0, sequence}; };
  CHECK_SAME(readKeys({key(20, false, true, 0), key(100, true, false, 1), key(20, false, true, 2), key(100, true, false, 3)}), "55");
  CHECK_SAME(readKeys({key(20, false, true, 0), key(100, true, false, 1), key(20, false, false, 2), key(100, true, false, 3)}), "55");
  CHECK_SAME(readKeys({key(20, false, true, 0), key(100, false, false, 1), key(20, false, true, 2), key(100, true, false, 3)}), "55");
  CHECK_SAME(readKeys({key(20, false, true, 0), key(100, true, false, 1), key(100, true, false, 2), key(100, true, true, 3), key(0, true, false, 4)}), "5");
}

TEST("random losses and reordering: a press is told once where a packet of it comes in time, and never twice") {
  std::mt19937 random(4733);
  const std::string codes = "0123456789*#ABCD!";
  for (int round = 0; round < 4000; round++) {
    const Sender& sender = senders[round % senders.size()];
    if (sender.oneStamp || sender.stampsOfEnds || sender.stampsOfAll) continue;  // which press a single packet belongs to cannot be known there
    std::string keys;
    for (int n = 0; n < 6; n++) keys += codes[random() % codes.size()];
    auto packets = packetsOf(keys, sender, 60 + 20 * (random() % 5), 60 + random() % 200);
    std::vector<bool> lost;
    for (size_t n = 0; n < packets.size(); n++) lost.push_back(random() % 100 < 35);
    auto left = without(packets, lost);
    for (size_t n = 1; n < left.size(); n++) {
      if (random() % 6 == 0) std::swap(left[n - 1], left[n]);
    }
    // What comes late is nothing.
    std::vector<bool> counts(keys.size(), false);
    unsigned newest = 0;
    for (size_t n = 0; n < left.size(); n++) {
      if (n > 0 && left[n].sequence <= newest) continue;
      newest = left[n].sequence;
      counts[left[n].press] = true;
    }
    std::string expected;
    for (size_t n = 0; n < keys.size(); n++) {
      if (counts[n]) expected += keys[n];
    }
    CHECK_SAME(readKeys(left) + " of " + keys + ", " + sender.name, expected + " of " + keys + ", " + sender.name);
  }
}

TEST("random losses under one timestamp: no key is told that was not pressed, none twice, and different keys never become one") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    const Sender& sender = senders[1 + round % 2];
    std::string keys;
    for (int n = 0; n < 6; n++) keys += static_cast<char>('0' + (n == 0 ? 0 : keys.back() - '0' + 1 + static_cast<int>(random() % 9)) % 10);
    auto packets = packetsOf(keys, sender);
    std::vector<bool> lost;
    for (size_t n = 0; n < packets.size(); n++) lost.push_back(random() % 100 < 20);
    std::string expected;
    const auto left = without(packets, lost);
    for (const Sent& sent : left) {
      if (expected.size() == 0 || sent.press != left[&sent - left.data() - 1].press) expected += keys[sent.press];
    }
    CHECK_SAME(readKeys(left) + " of " + keys + ", " + sender.name, expected + " of " + keys + ", " + sender.name);
  }
}

#include "udptl.h"

#include <algorithm>

namespace pbx {

namespace {

constexpr size_t longestIfp = 16383;

void appendField(std::vector<uint8_t>& out, std::span<const uint8_t> bytes) {
  // Length determinant of aligned PER (ITU-T X.691 section 10.9); fragments are never needed.
  if (bytes.size() >= 128) out.push_back(static_cast<uint8_t>(0x80 | bytes.size() >> 8));
  out.push_back(static_cast<uint8_t>(bytes.size()));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

size_t fieldSize(size_t bytes) {
  return bytes + (bytes >= 128 ? 2 : 1);
}

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : left_(bytes) {}
  bool byte(uint8_t& value) {
    if (left_.empty()) return false;
    value = left_[0];
    left_ = left_.subspan(1);
    return true;
  }
  bool length(size_t& value) {
    uint8_t first = 0, second = 0;
    if (!byte(first)) return false;
    value = first;
    if (first < 0x80) return true;
    if ((first & 0x40) != 0 || !byte(second)) return false;
    value = static_cast<size_t>(first & 0x3F) << 8 | second;
    return true;
  }
  bool field(std::span<const uint8_t>& value) {
    size_t size = 0;
    if (!length(size) || size > left_.size()) return false;
    value = left_.first(size);
    left_ = left_.subspan(size);
    return true;
  }

 private:
  std::span<const uint8_t> left_;
};

}  // namespace

std::vector<uint8_t> UdptlSender::wrap(std::span<const uint8_t> ifp) {
  std::vector<uint8_t> out = {static_cast<uint8_t>(sequence_ >> 8), static_cast<uint8_t>(sequence_)};
  sequence_++;
  ifp = ifp.first(std::min(ifp.size(), longestIfp));
  appendField(out, ifp);
  out.push_back(0);  // error recovery by earlier packets
  size_t count = 0, size = out.size() + 1;
  for (const auto& packet : former_) {
    size += fieldSize(packet.size());
    if (size > most_) break;
    count++;
  }
  out.push_back(static_cast<uint8_t>(count));
  for (size_t i = 0; i < count; i++) appendField(out, former_[i]);
  former_.emplace_front(ifp.begin(), ifp.end());
  if (former_.size() > repeats) former_.pop_back();
  return out;
}

bool isUdptl(std::span<const uint8_t> datagram) {
  if (datagram.size() < 4 || datagram[0] >> 6 == 2) return false;
  Reader reader(datagram.subspan(2));
  uint8_t recovery = 0, octets = 0, packets = 0;
  std::span<const uint8_t> field;
  if (!reader.field(field) || field.empty() || !reader.byte(recovery) || (recovery & 0x7F) != 0) return false;
  size_t count = 0;
  // Error recovery by parity begins with the number of packets it covers, an INTEGER of one octet.
  if (recovery != 0 && (!reader.byte(octets) || octets != 1 || !reader.byte(packets))) return false;
  if (!reader.length(count) || count > 64) return false;
  for (size_t i = 0; i < count; i++) {
    if (!reader.field(field)) return false;
  }
  return true;
}

bool UdptlReceiver::unwrap(std::span<const uint8_t> datagram, const Deliver& deliver) {
  Reader reader(datagram);
  uint8_t high = 0, low = 0, recovery = 0;
  std::span<const uint8_t> primary;
  if (!reader.byte(high) || !reader.byte(low) || !reader.field(primary)) return false;
  const auto sequence = static_cast<uint16_t>(high << 8 | low);
  std::vector<std::span<const uint8_t>> former;  // newest first
  if (reader.byte(recovery) && (recovery & 0x80) == 0) {
    size_t count = 0;
    if (!reader.length(count) || count > 64) return false;
    for (size_t i = 0; i < count; i++) {
      std::span<const uint8_t> packet;
      if (!reader.field(packet)) return false;
      former.push_back(packet);
    }
  }
  // The far end lost its first datagrams or restarted: continue from this sequence number.
  const auto ahead = static_cast<int16_t>(sequence - expected_);
  if (begun_ && ahead < 0 && ahead > -1000) return true;
  const size_t missed = !begun_ || ahead <= 0 ? 0 : std::min<size_t>(static_cast<size_t>(ahead), former.size());
  for (size_t i = missed; i-- > 0;) {
    if (!former[i].empty()) deliver(former[i], static_cast<uint16_t>(sequence - 1 - i));
  }
  if (!primary.empty()) deliver(primary, sequence);
  begun_ = true;
  expected_ = static_cast<uint16_t>(sequence + 1);
  return true;
}

}  // namespace pbx

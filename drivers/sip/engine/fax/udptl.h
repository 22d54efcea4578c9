// UDPTL (ITU-T T.38 section 9.1): one IFP packet per datagram, and the ones before it again, so that three datagrams in a
// row may be lost without loss. Error correction by parity is neither made nor used.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace pbx {

class UdptlSender {
 public:
  static constexpr size_t repeats = 3;
  // `most`: bytes of a datagram that the far end takes (T38FaxMaxDatagram); repeats that do not fit are left out.
  explicit UdptlSender(size_t most) : most_(most) {}
  std::vector<uint8_t> wrap(std::span<const uint8_t> ifp);

 private:
  const size_t most_;
  uint16_t sequence_ = 0;
  std::deque<std::vector<uint8_t>> former_;  // newest first
};

// Whether these bytes can be the beginning of a far end's UDPTL: whole fields up to the end, and neither RTP nor RTCP, whose
// first two bits (version 2) a sequence number has after 32,768 datagrams only.
bool isUdptl(std::span<const uint8_t> datagram);

class UdptlReceiver {
 public:
  using Deliver = std::function<void(std::span<const uint8_t> ifp, uint16_t sequence)>;
  // Delivers in order what was not delivered yet. false: this is no UDPTL.
  bool unwrap(std::span<const uint8_t> datagram, const Deliver& deliver);

 private:
  uint16_t expected_ = 0;
  bool begun_ = false;
};

}  // namespace pbx

// A fax call over T.38: spandsp's terminal, which packs T.30 into IFP packets, over UDPTL. Knows no sockets and no time but
// its ticks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "front_end.h"
#include "udptl.h"

struct t38_terminal_state_s;

namespace pbx {

// What the session descriptions agreed on.
struct T38Terms {
  size_t maxDatagram = 400;  // the far end's T38FaxMaxDatagram
  unsigned version = 0;
  unsigned maxBitRate = 14400;
};

class T38Fax final : public FaxFrontEnd {
 public:
  using Send = std::function<void(std::span<const uint8_t> datagram)>;
  T38Fax(const FaxOrder& order, FaxEvents& events, const T38Terms& terms, Send send);
  ~T38Fax() override;

  void receive(std::span<const uint8_t> datagram);
  // While we receive, a far end that has been silent for a minute is gone: without RTP nobody else would notice. While we
  // send it has nothing to say for as long as a page takes; the timers of T.30 watch over its answers.
  void hear(std::span<const int16_t> samples) override;
  void say(std::span<int16_t> out) override;
  void stop(const std::string& text) override;
  T30Session& session() override { return *session_; }
  bool over() const override { return session_->over(); }

 private:
  const bool sending_;
  Send send_;
  UdptlSender sender_;
  UdptlReceiver receiver_;
  t38_terminal_state_s* terminal_;
  std::unique_ptr<T30Session> session_;
  unsigned silentTicks_ = 0;
};

}  // namespace pbx

#include "t38_fax.h"

#include <algorithm>
#include <new>

#include "spandsp_headers.h"

namespace pbx {

namespace {

constexpr unsigned patienceTicks = 60 * 50;
constexpr int tickSamples = 160;
// DCN as it travels in T.38: without flags and check sum, least significant bit first.
constexpr uint8_t disconnect[] = {0xFF, 0xC8, 0xDF};

}  // namespace

T38Fax::T38Fax(const FaxOrder& order, FaxEvents& events, const T38Terms& terms, Send send)
    : sending_(order.sending), send_(std::move(send)), sender_(std::clamp<size_t>(terms.maxDatagram, 72, 1400)) {
  terminal_ = t38_terminal_init(
      nullptr, order.sending,
      [](t38_core_state_t*, void* user, const uint8_t* ifp, int size, int times) -> int {
        auto* self = static_cast<T38Fax*>(user);
        const auto datagram = self->sender_.wrap({ifp, static_cast<size_t>(size)});
        for (int i = 0; i < std::clamp(times, 1, 3); i++) self->send_(datagram);
        return 0;
      },
      this);
  if (terminal_ == nullptr) throw std::bad_alloc();
  t38_core_state_t* core = t38_terminal_get_t38_core_state(terminal_);
  t38_set_t38_version(core, static_cast<int>(terms.version));
  t38_set_max_datagram_size(core, static_cast<int>(std::clamp<size_t>(terms.maxDatagram, 72, 1400)));
  FaxOrder limited = order;
  if (terms.maxBitRate < 14400) limited.v17 = false;
  if (terms.maxBitRate < 9600) limited.v29 = false;
  session_ = std::make_unique<T30Session>(t38_terminal_get_t30_state(terminal_), limited, events);
}

T38Fax::~T38Fax() {
  session_.reset();
  t30_terminate(t38_terminal_get_t30_state(terminal_));  // closes the file
  t38_terminal_free(terminal_);
}

void T38Fax::receive(std::span<const uint8_t> datagram) {
  if (session_->over()) return;
  const bool understood = receiver_.unwrap(datagram, [this](std::span<const uint8_t> ifp, uint16_t sequence) {
    t38_core_rx_ifp_packet(t38_terminal_get_t38_core_state(terminal_), ifp.data(), static_cast<int>(ifp.size()), sequence);
  });
  if (understood) silentTicks_ = 0;
  session_->poll();
}

void T38Fax::hear(std::span<const int16_t>) {
  if (!sending_ && ++silentTicks_ >= patienceTicks) session_->dropped(noMedia);
}

void T38Fax::say(std::span<int16_t> out) {
  std::fill(out.begin(), out.end(), int16_t{0});
  if (session_->over()) return;
  t38_terminal_send_timeout(terminal_, tickSamples);
  session_->poll();
  if (session_->exceeded()) stop(session_->exceededText());
}

void T38Fax::stop(const std::string& text) {
  if (session_->over()) return;
  t38_core_state_t* core = t38_terminal_get_t38_core_state(terminal_);
  t38_core_send_indicator(core, T38_IND_V21_PREAMBLE);
  t38_core_send_data(core, T38_DATA_V21, T38_FIELD_HDLC_DATA, disconnect, sizeof disconnect, T38_PACKET_CATEGORY_CONTROL_DATA);
  t38_core_send_data(core, T38_DATA_V21, T38_FIELD_HDLC_FCS_OK_SIG_END, nullptr, 0, T38_PACKET_CATEGORY_CONTROL_DATA_END);
  t38_core_send_indicator(core, T38_IND_NO_SIGNAL);
  session_->end(T30_ERR_OPER_INT_FAIL, text);
}

}  // namespace pbx

#include "fax_attacker.h"

#include <algorithm>
#include <map>

#define SPANDSP_EXPOSE_INTERNAL_STRUCTURES
#include "../fax/spandsp_headers.h"

namespace {

// By its T.30 engine: spandsp asks for the bits of a page by a function of its own, which the linker replaces.
std::map<const void*, fuzz::Attacker*>& attackers() {
  static std::map<const void*, fuzz::Attacker*> all;
  return all;
}

fuzz::Attacker* attackerOf(const void* t30) {
  const auto found = attackers().find(t30);
  return found == attackers().end() ? nullptr : found->second;
}

}  // namespace

extern "C" {
int __real_t30_non_ecm_get_bit(void* t30);
int __real_t30_non_ecm_get_chunk(void* t30, uint8_t buffer[], int most);

int __wrap_t30_non_ecm_get_bit(void* t30) {
  const int due = __real_t30_non_ecm_get_bit(t30);
  fuzz::Attacker* attacker = attackerOf(t30);
  return attacker == nullptr ? due : attacker->bit(due);
}

int __wrap_t30_non_ecm_get_chunk(void* t30, uint8_t buffer[], int most) {
  const int due = __real_t30_non_ecm_get_chunk(t30, buffer, most);
  fuzz::Attacker* attacker = attackerOf(t30);
  return attacker == nullptr || due <= 0 ? due : attacker->chunk({buffer, static_cast<size_t>(due)}, due);
}
}

namespace fuzz {

Attacker::Attacker(Random& random, const AttackerOrder& order, Send send) : random_(random), order_(order), send_(std::move(send)) {
  if (order.t38) {
    terminal_ = t38_terminal_init(
        nullptr, order.sending,
        [](t38_core_state_t*, void* self, const uint8_t* ifp, int size, int) -> int {
          static_cast<Attacker*>(self)->send_({ifp, static_cast<size_t>(size)});
          return 0;
        },
        this);
    t30_ = t38_terminal_get_t30_state(terminal_);
  } else {
    fax_ = fax_init(nullptr, order.sending);
    fax_set_transmit_on_idle(fax_, TRUE);
    t30_ = fax_get_t30_state(fax_);
  }
  t30_set_tx_ident(t30_, "+1 555 666");
  if (random.chance(0.3)) t30_set_tx_sub_address(t30_, "4711");
  t30_set_ecm_capability(t30_, order.ecm);
  t30_set_supported_modems(t30_, order.modems);
  t30_set_supported_compressions(t30_, order.compressions);
  t30_set_supported_resolutions(t30_, T30_SUPPORT_STANDARD_RESOLUTION | T30_SUPPORT_FINE_RESOLUTION | T30_SUPPORT_R8_RESOLUTION);
  t30_set_supported_image_sizes(t30_, T30_SUPPORT_215MM_WIDTH | T30_SUPPORT_UNLIMITED_LENGTH);
  if (order.sending) t30_set_tx_file(t30_, order.file.c_str(), -1, -1);
  else t30_set_rx_file(t30_, order.file.c_str(), -1);
  sendFrame_ = t30_->send_hdlc_handler;
  frontEnd_ = t30_->send_hdlc_user_data;
  t30_->send_hdlc_handler = [](void* self, const uint8_t* message, int length) { static_cast<Attacker*>(self)->frame(message, length); };
  t30_->send_hdlc_user_data = this;
  t30_set_real_time_frame_handler(
      t30_,
      [](t30_state_t*, void* user, int received, const uint8_t* message, int length) {
        auto* self = static_cast<Attacker*>(user);
        if (length < 3) return;
        const int field = message[2] & 0xFE;
        if (received != 0 && (field == 0x84 || field == 0x8C)) self->imaging_ = true;
        if (received == 0 && field == 0x82) self->imaging_ = false;
      },
      this);
  attackers()[t30_] = this;
}

Attacker::~Attacker() {
  attackers().erase(t30_);
  t30_terminate(t30_);
  if (fax_ != nullptr) fax_free(fax_);
  if (terminal_ != nullptr) t38_terminal_free(terminal_);
}

void Attacker::turn(std::span<const int16_t> heard, std::span<int16_t> said) {
  if (terminal_ != nullptr) {
    t38_terminal_send_timeout(terminal_, 160);
    return;
  }
  std::array<int16_t, 160> block{};
  std::copy_n(heard.begin(), std::min(heard.size(), block.size()), block.begin());
  fax_rx(fax_, block.data(), static_cast<int>(block.size()));
  const int made = std::clamp(fax_tx(fax_, said.data(), static_cast<int>(said.size())), 0, static_cast<int>(said.size()));
  std::fill(said.begin() + made, said.end(), int16_t{0});
}

void Attacker::receive(std::span<const uint8_t> ifp, uint16_t sequence) {
  t38_core_rx_ifp_packet(t38_terminal_get_t38_core_state(terminal_), ifp.data(), static_cast<int>(ifp.size()), sequence);
}

int Attacker::bit(int due) {
  if (!imaging_) return due;
  if (order_.malice.image) {
    if (image_.empty()) image_ = oddImage(random_, 2000 + random_.below(60000)), at_ = 0;
    if (at_ >= image_.size() * 8) {
      image_.clear();
      imaging_ = due >= 0;
      return due;
    }
    // The engine's own page must end for it to go on; until ours does, its end is what is waited for.
    if (due < 0) return image_.clear(), due;
    const int bit = image_[at_ / 8] >> at_ % 8 & 1;
    at_++;
    return bit;
  }
  return due >= 0 && random_.chance(order_.malice.bits) ? due ^ 1 : due;
}

int Attacker::chunk(std::span<uint8_t> bytes, int due) {
  if (!imaging_) return due;
  if (order_.malice.image) {
    if (at_ + bytes.size() > image_.size()) image_ = oddImage(random_, 2000 + random_.below(60000)), at_ = 0;
    std::copy_n(image_.begin() + static_cast<ptrdiff_t>(at_), bytes.size(), bytes.begin());
    at_ += bytes.size();
    return due;
  }
  for (uint8_t& byte : bytes) {
    if (random_.chance(order_.malice.bits * 8)) byte ^= static_cast<uint8_t>(1 << random_.below(8));
  }
  return due;
}

void Attacker::frame(const uint8_t* message, int length) {
  if (length <= 0) return sendFrame_(frontEnd_, message, length);
  const bool image = length > 3 && (message[2] & 0xFE) == 0x06;
  if (image && order_.malice.fill >= 0) {
    Bytes filled(message, message + length);
    std::fill(filled.begin() + 4, filled.end(), static_cast<uint8_t>(order_.malice.fill));
    return sendFrame_(frontEnd_, filled.data(), length);
  }
  const bool lie = ++frames_ > order_.malice.honest && random_.chance(image ? order_.malice.imageFrames : order_.malice.frames);
  if (!lie) return sendFrame_(frontEnd_, message, length);
  // What spandsp's own sender can hold.
  const Bytes odd = oddFrame(random_, {message, static_cast<size_t>(length)}, terminal_ != nullptr ? T38_MAX_HDLC_LEN : 390);
  sendFrame_(frontEnd_, odd.data(), static_cast<int>(odd.size()));
}

}  // namespace fuzz

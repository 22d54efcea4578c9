#include "t4_pages.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "header_line.h"
#include "spandsp_headers.h"

namespace pbx {

namespace {

constexpr size_t chunk = 4096;
constexpr size_t eolBits = 12;

uint8_t mirrored(uint8_t byte) {
  uint8_t out = 0;
  for (int bit = 0; bit < 8; bit++) out |= ((byte >> bit) & 1) << (7 - bit);
  return out;
}

bool bitAt(const T4Data& data, size_t bit) {
  return (data[bit / 8] >> (bit % 8)) & 1;
}

bool endsWithEol(const T4Data& data, size_t end) {
  if (end < eolBits || !bitAt(data, end - 1)) return false;
  for (size_t back = 2; back <= eolBits; back++)
    if (bitAt(data, end - back)) return false;
  return true;
}

struct TxFree {
  void operator()(t4_state_s* t4) const { t4_tx_free(t4); }
};

}  // namespace

namespace {

void cutAt(T4Data& data, size_t bits) {
  data.resize((bits + 7) / 8);
  if (bits % 8 != 0) data.back() &= static_cast<uint8_t>((1u << (bits % 8)) - 1);
}

}  // namespace

void trimEnd(T4Data& data, bool rtc) {
  for (size_t spare = 0; spare < 8; spare++) {
    size_t end = data.size() * 8 - std::min(spare, data.size() * 8);
    if (!endsWithEol(data, end)) continue;
    cutAt(data, end);
    if (rtc) return;
    while (endsWithEol(data, end)) end -= eolBits;
    cutAt(data, end);
    return;
  }
}

int encodePage(const PagesOrder& order, unsigned page, bool fine, T4Data& out) {
  const std::string& file = fine ? order.file : order.standardFile;
  if (file.empty()) return T30_ERR_NORESSUPPORT;
  const int number = static_cast<int>(page);
  std::unique_ptr<t4_state_s, TxFree> t4(t4_tx_init(nullptr, file.c_str(), -1, -1));
  if (!t4) return T30_ERR_FILEERROR;
  if (number >= t4_tx_get_pages_in_file(t4.get())) return T30_ERR_NOPAGE;
  t4.reset(t4_tx_init(nullptr, file.c_str(), number, number));
  if (!t4) return T30_ERR_BADTIFF;
  t4_tx_set_tx_encoding(t4.get(), T4_COMPRESSION_ITU_T4_1D);
  t4_tx_set_min_bits_per_row(t4.get(), 0);
  // spandsp keeps the addresses of these, not the texts.
  const std::string ident = station(order.stationId);
  t4_tx_set_local_ident(t4.get(), ident.c_str());
  const std::string header = headerText(order.header);
  t4_tx_set_header_info(t4.get(), header.c_str());
  std::unique_ptr<tz_t, int (*)(tz_t*)> zone(tz_init(nullptr, posixZone(order.utcOffsetMinutes).c_str()), tz_free);
  t4_tx_set_header_tz(t4.get(), zone.get());
  if (t4_tx_start_page(t4.get()) != 0) return T30_ERR_BADTIFF;
  std::array<uint8_t, chunk> bytes;
  for (int got = chunk; got == static_cast<int>(chunk);) {
    got = t4_tx_get_chunk(t4.get(), bytes.data(), chunk);
    if (got > 0) out.insert(out.end(), bytes.begin(), bytes.begin() + got);
  }
  t4_tx_end_page(t4.get());
  trimEnd(out, order.rtc);
  return out.empty() ? T30_ERR_BADTIFF : T30_ERR_OK;
}

IncomingPages::IncomingPages(const std::string& file) : t4_(t4_rx_init(nullptr, file.c_str(), T4_COMPRESSION_ITU_T6)) {
  if (t4_ == nullptr) throw std::runtime_error("the file for the pages cannot be written");
  t4_rx_set_image_width(t4_, 1728);
  t4_rx_set_x_resolution(t4_, T4_X_RESOLUTION_R8);
}

IncomingPages::~IncomingPages() {
  t4_rx_free(t4_);
}

PageLook IncomingPages::readOnce(std::span<const uint8_t> data, T4Coding coding, bool reversed) {
  t4_rx_start_page(t4_);
  t4_stats_t seen{};
  std::array<uint8_t, chunk> bytes;
  int over = 0;
  while (!data.empty()) {
    const size_t count = std::min(chunk, data.size());
    std::copy_n(data.begin(), count, bytes.begin());
    if (reversed) std::transform(bytes.begin(), bytes.begin() + count, bytes.begin(), mirrored);
    data = data.subspan(count);
    over = t4_rx_put_chunk(t4_, bytes.data(), static_cast<int>(count));
    t4_rx_get_transfer_statistics(t4_, &seen);
    if (over != 0 || seen.length > static_cast<int>(maxRows)) break;
  }
  // Some modems keep the return to control to themselves, and without it the end of the last row is not known.
  if (over == 0 && coding != T4Coding::mmr) {
    const int bits = coding == T4Coding::mr ? 13 : 12;
    for (int end = 0; end < 6 && over == 0; end++)
      for (int bit = 0; bit < bits && over == 0; bit++) over = t4_rx_put_bit(t4_, bit >= 11 ? 1 : 0);
  }
  t4_rx_get_transfer_statistics(t4_, &seen);
  return {static_cast<unsigned>(std::max(0, seen.length)), static_cast<unsigned>(std::max(0, seen.bad_rows)), reversed};
}

PageLook IncomingPages::read(std::span<const uint8_t> data, T4Coding coding, bool fine, bool reversed) {
  t4_rx_set_rx_encoding(t4_, coding == T4Coding::mh ? T4_COMPRESSION_ITU_T4_1D : coding == T4Coding::mr ? T4_COMPRESSION_ITU_T4_2D : T4_COMPRESSION_ITU_T6);
  t4_rx_set_y_resolution(t4_, fine ? T4_Y_RESOLUTION_FINE : T4_Y_RESOLUTION_STANDARD);
  waiting_ = true;
  const PageLook first = readOnce(data, coding, reversed);
  if (first.rows > 0 && first.badRows * 2 <= first.rows) return first;
  const PageLook other = readOnce(data, coding, !reversed);
  if (other.rows > 0 && other.badRows * 2 <= other.rows) return other;
  return readOnce(data, coding, reversed);
}

bool IncomingPages::keep() {
  if (!waiting_) return false;
  waiting_ = false;
  return t4_rx_end_page(t4_) == 0;
}

}  // namespace pbx

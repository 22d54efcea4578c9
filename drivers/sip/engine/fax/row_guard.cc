// Keeps the decoder of received pages in spandsp 0.0.6 inside its memory. Any fax machine can make it write and read behind
// the two lists of runs that it keeps of a row: runs of no pixels may follow each other without end (they fill no row, and so
// its own check never meets them), and passing over changes of the row above is not bounded at all. Found by fuzzing
// (npm run fuzz -- fax).
//
// The functions through which T.30 gives it data are defined here once more, and the program's own come before a library's:
// both lists get a margin, and the data are handed on in pieces that cannot cross it. Needs the private structure, which
// Debian ships with the headers of the same version.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "spandsp_headers.h"

#include <spandsp/expose.h>

// The fuzzer has spandsp linked in, and lets the linker wrap them.
#ifdef SPANDSP_LINKED_IN
#define GUARDED(name) __wrap_##name
#define REAL(name) __real_##name
extern "C" {
int __real_t4_rx_start_page(t4_rx_state_t* s);
int __real_t4_rx_put_bit(t4_rx_state_t* s, int bit);
int __real_t4_rx_put_byte(t4_rx_state_t* s, uint8_t byte);
int __real_t4_rx_put_chunk(t4_rx_state_t* s, const uint8_t buf[], int len);
}
#else
#define GUARDED(name) name
#define REAL(name) \
  ([] { \
    static const auto real = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name)); \
    return real; \
  }())
#endif

namespace {

constexpr int piece = 8;      // bytes: at the very most a run, and two steps in the row above, for each bit
constexpr int margin = 1024;  // entries behind those of a row

// Before each piece both cursors are within the row; after it they may be in the margin.
void keepInside(t4_rx_state_t* s) {
  const int width = s->image_width;
  auto& rx = s->t4_t6_rx;
  // More runs than pixels: the row is as bad as one that is too long, and takes no more of them.
  if (rx.a_cursor > width) s->row_len = width + 1;
  // Else the sum of a row overflows in some minutes.
  rx.run_length = std::min(rx.run_length, 2 * width);
  // Behind the row above there is nothing but its end.
  rx.b_cursor = std::min(rx.b_cursor, width + margin / 2);
}

bool widen(uint32_t*& runs, int width) {
  const size_t room = static_cast<size_t>(width) + 4;
  auto* wide = static_cast<uint32_t*>(std::realloc(runs, (room + margin) * sizeof *runs));
  if (wide == nullptr) return false;
  runs = wide;
  // A run as long as the row ends every search for a change further on.
  std::fill(runs + room, runs + room + margin, static_cast<uint32_t>(width));
  return true;
}

}  // namespace

extern "C" {

int GUARDED(t4_rx_start_page)(t4_rx_state_t* s) {
  const int result = REAL(t4_rx_start_page)(s);
  if (result != 0) return result;
  return widen(s->cur_runs, s->image_width) && widen(s->ref_runs, s->image_width) ? 0 : -1;
}

int GUARDED(t4_rx_put_bit)(t4_rx_state_t* s, int bit) {
  const int result = REAL(t4_rx_put_bit)(s, bit);
  keepInside(s);
  return result;
}

int GUARDED(t4_rx_put_byte)(t4_rx_state_t* s, uint8_t byte) {
  const int result = REAL(t4_rx_put_byte)(s, byte);
  keepInside(s);
  return result;
}

int GUARDED(t4_rx_put_chunk)(t4_rx_state_t* s, const uint8_t buf[], int len) {
  for (int at = 0; at < len; at += piece) {
    const int over = REAL(t4_rx_put_chunk)(s, buf + at, std::min(piece, len - at));
    keepInside(s);
    if (over != 0) return over;
  }
  return 0;
}

}  // extern "C"

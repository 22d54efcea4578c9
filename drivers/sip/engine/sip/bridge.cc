// PJSUA puts a port of every call into its conference bridge, where a port has room for its levels towards all others: 5 kB
// a call. Nothing is mixed there (media/leg.cc does that), so a port only gets a number here; the code that made the port
// also destroys it.
#include <algorithm>
#include <array>
#include <mutex>

#include "pj.h"

namespace {
std::mutex slotMutex;
std::array<bool, PJSUA_MAX_CONF_PORTS> taken{true};  // 0 is the bridge's own
}  // namespace

// The linker puts these before PJMEDIA's own (Makefile).
extern "C" {
pj_status_t __wrap_pjmedia_conf_add_port(pjmedia_conf*, pj_pool_t*, pjmedia_port*, const pj_str_t*, unsigned* slot) {
  std::lock_guard lock(slotMutex);
  const auto free = std::find(taken.begin(), taken.end(), false);
  if (free == taken.end()) return PJ_ETOOMANY;
  *free = true;
  *slot = static_cast<unsigned>(free - taken.begin());
  return PJ_SUCCESS;
}

pj_status_t __wrap_pjmedia_conf_remove_port(pjmedia_conf*, unsigned slot) {
  std::lock_guard lock(slotMutex);
  if (slot == 0 || slot >= taken.size()) return PJ_EINVAL;
  taken[slot] = false;
  return PJ_SUCCESS;
}
}

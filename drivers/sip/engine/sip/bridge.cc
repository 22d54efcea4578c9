// PJSUA puts a port of every call into its conference bridge. Here these are idle ports (stream_port.h), and the bridge has no clock: a
// port stays new, as the bridge calls it, until it is taken out at once by whoever ends the call. The bridge walks over all of its ports
// meanwhile without its own mutex, so one thread at a time does either.
#include <mutex>

#include "pj.h"

namespace {
std::mutex bridgeMutex;
}

// The linker puts these before PJMEDIA's own (Makefile).
extern "C" {
pj_status_t __real_pjmedia_conf_add_port(pjmedia_conf* bridge, pj_pool_t* pool, pjmedia_port* port, const pj_str_t* name, unsigned* slot);
pj_status_t __real_pjmedia_conf_remove_port(pjmedia_conf* bridge, unsigned slot);

pj_status_t __wrap_pjmedia_conf_add_port(pjmedia_conf* bridge, pj_pool_t* pool, pjmedia_port* port, const pj_str_t* name, unsigned* slot) {
  std::lock_guard lock(bridgeMutex);
  return __real_pjmedia_conf_add_port(bridge, pool, port, name, slot);
}

pj_status_t __wrap_pjmedia_conf_remove_port(pjmedia_conf* bridge, unsigned slot) {
  std::lock_guard lock(bridgeMutex);
  return __real_pjmedia_conf_remove_port(bridge, slot);
}
}

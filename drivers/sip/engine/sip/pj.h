// PJSIP as the signalling half includes it, with the few conversions every file needs.
#pragma once
#include <pjsip.h>
#include <pjsua-lib/pjsua.h>

#include <string>
#include <string_view>

namespace pbx {

inline std::string_view view(const pj_str_t& s) {
  return s.slen > 0 ? std::string_view(s.ptr, static_cast<size_t>(s.slen)) : std::string_view();
}
inline std::string text(const pj_str_t& s) {
  return std::string(view(s));
}
// Points into `s`, which must outlive the use; PJLIB does not write through it.
inline pj_str_t pjText(std::string_view s) {
  return pj_str_t{const_cast<char*>(s.data()), static_cast<pj_ssize_t>(s.size())};
}
// In the pool's memory.
inline pj_str_t copied(pj_pool_t* pool, std::string_view s) {
  const pj_str_t source = pjText(s);
  pj_str_t result;
  pj_strdup(pool, &result, &source);
  return result;
}

// PJLIB refuses calls from threads it does not know; the description must live as long as the thread.
inline void registerThread() {
  thread_local pj_thread_desc description{};
  thread_local pj_thread_t* handle = nullptr;
  if (handle == nullptr && !pj_thread_is_registered()) pj_thread_register("pbx", description, &handle);
}

// Whether it was a message of the far end that changed a transaction, and not a timer or the network.
inline bool isReceived(const pjsip_event* event) {
  return event != nullptr && event->type == PJSIP_EVENT_TSX_STATE && event->body.tsx_state.type == PJSIP_EVENT_RX_MSG;
}

inline std::string errorText(pj_status_t status) {
  char buffer[PJ_ERR_MSG_SIZE];
  return text(pj_strerror(status, buffer, sizeof buffer));
}

}  // namespace pbx

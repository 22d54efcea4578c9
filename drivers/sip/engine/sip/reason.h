// What the message that ends a call carries in addition to its code: Reason: Q.850;cause=17 (RFC 3326), and Retry-After.
#pragma once
#include <string>

#include "pj.h"

namespace pbx {

class EndHeaders {
 public:
  // cause 0, `retryAfter` "": no such header.
  explicit EndHeaders(int cause, const char* retryAfter = "") : reason_("Q.850;cause=" + std::to_string(cause)), retryAfter_(retryAfter) {
    pjsua_msg_data_init(&data_);
    if (cause > 0) add(headers_[0], "Reason", reason_);
    if (!retryAfter_.empty()) add(headers_[1], "Retry-After", retryAfter_);
  }
  EndHeaders(const EndHeaders&) = delete;
  EndHeaders& operator=(const EndHeaders&) = delete;
  const pjsua_msg_data* data() const { return &data_; }

 private:
  void add(pjsip_generic_string_hdr& header, const char* name, const std::string& value) {
    pj_str_t named = pjText(name), valued = pjText(value);
    pjsip_generic_string_hdr_init2(&header, &named, &valued);
    pj_list_push_back(&data_.hdr_list, &header);
  }
  const std::string reason_, retryAfter_;
  pjsip_generic_string_hdr headers_[2]{};
  pjsua_msg_data data_;
};

}  // namespace pbx

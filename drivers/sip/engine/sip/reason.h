// Why a call ends, for the message that ends it: Reason: Q.850;cause=17 (RFC 3326).
#pragma once
#include <string>

#include "pj.h"

namespace pbx {

class ReasonHeader {
 public:
  // cause 0: no header.
  explicit ReasonHeader(int cause) : value_("Q.850;cause=" + std::to_string(cause)) {
    pjsua_msg_data_init(&data_);
    pj_str_t name = pjText("Reason"), value = pjText(value_);
    pjsip_generic_string_hdr_init2(&header_, &name, &value);
    if (cause > 0) pj_list_push_back(&data_.hdr_list, &header_);
  }
  ReasonHeader(const ReasonHeader&) = delete;
  ReasonHeader& operator=(const ReasonHeader&) = delete;
  const pjsua_msg_data* data() const { return &data_; }

 private:
  const std::string value_;
  pjsip_generic_string_hdr header_{};
  pjsua_msg_data data_;
};

}  // namespace pbx

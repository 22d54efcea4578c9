// Writes into everything we send at which address its receiver reaches us: Via and Contact of a message when its way is known,
// and the descriptions of media.
#pragma once
#include <string>

#include "own_addresses.h"
#include "pj.h"

namespace pbx {

class Addressing {
 public:
  explicit Addressing(const OwnAddresses& own) : own_(own) {}

  // After pjsua_init.
  pj_status_t install();
  // What a description for somebody who signals from `far` says where we hear: our address on the way to him, or on the way to
  // where he hears (`theirs`, may be null) when that is of the other family. `first`: the first description of a call, which
  // says by that address, too, who made it; RFC 4566 section 5.2 has that stay. What was written, "" for what stays as it is.
  std::string describe(pjmedia_sdp_session* ours, pj_pool_t* pool, const std::string& far, const pjmedia_sdp_session* theirs, bool first) const;

 private:
  static pj_status_t onTx(pjsip_tx_data* data);
  void sending(pjsip_tx_data* data) const;
  void correctOffer(pjsip_tx_data* data, const std::string& told) const;
  const OwnAddresses& own_;
};

}  // namespace pbx

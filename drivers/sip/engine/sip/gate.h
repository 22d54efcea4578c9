// Decides about every request before pjsua sees it (a PJSIP module below the transaction layer): who sent it, whether it
// may come in at all, and what is answered without a call slot, a transaction or a word to strangers.
#pragma once
#include <atomic>
#include <string>

#include "bans.h"
#include "pj.h"
#include "registrar.h"
#include "settings.h"
#include "trunks.h"

namespace pbx {

// Who an accepted INVITE or MESSAGE comes from; set while PJSIP hands that very request up on the same thread.
struct Source {
  std::string trunk;      // "" for a phone
  std::string extension;  // "" for a trunk; else proven by digest
};

class Gate {
 public:
  Gate(CurrentSettings& settings, Registrar& registrar, Trunks& trunks, Bans& bans)
      : settings_(settings), registrar_(registrar), trunks_(trunks), bans_(bans) {}

  // Registers the module; the object must outlive PJSIP.
  pj_status_t install();
  void drain() { draining_ = true; }
  static const Source& source();

 private:
  enum class Kind { stranger, trunk, phone };
  struct Sender {
    Kind kind = Kind::stranger;
    std::string trunk;
    bool exempt = false;  // never banned: a trunk's own address, or a phone that is registered from there
  };

  Sender identify(pjsip_rx_data* request) const;
  bool onRequest(pjsip_rx_data* request);  // true: dealt with
  bool onInDialog(pjsip_rx_data* request);
  bool onInvite(pjsip_rx_data* request, const Sender& sender);
  bool onOther(pjsip_rx_data* request, const Sender& sender);
  static pj_bool_t receive(pjsip_rx_data* request);

  CurrentSettings& settings_;
  Registrar& registrar_;
  Trunks& trunks_;
  Bans& bans_;
  std::atomic<bool> draining_{false};
};

}  // namespace pbx

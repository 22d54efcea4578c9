// Lamps: subscriptions of phones (RFC 6665) to what the daemon shows them, dialogs (RFC 4235) and waiting messages (RFC 3842). The engine
// keeps the subscriptions; what is watched and what there is to see is the daemon's.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "event_subscription.h"
#include "pj.h"

namespace pbx {

struct Context;

class Watchers {
 public:
  explicit Watchers(Context& context) : context_(context) { only_ = this; }

  // After pjsua_init.
  pj_status_t install();
  // The whole state, in the way of its package; "": it is not known yet. `end`: the last one, with this reason (RFC 6665 section 4.1.3);
  // "": there will be more.
  void notify(uint32_t number, const std::string& body, const std::string& end);
  // What nobody subscribed to: waiting messages, to all phones of an extension (RFC 3842 section 3.5).
  void tell(const std::string& extension, const std::string& body);
  // Reports every subscription, for a daemon that knows of none.
  void tellAll();
  // `now`: steady. Ends what the daemon says nothing about.
  void sweep(int64_t now);
  // Before PJSIP stops: phones subscribe again at once.
  void stop();

 private:
  struct Watcher {
    std::string extension, event, to;
    std::shared_ptr<EventSubscription> subscription;
    int64_t answerBy = 0;  // 0: the daemon owes nothing
    int64_t askedAt = 0;
    uint32_t documents = 0;  // that were sent
    std::string last;        // of them, for a daemon that has not sent it
  };
  static pj_bool_t onRequest(pjsip_rx_data* request);
  static void onRefresh(pjsip_evsub* subscription, pjsip_rx_data* request, int* code, pj_str_t** text, pjsip_hdr* headers, pjsip_msg_body** body);
  static void onState(pjsip_evsub* subscription, pjsip_event* event);
  // 0: it was taken; otherwise the answer.
  int subscribe(pjsip_rx_data* request);
  bool full(const std::string& extension);
  void ask(uint32_t number, const Watcher& watcher, unsigned seconds, bool again);
  void send(const EventSubscription& subscription, const std::string& event, const std::string& body, const std::string& end);
  uint32_t numberOf(const pjsip_evsub* subscription) const;

  static Watchers* only_;
  Context& context_;
  int module_ = -1;
  std::mutex mutex_;  // taken after PJSIP's locks, and never held while PJSIP is called
  std::map<uint32_t, Watcher> watchers_;
  uint32_t last_ = 0;
};

}  // namespace pbx

// The Contact of a phone, kept whole: what a request to it says is what the phone wrote (RFC 3261 sections 16.5 and 16.6), while the request goes
// to where the phone is heard: behind an address translator its Contact leads nowhere, and many know their line by a parameter of it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "address.h"
#include "pj.h"
#include "settings.h"

namespace pbx {

// The URIs of the Contacts of a message, in order and as they are written; as PJSIP prints them where they cannot stand in a request so.
// "" for "*" and for what is no SIP URI.
std::vector<std::string> writtenContacts(const pjsip_rx_data* message);
// Whether they are the same by RFC 3261 section 19.1.4.
bool sameUri(const std::string& a, const std::string& b);

// A URI that is written as `written` and leads to `place`; without a host there where it says itself. Null where `written` is no SIP URI.
pjsip_uri* uriAt(pj_pool_t* pool, const std::string& written, const HostPort& place, const std::string& transport);
// That of a registered phone. Of one behind an edge its path leads there.
pjsip_uri* uriOf(pj_pool_t* pool, const Contact& contact);
// The Contact of a received message leads to where the message came from, by `transport` ("" for UDP).
void contactAtSource(pjsip_rx_data* message, const std::string& transport);
// The host of its Contact; "" for none.
std::string contactHost(const pjsip_rx_data* message);

// While this lives, PJSIP reads `text` on this thread as the URI of that phone, if any: it takes targets as texts alone.
class PhoneTarget {
 public:
  static constexpr const char* text = "pbx-phone:target";
  // Before PJSIP reads anything.
  static pj_status_t install();
  explicit PhoneTarget(const std::optional<Contact>& contact);
  ~PhoneTarget();
  PhoneTarget(const PhoneTarget&) = delete;
  PhoneTarget& operator=(const PhoneTarget&) = delete;
};

}  // namespace pbx

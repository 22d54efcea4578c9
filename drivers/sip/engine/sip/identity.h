// How we identify ourselves to a trunk, in the form its provider expects.
#pragma once
#include <string>
#include <vector>

#include "pj.h"
#include "reply.h"
#include "settings.h"

namespace pbx {

struct Caller {
  std::string number, name;  // "": withheld
  std::string diversion;     // the number the call was forwarded from; "": it was not
};

struct Identity {
  std::string from;  // the From header
  std::vector<Header> headers;
};

// From, P-Asserted-Identity or P-Preferred-Identity (RFC 3325), Privacy (RFC 3323) and Diversion (RFC 5806) by the trunk's settings.
Identity identityFor(const TrunkSettings& trunk, const Caller& caller);
// From of a call to a phone.
std::string phoneFrom(const Caller& caller, const std::string& realm);

// Headers in the list that pjsua takes; they live as long as this object.
class HeaderList {
 public:
  explicit HeaderList(const std::vector<Header>& headers);
  HeaderList(const HeaderList&) = delete;
  void addTo(pjsip_hdr& list);

 private:
  const std::vector<Header>& texts_;
  std::vector<pjsip_generic_string_hdr> headers_;
};

}  // namespace pbx

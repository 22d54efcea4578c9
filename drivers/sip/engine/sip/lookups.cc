// Functions of PJSIP and the C library that ours stand before (Makefile, WRAPPED), so that PJSIP never waits for a name server
// and takes the right one of our addresses.
#include <netdb.h>

#include "own_addresses.h"
#include "pj.h"

extern "C" {

int __real_getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** result);
pj_status_t __real_pj_gethostip(int family, pj_sockaddr* address);

// Numbers only: names are the resolver's (resolver.h), which asks from a thread of its own. Any part of PJSIP that falls
// back on this with a name learns at once that there is none; the C library would block its thread for 10 s when DNS is
// dead.
int __wrap_getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** result) {
  addrinfo numeric{};
  if (hints != nullptr) numeric = *hints;
  numeric.ai_flags |= AI_NUMERICHOST | AI_NUMERICSERV;
  numeric.ai_flags &= ~AI_ADDRCONFIG;
  return __real_getaddrinfo(name, service, &numeric, result);
}

hostent* __wrap_gethostbyname(const char*) {
  h_errno = HOST_NOT_FOUND;
  return nullptr;
}

// Our address as PJSIP puts it into a description, and by which it chooses a call's family: the one towards whom this thread
// is dealing with. For the other family it returns loopback, which PJSIP takes as the last resort.
pj_status_t __wrap_pj_gethostip(int family, pj_sockaddr* address) {
  const std::string& far = pbx::FarEnd::now();
  if (far.empty()) return __real_pj_gethostip(family, address);
  const bool v6 = family == pj_AF_INET6();
  const bool fits = (far.find(':') != std::string::npos) == v6;
  std::string own = fits ? pbx::localAddressFor(far) : "";
  if (own.empty()) own = v6 ? "::1" : "127.0.0.1";
  const pj_str_t text = pbx::pjText(own);
  return pj_sockaddr_init(family, address, &text, 0);
}
}

// Is the certificate of a TLS server good, and is it the one of this name? (RFC 5280 section 6, RFC 6125)
#pragma once
#include <openssl/types.h>

#include <string>

namespace pbx {

// What is wrong with the certificate that the server of `connection` showed, as the end of a sentence in plain words ("the
// certificate is self-signed"); "" when it chains to an authority of `caFile` ("": the system's list) and its subject
// alternative names hold `name`, a host name or an IP address.
std::string certificateFault(SSL* connection, const std::string& name, const std::string& caFile);

}  // namespace pbx

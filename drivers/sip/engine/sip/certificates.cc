#include "certificates.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>

#include "address.h"
#include "events.h"

namespace pbx {

namespace {

const char* const systemAuthorities = "/etc/ssl/certs/ca-certificates.crt";

using Store = std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)>;
using Check = std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)>;

std::string timeOf(const ASN1_TIME* time) {
  std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  char* data = nullptr;
  if (text == nullptr || ASN1_TIME_print(text.get(), time) != 1) return "";
  const long size = BIO_get_mem_data(text.get(), &data);
  return clean(std::string_view(data, static_cast<size_t>(size)));
}

// The names a certificate is for, at most three of them.
std::string namesOf(X509* certificate) {
  std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)), &GENERAL_NAMES_free);
  std::string list;
  int shown = 0;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()) && shown < 3; i++) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
    list += (shown++ > 0 ? ", " : "") + clean(std::string_view(bytes, static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)))).substr(0, 60);
  }
  return list;
}

std::string words(int error, X509* certificate, const std::string& name, const std::string& caFile) {
  const std::string authorities = caFile.empty() ? "this system's list" : caFile;
  switch (error) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "the certificate is self-signed";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "the certificate comes from an authority that is not in " + authorities;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the certificate has expired (" + timeOf(X509_get0_notAfter(certificate)) + ")";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the certificate is not valid yet (from " + timeOf(X509_get0_notBefore(certificate)) + "): is the clock of this system right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: {
      const std::string names = namesOf(certificate);
      return "the certificate is not for " + name + (names.empty() ? "" : " but for " + names);
    }
    case X509_V_ERR_INVALID_PURPOSE:
      return "the certificate is not one for servers";
    default:
      return std::string("the certificate is not good: ") + X509_verify_cert_error_string(error);
  }
}

}  // namespace

std::string certificateFault(SSL* connection, const std::string& name, const std::string& caFile) {
  X509* certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr) return "the server showed no certificate";
  const Store store(X509_STORE_new(), &X509_STORE_free);
  const Check check(X509_STORE_CTX_new(), &X509_STORE_CTX_free);
  const std::string file = caFile.empty() ? systemAuthorities : caFile;
  ERR_clear_error();
  const bool loaded = store != nullptr && X509_STORE_load_file(store.get(), file.c_str()) == 1;
  ERR_clear_error();
  if (!loaded) return "the file of certificate authorities " + file + " cannot be read";
  if (check == nullptr || X509_STORE_CTX_init(check.get(), store.get(), certificate, SSL_get_peer_cert_chain(connection)) != 1) return "there is no memory to check the certificate";
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(check.get());
  // What the operator names is trusted as it is, be it the root, an authority below it or the server's own certificate.
  if (!caFile.empty()) X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_CTX_set_default(check.get(), "ssl_server");
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  const bool named = isIpLiteral(name) ? X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) == 1 : X509_VERIFY_PARAM_set1_host(rules, name.data(), name.size()) == 1;
  if (!named || name.empty()) return "there is no name to compare the certificate with";
  const bool good = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  if (good) return "";
  X509* at = X509_STORE_CTX_get_current_cert(check.get());
  return words(X509_STORE_CTX_get_error(check.get()), at != nullptr ? at : certificate, name, caFile);
}

}  // namespace pbx

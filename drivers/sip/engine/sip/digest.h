// Digest authentication of phones (RFC 3261 section 22, RFC 7616) with nonces of our own: stateless HMAC
// values bound to the source address, valid for a few minutes, each counted (nc) so that no answer works twice.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pbx {

// The fields of an Authorization header, as received (unquoted).
struct DigestAnswer {
  std::string username, realm, nonce, uri, response, algorithm, cnonce, qop, nc;
};

enum class DigestVerdict { valid, stale, wrong };

class Digest {
 public:
  Digest();
  std::string challengeNonce(const std::string& sourceIp, int64_t nowMs) const;
  // `password` empty: the user is unknown; the same work is done and the verdict is never `valid`. An identical answer
  // from the same `source` (ip:port) counts as a retransmission. `stale`: all is right except that the nonce is too old.
  DigestVerdict check(const DigestAnswer& answer, const std::string& method, const std::string& realm, const std::string& password,
                      const std::string& sourceIp, const std::string& source, int64_t nowMs);
  void sweep(int64_t nowMs);

  // The response of RFC 7616 section 3.4.1; "" for an algorithm other than MD5.
  static std::string response(const DigestAnswer& answer, const std::string& method, const std::string& password);

 private:
  struct Use {
    uint32_t nc = 0;
    std::string response, source;
    int64_t expiresAt = 0;
  };
  std::string seal(std::string_view stamp, const std::string& sourceIp) const;
  unsigned char key_[32];
  std::mutex mutex_;
  std::unordered_map<std::string, Use> used_;
};

}  // namespace pbx

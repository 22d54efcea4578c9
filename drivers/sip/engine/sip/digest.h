// Digest authentication of phones (RFC 3261 section 22, RFC 7616) with nonces of our own: stateless HMAC
// values bound to the source address, valid for a few minutes, each counted (nc) so that no answer works twice.
// The nonce is looked at first: an answer to one that is not ours says nothing about the password and is worth nothing.
// Times are of the steady clock.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace pbx {

// The fields of an Authorization header, as received (unquoted).
struct DigestAnswer {
  std::string username, realm, nonce, uri, response, algorithm, cnonce, qop, nc;
};

// repeated: the very same request once more, which a client sends when it got no answer. So does an attacker who has seen it
// on the wire.
enum class DigestVerdict { valid, repeated, stale, wrong };
enum class NonceState { ours, expired, foreign };

class Digest {
 public:
  Digest();
  std::string challengeNonce(const std::string& sourceIp, int64_t steadyMs) const;
  // `ours`: given to that address, a few minutes ago at most. Costs one HMAC.
  NonceState nonceState(std::string_view nonce, const std::string& sourceIp, int64_t steadyMs) const;
  // `password` empty: the user is unknown; the same work is done and the verdict is never `valid`. `request`: what a retransmission has in
  // common with the first one (sender, Call-ID, CSeq, branch): the last answer with the same one is `repeated`. `stale`: the nonce is not
  // ours, too old or used up.
  DigestVerdict check(const DigestAnswer& answer, const std::string& method, const std::string& realm, const std::string& password,
                      const std::string& sourceIp, const std::string& request, int64_t steadyMs);
  void sweep(int64_t steadyMs);

  // The response of RFC 7616 section 3.4.1; "" for an algorithm other than MD5.
  static std::string response(const DigestAnswer& answer, const std::string& method, const std::string& password);

 private:
  struct Use {
    uint32_t nc = 0;
    std::string response, request;
    int64_t issuedAt = 0;
  };
  std::string seal(std::string_view stamp, const std::string& sourceIp) const;
  unsigned char key_[32];
  std::mutex mutex_;
  std::map<std::string, Use, std::less<>> used_;  // by nonce, which begins with its time: the oldest first
  int64_t forgottenUntil_ = INT64_MIN;            // nonces of that time and before are used up: the table was full
};

}  // namespace pbx

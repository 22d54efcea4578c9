#include "digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <strings.h>
#include <sys/random.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace pbx {

namespace {

constexpr int64_t nonceLifeMs = 300'000;
constexpr size_t mostUsed = 50000;
constexpr size_t stampSize = 16 + 16;  // hex: ms of the steady clock, random
constexpr size_t sealSize = 32;

std::string hex(const unsigned char* bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(size * 2);
  for (size_t i = 0; i < size; i++) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

std::string hash(const std::string& text) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), bytes, &size, EVP_md5(), nullptr);
  return hex(bytes, size);
}

void randomBytes(unsigned char* into, size_t size) {
  // Without the kernel's random numbers there is no safe challenge.
  if (getrandom(into, size, 0) != static_cast<ssize_t>(size)) std::abort();
}

int64_t issuedAt(std::string_view nonce) {
  long long ms = 0;
  std::from_chars(nonce.data(), nonce.data() + 16, ms, 16);
  return ms;
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Digest::Digest() {
  randomBytes(key_, sizeof key_);
}

std::string Digest::seal(std::string_view stamp, const std::string& sourceIp) const {
  const std::string text = std::string(stamp) + "|" + sourceIp;
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key_, sizeof key_, reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes, &size);
  return hex(bytes, sealSize / 2);
}

std::string Digest::challengeNonce(const std::string& sourceIp, int64_t now) const {
  unsigned char salt[8];
  randomBytes(salt, sizeof salt);
  char time[17];
  std::snprintf(time, sizeof time, "%016llx", static_cast<unsigned long long>(now));
  const std::string stamp = time + hex(salt, sizeof salt);
  return stamp + seal(stamp, sourceIp);
}

std::string Digest::response(const DigestAnswer& answer, const std::string& method, const std::string& password) {
  if (!answer.algorithm.empty() && strcasecmp(answer.algorithm.c_str(), "MD5") != 0) return "";
  const std::string secret = hash(answer.username + ":" + answer.realm + ":" + password);
  const std::string request = hash(method + ":" + answer.uri);
  if (answer.qop.empty()) return hash(secret + ":" + answer.nonce + ":" + request);
  return hash(secret + ":" + answer.nonce + ":" + answer.nc + ":" + answer.cnonce + ":" + answer.qop + ":" + request);
}

NonceState Digest::nonceState(std::string_view nonce, const std::string& sourceIp, int64_t now) const {
  if (nonce.size() != stampSize + sealSize) return NonceState::foreign;
  const std::string_view stamp = nonce.substr(0, stampSize);
  if (!same(seal(stamp, sourceIp), nonce.substr(stampSize))) return NonceState::foreign;
  return now - issuedAt(nonce) > nonceLifeMs ? NonceState::expired : NonceState::ours;
}

DigestVerdict Digest::check(const DigestAnswer& answer, const std::string& method, const std::string& realm, const std::string& password,
                            const std::string& sourceIp, const std::string& request, int64_t now) {
  if (nonceState(answer.nonce, sourceIp, now) != NonceState::ours) return DigestVerdict::stale;
  const std::string expected = response(answer, method, password.empty() ? "no such user" : password);
  std::string given = answer.response;
  for (char& c : given) c = static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c);
  const bool right = same(expected, given) && !expected.empty() && !password.empty();
  if (!right || answer.realm != realm) return DigestVerdict::wrong;

  // Without qop there is no count: such a nonce serves once.
  uint32_t nc = 1;
  if (!answer.qop.empty()) {
    if (strcasecmp(answer.qop.c_str(), "auth") != 0) return DigestVerdict::wrong;
    const auto parsed = std::from_chars(answer.nc.data(), answer.nc.data() + answer.nc.size(), nc, 16);
    if (parsed.ec != std::errc() || nc == 0) return DigestVerdict::wrong;
  }
  std::lock_guard lock(mutex_);
  auto at = used_.find(answer.nonce);
  if (at == used_.end()) {
    // What is forgotten must not serve again: nonces as old as that are refused, and the phone gets a new one.
    if (issuedAt(answer.nonce) <= forgottenUntil_) return DigestVerdict::stale;
    if (used_.size() >= mostUsed) {
      forgottenUntil_ = used_.begin()->second.issuedAt;
      used_.erase(used_.begin());
    }
    at = used_.emplace(answer.nonce, Use{}).first;
  }
  Use& use = at->second;
  if (nc == use.nc && given == use.response && request == use.request) return DigestVerdict::repeated;
  if (nc <= use.nc) return DigestVerdict::stale;
  use = Use{nc, given, request, issuedAt(answer.nonce)};
  return DigestVerdict::valid;
}

void Digest::sweep(int64_t now) {
  std::lock_guard lock(mutex_);
  while (!used_.empty() && used_.begin()->second.issuedAt + nonceLifeMs <= now) used_.erase(used_.begin());
}

}  // namespace pbx

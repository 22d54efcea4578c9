// Bans, rates and digests under forged and too many sources.
#include "../sip/bans.h"
#include "../sip/digest.h"
#include "../sip/rates.h"
#include "check.h"

using namespace pbx;

namespace {

std::string source(int n) {
  return "10." + std::to_string(n >> 16) + "." + std::to_string(n >> 8 & 255) + "." + std::to_string(n & 255);
}

DigestAnswer answerTo(const std::string& nonce, const std::string& password) {
  DigestAnswer answer{"101", "pbx", nonce, "sip:pbx", "", "MD5", "x", "auth", "00000001"};
  answer.response = Digest::response(answer, "REGISTER", password);
  return answer;
}

}  // namespace

TEST("a guesser is banned although 20,500 other sources failed before, and a ban outlasts them while it is used") {
  Bans bans;
  const BanSettings limits;
  for (int n = 0; n < 20'500; n++) bans.failed(source(n), limits, 0);
  for (int n = 1; n <= 4; n++) CHECK(!bans.failed("192.0.2.1", limits, n).has_value());
  CHECK(bans.failed("192.0.2.1", limits, 5).has_value());
  for (int n = 0; n < 40'000; n++) {
    bans.failed(source(n), limits, 10);
    if (n % 1000 == 0) CHECK(bans.banned("192.0.2.1", 10));
  }
  CHECK_SAME(bans.list(1005).size(), size_t{1});
  CHECK_SAME(bans.list(1005).front().seconds, 3599u);
  CHECK(bans.lift("192.0.2.1", 1005));
  CHECK(!bans.lift("192.0.2.1", 1005));
  CHECK(!bans.banned("192.0.2.1", 1005));
}

TEST("a network of 64 bits is one source") {
  Bans bans;
  for (int n = 1; n <= 5; n++) bans.failed("2001:db8:1:2::" + std::to_string(n), BanSettings{}, n);
  CHECK(bans.banned("2001:db8:1:2:ffff::9", 6));
  CHECK(!bans.banned("2001:db8:1:3::1", 6));
  CHECK_SAME(bans.list(6).front().source, std::string("2001:db8:1:2::/64"));
  CHECK(bans.lift("2001:db8:1:2::/64", 6));
  CHECK_SAME(sourceKey("::ffff:192.0.2.7"), std::string("192.0.2.7"));
}

TEST("a full table of rates forgets the oldest source and lets the newest in") {
  Rates rates;
  for (int n = 0; n < 30'000; n++) CHECK(rates.within(source(n), 1, 2, 0));
  CHECK(rates.within(source(29'999), 1, 2, 0));
  CHECK(!rates.within(source(29'999), 1, 2, 0));
  CHECK(rates.within(source(29'999), 1, 2, 1000));
}

TEST("the nonce is judged before the password") {
  Digest digest;
  const std::string ours = digest.challengeNonce("192.0.2.1", 0);
  const auto verdict = [&](const std::string& nonce, const std::string& password, const std::string& ip, int64_t now) {
    return digest.check(answerTo(nonce, password), "REGISTER", "pbx", "right", ip, ip + ":5060", now);
  };
  CHECK(verdict("made-up", "wrong", "192.0.2.1", 1) == DigestVerdict::stale);
  CHECK(verdict("made-up", "right", "192.0.2.1", 1) == DigestVerdict::stale);
  CHECK(verdict(ours, "right", "192.0.2.2", 1) == DigestVerdict::stale);
  CHECK(verdict(ours, "wrong", "192.0.2.1", 400'000) == DigestVerdict::stale);
  CHECK(verdict(ours, "wrong", "192.0.2.1", 1) == DigestVerdict::wrong);
  CHECK(verdict(ours, "right", "192.0.2.1", 1) == DigestVerdict::valid);
}

TEST("the same answer is a repetition in the same request alone, and after another one nowhere") {
  Digest digest;
  const std::string nonce = digest.challengeNonce("192.0.2.1", 0);
  const auto verdict = [&](const char* count, const std::string& request) {
    DigestAnswer answer{"101", "pbx", nonce, "sip:pbx", "", "MD5", "x", "auth", count};
    answer.response = Digest::response(answer, "REGISTER", "right");
    return digest.check(answer, "REGISTER", "pbx", "right", "192.0.2.1", request, 1);
  };
  CHECK(verdict("00000001", "192.0.2.1:5060 2 z9hG4bKa call") == DigestVerdict::valid);
  CHECK(verdict("00000001", "192.0.2.1:5060 2 z9hG4bKa call") == DigestVerdict::repeated);
  for (const char* other : {"192.0.2.1:5061 2 z9hG4bKa call", "192.0.2.1:5060 3 z9hG4bKa call", "192.0.2.1:5060 2 z9hG4bKb call", "192.0.2.1:5060 2 z9hG4bKa other"}) {
    CHECK(verdict("00000001", other) == DigestVerdict::stale);
  }
  CHECK(verdict("00000009", "192.0.2.1:5060 3 z9hG4bKc call") == DigestVerdict::valid);
  CHECK(verdict("00000001", "192.0.2.1:5060 2 z9hG4bKa call") == DigestVerdict::stale);
  CHECK(verdict("00000001", "") == DigestVerdict::stale);
}

TEST("a full table of used nonces forgets the oldest and never takes it again") {
  Digest digest;
  const auto use = [&](const std::string& nonce, const std::string& from) { return digest.check(answerTo(nonce, "right"), "REGISTER", "pbx", "right", "192.0.2.1", from, 60'000); };
  const std::string first = digest.challengeNonce("192.0.2.1", 1);
  CHECK(use(first, "192.0.2.1:1") == DigestVerdict::valid);
  for (int n = 0; n < 50'001; n++) CHECK(use(digest.challengeNonce("192.0.2.1", 2 + n), "192.0.2.1:2") == DigestVerdict::valid);
  CHECK(use(first, "192.0.2.1:3") == DigestVerdict::stale);
}

TEST("behind an address of the house who guesses is shut out alone, whatever succeeds there meanwhile") {
  Bans bans;
  const BanSettings limits;
  int64_t now = 0;
  for (int n = 1; n <= 4; n++) {
    CHECK(!bans.failed("192.0.2.1", limits, ++now, "101", true).has_value());
    bans.succeeded("192.0.2.1", "102");
  }
  CHECK(bans.failed("192.0.2.1", limits, ++now, "101", true).has_value());
  CHECK(bans.banned("192.0.2.1", now, "101"));
  CHECK(!bans.banned("192.0.2.1", now, "102"));
  CHECK(!bans.banned("192.0.2.1", now));
  CHECK_SAME(bans.list(now).size(), size_t{1});
  CHECK_SAME(bans.list(now).front().seconds, 3600u);
  CHECK(bans.banned("192.0.2.1", now + 3'599'000, "101"));
  CHECK(!bans.banned("192.0.2.1", now + 3'601'000, "101"));
  CHECK(bans.lift("192.0.2.1", now));
  CHECK(!bans.banned("192.0.2.1", now, "101"));
}

TEST("phones with a wrong password, up to three, do not shut out their house; one who tries many names does") {
  Bans bans;
  const BanSettings limits;
  for (const char* user : {"101", "102", "103"}) {
    for (int n = 0; n < 40; n++) bans.failed("192.0.2.1", limits, n * 1000, user, true);
  }
  CHECK(!bans.banned("192.0.2.1", 40'000, "104"));
  for (int n = 0; n < 19; n++) CHECK(!bans.failed("192.0.2.2", limits, n, std::to_string(n), true).has_value());
  CHECK(bans.failed("192.0.2.2", limits, 19, "19", true).has_value());
  CHECK(bans.banned("192.0.2.2", 20, "104"));
  CHECK(bans.banned("192.0.2.2", 20));
}

TEST("a password that was mistyped and then right is forgotten; one that is guessed slowly is not") {
  Bans bans;
  const BanSettings limits;
  for (int n = 0; n < 50; n++) {
    CHECK(!bans.failed("192.0.2.1", limits, n * 1000, "101", n % 2 == 0).has_value());
    bans.succeeded("192.0.2.1", "101");
  }
  int tries = 0;
  for (int64_t now = 0; !bans.banned("192.0.2.3", now, "101") && tries < 100; now += 14'000, tries++) {
    bans.failed("192.0.2.3", limits, now, "101", true);
    bans.succeeded("192.0.2.3", "102");
  }
  CHECK_SAME(tries, 20);
}

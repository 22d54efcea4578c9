#include "bans.h"

#include <algorithm>

#include "address.h"

namespace pbx {

namespace {

constexpr int64_t slowWindowMs = 300'000;
constexpr size_t slowFailures = 20, longestName = 40;
constexpr unsigned longestBanSeconds = 24 * 3600;
constexpr int64_t forgetMs = 24 * 3600 * 1000LL;

}  // namespace

std::optional<Ban> Bans::failed(const std::string& ip, const BanSettings& limits, int64_t now, const std::string& user, bool house) {
  std::lock_guard lock(mutex_);
  Source& source = sources_.touch(sourceKey(ip));
  const std::string name = user.substr(0, longestName);
  const auto known = source.usersUntil.find(name);
  if (source.bannedUntil > now || (known != source.usersUntil.end() && known->second > now)) return std::nullopt;
  source.failures.push_back({now, name});
  while (!source.failures.empty() && source.failures.front().at <= now - slowWindowMs) source.failures.pop_front();
  const int64_t windowStart = now - int64_t{limits.windowSeconds} * 1000;
  size_t recent = 0, slow = 0, spread = 0;
  std::map<std::string_view, size_t> ofUser;
  for (const Failure& failure : source.failures) {
    if (house && ofUser[failure.user]++ < limits.failures) spread++;
    if (house && failure.user != name) continue;
    slow++;
    if (failure.at > windowStart) recent++;
  }
  const bool many = spread >= slowFailures;
  if (!many && recent < limits.failures && slow < slowFailures) return std::nullopt;
  const unsigned doubled = limits.seconds << std::min(source.bans, 10u);
  const Ban ban{std::max(limits.seconds, std::min(doubled, longestBanSeconds)), static_cast<unsigned>(slow)};
  const int64_t until = now + int64_t{ban.seconds} * 1000;
  source.bannedFor = ban.failures;
  if (house && !many) {
    std::erase_if(source.usersUntil, [&](const auto& one) { return one.second <= now; });
    // Its failures stay: several names are one guesser.
    source.usersUntil[name] = until;
    return ban;
  }
  source.bans++;
  source.bannedUntil = until;
  source.lastBanEnd = until;
  source.failures.clear();
  return ban;
}

void Bans::succeeded(const std::string& ip, const std::string& user) {
  std::lock_guard lock(mutex_);
  const std::string key = sourceKey(ip);
  Source* source = sources_.find(key);
  if (source == nullptr) return;
  std::erase_if(source->failures, [&](const Failure& failure) { return failure.user == user.substr(0, longestName); });
  if (source->failures.empty() && source->usersUntil.empty() && source->bans == 0) sources_.erase(key);
}

bool Bans::banned(const std::string& ip, int64_t now, const std::string& user) {
  std::lock_guard lock(mutex_);
  const Source* source = sources_.find(sourceKey(ip));
  if (source == nullptr) return false;
  const auto at = source->usersUntil.find(user.substr(0, longestName));
  return source->bannedUntil > now || (at != source->usersUntil.end() && at->second > now);
}

int64_t Bans::endOf(const Source& source) {
  int64_t end = source.bannedUntil;
  for (const auto& [user, until] : source.usersUntil) end = std::max(end, until);
  return end;
}

std::vector<StandingBan> Bans::list(int64_t now) {
  std::lock_guard lock(mutex_);
  std::vector<StandingBan> bans;
  for (const auto& [key, source] : sources_.entries()) {
    const int64_t end = endOf(source);
    if (end > now) bans.push_back({key, static_cast<unsigned>((end - now + 999) / 1000), source.bannedFor});
  }
  return bans;
}

bool Bans::lift(const std::string& address, int64_t now) {
  std::lock_guard lock(mutex_);
  const std::string key = sourceKey(address.substr(0, address.find('/')));
  const Source* source = sources_.find(key);
  if (source == nullptr || endOf(*source) <= now) return false;
  return sources_.erase(key);
}

void Bans::sweep(int64_t now) {
  std::lock_guard lock(mutex_);
  sources_.eraseIf([&](const Source& source) {
    const bool quiet = source.failures.empty() || source.failures.back().at <= now - slowWindowMs;
    return quiet && endOf(source) <= now && (source.bans == 0 || source.lastBanEnd + forgetMs <= now);
  });
}

}  // namespace pbx

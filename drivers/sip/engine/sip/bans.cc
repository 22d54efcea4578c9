#include "bans.h"

#include <algorithm>

#include "address.h"

namespace pbx {

namespace {

constexpr int64_t slowWindowMs = 300'000;
constexpr size_t slowFailures = 20;
constexpr unsigned longestBanSeconds = 24 * 3600;
constexpr int64_t forgetMs = 24 * 3600 * 1000LL;

}  // namespace

std::optional<Ban> Bans::failed(const std::string& ip, const BanSettings& limits, int64_t now) {
  std::lock_guard lock(mutex_);
  Source& source = sources_.touch(sourceKey(ip));
  if (source.bannedUntil > now) return std::nullopt;
  source.failures.push_back(now);
  while (!source.failures.empty() && source.failures.front() <= now - slowWindowMs) source.failures.pop_front();
  const int64_t windowStart = now - int64_t{limits.windowSeconds} * 1000;
  const size_t recent = static_cast<size_t>(std::count_if(source.failures.begin(), source.failures.end(), [&](int64_t at) { return at > windowStart; }));
  if (recent < limits.failures && source.failures.size() < slowFailures) return std::nullopt;
  const unsigned doubled = limits.seconds << std::min(source.bans, 10u);
  const Ban ban{std::max(limits.seconds, std::min(doubled, longestBanSeconds)), static_cast<unsigned>(source.failures.size())};
  source.bans++;
  source.bannedFor = ban.failures;
  source.bannedUntil = now + int64_t{ban.seconds} * 1000;
  source.lastBanEnd = source.bannedUntil;
  source.failures.clear();
  return ban;
}

void Bans::succeeded(const std::string& ip) {
  std::lock_guard lock(mutex_);
  const std::string key = sourceKey(ip);
  const Source* source = sources_.find(key);
  if (source != nullptr && source->bans == 0) sources_.erase(key);
}

bool Bans::banned(const std::string& ip, int64_t now) {
  std::lock_guard lock(mutex_);
  const Source* source = sources_.find(sourceKey(ip));
  return source != nullptr && source->bannedUntil > now;
}

std::vector<StandingBan> Bans::list(int64_t now) {
  std::lock_guard lock(mutex_);
  std::vector<StandingBan> bans;
  for (const auto& [key, source] : sources_.entries()) {
    if (source.bannedUntil > now) bans.push_back({key, static_cast<unsigned>((source.bannedUntil - now + 999) / 1000), source.bannedFor});
  }
  return bans;
}

bool Bans::lift(const std::string& address, int64_t now) {
  std::lock_guard lock(mutex_);
  const std::string key = sourceKey(address.substr(0, address.find('/')));
  const Source* source = sources_.find(key);
  if (source == nullptr || source->bannedUntil <= now) return false;
  return sources_.erase(key);
}

void Bans::sweep(int64_t now) {
  std::lock_guard lock(mutex_);
  sources_.eraseIf([&](const Source& source) {
    const bool quiet = source.failures.empty() || source.failures.back() <= now - slowWindowMs;
    return quiet && source.bannedUntil <= now && (source.bans == 0 || source.lastBanEnd + forgetMs <= now);
  });
}

}  // namespace pbx

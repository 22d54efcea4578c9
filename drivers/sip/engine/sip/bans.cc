#include "bans.h"

#include <algorithm>

namespace pbx {

namespace {

constexpr size_t mostSources = 20000;
constexpr int64_t slowWindowMs = 300'000;
constexpr size_t slowFailures = 20;
constexpr unsigned longestBanSeconds = 24 * 3600;
constexpr int64_t forgetMs = 24 * 3600 * 1000LL;

}  // namespace

std::optional<Ban> Bans::failed(const std::string& ip, const BanSettings& limits, int64_t nowMs) {
  std::lock_guard lock(mutex_);
  if (sources_.size() >= mostSources && !sources_.contains(ip)) return std::nullopt;
  Source& source = sources_[ip];
  if (source.bannedUntil > nowMs) return std::nullopt;
  source.failures.push_back(nowMs);
  while (!source.failures.empty() && source.failures.front() <= nowMs - slowWindowMs) source.failures.pop_front();
  const int64_t windowStart = nowMs - int64_t{limits.windowSeconds} * 1000;
  const size_t recent = static_cast<size_t>(std::count_if(source.failures.begin(), source.failures.end(), [&](int64_t at) { return at > windowStart; }));
  if (recent < limits.failures && source.failures.size() < slowFailures) return std::nullopt;
  const unsigned doubled = limits.seconds << std::min(source.bans, 10u);
  const Ban ban{std::max(limits.seconds, std::min(doubled, longestBanSeconds)), static_cast<unsigned>(source.failures.size())};
  source.bans++;
  source.bannedUntil = nowMs + int64_t{ban.seconds} * 1000;
  source.lastBanEnd = source.bannedUntil;
  source.failures.clear();
  return ban;
}

void Bans::succeeded(const std::string& ip) {
  std::lock_guard lock(mutex_);
  const auto at = sources_.find(ip);
  if (at != sources_.end() && at->second.bans == 0) sources_.erase(at);
}

bool Bans::banned(const std::string& ip, int64_t nowMs) {
  std::lock_guard lock(mutex_);
  const auto at = sources_.find(ip);
  return at != sources_.end() && at->second.bannedUntil > nowMs;
}

bool Bans::withinRate(const std::string& ip, double perSecond, double burst, int64_t nowMs) {
  std::lock_guard lock(mutex_);
  auto at = buckets_.find(ip);
  if (at == buckets_.end()) {
    if (buckets_.size() >= mostSources) return false;
    at = buckets_.emplace(ip, Bucket{burst, nowMs}).first;
  }
  Bucket& bucket = at->second;
  bucket.tokens = std::min(burst, bucket.tokens + static_cast<double>(nowMs - bucket.at) / 1000.0 * perSecond);
  bucket.at = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

void Bans::sweep(int64_t nowMs) {
  std::lock_guard lock(mutex_);
  std::erase_if(sources_, [&](const auto& item) {
    const Source& source = item.second;
    const bool quiet = source.failures.empty() || source.failures.back() <= nowMs - slowWindowMs;
    return quiet && source.bannedUntil <= nowMs && (source.bans == 0 || source.lastBanEnd + forgetMs <= nowMs);
  });
  std::erase_if(buckets_, [&](const auto& item) { return item.second.at <= nowMs - 60'000; });
}

}  // namespace pbx

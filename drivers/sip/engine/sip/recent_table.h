// A table that strangers may fill: bounded, and full it forgets what was touched longest ago instead of refusing newcomers.
#pragma once
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace pbx {

template <typename Value>
class RecentTable {
 public:
  explicit RecentTable(size_t most) : most_(most) {}

  // The entry of `key`, made where there is none; it counts as touched. Valid until the next call of a function.
  Value& touch(const std::string& key) {
    if (Value* known = find(key)) return *known;
    if (order_.size() >= most_) {
      at_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, Value{});
    at_[key] = order_.begin();
    return order_.front().second;
  }
  // Null where there is none; what is found counts as touched.
  Value* find(const std::string& key) {
    const auto at = at_.find(key);
    if (at == at_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second);
    return &order_.front().second;
  }
  bool erase(const std::string& key) {
    const auto at = at_.find(key);
    if (at == at_.end()) return false;
    order_.erase(at->second);
    at_.erase(at);
    return true;
  }
  template <typename Condition>
  void eraseIf(Condition condition) {
    for (auto at = order_.begin(); at != order_.end();) {
      if (condition(at->second)) {
        at_.erase(at->first);
        at = order_.erase(at);
      } else {
        ++at;
      }
    }
  }
  // The newest first.
  const std::list<std::pair<std::string, Value>>& entries() const { return order_; }
  size_t size() const { return order_.size(); }

 private:
  size_t most_;
  std::list<std::pair<std::string, Value>> order_;
  std::unordered_map<std::string, typename std::list<std::pair<std::string, Value>>::iterator> at_;
};

}  // namespace pbx

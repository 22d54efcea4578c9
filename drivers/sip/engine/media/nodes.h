// What the clock is given and what it gives back. Memory is taken by who hands something over and freed by the thread that delivers
// events: the clock itself only moves pointers, and waits for nobody.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace pbx {

struct Node {
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;
  Node* next = nullptr;
};

// Any thread adds, one takes all. Owns what is in it.
class NodeStack {
 public:
  ~NodeStack() { free(); }
  void push(std::unique_ptr<Node> node) {
    Node* added = node.release();
    added->next = top_.load(std::memory_order_relaxed);
    while (!top_.compare_exchange_weak(added->next, added, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  bool empty() const { return top_.load(std::memory_order_relaxed) == nullptr; }
  // The oldest first; the caller owns the chain.
  Node* takeAll() {
    Node* chain = nullptr;
    for (Node* node = top_.exchange(nullptr, std::memory_order_acquire); node != nullptr;) {
      Node* next = std::exchange(node->next, chain);
      chain = std::exchange(node, next);
    }
    return chain;
  }
  void free() {
    for (Node* node = takeAll(); node != nullptr;) delete std::exchange(node, node->next);
  }

 private:
  std::atomic<Node*> top_{nullptr};
};

// A queue of one thread's. Owns what is in it.
template <typename T>
class NodeList {
 public:
  NodeList() = default;
  NodeList(const NodeList&) = delete;
  NodeList& operator=(const NodeList&) = delete;
  ~NodeList() {
    while (!empty()) takeFirst();
  }
  bool empty() const { return first_ == nullptr; }
  T* first() const { return first_; }
  static T* after(const T* node) { return static_cast<T*>(node->next); }
  void add(std::unique_ptr<T> node) {
    node->next = nullptr;
    T* added = node.release();
    if (last_ != nullptr) {
      last_->next = added;
    } else {
      first_ = added;
    }
    last_ = added;
  }
  std::unique_ptr<T> takeFirst() {
    std::unique_ptr<T> taken(first_);
    first_ = after(taken.get());
    if (first_ == nullptr) last_ = nullptr;
    return taken;
  }
  // Moves whatever `leaves` says so of to the discards; how many went.
  template <typename Leaves>
  size_t discardIf(NodeStack& discards, Leaves leaves) {
    size_t gone = 0;
    NodeList kept;
    while (!empty()) {
      auto node = takeFirst();
      if (leaves(*node)) {
        discards.push(std::move(node));
        gone++;
      } else {
        kept.add(std::move(node));
      }
    }
    std::swap(first_, kept.first_);
    std::swap(last_, kept.last_);
    return gone;
  }

 private:
  T *first_ = nullptr, *last_ = nullptr;
};

}  // namespace pbx

// Random damage to messages: bytes, whole tokens and lines, numbers at their limits, and lengths that lie.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // 0 .. below-1
  size_t below(size_t below) { return below == 0 ? 0 : static_cast<size_t>(engine_() % below); }
  bool chance(double probability) { return static_cast<double>(engine_() >> 11) * 0x1.0p-53 < probability; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  std::string token(size_t size = 10);

 private:
  std::mt19937_64 engine_;
};

// A SIP message (headers CRLF, body) with 1 to 4 faults. Half of the results keep a Content-Length that is right.
std::string mutateSip(Random& random, std::string message);
// Any packet, such as RTP: bits, bytes, cut or doubled.
std::string mutateBytes(Random& random, std::string packet);
// Sets Content-Length to the size of the body.
std::string withLength(const std::string& message);

}  // namespace fuzz

// A test is a named function; a failed CHECK is reported and the test goes on.
#pragma once
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Registration {
  Registration(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

inline void fail(const char* file, int line, const std::string& text) {
  failures()++;
  std::cout << "  " << file << ":" << line << ": " << text << "\n";
}

template <typename A, typename B>
void same(const char* file, int line, const char* text, const A& got, const B& wanted) {
  if (got == wanted) return;
  std::ostringstream out;
  out << text << " is " << got << ", expected " << wanted;
  fail(file, line, out.str());
}

inline void between(const char* file, int line, const char* text, double got, double low, double high) {
  if (got >= low && got <= high) return;
  std::ostringstream out;
  out << text << " is " << got << ", expected " << low << ".." << high;
  fail(file, line, out.str());
}

}  // namespace check

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(name)                                                                                       \
  static void CHECK_JOIN(test_, __LINE__)();                                                             \
  static check::Registration CHECK_JOIN(registration_, __LINE__)(name, &CHECK_JOIN(test_, __LINE__)); \
  static void CHECK_JOIN(test_, __LINE__)()
#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) check::fail(__FILE__, __LINE__, #condition " is false"); \
  } while (0)
#define CHECK_SAME(got, wanted) check::same(__FILE__, __LINE__, #got, got, wanted)
#define CHECK_BETWEEN(got, low, high) check::between(__FILE__, __LINE__, #got, got, low, high)

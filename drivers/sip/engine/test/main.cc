// Runs every test, or those whose name contains the first argument. Exit code 0: some ran and all passed.
#include <chrono>
#include <cstdio>

#include "check.h"

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  int passed = 0, failed = 0;
  for (const check::Test& test : check::tests()) {
    if (std::string(test.name).find(wanted) == std::string::npos) continue;
    const int before = check::failures();
    const auto began = std::chrono::steady_clock::now();
    test.run();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    const bool ok = check::failures() == before;
    (ok ? passed : failed)++;
    std::printf("%s - %s (%.0f ms)\n", ok ? "ok" : "not ok", test.name, ms);
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

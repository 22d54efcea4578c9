#include "reports.h"

#include <cstdio>
#include <fstream>
#include <map>

namespace fuzz {

namespace {

// Reports that harm nothing: PJLIB copies zero bytes from a null pointer; PJMEDIA subtracts RTP times for its jitter figure
// and lets them wrap; spandsp has an array of no bytes on its stack for a field without data, and does not touch it.
const char* const tolerated[] = {"pj/string.h:854:12: runtime error: null pointer passed as argument 2", "pjmedia/rtcp.c:430:15: runtime error: signed integer overflow",
                                 "t38_terminal.c:336:13: runtime error: variable length array bound evaluates to non-positive value 0"};

}  // namespace

size_t printReports(const std::string& file) {
  std::ifstream log(file);
  std::map<std::string, size_t> reports;
  for (std::string line; std::getline(log, line);) {
    bool known = false;
    for (const char* part : tolerated) known = known || line.find(part) != std::string::npos;
    if (known) continue;
    const auto holds = [&line](const char* part) { return line.find(part) != std::string::npos; };
    if (holds("runtime error:") || holds("ERROR: AddressSanitizer") || holds("SUMMARY: ThreadSanitizer")) reports[line.substr(0, 200)]++;
  }
  for (const auto& [line, count] : reports) std::printf("%zu x %s\n", count, line.c_str());
  return reports.size();
}

}  // namespace fuzz

// One case of the fuzzer: a fax call of this product with a far end that lies, in virtual time. The same seed and number
// give the same case.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

// Of the sanitizers' run time; GCC does not ship its header.
extern "C" size_t __sanitizer_get_current_allocated_bytes();

namespace fuzz {

struct CaseResult {
  std::string kind;
  std::string fault;  // "": nothing was wrong
  double slowest = 0; // CPU seconds of the slowest 20 ms
  size_t mostMemory = 0;  // bytes allocated at once, above what was there before
  bool pages = false;  // a page was taken or given before it ended
};

// Writes the documents the cases use.
void prepareCases(const std::string& folder);
// `folder` holds the case's own files and those documents. `modem`: a serial line, else SIP. `tick` is called before each 20 ms.
CaseResult runCase(uint64_t seed, uint64_t number, const std::string& folder, bool modem, void (*tick)());

// Session descriptions with image lines, read, translated and printed; in its own file, which needs PJSIP.
CaseResult runSdpCase(uint64_t seed, uint64_t number);

}  // namespace fuzz

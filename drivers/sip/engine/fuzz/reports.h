// What the sanitizers wrote about the engine.
#pragma once
#include <cstddef>
#include <string>

namespace fuzz {

// Prints each place once, with its count; answers how many there are.
size_t printReports(const std::string& file);

}  // namespace fuzz

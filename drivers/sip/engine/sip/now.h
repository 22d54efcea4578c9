// The time, in milliseconds.
#pragma once
#include <cstdint>

namespace pbx {

int64_t nowMs();     // since 1970
int64_t steadyMs();  // since the same, but no step of the clock moves it

}  // namespace pbx

// What nearly every file of this folder includes by itself, for the Makefile to compile once for all of them: a quarter of the time that they take.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "pj.h"

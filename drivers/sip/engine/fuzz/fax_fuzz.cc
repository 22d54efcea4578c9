// fax-fuzz: fax calls with far ends that lie, run against instrumented code until the time is up.
//   fax-fuzz [--line sip|modem] [--seconds N] [--seed N] [--case N] [--out FOLDER] The calls run in a child, which is
//   replaced when it dies; a case that killed it is named, and --case repeats it alone. It finds reports of the sanitizers,
//   20 ms of line time that take seconds, memory and files that grow or are never freed, and an end that is reported twice
//   or never. Exit status 0: nothing.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>

#include "fax_cases.h"
#include "reports.h"

extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:handle_abort=1:allocator_may_return_null=1:hard_rss_limit_mb=2000:quarantine_size_mb=32";
}
extern "C" const char* __ubsan_default_options() {
  return "print_stacktrace=0";
}

namespace {

constexpr int secondsOfTick = 10;       // CPU time of 20 ms of line time under sanitizers, above which it hangs
constexpr uint64_t casesOfChild = 400;  // so that a slow leak does not become the next case's
constexpr size_t leakOfCase = 64 << 10;
constexpr unsigned mostFaults = 200;

struct Kind {
  char name[40];
  uint64_t cases, pages;
};

// Between the child and its parent.
struct Board {
  uint64_t current, done, faults;
  double slowest;
  uint64_t slowestCase, mostMemory, mostMemoryCase;
  Kind kinds[8];
};

void tick() {
  const itimerval limit{{0, 0}, {secondsOfTick, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void onHang(int) {
  const char text[] = "hang: 20 ms of line time took more than 10 s of CPU time\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(3);
  std::abort();
}

void count(Board& board, uint64_t number, const fuzz::CaseResult& result) {
  board.done++;
  for (Kind& kind : board.kinds) {
    if (kind.name[0] == 0) std::strncpy(kind.name, result.kind.c_str(), sizeof kind.name - 1);
    if (result.kind != kind.name) continue;
    kind.cases++;
    kind.pages += result.pages;
    break;
  }
  if (result.slowest > board.slowest) board.slowest = result.slowest, board.slowestCase = number;
  if (result.mostMemory > board.mostMemory) board.mostMemory = result.mostMemory, board.mostMemoryCase = number;
}

struct Run {
  uint64_t seed = 1;
  bool modem = false;
  std::string folder;
  Board* board = nullptr;
  std::chrono::steady_clock::time_point until;
  bool over() const { return std::chrono::steady_clock::now() >= until || board->faults >= mostFaults; }
};

[[noreturn]] void child(const Run& run, uint64_t first, uint64_t last) {
  const int log = open((run.folder + "/engine.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(log, 2);
  signal(SIGPROF, onHang);
  for (uint64_t number = first; number < last && !run.over(); number++) {
    run.board->current = number;
    tick();
    const size_t before = __sanitizer_get_current_allocated_bytes();
    fuzz::CaseResult result = fuzz::runCase(run.seed, number, run.folder, run.modem, tick);
    const size_t after = __sanitizer_get_current_allocated_bytes();
    // The first ones fill what is kept for good.
    if (result.fault.empty() && number > first + 20 && after > before + leakOfCase) result.fault = std::to_string(after - before) + " bytes did not come back";
    count(*run.board, number, result);
    if (result.fault.empty()) continue;
    run.board->faults++;
    std::printf("case %llu (%s): %s\n", static_cast<unsigned long long>(number), result.kind.c_str(), result.fault.c_str());
    std::fflush(stdout);
  }
  run.board->current = UINT64_MAX;
  _exit(0);
}

// The line that sums up the death of a child, from what it wrote since `from`.
std::string lastWords(const std::string& file, long from) {
  FILE* log = std::fopen(file.c_str(), "r");
  if (log == nullptr) return "";
  std::fseek(log, from, SEEK_SET);
  std::string words;
  char line[600];
  while (std::fgets(line, sizeof line, log) != nullptr) {
    if (std::strncmp(line, "SUMMARY", 7) == 0 || std::strncmp(line, "hang", 4) == 0) words += line;
  }
  std::fclose(log);
  return words.substr(0, words.find_last_not_of('\n') + 1);
}

long sizeOf(const std::string& file) {
  std::error_code none;
  const uintmax_t size = std::filesystem::file_size(file, none);
  return none ? 0 : static_cast<long>(size);
}

int verdict(const Run& run, const std::map<std::string, unsigned>& deaths) {
  const Board& board = *run.board;
  for (const Kind& kind : board.kinds) {
    if (kind.name[0] != 0) std::printf("%8llu cases: %s, %llu of them with pages\n", static_cast<unsigned long long>(kind.cases), kind.name, static_cast<unsigned long long>(kind.pages));
  }
  std::printf("slowest 20 ms: %.2f s of CPU (case %llu); most memory of a call: %.1f MB (case %llu)\n", board.slowest, static_cast<unsigned long long>(board.slowestCase),
              static_cast<double>(board.mostMemory) / (1 << 20), static_cast<unsigned long long>(board.mostMemoryCase));
  for (const auto& [words, times] : deaths) std::printf("%u x died: %s\n", times, words.c_str());
  const size_t reports = fuzz::printReports(run.folder + "/engine.log");
  std::printf("%llu cases, %zu kinds of death, %llu other faults, %zu places reported; log: %s/engine.log\n", static_cast<unsigned long long>(board.done), deaths.size(),
              static_cast<unsigned long long>(board.faults), reports, run.folder.c_str());
  return deaths.empty() && board.faults == 0 && reports == 0 ? 0 : 1;
}

int supervise(Run& run, uint64_t only) {
  std::map<std::string, unsigned> deaths;
  const std::string log = run.folder + "/engine.log";
  for (uint64_t next = only == UINT64_MAX ? 0 : only; !run.over();) {
    const long from = sizeOf(log);
    run.board->current = next;
    const pid_t pid = fork();
    if (pid < 0) return 3;
    if (pid == 0) child(run, next, only == UINT64_MAX ? next + casesOfChild : next + 1);
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      next += casesOfChild;
    } else {
      const std::string words = lastWords(log, from);
      if (deaths[words]++ == 0) std::printf("case %llu killed it: %s\n", static_cast<unsigned long long>(run.board->current), words.empty() ? "no word" : words.c_str());
      std::fflush(stdout);
      next = run.board->current + 1;
    }
    if (only != UINT64_MAX) break;
  }
  return verdict(run, deaths);
}

}  // namespace

int main(int words, char** arguments) {
  Run run;
  int seconds = 60;
  uint64_t only = UINT64_MAX;
  for (int i = 1; i < words; i++) {
    const std::string name = arguments[i];
    if (i + 1 == words) seconds = 0;
    else if (name == "--seconds") seconds = std::atoi(arguments[++i]);
    else if (name == "--seed") run.seed = std::strtoull(arguments[++i], nullptr, 10);
    else if (name == "--case") only = std::strtoull(arguments[++i], nullptr, 10);
    else if (name == "--line") run.modem = std::string(arguments[++i]) == "modem";
    else if (name == "--out") run.folder = arguments[++i];
    else seconds = 0;
  }
  if (seconds <= 0) {
    std::fprintf(stderr, "usage: fax-fuzz [--line sip|modem] [--seconds N] [--seed N] [--case N] [--out FOLDER]\n");
    return 2;
  }
  if (run.folder.empty()) run.folder = std::filesystem::temp_directory_path() / ((run.modem ? "fax-fuzz-modem-" : "fax-fuzz-") + std::to_string(run.seed));
  std::filesystem::create_directories(run.folder);
  std::filesystem::remove(run.folder + "/engine.log");
  run.board = static_cast<Board*>(mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  run.until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  fuzz::prepareCases(run.folder);
  return supervise(run, only);
}

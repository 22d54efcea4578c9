// fax-study: fax calls in virtual time, one JSON line for each.
//   fax-study --pages letter[,photo...] [--t38] [--no-ecm] [--loss 0.01] [--delay MS] [--jitter MS] [--buffer MS] [--first SEED] [--calls N]
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "call.h"
#include "documents.h"

int main(int count, char** words) {
  study::CallPlan plan;
  unsigned first = 1, calls = 1;
  std::vector<FaxPage> pages;
  bool understood = true;
  for (int i = 1; i < count && understood; i++) {
    const std::string name = words[i];
    if (name == "--t38") {
      plan.t38 = true;
      continue;
    }
    if (name == "--no-ecm") {
      plan.ecm = false;
      continue;
    }
    understood = ++i < count;
    if (!understood) break;
    const double number = std::atof(words[i]);
    if (name == "--pages") {
      std::istringstream kinds(words[i]);
      for (std::string kind; std::getline(kinds, kind, ',');) {
        const auto page = study::document(kind, static_cast<unsigned>(pages.size()) + 1);
        understood = understood && page.has_value();
        if (page) pages.push_back(*page);
      }
    } else if (name == "--loss") {
      plan.line.loss = number;
    } else if (name == "--delay") {
      plan.line.delayMs = static_cast<unsigned>(number);
    } else if (name == "--jitter") {
      plan.line.jitterMs = number;
    } else if (name == "--buffer") {
      plan.line.bufferMs = static_cast<unsigned>(number);
    } else if (name == "--first") {
      first = static_cast<unsigned>(number);
    } else if (name == "--calls") {
      calls = static_cast<unsigned>(number);
    } else {
      understood = false;
    }
  }
  if (!understood || pages.empty()) {
    std::fprintf(stderr, "usage: fax-study --pages letter|report|form|photo|blank[,...] [--t38] [--no-ecm] [--loss SHARE] [--delay MS] [--jitter MS] [--buffer MS] [--first SEED] [--calls N]\n");
    return 2;
  }
  TIFFSetErrorHandler(nullptr);
  TIFFSetWarningHandler(nullptr);
  TempDir folder;
  for (unsigned i = 0; i < calls; i++) {
    plan.seed = first + i;
    const auto outcome = study::call(plan, pages, folder.path);
    std::printf("{\"seed\":%u,\"code\":%d,\"told\":%s,\"maybe\":%s,\"complete\":%s,\"pagesArrived\":%u,\"seconds\":%.2f,\"bitRate\":%u,\"bytes\":%llu}\n", plan.seed, outcome.code, outcome.told ? "true" : "false", outcome.maybe ? "true" : "false",
                outcome.complete ? "true" : "false", outcome.pagesArrived, outcome.seconds, outcome.bitRate, static_cast<unsigned long long>(outcome.bytes));
    std::fflush(stdout);
  }
  return 0;
}

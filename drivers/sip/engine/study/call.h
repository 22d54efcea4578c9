// A whole fax call between two sessions of this product in virtual time, over a line that is like a bad network.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../test/fax_rig.h"

namespace study {

struct LineModel {
  double loss = 0;        // share of packets (20 ms of G.711, or one UDPTL datagram) that never arrive
  unsigned delayMs = 40;  // one way
  double jitterMs = 0;    // mean of the further delay, exponential
  unsigned bufferMs = 200;  // audio, as in stream_port.cc: later than this is lost. T.38 has no such buffer: packets overtake each other
};

struct CallPlan {
  bool t38 = false, ecm = true;
  LineModel line;
  unsigned seed = 1;
};

struct CallOutcome {
  int code = -1;          // the sender's; 0 is sent
  bool complete = false;  // every page arrived, pixel by pixel
  unsigned pagesArrived = 0;
  double seconds = 0;  // of line time, from the answer until both ends are silent
  unsigned bitRate = 0;
  uint64_t bytes = 0;  // of the received pages as coded (T.6), with their header lines
  bool maybe = false;  // not sent, but the sender says that the last page may have arrived
  bool told = false;   // the sender's end was reported
};

// `folder` is for its files.
CallOutcome call(const CallPlan& plan, const std::vector<FaxPage>& pages, const std::string& folder);

}  // namespace study

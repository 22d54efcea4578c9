// A fax call as the rest of the engine speaks of it: what is asked for, what becomes of it.
#pragma once
#include <cstdint>
#include <string>

namespace pbx {

struct FaxOrder {
  bool sending = false;
  // Sending: pages at 204 x 196, and the same at 204 x 98 or "". Receiving: the TIFF that is written.
  std::string file, standardFile;
  unsigned firstPage = 0;  // counts from 0; those before it are not sent
  std::string stationId;   // TSI or CSI: at most 20 of digits, + and space
  std::string header;      // UTF-8; what Latin-1 cannot say becomes "?"
  int utcOffsetMinutes = 0;  // of the time in the header line
  bool ecm = true;
  bool fine = true;  // receiving: offer fine resolution
  bool v17 = true, v29 = true, v27ter = true;
  bool t38 = false;  // the call may change to T.38
};

enum class FaxPhase { negotiating, training, page, confirmed };

struct FaxState {
  unsigned pages = 0;    // confirmed by the receiver, or received whole
  unsigned bitRate = 0;  // 0: not known yet
  bool ecm = false;
  bool fine = false;
  std::string remoteId;  // CSI or TSI, trimmed
};

struct FaxEnd {
  int code = 0;  // spandsp's T30_ERR_...
  std::string text;
  FaxState state;
  unsigned badRows = 0;
  bool unconfirmedLastPage = false;
};

// One T.30 frame of the V.21 channel (ITU-T T.30 section 5.3), without page content.
struct FaxFrame {
  bool received = false;
  std::string name;  // such as "DIS" or "PPS-EOP"
  std::string fif;   // facsimile information field, hexadecimal; "" where there is none or where it is a secret
};

// What FaxEnd::text says when our own side ended a call because nothing came from the far end any more.
inline constexpr const char* noMedia = "our side: no media";

class FaxEvents {
 public:
  virtual ~FaxEvents() = default;
  virtual void progress(FaxPhase phase, const FaxState& state) = 0;
  virtual void frame(const FaxFrame& frame) = 0;
  // Once, last.
  virtual void ended(const FaxEnd& end) = 0;
};

}  // namespace pbx

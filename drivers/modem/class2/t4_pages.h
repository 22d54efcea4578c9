// Pages as a modem of class 2 wants and gives them: T.4 data without the modem's part of the work (ITU-T T.4, T.6). Out of
// the TIFF file of a fax with the header line drawn above each page, and into the TIFF file of one that comes in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct t4_state_s;

namespace pbx {

struct PagesOrder {
  bool sending = false;
  // As of FaxOrder.
  std::string file, standardFile, stationId, header;
  int utcOffsetMinutes = 0;
  bool rtc = false;  // the modem does not append the return to control
};

using T4Data = std::vector<uint8_t>;  // the lowest bit of a byte is the first on the line

// One-dimensional (MH), each row behind an EOL. 0 or spandsp's code: 11 no such resolution, 41 no such
// file, 42 no such page, 43 not read.
int encodePage(const PagesOrder& order, unsigned page, bool fine, T4Data& out);

// Takes off what spandsp fills the last byte with, which is not zeros, and without `rtc` the EOLs behind the last row.
void trimEnd(T4Data& data, bool rtc);

enum class T4Coding { mh, mr, mmr };

struct PageLook {
  unsigned rows = 0, badRows = 0;
  bool reversed = false;  // as the page was read in the end
};

class IncomingPages {
 public:
  static constexpr unsigned maxRows = 30000;  // as of T30Session

  // Begins the file. Throws std::runtime_error where that cannot be.
  explicit IncomingPages(const std::string& file);
  ~IncomingPages();
  IncomingPages(const IncomingPages&) = delete;
  IncomingPages& operator=(const IncomingPages&) = delete;

  // Reads a page, in place of one that was read and not kept. `reversed`: the highest bit of a byte is the first; a page
  // that makes no sense so is tried the other way round.
  PageLook read(std::span<const uint8_t> data, T4Coding coding, bool fine, bool reversed);
  // Puts the page that was read into the file. False when that failed, or when there is none.
  bool keep();

 private:
  PageLook readOnce(std::span<const uint8_t> data, T4Coding coding, bool reversed);

  t4_state_s* t4_;
  bool waiting_ = false;
};

}  // namespace pbx

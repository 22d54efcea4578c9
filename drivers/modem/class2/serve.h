// The converter of pages as a process: pbx-fax with the order "pagesOut" or "pagesIn" in place of a call. Orders are lines of
// JSON on standard input, each answered by one line on standard output; page data go and come on descriptor 3.
//   {"t":"pagesOut","file","standardFile","stationId","header","utcOffsetMinutes","rtc"}   the first line, or
//   {"t":"pagesIn","file"}
//   {"t":"encode","page","fine"}                          -> {"t":"page","code","bytes"} and so many bytes
//   {"t":"read","bytes","coding","fine","reversed"} and so many bytes -> {"t":"look","rows","badRows","reversed"}
//   {"t":"keep"}                                          -> {"t":"kept","kept"}
// Ends with its input.
#pragma once
#include <string>

namespace pbx {

// `first`: the order; `typed`: what was read behind it. Gives the exit status.
int servePages(const std::string& first, std::string typed, int data);

}  // namespace pbx

#include "call_events.h"

namespace pbx {

int causeOf(int sipCode) {
  switch (sipCode) {
    case 200: return 16;
    case 404: return 1;
    case 408: case 480: return 19;
    case 410: return 22;
    case 484: return 28;
    case 486: case 600: return 17;
    case 487: return 16;
    case 403: case 603: return 21;
    case 488: case 606: return 88;
    case 502: return 38;
    case 503: return 41;
    case 504: return 102;
    default: return sipCode >= 500 ? 41 : sipCode >= 400 ? 127 : 16;
  }
}

}  // namespace pbx

// Times and numbers of the Class 1 dialogue, for class1.cc and class1_answers.cc; after class1.h.
#pragma once
#include <string_view>

#include "class1.h"
#include "spandsp_headers.h"

namespace pbx {

inline constexpr int samplesPerMs = 8;
inline constexpr int connectMs = 6000, frameMs = 12000, silenceMs = 2500, cancelMs = 400, recoverMs = 2000;
// The last bytes of a page may wait in the buffers of the port, the driver and the modem.
inline constexpr int drainMs = 200'000;
// How long the end of a carrier is waited for that the engine has finished with.
inline constexpr int lagMs = 2000;
inline constexpr int goodbyeMs = 15'000;
inline constexpr int errorsToLost = 3;
inline constexpr size_t chunk = 64, longestFrame = 512;
inline constexpr uint8_t finalFrame = 0x10;  // in the control byte, ITU-T T.30 section 5.3.5
inline constexpr uint8_t disconnect[] = {0xFF, 0x13, T30_DCN | 1};

inline bool fast(int type) {
  return type == T30_MODEM_V17 || type == T30_MODEM_V29 || type == T30_MODEM_V27TER;
}

// The number of a carrier in +FTM and +FRM (ITU-T T.31 table 6).
inline int number(int type, int bitRate, bool shortTrain) {
  if (type != T30_MODEM_V17) return bitRate / 100;
  return (bitRate == 7200 ? 73 : bitRate == 9600 ? 97 : bitRate == 12000 ? 121 : 145) + (shortTrain ? 1 : 0);
}

// In error correction mode the modem's first bit is the lowest, spandsp's HDLC the highest.
inline uint8_t reversed(uint8_t byte) {
  byte = static_cast<uint8_t>((byte & 0xF0) >> 4 | (byte & 0x0F) << 4);
  byte = static_cast<uint8_t>((byte & 0xCC) >> 2 | (byte & 0x33) << 2);
  return static_cast<uint8_t>((byte & 0xAA) >> 1 | (byte & 0x55) << 1);
}

inline bool isNoCarrier(const std::vector<uint8_t>& heard) {
  const std::string_view text(reinterpret_cast<const char*>(heard.data()), heard.size());
  return text.size() < 20 && text.ends_with("NO CARRIER\r\n");
}

}  // namespace pbx

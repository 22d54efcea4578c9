#include "documents.h"

#include <cmath>
#include <random>

namespace study {

namespace {

constexpr unsigned width = 1728, height = 2292;

class Sheet {
 public:
  FaxPage page{height};
  void black(unsigned x, unsigned y) {
    if (x < width && y < height) page[y][x / 8] |= static_cast<uint8_t>(0x80 >> x % 8);
  }
  void fill(unsigned x, unsigned y, unsigned wide, unsigned high) {
    for (unsigned row = y; row < y + high; row++) {
      for (unsigned column = x; column < x + wide; column++) black(column, row);
    }
  }
};

// Letters of an alphabet that nobody reads, with the strokes of one that is: 5 x 7 dots, joined, round at the corners.
struct Typewriter {
  std::mt19937 random;
  uint8_t glyphs[40][7];
  explicit Typewriter(unsigned seed) : random(seed) {
    for (auto& glyph : glyphs) {
      for (auto& row : glyph) row = 0;
      for (int strokes = 0; strokes < 3; strokes++) {
        if (random() % 2 == 0) {
          const uint8_t column = static_cast<uint8_t>(1 << random() % 5);
          for (auto& row : glyph) row |= column;
        } else {
          glyph[random() % 3 * 3] |= 0x1F;
        }
      }
    }
  }
  void line(Sheet& sheet, unsigned x, unsigned y, unsigned letters, unsigned dot) {
    for (unsigned i = 0; i < letters; i++) {
      if (random() % 6 == 0) continue;
      const auto& glyph = glyphs[random() % 40];
      for (unsigned row = 0; row < 7; row++) {
        for (unsigned column = 0; column < 5; column++) {
          if ((glyph[row] >> column & 1) == 0) continue;
          const unsigned edge = row == 0 || row == 6 ? 1 : 0;  // a scanner's edges are not straight
          sheet.fill(x + i * dot * 6 + column * dot + edge, y + row * dot, dot - edge + random() % 2, dot);
        }
      }
    }
  }
};

void letter(Sheet& sheet, unsigned seed) {
  Typewriter type(seed);
  type.line(sheet, 160, 180, 24, 5);
  for (unsigned y = 500; y < 1500; y += 60) type.line(sheet, 160, y, 40 + type.random() % 30, 3);
  type.line(sheet, 160, 1700, 16, 4);
}

void report(Sheet& sheet, unsigned seed) {
  Typewriter type(seed);
  for (unsigned y = 120; y < 2200; y += 34) type.line(sheet, 110, y, 60 + type.random() % 22, 3);
}

void form(Sheet& sheet, unsigned seed) {
  Typewriter type(seed);
  for (unsigned y = 200; y < 2200; y += 80) {
    sheet.fill(100, y, 1500, 3);
    type.line(sheet, 120, y + 30, 14, 3);
    if (type.random() % 2 == 0) type.line(sheet, 700, y + 26, 8 + type.random() % 20, 4);
  }
  for (const unsigned x : {100u, 640u, 1597u}) sheet.fill(x, 200, 3, 1920);
}

// Clustered dots of 6 x 6 under a smooth picture: what a grey scan becomes.
void photo(Sheet& sheet, unsigned seed) {
  Typewriter type(seed);
  type.line(sheet, 160, 150, 40, 4);
  const double phase = seed;
  for (unsigned y = 300; y < 1500; y++) {
    for (unsigned x = 200; x < 1500; x++) {
      const double grey = 0.5 + 0.25 * std::sin(x / 170.0 + phase) + 0.25 * std::sin(y / 230.0 + x / 400.0);
      const double dx = x % 6 - 2.5, dy = y % 6 - 2.5;
      if (grey > (dx * dx + dy * dy) / 12.5) sheet.black(x, y);
    }
  }
}

}  // namespace

std::optional<FaxPage> document(const std::string& kind, unsigned seed) {
  Sheet sheet;
  if (kind == "letter") letter(sheet, seed);
  else if (kind == "report") report(sheet, seed);
  else if (kind == "form") form(sheet, seed);
  else if (kind == "photo") photo(sheet, seed);
  else if (kind != "blank") return std::nullopt;
  return sheet.page;
}

}  // namespace study

// Fax pages and two fax machines on a line whose time the test turns.
#pragma once
#include <tiffio.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../fax/audio_fax.h"
#include "fakes.h"

// Rows of 216 bytes (1728 pixels), 1 is black.
using FaxPage = std::vector<std::array<uint8_t, 216>>;

// Text-like rows: dark runs that repeat over some lines, a margin, empty lines.
inline FaxPage faxPage(unsigned rows, unsigned seed) {
  std::mt19937 random(seed);
  FaxPage page(rows);
  for (unsigned y = 0; y < rows; y++) {
    if (y / 12 % 3 == 2) continue;
    if (y % 4 != 0 && y > 0) {
      page[y] = page[y - 1];
      continue;
    }
    for (unsigned x = 20; x < 190; x += 1 + random() % 9) page[y][x] = static_cast<uint8_t>(random());
  }
  return page;
}

inline void writeFax(const std::string& file, const std::vector<FaxPage>& pages, bool fine = true) {
  TIFF* tiff = TIFFOpen(file.c_str(), "w");
  for (const FaxPage& page : pages) {
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 1728);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<uint32_t>(page.size()));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX4);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<uint32_t>(page.size()));
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 204.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, fine ? 196.0 : 98.0);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    for (uint32_t y = 0; y < page.size(); y++) TIFFWriteScanline(tiff, const_cast<uint8_t*>(page[y].data()), y);
    TIFFWriteDirectory(tiff);
  }
  TIFFClose(tiff);
}

inline std::vector<FaxPage> readFax(const std::string& file) {
  std::vector<FaxPage> pages;
  TIFF* tiff = TIFFOpen(file.c_str(), "r");
  if (tiff == nullptr) return pages;
  do {
    uint32_t rows = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &rows);
    FaxPage page(rows);
    for (uint32_t y = 0; y < rows; y++) TIFFReadScanline(tiff, page[y].data(), y);
    pages.push_back(page);
  } while (TIFFReadDirectory(tiff));
  TIFFClose(tiff);
  return pages;
}

// Whether `received` is `sent` below a header line of 32 rows (16 at standard resolution).
inline bool samePage(const FaxPage& received, const FaxPage& sent, size_t header) {
  return received.size() == sent.size() + header && std::equal(sent.begin(), sent.end(), received.begin() + static_cast<ptrdiff_t>(header));
}

struct FaxStory final : pbx::FaxEvents {
  std::string phases;  // n t p c
  std::vector<std::string> frames;
  std::vector<pbx::FaxState> states;
  std::optional<pbx::FaxEnd> end;
  unsigned ends = 0;
  void progress(pbx::FaxPhase phase, const pbx::FaxState& state) override {
    phases += "ntpc"[static_cast<int>(phase)];
    states.push_back(state);
  }
  void frame(const pbx::FaxFrame& f) override { frames.push_back((f.received ? "<" : ">") + f.name + (f.fif.empty() ? "" : " " + f.fif)); }
  void ended(const pbx::FaxEnd& e) override {
    end = e;
    ends++;
  }
  size_t count(const std::string& start) const {
    size_t n = 0;
    for (const auto& f : frames) n += f.rfind(start, 0) == 0;
    return n;
  }
};

// Two fax machines, 20 ms blocks, a delay each way and a share of blocks lost.
struct FaxLink {
  FaxStory senderStory, receiverStory;
  pbx::AudioFax sender, receiver;
  double loss = 0;
  bool silenceIsSent = true;
  std::mt19937 random{7};
  unsigned ticks = 0;

  FaxLink(const pbx::FaxOrder& send, const pbx::FaxOrder& receive, unsigned delayTicks = 3)
      : sender(send, senderStory), receiver(receive, receiverStory), toReceiver_(delayTicks), toSender_(delayTicks) {}

  void tick() {
    ticks++;
    carry(sender, toReceiver_, receiver);
    carry(receiver, toSender_, sender);
  }
  // Until both have ended, or so many seconds of line time.
  void run(unsigned seconds = 600) {
    for (const unsigned until = ticks + seconds * 50; ticks < until && !(sender.over() && receiver.over());) tick();
  }
  template <typename Condition>
  bool runUntil(Condition condition, unsigned seconds = 600) {
    for (const unsigned until = ticks + seconds * 50; ticks < until && !condition();) tick();
    return condition();
  }

 private:
  using Block = std::array<int16_t, 160>;
  // Unsent: nothing was to be heard. What follows it in the jitter buffer shows by its number that nothing was lost.
  struct Slot {
    std::optional<Block> block;
    bool unsent = false;
  };
  using Line = std::deque<Slot>;
  void carry(pbx::AudioFax& from, Line& line, pbx::AudioFax& to) {
    Block block;
    from.say(block);
    const bool unsent = !silenceIsSent && std::all_of(block.begin(), block.end(), [](int16_t sample) { return sample == 0; });
    const bool lost = unsent || std::uniform_real_distribution<>(0, 1)(random) < loss;
    line.push_back({lost ? std::nullopt : std::optional(block), unsent});
    const Slot front = line.front();
    line.pop_front();
    if (front.block) return to.hear(*front.block);
    const bool known = front.unsent && std::any_of(line.begin(), line.end(), [](const Slot& later) { return later.block.has_value(); });
    static constexpr Block silence{};
    to.hear(known ? std::span<const int16_t>(silence) : std::span<const int16_t>());
  }
  Line toReceiver_, toSender_;
};

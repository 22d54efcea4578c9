// Pages that make spandsp's decoder leave its memory, and such as are merely bad: the rows that follow are the same as ever.
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "check.h"
#include "../fax/spandsp_headers.h"

#include <spandsp/expose.h>

namespace {

class Page {
 public:
  explicit Page(int coding) : file_((std::filesystem::temp_directory_path() / "pbx-row-guard.tif").string()) {
    std::filesystem::remove(file_);
    rx_ = t4_rx_init(nullptr, file_.c_str(), T4_COMPRESSION_ITU_T6);
    t4_rx_set_rx_encoding(rx_, coding);
    t4_rx_set_image_width(rx_, 1728);
    t4_rx_set_x_resolution(rx_, T4_X_RESOLUTION_R8);
    t4_rx_set_y_resolution(rx_, T4_Y_RESOLUTION_FINE);
    started_ = t4_rx_start_page(rx_) == 0;
  }
  ~Page() {
    t4_rx_free(rx_);
    std::filesystem::remove(file_);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  void add(const std::string& code, int times = 1) {
    for (int i = 0; i < times; i++)
      for (const char bit : code) bits_.push_back(bit == '1');
  }
  // As one block of error correction, or bit by bit.
  void give(bool atOnce) {
    std::vector<uint8_t> bytes((bits_.size() + 7) / 8 + 4);
    for (size_t i = 0; i < bits_.size(); i++) bytes[i / 8] |= static_cast<uint8_t>(bits_[i] << i % 8);
    if (atOnce) {
      t4_rx_put_chunk(rx_, bytes.data(), static_cast<int>(bytes.size()));
    } else {
      for (const bool bit : bits_) t4_rx_put_bit(rx_, bit);
    }
    bits_.clear();
  }
  const t4_rx_state_t& state() const { return *rx_; }
  bool started() const { return started_; }

 private:
  const std::string file_;
  t4_rx_state_t* rx_;
  std::vector<bool> bits_;
  bool started_;
};

constexpr const char* endOfLine = "000000000001";
constexpr const char* whiteNone = "00110101";
constexpr const char* blackNone = "0000110111";
constexpr const char* whiteRow = "01001101100110101";  // 1728 and 0

}  // namespace

TEST("row guard: it stands before the library's own functions") {
  for (const char* name : {"t4_rx_start_page", "t4_rx_put_bit", "t4_rx_put_byte", "t4_rx_put_chunk"}) {
    void* const first = dlsym(RTLD_DEFAULT, name);
    Dl_info found{};
    CHECK(first != nullptr && dladdr(first, &found) != 0);
    CHECK(std::string(found.dli_fname != nullptr ? found.dli_fname : "spandsp").find("spandsp") == std::string::npos);
  }
}

TEST("row guard: runs of no pixels without end, in rows of T.4") {
  for (const bool atOnce : {true, false}) {
    Page page(T4_COMPRESSION_ITU_T4_1D);
    CHECK(page.started());
    page.add(endOfLine);
    page.add(std::string(whiteNone) + blackNone, 30'000);
    page.give(atOnce);
    CHECK(page.state().t4_t6_rx.a_cursor <= 1728 + 1024);
    page.add(endOfLine);
    page.add(std::string(whiteRow) + endOfLine, 10);
    page.give(atOnce);
    CHECK(page.state().image_length >= 5);
  }
}

TEST("row guard: runs of no pixels without end, in rows of T.6") {
  Page page(T4_COMPRESSION_ITU_T6);
  page.add(std::string("001") + whiteNone + blackNone, 20'000);
  page.give(true);
  CHECK(page.state().t4_t6_rx.a_cursor <= 1728 + 1024);
  page.add("1", 50);
  page.give(true);
  CHECK(page.state().image_length >= 5);
}

TEST("row guard: passing over the row above without end, whatever it was") {
  for (const char* row : {"1", "0011000000000000011010", "000010", "0000010"}) {
    Page page(T4_COMPRESSION_ITU_T6);
    page.add(row, 40);
    page.add("0001", 60'000);
    page.give(true);
    CHECK(page.state().t4_t6_rx.b_cursor <= 1728 + 1024);
    page.add("0001000010", 20'000);
    page.give(true);
    CHECK(page.state().t4_t6_rx.b_cursor <= 1728 + 1024);
  }
}

TEST("row guard: one run that is longer than a number can tell") {
  Page page(T4_COMPRESSION_ITU_T4_1D);
  page.add(endOfLine);
  page.add("000000011111", 900'000);
  page.give(true);
  CHECK(page.state().t4_t6_rx.run_length >= 0);
  CHECK(page.state().t4_t6_rx.run_length <= 1 << 20);
}

TEST("row guard: what is right stays as it is") {
  Page page(T4_COMPRESSION_ITU_T6);
  page.add("1", 300);
  page.give(true);
  CHECK(page.state().image_length >= 300);
  CHECK_SAME(page.state().t4_t6_rx.bad_rows, 0);
}

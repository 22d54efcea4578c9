#include "t30_session.h"

#include <string_view>

#include "header_line.h"
#include "spandsp_headers.h"

namespace pbx {

namespace {

// Facsimile control fields as spandsp stores them: the first bit on the line is the highest (ITU-T T.30 section 5.3.6.1).
// The lowest bit, which shows which side sent the frame, is left out.
enum Fcf : uint8_t {
  dis = 0x80, csi = 0x40, tsi = 0x42, pwd = 0xC1, dcs = 0x82, cfr = 0x84, eop = 0x2E, mps = 0x4E, eom = 0x8E, pps = 0xBE,
  fcd = 0x06, rcp = 0x86, dcn = 0xFA
};

constexpr uint8_t withoutSpeaker(uint8_t fcf) {
  return fcf & 0xFE;
}

std::string trimmed(const char* text) {
  std::string_view view = text != nullptr ? text : "";
  while (!view.empty() && view.front() == ' ') view.remove_prefix(1);
  while (!view.empty() && view.back() == ' ') view.remove_suffix(1);
  return std::string(view);
}

std::string hex(const uint8_t* bytes, size_t count) {
  static const char* digits = "0123456789ABCDEF";
  std::string out;
  for (size_t i = 0; i < count; i++) {
    if (i > 0) out += ' ';
    out += digits[bytes[i] >> 4];
    out += digits[bytes[i] & 15];
  }
  return out;
}

}  // namespace

T30Session::T30Session(t30_state_s* t30, const FaxOrder& order, FaxEvents& events) : t30_(t30), order_(order), events_(events) {
  t30_set_tx_ident(t30, station(order.stationId).c_str());
  t30_set_ecm_capability(t30, order.ecm);
  t30_set_supported_modems(t30, (order.v17 ? T30_SUPPORT_V17 : 0) | (order.v29 ? T30_SUPPORT_V29 : 0) | T30_SUPPORT_V27TER);
  t30_set_supported_compressions(t30, T30_SUPPORT_T4_1D_COMPRESSION | T30_SUPPORT_T4_2D_COMPRESSION | T30_SUPPORT_T6_COMPRESSION);
  t30_set_supported_resolutions(t30, T30_SUPPORT_STANDARD_RESOLUTION | (order.fine ? T30_SUPPORT_FINE_RESOLUTION : 0) | T30_SUPPORT_R8_RESOLUTION);
  t30_set_supported_image_sizes(t30, T30_SUPPORT_215MM_WIDTH | T30_SUPPORT_UNLIMITED_LENGTH | T30_SUPPORT_A4_LENGTH | T30_SUPPORT_B4_LENGTH |
                                         T30_SUPPORT_US_LETTER_LENGTH | T30_SUPPORT_US_LEGAL_LENGTH);
  if (order.sending) {
    t30_set_tx_page_header_info(t30, headerText(order.header).c_str());
    t30_set_tx_page_header_tz(t30, posixZone(order.utcOffsetMinutes).c_str());
    t30_set_tx_file(t30, order.file.c_str(), static_cast<int>(order.firstPage), -1);
  } else {
    t30_set_rx_file(t30, order.file.c_str(), -1);
    t30_set_rx_encoding(t30, T4_COMPRESSION_ITU_T6);
  }
  t30_set_phase_e_handler(t30, [](t30_state_t*, void* self, int code) { static_cast<T30Session*>(self)->onPhaseE(code); }, this);
  t30_set_real_time_frame_handler(
      t30,
      [](t30_state_t*, void* self, int received, const uint8_t* message, int length) {
        auto* session = static_cast<T30Session*>(self);
        // The frame lies in spandsp's own buffer and is read from there once this returns.
        if (received != 0 && length >= 3) const_cast<uint8_t*>(message)[2] = session->guard_.control({message, static_cast<size_t>(length)});
        session->onFrame(received != 0, message, length);
      },
      this);
}

T30Session::~T30Session() {
  t30_set_phase_e_handler(t30_, nullptr, nullptr);
  t30_set_real_time_frame_handler(t30_, nullptr, nullptr);
}

void T30Session::logImageFrames() {
  if (imageFrames_ == 0) return;
  events_.frame({imageReceived_, "FCD x " + std::to_string(imageFrames_), ""});
  imageFrames_ = 0;
}

void T30Session::onFrame(bool received, const uint8_t* message, int length) {
  if (over_ || length < 3) return;
  const uint8_t fcf = message[2];
  // Image data of error correction mode: the document itself, counted and not looked at.
  if (fcf == fcd || fcf == rcp) {
    imageReceived_ = received;
    if (fcf == fcd) imageFrames_++;
    return;
  }
  logImageFrames();
  FaxFrame frame{received, t30_frametype(fcf), ""};
  const bool partial = withoutSpeaker(fcf) == pps && length > 3;
  if (partial) frame.name += std::string("-") + (message[3] == 0 ? "NULL" : t30_frametype(message[3]));
  if (withoutSpeaker(fcf) != withoutSpeaker(pwd)) frame.fif = hex(message + 3, static_cast<size_t>(length) - 3);
  events_.frame(frame);

  if (received && !heard_) {
    heard_ = true;
    progress(FaxPhase::negotiating);
  }
  const uint8_t command = withoutSpeaker(partial ? message[3] : fcf);
  if (command == mps || command == eop || command == eom) {
    moreFollows_ = command == mps;
    if (!received) endUnanswered_ = true;
  } else if (received && command != dcn) {
    // A far end that hangs up at the end of a page has not said that it did not get it.
    endUnanswered_ = false;
  }
  switch (withoutSpeaker(fcf)) {
    case dis:
      // spandsp does not scale pages: a receiver without fine resolution (bit 15, ITU-T T.30 table 2) is given the other file.
      if (received && order_.sending && !standard_ && !order_.standardFile.empty() && (length < 5 || (message[4] & 0x40) == 0)) {
        standard_ = true;
        t30_set_tx_file(t30_, order_.standardFile.c_str(), static_cast<int>(order_.firstPage), -1);
      }
      break;
    case dcs:
      update();
      progress(FaxPhase::training);
      break;
    case cfr:
      trained_ = true;
      update();
      progress(FaxPhase::page);
      break;
    default:
      break;
  }
}

void T30Session::update() {
  t30_stats_t stats;
  t30_get_transfer_statistics(t30_, &stats);
  state_.bitRate = static_cast<unsigned>(stats.bit_rate > 0 ? stats.bit_rate : 0);
  state_.ecm = stats.error_correcting_mode != 0;
  // Rows per metre: 3850 is standard, 7700 fine (ITU-T T.4). Unknown between the pages.
  if (stats.y_resolution > 0) state_.fine = stats.y_resolution > 5000;
  const char* ident = t30_get_rx_ident(t30_);
  if (ident != nullptr && ident[0] != 0) state_.remoteId = trimmed(ident);
  if (!order_.sending) {
    if (stats.length > static_cast<int>(maxRows)) exceeded_ = "A page of more than " + std::to_string(maxRows) + " rows was refused";
    if (stats.bad_rows > 0) badRowsOfPage_ = static_cast<unsigned>(stats.bad_rows);
  }
}

void T30Session::poll() {
  if (over_) return;
  t30_stats_t stats;
  t30_get_transfer_statistics(t30_, &stats);
  const int done = order_.sending ? stats.pages_tx : stats.pages_rx;
  if (trained_) update();
  if (done <= static_cast<int>(state_.pages)) return;
  state_.pages = static_cast<unsigned>(done);
  badRows_ += badRowsOfPage_;
  badRowsOfPage_ = 0;
  progress(FaxPhase::confirmed);
  if (!order_.sending && moreFollows_ && state_.pages >= maxPages) {
    exceeded_ = "More than " + std::to_string(maxPages) + " pages were refused";
  } else if (moreFollows_) {
    progress(FaxPhase::page);
  }
}

void T30Session::progress(FaxPhase phase) {
  events_.progress(phase, state_);
}

void T30Session::onPhaseE(int code) {
  if (over_) return;
  poll();
  finish(code, code == T30_ERR_CALLDROPPED && !droppedText_.empty() ? droppedText_ : t30_completion_code_to_str(code));
}

void T30Session::dropped(const std::string& text) {
  if (over_) return;
  droppedText_ = text;
  t30_terminate(t30_);  // ends in onPhaseE
  if (!over_) onPhaseE(T30_ERR_CALLDROPPED);
}

void T30Session::end(int code, const std::string& text) {
  if (over_) return;
  poll();
  finish(code, text);
}

void T30Session::finish(int code, const std::string& text) {
  over_ = true;
  logImageFrames();
  FaxEnd end{code, text, state_, badRows_, false};
  end.unconfirmedLastPage = order_.sending && code != T30_ERR_OK && endUnanswered_;
  events_.ended(end);
}

}  // namespace pbx

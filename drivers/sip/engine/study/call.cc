#include "call.h"

#include <cmath>
#include <map>
#include <memory>

#include "../fax/t38_fax.h"
#include "../fax/spandsp_headers.h"

namespace study {

namespace {

constexpr unsigned headerRows = 32;
constexpr unsigned longestTicks = 60 * 60 * 50;
using Block = std::array<int16_t, 160>;
using Bytes = std::vector<uint8_t>;

// When a packet sent now arrives; never, where it is lost.
class Weather {
 public:
  Weather(const LineModel& model, unsigned seed) : model_(model), random_(seed) {}
  bool lost() { return std::uniform_real_distribution<>(0, 1)(random_) < model_.loss; }
  double jitter() { return model_.jitterMs <= 0 ? 0 : std::exponential_distribution<>(1 / model_.jitterMs)(random_); }
  const LineModel& model() const { return model_; }

 private:
  const LineModel model_;
  std::mt19937 random_;
};

// One way of an audio call: u-law, a jitter buffer of fixed length, gaps where nothing came in time.
class AudioWay {
 public:
  AudioWay(const LineModel& model, unsigned seed) : weather_(model, seed), line_((model.delayMs + model.bufferMs) / 20) {}
  void carry(pbx::FaxFrontEnd& from, pbx::FaxFrontEnd& to) {
    Block block;
    from.say(block);
    for (int16_t& sample : block) sample = ulaw_to_linear(linear_to_ulaw(sample));
    const bool gone = weather_.lost() || weather_.jitter() > weather_.model().bufferMs;
    line_.push_back(gone ? std::nullopt : std::optional(block));
    to.hear(line_.front() ? std::span<const int16_t>(*line_.front()) : std::span<const int16_t>());
    line_.pop_front();
  }

 private:
  Weather weather_;
  std::deque<std::optional<Block>> line_;
};

class PacketWay {
 public:
  PacketWay(const LineModel& model, unsigned seed) : weather_(model, seed) {}
  void send(std::span<const uint8_t> datagram) {
    if (weather_.lost()) return;
    const double ms = weather_.model().delayMs + weather_.jitter();
    wire_.emplace(now_ + static_cast<unsigned>(std::lround(ms / 20)), Bytes(datagram.begin(), datagram.end()));
  }
  void arrive(pbx::T38Fax& at) {
    for (auto next = wire_.begin(); next != wire_.end() && next->first <= now_; next = wire_.erase(next)) at.receive(next->second);
    now_++;
  }

 private:
  Weather weather_;
  unsigned now_ = 0;
  std::multimap<unsigned, Bytes> wire_;
};

unsigned overAudio(const CallPlan& plan, const pbx::FaxOrder& send, const pbx::FaxOrder& receive, FaxStory& senderStory, FaxStory& receiverStory) {
  pbx::AudioFax sender(send, senderStory), receiver(receive, receiverStory);
  AudioWay there(plan.line, plan.seed * 2), back(plan.line, plan.seed * 2 + 1);
  unsigned ticks = 0;
  for (; ticks < longestTicks && !(sender.over() && receiver.over()); ticks++) {
    there.carry(sender, receiver);
    back.carry(receiver, sender);
  }
  sender.session().dropped();
  receiver.session().dropped();
  return ticks;
}

unsigned overPackets(const CallPlan& plan, const pbx::FaxOrder& send, const pbx::FaxOrder& receive, FaxStory& senderStory, FaxStory& receiverStory) {
  PacketWay there(plan.line, plan.seed * 2), back(plan.line, plan.seed * 2 + 1);
  pbx::T38Fax sender(send, senderStory, {}, [&](std::span<const uint8_t> datagram) { there.send(datagram); });
  pbx::T38Fax receiver(receive, receiverStory, {}, [&](std::span<const uint8_t> datagram) { back.send(datagram); });
  Block nothing;
  unsigned ticks = 0;
  for (; ticks < longestTicks && !(sender.over() && receiver.over()); ticks++) {
    there.arrive(receiver);
    back.arrive(sender);
    for (pbx::T38Fax* end : {&sender, &receiver}) {
      end->hear({});
      end->say(nothing);
    }
  }
  sender.session().dropped();
  receiver.session().dropped();
  return ticks;
}

uint64_t codedBytes(const std::string& file) {
  TIFF* tiff = TIFFOpen(file.c_str(), "r");
  if (tiff == nullptr) return 0;
  uint64_t bytes = 0;
  do {
    for (uint32_t strip = 0; strip < TIFFNumberOfStrips(tiff); strip++) bytes += static_cast<uint64_t>(TIFFRawStripSize(tiff, strip));
  } while (TIFFReadDirectory(tiff) != 0);
  TIFFClose(tiff);
  return bytes;
}

}  // namespace

CallOutcome call(const CallPlan& plan, const std::vector<FaxPage>& pages, const std::string& folder) {
  const std::string in = folder + "/sent.tif", out = folder + "/received.tif";
  std::filesystem::remove(out);
  writeFax(in, pages);
  pbx::FaxOrder send, receive;
  send.sending = true;
  send.file = in;
  receive.file = out;
  send.stationId = "+1 555 100";
  receive.stationId = "+1 555 200";
  send.header = "Clinic";
  send.ecm = plan.ecm;
  FaxStory senderStory, receiverStory;
  CallOutcome outcome;
  const auto run = plan.t38 ? overPackets : overAudio;
  outcome.seconds = run(plan, send, receive, senderStory, receiverStory) / 50.0;
  if (senderStory.end) {
    outcome.told = true;
    outcome.maybe = senderStory.end->unconfirmedLastPage;
    outcome.code = senderStory.end->code;
    outcome.bitRate = senderStory.end->state.bitRate;
  }
  const auto received = readFax(out);
  outcome.pagesArrived = static_cast<unsigned>(received.size());
  outcome.complete = received.size() == pages.size();
  for (size_t i = 0; outcome.complete && i < pages.size(); i++) outcome.complete = samePage(received[i], pages[i], headerRows);
  outcome.bytes = codedBytes(out);
  return outcome;
}

}  // namespace study

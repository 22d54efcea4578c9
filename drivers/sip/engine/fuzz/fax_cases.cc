#include "fax_cases.h"

#include <ctime>
#include <filesystem>
#include <memory>

#include "../test/fax_rig.h"
#include "../fax/t38_fax.h"
#include "../../../modem/class1/class1.h"
#include "fax_attacker.h"
#include "fax_datagrams.h"
#include "fax_modem.h"

namespace fuzz {

namespace {

constexpr unsigned audioTicks = 100 * 50, packetTicks = 400 * 50, modemTicks = 400 * 50;
// What a page of empty rows may take (t30_session.h) and a little.
constexpr size_t mostMemory = 160u << 20;
constexpr uintmax_t mostDisk = 64u << 20;

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double share(Random& random) {
  static const std::vector<double> shares = {0, 0.02, 0.1, 0.3, 1};
  return random.pick(shares);
}

Malice malice(Random& random) {
  Malice result;
  result.frames = share(random);
  result.imageFrames = share(random);
  if (random.chance(0.3)) result.frames = 0;  // all that is odd is in the page
  result.bits = random.chance(0.5) ? 0 : random.chance(0.5) ? 0.0005 : 0.01;
  result.image = random.chance(0.4);
  if (random.chance(0.1)) result.fill = random.chance(0.6) ? 0xFF : static_cast<int>(random.below(256)), result.frames = 0;
  result.honest = static_cast<unsigned>(random.below(random.chance(0.7) ? 4 : 40));
  return result;
}

// Counts memory and time while it lives.
class Watch {
 public:
  Watch(CaseResult& result, void (*tick)()) : result_(result), tick_(tick), before_(__sanitizer_get_current_allocated_bytes()) {}
  template <typename Step>
  void step(Step work) {
    tick_();
    const double began = cpuSeconds();
    work();
    result_.slowest = std::max(result_.slowest, cpuSeconds() - began);
    const size_t now = __sanitizer_get_current_allocated_bytes();
    result_.mostMemory = std::max(result_.mostMemory, now > before_ ? now - before_ : 0);
    if (result_.mostMemory > mostMemory) result_.fault = "more than 160 MB of memory at once";
  }

 private:
  CaseResult& result_;
  void (*tick_)();
  const size_t before_;
};

struct Scene {
  Random random;
  std::string folder, out;
  pbx::FaxOrder order;
  FaxStory story;
  CaseResult result;

  Scene(uint64_t seed, uint64_t number, const std::string& where) : random(seed * 1'000'003 + number), folder(where), out(where + "/received.tif") {
    order.sending = random.chance(0.4);
    order.ecm = random.chance(0.7);
    order.fine = random.chance(0.8);
    order.v17 = random.chance(0.8);
    order.v29 = random.chance(0.8);
    order.stationId = "+1 555 100";
    order.header = random.chance(0.8) ? "Clinic M\xC3\xBCller" : "";
    order.file = order.sending ? document() : out;
    if (order.sending && random.chance(0.5)) order.standardFile = folder + "/standard.tif";
    if (order.sending && random.chance(0.1)) order.firstPage = static_cast<unsigned>(random.below(4));
    std::filesystem::remove(out);
  }
  std::string document() { return folder + (random.chance(0.6) ? "/short.tif" : random.chance(0.7) ? "/pages.tif" : "/long.tif"); }
  AttackerOrder attacker(bool t38) {
    AttackerOrder lies;
    lies.sending = !order.sending;
    lies.t38 = t38;
    lies.ecm = random.chance(0.6);
    static const std::vector<int> codings = {0x02, 0x06, 0x0E, 0x0E, 0x0E};
    lies.compressions = random.pick(codings);
    lies.modems = random.chance(0.7) ? 7 : random.chance(0.5) ? 3 : 1;
    lies.file = lies.sending ? document() : folder + "/attacker.tif";
    lies.malice = malice(random);
    if (lies.sending && lies.malice.fill >= 0) lies.file = folder + "/dense.tif", lies.ecm = order.ecm = true;
    return lies;
  }
  // After the call: what was reported to the driver must match what is on the disk.
  void judge() {
    result.pages = story.end && story.end->state.pages > 0;
    if (!result.fault.empty()) return;
    if (story.ends != 1) result.fault = "the end was told " + std::to_string(story.ends) + " times";
    std::error_code none;
    const uintmax_t size = std::filesystem::file_size(out, none);
    if (!none && size > mostDisk) result.fault = "a received file of " + std::to_string(size >> 20) + " MB";
    if (!story.end || order.sending || story.end->state.pages == 0) return;
    TIFFSetErrorHandler(nullptr);
    TIFFSetWarningHandler(nullptr);
    TIFF* tiff = TIFFOpen(out.c_str(), "r");
    const unsigned pages = tiff == nullptr ? 0 : TIFFNumberOfDirectories(tiff);
    if (tiff != nullptr) TIFFClose(tiff);
    if (pages < story.end->state.pages) result.fault = std::to_string(story.end->state.pages) + " pages were confirmed, " + std::to_string(pages) + " are in the file";
  }
};

void overAudio(Scene& scene, void (*tick)()) {
  const AttackerOrder lies = scene.attacker(false);
  pbx::AudioFax fax(scene.order, scene.story);
  Attacker attacker(scene.random, lies, [](std::span<const uint8_t>) {});
  Watch watch(scene.result, tick);
  std::array<int16_t, 160> ours{}, theirs{};
  const double lost = scene.random.chance(0.2) ? 0.01 : 0;
  for (unsigned i = 0; i < audioTicks && !fax.over() && scene.result.fault.empty(); i++) {
    attacker.turn(ours, theirs);
    watch.step([&] {
      fax.hear(scene.random.chance(lost) ? std::span<const int16_t>() : theirs);
      fax.say(ours);
    });
  }
  fax.session().dropped();
}

// Over T.38 with a machine that lies in what it says, or one that is honest over a wire that damages.
void overPackets(Scene& scene, void (*tick)(), double wire) {
  std::vector<Bytes> forUs, forThem;
  pbx::UdptlSender wrap(scene.random.chance(0.5) ? 10 : 400);  // 10: no packet is repeated
  uint16_t sequence = 0;
  AttackerOrder lies = scene.attacker(true);
  if (wire > 0) lies.malice = {};
  pbx::T38Terms terms;
  terms.maxDatagram = scene.random.chance(0.7) ? 400 : scene.random.below(2000);
  terms.maxBitRate = scene.random.chance(0.7) ? 14400 : static_cast<unsigned>(scene.random.below(20000));
  pbx::T38Fax fax(scene.order, scene.story, terms, [&](std::span<const uint8_t> datagram) { forThem.emplace_back(datagram.begin(), datagram.end()); });
  Attacker attacker(scene.random, lies, [&](std::span<const uint8_t> ifp) {
    if (wire > 0 && scene.random.chance(wire)) {
      Bytes odd(ifp.begin(), ifp.end());
      if (scene.random.chance(0.5)) damage(scene.random, odd);
      else odd = oddIfp(scene.random);
      if (scene.random.chance(0.2)) forUs.push_back(oddDatagram(scene.random, odd, sequence));
      else forUs.push_back(wrap.wrap(odd));
    } else {
      forUs.push_back(wrap.wrap(ifp));
    }
    if (wire > 0 && scene.random.chance(wire)) damage(scene.random, forUs.back());
  });
  pbx::UdptlReceiver unwrap;
  Watch watch(scene.result, tick);
  std::array<int16_t, 160> nothing{};
  for (unsigned i = 0; i < packetTicks && !fax.over() && scene.result.fault.empty(); i++) {
    attacker.turn({}, nothing);
    for (const Bytes& datagram : forThem) {
      unwrap.unwrap(datagram, [&](std::span<const uint8_t> ifp, uint16_t number) { attacker.receive(ifp, number); });
    }
    forThem.clear();
    watch.step([&] {
      for (const Bytes& datagram : forUs) fax.receive(datagram);
      fax.hear({});
      fax.say(nothing);
    });
    forUs.clear();
  }
  fax.session().dropped();
}

// No machine at all: packets in any order, as fast as the socket hands them over.
void bareDatagrams(Scene& scene, void (*tick)()) {
  pbx::T38Fax fax(scene.order, scene.story, {}, [](std::span<const uint8_t>) {});
  Watch watch(scene.result, tick);
  std::array<int16_t, 160> nothing{};
  uint16_t sequence = static_cast<uint16_t>(scene.random.below(65536));
  const size_t most = scene.random.chance(0.2) ? 64 : 4;
  for (unsigned i = 0; i < 1500 && !fax.over() && scene.result.fault.empty(); i++) {
    watch.step([&] {
      for (size_t n = scene.random.below(most); n > 0; n--) fax.receive(oddDatagram(scene.random, oddIfp(scene.random), sequence));
      fax.hear({});
      fax.say(nothing);
    });
  }
  fax.session().dropped();
}

// Over a serial modem; pbx-fax without its process.
void overModem(Scene& scene, void (*tick)()) {
  ModemMalice lies{share(scene.random), share(scene.random), share(scene.random), scene.random.chance(0.7) ? 0 : 0.005};
  if (scene.random.chance(0.5)) lies.results = scene.random.chance(0.5) ? 0 : 0.005;
  pbx::Class1 fax(scene.order, scene.story);
  LyingModem modem(scene.random, !scene.order.sending, scene.random.chance(0.6), lies);
  Watch watch(scene.result, tick);
  const size_t most = 1 + scene.random.below(2000);
  for (unsigned i = 0; i < modemTicks && !fax.over() && scene.result.fault.empty(); i++) {
    watch.step([&] {
      fax.advance(20);
      fax.more();
      std::string& out = fax.unwritten();
      const size_t taken = std::min(most, out.size());
      modem.take(std::span(out).first(taken));
      out.erase(0, taken);
      fax.hear(modem.say());
    });
    if (i == modemTicks / 4 && scene.random.chance(0.3)) fax.stop("stopped");
  }
  fax.dropped();
}

}  // namespace

void prepareCases(const std::string& folder) {
  writeFax(folder + "/short.tif", {faxPage(60, 1)});
  writeFax(folder + "/pages.tif", {faxPage(40, 2), faxPage(30, 3), faxPage(50, 4)});
  writeFax(folder + "/long.tif", {faxPage(900, 5)});
  // Its bytes, when each is eight empty rows, are more rows than a page may have. A longer one would hang in the sanitizer,
  // whose realloc copies at every step.
  FaxPage dense(10);
  for (size_t y = 0; y < dense.size(); y++) {
    for (size_t x = 0; x < dense[y].size(); x++) dense[y][x] = static_cast<uint8_t>((x * 31 + y * 57) ^ (x * y >> 3));
  }
  writeFax(folder + "/dense.tif", {dense});
  writeFax(folder + "/standard.tif", {faxPage(30, 6), faxPage(30, 7)}, false);
}

CaseResult runCase(uint64_t seed, uint64_t number, const std::string& folder, bool modem, void (*tick)()) {
  Scene scene(seed, number, folder);
  if (modem) {
    scene.result.kind = scene.order.sending ? "sent over a modem" : "received over a modem";
    overModem(scene, tick);
    scene.judge();
    return scene.result;
  }
  const size_t kind = scene.random.below(100);
  if (kind < 50) scene.result.kind = "frames and pages over T.38", overPackets(scene, tick, 0);
  else if (kind < 65) scene.result.kind = "frames and pages over audio", overAudio(scene, tick);
  else if (kind < 82) scene.result.kind = "damaged datagrams of a call", overPackets(scene, tick, scene.random.chance(0.5) ? 0.01 : 0.1);
  else if (kind < 94) scene.result.kind = "made-up datagrams", bareDatagrams(scene, tick);
  else return runSdpCase(seed, number);
  scene.judge();
  return scene.result;
}

}  // namespace fuzz

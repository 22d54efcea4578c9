// T.38: the datagrams, and two sessions in virtual time over a network that loses some.
#include "../fax/t38_fax.h"

#include "check.h"
#include "fax_rig.h"

namespace {

using Bytes = std::vector<uint8_t>;

struct Inbox {
  std::vector<std::pair<uint16_t, Bytes>> packets;
  pbx::UdptlReceiver receiver;
  bool take(std::span<const uint8_t> datagram) {
    return receiver.unwrap(datagram, [this](std::span<const uint8_t> ifp, uint16_t sequence) { packets.push_back({sequence, Bytes(ifp.begin(), ifp.end())}); });
  }
};

struct T38Link {
  FaxStory senderStory, receiverStory;
  double loss = 0;
  std::mt19937 random{7};
  std::deque<std::vector<Bytes>> toReceiver{2}, toSender{2};
  std::vector<Bytes> fromSender, fromReceiver;
  pbx::T38Fax sender, receiver;
  unsigned ticks = 0;

  T38Link(const pbx::FaxOrder& send, const pbx::FaxOrder& receive)
      : sender(send, senderStory, {}, [this](std::span<const uint8_t> d) { post(fromSender, d); }),
        receiver(receive, receiverStory, {}, [this](std::span<const uint8_t> d) { post(fromReceiver, d); }) {}
  void post(std::vector<Bytes>& box, std::span<const uint8_t> datagram) {
    if (std::uniform_real_distribution<>(0, 1)(random) >= loss) box.emplace_back(datagram.begin(), datagram.end());
  }
  void tick() {
    ticks++;
    std::array<int16_t, 160> nothing;
    for (pbx::T38Fax* end : {&sender, &receiver}) {
      auto& line = end == &sender ? toSender : toReceiver;
      for (const Bytes& datagram : line.front()) end->receive(datagram);
      line.pop_front();
      end->hear({});
      end->say(nothing);
    }
    toReceiver.push_back(std::move(fromSender));
    toSender.push_back(std::move(fromReceiver));
    fromSender.clear();
    fromReceiver.clear();
  }
  void run(unsigned seconds = 900) {
    for (const unsigned until = ticks + seconds * 50; ticks < until && !(sender.over() && receiver.over());) tick();
  }
};

}  // namespace

TEST("udptl: three datagrams in a row may be lost, the fourth is missed") {
  pbx::UdptlSender sender(400);
  std::vector<Bytes> datagrams;
  for (uint8_t i = 0; i < 12; i++) datagrams.push_back(sender.wrap(Bytes(i == 5 ? 200 : 3, i)));
  Inbox inbox;
  for (const size_t i : {0, 1, 5, 6, 11}) CHECK(inbox.take(datagrams[i]));
  std::string seen;
  for (const auto& [sequence, bytes] : inbox.packets) {
    seen += std::to_string(sequence) + " ";
    CHECK_SAME(bytes.at(0), static_cast<uint8_t>(sequence));
  }
  CHECK_SAME(seen, "0 1 2 3 4 5 6 8 9 10 11 ");
  CHECK(inbox.take(datagrams[11]));
  CHECK(inbox.take(datagrams[4]));
  CHECK_SAME(inbox.packets.size(), 11u);
}

TEST("udptl: nothing a stranger sends is read beyond its end") {
  std::mt19937 random(3);
  pbx::UdptlSender sender(400);
  for (int i = 0; i < 20000; i++) {
    Bytes datagram = sender.wrap(Bytes(random() % 300, static_cast<uint8_t>(i)));
    for (unsigned n = random() % 4; n > 0 && !datagram.empty(); n--) datagram[random() % datagram.size()] = static_cast<uint8_t>(random());
    if (random() % 3 == 0) datagram.resize(random() % (datagram.size() + 1));
    Inbox inbox;
    inbox.take(datagram);
  }
  CHECK(!Inbox().take({}));
  CHECK(!Inbox().take(Bytes{0, 1, 0xC0}));
  CHECK(!Inbox().take(Bytes{0, 1, 5, 1, 2}));
}

TEST("t38: pages arrive pixel by pixel, also where a tenth of the datagrams is lost") {
  for (const double loss : {0.0, 0.02, 0.1}) {
    TempDir dir;
    const std::vector<FaxPage> pages = {faxPage(400, 1), faxPage(300, 2)};
    writeFax(dir.file("in.tif"), pages);
    pbx::FaxOrder send, receive;
    send.sending = true;
    send.file = dir.file("in.tif");
    send.stationId = "100";
    receive.file = dir.file("out.tif");
    receive.stationId = "200";
    T38Link link(send, receive);
    link.loss = loss;
    link.run();
    CHECK(link.senderStory.end && link.senderStory.end->code == 0);
    CHECK(link.receiverStory.end && link.receiverStory.end->code == 0);
    if (link.senderStory.end) CHECK_SAME(link.senderStory.end->state.remoteId, "200");
    const auto received = readFax(dir.file("out.tif"));
    CHECK_SAME(received.size(), 2u);
    for (size_t i = 0; i < received.size() && i < 2; i++) CHECK(samePage(received[i], pages[i], 32));
    std::cout << "  loss " << loss << ": " << link.ticks / 50 << " s\n";
  }
}

TEST("t38: a far end that falls silent ends the call after a minute, stop says DCN") {
  TempDir dir;
  writeFax(dir.file("in.tif"), {faxPage(2000, 1)});
  pbx::FaxOrder send, receive;
  send.sending = true;
  send.file = dir.file("in.tif");
  receive.file = dir.file("out.tif");
  {
    T38Link link(send, receive);
    for (int i = 0; i < 600; i++) link.tick();
    CHECK(!link.senderStory.end);
    link.sender.stop("enough");
    CHECK(link.senderStory.end && link.senderStory.end->code == 7);
    link.run(20);
    CHECK(link.receiverStory.count("<DCN") == 1);
    CHECK(link.receiverStory.end.has_value());
  }
  T38Link link(send, receive);
  for (int i = 0; i < 600; i++) link.tick();
  link.loss = 1;
  const unsigned before = link.ticks;
  link.run(100);
  CHECK(link.senderStory.end.has_value() && link.receiverStory.end.has_value());
  CHECK_BETWEEN((link.ticks - before) / 50.0, 1, 61);
  CHECK_SAME(link.receiverStory.end->text, "our side: no media");
}

TEST("t38: a page that takes longer than a minute is sent to its end, though the receiver says nothing during it") {
  TempDir dir;
  FaxPage noise(700);
  std::mt19937 random(9);
  for (auto& row : noise) {
    for (auto& byte : row) byte = static_cast<uint8_t>(random());
  }
  writeFax(dir.file("in.tif"), {noise});
  pbx::FaxOrder send, receive;
  send.sending = true;
  send.ecm = false;
  send.file = dir.file("in.tif");
  receive.file = dir.file("out.tif");
  T38Link link(send, receive);
  while (link.senderStory.phases.find('p') == std::string::npos && link.ticks < 3000) link.tick();
  const unsigned began = link.ticks;
  link.run();
  CHECK_BETWEEN((link.ticks - began) / 50.0, 75, 300);
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  CHECK(link.receiverStory.end && link.receiverStory.end->code == 0);
}

TEST("t38: a call of more than ten minutes goes on to its last page") {
  TempDir dir;
  std::vector<FaxPage> pages;
  for (unsigned i = 0; i < 4; i++) {
    FaxPage page(1150);
    std::mt19937 random(i);
    for (auto& row : page) {
      for (auto& byte : row) byte = static_cast<uint8_t>(random());
    }
    pages.push_back(page);
  }
  writeFax(dir.file("in.tif"), pages);
  pbx::FaxOrder send, receive;
  send.sending = true;
  send.file = dir.file("in.tif");
  receive.file = dir.file("out.tif");
  T38Link link(send, receive);
  link.run(3000);
  CHECK_BETWEEN(link.ticks / 50.0, 600, 1500);
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  CHECK(link.receiverStory.end && link.receiverStory.end->code == 0);
  const auto received = readFax(dir.file("out.tif"));
  CHECK_SAME(received.size(), 4u);
  for (size_t i = 0; i < received.size() && i < 4; i++) CHECK(samePage(received[i], pages[i], 32));
}

TEST("t38: mutated packets of a far end crash nothing") {
  TempDir dir;
  writeFax(dir.file("in.tif"), {faxPage(300, 1)});
  // FAX_FUZZ_ROUNDS: for long runs under sanitizers.
  const char* wanted = std::getenv("FAX_FUZZ_ROUNDS");
  const unsigned rounds = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 20;
  for (unsigned seed = 1; seed <= rounds; seed++) {
    pbx::FaxOrder send, receive;
    send.sending = true;
    send.file = dir.file("in.tif");
    receive.file = dir.file("out.tif");
    T38Link link(send, receive);
    std::mt19937 random(seed);
    for (int i = 0; i < 3000 && !(link.sender.over() && link.receiver.over()); i++) {
      for (auto* line : {&link.toReceiver, &link.toSender}) {
        for (auto& datagram : line->front()) {
          if (random() % 10 == 0 && datagram.size() > 3) datagram[2 + random() % (datagram.size() - 2)] ^= static_cast<uint8_t>(1 << random() % 8);
        }
      }
      link.tick();
    }
  }
}

TEST("t38: image data without a frame number harms nothing, and the page is whole in the end") {
  TempDir dir;
  const std::vector<FaxPage> pages = {faxPage(900, 1)};
  writeFax(dir.file("in.tif"), pages);
  pbx::FaxOrder send, receive;
  send.sending = true;
  send.file = dir.file("in.tif");
  receive.file = dir.file("out.tif");
  T38Link link(send, receive);
  // V.17 14400, two fields: the frame FF 03 06, its check sum right.
  const Bytes ifp = {0xD0, 2, 0x80, 0, 2, 0xFF, 0xC0, 0x60, 0x20};
  unsigned injected = 0;
  for (unsigned i = 0; i < 900 * 50 && !(link.sender.over() && link.receiver.over()); i++) {
    for (Bytes& datagram : link.toReceiver.front()) {
      const bool image = link.receiverStory.phases == "ntp" && datagram.size() > 12 && datagram[3] == 0xD0;
      if (!image || injected == 3) continue;
      injected++;
      datagram.resize(2);
      datagram.push_back(static_cast<uint8_t>(ifp.size()));
      datagram.insert(datagram.end(), ifp.begin(), ifp.end());
    }
    link.tick();
  }
  CHECK_SAME(injected, 3u);
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  CHECK(link.receiverStory.end && link.receiverStory.end->code == 0);
  const auto received = readFax(dir.file("out.tif"));
  CHECK(received.size() == 1 && samePage(received[0], pages[0], 32));
}

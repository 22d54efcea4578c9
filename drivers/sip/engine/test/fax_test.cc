// T.30 over audio, two sessions in virtual time.
#include "check.h"
#include "fax_rig.h"

namespace {

pbx::FaxOrder sendOrder(const std::string& file) {
  pbx::FaxOrder order;
  order.sending = true;
  order.file = file;
  order.stationId = "+1 555 100";
  order.header = "Clinic M\xC3\xBCller";
  order.utcOffsetMinutes = 120;
  return order;
}

pbx::FaxOrder receiveOrder(const std::string& file) {
  pbx::FaxOrder order;
  order.file = file;
  order.stationId = "+1 555 200";
  return order;
}

struct Desk {
  TempDir dir;
  std::string in = dir.file("in.tif"), out = dir.file("out.tif"), standard = dir.file("standard.tif");
  std::vector<FaxPage> pages;
  explicit Desk(unsigned count, unsigned rows = 300) {
    for (unsigned i = 0; i < count; i++) pages.push_back(faxPage(rows, i + 1));
    writeFax(in, pages);
  }
};

}  // namespace

TEST("fax: three pages arrive pixel by pixel below the header line") {
  Desk desk(3);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  link.run();
  CHECK_SAME(link.senderStory.ends, 1u);
  CHECK_SAME(link.receiverStory.ends, 1u);
  if (!link.senderStory.end || !link.receiverStory.end) return;
  const pbx::FaxEnd& sent = *link.senderStory.end;
  const pbx::FaxEnd& got = *link.receiverStory.end;
  CHECK_SAME(sent.code, 0);
  CHECK_SAME(got.code, 0);
  CHECK_SAME(sent.state.pages, 3u);
  CHECK_SAME(got.state.pages, 3u);
  CHECK_SAME(sent.state.bitRate, 14400u);
  CHECK(sent.state.ecm && sent.state.fine && got.state.fine);
  CHECK_SAME(sent.state.remoteId, "+1 555 200");
  CHECK_SAME(got.state.remoteId, "+1 555 100");
  CHECK(!sent.unconfirmedLastPage);
  CHECK_SAME(link.senderStory.phases, "ntpcpcpc");
  CHECK_SAME(link.receiverStory.phases, "ntpcpcpc");
  const auto received = readFax(desk.out);
  CHECK_SAME(received.size(), 3u);
  for (size_t i = 0; i < received.size() && i < 3; i++) CHECK(samePage(received[i], desk.pages[i], 32));
  CHECK_SAME(link.senderStory.count("<DIS"), 1u);
  CHECK_SAME(link.senderStory.count(">FCD x"), 3u);
  CHECK_SAME(link.senderStory.count(">PPS-EOP"), 1u);
}

TEST("fax: without error correction, by the slowest modem") {
  Desk desk(1, 100);
  auto order = sendOrder(desk.in);
  order.ecm = order.v17 = order.v29 = false;
  FaxLink link(order, receiveOrder(desk.out));
  link.run();
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  if (!link.senderStory.end) return;
  CHECK_SAME(link.senderStory.end->state.bitRate, 4800u);
  CHECK(!link.senderStory.end->state.ecm);
  const auto received = readFax(desk.out);
  CHECK_SAME(received.size(), 1u);
  CHECK(!received.empty() && samePage(received[0], desk.pages[0], 32));
}

TEST("fax: goes on with the second page where a call before it broke") {
  Desk desk(3);
  auto order = sendOrder(desk.in);
  order.firstPage = 1;
  FaxLink link(order, receiveOrder(desk.out));
  link.run();
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  if (link.senderStory.end) CHECK_SAME(link.senderStory.end->state.pages, 2u);
  const auto received = readFax(desk.out);
  CHECK_SAME(received.size(), 2u);
  for (size_t i = 0; i < received.size() && i < 2; i++) CHECK(samePage(received[i], desk.pages[i + 1], 32));
}

TEST("fax: with half a percent of the blocks lost, what error correction calls sent is complete") {
  unsigned sent = 0;
  for (unsigned seed = 1; seed <= 8; seed++) {
    Desk desk(2, 400);
    FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
    link.loss = 0.005;
    link.random.seed(seed);
    link.run(900);
    CHECK_SAME(link.senderStory.ends, 1u);
    if (!link.senderStory.end || link.senderStory.end->code != 0) continue;
    sent++;
    const auto received = readFax(desk.out);
    CHECK_SAME(received.size(), 2u);
    for (size_t i = 0; i < received.size() && i < 2; i++) CHECK(samePage(received[i], desk.pages[i], 32));
  }
  std::cout << "  " << sent << " of 8 calls sent\n";
  CHECK(sent >= 5);
}

TEST("fax: a line that carries nothing at all while an end is silent ends each carrier") {
  Desk desk(2);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out), 10);
  link.silenceIsSent = false;
  link.run();
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  CHECK(link.receiverStory.end && link.receiverStory.end->code == 0);
  const auto received = readFax(desk.out);
  CHECK_SAME(received.size(), 2u);
  for (size_t i = 0; i < received.size() && i < 2; i++) CHECK(samePage(received[i], desk.pages[i], 32));
}

TEST("fax: a call that breaks keeps the pages that were confirmed") {
  Desk desk(3);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  CHECK(link.runUntil([&] { return link.senderStory.phases == "ntpcp"; }));
  for (int i = 0; i < 100; i++) link.tick();
  link.sender.session().dropped();
  link.receiver.session().dropped();
  CHECK_SAME(link.senderStory.end->code, 49);
  CHECK_SAME(link.receiverStory.end->code, 49);
  CHECK_SAME(link.senderStory.end->state.pages, 1u);
  CHECK_SAME(link.receiverStory.end->state.pages, 1u);
  CHECK_SAME(link.senderStory.ends, 1u);
  const auto received = readFax(desk.out);
  CHECK_SAME(received.size(), 1u);
  CHECK(!received.empty() && samePage(received[0], desk.pages[0], 32));
}

TEST("fax: stop says DCN, which the far end understands") {
  Desk desk(3, 1500);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  CHECK(link.runUntil([&] { return link.senderStory.phases == "ntp"; }));
  for (int i = 0; i < 200; i++) link.tick();
  link.sender.stop("canceled");
  const unsigned before = link.ticks;
  CHECK(link.runUntil([&] { return link.senderStory.end.has_value(); }, 5));
  CHECK_BETWEEN((link.ticks - before) / 50.0, 0.9, 2.0);
  CHECK_SAME(link.senderStory.end->code, 7);
  CHECK_SAME(link.senderStory.end->text, "canceled");
  link.run(20);
  CHECK(link.receiverStory.end.has_value());
  CHECK(link.receiverStory.count("<DCN") >= 1);
}

TEST("fax: nobody but a voice answers") {
  Desk desk(1);
  FaxStory story;
  pbx::AudioFax fax(sendOrder(desk.in), story);
  const Samples voice = babble(90'000, -20);
  std::array<int16_t, 160> out;
  unsigned ticks = 0;
  for (; !story.end && ticks < 4500; ticks++) {
    fax.hear(std::span(voice).subspan(ticks * 160, 160));
    fax.say(out);
  }
  CHECK(story.end.has_value());
  if (story.end) CHECK_SAME(story.end->code, 2);
  CHECK_SAME(story.phases, "");
  std::cout << "  ended after " << ticks / 50 << " s\n";
}

TEST("fax: a file that is not there ends it with a code of ours") {
  TempDir dir;
  FaxLink link(sendOrder(dir.file("none.tif")), receiveOrder(dir.file("out.tif")));
  link.run(120);
  CHECK(link.senderStory.end.has_value());
  if (link.senderStory.end) CHECK_BETWEEN(link.senderStory.end->code, 40, 47);
}

TEST("fax: a far end without fine resolution gets the standard pages in the same call") {
  Desk desk(2);
  const std::vector<FaxPage> coarse = {faxPage(150, 11), faxPage(150, 12)};
  writeFax(desk.standard, coarse, false);
  auto send = sendOrder(desk.in), receive = receiveOrder(desk.out);
  send.standardFile = desk.standard;
  receive.fine = false;
  FaxLink link(send, receive);
  link.run();
  CHECK(link.senderStory.end && link.senderStory.end->code == 0);
  if (link.senderStory.end) CHECK(!link.senderStory.end->state.fine);
  const auto received = readFax(desk.out);
  CHECK_SAME(received.size(), 2u);
  for (size_t i = 0; i < received.size() && i < 2; i++) CHECK(samePage(received[i], coarse[i], 16));
  // Without such a file spandsp gives up.
  send.standardFile.clear();
  FaxLink second(send, receive);
  second.run();
  CHECK(second.senderStory.end && second.senderStory.end->code == 11);
}

TEST("fax: more pages than a call may bring are refused") {
  Desk desk(pbx::T30Session::maxPages + 2, 8);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  link.run(4000);
  CHECK(link.receiverStory.end.has_value());
  if (!link.receiverStory.end) return;
  CHECK_SAME(link.receiverStory.end->code, 7);
  CHECK_SAME(link.receiverStory.end->state.pages, pbx::T30Session::maxPages);
  CHECK(link.receiverStory.end->text.find("pages") != std::string::npos);
}

TEST("fax: when nothing answers the end of the last page, that page may have arrived") {
  Desk desk(1);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  CHECK(link.runUntil([&] { return link.senderStory.count(">PPS-EOP") == 1; }));
  link.runUntil([&] { return link.receiverStory.count("<PPS-EOP") == 1; });
  link.loss = 1;
  link.run(120);
  CHECK(link.senderStory.end.has_value());
  if (!link.senderStory.end) return;
  CHECK(link.senderStory.end->unconfirmedLastPage);
  CHECK_SAME(link.senderStory.end->code, 21);
  CHECK_SAME(link.senderStory.end->state.pages, 0u);
}

TEST("fax: when nothing answers the end of a page with another behind it, that page may have arrived") {
  Desk desk(2);
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  CHECK(link.runUntil([&] { return link.receiverStory.count("<PPS-MPS") == 1; }));
  link.loss = 1;
  link.run(120);
  CHECK(link.senderStory.end.has_value());
  if (!link.senderStory.end) return;
  CHECK(link.senderStory.end->unconfirmedLastPage);
  CHECK_SAME(link.senderStory.end->state.pages, 0u);
}

TEST("fax: a page that never ends is refused before it fills the memory") {
  Desk desk(1);
  // Rows that fill several blocks of 64 KB: spandsp decodes a block at a time.
  FaxPage page(pbx::T30Session::maxRows + 40000);
  for (size_t y = 0; y < page.size(); y++) page[y][y * 7 % 216] = 0x10;
  writeFax(desk.in, {page});
  FaxLink link(sendOrder(desk.in), receiveOrder(desk.out));
  link.run(600);
  CHECK(link.receiverStory.end.has_value());
  if (!link.receiverStory.end) return;
  CHECK_SAME(link.receiverStory.end->code, 7);
  CHECK(link.receiverStory.end->text.find("rows") != std::string::npos);
}

// The link over a socket pair, with the other end in the test's hands.
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "../ipc/frame.h"
#include "check.h"

using namespace pbx;

namespace {

struct Ends {
  int engine, daemon;
  Ends() {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) abort();
    engine = pair[0];
    daemon = pair[1];
  }
  ~Ends() { hangUp(); }
  void hangUp() {
    if (daemon >= 0) close(daemon);
    daemon = -1;
  }
  void put(const std::string& bytes) { CHECK_SAME(write(daemon, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size())); }
  // Everything the link sends until `bytes` have come or it hangs up.
  std::string take(size_t bytes) {
    std::string all(bytes, '\0');
    size_t have = 0;
    while (have < bytes) {
      const ssize_t got = read(daemon, all.data() + have, bytes - have);
      if (got <= 0) break;
      have += static_cast<size_t>(got);
    }
    all.resize(have);
    return all;
  }
};

struct Inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<FrameKind, std::string>> frames;
  std::string end = "not ended";
  Link::OnFrame onFrame() {
    return [this](FrameKind kind, std::span<const uint8_t> payload) {
      std::lock_guard lock(mutex);
      frames.emplace_back(kind, std::string(payload.begin(), payload.end()));
      return frames.back().second != "bad";
    };
  }
  Link::OnEnd onEnd() {
    return [this](const std::string& why) {
      std::lock_guard lock(mutex);
      end = why;
      changed.notify_all();
    };
  }
  std::string waitEnd() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(10), [this] { return end != "not ended"; });
    return end;
  }
};

std::string frame(uint8_t kind, const std::string& payload) {
  std::string bytes(5, '\0');
  writeU32(reinterpret_cast<uint8_t*>(bytes.data()), static_cast<uint32_t>(payload.size() + 1));
  bytes[4] = static_cast<char>(kind);
  return bytes + payload;
}

}  // namespace

TEST("what was handed over can be read at once; a daemon that reads nothing is not waited for") {
  Ends ends;
  Inbox inbox;
  Link link(ends.engine);
  link.start(inbox.onFrame(), inbox.onEnd());
  const std::string payload = "{\"t\":\"digit\"}";
  const size_t size = frame(1, payload).size();
  for (int i = 0; i < 500; i++) {
    link.sendMessage({{"t", "digit"}});
    CHECK(link.handOver(std::chrono::seconds(10)));
    std::string bytes(size, '\0');
    CHECK_SAME(recv(ends.daemon, bytes.data(), size, MSG_DONTWAIT), static_cast<ssize_t>(size));
    CHECK_SAME(bytes, frame(1, payload));
  }
  const std::vector<uint8_t> much(4u << 20);
  link.send(FrameKind::message, much);
  CHECK(!link.handOver(std::chrono::milliseconds(20)));
  CHECK_SAME(ends.take(much.size() + 5).size(), much.size() + 5);
  CHECK(link.handOver(std::chrono::seconds(10)));
}

TEST("frames arrive whole, however they are cut up, and the end of file is told") {
  Ends ends;
  Inbox inbox;
  Link link(ends.engine);
  link.start(inbox.onFrame(), inbox.onEnd());
  const std::string bytes = frame(1, R"({"t":"hello"})") + frame(2, std::string(4 + 200000, 'x')) + frame(4, "12345678") + frame(1, "");
  size_t step = 1;
  for (size_t at = 0; at < bytes.size(); at += step, step = step * 3 % 7919) ends.put(bytes.substr(at, step));
  ends.hangUp();
  CHECK_SAME(inbox.waitEnd(), "");
  CHECK_SAME(inbox.frames.size(), 4u);
  CHECK(inbox.frames[0].first == FrameKind::message && inbox.frames[0].second == R"({"t":"hello"})");
  CHECK(inbox.frames[1].first == FrameKind::clip && inbox.frames[1].second.size() == 200004);
  CHECK(inbox.frames[2].first == FrameKind::pcm);
}

TEST("a frame that breaks the rules ends the connection") {
  const std::string huge("\x01\x00\x00\x01\x01", 5);
  const std::string torn = frame(1, "{}").substr(0, 6);
  for (const std::string& bytes : {frame(9, "x"), frame(3, "x"), std::string(5, '\0'), huge, frame(2, "123"), frame(2, "12345"),
                                   frame(4, "1234567"), frame(1, "bad"), torn}) {
    Ends ends;
    Inbox inbox;
    Link link(ends.engine);
    link.start(inbox.onFrame(), inbox.onEnd());
    ends.put(frame(1, "good") + bytes);
    shutdown(ends.daemon, SHUT_WR);
    CHECK(inbox.waitEnd().size() > 5);
    CHECK_SAME(inbox.frames[0].second, "good");
  }
}

TEST("the largest frame is taken") {
  Ends ends;
  Inbox inbox;
  Link link(ends.engine);
  link.start(inbox.onFrame(), inbox.onEnd());
  ends.put(frame(2, std::string(maxFrameBytes - 2, 'x')));  // numbers and whole samples
  ends.hangUp();
  CHECK_SAME(inbox.waitEnd(), "");
  CHECK_SAME(inbox.frames.size(), 1u);
  if (!inbox.frames.empty()) CHECK_SAME(inbox.frames[0].second.size(), maxFrameBytes - 2);
}

TEST("messages and audio are written in order, also what was queued before the start, and stop writes the rest") {
  Ends ends;
  Inbox inbox;
  std::string wanted = frame(1, R"({"t":"first"})");
  Link link(ends.engine);
  link.sendMessage({{"t", "first"}});
  link.start(inbox.onFrame(), inbox.onEnd());
  for (int i = 0; i < 300; i++) {
    const std::string text = std::to_string(i);
    const std::vector<uint8_t> payload(text.begin(), text.end());
    link.send(i % 2 ? FrameKind::audio : FrameKind::message, payload);
    wanted += frame(i % 2 ? 3 : 1, text);
  }
  link.sendMessage({{"t", "bad \xff text"}});
  wanted += frame(1, "{\"t\":\"bad \xef\xbf\xbd text\"}");
  link.stop();
  CHECK(ends.take(wanted.size() + 1) == wanted);
}

TEST("a reader that does not read costs audio, never a message, and never blocks the sender or the stop") {
  Ends ends;
  Inbox inbox;
  Link link(ends.engine);
  link.start(inbox.onFrame(), inbox.onEnd());
  const std::vector<uint8_t> audio(3280);
  for (int i = 0; i < 2000; i++) {
    link.send(FrameKind::audio, audio);
    if (i % 100 == 0) link.sendMessage({{"n", i}});
  }
  CHECK_BETWEEN(static_cast<double>(link.droppedAudio()), 5000, 15000);  // ten legs each
  std::string got;
  size_t messages = 0;
  while (messages < 20) {
    const std::string header = ends.take(5);
    if (header.size() < 5) break;
    ends.take(readU32(reinterpret_cast<const uint8_t*>(header.data())) - 1);
    if (header[4] == 1) messages++;
  }
  CHECK_SAME(messages, 20u);
  for (int i = 0; i < 2000; i++) link.send(FrameKind::audio, audio);
  const auto began = std::chrono::steady_clock::now();
  link.stop(std::chrono::milliseconds(50));
  CHECK_BETWEEN(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 0, 2);
  CHECK_SAME(inbox.end, "not ended");
}

TEST("a daemon that went away does not harm the sender") {
  Ends ends;
  Inbox inbox;
  Link link(ends.engine);
  link.start(inbox.onFrame(), inbox.onEnd());
  ends.hangUp();
  CHECK_SAME(inbox.waitEnd(), "");
  for (int i = 0; i < 100; i++) link.sendMessage({{"n", i}});
  link.stop();
}

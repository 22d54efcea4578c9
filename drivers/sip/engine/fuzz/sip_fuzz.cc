// sip_fuzz ENGINE [--seconds N] [--seed N] [--out FOLDER]
// Feeds a pbx-engine, built under sanitizers, with damaged SIP, SDP, RTP and RTCP over loopback: as a trunk, as a phone that
// knows its password, as a stranger, over UDP and TCP, inside real calls, as texts and otherwise; and with odd orders and
// broken frames where the daemon sits. Exit 0: the engine answered to the end and stopped as it should; 1: it died or a
// sanitizer spoke; 2: wrong usage; 3: it no longer answered.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>

#include "engine_process.h"
#include "messages.h"
#include "orders.h"
#include "reports.h"
#include "socket.h"
#include "texts.h"

namespace {

using namespace fuzz;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr int answerWithinMs = 15'000;
constexpr int damagedLives = 20;
constexpr size_t mostDialogs = 40, keptMessages = 400;

class Fuzzer {
 public:
  Fuzzer(const std::string& program, const std::string& folder, uint64_t seed) : random_(seed), program_(program), folder_(folder), engine_(program, folder + "/engine.log", false) {}

  int run(int seconds) {
    if (!begin()) return fail(3, "the engine did not start");
    const auto until = Clock::now() + std::chrono::seconds(seconds);
    for (size_t round = 1; Clock::now() < until; round++) {
      for (int i = 0; i < 20; i++) act();
      listen();
      if (!engine_.alive()) return fail(1, "the engine " + engine_.statusText());
      if (round % 50 == 0 && !answers()) return fail(engine_.alive() ? 3 : 1, "the engine no longer answers");
      if (round % 500 == 0) std::printf("%zu messages, %zu calls\n", sent_, calls_), std::fflush(stdout);
    }
    if (!answers()) return fail(engine_.alive() ? 3 : 1, "the engine no longer answers");
    const int status = engine_.finish(60'000);
    if (status != 0) return fail(1, status == -1 ? "the engine did not stop" : "at its end the engine " + engine_.statusText());
    if (const std::string what = damagedLinks(); !what.empty()) return fail(1, what);
    return verdict();
  }

 private:
  bool begin() {
    engine_.send({{"t", "hello"}, {"version", 2}});
    if (engine_.await("hello", answerWithinMs).is_null()) return false;
    configuration_ = configuration(trunk_.via);
    engine_.send(configuration_);
    const json configured = engine_.await("configured", answerWithinMs);
    if (configured.is_null() || !configured["udp"].is_string() || !configured["tcp"].is_string()) return false;
    const auto port = [](const std::string& at) { return static_cast<uint16_t>(std::atoi(at.substr(at.rfind(':') + 1).c_str())); };
    server_ = configured["udp"];
    sip_ = addressOf(port(server_));
    tcp_ = addressOf(port(configured["tcp"]));
    return true;
  }

  void keep(const char* how, const std::string& message) {
    kept_.push_back("---- " + std::string(how) + "\n" + message + "\n");
    if (kept_.size() > keptMessages) kept_.pop_front();
  }

  void transmit(const Socket& from, const std::string& message, double damage) {
    std::string packet = random_.chance(damage) ? mutateSip(random_, message) : message;
    keep(from.ip.c_str(), packet);
    sendto(from.fd, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&sip_), sizeof sip_);
    sent_++;
  }

  std::string authorization(const std::string& method) {
    if (nonce_.empty() || random_.chance(0.1)) return "";
    return digestHeader(method, "101", random_.chance(0.05) ? "wrong" : "secret", nonce_, "sip:" + server_, random_.token(), ++nonceCount_);
  }

  void newCall() {
    const bool phone = random_.chance(0.2);
    const Socket& from = phone ? phone_ : trunk_;
    Dialog dialog;
    dialog.callId = random_.token(20);
    dialog.ourTag = random_.token();
    dialog.via = from.via;
    dialog.user = phone ? "101" : "+15551234567";
    transmit(from, invite(random_, dialog, server_, phone ? authorization("INVITE") : ""), 0.5);
    if (dialogs_.size() >= mostDialogs) dialogs_.erase(std::next(dialogs_.begin(), static_cast<ptrdiff_t>(random_.below(dialogs_.size()))));
    dialogs_[dialog.callId] = dialog;
  }

  Dialog* anyDialog() {
    return dialogs_.empty() ? nullptr : &std::next(dialogs_.begin(), static_cast<ptrdiff_t>(random_.below(dialogs_.size())))->second;
  }

  const Socket& socketOf(const Dialog& dialog) const { return dialog.via == phone_.via ? phone_ : trunk_; }

  void inCall() {
    static const std::vector<std::string> methods = {"ACK", "ACK", "BYE", "CANCEL", "INVITE", "INVITE", "INVITE", "UPDATE", "INFO", "INFO", "REFER", "PRACK", "NOTIFY", "OPTIONS", "MESSAGE", "SUBSCRIBE"};
    if (Dialog* dialog = anyDialog()) transmit(socketOf(*dialog), inDialog(random_, *dialog, random_.pick(methods)), 0.6);
  }

  void media() {
    Dialog* dialog = anyDialog();
    if (dialog == nullptr || dialog->rtp < 1024) return;
    for (int i = 0; i < 10; i++) {
      const bool control = random_.chance(0.2);
      std::string packet = random_.chance(0.05) ? stun(random_) : control ? rtcp(random_) : rtp(random_, sequence_++, timestamp_ += 160);
      if (random_.chance(0.6)) packet = mutateBytes(random_, packet);
      const sockaddr_in to = addressOf(static_cast<uint16_t>(dialog->rtp + (control ? 1 : 0)));
      sendto(trunk_.fd, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
      sent_++;
    }
  }

  void strangers() {
    static const std::vector<std::string> methods = {"REGISTER", "REGISTER", "REGISTER", "OPTIONS", "SUBSCRIBE", "PUBLISH", "MESSAGE", "NOTIFY", "BYE", "INFO", "PRACK", "FOO", "INVITE"};
    const std::string& method = random_.pick(methods);
    const Socket& from = random_.chance(0.6) ? phone_ : random_.chance(0.5) ? stranger_ : trunk_;
    transmit(from, outOfDialog(random_, method, from.via, server_, random_.chance(0.8) ? "101" : "999", &from == &phone_ ? authorization(method) : ""), 0.6);
  }

  void edge() {
    static const std::vector<std::string> methods = {"REGISTER", "REGISTER", "OPTIONS", "SUBSCRIBE", "MESSAGE", "INVITE"};
    if (random_.chance(0.3)) {
      Dialog dialog;
      dialog.callId = random_.token(20);
      dialog.ourTag = random_.token();
      dialog.via = edge_.via;
      dialog.user = random_.chance(0.5) ? "101" : "+15551234567";
      return transmit(edge_, throughEdge(random_, invite(random_, dialog, server_, authorization("INVITE"))), 0.2);
    }
    const std::string& method = random_.pick(methods);
    transmit(edge_, throughEdge(random_, outOfDialog(random_, method, edge_.via, server_, "101", authorization(method))), 0.2);
  }

  void texts() {
    if (random_.chance(0.4)) return engine_.send(textOrder(random_, ++text_));
    const Socket& from = random_.chance(0.8) ? trunk_ : random_.chance(0.5) ? phone_ : stranger_;
    const std::string message = textRequest(random_, from.via, server_, random_.chance(0.9) ? "+15551234567" : "101");
    for (size_t i = 0, times = random_.chance(0.2) ? 3 : 1; i < times; i++) transmit(from, message, 0.4);
  }

  void stream() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    connect(fd, reinterpret_cast<const sockaddr*>(&tcp_), sizeof tcp_);
    pollfd ready{fd, POLLOUT, 0};
    poll(&ready, 1, 200);
    Dialog dialog;
    dialog.callId = random_.token(20);
    dialog.ourTag = random_.token();
    dialog.via = "127.0.0.1:9";
    dialog.user = random_.chance(0.5) ? "+1555" : "101";
    std::string all;
    for (size_t i = 0, count = 1 + random_.below(4); i < count; i++) {
      std::string message = random_.chance(0.5) ? invite(random_, dialog, server_, "") : outOfDialog(random_, "OPTIONS", dialog.via, server_, dialog.user, "");
      message.replace(message.find("SIP/2.0/UDP"), 11, "SIP/2.0/TCP");
      if (random_.chance(0.2)) all += "\r\n\r\n";
      all += random_.chance(0.6) ? mutateSip(random_, message) : message;
    }
    keep("tcp", all);
    for (size_t at = 0; at < all.size();) {
      const size_t part = random_.chance(0.5) ? all.size() - at : 1 + random_.below(all.size() - at);
      if (send(fd, all.data() + at, part, MSG_NOSIGNAL) <= 0) break;
      at += part;
    }
    sent_++;
    if (random_.chance(0.7)) shutdown(fd, SHUT_WR);
    streams_.push_back(fd);
    if (streams_.size() > 10) close(streams_.front()), streams_.pop_front();
  }

  void command(unsigned leg) {
    engine_.send(random_.chance(0.1) ? oddOrder(random_, leg) : order(random_, leg, folder_));
    if (random_.chance(0.1)) engine_.sendFrame(random_.chance(0.5) ? 2 : 4, pcmPayload(random_, leg));
  }

  void reconfigure() {
    json changed = configuration_;
    oddLines(random_, changed);
    engine_.send(changed);
  }

  void act() {
    const size_t kind = random_.below(100);
    if (kind < 20) newCall();
    else if (kind < 55) inCall();
    else if (kind < 70) media();
    else if (kind < 75) strangers();
    else if (kind < 78) edge();
    else if (kind < 84) texts();
    else if (kind < 87) stream();
    else if (kind < 90) engine_.send(dialOrder(random_, outbound_ += 2));
    else if (random_.chance(0.002)) reconfigure();
    else if (kind < 92) command(1 + static_cast<unsigned>(random_.below(lastLeg_ + 3)));
    else if (Dialog* dialog = anyDialog(); dialog != nullptr && !dialog->leg.empty()) command(static_cast<unsigned>(std::atoi(dialog->leg.c_str())));
  }

  void onPacket(const Socket& at, const std::string& packet) {
    const int status = statusOf(packet);
    const std::string callId = header(packet, "Call-ID"), method = methodOf(packet);
    if (status != 0) {
      if (const std::string challenge = header(packet, "WWW-Authenticate"); !challenge.empty()) {
        const size_t from = challenge.find("nonce=\"");
        if (from != std::string::npos && (at.via == phone_.via || at.via == edge_.via)) nonce_ = challenge.substr(from + 7, challenge.find('"', from + 7) - from - 7), nonceCount_ = 0;
      }
      const auto found = dialogs_.find(callId);
      if (found == dialogs_.end()) return;
      Dialog& dialog = found->second;
      if (const std::string tag = tagOf(header(packet, "To")); !tag.empty()) dialog.theirTag = tag;
      if (const uint16_t port = audioPort(packet)) dialog.rtp = port;
      if (const std::string contact = header(packet, "Contact"); contact.size() > 2 && contact[0] == '<') dialog.target = contact.substr(1, contact.find('>') - 1);
      if (const std::string rseq = header(packet, "RSeq"); !rseq.empty()) dialog.rseq = static_cast<unsigned>(std::atoi(rseq.c_str()));
      if (method == "INVITE" && status >= 200 && random_.chance(0.8)) transmit(at, inDialog(random_, dialog, "ACK"), 0.2);
      return;
    }
    if (method == "ACK" || random_.chance(method == "BYE" ? 0.02 : 0.1)) return;
    static const std::vector<int> codes = {100, 180, 183, 200, 200, 200, 200, 202, 302, 401, 407, 403, 404, 408, 415, 422, 480, 481, 486, 487, 488, 491, 500, 503, 603, 699};
    const std::string tag = random_.token();
    int code = method == "INVITE" || method == "MESSAGE" || random_.chance(0.2) ? random_.pick(codes) : 200;
    // A BYE or CANCEL that is left unanswered holds its call for 32 s, and the run would sit on full slots.
    transmit(at, answer(random_, packet, code, tag, at.via, at.ip), method == "BYE" || method == "CANCEL" ? 0.1 : 0.5);
    if (method == "INVITE" && tagOf(header(packet, "To")).empty() && dialogs_.size() < mostDialogs) {
      Dialog dialog;
      dialog.callId = callId;
      dialog.ourTag = tag;
      dialog.theirTag = tagOf(header(packet, "From"));
      dialog.via = at.via;
      dialog.user = "+15559990000";
      dialog.target = "sip:" + server_;
      dialog.rtp = audioPort(packet);
      dialog.weCalled = false;
      dialogs_[callId] = dialog;
    }
  }

  void listen() {
    for (const Socket* at : {&trunk_, &phone_, &stranger_, &edge_}) {
      char bytes[65536];
      for (;;) {
        const ssize_t n = recv(at->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n <= 0) break;
        onPacket(*at, std::string(bytes, static_cast<size_t>(n)));
      }
    }
    for (json message = engine_.receive(2); !message.is_null(); message = engine_.receive(0)) {
      if (message.value("t", "") == "text" && random_.chance(0.9)) engine_.send(textReply(random_, message.value("id", 0u))), textsIn_++;
      textsOut_ += message.value("t", "") == "textSent";
      if (message.value("t", "") != "invite") continue;
      calls_++;
      lastLeg_ = message.value("leg", 0u);
      if (const auto at = dialogs_.find(message.value("sipCallId", "")); at != dialogs_.end()) at->second.leg = std::to_string(lastLeg_);
      command(lastLeg_);
    }
  }

  // The media clock turns and SIP is answered. Calls left over are ended, so that the run does not sit on full slots.
  bool answers() {
    for (unsigned leg = lastLeg_ > 800 ? lastLeg_ - 800 : 1; leg <= lastLeg_; leg += 2) {
      if (random_.chance(0.9)) engine_.send({{"t", "hangup"}, {"leg", leg}});
    }
    engine_.send({{"t", "ping"}, {"n", 1}});
    if (engine_.await("pong", answerWithinMs).is_null()) return false;
    const auto until = Clock::now() + std::chrono::milliseconds(answerWithinMs);
    while (Clock::now() < until && engine_.alive()) {
      const std::string probe = outOfDialog(random_, "OPTIONS", trunk_.via, server_, "+1555", "");
      const std::string callId = header(probe, "Call-ID");
      transmit(trunk_, probe, 0);
      pollfd ready{trunk_.fd, POLLIN, 0};
      for (int tries = 0; tries < 50 && poll(&ready, 1, 100) > 0; tries++) {
        char bytes[65536];
        const ssize_t n = recv(trunk_.fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n <= 0) break;
        const std::string packet(bytes, static_cast<size_t>(n));
        if (header(packet, "Call-ID") == callId) return true;
        onPacket(trunk_, packet);
      }
    }
    return false;
  }

  // Frames that break the protocol end an engine in order: with 0, or 3 for another version.
  std::string damagedLinks() {
    for (int life = 0; life < damagedLives; life++) {
      EngineProcess engine(program_, folder_ + "/engine.log", true);
      engine.send({{"t", "hello"}, {"version", random_.chance(0.8) ? 2 : 3}});
      if (random_.chance(0.5)) engine.send(configuration_);
      engine.write(damagedFrames(random_));
      while (!engine.receive(20).is_null()) {
      }
      const int status = engine.finish(20'000);
      if (status == -1 || !WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3)) return "given damaged frames, the engine " + engine.statusText();
    }
    return "";
  }

  int fail(int code, const std::string& what) {
    engine_.finish(5000);
    std::ofstream file(folder_ + "/messages.txt");
    for (const std::string& message : kept_) file << message;
    std::printf("FAILED: %s; the last messages are in %s/messages.txt, what the engine wrote in %s/engine.log\n", what.c_str(), folder_.c_str(), folder_.c_str());
    verdict();
    return code;
  }

  int verdict() const {
    const size_t reports = printReports(folder_ + "/engine.log");
    std::printf("%zu messages, %zu calls and %zu texts reached the daemon, %zu texts sent, %zu sanitizer reports\n", sent_, calls_, textsIn_, textsOut_, reports);
    return reports == 0 ? 0 : 1;
  }

  Random random_;
  std::string program_, folder_;
  EngineProcess engine_;
  Socket trunk_{"127.0.0.1"}, phone_{"127.0.0.3"}, stranger_{"127.0.0.4"}, edge_{"127.0.0.5"};
  sockaddr_in sip_{}, tcp_{};
  std::string server_, nonce_;
  json configuration_;
  unsigned nonceCount_ = 0, lastLeg_ = 0, outbound_ = 0, text_ = 0, timestamp_ = 0;
  uint16_t sequence_ = 0;
  size_t sent_ = 0, calls_ = 0, textsIn_ = 0, textsOut_ = 0;
  std::map<std::string, Dialog> dialogs_;
  std::deque<std::string> kept_;
  std::deque<int> streams_;
};

}  // namespace

int main(int count, char** arguments) {
  signal(SIGPIPE, SIG_IGN);
  int seconds = 60;
  uint64_t seed = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::string program, folder;
  for (int i = 1; i < count; i++) {
    const std::string argument = arguments[i];
    if (argument == "--seconds" && i + 1 < count) seconds = std::atoi(arguments[++i]);
    else if (argument == "--seed" && i + 1 < count) seed = std::strtoull(arguments[++i], nullptr, 10);
    else if (argument == "--out" && i + 1 < count) folder = arguments[++i];
    else if (program.empty() && argument[0] != '-') program = argument;
    else program.clear(), i = count;
  }
  if (program.empty() || seconds <= 0) {
    std::fprintf(stderr, "usage: sip_fuzz ENGINE [--seconds N] [--seed N] [--out FOLDER]\n");
    return 2;
  }
  if (folder.empty()) folder = std::filesystem::temp_directory_path() / ("sip-fuzz-" + std::to_string(seed));
  std::filesystem::create_directories(folder);
  std::printf("seed %llu, %d s\n", static_cast<unsigned long long>(seed), seconds);
  try {
    return Fuzzer(program, folder, seed).run(seconds);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "sip_fuzz: %s\n", fault.what());
    return 3;
  }
}

#include "control.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <set>

#include "call_events.h"
#include "far_end.h"
#include "keys.h"
#include "now.h"
#include "phone_uri.h"

namespace pbx {

using nlohmann::json;

namespace {

uint32_t number(const json& message, const char* name, uint32_t otherwise = 0) {
  const auto at = message.find(name);
  return at != message.end() && at->is_number() && at->get<double>() >= 0 ? static_cast<uint32_t>(at->get<double>()) : otherwise;
}

std::string string(const json& message, const char* name) {
  const auto at = message.find(name);
  return at != message.end() && at->is_string() ? at->get<std::string>() : "";
}

std::vector<Header> headersOf(const json& message) {
  std::vector<Header> headers;
  const auto at = message.find("headers");
  if (at == message.end() || !at->is_object()) return headers;
  for (const auto& [name, value] : at->items()) {
    if (value.is_string()) headers.push_back({name, value.get<std::string>()});
  }
  return headers;
}

// What could begin a header of its own, end a string early or move a terminal's cursor: no order needs control characters, but
// a text for people has lines.
void cleanOrder(json& value) {
  if (value.is_string()) {
    std::erase_if(value.get_ref<std::string&>(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  } else if (value.is_structured()) {
    for (auto& [name, member] : value.items()) {
      if (name != "body") cleanOrder(member);
    }
  }
}

bool flag(const json& message, const char* name) {
  const auto at = message.find(name);
  return at != message.end() && at->is_boolean() && at->get<bool>();
}

long residentKb() {
  std::ifstream file("/proc/self/statm");
  long size = 0, resident = 0;
  file >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Which file this was started from: another one may lie there by now.
std::string program() {
  struct stat file {};
  if (stat("/proc/self/exe", &file) != 0) return "";
  return std::to_string(file.st_ino) + "-" + std::to_string(file.st_size) + "-" + std::to_string(file.st_mtim.tv_sec);
}

}  // namespace

bool Control::onFrame(FrameKind kind, std::span<const uint8_t> payload) {
  registerThread();
  context_.attendance.spoke(steadyMs());
  switch (kind) {
    case FrameKind::clip:
      clips_.insert(readU32(payload.data()));
      context_.media.storeClip(readU32(payload.data()), readPcm(payload.subspan(4)));
      return true;
    case FrameKind::pcm:
      context_.media.streamPcm(readU32(payload.data()), readU32(payload.data() + 4), readPcm(payload.subspan(8)));
      return true;
    case FrameKind::message: {
      json message = json::parse(payload.begin(), payload.end(), nullptr, false);
      if (!message.is_object()) return false;
      cleanOrder(message);
      return onMessage(message);
    }
    default:
      return false;
  }
}

bool Control::onMessage(const json& message) {
  const std::string type = string(message, "t");
  if (type == "hello") {
    greeted_ = true;
    context_.events.tell({{"t", "hello"}, {"version", protocolVersion}, {"returning", returning_}, {"engine", engineVersion}, {"pjsip", pj_get_version()}, {"pid", getpid()}, {"program", program()}, {"realtime", realtimeWhy_.empty()}, {"realtimeReason", realtimeWhy_}});
    wrongVersion_ = number(message, "version") != protocolVersion;
    return !wrongVersion_;
  }
  if (!greeted_) return false;
  if (type == "configure") {
    configure(message);
  } else if (type == "ping") {
    context_.attendance.asked();
    ping(number(message, "n"));
  } else if (type == "clipDrop") {
    clips_.erase(number(message, "clip"));
    context_.media.dropClip(number(message, "clip"));
  } else if (type == "drain") {
    context_.gate.drain(!message.contains("on") || flag(message, "on"), flag(message, "silent"));
  } else if (type == "stop") {
    stopOrdered_ = true;
  } else if (type == "keep") {
    standing_.keep(number(message, "leg"), string(message, "tag"));
  } else if (type == "adopted") {
    adopted(message);
  } else if (type == "bans") {
    json list = json::array();
    for (const StandingBan& ban : context_.bans.list(steadyMs())) list.push_back({{"address", ban.source}, {"seconds", ban.seconds}, {"failures", ban.failures}});
    context_.events.send({{"t", "bans"}, {"n", number(message, "n")}, {"list", list}});
  } else if (type == "unban") {
    context_.events.send({{"t", "unbanned"}, {"n", number(message, "n")}, {"lifted", context_.bans.lift(string(message, "address"), steadyMs())}});
  } else if (onTextMessage(type, message)) {
    // Also while PJSIP does not run, so that the sender of a text learns what became of it.
  } else if (started_ && onLampMessage(type, message)) {
    // Of no leg.
  } else if (started_) {
    // Unknown messages are ignored: a newer daemon may know more.
    if (!onMediaMessage(type, message)) onLegMessage(type, message);
  }
  return true;
}

void Control::ping(uint32_t n) {
  ask([this, n] { context_.events.tell({{"t", "pong"}, {"n", n}, {"tickLatenessMaxMs", context_.media.latenessMaxMs()}, {"legs", context_.legs.count()}, {"calls", started_ ? context_.room.inUse() : 0}, {"callsLimit", started_ ? context_.room.limit() : 0}}); });
}

// The caller, PJSIP's worker, on which all signalling runs, and the media clock.
void Control::ask(std::function<void()> answered) {
  if (!started_) return context_.media.onTick(std::move(answered));
  registerThread();
  auto work = std::make_unique<std::function<void()>>([this, answered = std::move(answered)]() mutable { context_.media.onTick(std::move(answered)); });
  const auto run = [](void* given) { (*std::unique_ptr<std::function<void()>>(static_cast<std::function<void()>*>(given)))(); };
  if (pjsua_schedule_timer2(run, work.get(), 0) == PJ_SUCCESS) work.release();
}

bool Control::onTextMessage(const std::string& type, const json& message) {
  if (type == "textSend") {
    context_.textSender.send({number(message, "id"), string(message, "trunk"), string(message, "to"), string(message, "from"), string(message, "body")});
  } else if (type == "textReply") {
    context_.textReceiver.reply(number(message, "id"), static_cast<int>(number(message, "code", 503)));
  } else {
    return false;
  }
  return true;
}

bool Control::onLampMessage(const std::string& type, const json& message) {
  if (type == "notify") {
    context_.watchers.notify(number(message, "subscription"), string(message, "body"), string(message, "end"));
  } else if (type == "messages") {
    context_.watchers.tell(string(message, "extension"), string(message, "body"));
  } else {
    return false;
  }
  return true;
}

bool Control::onMediaMessage(const std::string& type, const json& message) {
  Media& media = context_.media;
  const LegId leg = number(message, "leg");
  if (isAlone(leg)) return true;
  if (type == "play") {
    play(message);
  } else if (type == "playEnd") {
    media.streamEnd(leg, number(message, "play"));
  } else if (type == "clear") {
    media.clear(leg);
  } else if (type == "record") {
    const auto recorded = context_.legs.find(leg);
    if (recorded == nullptr) return true;
    {
      std::lock_guard lock(context_.legs.mutex());
      recorded->records[number(message, "record")] = string(message, "file");
    }
    context_.events.recordStarted(leg);
    media.record(leg, number(message, "record"), string(message, "file"), number(message, "maxMs"), number(message, "channels") == 2 ? 2 : 1);
    // The leg may have ended in between, and then only this reports that the recording has ended: `ended` waits for it.
    if (context_.legs.find(leg) == nullptr) context_.events.recorded(leg, number(message, "record"), string(message, "file"), 0, "failed");
  } else if (type == "recordStop") {
    media.recordStop(leg, number(message, "record"), number(message, "trimMs"));
  } else if (type == "listen") {
    media.listen(leg, flag(message, "on"));
  } else if (type == "tap") {
    media.tap(leg, flag(message, "on"));
  } else if (type == "fork") {
    media.fork(leg, {flag(message, "heard"), flag(message, "said"), flag(message, "heardWide"), flag(message, "saidWide")});
  } else if (type == "tones") {
    media.listenForFax(leg, flag(message, "on"));
  } else if (type == "faxStop") {
    context_.faxes.stop(leg);
  } else if (type == "loop") {
    media.loop(leg, number(message, "clip"), number(message, "offsetMs"));
  } else if (type == "loopStop") {
    media.loopStop(leg);
  } else if (type == "join") {
    lastBridge_ = std::max(lastBridge_, number(message, "bridge"));
    note(leg, number(message, "bridge"));
    media.join(leg, number(message, "bridge"), flag(message, "hears"), flag(message, "speaks"));
  } else if (type == "leave") {
    note(leg, 0);
    media.leave(leg);
  } else {
    return false;
  }
  return true;
}

bool Control::onLegMessage(const std::string& type, const json& message) {
  const LegId leg = number(message, "leg");
  if (isAlone(leg)) return true;
  calls_.take(leg);
  if (type == "take") {
    // Nothing but this: the application is being asked.
  } else if (type == "progress") {
    calls_.progress(leg, static_cast<int>(number(message, "code", 180)));
  } else if (type == "answer") {
    calls_.answer(leg);
  } else if (type == "reject") {
    calls_.reject(leg, static_cast<int>(number(message, "code", 480)), string(message, "reason"));
  } else if (type == "hangup") {
    calls_.hangup(leg, static_cast<int>(number(message, "cause", 16)));
  } else if (type == "dial") {
    lastLeg_ = std::max(lastLeg_, leg);
    context_.dialling.dial({leg, string(message, "trunk"), string(message, "extension"), string(message, "to"), string(message, "from"), string(message, "callerName"), string(message, "diversion"), number(message, "timeout", 30), flag(message, "fax"), headersOf(message), number(message, "silenceMs"), number(message, "replaces"), {}, flag(message, "help")});
  } else if (type == "digits") {
    calls_.digits(leg, string(message, "digits"), string(message, "method"));
  } else if (type == "hold") {
    calls_.hold(leg, flag(message, "on"));
  } else if (type == "connected") {
    calls_.connected(leg, string(message, "number"), string(message, "name"));
  } else if (type == "refer") {
    calls_.refer(leg, string(message, "to"), number(message, "replaces"));
  } else if (type == "transfers") {
    context_.transfers.allow(leg, flag(message, "on"));
  } else if (type == "referProgress") {
    context_.transfers.progress(leg, number(message, "refer"), static_cast<int>(number(message, "code")));
  } else if (type == "faxSend" || type == "faxReceive") {
    fax(message, type == "faxSend");
  } else {
    return false;
  }
  return true;
}

void Control::fax(const json& message, bool sending) {
  const LegId leg = number(message, "leg");
  FaxOrder order;
  order.sending = sending;
  order.file = string(message, "file");
  order.standardFile = string(message, "standardFile");
  order.firstPage = number(message, "firstPage");
  order.stationId = string(message, "stationId");
  order.header = string(message, "header");
  if (const auto at = message.find("utcOffsetMinutes"); at != message.end() && at->is_number_integer()) order.utcOffsetMinutes = at->get<int>();
  order.ecm = flag(message, "ecm");
  order.t38 = flag(message, "t38");
  if (const auto at = message.find("modems"); at != message.end() && at->is_array()) {
    const auto has = [&](const char* name) { return std::find(at->begin(), at->end(), json(name)) != at->end(); };
    order.v17 = has("v17");
    order.v29 = has("v29");
  }
  if (context_.legs.find(leg) == nullptr || !context_.faxes.start(leg, order)) return;
  calls_.carryModem(leg);
  // The leg may have ended in between, and then only this reports that the fax has ended.
  if (context_.legs.find(leg) == nullptr) context_.faxes.legEnded(leg, "");
}

void Control::play(const json& message) {
  const LegId leg = number(message, "leg");
  const uint32_t item = number(message, "play");
  const bool over = flag(message, "over");
  if (message.contains("clip")) {
    context_.media.playClip(leg, item, number(message, "clip"), number(message, "offsetMs"), over);
  } else if (message.contains("silenceMs")) {
    context_.media.playSilence(leg, item, number(message, "silenceMs"));
  } else if (flag(message, "stream")) {
    context_.media.playStream(leg, item, number(message, "rate") == 16000);
  } else if (const auto tone = message.find("tone"); tone != message.end() && tone->is_object()) {
    Tone sound;
    if (const auto hz = tone->find("hz"); hz != tone->end() && hz->is_array()) {
      for (const json& value : *hz) {
        if (value.is_number()) sound.hz.push_back(value.get<double>());
      }
    }
    sound.ms = number(*tone, "ms");
    if (const auto level = tone->find("dbm0"); level != tone->end() && level->is_number()) sound.dbm0 = level->get<double>();
    context_.media.playTone(leg, item, sound, over);
  }
}

void Control::configure(const json& message) {
  std::vector<std::string> faults;
  const auto settings = readSettings(message, faults);
  for (const std::string& fault : faults) context_.events.log("error", fault);
  context_.settings.set(settings);
  setEdges(settings->edges);
  json configured = {{"t", "configured"}, {"udp", nullptr}, {"tcp", nullptr}, {"tls", nullptr}, {"errors", json::array()}};
  if (!started_ && !failed_) {
    std::string why;
    context_.ownAddresses.refresh();
    context_.connections.install();
    context_.paths.ports->open(settings->rtpFirst, settings->rtpLast);
    if (!context_.endpoint.start(*settings, context_.room.open(settings->calls), callCallbacks(context_), context_.media, configured, why)) {
      failed_ = true;
      configured["errors"].push_back({{"part", "engine"}, {"text", why}});
      context_.events.tell(configured);
      return;
    }
    if (const pj_status_t status = PhoneTarget::install(); status != PJ_SUCCESS) context_.events.log("error", "phones cannot be called: " + errorText(status));
    if (const pj_status_t status = context_.gate.install(); status != PJ_SUCCESS) context_.events.log("error", "the gate could not be installed: " + errorText(status));
    if (const pj_status_t status = context_.descriptions.install(); status != PJ_SUCCESS) context_.events.log("error", "the check of descriptions could not be installed: " + errorText(status));
    if (const pj_status_t status = context_.t38.install(); status != PJ_SUCCESS) context_.events.log("error", "T.38 could not be installed: " + errorText(status));
    if (const pj_status_t status = context_.addressing.install(); status != PJ_SUCCESS) context_.events.log("error", "the addresses of messages cannot be written: " + errorText(status));
    context_.ownAddresses.listenAt(context_.endpoint.mediaAddress());
    if (const pj_status_t status = context_.textReceiver.install(); status != PJ_SUCCESS) context_.events.log("error", "texts could not be installed: " + errorText(status));
    if (const pj_status_t status = context_.watchers.install(); status != PJ_SUCCESS) context_.events.log("error", "lamps could not be installed: " + errorText(status));
    context_.resolver.start(settings->nameservers, context_.endpoint.families());
    if (context_.room.limit() < settings->calls) context_.events.log("warn", "there is room for " + std::to_string(context_.room.limit()) + " calls at once, not for " + std::to_string(settings->calls) + ": the system lets this program open too few files (LimitNOFILE)");
    started_ = true;
  } else if (started_) {
    if (context_.endpoint.bindMissing(*settings, configured)) context_.trunks.askAgain();
  } else {
    configured["errors"].push_back({{"part", "engine"}, {"text", "PJSIP did not start"}});
    context_.events.tell(configured);
    return;
  }
  context_.registrar.configure(*settings);
  context_.trunks.configure(*settings);
  context_.events.tell(configured);
  if (!returning_) context_.attendance.came();
  if (returning_) context_.events.tell({{"t", "adopt"}, {"legs", standing_.list()}, {"lastLeg", lastLeg_}, {"lastBridge", lastBridge_}});
}

void Control::sweep() {
  // PJLIB, too, is there only then.
  if (!started_) return;
  registerThread();
  const int64_t now = nowMs();
  calls_.sweep();
  help_.sweep();
  context_.faxes.sweep();
  context_.t38.sweep(now);
  context_.textReceiver.sweep(now);
  context_.trunks.sweep(steadyMs());
  context_.dialling.sweep(steadyMs());
  // A phone waits for its lamp until the daemon is back.
  if (!alone_) context_.watchers.sweep(steadyMs());
  context_.connections.sweep(steadyMs());
  context_.networkChanges.sweep(steadyMs());
  if (now >= nextSecond_) {
    nextSecond_ = now + 1000;
    const int64_t steady = steadyMs();
    context_.registrar.sweep(now, steady);
    context_.bans.sweep(steady);
    context_.rates.sweep(steady);
    context_.digest.sweep(steady);
  }
  if (now >= nextStats_) {
    nextStats_ = now + 10'000;
    sendStats();
  }
}

void Control::sendStats() {
  // Returns the memory of a rush of calls once it has passed.
  if (context_.legs.count() == 0) malloc_trim(0);
  const ClockReport report = context_.media.report();
  context_.events.send({{"t", "stats"}, {"legs", context_.legs.count()}, {"tickLatenessP99Ms", report.latenessP99Ms}, {"tickLatenessMaxMs", report.latenessMaxMs}, {"rssKb", residentKb()}, {"clipBytes", report.clipBytes}, {"foreignPackets", ForeignPackets::total()}, {"droppedAudio", report.droppedAudio + context_.events.droppedAudio()}, {"lostTicks", report.lostTicks}});
}

}  // namespace pbx

#include "media_path.h"

#include <cstring>
#include <new>
#include <utility>

namespace pbx {

namespace {

thread_local std::shared_ptr<MediaPath> arriving;

constexpr unsigned discardPort = 9;
constexpr size_t rtpHeader = 12;
// Payloads of RFC 4733 and RFC 3389 are shorter, audio of 10 ms is longer.
constexpr size_t shortestAudio = 40;

struct GuardedTransport {
  pjmedia_transport base{};
  pjmedia_transport* sockets = nullptr;
  bool closesSockets = false;
  std::shared_ptr<MediaPath> path;
  MediaLine line;
  // The layer above: SRTP.
  void* user = nullptr;
  void (*rtp)(pjmedia_tp_cb_param*) = nullptr;
  void (*rtcp)(void*, void*, pj_ssize_t) = nullptr;
  SocketAddress sendingTo;
  uint32_t ssrc = 0, nextSsrc = 0;
  uint16_t nextSequence = 0;
  bool ssrcKnown = false, nextKnown = false;
};

GuardedTransport* of(pjmedia_transport* transport) {
  return reinterpret_cast<GuardedTransport*>(transport);
}

// PJLIB's addresses are laid out as the system's.
const sockaddr* native(const pj_sockaddr& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool isVersion2(const uint8_t* packet, size_t size, size_t least) {
  return size >= least && packet[0] >> 6 == 2;
}

// A far end that restarts its stream is followed when two packets of audio from its new source (SSRC) come one after the
// other. A packet too short for audio is a key or comfort noise: a far end may send its keys under an SSRC of their own, and
// that does not move the stream.
bool ofTheSource(GuardedTransport& self, const uint8_t* packet, size_t size) {
  if (!isVersion2(packet, size, rtpHeader) || size < rtpHeader + shortestAudio) return true;
  uint32_t ssrc = 0;
  std::memcpy(&ssrc, packet + 8, 4);
  if (self.ssrcKnown && ssrc == self.ssrc) return true;
  const auto sequence = static_cast<uint16_t>(packet[2] << 8 | packet[3]);
  if (self.ssrcKnown && !(self.nextKnown && ssrc == self.nextSsrc && sequence == self.nextSequence)) {
    self.nextKnown = true;
    self.nextSsrc = ssrc;
    self.nextSequence = static_cast<uint16_t>(sequence + 1);
    return false;
  }
  self.ssrcKnown = true;
  self.ssrc = ssrc;
  self.nextKnown = false;
  return true;
}

bool acceptsRtp(GuardedTransport& self, pjmedia_tp_cb_param& param) {
  MediaPath& path = *self.path;
  SourceRule& rule = self.line.rtp;
  if (self.line.unused) return false;
  const auto* packet = static_cast<const uint8_t*>(param.pkt);
  const auto size = static_cast<size_t>(param.size);
  const SocketAddress from = SocketAddress::of(native(*param.src_addr));
  const int64_t now = SourceRule::clock();
  if (!rule.known(from, now)) {
    if (!isVersion2(packet, size, rtpHeader) || !rule.mayLearn(from, now)) {
      path.foreign->add(from);
      return false;
    }
    rule.learn(from, now);
    self.ssrcKnown = false;
  }
  if (!ofTheSource(self, packet, size)) {
    path.foreign->add(from);
    path.further++;
    return false;
  }
  if (!(rule.current() == self.sendingTo)) {
    self.sendingTo = rule.current();
    param.rem_switch = PJ_TRUE;
  }
  return true;
}

bool acceptsRtcp(GuardedTransport& self, const uint8_t* packet, size_t size) {
  SourceRule& rule = self.line.rtcp;
  if (self.line.unused) return false;
  // PJSIP passes the source of RTP only; that of RTCP is what the socket received last, on this very thread.
  pjmedia_transport_info info;
  pjmedia_transport_info_init(&info);
  if (pjmedia_transport_get_info(self.sockets, &info) != PJ_SUCCESS) return false;
  const SocketAddress from = SocketAddress::of(native(info.src_rtcp_name));
  const int64_t now = SourceRule::clock();
  if (rule.known(from, now)) return true;
  if (isVersion2(packet, size, 8) && rule.mayLearn(from, now)) {
    rule.learn(from, now);
    return true;
  }
  self.path->foreign->add(from);
  return false;
}

void onRtp(pjmedia_tp_cb_param* param) {
  auto* self = static_cast<GuardedTransport*>(param->user_data);
  if (self == nullptr || self->rtp == nullptr) return;
  if (param->size >= 0 && !acceptsRtp(*self, *param)) return;
  pjmedia_tp_cb_param above = *param;
  above.user_data = self->user;
  above.src_addr = nullptr;  // the stream would look for another far end by itself
  self->rtp(&above);
}

void onRtcp(void* user, void* packet, pj_ssize_t size) {
  auto* self = static_cast<GuardedTransport*>(user);
  if (self == nullptr || self->rtcp == nullptr) return;
  if (size >= 0 && !acceptsRtcp(*self, static_cast<const uint8_t*>(packet), static_cast<size_t>(size))) return;
  self->rtcp(self->user, packet, size);
}

pj_status_t getInfo(pjmedia_transport* tp, pjmedia_transport_info* info) {
  return pjmedia_transport_get_info(of(tp)->sockets, info);
}

// No callback runs here: the transport is not attached, and detaching waits for them.
pj_status_t attach(pjmedia_transport* tp, pjmedia_transport_attach_param* given) {
  GuardedTransport& self = *of(tp);
  pjmedia_transport_attach_param param = *given;
  SocketAddress rtp = SocketAddress::of(native(given->rem_addr));
  SocketAddress rtcp = rtp;
  rtcp.port++;
  if (pj_sockaddr_has_addr(&given->rem_rtcp)) rtcp = SocketAddress::of(native(given->rem_rtcp));
  const int64_t now = SourceRule::clock();
  self.line.unused = rtp.port == discardPort;
  self.line.rtp.describe(rtp, now);
  self.line.rtcp.describe(rtcp, now);
  self.sendingTo = rtp;
  self.ssrcKnown = self.nextKnown = false;
  self.user = given->user_data;
  self.rtp = given->rtp_cb2;
  self.rtcp = given->rtcp_cb;
  param.user_data = &self;
  param.rtp_cb = nullptr;
  param.rtp_cb2 = &onRtp;
  param.rtcp_cb = &onRtcp;
  const pj_status_t status = pjmedia_transport_attach2(self.sockets, &param);
  if (status != PJ_SUCCESS) self.user = nullptr, self.rtp = nullptr, self.rtcp = nullptr;
  return status;
}

void detach(pjmedia_transport* tp, void*) {
  GuardedTransport& self = *of(tp);
  if (self.rtp == nullptr) return;
  pjmedia_transport_detach(self.sockets, &self);
  self.user = nullptr, self.rtp = nullptr, self.rtcp = nullptr;
}

bool maySend(const GuardedTransport& self) {
  return self.path->proved() && !self.line.unused;
}

pj_status_t sendRtp(pjmedia_transport* tp, const void* packet, pj_size_t size) {
  if (maySend(*of(tp))) return pjmedia_transport_send_rtp(of(tp)->sockets, packet, size);
  of(tp)->path->kept.fetch_add(1, std::memory_order_relaxed);
  return PJ_SUCCESS;
}

pj_status_t sendRtcp(pjmedia_transport* tp, const void* packet, pj_size_t size) {
  return maySend(*of(tp)) ? pjmedia_transport_send_rtcp(of(tp)->sockets, packet, size) : PJ_SUCCESS;
}

pj_status_t sendRtcpTo(pjmedia_transport* tp, const pj_sockaddr_t* address, unsigned length, const void* packet, pj_size_t size) {
  return maySend(*of(tp)) ? pjmedia_transport_send_rtcp2(of(tp)->sockets, address, length, packet, size) : PJ_SUCCESS;
}

pj_status_t mediaCreate(pjmedia_transport* tp, pj_pool_t* pool, unsigned options, const pjmedia_sdp_session* remote, unsigned media) {
  return pjmedia_transport_media_create(of(tp)->sockets, pool, options, remote, media);
}

pj_status_t encodeSdp(pjmedia_transport* tp, pj_pool_t* pool, pjmedia_sdp_session* local, const pjmedia_sdp_session* remote, unsigned media) {
  return pjmedia_transport_encode_sdp(of(tp)->sockets, pool, local, remote, media);
}

pj_status_t mediaStart(pjmedia_transport* tp, pj_pool_t* pool, const pjmedia_sdp_session* local, const pjmedia_sdp_session* remote, unsigned media) {
  return pjmedia_transport_media_start(of(tp)->sockets, pool, local, remote, media);
}

pj_status_t mediaStop(pjmedia_transport* tp) {
  return pjmedia_transport_media_stop(of(tp)->sockets);
}

pj_status_t simulateLost(pjmedia_transport* tp, pjmedia_dir direction, unsigned percent) {
  return pjmedia_transport_simulate_lost(of(tp)->sockets, direction, percent);
}

void onLastReference(void* transport) {
  auto* self = static_cast<GuardedTransport*>(transport);
  self->path->remove(self->line);
  delete self;
}

pj_status_t destroy(pjmedia_transport* tp) {
  GuardedTransport& self = *of(tp);
  pj_grp_lock_t* lock = self.base.grp_lock;
  if (self.closesSockets) pjmedia_transport_close(self.sockets);
  pj_grp_lock_dec_ref(lock);
  return PJ_SUCCESS;
}

pjmedia_transport_op operations = {&getInfo,   nullptr,     &detach,    &sendRtp,      &sendRtcp, &sendRtcpTo, &mediaCreate,
                                   &encodeSdp, &mediaStart, &mediaStop, &simulateLost, &destroy,  &attach};

}  // namespace

void MediaPath::answered() {
  proved_ = true;
  const int64_t now = SourceRule::clock();
  std::lock_guard lock(mutex_);
  for (MediaLine* line : lines_) {
    line->rtp.answered(now);
    line->rtcp.answered(now);
  }
}

void MediaPath::add(MediaLine& line) {
  std::lock_guard lock(mutex_);
  lines_.push_back(&line);
  share();
}

void MediaPath::remove(MediaLine& line) {
  std::lock_guard lock(mutex_);
  std::erase(lines_, &line);
}

void MediaPath::trust(const std::vector<IpRange>& known) {
  std::lock_guard lock(mutex_);
  known_ = known;
  share();
}

void MediaPath::signalledFrom(const std::string& ip) {
  SocketAddress address;
  if (!SocketAddress::parse(ip, 0, address)) return;
  std::lock_guard lock(mutex_);
  if (signalled_ && signalling_.ip == address.ip) return;
  signalling_ = IpRange{address.ip, 128};
  signalled_ = true;
  share();
}

void MediaPath::share() {
  std::vector<IpRange> all = known_;
  if (signalled_) all.push_back(signalling_);
  for (MediaLine* line : lines_) {
    line->rtp.trust(all);
    line->rtcp.trust(all);
  }
}

std::vector<IpRange> MediaPath::trusted() const {
  std::lock_guard lock(mutex_);
  std::vector<IpRange> all = known_;
  if (signalled_) all.push_back(signalling_);
  return all;
}

MediaPaths* MediaPaths::only_ = nullptr;

pjmedia_transport* MediaPaths::guard(pjsua_call_id call, unsigned, pjmedia_transport* sockets, unsigned flags) {
  auto* self = new (std::nothrow) GuardedTransport;
  if (self == nullptr || sockets->grp_lock == nullptr) {
    delete self;
    return nullptr;
  }
  self->sockets = sockets;
  self->closesSockets = (flags & PJSUA_MED_TP_CLOSE_MEMBER) != 0;
  pj_ansi_strxcpy(self->base.name, sockets->name, sizeof self->base.name);
  self->base.type = static_cast<pjmedia_transport_type>(PJMEDIA_TRANSPORT_TYPE_USER + 1);
  self->base.op = &operations;
  self->base.grp_lock = sockets->grp_lock;
  pj_grp_lock_add_ref(sockets->grp_lock);
  pj_grp_lock_add_handler(sockets->grp_lock, nullptr, self, &onLastReference);
  const auto leg = only_->legs_.byCall(call);
  const auto ofCall = [](std::shared_ptr<MediaPath>& path) {
    if (path == nullptr) path = std::make_shared<MediaPath>();
    return path;
  };
  if (leg == nullptr) {
    self->path = ofCall(arriving);
  } else {
    std::lock_guard lock(only_->legs_.mutex());
    self->path = ofCall(leg->path);
  }
  self->path->add(self->line);
  return &self->base;
}

uint16_t MediaPaths::nextPort(uint16_t failed) {
  return only_->ports->next(failed);
}

void MediaPaths::socketClosed(uint16_t port) {
  if (only_ != nullptr) only_->ports->release(port);
}

void MediaPaths::callArrives() {
  arriving = nullptr;
}

std::shared_ptr<MediaPath> MediaPaths::ofThisRequest() {
  return std::exchange(arriving, nullptr);
}

std::shared_ptr<MediaPath> MediaPaths::of(const CallLeg& leg) const {
  std::lock_guard lock(legs_.mutex());
  return leg.path;
}

}  // namespace pbx

#include "stream_port.h"

#include <algorithm>

namespace pbx {

StreamPort::StreamPort(pjmedia_stream* stream) {
  pjmedia_stream_get_port(stream, &port_);
  rate_ = PJMEDIA_PIA_SRATE(&port_->info);
  portSamples_ = PJMEDIA_PIA_SPF(&port_->info);
  in_.reserve(portSamples_ * 2 + rate_ / 50);
  out_.reserve(portSamples_ * 2 + rate_ / 50);
}

namespace {

// A packet that comes later is lost, and 1 in 1000 lost is the end of a fax: jitter of 30 ms on average asks for this much. T.30 waits for seconds.
constexpr unsigned modemDelayMs = 200;

// What the stream and its port share; public for those who build streams of their own.
pjmedia_stream_common* commonOf(pjmedia_port* port) {
  return static_cast<pjmedia_stream_common*>(port->port_data.pdata);
}

}  // namespace

void StreamPort::carryModem() {
  if (modem_) return;
  registerThread();
  modem_ = true;
  gather_ = modemDelayMs / 20;
  pjmedia_stream_common* common = commonOf(port_);
  auto* stream = reinterpret_cast<pjmedia_stream*>(common);
  pjmedia_stream_info info;
  if (pjmedia_stream_get_info(stream, &info) != PJ_SUCCESS) return;
  const size_t partMs = info.param != nullptr && info.param->info.frm_ptime > 0 ? info.param->info.frm_ptime : 20;
  parts_ = static_cast<unsigned>(std::clamp<size_t>(portSamples_ * 1000 / rate_ / partMs, 1, mostParts));
  pj_mutex_lock(common->jb_mutex);
  pjmedia_jbuf_set_fixed(common->jb, modemDelayMs / partMs);
  // Modems on two clocks drift by a frame in several minutes; throwing one away would cost a block of the page.
  pjmedia_jbuf_set_discard(common->jb, PJMEDIA_JB_DISCARD_NONE);
  pj_mutex_unlock(common->jb_mutex);
  // The codecs of ours look at these members only: concealment would bend the frames around a gap.
  pjmedia_codec_param codec{};
  codec.info.pt = static_cast<pj_uint8_t>(info.fmt.pt);
  pjmedia_stream_modify_codec_param(stream, &codec);
}

// One frame of the stream; false: nothing had arrived, and the samples are made up.
bool StreamPort::take(int16_t* into) {
  const Heads heads = modem_ ? look() : Heads{};
  pjmedia_frame frame{};
  frame.buf = into;
  frame.size = portSamples_ * 2;
  pjmedia_port_get_frame(port_, &frame);
  if (frame.type != PJMEDIA_FRAME_TYPE_AUDIO) return false;
  // A stream calls what it made up audio as well; to ears it is, to a modem it is not.
  return !modem_ || complete(heads, into);
}

// What the jitter buffer is about to give; its frames may be shorter than those of the port.
StreamPort::Heads StreamPort::look() {
  pjmedia_stream_common* common = commonOf(port_);
  Heads heads;
  pj_mutex_lock(common->jb_mutex);
  pjmedia_jb_state state;
  pjmedia_jbuf_get_state(common->jb, &state);
  for (unsigned i = 0; i < parts_ && i < state.size; i++) {
    const void* data = nullptr;
    char type = 0;
    int index = 0;
    pjmedia_jbuf_peek_frame(common->jb, i, &data, nullptr, &type, nullptr, nullptr, &index);
    heads.there++;
    heads.normal[i] = type == PJMEDIA_JB_NORMAL_FRAME;
    // The number is counted before its frame is put: one packet too early does no harm.
    if (i == 0) silent_.see(index + static_cast<int>(state.size) - 1, common->dec->rtp.seq_ctrl.max_seq);
  }
  pj_mutex_unlock(common->jb_mutex);
  return heads;
}

// Whether what a stream gave is what the far end said: all of it arrived, or the rest was never sent and is silence.
bool StreamPort::complete(const Heads& heads, int16_t* samples) {
  const char last = commonOf(port_)->jb_last_frm;
  if (last == PJMEDIA_JB_ZERO_PREFETCH_FRAME || heads.there == 0) {
    silent_.ranDry();
    return last == PJMEDIA_JB_NORMAL_FRAME;  // it came between the look and the frame
  }
  const size_t part = portSamples_ / parts_;
  bool lost = false;
  for (unsigned i = 0; i < parts_; i++) {
    if (heads.normal[i]) continue;
    // A half that has nothing after it: the end of a signal.
    if (i < heads.there && !silent_.wasSilent()) lost = true;
    if (i < heads.there || last != PJMEDIA_JB_NORMAL_FRAME) std::fill_n(samples + i * part, part, int16_t{0});
  }
  return !lost || last == PJMEDIA_JB_NORMAL_FRAME;
}

bool StreamPort::receive(std::span<int16_t> samples) {
  registerThread();
  if (gather_ > 0) {
    gather_--;
    return false;
  }
  if (portSamples_ == samples.size()) return take(samples.data());
  bool arrived = false;
  while (in_.size() < samples.size()) {
    const size_t before = in_.size();
    in_.resize(before + portSamples_);
    if (take(in_.data() + before)) {
      arrived = true;
    } else {
      std::fill(in_.begin() + static_cast<ptrdiff_t>(before), in_.end(), int16_t{0});
    }
  }
  std::copy_n(in_.begin(), samples.size(), samples.begin());
  in_.erase(in_.begin(), in_.begin() + static_cast<ptrdiff_t>(samples.size()));
  return arrived || !in_.empty();
}

bool StreamPort::ready() {
  if (modem_ || portSamples_ != rate_ / 50) return false;
  registerThread();
  pjmedia_stream_common* common = commonOf(port_);
  pjmedia_jb_state state;
  pj_mutex_lock(common->jb_mutex);
  pjmedia_jbuf_get_state(common->jb, &state);
  const bool flows = common->jb_last_frm == PJMEDIA_JB_NORMAL_FRAME;
  pj_mutex_unlock(common->jb_mutex);
  // A buffer that has run dry fills up first.
  return state.size > 0 && (flows || state.size >= state.prefetch);
}

void StreamPort::flush() {
  registerThread();
  in_.clear();
  pjmedia_stream_common* common = commonOf(port_);
  pj_mutex_lock(common->jb_mutex);
  pjmedia_jbuf_reset(common->jb);
  pj_mutex_unlock(common->jb_mutex);
}

bool StreamPort::hasHeard() const {
  return commonOf(port_)->dec->rtp.received > 0;
}

void StreamPort::send(std::span<const int16_t> samples) {
  registerThread();
  const auto put = [&](const int16_t* from) {
    pjmedia_frame frame{};
    frame.type = PJMEDIA_FRAME_TYPE_AUDIO;
    frame.buf = const_cast<int16_t*>(from);
    frame.size = portSamples_ * 2;
    frame.timestamp.u64 = timestamp_;
    timestamp_ += portSamples_;
    pjmedia_port_put_frame(port_, &frame);
  };
  if (portSamples_ == samples.size()) return put(samples.data());
  out_.insert(out_.end(), samples.begin(), samples.end());
  size_t used = 0;
  for (; out_.size() - used >= portSamples_; used += portSamples_) put(out_.data() + used);
  out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(used));
}

namespace {

pj_status_t idleGet(pjmedia_port*, pjmedia_frame* frame) {
  frame->type = PJMEDIA_FRAME_TYPE_NONE;
  frame->size = 0;
  return PJ_SUCCESS;
}

pj_status_t idlePut(pjmedia_port*, pjmedia_frame*) {
  return PJ_SUCCESS;
}

pj_status_t idleDestroy(pjmedia_port* port) {
  auto* pool = static_cast<pj_pool_t*>(port->port_data.pdata);
  pj_pool_safe_release(&pool);
  return PJ_SUCCESS;
}

}  // namespace

pjmedia_port* makeIdlePort() {
  pj_pool_t* pool = pjsua_pool_create("idle", 512, 256);
  if (pool == nullptr) return nullptr;
  auto* port = static_cast<pjmedia_port*>(pj_pool_zalloc(pool, sizeof(pjmedia_port)));
  const pj_str_t name = pjText("idle");
  pjmedia_port_info_init(&port->info, &name, PJMEDIA_SIG_CLASS_PORT_AUD('I', 'D'), 8000, 1, 16, 160);
  port->get_frame = idleGet;
  port->put_frame = idlePut;
  port->on_destroy = idleDestroy;
  port->port_data.pdata = pool;
  return port;
}

}  // namespace pbx

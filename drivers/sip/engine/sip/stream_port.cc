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

bool StreamPort::receive(std::span<int16_t> samples) {
  registerThread();
  bool arrived = false;
  if (portSamples_ == samples.size()) {
    pjmedia_frame frame{};
    frame.buf = samples.data();
    frame.size = samples.size() * 2;
    pjmedia_port_get_frame(port_, &frame);
    return frame.type == PJMEDIA_FRAME_TYPE_AUDIO;
  }
  while (in_.size() < samples.size()) {
    const size_t before = in_.size();
    in_.resize(before + portSamples_);
    pjmedia_frame frame{};
    frame.buf = in_.data() + before;
    frame.size = portSamples_ * 2;
    pjmedia_port_get_frame(port_, &frame);
    if (frame.type == PJMEDIA_FRAME_TYPE_AUDIO) {
      arrived = true;
    } else {
      std::fill(in_.begin() + static_cast<ptrdiff_t>(before), in_.end(), int16_t{0});
    }
  }
  std::copy_n(in_.begin(), samples.size(), samples.begin());
  in_.erase(in_.begin(), in_.begin() + static_cast<ptrdiff_t>(samples.size()));
  return arrived || !in_.empty();
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

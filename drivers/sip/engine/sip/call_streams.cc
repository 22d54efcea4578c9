#include "call_streams.h"

#include <algorithm>

#include "stream_port.h"

namespace pbx {

namespace {

constexpr unsigned longestPacketMs = 60;

bool listensForTones(const Settings& settings, const CallLeg& leg, pjmedia_stream* stream) {
  const TrunkSettings* trunk = settings.trunk(leg.trunk);
  const InbandDigits wanted = trunk != nullptr ? trunk->inbandDigits : InbandDigits::automatic;
  if (!settings.inbandDigits || wanted == InbandDigits::never) return false;
  pjmedia_stream_info info;
  // A far end that has agreed to send keys as events (RFC 4733) does so; in what is left, speech would press keys.
  const bool events = pjmedia_stream_get_info(stream, &info) == PJ_SUCCESS && info.tx_event_pt > 0;
  return wanted == InbandDigits::always || !events;
}

}  // namespace

void limitPacketTime(pjsua_call_id, pjsua_on_stream_precreate_param* stream) {
  if (stream->stream_info.type != PJMEDIA_TYPE_AUDIO) return;
  pjmedia_codec_param* param = stream->stream_info.info.aud.param;
  if (param == nullptr || param->info.frm_ptime == 0) return;
  const unsigned most = std::max(1u, longestPacketMs / param->info.frm_ptime);
  param->setting.frm_per_pkt = static_cast<pj_uint8_t>(std::min<unsigned>(param->setting.frm_per_pkt, most));
}

void streamCreated(Context& context, CallLeg& leg, pjmedia_stream* stream) {
  {
    std::lock_guard lock(context.legs.mutex());
    leg.stream = stream;
  }
  context.media.attach(leg.id, std::make_shared<StreamPort>(stream));
  context.media.inbandDigits(leg.id, listensForTones(*context.settings.get(), leg, stream));
}

void streamDestroyed(Context& context, CallLeg& leg, pjmedia_stream* stream) {
  bool current = false;
  {
    std::lock_guard lock(context.legs.mutex());
    current = leg.stream == stream;
    if (current) leg.stream = nullptr;
  }
  // Where the audio moves to another line, the new line's stream is there before that of the former one goes.
  if (current) context.media.detach(leg.id);
  pjmedia_rtcp_stat stat;
  if (pjmedia_stream_get_stat(stream, &stat) != PJ_SUCCESS) return;
  const auto path = context.paths.of(leg);
  std::lock_guard lock(context.legs.mutex());
  leg.rxPackets += stat.rx.pkt;
  leg.rxLost += stat.rx.loss;
  const uint32_t kept = path != nullptr ? path->kept.exchange(0) : 0;
  leg.txPackets += stat.tx.pkt > kept ? stat.tx.pkt - kept : 0;
  leg.rxJitterMs = stat.rx.jitter.mean / 1000.0;
}

}  // namespace pbx

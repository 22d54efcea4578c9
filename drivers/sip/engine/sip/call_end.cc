// Reports to the daemon how a call ended: by whom, why, and with which codes.
#include <cstdlib>
#include <cstring>

#include "call_events.h"
#include "held_call.h"
#include "now.h"
#include "parties.h"
#include "reply.h"

namespace pbx {

namespace {

using nlohmann::json;

struct Verdict {
  const char* by;
  const char* reason;
  int code;
  std::string text;
};

// `received`: a message of the far end ended it. Of a leg that nobody else changes any more.
Verdict judge(const CallLeg& leg, const pjsua_call_info& info, bool received, const pjsip_event* event) {
  if (leg.withoutMedia) return {"system", "failed", PJSIP_SC_NOT_ACCEPTABLE_HERE, withoutMediaText};
  if (leg.gaveWay) return {"system", "failed", PJSIP_SC_SERVICE_UNAVAILABLE, "its place was needed by a call for help"};
  if (leg.untaken) return {"system", "failed", PJSIP_SC_SERVICE_UNAVAILABLE, "nobody took the call"};
  if (leg.unacknowledged) return {"system", "failed", PJSIP_SC_REQUEST_TIMEOUT, "the answer was not acknowledged"};
  // What answers a BYE of ours ends nothing: PJSIP sends one by itself when the session timer runs out (RFC 4028).
  const bool ours = leg.answered && event != nullptr && event->type == PJSIP_EVENT_TSX_STATE && event->body.tsx_state.tsx->role == PJSIP_ROLE_UAC;
  Verdict verdict{leg.localEnd ? "local" : received && !ours ? "remote" : "system", "hangup", info.last_status, clean(view(info.last_status_text))};
  if (received && !leg.answered && event->body.tsx_state.tsx->status_code / 100 == 3) {
    // A redirection is not followed: where calls go is the daemon's to decide. PJSIP then speaks of 487.
    verdict.code = event->body.tsx_state.tsx->status_code;
    verdict.text = clean(view(event->body.tsx_state.tsx->status_text));
  }
  if (leg.silent) {
    verdict.by = "system";
    verdict.reason = "media-timeout";
  } else if (leg.timedOut) {
    verdict.by = "system";
    verdict.reason = "no-answer";
    verdict.code = PJSIP_SC_REQUEST_TIMEOUT;
  } else if (leg.answered) {
    verdict.code = PJSIP_SC_OK;
    if (std::strcmp(verdict.by, "system") == 0) {
      verdict.reason = "failed";
      verdict.text = "this side ended it: the far end does not keep the call up any more";
    }
  } else if (leg.inbound) {
    // Our own 487 to a CANCEL is what ends such a call.
    const bool canceled = received || verdict.code == PJSIP_SC_REQUEST_TERMINATED;
    verdict.reason = leg.localEnd ? "rejected" : canceled ? "canceled" : "failed";
    if (!leg.localEnd && canceled) verdict.by = "remote";
  } else {
    const bool refused = received && verdict.code >= 400;
    verdict.reason = leg.localEnd ? "canceled" : refused ? "rejected" : verdict.code == PJSIP_SC_REQUEST_TIMEOUT ? "no-answer" : "failed";
  }
  return verdict;
}

}  // namespace

void noteOwnCancel(Context& context, CallLeg& leg, pjsua_call_id call) {
  if (!isCanceled(call)) return;
  std::lock_guard lock(context.legs.mutex());
  const bool ordered = leg.localEnd || leg.timedOut || leg.gaveWay || leg.silent || leg.answered;
  leg.withoutMedia = leg.withoutMedia || !ordered;
}

int reasonCause(const pjsip_rx_data* message) {
  const std::string reason = headerText(message, "Reason");
  if (reason.find("Q.850") == std::string::npos) return 0;
  const size_t at = reason.find("cause=");
  const int cause = at == std::string::npos ? 0 : std::atoi(reason.c_str() + at + 6);
  return cause > 0 && cause <= 127 ? cause : 0;
}

void reportEnd(Context& context, const std::shared_ptr<CallLeg>& leg, const pjsua_call_info& info, const pjsip_event* event) {
  if (context.legs.remove(leg->id) == nullptr) return;
  const bool received = isReceived(event);
  const auto path = context.paths.of(*leg);
  json message = {{"t", "ended"}, {"leg", leg->id}};
  const char* fax = "";
  {
    std::lock_guard lock(context.legs.mutex());
    const Verdict verdict = judge(*leg, info, received, event);
    int cause = received && !leg->withoutMedia ? reasonCause(event->body.tsx_state.src.rdata) : 0;
    if (cause == 0) cause = leg->silent ? 41 : causeOf(verdict.code);
    message["by"] = verdict.by;
    message["reason"] = verdict.reason;
    message["code"] = verdict.code;
    message["cause"] = cause;
    message["text"] = verdict.text;
    message["stats"] = {{"rxPackets", leg->rxPackets},
                        {"rxLost", leg->rxLost},
                        {"rxJitterMs", leg->rxJitterMs},
                        {"txPackets", leg->txPackets},
                        {"foreignPackets", path != nullptr ? path->foreign->count() : 0},
                        {"durationMs", leg->answeredAt > 0 ? steadyMs() - leg->answeredAt : 0}};
    fax = leg->silent ? noMedia : leg->localEnd ? "our side: hung up" : received ? "" : "our side: the call failed";
  }
  context.transfers.legEnded(leg->id);
  context.t38.legEnded(leg->id);
  context.faxes.legEnded(leg->id, fax);
  context.media.close(leg->id);
  context.events.ended(leg->id, std::move(message));
}

void endWithoutCall(Context& context, const std::shared_ptr<CallLeg>& leg, int code, const std::string& text) {
  if (context.legs.remove(leg->id) == nullptr) return;
  context.media.close(leg->id);
  context.events.ended(leg->id, {{"t", "ended"}, {"leg", leg->id}, {"by", "system"}, {"reason", "failed"}, {"code", code}, {"cause", causeOf(code)}, {"text", clean(text)}, {"stats", json::object()}});
}

}  // namespace pbx

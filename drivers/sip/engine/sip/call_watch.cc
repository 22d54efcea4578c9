// What is looked after while calls go on: timers, silence, acknowledgements, and orders that had to wait.
#include "call_control.h"
#include "now.h"

namespace pbx {

namespace {

constexpr int64_t mediaWatchEveryMs = 2000;
// A daemon that says nothing at all takes no calls, and OPTIONS says so: who came before that waits so much less than for a slow one.
constexpr int64_t sparedMs = 2000;
constexpr uint32_t foreignToTell = 10;

}  // namespace

void CallControl::watchMedia(const LegPointer& leg, int64_t now, int64_t patience) {
  pjsua_stream_stat stat;
  {
    const HeldCall call(*leg);
    const int line = call ? audioLine(call.slot()) : -1;
    if (line < 0 || pjsua_call_get_stream_stat(call.slot(), static_cast<unsigned>(line), &stat) != PJ_SUCCESS) return;
  }
  const bool fax = context_.t38.concerns(leg->id) || context_.faxes.overAudio(leg->id);
  bool lost = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    // What counts here is RTP. T.38 is none, and over audio a machine may send none while it listens to a page (voice
    // activity detection): the fax itself watches over such a call.
    if (stat.rtcp.rx.pkt != leg->packetsSeen || leg->held || leg->holding || fax) {
      leg->packetsSeen = stat.rtcp.rx.pkt;
      leg->packetsAt = now;
    } else {
      lost = now - leg->packetsAt >= patience;
      leg->silent = lost;
    }
  }
  if (lost) end(leg, {});
}

// Once a call. A few come without any ill will: what was on its way when a far end moved.
void CallControl::tellForeign(const LegPointer& leg) {
  const auto path = context_.paths.of(*leg);
  if (path == nullptr || path->reported || path->foreign->count() < foreignToTell) return;
  path->reported = true;
  const std::string who = leg->trunk.empty() ? "extension " + leg->extension : "trunk " + leg->trunk, from = path->foreign->from().text();
  const bool further = path->further + foreignToTell > path->foreign->count();
  context_.events.log("warn", "a call of " + who + " gets media packets " + (further ? "of a second source (SSRC) from its far end, " + from + "; one source is heard" : "from " + from + ", which is not its far end; they are dropped"));
}

// PJSIP would keep the call until the transaction ends, after 32 s, and then wait as long for the answer to its BYE. The BYE is
// sent all the same, and not waited for: a far end that is there and whose ACKs are lost does not listen to silence.
void CallControl::endUnacknowledged(const LegPointer& leg) {
  {
    std::lock_guard lock(context_.legs.mutex());
    if (leg->answered) return;
    leg->unacknowledged = true;
  }
  const HeldCall call(*leg);
  if (call && call.session() != nullptr && call.session()->state == PJSIP_INV_STATE_CONNECTING) {
    note(leg, "its end", pjsip_inv_terminate(call.session(), PJSIP_SC_REQUEST_TIMEOUT, PJ_TRUE));
  }
}

void CallControl::sweepAnswers(int64_t now) {
  const auto due = context_.unacknowledged.sweep(now);
  for (const LegId id : due.answer) {
    if (const auto leg = context_.legs.find(id)) sendAnswer(leg);
  }
  for (const LegId id : due.refuse) {
    if (const auto leg = context_.legs.find(id)) end(leg, {503, "", 0});
  }
  for (const LegId id : due.end) {
    if (const auto leg = context_.legs.find(id)) endUnacknowledged(leg);
  }
}

void CallControl::sweep() {
  const int64_t now = steadyMs();
  sweepAnswers(now);
  const int64_t patience = int64_t{context_.settings.get()->mediaTimeoutSeconds} * 1000;
  const bool watch = patience > 0 && now >= nextMediaWatch_;
  if (watch) nextMediaWatch_ = now + mediaWatchEveryMs;
  const int64_t spared = context_.attendance.there(now) ? 0 : sparedMs;
  for (const auto& leg : context_.legs.all()) {
    bool late = false, untaken = false, answered = false, offer = false, answer = false, endAgain = false;
    Ending ending;
    {
      std::lock_guard lock(context_.legs.mutex());
      answered = leg->answered;
      late = !leg->inbound && !answered && !leg->timedOut && leg->dialUntil > 0 && now >= leg->dialUntil;
      if (late) leg->timedOut = true;
      untaken = leg->inbound && leg->help.empty() && !leg->taken && leg->refuseAt > 0 && now >= leg->refuseAt - spared;
      if (untaken) leg->taken = leg->untaken = true;
      offer = leg->offerAt > 0 && now >= leg->offerAt;
      answer = leg->answerAt > 0 && now >= leg->answerAt;
      if (answer) leg->answerAt = 0;
      endAgain = leg->endAt > 0 && now >= leg->endAt;
      if (endAgain) leg->endAt = 0;
      ending = leg->ending;
    }
    if (endAgain) {
      end(leg, ending);
    } else if (answer) {
      sendAnswer(leg);
    }
    if (late) end(leg, {});
    if (untaken) end(leg, {503, "", 0});
    if (offer && !context_.t38.concerns(leg->id)) sendOffer(leg);
    tellForeign(leg);
    if (answered && watch) watchMedia(leg, now, patience);
  }
}

}  // namespace pbx

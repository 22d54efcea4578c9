// The servers of a trunk, one after the other: which one an INVITE went to, when it counts as silent, and which one is next.
#include <algorithm>

#include "context.h"

namespace pbx {

void Dialling::onTransaction(pjsua_call_id call, const pjsip_transaction* transaction, const pjsip_event* event) {
  if (transaction->role != PJSIP_ROLE_UAC || transaction->method.id != PJSIP_INVITE_METHOD) return;
  // The last callback about a transaction, a timer's, may come when the call has ended and its slot holds another call.
  if (transaction->state >= PJSIP_TSX_STATE_TERMINATED && !isReceived(event)) return;
  const Held attempt = attemptOf(call);
  if (attempt == nullptr) return;
  std::lock_guard lock(mutex_);
  if (isReceived(event)) attempt->heard = true;
  // A request that waits for its connection has no address yet.
  const pjsip_tx_data* sent = transaction->last_tx;
  if (sent == nullptr || sent->dest_info.addr.count == 0) return;
  const unsigned at = std::min(sent->dest_info.cur_addr, sent->dest_info.addr.count - 1);
  const pj_sockaddr& address = sent->dest_info.addr.entry[at].addr;
  char ip[PJ_INET6_ADDRSTRLEN] = "";
  if (pj_sockaddr_print(&address, ip, sizeof ip, 0) != nullptr) attempt->server = joinHostPort(ip, pj_sockaddr_get_port(&address));
}

// Another server of the trunk's, when one is left.
bool Dialling::tryNextServer(Dial dial, const Held& attempt) {
  const auto settings = context_.settings.get();
  const TrunkSettings* trunk = settings->trunk(dial.order.trunk);
  if (trunk == nullptr) return false;
  std::string server;
  {
    std::lock_guard lock(mutex_);
    server = attempt->server;
  }
  // Its name was not known yet when the call was placed, and the connection to it never came to be.
  const HostPort at = trunk->nextHop();
  if (server.empty()) server = context_.resolver.next(at.host, at.port, trunk->transport);
  context_.resolver.penalise(server);
  context_.trunks.doubt(trunk->id);
  dial.tried.push_back(server);
  const bool left = !server.empty() && !context_.resolver.next(at.host, at.port, trunk->transport, dial.tried).empty();
  const Place next = trunkPlace(dial.order, *trunk);
  if (!left || next.account == PJSUA_INVALID_ID) return false;
  const auto leg = dial.leg;
  {
    std::lock_guard lock(mutex_);
    dials_[leg->id] = std::move(dial);
  }
  if (!place(leg, next).empty()) {
    std::lock_guard lock(mutex_);
    return dials_.erase(leg->id) == 0;
  }
  bool ending = false;
  {
    std::lock_guard lock(context_.legs.mutex());
    ending = leg->localEnd;
  }
  if (ending) giveUp(leg->id, GiveUp::ordered);
  return true;
}

void Dialling::sweep(int64_t now) {
  std::vector<Held> silent;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, dial] : dials_) {
      for (const Held& attempt : dial.attempts) {
        if (!attempt->heard && now >= attempt->silentUntil) silent.push_back(attempt);
      }
    }
  }
  for (const Held& attempt : silent) {
    failed(attempt, {0, "no sign of life"});
    release({attempt}, false);
  }
}

}  // namespace pbx

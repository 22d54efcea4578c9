// The parts of the signalling half, made once and in this order.
#pragma once
#include "addressing.h"
#include "attendance.h"
#include "bans.h"
#include "connections.h"
#include "descriptions.h"
#include "dialling.h"
#include "digest.h"
#include "endpoint.h"
#include "events.h"
#include "fax_calls.h"
#include "gate.h"
#include "legs.h"
#include "media_path.h"
#include "network_changes.h"
#include "own_addresses.h"
#include "rates.h"
#include "registrar.h"
#include "resolver.h"
#include "room.h"
#include "settings.h"
#include "t38_calls.h"
#include "text_receiver.h"
#include "text_sender.h"
#include "tls_servers.h"
#include "transfers.h"
#include "trunks.h"
#include "unacknowledged.h"
#include "watchers.h"

namespace pbx {

struct Context {
  Context(std::shared_ptr<Link> link, Media& media) : media(media), events(std::move(link)) {}

  Media& media;
  Events events;
  CurrentSettings settings;
  Digest digest;
  Bans bans;
  Rates rates;
  Legs legs;
  MediaPaths paths{legs};
  OwnAddresses ownAddresses{settings};
  Addressing addressing{ownAddresses};
  Endpoint endpoint;
  Registrar registrar{events, settings, digest, bans, legs};
  Resolver resolver;
  Trunks trunks{events, endpoint, resolver, ownAddresses};
  TlsServers tlsServers{settings, trunks, events};
  Connections connections{settings, registrar, trunks, bans, events};
  Unacknowledged unacknowledged{events};
  Room room{*this};
  Attendance attendance;
  Gate gate{settings, registrar, trunks, bans, rates, digest, connections, unacknowledged, room, attendance};
  Descriptions descriptions{*this};
  TextSender textSender{settings, trunks, events};
  TextReceiver textReceiver{events, rates, settings};
  FaxCalls faxes{media, events};
  T38Calls t38{legs, paths, faxes, events};
  Dialling dialling{*this};
  Transfers transfers{*this};
  Watchers watchers{*this};
  NetworkChanges networkChanges{*this};
};

}  // namespace pbx

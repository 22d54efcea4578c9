// The parts of the signalling half, made once and in this order.
#pragma once
#include "bans.h"
#include "digest.h"
#include "endpoint.h"
#include "events.h"
#include "fax_calls.h"
#include "gate.h"
#include "legs.h"
#include "registrar.h"
#include "settings.h"
#include "t38_calls.h"
#include "text_receiver.h"
#include "text_sender.h"
#include "trunks.h"

namespace pbx {

struct Context {
  Context(Link& link, Media& media) : media(media), events(link) {}

  Media& media;
  Events events;
  CurrentSettings settings;
  Digest digest;
  Bans bans;
  Legs legs;
  Endpoint endpoint;
  Registrar registrar{events, settings, digest, bans};
  Trunks trunks{events, endpoint};
  Gate gate{settings, registrar, trunks, bans};
  TextSender textSender{settings, trunks, events};
  TextReceiver textReceiver{events, bans};
  FaxCalls faxes{media, events};
  T38Calls t38{legs, faxes, settings, events};
};

}  // namespace pbx

// The `configure` message as a value (PROTOCOL.md). Read once, shared unchanged between threads.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "address.h"

namespace pbx {

enum class Srtp { off, optional, required, automatic };
// Whether tones in the audio count as keys. automatic: where the far end has not agreed to send them as telephone-event.
enum class InbandDigits { automatic, always, never };

// Which header carries our number to a provider that takes the account for the sender.
enum class IdentityHeader { none, asserted, preferred };
// Where a trunk's calls bear the dialled number. automatic: in the request URI unless that is our own contact, then in To or
// P-Called-Party-ID.
enum class CalledNumber { automatic, requestUri, to, calledParty };

struct TrunkSettings {
  std::string id, server, transport = "udp", username, password, authUsername, outboundProxy, fromDomain;
  // Where its requests go first: the outbound proxy, else the server.
  HostPort nextHop() const { return splitHostPort(outboundProxy.empty() ? server : outboundProxy); }
  // Of the addresses that it writes: as configured, else the server's host.
  std::string domain() const { return fromDomain.empty() ? splitHostPort(server).host : fromDomain; }
  bool registers = false;
  unsigned registerSeconds = 300, keepAliveSeconds = 30;
  Srtp srtp = Srtp::off;
  std::string caFile;      // certificate authorities of a TLS server; "": the system's
  bool tlsVerify = true;   // whether its certificate is looked at
  std::string realm;       // the only realm credentials are for; "": any
  bool authenticateInbound = false;
  unsigned channels = 30;
  InbandDigits inbandDigits = InbandDigits::automatic;
  std::vector<std::string> numbers;
  CalledNumber calledNumber = CalledNumber::automatic;
  bool fromAccount = false;  // From of our calls is the account, not the caller's number
  IdentityHeader identityHeader = IdentityHeader::none;
  bool diversionHeader = true;
  std::vector<std::string> codecs;  // empty: all, PCMU first
  std::vector<Network> allow;
  nlohmann::json source;  // to see whether anything changed
};

struct Contact {
  std::string uri, transport, address;  // address: where the request came from, host:port
  std::string path;  // the proxies on the way to it (RFC 3327), as the values of Route; "": none
  int64_t expiresAt = 0;                // ms since 1970
};

struct ExtensionSettings {
  std::string number, password, name;
  Srtp srtp = Srtp::automatic;
  // So many may register at once; the oldest give way.
  unsigned phones = 8;
  std::vector<Contact> contacts;
};

struct TlsSettings {
  std::string listen, certificate, key;
};

struct BanSettings {
  unsigned failures = 5, windowSeconds = 30, seconds = 3600;
};

// Limits of connections over TCP and TLS, see Connections.
struct ConnectionSettings {
  unsigned perAddress = 4, strangers = 200;
  int64_t requestMs = 10'000, proofMs = 60'000;
};

// Where a phone that calls for help is, by the address from which it calls.
struct HelpPlace {
  std::vector<Network> networks;  // empty: all others
  std::string callerId;           // the number at which the centre reaches it; "": the trunk's
  std::map<std::string, std::string> headers;
};

// How calls for help are placed where no daemon does.
struct HelpSettings {
  std::map<std::string, std::string> dial;  // what is dialled for each of the emergency numbers
  std::vector<std::string> trunks;          // in this order, and then all others
  std::vector<HelpPlace> places;
  const HelpPlace* placeOf(const std::string& ip) const;
};

struct Settings {
  std::string udp, tcp;  // "": no such transport
  std::optional<TlsSettings> tls;
  unsigned rtpFirst = 10000, rtpLast = 19999;
  std::string realm = "pbx";
  std::vector<std::string> nameservers;
  bool inbandDigits = true;
  unsigned mediaTimeoutSeconds = 60;
  std::vector<Network> phoneNetworks;
  std::vector<Network> edges;  // proxies of this house in front of us, see far_end.h
  unsigned calls = 400;        // legs at once, see Room
  // How long a phone may be registered over a connection, and a lamp be subscribed to: then it is heard of again. 0: as long as usual.
  unsigned connectedSeconds = 0, lampSeconds = 0;
  // As they are dialled, that of urn:service:sos first. Any phone that authenticates as one of ours may call them,
  // registered or not.
  std::vector<std::string> emergencyNumbers;
  HelpSettings help;
  std::string publicAddress;  // what those outside of `localNetworks` reach us at; "": what we have
  std::vector<Network> localNetworks;
  std::string outside;  // both as they were written, to see whether they changed
  BanSettings ban;
  ConnectionSettings connections;
  std::vector<TrunkSettings> trunks;
  std::map<std::string, ExtensionSettings, std::less<>> extensions;

  const TrunkSettings* trunk(std::string_view id) const;
  const ExtensionSettings* extension(std::string_view number) const;
};

// What cannot be read is left at its default and named in `faults`.
std::shared_ptr<const Settings> readSettings(const nlohmann::json& message, std::vector<std::string>& faults);

// The settings in force; readers keep the value they took.
class CurrentSettings {
 public:
  std::shared_ptr<const Settings> get() const {
    std::lock_guard lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const Settings> value) {
    std::lock_guard lock(mutex_);
    value_ = std::move(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Settings> value_ = std::make_shared<Settings>();
};

}  // namespace pbx

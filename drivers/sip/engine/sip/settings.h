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

struct TrunkSettings {
  std::string id, server, transport = "udp", username, password, authUsername, outboundProxy, fromDomain;
  bool registers = false;
  unsigned registerSeconds = 300, keepAliveSeconds = 30;
  Srtp srtp = Srtp::off;
  std::vector<std::string> codecs;  // empty: all, PCMU first
  std::vector<Network> allow;
  nlohmann::json source;  // to see whether anything changed
};

struct Contact {
  std::string uri, transport, address;  // address: where the request came from, host:port
  int64_t expiresAt = 0;                // ms since 1970
};

struct ExtensionSettings {
  std::string number, password, name;
  Srtp srtp = Srtp::automatic;
  std::vector<Contact> contacts;
};

struct TlsSettings {
  std::string listen, certificate, key;
};

struct BanSettings {
  unsigned failures = 5, windowSeconds = 30, seconds = 3600;
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
  BanSettings ban;
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

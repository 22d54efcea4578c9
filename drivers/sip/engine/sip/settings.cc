#include "settings.h"

#include <algorithm>

namespace pbx {

namespace {

using nlohmann::json;

std::string textOf(const json& object, const char* key, std::string fallback = "") {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : fallback;
}

unsigned numberOf(const json& object, const char* key, unsigned fallback) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return fallback;
  const double value = at->get<double>();
  return value >= 0 && value < 4e9 ? static_cast<unsigned>(value) : fallback;
}

bool flagOf(const json& object, const char* key, bool fallback) {
  const auto at = object.find(key);
  return at != object.end() && at->is_boolean() ? at->get<bool>() : fallback;
}

const json& listOf(const json& object, const char* key) {
  static const json none = json::array();
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : none;
}

std::vector<std::string> textsOf(const json& object, const char* key) {
  std::vector<std::string> texts;
  for (const json& item : listOf(object, key)) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::vector<Network> networksOf(const json& object, const char* key, std::vector<std::string>& faults) {
  std::vector<Network> networks;
  for (const std::string& item : textsOf(object, key)) {
    if (auto network = Network::parse(item)) {
      networks.push_back(*network);
    } else {
      faults.push_back(std::string(key) + ": \"" + item + "\" is not an address or a network such as 192.0.2.0/24");
    }
  }
  return networks;
}

Srtp srtpOf(const json& object, Srtp fallback) {
  const std::string value = textOf(object, "srtp");
  if (value == "off") return Srtp::off;
  if (value == "optional") return Srtp::optional;
  if (value == "required") return Srtp::required;
  if (value == "auto") return Srtp::automatic;
  return fallback;
}

InbandDigits inbandDigitsOf(const json& object) {
  const std::string value = textOf(object, "inbandDigits");
  return value == "always" ? InbandDigits::always : value == "never" ? InbandDigits::never : InbandDigits::automatic;
}

CalledNumber calledNumberOf(const json& object) {
  const std::string value = textOf(object, "calledNumber");
  if (value == "request-uri") return CalledNumber::requestUri;
  if (value == "to") return CalledNumber::to;
  return value == "p-called-party-id" ? CalledNumber::calledParty : CalledNumber::automatic;
}

IdentityHeader identityHeaderOf(const json& object) {
  const std::string value = textOf(object, "identityHeader");
  return value == "asserted" ? IdentityHeader::asserted : value == "preferred" ? IdentityHeader::preferred : IdentityHeader::none;
}

TrunkSettings trunkOf(const json& object, std::vector<std::string>& faults) {
  TrunkSettings trunk;
  trunk.id = textOf(object, "id");
  trunk.server = textOf(object, "server");
  trunk.transport = textOf(object, "transport", "udp");
  trunk.username = textOf(object, "username");
  trunk.password = textOf(object, "password");
  trunk.authUsername = textOf(object, "authUsername", trunk.username);
  trunk.outboundProxy = textOf(object, "outboundProxy");
  trunk.fromDomain = textOf(object, "fromDomain");
  trunk.registers = flagOf(object, "register", false);
  trunk.registerSeconds = std::clamp(numberOf(object, "registerSeconds", 300), 10u, 86400u);
  trunk.keepAliveSeconds = numberOf(object, "keepAliveSeconds", 30);
  trunk.srtp = srtpOf(object, Srtp::off);
  trunk.caFile = textOf(object, "caFile");
  trunk.tlsVerify = flagOf(object, "tlsVerify", true);
  trunk.realm = textOf(object, "realm");
  trunk.authenticateInbound = flagOf(object, "authenticateInbound", false);
  trunk.channels = std::max(1u, numberOf(object, "channels", 30));
  trunk.inbandDigits = inbandDigitsOf(object);
  trunk.numbers = textsOf(object, "numbers");
  trunk.calledNumber = calledNumberOf(object);
  trunk.fromAccount = textOf(object, "from") == "account";
  trunk.identityHeader = identityHeaderOf(object);
  trunk.diversionHeader = flagOf(object, "diversionHeader", true);
  trunk.codecs = textsOf(object, "codecs");
  trunk.allow = networksOf(object, "allow", faults);
  trunk.source = object;
  return trunk;
}

ExtensionSettings extensionOf(const json& object) {
  ExtensionSettings extension;
  extension.number = textOf(object, "number");
  extension.password = textOf(object, "password");
  extension.name = textOf(object, "name");
  extension.srtp = srtpOf(object, Srtp::automatic);
  extension.phones = std::clamp(numberOf(object, "phones", 8), 1u, 8u);
  for (const json& item : listOf(object, "contacts")) {
    if (!item.is_object()) continue;
    Contact contact{textOf(item, "uri"), textOf(item, "transport", "udp"), textOf(item, "address"), textOf(item, "path"), 0};
    if (const auto at = item.find("expiresAt"); at != item.end() && at->is_number()) contact.expiresAt = static_cast<int64_t>(at->get<double>());
    if (!contact.uri.empty()) extension.contacts.push_back(std::move(contact));
  }
  return extension;
}

std::map<std::string, std::string> mapOf(const json& object, const char* name) {
  std::map<std::string, std::string> result;
  const auto at = object.find(name);
  if (at == object.end() || !at->is_object()) return result;
  for (const auto& [key, value] : at->items()) {
    if (value.is_string()) result[key] = value.get<std::string>();
  }
  return result;
}

HelpSettings helpOf(const json& message, std::vector<std::string>& faults) {
  HelpSettings help;
  const auto at = message.find("help");
  if (at == message.end() || !at->is_object()) return help;
  help.dial = mapOf(*at, "dial");
  help.trunks = textsOf(*at, "trunks");
  for (const json& place : listOf(*at, "places")) {
    if (place.is_object()) help.places.push_back({networksOf(place, "networks", faults), textOf(place, "callerId"), mapOf(place, "headers")});
  }
  return help;
}

}  // namespace

const HelpPlace* HelpSettings::placeOf(const std::string& ip) const {
  const auto at = std::find_if(places.begin(), places.end(), [&](const HelpPlace& place) { return place.networks.empty() || anyContains(place.networks, ip); });
  return at == places.end() ? nullptr : &*at;
}

const TrunkSettings* Settings::trunk(std::string_view id) const {
  const auto at = std::find_if(trunks.begin(), trunks.end(), [&](const TrunkSettings& trunk) { return trunk.id == id; });
  return at == trunks.end() ? nullptr : &*at;
}

const ExtensionSettings* Settings::extension(std::string_view number) const {
  const auto at = extensions.find(number);
  return at == extensions.end() ? nullptr : &at->second;
}

std::shared_ptr<const Settings> readSettings(const json& message, std::vector<std::string>& faults) {
  auto settings = std::make_shared<Settings>();
  settings->udp = textOf(message, "udp");
  settings->tcp = textOf(message, "tcp");
  if (const auto tls = message.find("tls"); tls != message.end() && tls->is_object()) {
    settings->tls = TlsSettings{textOf(*tls, "listen"), textOf(*tls, "cert"), textOf(*tls, "key")};
  }
  const json& ports = listOf(message, "rtpPorts");
  if (ports.size() == 2 && ports[0].is_number_unsigned() && ports[1].is_number_unsigned()) {
    const unsigned first = ports[0].get<unsigned>(), last = ports[1].get<unsigned>();
    if (first >= 1024 && last <= 65535 && first + 1 < last) {
      settings->rtpFirst = first;
      settings->rtpLast = last;
    } else {
      faults.push_back("rtpPorts: two port numbers from 1024 to 65535, the smaller one first");
    }
  }
  settings->realm = textOf(message, "realm", "pbx");
  settings->nameservers = textsOf(message, "nameservers");
  settings->inbandDigits = flagOf(message, "inbandDigits", true);
  settings->mediaTimeoutSeconds = numberOf(message, "mediaTimeoutSeconds", 60);
  settings->phoneNetworks = networksOf(message, "phoneNetworks", faults);
  settings->edges = networksOf(message, "edges", faults);
  settings->calls = std::clamp(numberOf(message, "calls", 400), 1u, 1000u);
  settings->connectedSeconds = numberOf(message, "connectedSeconds", 0);
  settings->lampSeconds = numberOf(message, "lampSeconds", 0);
  settings->emergencyNumbers = textsOf(message, "emergencyNumbers");
  settings->help = helpOf(message, faults);
  settings->publicAddress = textOf(message, "publicAddress");
  if (!settings->publicAddress.empty() && !isIpLiteral(settings->publicAddress)) {
    faults.push_back("publicAddress: \"" + settings->publicAddress + "\" is not an IP address");
    settings->publicAddress.clear();
  }
  settings->localNetworks = networksOf(message, "localNetworks", faults);
  settings->outside = settings->publicAddress + " " + listOf(message, "localNetworks").dump();
  if (const auto ban = message.find("ban"); ban != message.end() && ban->is_object()) {
    settings->ban.failures = std::max(1u, numberOf(*ban, "failures", 5));
    settings->ban.windowSeconds = std::max(1u, numberOf(*ban, "windowSeconds", 30));
    settings->ban.seconds = std::max(1u, numberOf(*ban, "seconds", 3600));
  }
  if (const auto limits = message.find("connections"); limits != message.end() && limits->is_object()) {
    settings->connections.perAddress = std::max(1u, numberOf(*limits, "perAddress", 4));
    settings->connections.strangers = std::max(1u, numberOf(*limits, "strangers", 200));
    settings->connections.requestMs = numberOf(*limits, "requestMs", 10'000);
    settings->connections.proofMs = numberOf(*limits, "proofMs", 60'000);
  }
  for (const json& item : listOf(message, "trunks")) {
    if (item.is_object() && !textOf(item, "id").empty() && !textOf(item, "server").empty()) settings->trunks.push_back(trunkOf(item, faults));
  }
  for (const json& item : listOf(message, "extensions")) {
    if (!item.is_object()) continue;
    ExtensionSettings extension = extensionOf(item);
    if (!extension.number.empty()) settings->extensions.emplace(extension.number, std::move(extension));
  }
  return settings;
}

}  // namespace pbx

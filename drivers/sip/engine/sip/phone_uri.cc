#include "phone_uri.h"

#include <algorithm>
#include <memory>

#include "number.h"

namespace pbx {

namespace {

// For PJSIP a SIP URI with the place's host, port and transport, by which it finds the way.
struct PlacedUri {
  pjsip_sip_uri place;
  pj_str_t written;
};

extern pjsip_uri_vptr placedUri;

const PlacedUri& placed(const void* uri) {
  return *static_cast<const PlacedUri*>(uri);
}

const pj_str_t* placedScheme(const void*) {
  static const pj_str_t scheme = pjText("sip");
  return &scheme;
}

void* placedSelf(void* uri) {
  return uri;
}

pj_ssize_t printPlaced(pjsip_uri_context_e, const void* uri, char* buffer, pj_size_t size) {
  const std::string_view written = view(placed(uri).written);
  if (written.size() > size) return -1;
  std::copy(written.begin(), written.end(), buffer);
  return static_cast<pj_ssize_t>(written.size());
}

pj_status_t comparePlaced(pjsip_uri_context_e, const void* a, const void* b) {
  const bool same = placed(a).place.vptr == placed(b).place.vptr && view(placed(a).written) == view(placed(b).written);
  return same ? PJ_SUCCESS : PJSIP_ECMPSCHEME;
}

PlacedUri* copyPlaced(pj_pool_t* pool, const pjsip_sip_uri& uri, std::string_view written) {
  auto* copy = PJ_POOL_ZALLOC_T(pool, PlacedUri);
  pjsip_sip_uri_init(&copy->place, PJ_FALSE);
  pjsip_sip_uri_assign(pool, &copy->place, &uri);
  copy->place.vptr = &placedUri;
  copy->written = copied(pool, written);
  return copy;
}

void* clonePlaced(pj_pool_t* pool, const void* uri) {
  return copyPlaced(pool, placed(uri).place, view(placed(uri).written));
}

pjsip_uri_vptr placedUri = {placedScheme, placedSelf, printPlaced, comparePlaced, clonePlaced};

using Pool = std::unique_ptr<pj_pool_t, decltype(&pj_pool_release)>;

Pool smallPool() {
  return {pjsua_pool_create("uri", 1000, 1000), &pj_pool_release};
}

const pjsip_sip_uri* parsedSip(pj_pool_t* pool, const std::string& written) {
  if (written.empty() || written.size() >= PJSIP_MAX_URL_SIZE) return nullptr;
  pj_str_t copy;
  const pj_str_t source = pjText(written);
  pj_strdup_with_null(pool, &copy, &source);
  const void* uri = pjsip_parse_uri(pool, copy.ptr, static_cast<pj_size_t>(copy.slen), 0);
  if (uri != nullptr) uri = pjsip_uri_get_uri(uri);
  if (uri == nullptr || !(PJSIP_URI_SCHEME_IS_SIP(uri) || PJSIP_URI_SCHEME_IS_SIPS(uri))) return nullptr;
  return static_cast<const pjsip_sip_uri*>(uri);
}

// Null where it is none.
const pjsip_sip_uri* sipUriOf(const pjsip_contact_hdr* contact) {
  const void* uri = contact == nullptr || contact->star || contact->uri == nullptr ? nullptr : pjsip_uri_get_uri(contact->uri);
  if (uri == nullptr || !(PJSIP_URI_SCHEME_IS_SIP(uri) || PJSIP_URI_SCHEME_IS_SIPS(uri))) return nullptr;
  return static_cast<const pjsip_sip_uri*>(uri);
}

pjsip_contact_hdr* contactAfter(const pjsip_msg* message, const void* start) {
  return static_cast<pjsip_contact_hdr*>(pjsip_msg_find_hdr(message, PJSIP_H_CONTACT, start));
}

std::string printedSip(const pjsip_sip_uri* uri) {
  if (uri == nullptr) return "";
  char buffer[PJSIP_MAX_URL_SIZE];
  const int size = pjsip_uri_print(PJSIP_URI_IN_CONTACT_HDR, uri, buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : "";
}

// The values of Contact as the packet has them, with folded lines in one.
std::vector<std::string> contactValues(std::string_view packet) {
  std::vector<std::string> values;
  bool within = false;
  for (size_t at = packet.find('\n'); at != std::string_view::npos && at + 1 < packet.size();) {
    const size_t start = at + 1;
    at = packet.find('\n', start);
    std::string_view line = packet.substr(start, at == std::string_view::npos ? std::string_view::npos : at - start);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) break;
    if (line[0] == ' ' || line[0] == '\t') {
      if (within) values.back() += line;
      continue;
    }
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string name = lowerCase(line.substr(0, line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1) + 1));
    within = name == "contact" || name == "m";
    if (within) values.emplace_back(line.substr(std::min(colon + 1, line.size())));
  }
  return values;
}

// May stand in the first line of a request.
bool fitsRequest(std::string_view uri) {
  return std::all_of(uri.begin(), uri.end(), [](char c) { return c > ' ' && c < '\x7f' && c != '<' && c != '>'; });
}

thread_local const Contact* targetInUse = nullptr;

void* readTarget(pj_scanner* scanner, pj_pool_t* pool, pj_bool_t) {
  pjsip_uri* uri = targetInUse == nullptr ? nullptr : uriOf(pool, *targetInUse);
  // A scheme that nobody else has.
  if (uri == nullptr) PJ_THROW(PJSIP_SYN_ERR_EXCEPTION);
  scanner->curptr = scanner->end;
  return uri;
}

}  // namespace

bool sameUri(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const Pool pool = smallPool();
  const pjsip_sip_uri *one = parsedSip(pool.get(), a), *other = parsedSip(pool.get(), b);
  return one != nullptr && other != nullptr && pjsip_uri_cmp(PJSIP_URI_IN_CONTACT_HDR, one, other) == PJ_SUCCESS;
}

std::vector<std::string> writtenContacts(const pjsip_rx_data* message) {
  std::vector<std::string> written, printed;
  const auto& info = message->msg_info;
  for (const std::string& value : contactValues({info.msg_buf, static_cast<size_t>(std::max(info.len, 0))})) {
    eachAddress(value, [&](std::string_view one) {
      const std::string uri = readAddress(one).uri;
      written.push_back(uri.substr(0, uri.find('?')));
    });
  }
  for (const void* at = nullptr;;) {
    const pjsip_contact_hdr* contact = contactAfter(info.msg, at);
    if (contact == nullptr) break;
    printed.push_back(printedSip(sipUriOf(contact)));
    at = contact->next;
    if (at == &info.msg->hdr) break;
  }
  if (written.size() != printed.size()) return printed;
  for (size_t i = 0; i < printed.size(); i++) {
    if (!printed[i].empty() && fitsRequest(written[i]) && sameUri(written[i], printed[i].substr(0, printed[i].find('?')))) printed[i] = written[i];
  }
  return printed;
}

pjsip_uri* uriAt(pj_pool_t* pool, const std::string& written, const HostPort& place, const std::string& transport) {
  const pjsip_sip_uri* parsed = parsedSip(pool, written);
  if (parsed == nullptr) return nullptr;
  pjsip_sip_uri* uri = &copyPlaced(pool, *parsed, std::string_view(written).substr(0, written.find('?')))->place;
  // PJSIP would make headers of our request of these.
  pj_list_init(&uri->header_param);
  if (place.host.empty()) return reinterpret_cast<pjsip_uri*>(uri);
  uri->host = copied(pool, place.host);
  uri->port = static_cast<int>(place.port);
  uri->transport_param = transport == "udp" ? pj_str_t{nullptr, 0} : copied(pool, transport);
  uri->maddr_param = pj_str_t{nullptr, 0};
  return reinterpret_cast<pjsip_uri*>(uri);
}

pjsip_uri* uriOf(pj_pool_t* pool, const Contact& contact) {
  return uriAt(pool, contact.uri, contact.path.empty() ? splitHostPort(contact.address) : HostPort{}, contact.transport);
}

void contactAtSource(pjsip_rx_data* message, const std::string& transport) {
  pjsip_contact_hdr* contact = contactAfter(message->msg_info.msg, nullptr);
  if (sipUriOf(contact) == nullptr) return;
  const auto written = writtenContacts(message);
  const HostPort source{message->pkt_info.src_name, static_cast<unsigned>(message->pkt_info.src_port)};
  pjsip_uri* uri = written.empty() ? nullptr : uriAt(message->tp_info.pool, written.front(), source, transport);
  if (uri == nullptr) return;
  if (pjsip_uri_get_uri(contact->uri) == contact->uri) contact->uri = uri;
  else reinterpret_cast<pjsip_name_addr*>(contact->uri)->uri = uri;
}

std::string contactHost(const pjsip_rx_data* message) {
  const pjsip_sip_uri* uri = sipUriOf(contactAfter(message->msg_info.msg, nullptr));
  return uri == nullptr ? "" : text(uri->host);
}

pj_status_t PhoneTarget::install() {
  static char scheme[] = "pbx-phone";
  return pjsip_register_uri_parser(scheme, &readTarget);
}

PhoneTarget::PhoneTarget(const std::optional<Contact>& contact) {
  targetInUse = contact ? &*contact : nullptr;
}

PhoneTarget::~PhoneTarget() {
  targetInUse = nullptr;
}

}  // namespace pbx

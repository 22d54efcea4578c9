#include "digest_uri.h"

#include "address.h"

namespace pbx {

bool sameTarget(const std::string& digestUri, pjsip_rx_data* request) {
  // PJSIP parses in place and needs the terminating zero.
  pj_str_t copy;
  const pj_str_t given = pjText(digestUri);
  pj_strdup_with_null(request->tp_info.pool, &copy, &given);
  pjsip_uri* uri = pjsip_parse_uri(request->tp_info.pool, copy.ptr, static_cast<pj_size_t>(copy.slen), 0);
  if (uri == nullptr) return false;
  const auto* made = static_cast<const pjsip_uri*>(pjsip_uri_get_uri(uri));
  const auto* asked = static_cast<const pjsip_uri*>(pjsip_uri_get_uri(request->msg_info.msg->line.req.uri));
  const auto isSip = [](const pjsip_uri* one) { return PJSIP_URI_SCHEME_IS_SIP(one) || PJSIP_URI_SCHEME_IS_SIPS(one); };
  if (!isSip(made) || !isSip(asked)) return pj_stricmp(pjsip_uri_get_scheme(made), pjsip_uri_get_scheme(asked)) == 0 && pjsip_uri_cmp(PJSIP_URI_IN_OTHER, made, asked) == PJ_SUCCESS;
  const auto* a = reinterpret_cast<const pjsip_sip_uri*>(made);
  const auto* b = reinterpret_cast<const pjsip_sip_uri*>(asked);
  if (view(a->user) != view(b->user)) return false;
  return pj_stricmp(&a->host, &b->host) == 0 || (isIpLiteral(text(a->host)) && isIpLiteral(text(b->host)));
}

}  // namespace pbx

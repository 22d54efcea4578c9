#include "replaces.h"

#include <pjsip_ua.h>

namespace pbx {

namespace {

std::optional<Replaced> named(const pjsip_replaces_hdr& header) {
  if (header.call_id.slen == 0 || header.to_tag.slen == 0 || header.from_tag.slen == 0) return std::nullopt;
  return Replaced{text(header.call_id), text(header.to_tag), text(header.from_tag), header.early_only != PJ_FALSE};
}

}  // namespace

std::optional<Replaced> readReplaces(pj_pool_t* pool, const pj_str_t& value) {
  const pj_str_t name = pjText("Replaces");
  pj_str_t copy;
  pj_strdup_with_null(pool, &copy, &value);
  const void* header = pjsip_parse_hdr(pool, &name, copy.ptr, static_cast<pj_size_t>(copy.slen), nullptr);
  return header == nullptr ? std::nullopt : named(*static_cast<const pjsip_replaces_hdr*>(header));
}

Replaced dialogOf(pjsip_rx_data* invite) {
  pjsip_transaction* transaction = pjsip_rdata_get_tsx(invite);
  const pjsip_dialog* dialog = transaction != nullptr ? pjsip_tsx_get_dlg(transaction) : nullptr;
  if (dialog == nullptr) return {};
  return {text(dialog->call_id->id), text(dialog->local.info->tag), text(dialog->remote.info->tag)};
}

bool takeReplaces(pjsip_rx_data* request, std::optional<Replaced>& replaced) {
  const pj_str_t name = pjText("Replaces");
  auto* header = static_cast<pjsip_replaces_hdr*>(pjsip_msg_find_hdr_by_name(request->msg_info.msg, &name, nullptr));
  if (header == nullptr) return true;
  replaced = named(*header);
  pj_list_erase(header);
  return replaced && pjsip_msg_find_hdr_by_name(request->msg_info.msg, &name, nullptr) == nullptr;
}

}  // namespace pbx

/**
 * Kamailio of the edge: it shares the provider's calls among the boxes that take calls, sends what a phone sends to the box of its number,
 * and passes on what a box sends. It registers nobody, keeps no calls and carries no sound.
 */
import type { Cluster, ClusterBox, EdgeMachine } from '../../../daemon/schema/cluster.ts'

const port = 5060
const tlsPort = 5061
const allBoxes = 1
/** A box by the Call-ID. */
const byCall = '0'
/** The set of one box alone, behind that of all. */
const ownSet = (cluster: Cluster, box: ClusterBox): number => allBoxes + 1 + cluster.boxes.indexOf(box)

const modules = [
  ...['kex', 'corex', 'tm', 'tmx', 'sl', 'rr', 'pv', 'maxfwd', 'sanity', 'path', 'textops', 'siputils', 'xlog', 'dispatcher'],
]

/** Equal boxes take turns; others get calls by their shares. */
function algorithm({ boxes }: Cluster): { readonly number: string; readonly shares: boolean } {
  const shares = boxes.some(({ weight }) => weight !== boxes[0]?.weight)
  return { number: shares ? '11' : '4', shares }
}

export function dispatcherList(cluster: Cluster): string {
  const { shares } = algorithm(cluster)
  const line = (set: number, { address, weight }: ClusterBox): string =>
    `${set} sip:${address}:${port} 0 0${shares && set === allBoxes ? ` rweight=${weight}` : ''}`
  return [...cluster.boxes.map((box) => line(allBoxes, box)), ...cluster.boxes.map((box) => line(ownSet(cluster, box), box))].join('\n')
}

export function kamailioConfig(cluster: Cluster, machine: EdgeMachine): string {
  const { edge } = cluster
  const [house = ''] = edge.address.split('/')
  const { tls } = edge.sip
  const own = machine.address
  const listeners = [`udp:${house}:${port}`, `tcp:${house}:${port}`, ...(tls ? [`tls:${house}:${tlsPort}`] : [])]
  if (own !== house) listeners.push(`udp:${own}:${port}`)
  return `#!KAMAILIO
debug=1
log_stderror=no
log_facility=LOG_LOCAL0
children=4
# MB. The usual 64 are full after 3,300 calls within the five seconds that a call that has ended is remembered.
shm_mem_size=256
auto_aliases=no
server_signature=no
# The address of the house may be at the other machine.
ip_free_bind=1
tcp_connection_lifetime=3605
tcp_accept_no_cl=yes
${tls ? 'enable_tls=yes\n' : ''}${listeners.map((at) => `listen=${at}`).join('\n')}

${[...modules, ...(tls ? ['tls'] : [])].map((name) => `loadmodule "${name}.so"`).join('\n')}

modparam("tm", "fr_timer", 1500)
modparam("tm", "fr_inv_timer", 180000)
# A box that is full says 503, and so does the house: at 500 nobody tries another way.
modparam("tm", "remap_503_500", 0)
modparam("rr", "enable_full_lr", 1)
modparam("path", "use_received", 1)
${tls ? `modparam("tls", "certificate", "${tls.cert}")\nmodparam("tls", "private_key", "${tls.key}")\nmodparam("tls", "tls_method", "TLSv1.2+")\n` : ''}modparam("dispatcher", "list_file", "/etc/kamailio/dispatcher.list")
modparam("dispatcher", "flags", 2)
modparam("dispatcher", "xavp_dst", "_box")
modparam("dispatcher", "xavp_ctx", "_boxes")
modparam("dispatcher", "ds_ping_method", "OPTIONS")
modparam("dispatcher", "ds_ping_from", "sip:edge@${own}")
modparam("dispatcher", "ds_ping_interval", 1)
modparam("dispatcher", "ds_probing_mode", 1)
modparam("dispatcher", "ds_probing_threshold", 2)
modparam("dispatcher", "ds_inactive_threshold", 1)
modparam("dispatcher", "ds_ping_reply_codes", "class=2")
# Each machine asks from its own address: answers to the address of the house go to the other one.
modparam("dispatcher", "ds_default_socket", "udp:${own}:${port}")

${routes(cluster, house)}`
}

function routes(cluster: Cluster, house: string): string {
  const { number } = algorithm(cluster)
  const providers = cluster.edge.providers.map((address) => `$si == "${address}"`).join(' || ')
  return `request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (!sanity_check("1511", "7")) { exit; }
  force_rport();
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
    sl_send_reply("404", "Not Here");
    exit;
  }
  t_check_trans();
  if (ds_is_from_list("${allBoxes}", "3")) { route(FROM_BOX); }
  # Whether a call would be taken.
  if (is_method("OPTIONS") && uri == myself && $rU == $null) {
    if (ds_select_dst("${allBoxes}", "${number}")) { sl_send_reply("200", "OK"); } else { route(CLOSED); }
    exit;
  }
${providers === '' ? '' : `  if (${providers}) { route(FROM_PROVIDER); }\n`}  route(FROM_PHONE);
}

# To a phone by its Path, to a provider by the name in the request.
route[FROM_BOX] {
  loose_route();
  if (!is_method("REGISTER")) { record_route(); }
  t_relay();
  exit;
}

route[FROM_PROVIDER] {
  $fs = "udp:${house}:${port}";
  record_route();
  $var(set) = "${allBoxes}";
  $var(by) = "${number}";
  route(TO_BOX);
}

# What a phone sends goes to the box of its number. A call goes to another box while that one takes none: it may be for help. A phone
# proves itself to the box that asked it, so all requests of a call go to the same one.
route[FROM_PHONE] {
  $var(who) = $fU;
  $avp(phone) = 1;
  $avp(asked) = 0;
  if (is_method("REGISTER")) { $var(who) = $tU; }
  $fs = "udp:${house}:${port}";
  if (is_method("REGISTER")) { add_path_received(); } else { record_route(); }
  $var(set) = "${allBoxes}";
  $var(by) = "${byCall}";
${cluster.boxes.flatMap((box) => numbersOf(cluster, box)).join('\n')}
  if ($var(set) != "${allBoxes}" && is_method("INVITE")) { t_on_failure("ANY_BOX"); }
  route(TO_BOX);
}

route[TO_BOX] {
  if (!ds_select_dst("$var(set)", "$var(by)") && !(is_method("INVITE") && ds_select_dst("${allBoxes}", "$var(by)"))) {
    if (is_method("INVITE") && $var(by) == "${byCall}") { route(HELP); }
    route(CLOSED);
  }
  if ($var(set) == "${allBoxes}") { t_on_failure("NEXT_BOX"); }
  $fs = "udp:${house}:${port}";
  t_relay();
  exit;
}

route[CLOSED] {
  append_to_reply("Retry-After: 5\\r\\n");
  sl_send_reply("503", "Service Unavailable");
  exit;
}

${help(cluster, house)}

${failures(house)}`
}

function help(cluster: Cluster, house: string): string {
  return `# No box takes calls. One that is full or drains still places a call for help, so all are asked in turn, that of the phone first.
route[HELP] {
  $(avp(asked)[*]) = $avp(asked) + 1;
  $du = $null;
  if ($avp(asked) == 1) { $du = $avp(own); }
${cluster.boxes.map(({ address }, at) => `  if ($avp(asked) == ${at + 2} && $avp(own) != "sip:${address}:${port}") { $du = "sip:${address}:${port}"; }`).join('\n')}
  if ($avp(asked) > ${cluster.boxes.length + 1}) {
    if (!t_reply("503", "Service Unavailable")) { sl_send_reply("503", "Service Unavailable"); }
    exit;
  }
  if ($du == $null) { route(HELP); }
  $fs = "udp:${house}:${port}";
  t_on_failure("HELP");
  t_relay();
  exit;
}

failure_route[HELP] {
  if (t_is_canceled()) { exit; }
  if (!t_check_status("503") && !(t_branch_timeout() && !t_branch_replied())) { exit; }
  # Refused by a box to which the phone has proved itself.
  if (t_check_status("503") && is_present_hf("Authorization")) { exit; }
  route(HELP);
}`
}

function failures(house: string): string {
  return `# A text that nobody answered may have arrived: its sender decides whether it goes again.
failure_route[NEXT_BOX] {
  if (t_is_canceled()) { exit; }
  if (!t_check_status("503") && !(is_method("INVITE|REGISTER|SUBSCRIBE") && t_branch_timeout() && !t_branch_replied())) { exit; }
  # Nothing at all for 1.5 s: no further call waits for that box, until it answers again.
  if (t_branch_timeout()) { ds_mark_dst("ip"); }
  if (ds_next_dst()) {
    $fs = "udp:${house}:${port}";
    t_on_failure("NEXT_BOX");
    t_relay();
    exit;
  }
  if (is_method("INVITE") && $avp(phone) == 1 && !(t_check_status("503") && is_present_hf("Authorization"))) {
    $(avp(asked)[*]) = 1;
    route(HELP);
  }
  if (t_branch_timeout()) { t_reply("503", "Service Unavailable"); }
}

failure_route[ANY_BOX] {
  if (t_is_canceled()) { exit; }
  if (!t_check_status("503") && !(t_branch_timeout() && !t_branch_replied())) { exit; }
  # Nothing at all for 1.5 s: no further call waits for that box, until it answers again.
  if (t_branch_timeout()) { ds_mark_dst("ip"); }
  if (ds_select_dst("${allBoxes}", "${byCall}")) {
    $fs = "udp:${house}:${port}";
    t_on_failure("NEXT_BOX");
    t_relay();
    exit;
  }
  if (is_method("INVITE") && !(t_check_status("503") && is_present_hf("Authorization"))) {
    $(avp(asked)[*]) = 1;
    route(HELP);
  }
  t_reply("503", "Service Unavailable");
}
`
}

function numbersOf(cluster: Cluster, box: ClusterBox): string[] {
  const patterns = (box.extensions ?? '').split(',').filter((one) => one !== '')
  return patterns.map(
    (one) =>
      `  if ($var(who) =~ "^${one.replaceAll('x', '[0-9]')}$") { $var(set) = "${ownSet(cluster, box)}"; $avp(own) = "sip:${box.address}:${port}"; }`,
  )
}

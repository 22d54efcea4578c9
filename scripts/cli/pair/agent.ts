/** The resource agent `ocf:pbxd:pbxd`: how Pacemaker starts, stops and watches the box. systemd repairs a crash by itself; the pair moves when that fails. */
import type { Pair } from '../../../daemon/schema/cluster.ts'
import { activeMark, serving, stopping } from './units.ts'

/** The daemon may stand still for so long before the pair moves. */
const silentSeconds = 20

export function pairAgent({ address, web, machines }: Pair): string {
  const [own = ''] = address.split('/')
  return `${agentHead({
    name: 'pbxd',
    what: 'pbxd telephone system',
    long: 'The telephone system pbxd on the machine of a pair that has the disk.',
    actions: { start: 90, stop: 100, monitor: 10 },
  })}
web=${web.replace('ADDRESS', own)}
heard=/run/pbxd-pair/heard

state() { systemctl show -p ActiveState --value pbxd.service 2>/dev/null; }
healthy() { curl -ksf -m 3 -o /dev/null "$web/healthz"; }

# Where this machine fails, too, the other one is tried again at once: nobody serves meanwhile. That takes seconds, for which nothing waits.
failed() {
  ocf_log err "$1"
  for machine in ${machines.map(({ name }) => name).join(' ')}; do
    [ "$machine" = "$OCF_RESKEY_CRM_meta_on_node" ] || timeout 5 crm_resource --cleanup --resource daemon --node "$machine" >/dev/null 2>&1 &
  done
  return "$OCF_ERR_GENERIC"
}

# A crash is systemd's to repair: "activating" is well until it gives up, and silence is until ${silentSeconds} s have passed.
monitor() {
  [ -e ${activeMark} ] || return "$OCF_NOT_RUNNING"
  case $(state) in
    active | reloading) ;;
    activating) cut -d. -f1 /proc/uptime >"$heard"; return "$OCF_SUCCESS" ;;
    failed) failed "pbxd failed; systemd has given up"; return ;;
    *) return "$OCF_NOT_RUNNING" ;;
  esac
  now=$(cut -d. -f1 /proc/uptime)
  if healthy; then echo "$now" >"$heard"; return "$OCF_SUCCESS"; fi
  last=$(cat "$heard" 2>/dev/null || echo "$now")
  [ -e "$heard" ] || echo "$now" >"$heard"
  [ $((now - last)) -lt ${silentSeconds} ] && return "$OCF_SUCCESS"
  : >"$heard.not"
  failed "pbxd has not answered for ${silentSeconds} s"
}

# The units start only where the mark is: neither the boot nor an upgrade starts them on the machine that stands by.
start() {
  mkdir -p /run/pbxd-pair
  rm -f "$heard" "$heard.not"
  : >${activeMark}
  systemctl reset-failed pbxd.service 2>/dev/null
  systemctl start --no-block ${serving.join(' ')} || return "$OCF_ERR_GENERIC"
  until healthy; do
    [ "$(state)" != failed ] || { failed "pbxd does not start"; return; }
    sleep 0.2
  done
}

# All that holds the disk: a unit with a mount of its own would keep the file system from being unmounted. Who is silent hears no other signal.
stop() {
  [ ! -e "$heard.not" ] || systemctl kill --signal=SIGKILL pbxd.service
  systemctl stop ${stopping.join(' ')} || return "$OCF_ERR_GENERIC"
  rm -f "$heard" "$heard.not" ${activeMark}
}

case \${1:-} in
  meta-data) metadata ;;
  start) start ;;
  stop) stop ;;
  monitor | status) monitor ;;
  validate-all) exit "$OCF_SUCCESS" ;;
  *) exit "$OCF_ERR_UNIMPLEMENTED" ;;
esac
`
}

export interface AgentWords {
  readonly name: string
  readonly what: string
  readonly long: string
  /** Seconds that each action may take. */
  readonly actions: Readonly<Record<string, number>>
}

/** How each agent begins: the functions of Pacemaker's agents, and one that says what it is. */
export function agentHead({ name, what, long, actions }: AgentWords): string {
  const lines = Object.entries(actions).map(([action, seconds]) => {
    const every = action === 'monitor' ? ' interval="2s"' : ''
    return `<action name="${action}" timeout="${seconds}s"${every}/>`
  })
  return `#!/bin/sh
: "\${OCF_ROOT:=/usr/lib/ocf}"
: "\${OCF_FUNCTIONS_DIR:=$OCF_ROOT/lib/heartbeat}"
. "$OCF_FUNCTIONS_DIR/ocf-shellfuncs"

metadata() {
  cat <<END
<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">
<resource-agent name="${name}" version="1.0">
<version>1.0</version>
<longdesc lang="en">${long}</longdesc>
<shortdesc lang="en">${what}</shortdesc>
<parameters/>
<actions>
${lines.join('\n')}
<action name="meta-data" timeout="5s"/>
<action name="validate-all" timeout="5s"/>
</actions>
</resource-agent>
END
}`
}

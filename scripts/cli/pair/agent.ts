/** The resource agent `ocf:pbxd:pbxd`: how Pacemaker starts, stops and watches the daemon. systemd repairs a crash by itself; the pair moves when that fails. */
import type { Pair } from '../../../daemon/schema/cluster.ts'

/** The daemon may stand still for so long before the pair moves. */
const silentSeconds = 20

export function pairAgent({ address, web }: Pair): string {
  const [own = ''] = address.split('/')
  return `#!/bin/sh
: "\${OCF_ROOT:=/usr/lib/ocf}"
: "\${OCF_FUNCTIONS_DIR:=$OCF_ROOT/lib/heartbeat}"
. "$OCF_FUNCTIONS_DIR/ocf-shellfuncs"
web=${web.replace('ADDRESS', own)}
heard=/run/pbxd-pair-heard

metadata() {
  cat <<END
<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">
<resource-agent name="pbxd" version="1.0">
<version>1.0</version>
<longdesc lang="en">The daemon of the telephone system pbxd on the machine of a pair that has the disk.</longdesc>
<shortdesc lang="en">pbxd telephone system</shortdesc>
<parameters/>
<actions>
<action name="start" timeout="90s"/>
<action name="stop" timeout="100s"/>
<action name="monitor" timeout="10s" interval="2s"/>
<action name="meta-data" timeout="5s"/>
<action name="validate-all" timeout="5s"/>
</actions>
</resource-agent>
END
}

state() { systemctl show -p ActiveState --value pbxd.service 2>/dev/null; }
healthy() { curl -ksf -m 3 -o /dev/null "$web/healthz"; }

# A crash is systemd's to repair: "activating" is well until it gives up, and silence is until ${silentSeconds} s have passed.
monitor() {
  case $(state) in
    active | activating | reloading) ;;
    failed) ocf_log err "pbxd failed; systemd has given up"; return "$OCF_ERR_GENERIC" ;;
    *) return "$OCF_NOT_RUNNING" ;;
  esac
  now=$(cut -d. -f1 /proc/uptime)
  if healthy; then echo "$now" >"$heard"; return "$OCF_SUCCESS"; fi
  last=$(cat "$heard" 2>/dev/null || echo "$now")
  [ -e "$heard" ] || echo "$now" >"$heard"
  [ $((now - last)) -lt ${silentSeconds} ] && return "$OCF_SUCCESS"
  ocf_log err "pbxd has not answered for ${silentSeconds} s"
  return "$OCF_ERR_GENERIC"
}

start() {
  rm -f "$heard"
  systemctl reset-failed pbxd.service 2>/dev/null
  systemctl start pbxd.service || return "$OCF_ERR_GENERIC"
  until healthy; do
    [ "$(state)" != failed ] || return "$OCF_ERR_GENERIC"
    sleep 0.2
  done
}

stop() {
  systemctl stop pbxd.service || return "$OCF_ERR_GENERIC"
  rm -f "$heard"
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

/** What a namespace has not: systemd, a switched strip, DRBD. Each as a small program in their place, on a machine of the proof alone. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../../daemon/base/root.ts'

/** pbxd.service with its engine, by what its drop-in says: its condition, three starts in a minute, a start after each death. */
const systemctl = (node: string): string => `#!/bin/sh
# Stands for systemd.
drop=/etc/systemd/system/pbxd.service.d/pair.conf
place=/run/pbxd-unit
of() { sed -n "s/^$1=//p" "$drop"; }
mkdir -p "$place"
supervise() {
  echo active >"$place/state"
  : >"$place/starts"
  while [ ! -e "$place/stopping" ]; do
    date +%s >>"$place/starts"
    env $(of Environment) PBXD_ROOT=${root} ${node} ${root}/.cache/program/daemon/main.js --config /etc/pbxd/pbxd.yaml &
    echo $! >"$place/pid"
    wait $! || :
    [ ! -e "$place/stopping" ] || break
    now=$(date +%s)
    recent=$(awk -v since=$((now - $(of StartLimitIntervalSec))) '$1 > since' "$place/starts" | wc -l)
    [ "$recent" -lt "$(of StartLimitBurst)" ] || { echo failed >"$place/state"; return; }
    sleep 1
  done
  echo inactive >"$place/state"
}
# A unit of its own on a box, which is stopped with pbxd. Here pbxd starts it, and where pbxd was killed it waits for another, on the disk.
end_engine() {
  pkill -TERM -x pbx-engine || return 0
  for _ in $(seq 60); do pgrep -x pbx-engine >/dev/null || return 0; sleep 0.05; done
  pkill -KILL -x pbx-engine || :
}
case "$1 $*" in
  supervise*) supervise ;;
  show*) cat "$place/state" 2>/dev/null || echo inactive ;;
  start*pbxd.service*)
    [ -e "$(of ConditionPathExists)" ] || exit 0
    [ "$(cat "$place/state" 2>/dev/null)" != active ] || exit 0
    rm -f "$place/stopping"
    echo activating >"$place/state"
    setsid "$0" supervise </dev/null >>/var/log/pbxd.log 2>&1 &
    ;;
  kill*) kill -9 "$(cat "$place/pid")" ;;
  stop*pbxd.service*)
    [ "$(cat "$place/state" 2>/dev/null || echo inactive)" = active ] || { echo inactive >"$place/state"; end_engine; exit 0; }
    : >"$place/stopping"
    pid=$(cat "$place/pid")
    kill -INT "$pid" 2>/dev/null
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    while [ "$(cat "$place/state")" = active ]; do sleep 0.05; done
    end_engine
    ;;
esac
exit 0
`

/** Switches a machine off by asking the strip, which the proof itself is. */
const fence = (strip: string): string => `#!/bin/sh
# Stands for a switched strip.
action=$2
[ $# -gt 0 ] || while read -r line; do case $line in action=*) action=\${line#*=} ;; ip=*) ip=\${line#*=} ;; esac; done
case $action in
  metadata)
    cat <<END
<?xml version="1.0"?>
<resource-agent name="fence_ipmilan" shortdesc="a strip">
<longdesc>a strip</longdesc>
<parameters>
<parameter name="action"><content type="string"/><shortdesc lang="en">what</shortdesc></parameter>
<parameter name="ip"><content type="string"/><shortdesc lang="en">which</shortdesc></parameter>
</parameters>
<actions><action name="on"/><action name="off"/><action name="reboot"/><action name="status"/><action name="monitor"/><action name="list"/><action name="metadata"/></actions>
</resource-agent>
END
    ;;
  off | reboot) curl -sf -m 10 -X POST "${strip}/off/$ip" ;;
  monitor | status) curl -sf -m 3 -o /dev/null "${strip}/" ;;
esac
`

const drbdsetup = `#!/bin/sh
# Stands for DRBD: a folder is there on one machine at a time.
case $1 in
  status) printf 'pbxd role:Primary\\n  disk:UpToDate\\n  other role:Secondary\\n    peer-disk:UpToDate\\n' ;;
  show) printf 'resource pbxd { net { protocol C; } }\\n' ;;
esac
`

/** A host without modules has no program for them; the agent of file systems asks for it. */
const modprobe = '#!/bin/sh\nexit 0\n'

/** Into the folder that is copied over the root of a machine. */
export function writeStandIns(dir: string, strip: string, version: string): void {
  const files: Readonly<Record<string, string>> = {
    'usr/bin/systemctl': systemctl(process.execPath),
    'usr/sbin/fence_ipmilan': fence(strip),
    'usr/sbin/drbdsetup': drbdsetup,
    'usr/sbin/modprobe': modprobe,
    'usr/lib/pbxd/package/scripts/upgrade': `#!/bin/sh\nexec sh ${root}/scripts/upgrade "$@"\n`,
    [`usr/lib/pbxd/versions/${version}/package.json`]: packageJson(version),
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, text.startsWith('#!') ? 0o755 : 0o644)
  }
  symlinkSync(`versions/${version}`, join(dir, 'usr/lib/pbxd/current'))
}

const packageJson = (version: string): string => `{\n  "name": "pbxd",\n  "version": "${version}"\n}\n`

/** The files of a package, unpacked, and what dpkg runs then. The programs in it are those of this checkout, whatever it calls itself. */
export const upgrade = (version: string): string => `set -eu
package=/usr/lib/pbxd/package
printf '%s' '${packageJson(version)}' >"$package/package.json"
printf '#!/bin/sh\nexec ${root}/scripts/pbx "$@"\n' >"$package/scripts/pbx"
chmod 755 "$package/scripts/pbx"
ln -sfn ${root}/.cache "$package/.cache"
exec sh ${root}/scripts/upgrade install ${version}
`

/** How a machine boots: its own /etc, /usr and /var over those of the host, Corosync, its witness's client, Pacemaker. */
export const boot = `set -eu
name=$1 dir=$2
hostname "$name"
mount --make-rprivate /
for part in etc usr var; do
  mkdir -p "$dir/over/$name/$part" "$dir/over/$name/$part.work"
  mount -t overlay -o "lowerdir=/$part,upperdir=$dir/over/$name/$part,workdir=$dir/over/$name/$part.work" overlay "/$part"
done
mount -t tmpfs none /run
mount -t tmpfs none /dev/shm
mkdir -p /run/lock /run/pbxd
exec 3>&1 >>"$dir/$name.log" 2>&1
if [ ! -e "$dir/over/$name/installed" ]; then
  rm -rf /var/lib/corosync/* /var/lib/pacemaker/cib/* /etc/corosync/qnetd/nssdb
  mkdir -p /var/lib/pbxd /etc/pbxd /var/log/pacemaker /var/log/cluster /var/log/corosync
  cp -a "$dir/$name/." /
  : >"$dir/over/$name/installed"
fi
case $name in
  witness)
    mkdir -p /run/corosync-qnetd
    [ -e /etc/corosync/qnetd/nssdb ] || corosync-qnetd-certutil -i
    echo up >&3
    exec corosync-qnetd -f
    ;;
esac
mkdir -p /run/corosync-qdevice
corosync -f &
until corosync-cmapctl runtime.config.totem.token >/dev/null 2>&1; do sleep 0.1; done
echo up >&3
corosync-qdevice -f &
pacemakerd &
wait
`

# A bare Debian 12, or RELEASE=trixie for 13, that systemd boots in namespaces of its own, for the proofs of this folder; sourced. Needs root,
# debootstrap and systemd-container. The bare system is kept in .cache/box.
ROOT=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd -P)
deb=${1:-$(ls -t "$ROOT"/.cache/package/pbxd_*_"$(dpkg --print-architecture)".deb 2>/dev/null | head -n 1)}
[ -f "$deb" ] || { echo "No package: run scripts/package-deb first." >&2; exit 2; }
for tool in debootstrap systemd-nspawn; do command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install debootstrap systemd-container" >&2; exit 2; }; done
release=${RELEASE:-bookworm}
bare="$ROOT/.cache/box/$release.tar"
work=$(mktemp -d "${TMPDIR:-/tmp}/pbxd-box-XXXXXX")
box="$work/root"
# There is no such folder in the box.
unset TMPDIR
init= nspawn=
. "$ROOT/test/proofs/box/steps.sh"

inside() { nsenter -t "$init" -a -- "$@"; }
shell() { inside sh -c "$1"; }

# A control group of its own: two systems in one take the groups of each other's units away, and systemd then says "Failed to spawn executor".
groups=$(for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do [ ! -e "$root/cgroup.procs" ] || echo "$root"; done)
for root in $groups; do mkdir "$root/pbxd-box-$$" && echo $$ >"$root/pbxd-box-$$/cgroup.procs"; done
leave() { for root in $groups; do echo $$ >"$root/cgroup.procs"; find "$root/pbxd-box-$$" -depth -type d -exec rmdir {} +; done; }

# The system is in namespaces of its own, without a network: what it needs from Debian is fetched before.
boot() {
  systemd-nspawn -q --register=no --keep-unit --private-network --resolv-conf=off -D "$box" --boot >"$work/console.log" 2>&1 &
  nspawn=$!
  init=
  for _ in $(seq 100); do
    init=$(pgrep -P "$nspawn" | head -n 1)
    [ -n "$init" ] && nsenter -t "$init" -a -- systemctl is-system-running --wait >/dev/null 2>&1
    [ -n "$init" ] && case $(nsenter -t "$init" -a -- systemctl is-system-running 2>/dev/null) in running | degraded) return 0 ;; esac
    sleep 0.3
  done
  return 1
}
halt() {
  [ -z "${init:-}" ] || kill -s RTMIN+4 "$init" 2>/dev/null || :
  for _ in $(seq 60); do kill -0 "$nspawn" 2>/dev/null || break; sleep 0.3; done
  kill -9 "$nspawn" 2>/dev/null || :
  wait "$nspawn" 2>/dev/null || :
  init=
}
trap 'halt 2>/dev/null; leave 2>/dev/null; rm -rf "$work"' EXIT

if [ ! -e "$bare" ]; then
  mkdir -p "$(dirname "$bare")"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,udev,ca-certificates,iproute2 "$release" "$work/bare" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 2; }
  tar -C "$work/bare" -cf "$bare" . && rm -rf "$work/bare"
fi
mkdir "$box" && tar -C "$box" -xf "$bare"
rm -f "$box/etc/resolv.conf"; cp /etc/resolv.conf "$box/etc/resolv.conf"
[ ! -d /etc/apt/apt.conf.d ] || cp /etc/apt/apt.conf.d/*proxy* "$box/etc/apt/apt.conf.d/" 2>/dev/null || :

# What the package depends on is fetched and unpacked, and packages named here; nothing of pbxd.
debian() {
  chroot "$box" sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install '"$*"' $(dpkg-deb -f /root/pbxd.deb Depends | tr , "\n" | sed "s/(.*)//; s/|.*//")' >"$work/apt.log" 2>&1 || { tail "$work/apt.log"; exit 2; }
}
ready() { shell 'for i in $(seq 100); do systemctl is-active -q pbxd && pbx status >/dev/null 2>&1 && break; sleep 0.2; done; systemctl is-active -q pbxd && pbx status >/dev/null && echo "$(systemctl show -p StatusText --value pbxd)" || { journalctl -u pbxd --no-pager -n 8; exit 1; }'; }
# Peers of the box as services of its own, which are there again after a power cut.
service() { # service NAME WORDS...
  name=$1; shift
  printf '[Service]\nExecStart=/root/node /root/%s.mjs %s\n[Install]\nWantedBy=multi-user.target\n' "$name" "$*" >"$box/etc/systemd/system/$name.service"
  mkdir -p "$box/etc/systemd/system/multi-user.target.wants"
  ln -sf "../$name.service" "$box/etc/systemd/system/multi-user.target.wants/$name.service"
}

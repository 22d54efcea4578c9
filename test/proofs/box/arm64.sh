#!/bin/sh
# The arm64 package on an arm64 Debian 12 whose programs qemu emulates: installed by its dpkg, the daemon started, called, faxed to and killed.
#   sh test/proofs/box/arm64.sh [PACKAGE.deb]     root, debootstrap, qemu-user-static and flite; half an hour, the first time
# After scripts/cross-arm64 --package and scripts/package-deb --arch arm64. Prints a line for each step, "stood" or "FELL", and a count.
# What it does not show: systemd, whose units need a booted machine; how fast it is; and the filter of system calls and Landlock, which qemu does
# not emulate: so the daemon reads no PDFs here. The bare system is kept in .cache/box.
set -u
ROOT=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd -P)
. "$ROOT/test/proofs/box/steps.sh"
deb=${1:-$(ls -t "$ROOT"/.cache/package/pbxd_*_arm64.deb 2>/dev/null | head -n 1)}
[ -f "$deb" ] || { echo "No package: run scripts/cross-arm64 --package and scripts/package-deb --arch arm64 first." >&2; exit 2; }
for tool in debootstrap qemu-aarch64-static flite; do command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install debootstrap qemu-user-static flite" >&2; exit 2; }; done
bare="$ROOT/.cache/box/arm64.tar"
work=$(mktemp -d "${TMPDIR:-/tmp}/pbxd-arm64-XXXXXX")
box="$work/root"
init=
ours=

# The kernel hands programs of arm64 to qemu: for the time of the proof, where nobody had asked it to before.
binfmt=/proc/sys/fs/binfmt_misc
emulate() {
  [ -e "$binfmt/register" ] || mount -t binfmt_misc none "$binfmt" || return 1
  [ ! -e "$binfmt/qemu-aarch64" ] || return 0
  ours=yes
  cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$binfmt/register"
}
clean() {
  [ -z "$init" ] || kill -9 "$init" 2>/dev/null
  [ -z "$ours" ] || echo -1 >"$binfmt/qemu-aarch64"
  rm -rf "$work"
}
trap clean EXIT

emulate || { echo 'the kernel has no binfmt_misc to give' >&2; exit 2; }
if [ ! -e "$bare" ]; then
  mkdir -p "$(dirname "$bare")"
  needs=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/(.*)//; s/|.*//' | tr -d ' ' | paste -sd ,)
  DEBIAN_FRONTEND=noninteractive debootstrap --arch=arm64 --variant=minbase --include="$needs" bookworm "$work/bare" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 2; }
  tar -C "$work/bare" -cf "$bare" . && rm -rf "$work/bare"
fi
mkdir "$box" && tar -C "$box" -xf "$bare"
cp "$deb" "$box/root/pbxd.deb"
cp "$ROOT/test/proofs/box/house.yaml" "$box/root/house.yaml"
letter 2 >"$work/fax.json"

# A network and processes of its own, where a first process waits.
unshare --net --mount --pid --fork --kill-child chroot "$box" sh -c 'mount -t proc proc /proc; while sleep 1000; do :; done' &
outer=$!
for _ in $(seq 100); do init=$(pgrep -P "$outer" | head -n 1); [ -n "$init" ] && [ -e "/proc/$init/root/proc/self" ] && break; sleep 0.2; done
nsenter -t "$init" -n ip link set lo up
inside() { nsenter -t "$init" -a -r -w -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
shell() { inside sh -c "$1"; }
beside() { nsenter -t "$init" -n -- "$@"; }

programs=/usr/lib/pbxd/current
# In a subshell of its own, else it would keep the pipe open into which a step writes.
start() {
  mkdir -p "$box/run/pbxd"
  (inside PBXD_ROOT=$programs MALLOC_ARENA_MAX=2 $programs/bin/node --max-semi-space-size=2 --v8-pool-size=1 --invocation-count-for-turbofan=400 --disable-sigusr1 $programs/program/daemon/main.js --config /etc/pbxd/pbxd.yaml) >>"$work/daemon.log" 2>&1 &
}
# Of the processes in its namespace, and no other: the machine may have boxes of its own.
daemon() {
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/pid")" = "$(readlink "/proc/$init/ns/pid")" ] || continue
    case "$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)" in *"$programs/program/daemon/main.js --config"*) echo "${process#/proc/}" ;; esac
  done
}
answers() { for _ in $(seq 180); do beside curl -sf http://127.0.0.1:8080/readyz && return 0; sleep 1; done; tail -n 12 "$work/daemon.log"; return 1; }
machine() { said=$(shell 'dpkg --print-architecture; uname -m' | paste -sd ' '); echo "$said"; [ "$said" = 'arm64 aarch64' ]; }
installed() { shell 'dpkg -i /root/pbxd.deb && cp /root/house.yaml /etc/pbxd/pbxd.yaml && dpkg-query -W -f "\${Package} \${Version} \${Architecture} \${Status}\n" pbxd'; }
ofArm() {
  foreign=$(find "$box/usr/lib/pbxd/" -type f \( -perm /111 -o -name '*.node' -o -name '*.so*' \) -exec file {} + | grep ELF | grep -v aarch64)
  [ -z "$foreign" ] && echo 'programs and libraries are aarch64' || { echo "$foreign"; return 1; }
}
linked() { shell "for program in $programs/bin/node $programs/.cache/engine/pbx-engine $programs/.cache/fax/pbx-fax $programs/.cache/pbx-confine; do ldd \$program | grep 'not found' && exit 1; done; echo 'no library is missing'"; }
status() { shell 'pbx status' >"$work/status"; cat "$work/status"; grep -q . "$work/status"; }
spoken() { shell 'flite -voice slt -t "Good morning" -o /root/said.wav && wc -c </root/said.wav'; }
# A call may come while the box is still busy with its start.
called() { for _ in 1 2 3 4 5; do call && return 0; sleep 15; done; tail -n 5 "$work/daemon.log"; return 1; }
call() { beside "$node" --no-warnings "$ROOT/test/proofs/box/caller.ts" +15550001000 'Welcome to the clinic. For the front desk, press one.' 120; }
# The library by itself: the daemon reads no PDF where the kernel filters no system calls, as it does not under qemu.
drawn() {
  cp "$work/fax.json" "$box/root/fax.json"
  shell "cd $programs && bin/node --input-type=module -e \"import { readFileSync } from 'node:fs'; import { PDFiumLibrary } from '@hyzyla/pdfium'
    const pdfium = await PDFiumLibrary.init(); const letter = await pdfium.loadDocument(Buffer.from(JSON.parse(readFileSync('/root/fax.json')).pdfBase64, 'base64'))
    const { data, width, height } = await letter.getPage(0).render({ scale: 1, render: 'bitmap' }); const ink = data.filter((byte) => byte < 128).length
    console.log(letter.getPageCount(), 'pages,', width, 'x', height + ',', ink, 'dark bytes on the first'); process.exit(ink > 100 ? 0 : 1)\""
}
refused() { beside curl -s -X POST -H "authorization: Bearer $(cat "$box/var/lib/pbxd/first-token")" -H 'content-type: application/json' --data-binary "@$work/fax.json" http://127.0.0.1:8080/api/fax | grep 'cannot be confined'; }
killed() {
  shell 'pbx token create --name written-before --scope send' || return 1
  kill -9 "$(daemon)"
  start
  answers >/dev/null && shell 'pbx token list' | grep written-before
}

stood 'the machine' machine
stood 'its dpkg installs the package' installed
stood 'nothing of another machine is in it' ofArm
stood 'every library is there' linked
start
stood 'the daemon answers over HTTP' answers
stood 'pbx status' status
stood 'flite speaks' spoken
stood 'a call is answered, and what the menu says is heard' called
stood 'PDFium draws a page' drawn
stood '... and the daemon reads no PDF that it cannot confine' refused
stood 'kill -9: what was acknowledged is there' killed
ended

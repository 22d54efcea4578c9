#!/bin/sh
# Upgrades that do not come up, on a Debian 12 that systemd boots: while two people talk through the box, packages with a fault are installed over
# the one that runs, and the power is cut.
#   sh test/proofs/box/upgrade.sh [PACKAGE.deb]        root, debootstrap and systemd-container; a quarter of an hour
# A line for each case says which version runs in the end, how the conversation fared, and how long apt took. Exit 1 when one fell.
set -u
. "$(dirname -- "$0")/lib.sh"
lib=usr/lib/pbxd/package
old=$(dpkg-deb -f "$deb" Version)
cp "$deb" "$box/root/pbxd.deb"
cp "$node" "$box/root/node"
cp "$ROOT/test/proofs/box/provider.mjs" "$box/root/"
service provider /root/report.json /root/silent
cat >"$box/root/house.yaml" <<'YAML'
site:    { name: My site, country: US, timeZone: UTC, language: en-US }
storage: { dir: /var/lib/pbxd }
control: { socket: /run/pbxd/pbxd.sock }
http:    { listen: 127.0.0.1:8080 }
sip:     { udp: 127.0.0.1:5060, tcp: 127.0.0.1:5060, rtpPorts: 10000-19999 }
trunks:  [{ id: main, kind: sip, server: "127.0.0.1:5999", register: false, keepAliveSeconds: 5, numbers: ["+15550001000"], default: true }]
inbound: [{ trunk: main, to: "*", destination: "external:+15551230001" }]
YAML

# variant VERSION COMMAND...: the package of that version, after the command, which runs in its tree, has changed it. The files are those of the
# tree, by links: who changes one makes a new one.
variant() {
  number=$1; shift
  rm -rf "$work/other" && cp -al "$work/tree" "$work/other"
  sed -i "s/^Version: .*/Version: $number/" "$work/other/DEBIAN/control"
  sed -i "s/$old/$number/g" "$work/other/DEBIAN/preinst" "$work/other/DEBIAN/postinst"
  sed -i "s/^  \"version\": .*/  \"version\": \"$number\",/" "$work/other/$lib/package.json"
  (cd "$work/other" && "$@") || { echo "no variant $number" >&2; exit 2; }
  dpkg-deb --root-owner-group -Znone --build "$work/other" "$box/root/next.deb" >/dev/null
}
# Each attempt is of a version of its own: one that did not come up need not be undone before the next one, which is also what happens in a house.
attempts=0
attempt() { attempts=$((attempts + 1)) version=9.$attempts; variant "$version" "$@"; }
main=$lib/program/daemon/main.js
before() { { echo "$1"; cat "$main"; } >"$main.new" && mv "$main.new" "$main"; }
nothing() { :; }
throws() { before 'throw new Error("not like this")'; }
hangs() { before 'await new Promise((done) => setTimeout(done, 3600_000))'; }
dies() { before 'setTimeout(() => process.abort(), 6000)'; }
noNode() { rm "$lib"/.cache/node-*/node_modules/node-linux-*/bin/node; }
otherMachine() { program=$(ls "$lib"/.cache/node-*/node_modules/node-linux-*/bin/node); rm "$program"; printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0' >"$program"; chmod 755 "$program"; }
noEngine() { rm "$lib/.cache/engine/pbx-engine"; }
engineFails() { noEngine; printf '#!/bin/sh\nexit 1\n' >"$lib/.cache/engine/pbx-engine"; chmod 755 "$lib/.cache/engine/pbx-engine"; }
noCommand() { rm "$lib/scripts/pbx"; printf '#!/bin/sh\nexit 1\n' >"$lib/scripts/pbx"; chmod 755 "$lib/scripts/pbx"; }
noModule() { rm -r "$lib/node_modules/lmdb" "$lib"/node_modules/@lmdb; }
otherWord() {
  check="$lib/program/daemon/config-check.cjs"
  gunzip -f "$check.gz" && grep -rl 'keepAliveSeconds' "$lib/program" | xargs sed -i 's/keepAliveSeconds/keptAliveEvery/g' && gzip "$check"
}
shape() { grep -rlZ 'boxEvents:{' "$lib/program" | xargs -0 perl -0pi -e "s/boxEvents:\{\s*version:1,\s*migrations:\[\]/boxEvents:{version:2,migrations:[{to:2,row:$1}]/"; }
migrates() { shape '(row)=>row'; }
migratesAndDies() { migrates && dies; }
migrationFails() { shape '()=>{throw new Error("such a row cannot be")}'; }
otherUnit() { unit=lib/systemd/system/pbxd.service; sed -i 's/^LimitNICE=.*/ExecStartPre=\/bin\/false/' "$unit" && cp "$unit" "$lib/systemd/pbxd.service"; }
engineUnit() { unit=lib/systemd/system/pbxd-engine.service; sed -i '/^ExecStart=/d' "$unit" && cp "$unit" "$lib/systemd/pbxd-engine.service"; }

install() { shell 'pbx upgrade /root/next.deb 2>&1'; }
figure() { sed -n "s/.*\"$1\":\([0-9a-z]*\).*/\1/p" "$box/root/report.json" 2>/dev/null; }
talking() { for _ in $(seq 60); do [ "$(figure talking)" = true ] && shell 'pbx calls --json | grep -q answered' && return 0; sleep 0.5; done; return 1; }
phones() { shell 'pkill -USR1 -f provider[.]mjs'; sleep 1; }
# What apt did must be so, the version that runs this one, the telephones well; says how the conversation fared.
outcome() { # outcome VERSION ok|fails
  [ "$2" = any ] || { if [ "$status" = 0 ]; then [ "$2" = ok ]; else [ "$2" = fails ]; fi; } || { echo "apt ended with $status"; cat "$work/apt"; return 1; }
  ready >/dev/null || { echo 'the daemon does not answer'; return 1; }
  shell 'pbx status --json' >"$work/status"
  grep -q "\"version\": \"$1\"" "$work/status" || { echo "not $1 runs: $(grep '"version"' "$work/status")"; tail -n 5 "$work/apt"; return 1; }
  shell "[ \"\$(basename \$(readlink /usr/lib/pbxd/current))\" = '$1' ] || basename \$(readlink /usr/lib/pbxd/current) | grep -qx '$1_[0-9]*'" || { echo 'the link shows elsewhere'; return 1; }
  sleep 1
  byes=$(figure byes)
  talk="talk: $([ "$byes" = 0 ] && echo "goes on, $(figure longestGapMs) ms the longest gap" || echo "ENDED")"
  echo "$1 runs; $talk; $took s"
  [ "$byes" = "${3:-0}" ]
}
case_() { # case_ "what" VERSION|new ok|fails COMMAND...: the variant is installed
  what=$1 expected=$2 how=$3; shift 3
  attempt "$@"
  [ "$expected" != new ] || expected=$version
  phones
  began=$(date +%s)
  install >"$work/apt" 2>&1; status=$?
  took=$(($(date +%s) - began))
  stood "$what" outcome "$expected" "$how"
  shell 'dpkg --configure -a >/dev/null 2>&1; rm -f /root/next.deb'
  talking
}
# The good version is the one that runs, and the package that is installed.
again() { cp "$work/good.deb" "$box/root/next.deb"; shell 'PBXD_DOWNGRADE=yes pbx upgrade /root/next.deb' >"$work/apt" 2>&1; status=$?; talking; }
# cut_ "what" PHASE VERSION|new COMMAND...: the power goes when the notes say PHASE.
cut_() {
  what=$1 at=$2 expected=$3; shift 3
  attempt "$@"
  [ "$expected" != new ] || expected=$version
  began=$(date +%s)
  (install >"$work/apt" 2>&1) &
  installing=$!
  for _ in $(seq 6000); do
    case $at in
      unpack) [ -e "$box/usr/lib/pbxd/package/program/daemon/main.js.dpkg-new" ] && break ;;
      *) grep -qs "^phase=$at" "$box/var/lib/pbxd-upgrade/state" && break ;;
    esac
    kill -0 "$installing" 2>/dev/null || break
    sleep 0.01
  done
  kill -9 "$init" "$nspawn" 2>/dev/null
  wait "$nspawn" "$installing" 2>/dev/null
  sleep 1
  seen=$(sed -n 's/^phase=//p' "$box/var/lib/pbxd-upgrade/state")
  boot || { stood "$what" false; return; }
  for _ in $(seq 120); do shell 'systemctl show -p ActiveState --value pbxd-upgrade | grep -q activating' || break; sleep 1; done
  sleep 3
  took=$(($(date +%s) - began)) status=1
  stood "$what (cut at: $seen)" outcome "$expected" any "$(figure byes)"
  shell 'dpkg --configure -a >/dev/null 2>&1; rm -f /root/next.deb'
  talking
}

mkdir "$work/tree" && dpkg-deb -R "$deb" "$work/tree" && rm -rf "$work/tree" && dpkg-deb -R "$deb" "$work/tree"
variant 1.0 nothing && mv "$box/root/next.deb" "$work/good.deb"
debian procps
boot || { tail "$work/console.log"; echo 'the system does not boot' >&2; exit 1; }
shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb' >"$work/apt" 2>&1 || { cat "$work/apt"; exit 1; }
shell 'cp /root/house.yaml /etc/pbxd/pbxd.yaml && systemctl reload pbxd; systemctl restart pbxd'
shell 'systemctl start provider'
stood 'two people talk' talking || exit 1
phones; began=$(date +%s); again; took=$(($(date +%s) - began)); stood 'a good version' outcome 1.0 ok

case_ 'its program throws' 1.0 fails throws
stood '... and pbx upgrade --status says so' shell 'pbx upgrade --status | grep "did not come up"'
stood '... and pbx status' shell 'pbx status | grep "'"$version"' did not come up"'
case_ 'its program never gets ready' 1.0 fails hangs
case_ 'it dies after six seconds, over and over' 1.0 fails dies
case_ 'its Node is missing' 1.0 fails noNode
case_ 'its Node is for another machine' 1.0 fails otherMachine
case_ 'its engine is missing' 1.0 fails noEngine
case_ 'its engine does not start' 1.0 fails engineFails
case_ 'its pbx command does not run' 1.0 fails noCommand
case_ 'a module is missing' 1.0 fails noModule
case_ 'it refuses the configuration' 1.0 fails otherWord
case_ 'its unit does not start' 1.0 fails otherUnit
case_ 'the unit of its engine cannot be read' 1.0 fails engineUnit
case_ 'its migration fails' 1.0 fails migrationFails
case_ 'it changes the store, then dies' 1.0 fails migratesAndDies
touch "$box/root/silent"
attempt nothing; shell 'mkdir -p /root/later; mv /root/next.deb /root/later/'
rm "$box/root/silent"; talking
shell 'mv /root/later/next.deb /root/'
phones; began=$(date +%s)
(sleep 4; while ! grep -qs '^phase=starting\|^phase=watching' "$box/var/lib/pbxd-upgrade/state"; do sleep 0.05; done; touch "$box/root/silent"; sleep 75; rm "$box/root/silent") &
install >"$work/apt" 2>&1; status=$?; took=$(($(date +%s) - began)); rm -f "$box/root/silent"; sleep 12
stood 'the trunk that was up is not' outcome 1.0 fails
shell 'dpkg --configure -a >/dev/null 2>&1'; talking
full() { shell 'mount -t tmpfs -o size=8k tmpfs /var/lib/pbxd-upgrade; dd if=/dev/zero of=/var/lib/pbxd-upgrade/fill bs=1k >/dev/null 2>&1'; }
full; case_ 'the disk of the notes is full' 1.0 fails nothing; shell 'umount /var/lib/pbxd-upgrade'
case_ 'it changes the store, and stays' new ok migrates
stood 'pbx rollback over a store that changed: it comes back' shell '! pbx rollback 2>&1 && pbx status --json | grep "\"version\": \"'"$version"'\""'
stood 'pbx rollback --store' shell 'pbx rollback --store && pbx status --json | grep "\"version\": \"1.0\""'
again
attempt nothing
stood 'pbx upgrade FILE --at' shell 'pbx upgrade /root/next.deb --at "$(date -d "+70 seconds" +%H:%M)" && for i in $(seq 150); do sleep 1; pbx status --json 2>/dev/null | grep -q "\"version\": \"'"$version"'\"" && grep -q "^phase=done" /var/lib/pbxd-upgrade/state && { pbx upgrade --status | sed -n 1p; exit 0; }; done; journalctl -u pbxd-upgrade-at --no-pager | tail; exit 1'
again
# What is half unpacked is unpacked again after the start, and tried as it would have been.
cut_ 'the power is cut while files are unpacked' unpack new nothing; again
cut_ 'the power is cut while it is laid out' laying 1.0 nothing
cut_ 'the power is cut at the check' checking 1.0 nothing
cut_ 'the power is cut at the start' starting new nothing; again
cut_ 'the power is cut while it is watched' watching new nothing; again
cut_ 'the power is cut while a broken one is watched' watching 1.0 throws
cut_ 'the power is cut on the way back' returning 1.0 throws
stood 'all is well in the end' outcome 1.0 any "$(figure byes)"
ended

#!/bin/sh
# pbxd and pbxd-speech-engine upgraded by a real apt, on a Debian 12 that systemd boots: one of them alone, both, at an hour, and what pbx status says.
#   sh test/proofs/box/two-packages.sh [PACKAGE.deb]        root, debootstrap and systemd-container; ten minutes
# The first engine of speech wants its pbxd exactly (Depends: pbxd (= VERSION)), as those that are in houses do. Exit 1 when one fell.
set -u
. "$(dirname -- "$0")/lib.sh"
old=$(dpkg-deb -f "$deb" Version) arch=$(dpkg-deb -f "$deb" Architecture)
lib=usr/lib/pbxd/package
cp "$deb" "$box/root/pbxd.deb"
dpkg-deb -R "$deb" "$work/pbxd" && dpkg-deb -R "$(dirname "$deb")/pbxd-speech-engine_${old}_$arch.deb" "$work/speech"

# pbxd NUMBER [COMMAND]: the package with that number, after the command has changed its tree; speech NUMBER DEPENDS.
pbxd() {
  rm -rf "$work/other" && cp -a "$work/pbxd" "$work/other"
  sed -i "s/^Version: .*/Version: $1/" "$work/other/DEBIAN/control"
  sed -i "s/$old/$1/g" "$work/other/DEBIAN/preinst" "$work/other/DEBIAN/postinst"
  sed -i "s/^  \"version\": .*/  \"version\": \"$1\",/" "$work/other/$lib/package.json"
  [ $# = 1 ] || (cd "$work/other" && "$2")
  dpkg-deb --root-owner-group -Znone --build "$work/other" "$box/root/pbxd_$1_$arch.deb" >/dev/null
}
speech() {
  sed -i "s/^Version: .*/Version: $1/; s/pbxd ([^)]*)/pbxd ($2)/" "$work/speech/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$work/speech" "$box/root/pbxd-speech-engine_$1_$arch.deb" >/dev/null
}
otherLibrary() { sed -i 's/"sherpa-onnx-node": "[^"]*"/"sherpa-onnx-node": "99.0.0"/' "$lib/package.json"; }
speech "$old" "= $old"
for number in 1.1 1.2 1.3; do pbxd $number; speech $number ">= $number"; done
pbxd 1.4 otherLibrary
debian procps

versions() { shell 'dpkg-query -W -f "\${Package} \${Version} \${db:Status-Abbrev}\n" "pbxd*" | paste -sd ,'; }
# are PBXD SPEECH: both are installed, the daemon runs, and the engine of speech is in the version that runs.
are() {
  ready >/dev/null || return 1
  found=$(versions); echo "$found"
  [ "$found" = "pbxd $1 ii ,pbxd-speech-engine $2 ii " ] && shell "pbx status --json | grep -q '\"version\": \"$1\"' && ls /usr/lib/pbxd/current/node_modules | grep -q sherpa-onnx-node"
}
installed() { shell "DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb /root/pbxd-speech-engine_${old}_$arch.deb" && are "$old" "$old"; }
alone() { said=$(shell "cd /root && pbx upgrade ./pbxd_1.1_$arch.deb $* 2>&1") && { echo "it was done: $said"; return 1; }; printf '%s' "$said" | grep "pbxd-speech-engine_1.1_$arch.deb" && are "$old" "$old"; }
nothingWaits() { shell '[ ! -e /var/lib/pbxd-upgrade/next ] && [ ! -e /etc/systemd/system/pbxd-upgrade-at.timer ] && echo nothing'; }
# As the technician has it in a shell: the line that the refusal names.
named() { said=$(shell "cd /root && pbx upgrade ./pbxd_1.1_$arch.deb 2>&1" | tr '\n' ' ' | sed 's/.*pbx upgrade/pbx upgrade/'); shell "$said" && are 1.1 1.1; }
apt() { shell "cd /root && DEBIAN_FRONTEND=noninteractive apt-get -y install ./pbxd_1.2_$arch.deb"; }
kept() { apt >/dev/null && are 1.2 1.1; }
again() { shell "cd /root && pbx upgrade ./pbxd_1.2_$arch.deb ./pbxd-speech-engine_1.2_$arch.deb" && are 1.2 1.2 && shell '! pbx status | grep -i "neural speech"'; }
atHour() {
  shell "cd /root && pbx upgrade ./pbxd_1.3_$arch.deb ./pbxd-speech-engine_1.3_$arch.deb --at \$(date -d '+70 seconds' +%H:%M) && pbx upgrade --status | grep scheduled" || return 1
  for _ in $(seq 180); do [ "$(versions)" = 'pbxd 1.3 ii ,pbxd-speech-engine 1.3 ii ' ] && break; sleep 1; done
  are 1.3 1.3
}
other() { shell "cd /root && pbx upgrade ./pbxd_1.4_$arch.deb" && are 1.4 1.3 && shell 'pbx status | grep "was built for"'; }
gone() { shell 'DEBIAN_FRONTEND=noninteractive apt-get -y remove pbxd-speech-engine >/dev/null 2>&1; sleep 2; pbx status | grep "and is missing"' && ready >/dev/null && shell '[ ! -e /usr/lib/pbxd/current/node_modules/sherpa-onnx-node ]'; }
back() { shell 'pbx rollback' && ready >/dev/null && shell 'pbx upgrade --status | head -n 1'; }

boot || { tail "$work/console.log"; echo 'the system does not boot' >&2; exit 1; }
stood 'both, of one version' installed
stood 'pbxd alone: refused, and the file is named' alone
stood '... at an hour, too' alone --at 02:00
stood '... and nothing waits for its hour' nothingWaits
stood 'the line that the refusal names' named
stood 'plain apt with pbxd alone: the engine of speech stays' kept
stood 'both, again' again
stood 'both, at an hour' atHour
stood 'one that wants another library: pbx status warns' other
stood 'the engine of speech is removed: pbx status warns' gone
stood 'a rollback' back
ended

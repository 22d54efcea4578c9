#!/bin/sh
# Upgrades and rollbacks that are broken off at each of their steps, on a Debian 12 that systemd boots: kill -9 of the upgrading programs, and a power cut.
#   [EVERY=n] [FROM=n] [TO=n] [ONLY=upgrade|rollback] sh test/proofs/box/broken-off.sh [PACKAGE.deb]        root, debootstrap and systemd-container;
# EVERY=4: each fourth step; FROM and TO: the first and last of them
# A step is a command of scripts/upgrade that changes something; this proof counts them in the package that it makes, by a trap of bash. After each
# one a good version runs, "pbx upgrade --status" says so, dpkg has nothing unfinished, and a second attempt works. Exit 1 when one fell.
set -u
. "$(dirname -- "$0")/lib.sh"
lib=usr/lib/pbxd/package
every=${EVERY:-1} first=${FROM:-1} last=${TO:-1000} only=${ONLY:-}
old=$(dpkg-deb -f "$deb" Version)
cp "$deb" "$box/root/pbxd.deb"
cat >"$box/root/count.sh" <<'STEPS'
counted=0
counting() {
  case $BASH_COMMAND in 'mv '* | 'ln '* | 'cp '* | 'rm '* | 'sync '* | 'systemctl '* | 'mkdir '* | 'printf '*failed* | 'flock '* | 'timeout '* | 'runuser '*) ;; *) return 0 ;; esac
  counted=$((counted + 1))
  [ -e /root/at ] || return 0
  echo "$counted" >>/root/steps
  [ "$counted" = "$(cat /root/at)" ] || return 0
  how=$(cat /root/how)
  rm /root/at
  echo "$BASH_COMMAND" >/root/step
  case $how in
    cut) : >/root/cut; sleep 600 ;;
    one) kill -9 $$ ;;
    all) set --; pid=$$; while [ "$pid" -gt 1 ]; do set -- "$@" "$pid"; pid=$(sed -n 's/^PPid:\t//p' "/proc/$pid/status"); done; kill -9 "$@" ;;
  esac
}
set -T
trap counting DEBUG
STEPS

number=0
# Each attempt is of a version of its own, so that none has to be undone.
variant() {
  number=$((number + 1)) version=1.$number
  rm -rf "$work/other" && cp -al "$work/tree" "$work/other"
  for file in DEBIAN/control DEBIAN/preinst DEBIAN/postinst "$lib/package.json" "$lib/scripts/upgrade"; do cp "$work/other/$file" "$work/own" && rm "$work/other/$file" && cp -p "$work/own" "$work/other/$file"; done
  chmod 755 "$work/other/DEBIAN/preinst" "$work/other/DEBIAN/postinst" "$work/other/$lib/scripts/upgrade"
  sed -i "s/^Version: .*/Version: $version/" "$work/other/DEBIAN/control"
  sed -i "s/$old/$version/g" "$work/other/DEBIAN/preinst" "$work/other/DEBIAN/postinst"
  sed -i "s/^  \"version\": .*/  \"version\": \"$version\",/" "$work/other/$lib/package.json"
  sed -i '1s/.*/#!\/bin\/bash --posix/; s/^set -eu$/set -eu\n. \/root\/count.sh/' "$work/other/$lib/scripts/upgrade"
  dpkg-deb --root-owner-group -Znone --build "$work/other" "$box/root/next.deb" >/dev/null
}
upgrade() { shell 'pbx upgrade /root/next.deb 2>&1'; }
rollback() { shell 'pbx rollback 2>&1'; }
versions() { shell 'basename $(readlink /usr/lib/pbxd/current)'; }
# What was broken off is at its end when pbxd-upgrade.service is.
over() { for _ in $(seq 240); do shell 'systemctl show -p ActiveState --value pbxd-upgrade | grep -q activating' || break; sleep 1; done; }
# well VERSIONS: one of these runs, and says so.
well() {
  ready >/dev/null || { echo 'the daemon does not answer'; return 1; }
  now=$(versions)
  case " $1 " in *" $now "*) ;; *) echo "$now runs"; return 1 ;; esac
  shell "pbx status --json" | grep -q "\"version\": \"${now%_*}\"" || { echo "the daemon is not $now"; return 1; }
  shell 'pbx upgrade --status --json' >"$work/said"
  grep -q "\"running\": \"$now\"" "$work/said" && grep -q '"phase": "\(done\|refused\|returned\)"' "$work/said" || { cat "$work/said"; return 1; }
  if grep -q '"phase": "done"' "$work/said"; then grep -q "\"to\": \"$now\"" "$work/said" || { cat "$work/said"; return 1; }; fi
  found=$(shell 'dpkg --audit; dpkg -l pbxd | tail -n 1 | grep -v ^ii') ; [ -z "$found" ] || { echo "dpkg: $found"; return 1; }
}
# broken HOW AT COMMAND: it is broken off before the step AT.
broken() {
  echo "$1" >"$box/root/how"; echo "$2" >"$box/root/at"; rm -f "$box/root/step" "$box/root/cut" "$box/root/steps"
  ("$3" >"$work/apt" 2>&1) &
  running=$!
  if [ "$1" = cut ]; then
    for _ in $(seq 3000); do [ -e "$box/root/cut" ] && break; kill -0 "$running" 2>/dev/null || break; sleep 0.05; done
    kill -9 "$init" "$nspawn" 2>/dev/null
    wait "$nspawn" "$running" 2>/dev/null
    sleep 1
    boot || { echo 'it does not boot'; return 1; }
  else
    wait "$running"
    sleep 1
  fi
  over
  rm -f "$box/root/at"
  step=$(cut -c 1-70 "$box/root/step" 2>/dev/null || echo 'none')
}
upgraded() { # upgraded HOW AT
  before=$(versions)
  broken "$1" "$2" upgrade || return 1
  well "$before $version" || { tail -n 5 "$work/apt"; return 1; }
  then=$now
  upgrade >"$work/apt" 2>&1 || { echo "the second attempt failed"; cat "$work/apt"; return 1; }
  over
  well "$version ${version}_2" && echo "$then runs, then $now; before: $step"
}
back() { # back HOW AT
  before=$(versions)
  broken "$1" "$2" rollback || return 1
  well "$(ls "$box/usr/lib/pbxd/versions" | tr '\n' ' ')" || { tail -n 5 "$work/apt"; return 1; }
  then=$now
  rollback >"$work/apt" 2>&1 || { echo "the second attempt failed"; cat "$work/apt"; return 1; }
  over
  well "$(ls "$box/usr/lib/pbxd/versions" | tr '\n' ' ')" && [ "$now" != "$then" ] && echo "$then runs, then $now; before: $step"
}
# try_ "what" COMMAND HOW AT: not as stood runs it, for a system that boots again is another process.
try_() {
  what=$1; shift
  "$@" >"$work/outcome" 2>&1; outcome=$?
  stood "$what" reported
}
reported() { cat "$work/outcome"; return "$outcome"; }
# How many steps COMMAND has, unbroken: each program of it counts its own.
count() { echo none >"$box/root/how"; echo 100000 >"$box/root/at"; rm -f "$box/root/steps"; "$1" >"$work/apt" 2>&1; over; rm "$box/root/at"; sort -n "$box/root/steps" | tail -n 1; }

mkdir "$work/tree" && rm -rf "$work/tree" && dpkg-deb -R "$deb" "$work/tree"
debian procps
boot || { tail "$work/console.log"; echo 'the system does not boot' >&2; exit 1; }
shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb' >"$work/apt" 2>&1 || { cat "$work/apt"; exit 1; }
stood 'it runs' ready
variant; stood 'an upgrade' upgrade
# each STEPS COMMAND NAME
each() {
  for at in $(seq "$first" "$every" "$(($1 < last ? $1 : last))"); do
    for how in one all cut; do
      [ "$3" = rollback ] || variant
      try_ "$3, step $at, $how" "$2" "$how" "$at"
    done
  done
}
if [ "$only" != rollback ]; then
  variant; steps=$(count upgrade)
  stood "an upgrade has $steps steps" well "$version"
  each "$steps" upgraded upgrade
fi
if [ "$only" != upgrade ]; then
  steps=$(count rollback)
  stood "a rollback has $steps steps" ready
  each "$steps" back rollback
fi
ended

#!/bin/sh
# The package as a technician meets it: in a bare Debian 12 that systemd boots, installed, upgraded, not downgraded, removed and purged.
#   sh test/proofs/box/package.sh [PACKAGE.deb]        root, debootstrap and systemd-container; ten minutes, the first time
# Prints a line for each step, "stood" or "FELL", and a count at the end. The bare system is kept in .cache/box.
set -u
. "$(dirname -- "$0")/lib.sh"

# The same program with another number.
version() { # version NUMBER
  dpkg-deb -R "$deb" "$work/other"
  old=$(dpkg-deb -f "$deb" Version)
  sed -i "s/^Version: .*/Version: $1/" "$work/other/DEBIAN/control"
  sed -i "s/$old/$1/g" "$work/other/DEBIAN/preinst" "$work/other/DEBIAN/postinst" "$work/other/usr/lib/pbxd/package/package.json"
  dpkg-deb --root-owner-group -Znone --build "$work/other" "$box/root/pbxd_$1.deb" >/dev/null
  rm -rf "$work/other"
}
cp "$deb" "$box/root/pbxd.deb"
version 99.0
version 0.0.1
# A house of one phone behind a provider that is not there, and a letter.
cp "$ROOT/test/proofs/box/house.yaml" "$box/root/house.yaml"
letter 2 >"$box/root/fax.json"
(cd "$ROOT" && "$node" --no-warnings --input-type=module -e "import { deflateBomb } from './test/fax-pages/hostile.ts'
console.log(JSON.stringify({ to: '+15551230001', pdfBase64: Buffer.from(deflateBomb()).toString('base64') }))") >"$box/root/endless.json"
cp "$(dirname "$deb")"/pbxd-speech-engine_*_"$(dpkg-deb -f "$deb" Architecture)".deb "$box/root/speech.deb"
"$ROOT/scripts/package-speech" --out "$work/models" "$ROOT/.cache/models/silero-vad/silero_vad.onnx" >/dev/null 2>&1
cp "$work"/models/pbxd-speech-silero-vad_*.deb "$box/root/model.deb"
debian

compilers() { shell 'command -v gcc cc make npm node'; }
installed() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb'; }
size() { kb=$(shell 'du -sk /usr/lib/pbxd | cut -f1'); echo "$((kb * 1024 / 100000)) x 0.1 MB in /usr/lib/pbxd"; [ "$((kb * 1024))" -lt 150000000 ]; }
units='pbxd pbxd-engine pbxd-pages@ pbxd-backup'
engine() { shell 'systemctl show -p MainPID --value pbxd-engine'; }
users() { shell 'ps=$(systemctl show -p MainPID --value pbxd); user=$(stat -c %U /proc/$ps); echo "the daemon is $user"; [ "$user" = pbx ]'; }
memory() { shell 'for pid in $(systemctl show -p MainPID --value pbxd) $(systemctl show -p MainPID --value pbxd-engine); do echo "$(cat /proc/$pid/comm) $(awk "/VmRSS/ { print int(\$2/1024) }" /proc/$pid/status) MB"; done | paste -sd " "'; }
ofItsOwn() { shell 'for process in /proc/[0-9]*; do [ "$(cat $process/comm 2>/dev/null)" != pbx-engine ] || stat -c "the engine is %U" $process; done' >"$work/engines"; cat "$work/engines"; [ "$(cat "$work/engines")" = 'the engine is pbx-engine' ]; }
# What the engine sees, in its own namespace and as its own user; root there sees no more of the store.
blind() {
  pid=$(engine)
  in_its() { inside nsenter -t "$pid" -m setpriv --reuid=pbx-engine --regid=pbx-engine --clear-groups sh -c "$1"; }
  fails in_its 'cat /var/lib/pbxd/store/*' && fails in_its 'ls /etc/pbxd' && fails in_its 'ls /var/backups/pbxd' && fails in_its 'ls /run/pbxd/pbxd.sock' &&
    fails inside nsenter -t "$pid" -m ls /var/lib/pbxd/store && in_its 'touch /var/lib/pbxd/spool/try && rm /var/lib/pbxd/spool/try' &&
    fails in_its 'touch /var/lib/pbxd/try' && echo "below /var/lib/pbxd it sees: $(inside nsenter -t "$pid" -m ls /var/lib/pbxd)"
}
closed() { shell 'runuser -u nobody -- true && for socket in /run/pbxd-engine/engine.sock /run/pbxd-pages.sock; do ! runuser -u nobody -- test -w $socket || exit 1; done; ls -l /run/pbxd-pages.sock | cut -c 1-40'; }
# well SECONDS: the engine is another one, and the daemon has it.
well() {
  for i in $(seq $(($1 * 5))); do
    now=$(engine); [ "$now" != "$pid" ] && [ "$now" != 0 ] && api GET /readyz >/dev/null && { echo "another engine is in use after $i x 0.2 s"; return 0; }
    sleep 0.2
  done
  shell 'journalctl -u pbxd-engine -u pbxd --no-pager -n 12'; return 1
}
engineKilled() { pid=$(engine); shell "kill -9 $pid"; well 4; }
engineHangs() { pid=$(engine); shell "kill -STOP $pid"; well 30; }
engineStopped() { shell 'systemctl stop pbxd-engine; sleep 1; pbx status | grep "systemctl start pbxd-engine"; told=$?; systemctl start pbxd-engine; exit $told'; pid=0; well 4; }
secretless() { shell '! journalctl -q --no-pager | grep -E "pbx_[A-Za-z0-9_-]{20}"' && echo "no token in the journal"; }
told() { shell 'journalctl -q -u pbxd -t pbxd -p err --no-pager -o cat | grep "pbx-engine is gone"'; }
quietlog() { shell 'journalctl -q -u pbxd -u pbxd-engine -p err --no-pager | grep . && exit 1; echo "no line of priority err"'; }
call() { shell 'pbx simulate call --help >/dev/null 2>&1 && echo "pbx simulate is there"'; }
api() { # api METHOD PATH [FILE]
  shell "/usr/lib/pbxd/current/bin/node -e \"const { readFileSync: read } = require('node:fs'); const [method, path, file] = process.argv.slice(1)
    fetch('http://127.0.0.1:8080' + path, { method, headers: { authorization: 'Bearer ' + read('/var/lib/pbxd/first-token', 'utf8').trim(), 'content-type': 'application/json' }, ...(file ? { body: read(file) } : {}) })
      .then(async (answer) => { console.log(await answer.text()); process.exit(answer.ok ? 0 : 1) })\" $*"
}
metrics() { api GET /metrics | grep '^process_resident_memory_bytes'; }
# The page of the interface: a browser's script, which the package has compressed.
page() {
  shell "/usr/lib/pbxd/current/bin/node -e \"
    fetch('http://127.0.0.1:8080/docs/swagger-ui-bundle.js').then(async (answer) => { const text = await answer.text()
      console.log(answer.headers.get('content-encoding') + ', ' + text.length + ' letters'); process.exit(text.includes('SwaggerUIBundle') ? 0 : 1) })\""
}
# Nothing answers behind it; but the port was opened, and asked.
serial() { shell 'pbx modem scan /dev/ptmx | grep "does not answer"'; }
house() { shell 'cp /root/house.yaml /etc/pbxd/pbxd.yaml && systemctl reload pbxd && sleep 1 && pbx where +15550001000 | head -n 3'; ready; }
firstcall() { shell 'pbx simulate inbound --from +15551230009 --to +15550001000 --keys 1 --speed 20 2>&1 | tail -n 30 | grep "on to 101"'; }
drawn() {
  id=$(api POST /api/fax /root/fax.json | tee "$work/fax" | grep -o '"faxId":"[^"]*"' | cut -d '"' -f 4)
  [ -n "$id" ] || { cat "$work/fax"; return 1; }
  for _ in $(seq 50); do api GET "/api/fax/$id" >"$work/fax"; grep -q '"pages":2' "$work/fax" && { shell 'journalctl -q --no-pager -o cat | grep -c "Started pbxd-pages@.*One PDF"' | sed 's/$/ readers were started, for two pages/'; return 0; }; sleep 0.3; done
  cat "$work/fax"; return 1
}
# A PDF that would take all memory ends as a failed fax, and nothing of its reader stays.
endless() {
  id=$(api POST /api/fax /root/endless.json | tee "$work/fax" | grep -o '"faxId":"[^"]*"' | cut -d '"' -f 4)
  for _ in $(seq 150); do
    [ -z "$id" ] || api GET "/api/fax/$id" >"$work/fax"
    grep -q '"status":"failed"\|pdf_unreadable' "$work/fax" && break
    sleep 1
  done
  for _ in $(seq 30); do shell 'systemctl list-units --no-legend "pbxd-pages@*" | grep -q .' || break; sleep 0.3; done
  shell 'systemctl list-units --all --no-legend "pbxd-pages@*" | grep .' && return 1
  grep -o '"status":"failed".*\|"code":"pdf_unreadable".*' "$work/fax"
}
noReader() {
  shell 'systemctl stop pbxd-pages.socket; pbx status | grep "systemctl start pbxd-pages.socket"' || return 1
  api POST /api/fax /root/fax.json >"$work/fax" && { cat "$work/fax"; return 1; }
  shell 'systemctl start pbxd-pages.socket'
  grep -o '"code":"overloaded".*' "$work/fax"
}
speech() { shell 'dpkg -i /root/speech.deb >/dev/null && sleep 2 && pbx speech status 2>&1 | head -n 12 | tail -n 3 && pbx models list | grep -i silero'; }
model() { shell 'dpkg -i /root/model.deb >/dev/null && pbx models list | grep -i silero && pbx models verify silero-vad && ls /usr/share/pbxd/models && [ "$(dpkg -S /usr/share/pbxd/models/silero-vad | cut -d : -f 1)" = pbxd-speech-silero-vad ]'; }
modelGone() { shell 'dpkg -P pbxd-speech-silero-vad >/dev/null && [ ! -e /usr/share/pbxd/models/silero-vad ] && pbx models list | grep -i silero' && ready; }
start() { shell 'systemctl stop pbxd; for try in 1 2 3 4 5; do from=$(date +%s%3N); systemctl start pbxd; to=$(date +%s%3N); echo "$((to - from))"; systemctl stop pbxd; done | paste -sd " " | sed "s/$/ ms from systemctl start to ready/"; systemctl start pbxd'; }
reload() { shell 'before=$(systemctl show -p MainPID --value pbxd); systemctl reload pbxd && [ "$(systemctl show -p MainPID --value pbxd)" = "$before" ] && echo "reloaded, the same process" || { journalctl -u pbxd --no-pager -n 8; exit 1; }'; }
broken() { shell 'cp -a /etc/pbxd/pbxd.yaml /root/good.yaml; echo "sip: { udp: nonsense }" >>/etc/pbxd/pbxd.yaml; systemctl reload pbxd; status=$?; pbx status >/dev/null || exit 1; cp -a /root/good.yaml /etc/pbxd/pbxd.yaml; echo "reload ended with $status, the daemon answers"'; }
killed() { shell 'pid=$(systemctl show -p MainPID --value pbxd); kill -9 $pid; for i in $(seq 150); do now=$(systemctl show -p MainPID --value pbxd); [ "$now" != "$pid" ] && [ "$now" != 0 ] && pbx status >/dev/null 2>&1 && { echo "back after $i x 0.2 s"; exit 0; }; sleep 0.2; done; exit 1'; }
backedup() { shell 'pbx backup key >/root/key.txt && systemctl start pbxd-backup.service && ls /var/backups/pbxd/*.age || { journalctl -u pbxd-backup --no-pager -n 12; exit 1; }'; }
timer() { shell 'systemctl is-active pbxd-backup.timer >/dev/null && systemctl show -p NextElapseUSecRealtime --value pbxd-backup.timer'; }
exposure() { shell "for unit in $units; do systemd-analyze security --offline=true --threshold=20 /lib/systemd/system/\$unit.service --no-pager >/root/exposure || over=yes; sed -n 's/.*exposure level for //p' /root/exposure; done | tr '\\n' ' '; [ -z \"\$over\" ]"; }
upgraded() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd_99.0.deb && [ "$(dpkg-query -W -f "\${Version}" pbxd)" = 99.0 ]'; }
downgraded() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd_0.0.1.deb'; }
still() { [ "$(shell 'dpkg-query -W -f "\${Version} \${Status}" pbxd')" = "99.0 install ok installed" ]; }
byWill() { shell 'DEBIAN_FRONTEND=noninteractive PBXD_DOWNGRADE=yes dpkg -i --force-downgrade /root/pbxd_0.0.1.deb'; }
removed() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -r pbxd-speech-engine pbxd' && fails shell 'systemctl is-active pbxd' && shell '[ -d /var/lib/pbxd/store ] && [ -e /etc/pbxd/pbxd.yaml ] && [ ! -e /usr/bin/pbx ] && echo "the data stay"'; }
purged() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -P pbxd && [ -d /var/lib/pbxd/store ] && echo "unasked, patients’ data stay"'; }
purgedByWill() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb >/dev/null 2>&1; echo "pbxd pbxd/purge-data boolean true" | debconf-set-selections; DEBIAN_FRONTEND=noninteractive dpkg -P pbxd && [ ! -e /var/lib/pbxd ] && [ ! -e /etc/pbxd ] && [ ! -e /run/pbxd-engine ] && [ ! -e /run/pbxd-pages.sock ] && echo "with the answer yes, nothing is left of them"'; }
leftover() { shell 'find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /root -o -path "/var/backups*" -o -path "/var/log*" -o -path "/var/lib/dpkg*" -o -path "/var/cache/*" \) -prune -o -name "*pbxd*" -print | grep . && exit 1; echo "no file of that name"'; }

boot || { tail "$work/console.log"; echo 'the system does not boot' >&2; exit 1; }
stood 'no compiler, no npm, no node' fails compilers
stood 'dpkg installs it' installed
stood 'the daemon answers' ready
stood 'under 150 MB installed' size
stood 'it does not run as root' users
stood 'the engine is a service of its own' ofItsOwn
stood '... which sees its spool, and nothing else of the box' blind
stood '... and nobody else gets to the sockets' closed
stood 'its memory' memory
stood 'its start, five times' start
stood 'nothing went wrong' quietlog
stood 'the first token is not in the journal' secretless
stood 'systemctl reload' reload
stood 'a broken file, then systemctl reload' broken
stood 'kill -9' killed
stood 'kill -9 of the engine' engineKilled
stood '... the journal has it as an error of pbxd' told
stood '... it hangs' engineHangs
stood '... it is stopped by hand: pbx status tells' engineStopped
stood '/metrics' metrics
stood '/docs' page
stood 'a serial port is asked for a modem' serial
stood 'a house by systemctl reload' house
stood 'the first call' firstcall
stood 'the first fax is drawn by a reader of its own' drawn
stood '... a PDF without an end is refused' endless
stood '... no reader: pbx status tells' noReader
stood 'pbxd-speech-engine' speech
stood 'a package of a speech model' model
stood '... and without it again' modelGone
stood 'the nightly backup is due' timer
stood 'its unit makes one' backedup
stood 'systemd-analyze security' exposure
stood 'upgrade' upgraded
stood 'the daemon answers after the upgrade' ready
stood 'a downgrade is refused' fails downgraded
stood '... and nothing has changed' still
stood '... the daemon answers' ready
stood 'a downgrade that is asked for' byWill
stood '... the daemon answers' ready
stood 'remove' removed
stood 'purge, without an answer' purged
stood 'purge, with the answer' purgedByWill
stood 'nothing is left behind' leftover
ended

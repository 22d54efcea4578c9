#!/bin/sh
# A technician's day on a Debian 12 that systemd boots: from the package to a working house, then everything that goes wrong, while two people talk.
#   sh test/proofs/box/technician.sh [PACKAGE.deb]        root, debootstrap and systemd-container; ten minutes
# A line for each: what pbxd said, and what became of the conversation.
set -u
. "$(dirname -- "$0")/lib.sh"
cp "$deb" "$box/root/pbxd.deb"
cp "$node" "$box/root/node"
cp "$ROOT"/test/proofs/box/*.mjs "$box/root/"
service provider /root/report.json /root/silent
service mailbox /root/mails
letter 1 >"$box/root/fax.json"
cat >"$box/root/answers.yaml" <<'YAML'
site: { name: Riverside Clinic, country: US, timeZone: America/New_York, address: "1 River Street, 2nd floor" }
network: none
provider: { kind: account, server: "127.0.0.1:5999", username: clinic, password: secret, numbers: ["+15550001000"] }
extensions: [{ number: "101", name: Front desk }, { number: "102", name: Nurse }]
mail: { server: "127.0.0.1:2525", tls: "off", from: pbx@clinic.example }
alarms: [technician@example.com]
YAML
sed 's/5999/5998/' "$box/root/answers.yaml" >"$box/root/silent.yaml"
debian procps

figure() { sed -n "s/.*\"$1\":\([0-9a-z]*\).*/\1/p" "$box/root/report.json" 2>/dev/null; }
peers() { shell 'systemctl start provider mailbox'; }
talking() { for _ in $(seq 80); do [ "$(figure talking)" = true ] && shell 'pbx calls --json | grep -q answered' && return 0; sleep 0.5; done; return 1; }
# what pbxd said, then the conversation: it fails where the conversation ended.
talk() {
  sleep 1
  [ "$(figure byes)" = 0 ] && echo "$1; the talk goes on, $(figure longestGapMs) ms the longest gap" || { echo "$1; THE TALK ENDED"; shell 'pkill -USR1 -f provider[.]mjs'; talking; return 1; }
}
# mistake "what" 'command that spoils /etc/pbxd/pbxd.yaml' EXPECTED: refused with that word, and nothing has changed.
mistake() {
  what=$1 spoil=$2 expected=$3
  stood "$what" refused
}
refused() {
  shell "cp -a /etc/pbxd/pbxd.yaml /root/good.yaml; $spoil"
  said=$(shell 'pbx config apply --yes 2>&1'); status=$?
  shell 'cp -a /root/good.yaml /etc/pbxd/pbxd.yaml'
  [ "$status" != 0 ] || { echo "it was taken: $said"; return 1; }
  printf '%s' "$said" | grep -q "$expected" || { printf '%s\n' "$said"; return 1; }
  talk "$(printf '%s' "$said" | grep "$expected" | head -n 1 | sed 's/.*pbxd.yaml/pbxd.yaml/' | cut -c 1-90)"
}
installed() { shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb'; }
silent() { said=$(shell 'cd /root && pbx setup --answers /root/silent.yaml 2>&1') && return 1; printf '%s' "$said" | grep 'does not accept the registration' && shell '! grep -q 5998 /etc/pbxd/pbxd.yaml'; }
setup() { shell 'cd /root && pbx setup --answers /root/answers.yaml >/root/said && grep "the provider is up" /root/said' || { shell 'cat /root/said'; return 1; }; }
call() { for _ in $(seq 60); do [ "$(figure answered)" = 0 ] || { shell 'pbx trace last | tail -n 2 | head -n 1'; return 0; }; sleep 0.5; done; shell 'pbx calls --all'; return 1; }
fax() {
  shell "/root/node -e \"const { readFileSync: read } = require('node:fs'); fetch('http://127.0.0.1:8080/api/fax', { method: 'POST', headers: { authorization: 'Bearer ' + read('/var/lib/pbxd/first-token', 'utf8').trim(), 'content-type': 'application/json' }, body: read('/root/fax.json') })
    .then(async (answer) => { console.log(await answer.text()); process.exit(answer.ok ? 0 : 1) })\"" && sleep 4 && shell 'pbx fax list | tail -n 1'
}
# The fax would be tried again in the middle of the conversation, and the provider has one place for sound.
bridge() { shell "pbx fax cancel last >/dev/null 2>&1; sed -i 's/destination: group:house/destination: external:+15551230001/; s/^  - id: main$/&\\n    record: inbound/' /etc/pbxd/pbxd.yaml && grep -q 'record: inbound' /etc/pbxd/pbxd.yaml && pbx config apply --yes | tail -n 1 && systemctl restart provider" && sleep 1 && talking && { shell 'pkill -USR1 -f provider[.]mjs'; sleep 1; }; }
broken() { shell 'cp -a /etc/pbxd/pbxd.yaml /root/good.yaml; echo "nonsense: [" >>/etc/pbxd/pbxd.yaml; systemctl restart pbxd'; ready >/dev/null && said=$(shell 'pbx status | grep -o "SAFE MODE.*" | cut -c 1-60') && [ -n "$said" ] && talk "$said"; }
repaired() { shell 'cp -a /root/good.yaml /etc/pbxd/pbxd.yaml; pbx config apply --yes >/dev/null; ! pbx status | grep "SAFE MODE"' && talk 'no safe mode'; }
killed() { shell 'kill -9 $(systemctl show -p MainPID --value pbxd)'; sleep 1; ready >/dev/null && talk 'it is back'; }
renewed() { shell 'systemctl restart pbxd'; ready >/dev/null && talk 'it is back'; }
night() {
  rm -f "$box/root/mails"
  touch "$box/root/silent"
  for _ in $(seq 150); do grep -qs 'main' "$box/root/mails" && break; sleep 1; done
  rm -f "$box/root/silent"
  said=$(grep -s '^Subject:' "$box/root/mails" | tail -n 1)
  [ -n "$said" ] || { cat "$box/root/mails"; shell 'pbx events; pbx mail list'; return 1; }
  talk "$said"
}
told() { shell 'pbx events | grep -i main | tail -n 1'; }
# Both said something all the while, over each start of the daemon; the engine, which wrote it, is another user.
recorded() {
  shell "/root/node -e \"const { readFileSync: read } = require('node:fs'); const { execFileSync: run } = require('node:child_process')
    const json = (...words) => JSON.parse(run('pbx', [...words, '--json']))
    const ask = (method, path, body) => fetch('http://127.0.0.1:8080' + path, { method, headers: { authorization: 'Bearer ' + read('/var/lib/pbxd/first-token', 'utf8').trim(), 'content-type': 'application/json' }, ...(body ? { body } : {}) })
    const live = async () => (await (await ask('GET', '/api/voice/calls')).json()).calls.find((call) => !call.endedAt && call.recordings.length > 0)
    live().then(async ({ callId, recordings: [id] }) => {
      await ask('POST', '/api/voice/calls/' + callId, JSON.stringify({ state: 'completed' }))
      for (let n = 0; n < 50 && !json('recordings', 'list').some((one) => one.recordingId === id); n++) await new Promise((done) => setTimeout(done, 200))
      const sound = Buffer.from(await (await ask('GET', '/api/voice/recordings/' + id + '.wav')).arrayBuffer())
      console.log(sound.toString('latin1', 0, 4), Math.round((sound.length - 44) / 32000), 's of two', run('stat', ['-c', 'owned by %U', '/var/lib/pbxd/recordings/' + id + '.wav']) + '')
      process.exit(sound.length > 64000 ? 0 : 1)
    })\""
}
# A page of the console, or an application, changes it; the service may not write below /etc, and root does.
written() {
  shell "/root/node -e \"const { readFileSync: read, statSync: stat } = require('node:fs')
    const file = '/etc/pbxd/pbxd.yaml'
    const ask = async (method, path, body) => { const answer = await fetch('http://127.0.0.1:8080' + path, { method, headers: { authorization: 'Bearer ' + read('/var/lib/pbxd/first-token', 'utf8').trim(), 'content-type': 'application/json' }, ...(body ? { body: JSON.stringify(body) } : {}) }); return [answer.status, await answer.text()] }
    const mode = stat(file)
    const wait = (ms) => new Promise((done) => setTimeout(done, ms))
    const main = async () => {
      const { text, base } = JSON.parse((await ask('GET', '/api/config/text'))[1])
      const changed = text.replace('Front desk', 'Desk in front')
      const [status, said] = await ask('POST', '/api/config/apply', { text: changed, base, confirmed: true })
      let n = 0
      for (; n < 100 && !read(file, 'utf8').includes('Desk in front'); n++) await wait(200)
      const now = stat(file)
      const same = now.mode === mode.mode && now.uid === mode.uid && now.gid === mode.gid
      console.log(n < 100 && same ? 'the file says it after ' + n * 200 + ' ms, owner and mode as before' : status + ' ' + said.slice(0, 300) + ' ' + same)
      process.exit(n < 100 && same ? 0 : 1)
    }
    main()\"" || { shell 'systemctl status pbxd-config.path pbxd-config.service --no-pager; journalctl -u pbxd-config --no-pager -n 8'; return 1; }
}
engineKilled() {
  shell 'kill -9 $(systemctl show -p MainPID --value pbxd-engine)'
  began=$(date +%s%N); sleep 0.3
  for _ in $(seq 100); do shell 'pbx lines --json | grep -q "\"state\": \"registered\"" ' && break; sleep 0.1; done
  took=$((($(date +%s%N) - began) / 1000000))
  # Of a call that has gone without a word the far end knows nothing.
  shell 'systemctl restart provider'; rm -f "$box/root/report.json"
  talking && { shell 'pkill -USR1 -f provider[.]mjs'; sleep 1; echo "registered again after $took ms, and two people talk again"; }
}
backup() { shell 'cd /root && pbx backup >/root/backup.said && ls /var/backups/pbxd/*.age | tail -n 1'; }
blank() {
  shell 'cp "$(ls -t /var/backups/pbxd/*.age | head -n 1)" /root/backup.age; grep -o "AGE-SECRET-KEY-1[0-9A-Z]*" /root/said >/root/key.txt; systemctl stop pbxd; DEBIAN_FRONTEND=noninteractive dpkg -P pbxd >/dev/null 2>&1; rm -rf /var/lib/pbxd /etc/pbxd /var/backups/pbxd'
  shell 'DEBIAN_FRONTEND=noninteractive dpkg -i /root/pbxd.deb >/dev/null 2>&1; systemctl stop pbxd; pbx restore /root/backup.age --key /root/key.txt --force >/root/restored 2>&1 && systemctl start pbxd || { cat /root/restored; exit 1; }'
  ready >/dev/null && shell 'pbx extensions --json | grep -q "Front desk" && pbx fax list | grep -q 1230001 && head -n 1 /root/restored'
}
powerCut() {
  kill -9 "$init" "$nspawn" 2>/dev/null; wait "$nspawn" 2>/dev/null; sleep 1
  boot && ready >/dev/null && peers && talking && { shell 'pkill -USR1 -f provider[.]mjs'; sleep 1; echo 'booted, and two people talk again'; }
}

boot || { tail "$work/console.log"; echo 'the system does not boot' >&2; exit 1; }
peers
began=$(date +%s)
stood 'the package, without a compiler' installed
stood 'the daemon answers' ready
stood 'pbx setup with a provider that is silent: nothing written' silent
stood 'pbx setup' setup
stood 'the first call' call
stood 'the first fax is taken' fax
took=$(($(date +%s) - began))
stood "... all of it in less than ten minutes ($took s)" [ "$took" -lt 600 ]
stood 'pbx status --check' shell 'pbx status --check | head -n 1'
stood 'two people talk' bridge || exit 1
yaml=/etc/pbxd/pbxd.yaml
mistake 'a line that is no YAML' "echo 'sip: [' >>$yaml" pbxd.yaml:
mistake 'a key that does not exist' "sed -i 's/^sip:/sipp:/' $yaml" 'sipp'
mistake 'a key in the wrong place' "echo 'password: secret' >>$yaml" 'password'
mistake 'an extension twice' "sed -i 's/number: \"102\"/number: \"101\"/' $yaml" 'given twice'
mistake 'a number without quotes' "sed -i 's/number: \"101\"/number: 101/' $yaml" 'extensions'
mistake 'a trunk that is not there' "sed -i 's/trunk: main/trunk: mian/' $yaml" 'mian'
mistake 'a destination that is not there' "sed -i 's/destination: external:.*/destination: group:hose/' $yaml" 'hose'
mistake 'a password that is too short' "sed -i '0,/password: [A-Za-z0-9_-]\{16\}/s//password: abc/' $yaml" 'password'
mistake 'a time zone that does not exist' "sed -i 's/America.New_York/America\/New-York/' $yaml" 'timeZone'
mistake 'tabs' "printf 'limits:\n\tperDay: 1\n' >>$yaml" pbxd.yaml:
mistake 'a secret that only root may read' "install -m 600 /dev/null /etc/pbxd/s; echo secret >/etc/pbxd/s; sed -i 's/password: secret/password: { file: s }/' $yaml" '/etc/pbxd/s'
mistake 'a secret that is not there' "rm -f /etc/pbxd/s; sed -i 's/password: secret/password: { file: s }/' $yaml" '/etc/pbxd/s'
mistake 'a secret in a folder that the service may not enter' "mkdir -p -m 700 /etc/pbxd/d; echo secret >/etc/pbxd/d/s; sed -i 's/password: secret/password: { file: d\/s }/' $yaml" '/etc/pbxd/d/s'
stood 'a broken file, and a restart: safe mode' broken
stood '... repaired' repaired
stood 'kill -9' killed
stood 'a restart' renewed
stood 'the trunk is down at night: the mail about it' night
stood '... pbx events' told
stood 'pbx backup' backup
stood 'the talk of all this was recorded' recorded
stood 'a change by HTTP is written into the file by root' written
stood 'kill -9 of the engine' engineKilled
powerCut >"$work/cut" 2>&1; after=$?
stood 'the power is cut' [ "$after" = 0 ]
stood 'the backup on a blank system' blank
ended

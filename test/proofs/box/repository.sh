#!/bin/sh
# The signed repository of scripts/repository as a box meets it: the three commands of docs/repository.md in an empty Debian, then, booted, an upgrade
# held back, made, and taken back, by a real apt from a plain web server.
#   sh test/proofs/box/repository.sh [PACKAGE.deb]   RELEASE=trixie for Debian 13; root, debootstrap, systemd-container, apt-utils, gpg; five minutes
set -u
. "$(dirname -- "$0")/lib.sh"
old=$(dpkg-deb -f "$deb" Version) arch=$(dpkg-deb -f "$deb" Architecture) port=8911
address="http://127.0.0.1:$port"

# The same program with another number.
dpkg-deb -R "$deb" "$work/other"
sed -i 's/^Version: .*/Version: 99.0/' "$work/other/DEBIAN/control"
sed -i "s/$old/99.0/g" "$work/other/DEBIAN/preinst" "$work/other/DEBIAN/postinst"
sed -i 's/^  "version": .*/  "version": "99.0",/' "$work/other/usr/lib/pbxd/package/package.json"
dpkg-deb --root-owner-group -Znone --build "$work/other" "$work/pbxd_99.0_$arch.deb" >/dev/null
rm -rf "$work/other"

export GNUPGHOME="$work/gpg"
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'packages <packages@example.org>' ed25519 sign never 2>/dev/null
made() { "$ROOT/scripts/repository" --key packages@example.org --out "$box/root/repository" "$@"; }
# A web server of a few lines, outside of the box while nothing is booted, and in it afterwards.
cat >"$box/root/repository.mjs" <<'SERVER'
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
const [folder, port] = process.argv.slice(2)
createServer((request, response) => {
  const file = folder + new URL(request.url, 'http://box').pathname
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return response.writeHead(404).end()
  response.writeHead(200, { 'content-length': found.size })
  createReadStream(file).pipe(response)
}).listen(Number(port), '127.0.0.1')
SERVER
cp "$node" "$box/root/node"
"$node" "$box/root/repository.mjs" "$box/root/repository" $port &
server=$!
trap 'kill $server 2>/dev/null; halt 2>/dev/null; leave 2>/dev/null; gpgconf --kill all 2>/dev/null; rm -rf "$work"' EXIT

# As docs/repository.md has them, with the address of this repository.
sed -n '/^```sh$/,/^```$/p' "$ROOT/docs/repository.md" | sed -n '2,4p' | sed "s#https://packages.example.org#$address#g" >"$work/commands"
commands() { wc -l <"$work/commands" | grep -x 3 && chroot "$box" sh -c "set -e; export DEBIAN_FRONTEND=noninteractive; $(sed 's/apt install/apt-get -y install/' "$work/commands")"; }
bareNow() { chroot "$box" sh -c '! dpkg -s pbxd && ! command -v node gcc' 2>/dev/null; }
version() { shell 'dpkg-query -W -f "\${Version}" pbxd'; }
# runs NUMBER: it is installed, and it is the one that answers.
runs() { ready >/dev/null && shell 'pbx status --json' | grep -o '"version": *"[^"]*"' | head -n 1 | grep -F "\"$1\""; }
update() { shell 'apt-get -q update'; }
held() { shell 'apt-mark hold pbxd && DEBIAN_FRONTEND=noninteractive apt-get -y upgrade' && [ "$(version)" = "$old" ] && runs "$old"; }
upgraded() { shell 'apt-mark unhold pbxd && DEBIAN_FRONTEND=noninteractive apt-get -y upgrade' && [ "$(version)" = 99.0 ] && runs 99.0; }
back() { shell 'pbx rollback' && runs "$old"; }
downgraded() { shell "DEBIAN_FRONTEND=noninteractive PBXD_DOWNGRADE=yes apt-get -y --allow-downgrades install pbxd=$old" && [ "$(version)" = "$old" ] && runs "$old"; }
listed() { shell 'apt list -a pbxd 2>/dev/null' | grep -c "^pbxd/" | grep -x 2; }
changed() { printf 'x' >>"$box/root/repository/dists/$release/Release"; sed -i 's/^Date:.*/Date: Thu, 01 Jan 2026 00:00:00 UTC/' "$box/root/repository/dists/$release/InRelease"; fails shell 'apt-get -q update -o APT::Update::Error-Mode=any' && echo refused; }
otherBytes() { cp "$deb" "$work/same.deb"; printf '\n' >>"$work/same.deb"; fails made "$work/same.deb"; }

stood 'the repository is made and signed' made "$deb" "$(dirname "$deb")/pbxd-speech-engine_${old}_$arch.deb"
stood 'the same number with other bytes is refused' otherBytes
stood 'nothing of it is there' bareNow
stood 'the three commands of docs/repository.md' commands
kill $server
service repository /root/repository $port
boot || { tail "$work/console.log"; echo 'the system does not boot' >&2; exit 1; }
stood 'the box runs' ready
stood 'it is that version' runs "$old"
stood 'a newer one comes into the repository' made "$work/pbxd_99.0_$arch.deb"
stood 'apt update' update
stood 'both versions are listed' listed
stood 'held: apt upgrade leaves it' held
stood 'apt upgrade' upgraded
stood 'pbx rollback' back
stood 'apt goes back to a version by its number' downgraded
stood 'a list that somebody changed is refused' changed
ended

#!/bin/sh
# mgetty and its sendfax on one line, inside root.sh: mgetty.sh DEVICE OWN-NUMBER OUT
# First it waits for a fax, says "ready", and when one came "received FILE.pbm" for each page and "over". Then it reads orders, one a
# line: "send NUMBER FILE.pbm", answered by "sent" or "failed STATUS". Logs are in OUT. Debian builds it for modems of class 2 and 2.0
# only.
set -eu
device=$1 number=$2 out=$3
mkdir -p "$out" /etc/mgetty /var/log/mgetty/fax /var/spool/fax/incoming
chmod 711 "$(dirname "$out")"
tty=$(readlink -f "$device")
ln -s "$tty" /dev/ttyMG0
cat > /etc/mgetty/mgetty.config <<END
fax-id $number
fax-spool-in /var/spool/fax/incoming
fax-owner root
fax-group root
port-owner root
port-group root
speed 115200
rings 1
debug 6
toggle-dtr no
fax-only yes
END
cat > /etc/mgetty/sendfax.config <<END
fax-devices ttyMG0
fax-id $number
dial-prefix ATDT
speed 115200
debug 6
END
mgetty -n 1 ttyMG0 < /dev/null > "$out/said" 2>&1 &
until grep -Fqs waiting... /var/log/mgetty/mg_ttyMG0.log; do sleep 0.1; done
echo ready
wait $! || true
cp /var/log/mgetty/mg_ttyMG0.log "$out/received.log"
for file in /var/spool/fax/incoming/*; do
  g32pbm "$file" > "$out/$(basename "$file").pbm"
  echo "received $out/$(basename "$file").pbm"
done
echo over
while read -r order to file; do
  [ "$order" = send ] || continue
  pbm2g3 "$file" > "$out/page.g3"
  status=0
  sendfax "$to" "$out/page.g3" > "$out/said" 2>&1 || status=$?
  cp /var/log/mgetty/fax/sendfax.log "$out/sent.log"
  if [ $status -eq 0 ]; then echo sent; else echo "failed $status"; fi
done

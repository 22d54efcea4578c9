#!/bin/sh
# Two modems of iaxmodem that call each other over UDP, inside root.sh: iaxmodem.sh DEVICE DEVICE
# Says "ready" when both are there.
set -eu
mkdir -p /etc/iaxmodem /var/log/iaxmodem
modem() {
  cat > "/etc/iaxmodem/$1" <<END
device $2
owner root:root
mode 666
port $3
refresh 0
server 127.0.0.1:$4
peername $1
secret x
cidname $1
cidnumber $5
codec slinear
END
  chmod 777 "$(dirname "$2")"
  iaxmodem "$1"  &
}
modem m0 "$1" 4570 4571 100
modem m1 "$2" 4571 4570 200
until [ -e "$1" ] && [ -e "$2" ]; do sleep 0.1; done
echo ready
wait

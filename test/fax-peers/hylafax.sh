#!/bin/sh
# HylaFAX on one line, inside root.sh: hylafax.sh DEVICE OWN-NUMBER OUT
# What it receives is OUT/received.tif. Says "ready" when its modem is, and reads orders, one a line: "send NUMBER FILE", answered by
# "sent" or "failed TEXT"; then OUT/log is its log of the sessions.
set -eu
device=$1 number=$2 out=$3
export LD_LIBRARY_PATH=/usr/lib/hylafax
spool=/var/spool/hylafax
mkdir -p "$out"
chmod 777 "$out"
chmod 711 "$(dirname "$out")"
mount --bind /etc/hylafax $spool/etc
ln -s "$(readlink -f "$device")" /dev/ttyHF0
chown uucp "$(readlink -f "$device")"
cat > $spool/etc/setup.cache <<END
SBIN=/usr/lib/hylafax/bin TIFFBIN=/usr/bin SED=sed GREP=grep CAT=cat CP=cp
END
cat > $spool/etc/config <<END
LogFacility: daemon
CountryCode: 1
AreaCode: 555
LongDistancePrefix: 1
InternationalPrefix: 011
DialStringRules: etc/dialrules
UseJobTSI: no
END
cat > $spool/etc/dialrules <<END
CanonicalNumber := [
]
DialString := [
]
END
cat > $spool/etc/config.ttyHF0 <<END
CountryCode: 1
AreaCode: 555
FAXNumber: $number
LongDistancePrefix: 1
InternationalPrefix: 011
DialStringRules: etc/dialrules
ServerTracing: 0xFFF
SessionTracing: 0xFFF
RecvFileMode: 0644
LogFileMode: 0644
DeviceMode: 0666
RingsBeforeAnswer: 1
SpeakerVolume: off
LocalIdentifier: "$number"
TagLineFont: etc/none
ModemResetDelay: 300
ModemDTRDropDelay: 75
ModemReadyDelay: 0
ModemType: Class1
Class1AdaptRecvCmd: AT+FAR=1
Class1TMConnectDelay: 400
ModemResetCmds: AT+VCID=1
PagerTTYParity: none
CallIDPattern: "NMBR="
CallIDPattern: "NAME="
END
cat > $spool/bin/faxrcvd <<END
#!/bin/sh
cp "\$1" $out/part && mv $out/part $out/received.tif
END
printf '#!/bin/sh\n' > $spool/bin/notify
printf 'localhost:21::\n127.0.0.1:21::\n' > $spool/etc/hosts.hfaxd
chown uucp $spool/etc/hosts.hfaxd
chmod 600 $spool/etc/hosts.hfaxd
cd $spool
mkfifo FIFO FIFO.ttyHF0 2>/dev/null || true
chown uucp:uucp FIFO*
faxq
hfaxd -i 127.0.0.1:4559
faxgetty -D ttyHF0
until grep -qs "Running and idle" status/ttyHF0; do sleep 0.1; done
echo ready
while read -r order to file; do
  [ "$order" = send ] || continue
  if ! sendfax -n -m -h ttyHF0@localhost -d "$to" "$file" > "$out/said" 2>&1; then
    echo "failed $(tr '\n' ' ' < "$out/said")"
    continue
  fi
  job=$(sed -n 's/^request id is \([0-9]*\).*/\1/p' "$out/said")
  until [ -s "doneq/q$job" ]; do sleep 0.1; done
  cat log/c* > "$out/log"
  # State 7 is done.
  if grep -q '^state:7' "doneq/q$job"; then echo sent; else echo "failed $(grep '^status:' "doneq/q$job")"; fi
done

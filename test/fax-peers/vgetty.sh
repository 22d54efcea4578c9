#!/bin/sh
# vgetty on one line, inside root.sh: vgetty.sh DEVICE OUT. It waits for a call, says "ready", plays OUT/greeting to the caller, keeps what
# is said as OUT/message, and says "over". Both are samples of 8 bits without a sign, 8,000 a second. Its log is in OUT.
set -eu
device=$1 out=$2
voice=/var/spool/voice
mkdir -p "$out" /etc/mgetty /var/log/mgetty $voice/messages $voice/incoming
ln -s "$(readlink -f "$device")" /dev/ttyMG0
cat > /etc/mgetty/mgetty.config <<END
port-owner root
port-group root
speed 115200
debug 6
toggle-dtr no
END
cat > /etc/mgetty/voice.conf <<END
part generic
voice_log_level 6
voice_dir $voice
phone_owner root
phone_group root
phone_mode 0660
port_speed 115200
do_hard_flow true
forceV253 true
raw_data true
rec_compression 0
rec_speed 8000
rec_silence_len 30
rec_max_len 20
program vgetty
rings 2
answer_mode voice
max_tries 1
END
cp "$out/greeting" $voice/messages/standard.rmd
echo standard.rmd > $voice/messages/Index
vgetty ttyMG0 < /dev/null > "$out/said" 2>&1 &
until grep -Fqs waiting... /var/log/mgetty/vg_ttyMG0.log; do sleep 0.1; done
echo ready
wait $! || true
cp /var/log/mgetty/vg_ttyMG0.log "$out/received.log"
cp $voice/incoming/* "$out/message"
echo over

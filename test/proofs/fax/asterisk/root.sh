#!/bin/sh
# Runs Asterisk on the system that install.sh made, which stays as it is: what is written goes into memory, and into WORK.
#   unshare --mount --pid --fork --kill-child --propagation private sh root.sh SYSTEM WORK
# As root, in the network it is started in. WORK: an empty directory with its configuration in etc, in there as /fax.
set -eu
system=$1
work=$2
mkdir "$work/system"
mount -t tmpfs tmpfs "$work/system"
cd "$work/system"
mkdir upper work root
mount -t overlay overlay -o lowerdir="$system",upperdir=upper,workdir=work root
cd root
mkdir fax
mount --bind "$work" fax
mount -t proc proc proc
exec chroot . asterisk -f -p -C /fax/etc/asterisk.conf

#!/bin/sh
# A system of its own for a fax program of a stranger: this system with packages laid over it, and a memory of its own for
# whatever is written. Nothing outside is touched; it all goes when the first process ends.
#   unshare --mount --pid --net --fork --kill-child --propagation private sh root.sh PLACE PACKAGE.deb... -- COMMAND...
# As root. PLACE: an empty directory, covered in here only. /tmp and the pseudo terminals are those of this system.
set -eu
place=$1
shift
mount -t tmpfs tmpfs "$place"
mkdir "$place/packages" "$place/upper" "$place/work" "$place/root"
while [ "$1" != -- ]; do
  dpkg -x "$1" "$place/packages"
  shift
done
shift
# In a layer a directory would cover the link that this is outside.
for directory in bin sbin lib; do
  [ -d "$place/packages/$directory" ] || continue
  mkdir -p "$place/packages/usr/$directory"
  cp -a "$place/packages/$directory/." "$place/packages/usr/$directory/"
  rm -r "$place/packages/$directory"
done
cd "$place"
mount -t overlay overlay -o lowerdir=packages:/,upperdir=upper,workdir=work root
cd root
for point in dev/pts tmp; do
  mkdir -p "$point"
  mount --rbind "/$point" "$point"
done
for node in null zero full random urandom tty; do
  [ -e "dev/$node" ] || : > "dev/$node"
  mount --bind "/dev/$node" "dev/$node"
done
ln -sf pts/ptmx dev/ptmx # bound as a file it would not find its pts
mount -t proc proc proc
ip link set lo up
exec chroot . "$@"

#!/bin/sh
# A system with Asterisk in a folder, for `test/proofs/fax/main.ts asterisk`: Debian 12 has none, so it is Debian's next one, in a place of its
# own. As root, with debootstrap and a network; takes a minute or two and 400 MB. Nothing of it is ever started on this system.
#   sh test/proofs/fax/asterisk/install.sh [FOLDER]
set -eu
place=${1:-${PBXD_ASTERISK:-/var/tmp/asterisk}}
[ ! -e "$place/ready" ] || exit 0
command -v debootstrap > /dev/null || { echo "needs debootstrap: apt-get install debootstrap" >&2; exit 1; }
mkdir -p "$(dirname "$place")"
part=$(mktemp -d "$place-part.XXXXXX")
chmod 755 "$part"
# It makes a small /dev of its own. This system's is never bound there: removing the folder would remove that as well.
debootstrap --variant=minbase --include=ca-certificates sid "$part" http://deb.debian.org/debian
printf '#!/bin/sh\nexit 101\n' > "$part/usr/sbin/policy-rc.d" # no service starts while packages are installed
chmod 755 "$part/usr/sbin/policy-rc.d"
cp /etc/resolv.conf "$part/etc/resolv.conf"
DEBIAN_FRONTEND=noninteractive chroot "$part" apt-get install -y --no-install-recommends asterisk asterisk-modules
chroot "$part" apt-get clean
touch "$part/ready"
mv "$part" "$place"

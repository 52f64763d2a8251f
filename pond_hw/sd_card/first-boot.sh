# shellcheck shell=sh
#
# Installs Pond on a card that `pond sd-card` prepared. Runs at each start until the board is set up, so a power cut or a
# missing network only delays it.
#
#   first-boot.sh BOARD [--page]    # BOARD: a name, or the path of a profile
set -eu
step() { echo "pond-first-boot: $*"; }
export DEBIAN_FRONTEND=noninteractive
here=$(dirname "$0")
state=/var/lib/pond-first-boot

# cloud-init creates the user, and may lock apt. While it asks a question on the screen, it doesn't finish.
step "wait for cloud-init"
timeout 600 cloud-init status --wait >/dev/null 2>&1 || true

step "install the package"
dpkg --configure -a || true # after a power cut
is_installed() { dpkg-query --show --showformat='${db:Status-Status}' pond 2>/dev/null | grep -qx installed; }
is_installed || dpkg --install "$here/pond.deb" || {
  step "install other packages from the network"
  apt-get -qq update
  apt-get -qq -y --fix-broken install
}

step "set up the board"
player=$(getent passwd 1000 | cut -d: -f1) # the user of Raspberry Pi OS
pond-board "$1" ${player:+--user "$player"}
[ "${2-}" != --page ] || systemctl enable pond-web

step "done: start again"
sync
mkdir -p $state
touch $state/done
sync
systemctl reboot

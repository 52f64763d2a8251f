# Shared by .ci/packages, .ci/wheel and .ci/boot, which source it. Their first argument is a Debian release.
# $suite and $arch are the release and the architecture. $root is the new system, in a temporary $folder.
# `inside USER COMMAND ...` and `apt ...` run in it. `simulate_pi` makes it look like the SD card of a Pi.
# shellcheck shell=bash

fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
trap 'fail "line $LINENO of $0"' ERR
step() { printf '\n-- %s %s: %s (after %d s)\n' "$suite" "$arch" "$*" "$SECONDS"; }
[ "$(id -u)" -eq 0 ] || fail "this needs root: sudo make test-deb"

suite=${1:?name a Debian release: bookworm or trixie}
arch=${ARCH:-$(dpkg --print-architecture)}
case $suite in bookworm) release=12 ;; trixie) release=13 ;; *) fail "choose bookworm or trixie" ;; esac
find_deb() { # sets $deb to the package built by `make deb`
  deb=$(find dist -name "pond_*~deb${release}_$arch.deb")
  [ -f "$deb" ] || fail "expected one package for $suite and $arch in dist/: sudo make deb DEBIAN=$suite"
}

folder=$(mktemp -d /var/tmp/pond-debian.XXXXXX)
trap 'rm -rf --one-file-system "$folder"' EXIT
root=$folder/root
inside() { .ci/bare-debian run "$root" "$@"; }
apt() { inside root env POND_MACHINE=/simulated DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -y --no-install-recommends "$@" >"$folder/apt" 2>&1 ||
  { cat "$folder/apt"; fail "apt-get $*"; }; }

simulate_pi() { # adds the model, the boot files and the groups of Raspberry Pi OS
  local each
  mkdir -p "$root/simulated/proc/device-tree" "$root/boot/firmware"
  printf 'Raspberry Pi 4 Model B Rev 1.4\0' >"$root/simulated/proc/device-tree/model"
  printf 'dtparam=audio=on\n[all]\n' >"$root/boot/firmware/config.txt"
  printf 'console=tty1 rootwait\n' >"$root/boot/firmware/cmdline.txt"
  for each in gpio spi i2c; do chroot "$root" groupadd --system $each; done
}

# What .ci/packages, .ci/wheel and .ci/boot begin with; they read it with `.`, with a release of Debian as its argument.
# $suite and $arch say which Debian is meant; $root, in a $folder that is gone in the end, is where it shall be.
# `inside USER COMMAND ...` and `apt ...` run in there; `pretend_pi` makes it look like a card for a Pi.
# shellcheck shell=bash

fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }
trap 'fail "line $LINENO of $0"' ERR
step() { printf '\n-- %s %s: %s (after %d s)\n' "$suite" "$arch" "$*" "$SECONDS"; }
[ "$(id -u)" -eq 0 ] || fail "this needs root: sudo make test-deb"

suite=${1:?name a release of Debian: bookworm or trixie}
arch=${ARCH:-$(dpkg --print-architecture)}
case $suite in bookworm) release=12 ;; trixie) release=13 ;; *) fail "only bookworm and trixie are known" ;; esac
find_deb() { # $deb is the package that `make deb` made
  deb=$(find dist -name "pond_*~deb${release}_$arch.deb")
  [ -f "$deb" ] || fail "no package, or several, for $suite and $arch: sudo make deb DEBIAN=$suite"
}

folder=$(mktemp -d /var/tmp/pond-debian.XXXXXX)
trap 'rm -rf --one-file-system "$folder"' EXIT
root=$folder/root
inside() { .ci/bare-debian run "$root" "$@"; }
apt() { inside root env POND_MACHINE=/pretended DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -y --no-install-recommends "$@" >"$folder/apt" 2>&1 ||
  { cat "$folder/apt"; fail "apt-get $*"; }; }

pretend_pi() { # a folder with its model, what Raspberry Pi OS has on its card, and its groups
  local each
  mkdir -p "$root/pretended/proc/device-tree" "$root/boot/firmware"
  printf 'Raspberry Pi 4 Model B Rev 1.4\0' >"$root/pretended/proc/device-tree/model"
  printf 'dtparam=audio=on\n[all]\n' >"$root/boot/firmware/config.txt"
  printf 'console=tty1 rootwait\n' >"$root/boot/firmware/cmdline.txt"
  for each in gpio spi i2c; do chroot "$root" groupadd --system $each; done
}

#!/usr/bin/env bash
# Installs Pond on a Raspberry Pi without a ready-made package: builds one here, installs it, and sets up the board.
# If you have a package: sudo apt install ./pond_*.deb; sudo pond-board NAME
set -Eeuo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case " $* " in
  *" --dry-run "* | *" --help "* | *" -h "* | *" --root "*)
    echo "install.sh: would build the Debian package of this folder, install it with apt, and run: pond-board $*"
    exec "$here/pond-board" "$@"
    ;;
esac
stop() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 2
}
[ "$(id -u)" -eq 0 ] || stop "Run this as root: sudo $0"
command -v apt-get >/dev/null || stop "There is no apt here: use Raspberry Pi OS or another Debian-based system."
python3 -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  stop "Pond needs Python 3.11 or newer as python3: use Raspberry Pi OS Bookworm or newer."
"$here/pond-board" --dry-run "$@" >/dev/null || exit # stop early

# Wait for the lock: another apt may be running, especially during the first boot of a new card.
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt's own user reads the package
needed=$(sed -n 's/^Build-Depends: //p' "$here/debian/control" | sed 's/debhelper-compat ([^)]*)/debhelper/; s/, / /g')
echo "Building the package. On a small Pi this takes a while."
"${apt[@]}" update
# shellcheck disable=SC2086 # several packages
"${apt[@]}" install -y --no-install-recommends build-essential $needed
"$here/build-deb" "$work" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; stop "The package could not be built. Fix the cause and run install.sh again."; }
"${apt[@]}" install -y --reinstall "$work"/pond_*.deb
pond-board "$@"

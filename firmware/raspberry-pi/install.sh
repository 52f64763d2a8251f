#!/usr/bin/env bash
# Installs Pond on a Raspberry Pi. `install.sh --help` says how; README.md beside it says the rest.
set -Eeuo pipefail
umask 022 # the service must be able to read what root writes here

usage() {
  cat <<'END'
usage: sudo install.sh [--board PROFILE] [--user NAME] [--dry-run] [--root DIR]

  --board PROFILE  the board that is wired up: a profile's name, or the path of your own
                   (what /etc/pond/pond.conf says; on a fresh card direct-4x4)
  --user NAME      who may speak to the running board, besides root (whoever called sudo)
  --dry-run        print every step and do none
  --root DIR       put the files into DIR, as if it were /, and print the commands that would be run
  --help           this

A second call brings everything up to date and leaves alone what you have changed.
END
}

# Exit codes: 0 done, 1 a step failed, 2 something that a person must mend first.
say() { printf '%s\n' "$*"; }
stop() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 2
}
# What would stop an installation is only mentioned when nothing is installed.
must() { if [ "$dry" ]; then say "note: $*"; else stop "$@"; fi; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
home=/opt/pond           # the virtual environment
share=$home/share/pond   # what uninstall.sh needs, and what we put where, as we put it
machine=${POND_MACHINE:-/} # where its /proc is; the tests have one of their own

board='' player=${SUDO_USER:-} dry='' root='' # root is empty for the machine itself
while [ $# -gt 0 ]; do
  case $1 in
    --board | --user | --root)
      [ -n "${2:-}" ] || stop "$1 wants a value behind it; install.sh --help tells the options."
      case $1 in --board) board=$2 ;; --user) player=$2 ;; --root) root=${2%/} ;; esac
      [ "$1$root" != --root ] || stop "--root wants a folder other than /; without it the machine itself is meant."
      shift
      ;;
    --dry-run) dry=yes ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) stop "There is no option $1; install.sh --help tells them." ;;
  esac
  shift
done
[ -z "$root" ] || [ -d "$root" ] || stop "$root is not a folder: make it first."
[ "$player" != root ] || player=''
live=yes
[ -z "$dry$root" ] || live=''

work=$(mktemp -d)
doing=''
trap 'rm -rf "$work"' EXIT
trap 'printf "install.sh: This step failed: %s. What was done before it stays; mend the cause and call install.sh again.\n" \
  "${doing:-line $LINENO}" >&2; exit 1' ERR

# --- what the steps are made of -------------------------------------------------------------------------------------

# A command that changes the machine.
run() {
  local told
  told=$(printf '%q ' "$@")
  say "  run   ${told% }"
  [ "$live" ] || return 0
  doing="${told% }"
  "$@"
  doing=''
}

# A folder, and who made it: uninstall.sh takes away the ones that were not there.
folder() {
  [ ! -d "$root$1" ] || return 0
  folder "$(dirname "$1")"
  [ -z "$dry" ] || return 0
  mkdir "$root$1"
  chmod 755 "$root$1"
  made+=("$1")
  [ -d "$root$share" ] || return 0
  printf '%s\n' "${made[@]}" >>"$root$share/folders" # at once, for the next step may be the last
  made=()
}
made=() # not written down yet, for want of a place

# place SOURCE TARGET [NOW]: puts a file there, unless a person has changed the one we put there last time.
# NOW is what stands there by now, where that has only been told.
place() {
  local source=$1 target=$root$2 ours=$root$share/placed$2
  local now=${3:-$target}
  if [ -e "$target" ] && ! cmp -s "$source" "$now" && ! cmp -s "$ours" "$now"; then
    if ! cmp -s "$source" "$target.new"; then
      say "  put   $2.new"
      [ "$dry" ] || install -m 644 "$source" "$target.new"
    fi
    say "        $2 was changed by hand and is kept; ours lies beside it as $(basename "$2").new."
    return
  fi
  if [ -e "$target.new" ]; then
    say "  drop  $2.new"
    [ "$dry" ] || rm "$target.new"
  fi
  if ! cmp -s "$source" "$now"; then
    say "  put   $2"
    folder "$(dirname "$2")"
    [ "$dry" ] || install -m 644 "$source" "$target"
    changed+=("$2")
  fi
  keep "$source" "/placed$2"
}
changed=()

# keep SOURCE NAME [MODE]: a copy for uninstall.sh, and to tell next time what a person has changed.
keep() {
  cmp -s "$1" "$root$share$2" && return
  folder "$(dirname "$share$2")"
  [ "$dry" ] || install -m "${3:-644}" "$1" "$root$share$2"
}

# drop TARGET: takes away a file that this board does not need, if it is as we put it.
drop() {
  local target=$root$1 ours=$root$share/placed$1
  [ -e "$ours" ] || return 0
  if [ -e "$target" ] && ! cmp -s "$ours" "$target"; then
    say "        $1 is not needed for this board, but was changed by hand and is kept."
    return
  fi
  say "  drop  $1"
  changed+=("$1")
  [ "$dry" ] || rm -f "$target" "$ours"
}

# write NEW TARGET: a file that is there already, whole or not at all; FAT knows no modes, so chmod may fail there.
write() {
  say "  edit  $2"
  [ "$dry" ] && return
  cp "$1" "$root$2.pond"
  chmod --reference="$root$2" "$root$2.pond" 2>/dev/null || true
  [ -z "$live" ] || sync "$2.pond"
  mv -f "$root$2.pond" "$root$2"
}

# once TARGET: a copy of a boot file from before we came.
once() {
  [ -e "$root$1.before-pond" ] && return
  say "  put   $1.before-pond"
  [ "$dry" ] || cp -p "$root$1" "$root$1.before-pond"
}

boot() { python3 -B -S "$here/boot.py" "$@"; }

# may ARGUMENT...: stops where boot.py has something that a person must mend first.
may() {
  local code=0
  boot "$@" >"$work/told" 2>&1 || code=$?
  case $code in
    0 | 3) ;;
    *)
      cat "$work/told" >&2
      exit 2
      ;;
  esac
}

# chosen: the board in pond.conf, read as systemd reads it.
chosen() {
  sed -n 's/^[[:blank:]]*POND_BOARD[[:blank:]]*=//p' "$root$conf" | tail -n 1 | tr -d "'\"[:space:]"
}

# has_changed FOLDER: whether something in it has.
has_changed() {
  local each
  for each in "${changed[@]}"; do [[ $each != "$1"/* ]] || return 0; done
  return 1
}

# rest UNIT: not this one, from now on.
rest() {
  if [ "$root" ] || systemctl --quiet is-enabled "$1" 2>/dev/null || systemctl --quiet is-active "$1" 2>/dev/null; then
    run systemctl disable --now "$1"
  fi
}

# --- may we ---------------------------------------------------------------------------------------------------------

model=''
tree=$machine/proc/device-tree
[ -n "$root" ] || [ ! -r "$tree/model" ] || model=$(tr -d '\0' <"$tree/model")
if [ -z "$root" ]; then
  [ "$(id -u)" -eq 0 ] || must "This must be done as root: sudo $0"
  [[ $model == *"Raspberry Pi"* ]] || must "This is not a Raspberry Pi; to play on a laptop: make play."
  command -v apt-get >/dev/null || must "There is no apt here: take Raspberry Pi OS, or another system made from Debian."
  command -v systemctl >/dev/null || must "There is no systemd here: take Raspberry Pi OS."
fi
python3 -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  stop "Pond needs Python 3.11 or newer as python3: take Raspberry Pi OS Bookworm or newer."
for each in pond_hw/__init__.py pyproject.toml requirements.lock requirements-web.lock; do
  [ -e "$project/$each" ] || stop "$project/$each is missing: call install.sh where it lies in the whole project."
done
if [ "$live" ] && [ "$player" ]; then
  id -u "$player" >/dev/null 2>&1 || stop "There is no user $player here; name one with --user."
fi

# --- which board ----------------------------------------------------------------------------------------------------

conf=/etc/pond/pond.conf
asked=$board
if [ -z "$board" ] && [ -r "$root$conf" ]; then
  board=$(chosen)
  [[ $board != /* ]] || board=$root$board
fi
board=${board:-direct-4x4}
here_is=()
[ -n "$root" ] || here_is=(--machine "$machine")
needed=$(PYTHONPATH=$project python3 -B -S "$here/needs.py" "$board" "${here_is[@]}") || exit 2
fragments=() words=() modules=() unit='' quiet='' drop_ins=''
while IFS='=' read -r key value; do
  case $key in
    fragments) read -ra fragments <<<"$value" ;;
    words) read -ra words <<<"$value" ;;
    modules) read -ra modules <<<"$value" ;;
    unit) unit=$value ;;
    quiet) quiet=$value ;;
    drop_ins) drop_ins=$value ;;
  esac
done <<<"$needed"
own='' # the place of a profile of your own
case $board in
  *.toml)
    own=$(basename "$board")
    [[ $own =~ ^[A-Za-z0-9._-]+$ ]] || stop "$own wants a name of letters, digits, dots and dashes: rename the file."
    own=/etc/pond/boards/$own
    ;;
esac

boot_folder=''
for each in /boot/firmware /boot; do # Bookworm and newer; before
  [ -n "$boot_folder" ] || [ ! -e "$root$each/config.txt" ] || boot_folder=$each
done
[ -n "$boot_folder" ] || [ ${#fragments[@]} -eq 0 ] ||
  must "There is no config.txt in $root/boot/firmware or $root/boot: is this Raspberry Pi OS?"
config=$boot_folder/config.txt cmdline=$boot_folder/cmdline.txt before=''
[ ! -e "$root$share/cmdline" ] || read -r before <"$root$share/cmdline"
if [ "$boot_folder" ]; then # done again where it is written: much may happen to these files meanwhile
  may config "$root$config" "$work/config.txt" "${fragments[@]}"
  [ ! -e "$root$cmdline" ] || may cmdline --ours "$before" "$root$cmdline" "$work/cmdline.txt" "${words[@]}"
fi

say "Pond for the board ${own:-$board}${model:+ on a $model}"
[ -z "$root" ] || say "Files go into $root; what stands behind 'run' is only told."
[ -z "$dry" ] || say "Nothing is done; this is what would be."

# --- packages and the program ---------------------------------------------------------------------------------------

say "The program, in $home"
folder "$share"
keep "$here/uninstall.sh" /uninstall.sh 755
for each in boot.py README.md avahi/pond.service; do keep "$here/$each" "/$each"; done
lgpio=python3-lgpio
packages=(python3-venv python3-dev gcc) # rpi_ws281x and spidev come as source
# Another apt may be at work, above all at the first start of a card: we wait for its lock.
apt=(apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
updated=''
if [ "$live" ] && ! apt-cache show $lgpio >/dev/null 2>&1; then
  run "${apt[@]}" update
  updated=yes
  if ! apt-cache show $lgpio >/dev/null 2>&1; then
    python3 -c 'import sys; sys.exit(sys.version_info >= (3, 13))' ||
      stop "apt has no $lgpio, and for this Python pip has none either: take Raspberry Pi OS."
    lgpio='' # pip brings a built one
  fi
fi
missing=()
for each in "${packages[@]}" $lgpio; do
  [ -z "$root" ] && dpkg-query -W -f '${Status}' "$each" 2>/dev/null | grep -q 'install ok installed' || missing+=("$each")
done
if [ ${#missing[@]} -gt 0 ]; then
  [ "$updated" ] || run "${apt[@]}" update
  run env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
fi

# The virtual environment sees the system's packages, for lgpio. One made for an older Python is of no use.
fits() {
  "$home/bin/python" -c '
import pathlib, sys
sys.exit(not pathlib.Path(sys.argv[1], "lib", "python%d.%d" % sys.version_info[:2], "site-packages").is_dir())' "$home"
}
if [ "$root" ] || ! fits 2>/dev/null; then
  run rm -rf "$home/bin" "$home/include" "$home/lib" "$home/lib64" "$home/pyvenv.cfg" "$share/installed"
  run python3 -m venv --system-site-packages "$home"
fi

# What is installed is known by the digests of the lock and of the sources.
(cd "$project" && find pyproject.toml requirements.lock requirements-web.lock README.md LICENSE pond_hw -type f ! -name '*.pyc' -print0 |
  LC_ALL=C sort -z | xargs -0 sha256sum) >"$work/installed"
if ! cmp -s "$work/installed" "$root$share/installed"; then
  pip=("$home/bin/python" -m pip install --quiet --no-input --disable-pip-version-check)
  run "${pip[@]}" --require-hashes -r "$project/requirements.lock"
  run "${pip[@]}" --require-hashes -r "$project/requirements-web.lock" # all of these are Python alone, or need not be more
  # Built from a copy, so that nothing is left in the project's folder, which may not even be writable.
  [ -z "$live" ] || (cd "$project" && cp -R pyproject.toml README.md LICENSE pond_hw "$work/")
  run "${pip[@]}" --no-deps --no-build-isolation --force-reinstall "$work"
  changed+=("$home")
  [ -z "$live" ] || keep "$work/installed" /installed
fi

# --- files ----------------------------------------------------------------------------------------------------------

say "Files"
sed "s|^POND_BOARD=.*|POND_BOARD=${own:-$board}|" "$here/pond.conf" >"$work/pond.conf"
theirs='' # pond.conf as a person has changed it, with the board that is asked for now
if [ "$asked" ] && [ -e "$root$conf" ] && [ "$(chosen)" != "${own:-$board}" ] &&
  ! cmp -s "$root$share/placed$conf" "$root$conf"; then
  theirs=$work/theirs
  if [ "$(chosen)" ]; then
    sed "s|^[[:blank:]]*POND_BOARD[[:blank:]]*=.*|POND_BOARD=${own:-$board}|" "$root$conf" >"$theirs"
  else
    sed "\$a\\" "$root$conf" >"$theirs" # which ends its last line
    printf 'POND_BOARD=%s\n' "${own:-$board}" >>"$theirs"
  fi
  say "  put   $conf.old"
  [ "$dry" ] || cp -p "$root$conf" "$root$conf.old"
  write "$theirs" "$conf"
  changed+=("$conf")
  say "        $conf was changed by hand: only its POND_BOARD is new, and the old file is $(basename "$conf").old."
fi
place "$work/pond.conf" "$conf" "$theirs"
if [ "$own" ] && ! [ "$board" -ef "$root$own" ]; then place "$board" "$own"; fi
place "$here/sysusers.conf" /etc/sysusers.d/pond.conf
place "$here/60-pond.rules" /etc/udev/rules.d/60-pond.rules
place "$here/pond.service" /etc/systemd/system/pond.service
place "$here/web.conf" /etc/pond/web.conf
place "$here/pond-web.service" /etc/systemd/system/pond-web.service # which a person switches on
for each in gpiomem pio usb; do
  if [[ " $drop_ins " == *" $each "* ]]; then
    place "$here/$each.conf" "/etc/systemd/system/pond.service.d/$each.conf"
  else
    drop "/etc/systemd/system/pond.service.d/$each.conf"
  fi
done
if [ "$unit" = pond-root.service ]; then
  rest pond.service
  place "$here/pond-root.service" /etc/systemd/system/pond-root.service
elif [ -e "$root$share/placed/etc/systemd/system/pond-root.service" ]; then
  rest pond-root.service
  drop /etc/systemd/system/pond-root.service
fi
if [ ${#modules[@]} -gt 0 ]; then
  # What the service may open is worked out when it starts; a driver that comes later would be shut out.
  printf '%s\n' '# Before pond.service starts, so that it may open what these make.' "${modules[@]}" >"$work/modules.conf"
  place "$work/modules.conf" /etc/modules-load.d/pond.conf
else
  drop /etc/modules-load.d/pond.conf
fi
if [ "$quiet" ]; then
  printf '%s\n' '# The analogue sound output uses the PWM that the lamps are on.' 'blacklist snd_bcm2835' >"$work/modprobe.conf"
  place "$work/modprobe.conf" /etc/modprobe.d/pond.conf
else
  drop /etc/modprobe.d/pond.conf
fi

if [ ! -L "$root/usr/local/bin/pond" ] && [ -e "$root/usr/local/bin/pond" ]; then
  say "        /usr/local/bin/pond is somebody else's and is kept; ours is $home/bin/pond."
elif [ "$(readlink "$root/usr/local/bin/pond" || true)" != "$home/bin/pond" ]; then
  say "  link  /usr/local/bin/pond"
  folder /usr/local/bin
  [ "$dry" ] || ln -sfn "$home/bin/pond" "$root/usr/local/bin/pond"
fi

# --- the boot partition ---------------------------------------------------------------------------------------------

if [ "$boot_folder" ]; then
  code=0
  boot config "$root$config" "$work/config.txt" "${fragments[@]}" || code=$?
  [ "$code" -ne 2 ] || exit 2
  if [ "$code" -eq 3 ]; then # changed by hand
    if ! cmp -s "$work/config.txt" "$root$config.new"; then
      say "  put   $config.new"
      [ "$dry" ] || cp "$work/config.txt" "$root$config.new"
    fi
    say "        The lines of Pond in $config were changed by hand and are kept; ours lie beside it in config.txt.new."
  elif ! cmp -s "$work/config.txt" "$root$config"; then
    once "$config"
    write "$work/config.txt" "$config"
    changed+=("$config")
  fi

  if [ -e "$root$cmdline" ]; then
    added=$(boot cmdline --ours "$before" "$root$cmdline" "$work/cmdline.txt" "${words[@]}") || exit 2
    if ! cmp -s "$work/cmdline.txt" "$root$cmdline"; then
      once "$cmdline"
      write "$work/cmdline.txt" "$cmdline"
      changed+=("$cmdline")
    fi
    printf '%s\n' "$added" >"$work/added"
    keep "$work/added" /cmdline
  elif [ ${#words[@]} -gt 0 ]; then
    say "        There is no $cmdline: give the kernel ${words[*]} in another way."
  fi
fi

# --- the service ----------------------------------------------------------------------------------------------------

say "The service"
run systemd-sysusers /etc/sysusers.d/pond.conf
if [ "$player" ] && { [ "$root" ] || ! id -nG "$player" 2>/dev/null | tr ' ' '\n' | grep -qx pond; }; then
  run usermod -aG pond "$player"
fi
run udevadm control --reload || true # the next start does as well
run udevadm trigger --subsystem-match=gpio --subsystem-match=spidev --subsystem-match=i2c-dev || true
run systemctl daemon-reload
run systemctl enable "$unit"

# What counts only after a start may have been changed by a call that failed later; a start empties /run.
reboot=/run/pond-wants-reboot
if has_changed /boot || has_changed /etc/modprobe.d || has_changed /etc/modules-load.d; then
  [ -z "$live" ] || touch $reboot
fi
started=yes
if [ "$live" ] && [ ! -e $reboot ]; then
  if [ ${#changed[@]} -gt 0 ]; then again=restart; else again=start; fi
  run systemctl $again "$unit" || started=''
  [ $again = start ] || run systemctl try-restart pond-web.service || true # if it is on
fi

say
told="journalctl -u ${unit%.service}"
if [ "$dry$root" ]; then
  say "On the Pi itself this would now be installed."
elif [ -e $reboot ]; then
  say "Pond is installed. Wire the board with the power off, then start the Pi again: sudo reboot"
  say "After that the board lights up by itself. What it says: $told -f"
elif [ "$started" ]; then
  say "Pond is installed and the board is lit. What it says: $told -f"
else
  say "Pond is installed, but the board does not start. Why: $told -n 20"
fi
say "A page for phones in your network: sudo systemctl enable --now pond-web"
[ -z "$player" ] || say "$player may speak to it after the next login: pond play --connect"
[ "$started" ] || exit 1

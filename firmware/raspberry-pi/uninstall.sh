#!/usr/bin/env bash
# Takes Pond off a Raspberry Pi again: what install.sh made goes, what it changed is as it was.
set -Eeuo pipefail

usage() {
  cat <<'END'
usage: sudo uninstall.sh [--purge] [--dry-run] [--root DIR]

  --purge     also what you have made or changed: /etc/pond with your profiles, /var/lib/pond
  --dry-run   print every step and do none
  --root DIR  what install.sh --root DIR has put there
  --help      this
END
}

# Exit codes as of install.sh.
say() { printf '%s\n' "$*"; }
stop() {
  printf 'uninstall.sh: %s\n' "$*" >&2
  exit 2
}

run() {
  local told
  told=$(printf '%q ' "$@")
  say "  run   ${told% }"
  [ -z "$live" ] || "$@" || say "        That failed; going on."
}

there() { [ -e "$root$1" ] || [ -L "$root$1" ]; }

gone() {
  there "$1" || return 0
  say "  drop  $1"
  [ "$dry" ] || rm -rf -- "$root$1"
}

# What a person has made or changed stays, if it is not asked for.
kept() {
  if [ "$purge" ]; then gone "$1"; else say "        $2"; fi
}

# A file of the boot partition, whole or not at all; FAT knows no modes, so chmod may fail there.
write() {
  say "  edit  $2"
  [ -z "$dry" ] || return 0
  cp "$1" "$root$2.pond"
  chmod --reference="$root$2" "$root$2.pond" 2>/dev/null || true
  [ -z "$live" ] || sync "$2.pond"
  mv -f "$root$2.pond" "$root$2"
}

# restore NEW TARGET: a boot file without what we put into it.
restore() {
  cmp -s "$1" "$root$2" || write "$1" "$2"
  there "$2.before-pond" || return 0
  if cmp -s "$1" "$root$2.before-pond"; then
    gone "$2.before-pond"
  else
    kept "$2.before-pond" "$2 was also changed by somebody else; how it was before Pond stands in $(basename "$2").before-pond."
  fi
}

# All of it is read before it runs, for it may be the copy in $share, which goes too.
main() {
  purge='' dry='' root=''
  while [ $# -gt 0 ]; do
    case $1 in
      --root)
        root=${2:-}
        root=${root%/}
        [ -n "$root" ] || stop "--root wants a folder other than / behind it."
        shift
        ;;
      --purge) purge=yes ;;
      --dry-run) dry=yes ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) stop "There is no option $1; uninstall.sh --help tells them." ;;
    esac
    shift
  done
  [ -z "$root" ] || [ -d "$root" ] || stop "$root is not a folder."
  live=yes
  [ -z "$dry$root" ] || live=''
  [ -z "$live" ] || [ "$(id -u)" -eq 0 ] || stop "This must be done as root: sudo $0"

  local here home=/opt/pond share=/opt/pond/share/pond hotspot each target code folder boot words=() folders=()
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'printf "uninstall.sh: It stopped at line %s; what was done before stays.\n" "$LINENO" >&2; exit 1' ERR
  if ! there $home; then
    say "Pond is not installed here; nothing to do."
    exit 0
  fi
  [ -z "$dry" ] || say "Nothing is done; this is what would be."

  say "The service"
  for each in pond.service pond-root.service pond-web.service; do
    ! there "/etc/systemd/system/$each" || run systemctl disable --now "$each"
  done

  hotspot=/run/NetworkManager/system-connections/pond-hotspot.nmconnection
  ! there $hotspot || run nmcli connection delete id pond-hotspot
  gone $hotspot
  gone /etc/avahi/services/pond.service # which goes with the page, if that could end by itself
  gone /var/lib/pond-web                # which phones may play: of no use to anybody without Pond

  say "The boot partition"
  boot=''
  for each in /boot/firmware /boot; do
    [ -n "$boot" ] || ! there "$each/config.txt" || boot=$each
  done
  if [ "$boot" ]; then
    code=0
    python3 -B -S "$here/boot.py" unconfig "$root$boot/config.txt" "$work/config.txt" || code=$?
    if [ $code -eq 2 ]; then
      exit 2
    elif [ $code -eq 3 ] && [ -z "$purge" ]; then
      say "        The lines of Pond in $boot/config.txt were changed by hand and are kept; --purge takes them out."
    else
      restore "$work/config.txt" "$boot/config.txt"
    fi
    gone "$boot/config.txt.new"
    if there "$boot/cmdline.txt"; then
      [ ! -e "$root$share/cmdline" ] || read -ra words <"$root$share/cmdline"
      python3 -B -S "$here/boot.py" uncmdline "$root$boot/cmdline.txt" "$work/cmdline.txt" "${words[@]}"
      restore "$work/cmdline.txt" "$boot/cmdline.txt"
    fi
  fi

  say "Files"
  while IFS= read -r each; do
    target=${each#"$root$share/placed"}
    gone "$target.new"
    ! there "$target.old" || kept "$target.old" "$target.old is your own and is kept; --purge takes it away."
    there "$target" || continue
    if [[ $target == /etc/pond/boards/* ]]; then
      kept "$target" "$target is your own and is kept; --purge takes it away."
    elif cmp -s "$each" "$root$target"; then
      gone "$target"
    else
      kept "$target" "$target was changed by hand and is kept; --purge takes it away."
    fi
  done < <(find "$root$share/placed" -type f 2>/dev/null | sort)
  [ "$(readlink "$root/usr/local/bin/pond" || true)" != "$home/bin/pond" ] || gone /usr/local/bin/pond
  [ ! -e "$root$share/folders" ] || mapfile -t folders < <(sort -ru "$root$share/folders")
  gone $home
  if [ "$purge" ]; then
    gone /etc/pond
    gone /var/lib/pond
  fi
  for folder in "${folders[@]}"; do # deepest first; a folder that somebody else uses now stays
    [ "$dry" ] || [ ! -d "$root$folder" ] || rmdir --ignore-fail-on-non-empty "$root$folder"
  done
  # The service made it; if nothing is in it, nobody misses it.
  [ "$dry" ] || [ ! -d "$root/var/lib/pond" ] || rmdir --ignore-fail-on-non-empty "$root/var/lib/pond"

  say "The system"
  run systemctl daemon-reload
  if [ "$root" ] || id -u pond-web >/dev/null 2>&1; then run userdel pond-web; fi
  run udevadm control --reload
  if there /var/lib/pond; then
    say "        /var/lib/pond is not empty and is kept, and with it the user pond; --purge takes both away."
  else
    if [ "$root" ] || id -u pond >/dev/null 2>&1; then run userdel pond; fi
    # userdel leaves a group that has members.
    if [ "$root" ] || getent group pond >/dev/null; then run groupdel pond; fi
  fi

  say
  if [ "$dry$root" ]; then
    say "On the Pi itself Pond would now be gone."
  else
    say "Pond is gone. The packages that came with it stay, and so do the groups gpio, spi and i2c."
    say "The changes to the boot partition count from the next start: sudo reboot"
  fi
  exit 0
}

main "$@"

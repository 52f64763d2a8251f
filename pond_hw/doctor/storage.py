"""Where games are kept: whether there is room, and whether it survives that somebody pulls the plug."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.journal.location import SERVICE, own_folder

MEGABYTE = 1_000_000
LITTLE, TOO_LITTLE = 100 * MEGABYTE, 10 * MEGABYTE
"""Bytes that should be free, and that must be."""

FEW_FILES = 100
"""Files that there must be room for."""

IN_MEMORY = {"tmpfs", "ramfs", "rootfs"}

UNSAFE = {"data=writeback": "data=ordered", "nobarrier": "barrier=1", "barrier=0": "barrier=1"}
"""Options of ext4 with which a file may be there after a power cut and its content not, and what is better."""


class Mount(NamedTuple):
    """A file system: the device, where it is, its kind, its options."""

    device: str
    place: str
    kind: str
    options: tuple[str, ...]


def state_folder(around: Surroundings) -> str:
    """Where games are kept: what systemd gives, the service's folder, or a folder in one's home."""
    service = str(SERVICE)
    if "STATE_DIRECTORY" not in around.environment and (around.machine.pi or around.path(service).is_dir()):
        return service
    return str(own_folder(around.environment))


def look(around: Surroundings) -> Iterator[Found]:
    """How safe the state folder is."""
    folder = state_folder(around)
    mounts = _mounts(around)
    mount = _mount_of(folder, mounts)
    if mount:
        yield from _kept(around, folder, mount, mounts)
    root = _mount_of("/", mounts)
    if root and root != mount and "ro" in root.options:
        told = "The card is read-only: nothing can be installed or set."
        yield warning("storage", told, "sudo mount -o remount,rw /")
    yield from _room(around, folder)
    yield from _journal(around, folder)


def _kept(around: Surroundings, folder: str, mount: Mount, mounts: list[Mount]) -> Iterator[Found]:
    lost = "everything is lost at a power cut"
    if mount.kind in IN_MEMORY:
        told = f"{folder} is in memory ({mount.kind}): {lost}. Put it on the disk, then restart."
        yield fault("storage", told, _not_in_memory(around, mount))
    elif mount.kind == "overlay" and (around.machine.pi or _upper_in_memory(mount, mounts)):
        if _upper_in_memory(mount, mounts) or re.search(r"overlayroot=|boot=overlay", around.text("/proc/cmdline")):
            told = f"{folder} is on an overlay in memory: {lost}. Switch the overlay off, then restart the Pi."
            yield fault("storage", told, "sudo raspi-config nonint do_overlayfs 1")
        else:
            yield warning("storage", f"{folder} is on an overlay, which may be lost at a power cut.")
    elif "ro" in mount.options:
        told = f"{folder} is read-only: no game can be kept. If it becomes so again by itself, the card is worn out."
        yield fault("storage", told, f"sudo mount -o remount,rw {shlex.quote(mount.place)}")
    elif unsafe := [option for option in UNSAFE if option in mount.options]:
        told = f"{mount.place} is mounted with {unsafe[0]}: a power cut may spoil what was kept. Mend it, then restart."
        yield warning("storage", told, _safer(around, mount, unsafe[0]))
    else:
        yield good("storage", f"{folder} is on {mount.kind}, and survives a power cut as far as the disk does.")


def _not_in_memory(around: Surroundings, mount: Mount) -> str:
    """The command that gives a folder back to the disk; none if the whole system lives in memory."""
    if mount.place == "/":
        return ""
    listed = [line.split() for line in around.text("/etc/fstab").splitlines() if not line.lstrip().startswith("#")]
    if any(line[1:2] == [mount.place] for line in listed) and "'" not in mount.place:
        return f"sudo sed -i 's|^[^#]*[[:blank:]]{mount.place}[[:blank:]]|#&|' /etc/fstab"
    return f"sudo umount {shlex.quote(mount.place)}"


def _safer(around: Surroundings, mount: Mount, option: str) -> str:
    """The command that mounts it with a better option: where the bad one stands, or else in the file system itself."""
    if option in around.text("/etc/fstab"):
        return f"sudo sed -i 's/{option}/{UNSAFE[option]}/' /etc/fstab"
    if option in around.text("/boot/firmware/cmdline.txt"):
        return f"sudo sed -i 's/{option}/{UNSAFE[option]}/' /boot/firmware/cmdline.txt"
    own = "journal_data_writeback" if option.startswith("data=") else "nobarrier"
    return f"sudo tune2fs -o ^{own} {shlex.quote(mount.device)}"


def _upper_in_memory(mount: Mount, mounts: list[Mount]) -> bool:
    """Whether the layer of an overlay that is written to is in memory, as far as this system can see it."""
    upper = next((each.partition("=")[2] for each in mount.options if each.startswith("upperdir=")), "")
    below = _mount_of(upper, mounts) if upper else None
    return below is not None and below.kind in IN_MEMORY


def _room(around: Surroundings, folder: str) -> Iterator[Found]:
    room = around.room(around.path(folder))
    if room is None:
        return
    free = room.bytes // MEGABYTE
    if room.bytes < TOO_LITTLE:
        yield fault("storage", f"The disk is full: {free} MB are free for games.", "sudo apt clean")
    elif room.files is not None and room.files < FEW_FILES:
        told = f"The disk has room for {room.files} more files. Look where so many small ones come from."
        yield fault("storage", told, "sudo du --inodes -xd3 / | sort -n | tail")
    elif room.bytes < LITTLE:
        yield warning("storage", f"The disk is nearly full: {free} MB are free for games.", "sudo apt clean")
    else:
        yield good("storage", f"{free} MB are free for games.")


def _journal(around: Surroundings, folder: str) -> Iterator[Found]:
    """Whether games were kept aside because their file was spoilt."""
    try:
        aside = sorted(path.name for path in around.path(folder).glob("journal-*.bad"))
    except OSError:
        return
    if aside:
        told = f"A power cut or a bad card has spoilt {' and '.join(aside)}. What is good of it is among the games."
        yield warning("storage", told, f"pond games --journal {shlex.quote(folder)}")


def _mounts(around: Surroundings) -> list[Mount]:
    lines = (line.split() for line in around.text("/proc/self/mounts").splitlines())
    parts = [line[:4] for line in lines if len(line) > 3]
    return [Mount(_plain(what), _plain(at), kind, tuple(how.split(","))) for what, at, kind, how in parts]


def _plain(word: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), word)


def _mount_of(folder: str, mounts: list[Mount]) -> Mount | None:
    """The file system that a folder is on: the longest way that leads there, and of the same the latest."""
    over = [each for each in mounts if f"{folder}/".startswith(each.place.rstrip("/") + "/")]
    return max(enumerate(over), key=lambda each: (len(each[1].place), each[0]))[1] if over else None

"""Checks of the folder of saved games: free space, and protection against power cuts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem
from pond_hw.journal.folder import SERVICE_FOLDER, program_state_folder
from pond_hw.messages.message import Message

MEGABYTE = 1_000_000
LOW_SPACE_BYTES, MIN_SPACE_BYTES = 100 * MEGABYTE, 10 * MEGABYTE
"""Free space in bytes below which a warning is given, and below which a fault is reported."""

MIN_FREE_FILES = 100
"""Number of free files (inodes) below which a fault is reported."""

MEMORY_FILESYSTEMS = {"tmpfs", "ramfs", "rootfs"}

SAFER_OPTIONS = {"data=writeback": "data=ordered", "nobarrier": "barrier=1", "barrier=0": "barrier=1"}
"""Mount options that may leave files empty after a power cut, and safer replacements."""


class MountPoint(NamedTuple):
    """A mounted file system."""

    device: str
    mount_path: str
    filesystem_type: str
    options: tuple[str, ...]


def check_storage(host: HostSystem) -> Iterator[CheckResult]:
    folder, mounts = str(program_state_folder(host.environment)), _read_mounts(host)
    has_service_folder = host.machine.is_pi or host.file_path(str(SERVICE_FOLDER)).is_dir()
    if has_service_folder and "STATE_DIRECTORY" not in host.environment:
        folder = str(SERVICE_FOLDER)
    mount = _find_mount(folder, mounts)
    if mount:
        yield from _check_durability(host, folder, mount, mounts)
    root = _find_mount("/", mounts)
    if root and root != mount and "ro" in root.options:
        message = Message("doctor.storage.card_read_only")
        yield warning_result("storage", message, fix_command="sudo mount -o remount,rw /")
    yield from _check_free_space(host, folder)
    yield from _check_damaged_journals(host, folder)


def _check_durability(
    host: HostSystem, folder: str, mount: MountPoint, mounts: list[MountPoint]
) -> Iterator[CheckResult]:
    if mount.filesystem_type in MEMORY_FILESYSTEMS:
        message = Message("doctor.storage.in_memory", folder=folder, filesystem=mount.filesystem_type)
        yield fault_result("storage", message, fix_command=_leave_memory_command(host, mount))
    elif mount.filesystem_type == "overlay" and (host.machine.is_pi or _is_upper_in_memory(mount, mounts)):
        booted_on_overlay = re.search(r"overlayroot=|boot=overlay", host.read_text("/proc/cmdline"))
        if _is_upper_in_memory(mount, mounts) or booted_on_overlay:
            message = Message("doctor.storage.overlay_in_memory", folder=folder)
            yield fault_result("storage", message, fix_command="sudo raspi-config nonint do_overlayfs 1")
        else:
            yield warning_result("storage", Message("doctor.storage.overlay", folder=folder))
    elif "ro" in mount.options:
        fix_command = f"sudo mount -o remount,rw {shlex.quote(mount.mount_path)}"
        yield fault_result("storage", Message("doctor.storage.read_only", folder=folder), fix_command=fix_command)
    elif unsafe := [option for option in SAFER_OPTIONS if option in mount.options]:
        message = Message("doctor.storage.unsafe", folder=mount.mount_path, option=unsafe[0])
        yield warning_result("storage", message, fix_command=_safer_mount_command(host, mount, unsafe[0]))
    else:
        yield good_result("storage", Message("doctor.storage.good", folder=folder, filesystem=mount.filesystem_type))


def _leave_memory_command(host: HostSystem, mount: MountPoint) -> str:
    """Return the command that moves a folder from memory back to disk; empty if the whole system is in memory."""
    if mount.mount_path == "/":
        return ""
    listed = [line.split() for line in host.read_text("/etc/fstab").splitlines() if not line.lstrip().startswith("#")]
    if any(line[1:2] == [mount.mount_path] for line in listed) and "'" not in mount.mount_path:
        return f"sudo sed -i 's|^[^#]*[[:blank:]]{mount.mount_path}[[:blank:]]|#&|' /etc/fstab"
    return f"sudo umount {shlex.quote(mount.mount_path)}"


def _safer_mount_command(host: HostSystem, mount: MountPoint, option: str) -> str:
    """Return the command that sets a safer mount option, in the file that sets the unsafe one or in the file system itself."""
    for file in ("/etc/fstab", "/boot/firmware/cmdline.txt"):
        if option in host.read_text(file):
            return f"sudo sed -i 's/{option}/{SAFER_OPTIONS[option]}/' {file}"
    filesystem_option = "journal_data_writeback" if option.startswith("data=") else "nobarrier"
    return f"sudo tune2fs -o ^{filesystem_option} {shlex.quote(mount.device)}"


def _is_upper_in_memory(mount: MountPoint, mounts: list[MountPoint]) -> bool:
    """Return True if the writable layer of an overlay is known to be in memory."""
    upper_folders = [option.partition("=")[2] for option in mount.options if option.startswith("upperdir=")]
    upper_mount = _find_mount(upper_folders[0], mounts) if upper_folders else None
    return upper_mount is not None and upper_mount.filesystem_type in MEMORY_FILESYSTEMS


def _check_free_space(host: HostSystem, state_path: str) -> Iterator[CheckResult]:
    space = host.free_space(host.file_path(state_path))
    if space is None:
        return
    megabytes = space.free_bytes // MEGABYTE
    if space.free_bytes < MIN_SPACE_BYTES:
        message = Message("doctor.storage.full", megabytes=megabytes)
        yield fault_result("storage", message, fix_command="sudo apt clean")
    elif space.free_files is not None and space.free_files < MIN_FREE_FILES:
        message = Message("doctor.storage.few_files", count=space.free_files)
        yield fault_result("storage", message, fix_command="sudo du --inodes -xd3 / | sort -n | tail")
    elif space.free_bytes < LOW_SPACE_BYTES:
        message = Message("doctor.storage.nearly_full", megabytes=megabytes)
        yield warning_result("storage", message, fix_command="sudo apt clean")
    else:
        yield good_result("storage", Message("doctor.storage.free", megabytes=megabytes))


def _check_damaged_journals(host: HostSystem, folder: str) -> Iterator[CheckResult]:
    try:
        damaged_files = tuple(sorted(path.name for path in host.file_path(folder).glob("journal-*.bad")))
    except OSError:
        return
    if damaged_files:
        message = Message("doctor.storage.damaged_journal", files=damaged_files)
        yield warning_result("storage", message, fix_command=f"pond games --journal {shlex.quote(folder)}")


def _read_mounts(host: HostSystem) -> list[MountPoint]:
    mount_rows = [line.split() for line in host.read_text("/proc/self/mounts").splitlines()]
    return [
        MountPoint(_decode_escapes(device), _decode_escapes(path), kind, tuple(options.split(",")))
        for device, path, kind, options, *_ in (row for row in mount_rows if len(row) > 3)
    ]


def _decode_escapes(word: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), word)


def _find_mount(folder: str, mounts: list[MountPoint]) -> MountPoint | None:
    """Return the file system that contains a folder.

    This is the mount with the longest path. If several have the same path, the latest one counts.
    """
    covering_mounts = [mount for mount in mounts if f"{folder}/".startswith(mount.mount_path.rstrip("/") + "/")]
    return max(reversed(covering_mounts), key=lambda mount: len(mount.mount_path), default=None)

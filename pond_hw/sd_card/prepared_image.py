"""Copy of an image of Raspberry Pi OS with Pond's package, which the first start installs."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO, NamedTuple

from pond_hw.durable_files import sync_to_disk
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.sd_card.debian_package import DebianPackage
from pond_hw.sd_card.disk_image import BootPartition, find_fat_partition, is_complete, open_boot_partition
from pond_hw.sd_card.settings import FirstBootSettings

BOOT_FOLDER = "/boot/firmware"
"""Folder in which Raspberry Pi OS has its boot partition."""

CLOUD_INIT_RELEASE = 13
"""Debian release of images that use cloud-init: Trixie. Bookworm's ignore its files."""

COMPRESSED = {b"\x1f\x8b": "gunzip", b"PK\x03\x04": "unzip", b"\x28\xb5\x2f\xfd": "unzstd"}
"""First bytes of compressed files, and the command that unpacks them."""

XZ_MARK = b"\xfd7zXZ\x00"

DEVICES = {
    "arm64": ("pi5-64bit", "pi4-64bit", "pi3-64bit"),
    "armhf": ("pi5-32bit", "pi4-32bit", "pi3-32bit", "pi2-32bit", "pi1-32bit"),
}
"""Models that can start an image, by processor, as Raspberry Pi Imager names them."""

FIRST_START = """\
#cloud-boothook
#!/bin/sh
# Written by `pond sd-card`. It runs at each start, and installs Pond until that is done.
[ ! -e /var/lib/pond-first-boot/done ] || exit 0
# cloud-init never repeats a step that a power cut has interrupted. Make it repeat all of them.
rm -f /var/lib/cloud/instance/sem/config_*
exec systemd-run --quiet --no-block --unit=pond-first-boot --property=RequiresMountsFor={boot} \\
  --property=Restart=on-failure --property=RestartSec=60 --property=SyslogIdentifier=pond-first-boot \\
  --property=StandardOutput=journal+console --property=StandardError=journal+console /bin/sh {command}
"""
"""Vendor data for cloud-init. Raspberry Pi Imager only writes its user data, so both work on one card.

The service is transient: it exists only in memory, so a power cut can't damage it.
"""


class Board(NamedTuple):
    """Board to set up.

    Attributes:
        name: name of a shipped profile, or the file name of the user's own.
        profile: content of the user's own profile.
        page: True to start the phone page too.
    """

    name: str
    profile: bytes | None = None
    page: bool = False


def prepare_image(
    source: Path, target: Path, package: DebianPackage, board: Board, settings: FirstBootSettings
) -> None:
    """Write a prepared copy of an image, and a manifest for Raspberry Pi Imager beside it.

    The copy is complete or doesn't exist, and only its owner can read it. `source` may be compressed with xz.

    Raises:
        PondError: if the image doesn't fit the package, or a file can't be read or written.
    """
    with (
        explain_system_errors("file.cannot_read", file=str(source)),
        _open_source(source) as image,
        explain_system_errors("file.cannot_write", file=str(target)),
    ):
        _check_space(source, target)
        with _make_new_file(target) as part:
            with part.open("r+b") as copy:
                _copy(source, image, copy)
                _install_files(source, copy, package, board, settings)
            sync_to_disk(part)
            manifest = make_manifest(part, target, package.processor, board.name, settings)
            target.with_suffix(".rpi-imager-manifest").write_bytes(manifest)
            part.replace(target)


@contextmanager
def _make_new_file(target: Path) -> Iterator[Path]:
    """Make an empty file beside `target`, and delete it afterwards if it hasn't been renamed."""
    handle, name = mkstemp(f"{target.suffix}.part", f"{target.stem}-", target.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _open_source(source: Path) -> Iterator[BinaryIO]:
    with source.open("rb") as image:
        first = image.read(6)
        image.seek(0)
        for mark, command in COMPRESSED.items():
            if first.startswith(mark):
                raise PondError(Message("sd_card.compressed", file=str(source), command=command))
        if first == XZ_MARK:
            with lzma.open(image) as unpacked:
                yield unpacked  # type: ignore[misc]
        else:
            if find_fat_partition(image) is None:
                raise PondError(Message("sd_card.not_an_image", file=str(source)))
            if not is_complete(image):
                raise PondError(Message("sd_card.damaged", file=str(source)))
            image.seek(0)
            yield image


def _check_space(source: Path, target: Path) -> None:
    """Raise PondError if the disk has less free space than the size of the source."""
    needed, free = source.stat().st_size, shutil.disk_usage(target.parent).free
    if free < needed:
        raise PondError(Message("sd_card.disk_full", file=str(target), needed=needed / 1e9, free=free / 1e9))


def _copy(source: Path, image: BinaryIO, copy: BinaryIO) -> None:
    try:
        shutil.copyfileobj(image, copy, 1 << 20)
    except (lzma.LZMAError, EOFError):
        raise PondError(Message("sd_card.damaged", file=str(source))) from None


def _install_files(
    source: Path, image: BinaryIO, package: DebianPackage, board: Board, settings: FirstBootSettings
) -> None:
    sectors = find_fat_partition(image)
    if sectors is None:
        raise PondError(Message("sd_card.not_an_image", file=str(source)))
    with open_boot_partition(image, sectors) as partition:
        _check_system(source, partition, package)
        setting_files = settings.make_files()
        if setting_files and _has_content(partition.read("user-data")):
            raise PondError(Message("sd_card.has_settings", file=str(source)))
        for path, content in (_make_pond_files(package, board) | setting_files).items():
            partition.write(path, content)


def _check_system(source: Path, partition: BootPartition, package: DebianPackage) -> None:
    if not (partition.has("config.txt") and partition.has("cmdline.txt")):
        raise PondError(Message("sd_card.not_raspberry_pi_os", file=str(source)))
    if not (partition.has("user-data") and partition.has("meta-data")):
        raise PondError(Message("sd_card.no_cloud_init", file=str(source)))
    if partition.has("pond") or partition.has("vendor-data"):
        raise PondError(Message("sd_card.already_prepared", file=str(source)))
    if package.release != CLOUD_INIT_RELEASE:
        raise PondError(Message("sd_card.other_release", package=str(package.path), release=package.release))
    processor = "armhf" if partition.has("kernel7.img") else "arm64"  # a 64-bit image has no 32-bit kernels
    if package.processor != processor:
        raise PondError(
            Message("sd_card.other_processor", package=str(package.path), has=package.processor, needs=processor)
        )


def _has_content(user_data: bytes) -> bool:
    """Return True if there is a line that isn't a comment."""
    return re.search(rb"^[ \t]*[^#\s]", user_data, re.MULTILINE) is not None


def _make_pond_files(package: DebianPackage, board: Board) -> dict[str, bytes]:
    own_profile = {f"pond/{board.name}": board.profile} if board.profile is not None else {}
    name = f"{BOOT_FOLDER}/pond/{board.name}" if own_profile else board.name
    command = shlex.join([f"{BOOT_FOLDER}/pond/first-boot.sh", name, *(["--page"] if board.page else [])])
    return {
        "pond/pond.deb": package.path.read_bytes(),
        "pond/first-boot.sh": files("pond_hw.sd_card").joinpath("first-boot.sh").read_bytes(),
        **own_profile,
        "vendor-data": FIRST_START.format(boot=BOOT_FOLDER, command=command).encode(),
    }


def make_manifest(part: Path, target: Path, processor: str, board: str, settings: FirstBootSettings) -> bytes:
    """Return a list with one system for Raspberry Pi Imager.

    Imager asks for user, Wi-Fi and the like only if `settings` has none, because its answers would replace them.
    """
    with part.open("rb") as image:
        digest = hashlib.file_digest(image, "sha256").hexdigest()
    size = part.stat().st_size
    system = {
        "name": f"Pond for the board {board}",
        "description": "Your image of Raspberry Pi OS, which installs the board game Pond when it first starts",
        "icon": "icons/use_custom.png",
        "url": target.absolute().as_uri(),
        "extract_size": size,
        "extract_sha256": digest,
        "image_download_size": size,
        "release_date": datetime.now(UTC).date().isoformat(),
        "devices": list(DEVICES[processor]),
        "architecture": "armv8" if processor == "arm64" else "armhf",
        "init_format": "none" if any(settings) else "cloudinit-rpi",
    }
    return json.dumps({"os_list": [system]}, indent=2).encode() + b"\n"

"""Small images of Raspberry Pi OS, and packages, for tests of `pond sd-card`."""

import io
import lzma
import struct
import tarfile
from pathlib import Path

import fatfs

from pond_hw.sd_card.disk_image import SECTOR_BYTES, find_fat_partition, open_boot_partition

FIRST_SECTOR = 2048
FAT_BYTES = 4 << 20

TRIXIE = {
    "config.txt": b"dtparam=audio=on\n[all]\n",
    "cmdline.txt": b"console=tty1 root=PARTUUID=5a3e-02 rootwait resize\n",
    "issue.txt": b"Raspberry Pi reference 2026-06-16\n",
    "user-data": b"#cloud-config\n\n# hostname: raspberrypi\n",
    "network-config": b"# network:\n",
    "meta-data": b"dsmode: local\ninstance_id: rpios-image\n",
    "kernel8.img": b"64 bits",
}
"""Files on the boot partition of Raspberry Pi OS Trixie for 64 bits."""


def write_image(path: Path, boot_files=TRIXIE, table="mbr"):
    """Write an image with a boot partition and an empty second one."""
    storage = bytearray(FAT_BYTES)
    partition = fatfs.create_extended_partition(fatfs.RamDisk(storage))
    partition.mkfs()
    partition.mount()
    for name, content in boot_files.items():
        partition.write_file(f"/{name}", content)
    partition.unmount()
    tables = {"mbr": _mbr, "gpt": _gpt, "none": bytes}
    start = tables[table]()
    path.write_bytes(start.ljust(FIRST_SECTOR * SECTOR_BYTES, b"\0") + storage + bytes(1 << 20))
    return path


def _mbr(entries=None):
    count = FAT_BYTES // SECTOR_BYTES
    entries = entries or [(0x83, FIRST_SECTOR + count, 2048), (0x0C, FIRST_SECTOR, count)]
    table = b"".join(struct.pack("<4xB3xII", *entry) for entry in entries)
    return bytes(446) + table.ljust(64, b"\0") + b"\x55\xaa"


def _gpt():
    header = b"EFI PART".ljust(72, b"\0") + struct.pack("<QII", 2, 4, 128)
    last = FIRST_SECTOR + FAT_BYTES // SECTOR_BYTES - 1
    entry = b"\x11" * 32 + struct.pack("<QQ", FIRST_SECTOR, last)
    table = bytes(128) + entry.ljust(128, b"\0") + bytes(256)
    return _mbr([(0xEE, 1, 0xFFFFFFFF)]) + header.ljust(SECTOR_BYTES, b"\0") + table


def read_boot_files(path: Path, *names):
    """Return the content of files on the boot partition."""
    with path.open("r+b") as image, open_boot_partition(image, find_fat_partition(image)) as partition:
        return {name: partition.read(name) for name in names}


def write_package(path: Path, control="Package: pond\nVersion: 1.0.0~deb13\nArchitecture: arm64\n", size=1000):
    """Write a Debian package with this control file."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as files:
        info = tarfile.TarInfo("./control")
        info.size = len(control)
        files.addfile(info, io.BytesIO(control.encode()))
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": lzma.compress(archive.getvalue()),
        "data.tar.xz": bytes(size),
    }
    content = b"!<arch>\n"
    for name, member in members.items():
        content += (
            f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(member):<10}`\n".encode()
            + member
            + b"\n" * (len(member) % 2)
        )
    path.write_bytes(content)
    return path

"""Boot partition of a disk image: find it in the partition table, read and write its files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import BinaryIO

from pond_hw.messages.message import Message, PondError

SECTOR_BYTES = 512

GPT_PROTECTION = 0xEE
"""Type of the one partition in the master boot record of a disk with a GPT."""

MAX_GPT_ENTRIES = 128

GPT_ENTRY_BYTES = range(128, 4097)
"""Usual sizes of an entry in a GPT."""

Sectors = tuple[int, int]
"""First sector and number of sectors of a partition."""


def find_fat_partition(image: BinaryIO) -> Sectors | None:
    """Return the first FAT partition of a disk image with an MBR or a GPT, or None if there is none."""
    sector_count = image.seek(0, 2) // SECTOR_BYTES
    for start, count in _list_partitions(image):
        image.seek(start * SECTOR_BYTES)
        boot_sector = image.read(SECTOR_BYTES)
        has_fat = boot_sector[510:] == b"\x55\xaa" and b"FAT" in (boot_sector[54:57], boot_sector[82:85])
        if has_fat and start > 0 and start + count <= sector_count:
            return start, count
    return None


def is_complete(image: BinaryIO) -> bool:
    """Return False if a partition ends beyond the end of the image."""
    size = image.seek(0, 2)
    return all((start + count) * SECTOR_BYTES <= size for start, count in _list_partitions(image))


def _list_partitions(image: BinaryIO) -> Iterator[Sectors]:
    image.seek(0)
    record = image.read(SECTOR_BYTES)
    if len(record) < SECTOR_BYTES or record[510:] != b"\x55\xaa":
        return
    for entry in range(446, 510, 16):
        partition_type, start, count = struct.unpack_from("<4xB3xII", record, entry)
        if partition_type == GPT_PROTECTION:
            yield from _list_gpt_partitions(image)
            return
        if partition_type:
            yield start, count


def _list_gpt_partitions(image: BinaryIO) -> Iterator[Sectors]:
    image.seek(SECTOR_BYTES)
    header = image.read(SECTOR_BYTES)
    if len(header) < SECTOR_BYTES or not header.startswith(b"EFI PART"):
        return
    table_sector, entry_count, entry_bytes = struct.unpack_from("<QII", header, 72)
    if entry_bytes not in GPT_ENTRY_BYTES:
        return
    image.seek(table_sector * SECTOR_BYTES)
    table = image.read(min(entry_count, MAX_GPT_ENTRIES) * entry_bytes)
    for entry in range(0, len(table) - 127, entry_bytes):
        first, last = struct.unpack_from("<QQ", table, entry + 32)
        if any(table[entry : entry + 16]):  # an unused entry has no type
            yield first, last - first + 1


class BootPartition:
    """Files of a FAT partition. Paths use forward slashes; folders are created as needed."""

    def __init__(self, image: BinaryIO, sectors: Sectors) -> None:
        import fatfs
        from fatfs.diskio import Disk

        class PartitionDisk(Disk):  # type: ignore[misc]
            """Sectors of the partition, for the FAT library, which asks for bytes, not for sectors."""

            def ioctl_get_sector_count(self) -> int:
                return sectors[1]

            def ioctl_get_sector_size(self) -> int:
                return SECTOR_BYTES

            def ioctl_get_block_size(self) -> int:
                return 1

            def read(self, sector: int, count: int) -> bytes:
                image.seek((sectors[0] + sector) * SECTOR_BYTES)
                return image.read(count)

            def write(self, sector: int, _count: int, buff: bytes) -> None:
                image.seek((sectors[0] + sector) * SECTOR_BYTES)
                image.write(buff)

        self._partition = fatfs.create_extended_partition(PartitionDisk())
        self._partition.mount()

    def close(self) -> None:
        self._partition.unmount()

    def has(self, path: str) -> bool:
        return bool(self._partition.exists(f"/{path}"))

    def read(self, path: str) -> bytes:
        """Return the content of a file, empty if there is none."""
        if not self.has(path):
            return b""
        content: bytes = self._partition.read_file(f"/{path}")
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a file, and replace an existing one.

        Raises:
            PondError: if it doesn't fit.
        """
        folder = path.rpartition("/")[0]
        if folder:
            self._partition.makedirs(f"/{folder}", exist_ok=True)
        self._partition.write_file(f"/{path}", content)
        if self.read(path) != content:  # the library ignores a write that was cut short
            raise PondError(Message("sd_card.partition_full"))


@contextmanager
def open_boot_partition(image: BinaryIO, sectors: Sectors) -> Iterator[BootPartition]:
    """Open the partition, and close it afterwards.

    Raises:
        PondError: if the partition is damaged.
    """
    from fatfs import FatFSException

    try:
        with closing(BootPartition(image, sectors)) as partition:
            yield partition
    except FatFSException:
        raise PondError(Message("sd_card.unreadable_partition")) from None

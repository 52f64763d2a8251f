"""Fields of a Debian package file."""

from __future__ import annotations

import io
import lzma
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import explain_system_errors

ARCHIVE_MARK = b"!<arch>\n"

HEADER_BYTES = 60


class DebianPackage(NamedTuple):
    """Pond's package for a Debian release and a processor.

    Attributes:
        path: the file.
        release: number of the Debian release, such as 13.
        processor: Debian's name of the processor, such as `arm64`.
    """

    path: Path
    release: int
    processor: str


def read_package(path: Path) -> DebianPackage:
    """Read the fields of Pond's package.

    Raises:
        PondError: if the file can't be read, isn't Pond's package, or is cut off.
    """
    with explain_system_errors("file.cannot_read", file=str(path)):
        content = path.read_bytes()
    members = dict(_read_members(content))
    control = _read_control(members.get(b"control.tar.xz", b""))
    fields = dict(re.findall(r"^(Package|Version|Architecture): (.*)$", control, re.MULTILINE))
    release = re.search(r"~deb(\d+)", fields.get("Version", ""))
    if fields.get("Package") != "pond" or not release or "Architecture" not in fields:
        raise PondError(Message("sd_card.not_our_package", file=str(path)))
    if b"data.tar.xz" not in members:
        raise PondError(Message("sd_card.damaged", file=str(path)))
    return DebianPackage(path, int(release[1]), fields["Architecture"])


def _read_members(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield name and content of each complete member of an `ar` archive."""
    start = len(ARCHIVE_MARK)
    while content.startswith(ARCHIVE_MARK) and start + HEADER_BYTES <= len(content):
        name, size = content[start : start + 16].strip(b" /"), content[start + 48 : start + 58].strip()
        start += HEADER_BYTES
        if not size.isdigit() or start + int(size) > len(content):
            return
        yield name, content[start : start + int(size)]
        start += int(size) + int(size) % 2


def _read_control(packed: bytes) -> str:
    """Return the control file in a compressed tar archive, empty if it has none."""
    try:
        with tarfile.open(fileobj=io.BytesIO(lzma.decompress(packed))) as files:
            control = files.extractfile("./control")
            return control.read().decode() if control else ""
    except (lzma.LZMAError, tarfile.TarError, KeyError, UnicodeDecodeError):
        return ""

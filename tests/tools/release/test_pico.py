"""Tests of the firmware's UF2 file, read back as a Pico would."""

import struct
from pathlib import Path

import pytest

from tests.conftest import require

require("littlefs", "it makes the Pico's file system")
require("uf2utils", "it writes UF2 files")

from littlefs import LittleFS  # noqa: E402

from tools.release import pico  # noqa: E402 - it needs both

BLOCK = 512
RP2040 = 0xE48BFF56
"""Family id (utils/uf2families.json in microsoft/uf2)."""


@pytest.fixture(scope="module")
def uf2(tmp_path_factory):
    path = tmp_path_factory.mktemp("pico") / "files.uf2"
    pico.build_firmware(path)
    return path.read_bytes()


def read_blocks(uf2):
    """Return the address and the content of each block, as a boot ROM reads them."""
    blocks = []
    for start in range(0, len(uf2), BLOCK):
        first, second, flags, address, size, number, count, family = struct.unpack_from("<8I", uf2, start)
        (last,) = struct.unpack_from("<I", uf2, start + BLOCK - 4)
        assert (first, second, last) == (0x0A324655, 0x9E5D5157, 0x0AB16F30)
        assert (flags, size, family) == (0x2000, 256, RP2040)
        assert (number, count) == (start // BLOCK, len(uf2) // BLOCK)
        blocks.append((address, uf2[start + 32 : start + 32 + size]))
    return blocks


def read_file_system(image):
    """Return the files in an image by name."""
    blocks = len(image) // pico.BLOCK_BYTES
    system = LittleFS(block_size=pico.BLOCK_BYTES, block_count=blocks, prog_size=pico.PROGRAM_BYTES, mount=False)
    system.context.buffer = bytearray(image)
    system.mount()
    files = {}
    for name in system.listdir("/"):
        with system.open(name, "rb") as file:
            files[name] = file.read()
    return files


def test_uf2_fills_exactly_the_file_system_of_micropython(uf2):
    blocks = read_blocks(uf2)
    addresses = [address for address, _ in blocks]
    assert addresses == list(range(0x100A0000, 0x10200000, 256))


def test_files_read_back_from_the_uf2_are_the_firmware(uf2):
    image = b"".join(content for _, content in read_blocks(uf2))
    files = {path.name: path.read_bytes() for path in Path(pico.FIRMWARE).glob("*.py")}
    assert {"boot.py", "main.py"} < set(files)
    assert read_file_system(image) == files


def test_same_firmware_gives_the_same_bytes(uf2, tmp_path):
    pico.build_firmware(tmp_path / "again.uf2")
    assert (tmp_path / "again.uf2").read_bytes() == uf2

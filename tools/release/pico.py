"""Firmware of a USB board as a UF2 file: our files, as the file system that MicroPython finds in the Pico's flash memory.

The address, the size and the block sizes are those of MicroPython for the board RPI_PICO: `MICROPY_HW_FLASH_STORAGE_BYTES`
in ports/rp2/boards/RPI_PICO/mpconfigboard.h, and ports/rp2/modules/_boot.py. The memory has 2 MiB. MicroPython for another
board has its file system in another place.
"""

from collections.abc import Mapping
from pathlib import Path

from littlefs import LittleFS
from uf2utils.family import Family
from uf2utils.file import UF2File

from tools.release.dates import ROOT

FIRMWARE = ROOT / "firmware" / "pico"
FLASH_START = 0x10000000
FLASH_BYTES = 2 * 1024 * 1024
FILES_BYTES = 1408 * 1024
FILES_ADDRESS = FLASH_START + FLASH_BYTES - FILES_BYTES
BLOCK_BYTES = 4096
PROGRAM_BYTES = 256
FAMILY = "RP2040"


def build_firmware(to: Path) -> None:
    """Write the UF2 file. It replaces all files on a Pico, and leaves MicroPython there."""
    uf2 = UF2File(board_family=Family.byName(FAMILY).id)
    uf2.append_payload(make_file_system(read_firmware()), FILES_ADDRESS)
    uf2.to_file(str(to))


def read_firmware() -> dict[str, bytes]:
    """Return the files of the firmware by name."""
    return {path.name: path.read_bytes() for path in sorted(FIRMWARE.glob("*.py"))}


def make_file_system(files: Mapping[str, bytes]) -> bytes:
    """Return the image of a file system. It includes unused blocks, to erase old files."""
    system = LittleFS(block_size=BLOCK_BYTES, block_count=FILES_BYTES // BLOCK_BYTES, prog_size=PROGRAM_BYTES)
    for name, content in files.items():
        with system.open(name, "wb") as file:
            file.write(content)
    return bytes(system.context.buffer)

"""Runs a piece of Python in a program of its own that takes itself to be on a Raspberry Pi, as far as SPI goes."""

import atexit
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conftest import lacks, need

HERE = Path(__file__).parent
PI_4 = "c03115"
"""The revision of a Raspberry Pi 4 Model B 1.5."""


class Transfer(NamedTuple):
    """What went out over SPI at one go."""

    data: bytes
    hz: int
    mode: int


class Ended(NamedTuple):
    """How the program ended: its exit status, what it printed, and what it sent by SPI."""

    status: int
    printed: str
    transfers: list[Transfer]


def on_a_pi(folder, code, revision=PI_4, buffer=4096):
    """Run the code; `broken` is in it the path of a file whose existence makes every transfer fail."""
    if sys.platform != "linux":
        lacks("needs Linux: it stands between a program and its C library")
    need("cc", "it compiles what pretends the files of a Pi")
    capture, broken = folder / "captured", folder / "broken"
    capture.write_bytes(b"")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(_library()),
        "POND_REVISION": revision,
        "POND_CAPTURE": str(capture),
        "POND_BUFSIZ": str(buffer),
        "POND_BROKEN": str(broken),
    }
    script = f"from pathlib import Path\nbroken = Path({str(broken)!r})\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        cwd=HERE.parents[2],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout + done.stderr, list(_transfers(capture.read_bytes())))


@cache
def _library():
    """What pretends the files of a Pi, compiled once."""
    place = Path(tempfile.mkdtemp(prefix="pond"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    compiled = ["cc", "-shared", "-fPIC", "-o", place / "spi_of_a_pi.so", HERE / "spi_of_a_pi.c", "-ldl"]
    subprocess.run(compiled, check=True, timeout=60)
    return place / "spi_of_a_pi.so"


def _transfers(captured):
    place = 0
    while place < len(captured):
        length, hz, mode = struct.unpack_from("=III", captured, place)
        yield Transfer(captured[place + 12 : place + 12 + length], hz, mode)
        place += 12 + length

"""Run Python code in a process that sees the SPI devices of a simulated Raspberry Pi."""

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

from tests.conftest import require, skip_outside_ci

HERE = Path(__file__).parent
PI_4 = "c03115"
"""Revision of a Raspberry Pi 4 Model B 1.5."""


class Transfer(NamedTuple):
    """Data of one SPI transfer."""

    data: bytes
    hz: int
    mode: int


class ProcessResult(NamedTuple):
    """Exit status, output and SPI transfers of a process."""

    status: int
    printed: str
    transfers: list[Transfer]


def run_on_simulated_pi(folder, code, revision=PI_4, buffer=4096):
    """Run code. Its variable `broken` is a path; while a file exists there, every transfer fails."""
    if sys.platform != "linux":
        skip_outside_ci("needs Linux: it wraps the C library of a program")
    require("cc", "it compiles the simulated files of a Pi")
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
    return ProcessResult(done.returncode, done.stdout + done.stderr, list(_transfers(capture.read_bytes())))


@cache
def _library():
    """Compile the library that simulates the device files of a Pi."""
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

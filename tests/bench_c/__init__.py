"""Perft in C, compiled when it is asked for: the yardstick for the compiled kernel, and no part of Pond."""

import atexit
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

SOURCE = Path(__file__).with_name("perft.c")


def compiler():
    """The C compiler of this machine, or None."""
    return shutil.which((os.environ.get("CC") or "cc").split()[0])


@cache
def _program():
    """The compiled program, for any processor of this kind (no -march=native)."""
    program = Path(mkdtemp(prefix="pond-bench-")) / "perft"
    atexit.register(shutil.rmtree, program.parent)
    subprocess.run([compiler(), "-O2", "-o", program, SOURCE], check=True)
    return program


def perft(pond, depth, how):
    """The number of sequences, what was looked at, and the CPU seconds; `how` is counted or played."""
    asked = [_program(), *map(str, (pond.size, pond.spawn, pond.target, depth)), how]
    many, looked_at, seconds = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    return int(many), int(looked_at), float(seconds)

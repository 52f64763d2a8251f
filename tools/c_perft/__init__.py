"""Perft in C, compiled on demand: the yardstick for the compiled kernel, and no part of Pond."""

import atexit
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from pond_hw.rules import Variant

SOURCE = Path(__file__).with_name("perft.c")


def find_compiler() -> str | None:
    """Return the C compiler of this machine, or None."""
    return shutil.which((os.environ.get("CC") or "cc").split()[0])


@cache
def _compile(compiler: str) -> Path:
    """Compile the program, for any processor of this kind (no -march=native)."""
    program = Path(mkdtemp(prefix="pond-bench-")) / "perft"
    atexit.register(shutil.rmtree, program.parent)
    subprocess.run([compiler, "-O2", "-o", program, SOURCE], check=True)
    return program


def measure_perft(compiler: str, variant: Variant, depth: int, how: str) -> float:
    """Return the sequences per second of CPU time; `how` is counted or played."""
    numbers = (variant.size, variant.spawn, variant.target, depth)
    command = [str(_compile(compiler)), *map(str, numbers), how]
    count, _, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(count) / float(seconds)

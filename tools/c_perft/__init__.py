"""Perft in C, compiled on demand, for comparison with the compiled kernel."""

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
    """Return the path of the C compiler, or None."""
    return shutil.which((os.environ.get("CC") or "cc").split()[0])


@cache
def _compile(compiler: str) -> Path:
    """Compile the program without processor-specific options such as -march=native."""
    program = Path(mkdtemp(prefix="pond-bench-")) / "perft"
    atexit.register(shutil.rmtree, program.parent)
    subprocess.run([compiler, "-O2", "-o", program, SOURCE], check=True)
    return program


def measure_perft(compiler: str, variant: Variant, depth: int, method: str) -> float:
    """Return the number of sequences per second of CPU time. `method` is `counted` or `played`."""
    numbers = (variant.size, variant.spawn, variant.target, depth)
    command = [str(_compile(compiler)), *map(str, numbers), method]
    count, _, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(count) / float(seconds)

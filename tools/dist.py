"""Build the source distribution, and from it the wheel: `make dist`."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
"""Script that calls the build backend of pyproject.toml as pip does."""


def main(folder: Path) -> None:
    """Build both into a folder, after deleting older distributions there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("pond_hw-*"):
        old.unlink()
    _build("build_sdist", folder, ROOT)
    (source,) = folder.glob("pond_hw-*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        subprocess.run(["tar", "-xzf", source, "-C", unpacked], check=True)
        (inside,) = Path(unpacked).iterdir()
        _build("build_wheel", folder, inside)
    for file in sorted(folder.glob("pond_hw-*")):
        print(file)


def _build(hook: str, folder: Path, project: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", BUILD, hook, str(folder.resolve())]
    built = subprocess.run(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if built.returncode:
        raise SystemExit("\n".join(built.stdout.splitlines()[-20:]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

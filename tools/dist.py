"""Build the source distribution, and from it the wheel: `make dist`.

The same sources give the same bytes.
"""

import gzip
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.release.dates import read_date

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
    _remove_traces(source)
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(source) as file:
            file.extractall(unpacked, filter="data")
        (inside,) = Path(unpacked).iterdir()
        _build("build_wheel", folder, inside)
    for file_path in sorted(folder.glob("pond_hw-*")):
        print(file_path)


def _build(hook: str, folder: Path, project: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", BUILD, hook, str(folder.resolve())]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(read_date())}
    built = subprocess.run(
        command,
        cwd=project,
        env=environment,
        umask=0o022,  # the wheel keeps permissions
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if built.returncode:
        raise SystemExit("\n".join(built.stdout.splitlines()[-20:]))


def _remove_traces(source: Path) -> None:
    """Remove what an archive reveals about this machine: times, users, permissions and the order of its files."""
    date = read_date()
    with tarfile.open(source) as file:
        members = [(member, file.extractfile(member)) for member in sorted(file, key=lambda member: member.name)]
        with tempfile.TemporaryFile() as clean:
            with (
                gzip.GzipFile("", "wb", 9, clean, mtime=date) as packed,
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
            ):
                for member, content in members:
                    entry = tarfile.TarInfo(member.name)
                    entry.type, entry.size, entry.mtime = member.type, member.size, date
                    entry.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
                    archive.addfile(entry, content)
            clean.seek(0)
            source.write_bytes(clean.read())


if __name__ == "__main__":
    main(Path(sys.argv[1]))

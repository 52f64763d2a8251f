"""Export the carrier boards from KiCad: Gerber and drill files for board makers, and a picture of each.

    python -m tests.fabrication.kicad.exports      exports changed boards; `make carriers`

The source is hardware/NAME/carrier/NAME-carrier.kicad_pcb. Its hash is stored in the exports, so that a test finds
outdated ones.
"""

import hashlib
import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.fabrication.kicad.cli import kicad, missing
from tools.pcb.maker import EXPORT_SUFFIXES

HARDWARE = Path(__file__).parents[3] / "hardware"
LAYERS = "F.Cu,B.Cu,F.Mask,B.Mask,F.Silkscreen,Edge.Cuts"
SIDE, COLOURS = 900, 48
"""Side in pixels and number of colours of the picture, chosen to keep it below 60 kB."""

UNDATED = (
    (r"^%TF\.CreationDate,.*\n|^; #@! TF\.CreationDate,.*\n", ""),
    (r"(^G04 Created by KiCad) .*\*$", r"\1*"),
    (r"(^; DRILL file \{KiCad) .*$", r"\1}"),
    (r"(Pcbnew),\d.*?(\*%)?$", r"\1\2"),
)
"""Dates and KiCad versions to remove, so that the same board always gives the same files."""


def main():
    """Export changed boards; return 2 if KiCad is missing."""
    if missing_tool := missing():
        print(missing_tool, file=sys.stderr)
        return 2
    for board in sorted(HARDWARE.glob("*/carrier/*-carrier.kicad_pcb")):
        paths = [board.with_name(board.stem + end) for end in EXPORT_SUFFIXES]
        if all(path.exists() and exported_fingerprint(path) == fingerprint(board.read_bytes()) for path in paths):
            continue
        for path, data in zip(paths, make_exports(board.stem, board.read_text(encoding="utf-8")), strict=True):
            path.write_bytes(data)
            print(f"{path.relative_to(HARDWARE.parent)}  {len(data) / 1000:.0f} kB")
    return 0


def make_exports(name, board):
    """Return the archive for a board maker and the picture of a board."""
    with kicad({f"{name}.kicad_pcb": board}) as (folder, call):
        call("pcb", "export", "gerbers", "--layers", LAYERS, "-o", "gerbers/", f"{name}.kicad_pcb")
        call("pcb", "export", "drill", "-o", "gerbers/", f"{name}.kicad_pcb")
        size = "-w", str(SIDE), "--height", str(SIDE)
        call("pcb", "render", "--side", "top", "--background", "opaque", *size, "-o", "top.png", f"{name}.kicad_pcb")
        files = {path.name: path.read_text(encoding="utf-8") for path in (folder / "gerbers").iterdir()}
        picture = Image.open(folder / "top.png").convert("RGB")
    mark = fingerprint(board.encode())
    return _pack({each: _undated(text) for each, text in files.items() if not each.endswith(".gbrjob")}, mark), _small(
        picture, mark
    )


def fingerprint(board):
    return hashlib.sha256(board).hexdigest()


def exported_fingerprint(path):
    """Return the fingerprint of the board from which an export was made."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return archive.comment.decode()
    with Image.open(path) as picture:
        return picture.text["board"]


def _undated(text):
    for found, instead in UNDATED:
        text = re.sub(found, instead, text, flags=re.MULTILINE)
    return text


def _pack(files, mark):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in sorted(files.items()):
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, text)
        archive.comment = mark.encode()
    return packed.getvalue()


def _small(picture, mark):
    small, info = io.BytesIO(), PngInfo()
    info.add_text("board", mark)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(small, "PNG", optimize=True, pnginfo=info)
    return small.getvalue()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(f"It failed: {' '.join(map(str, failed.cmd))}")

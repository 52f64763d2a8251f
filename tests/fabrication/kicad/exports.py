"""Export the boards from KiCad: Gerber and drill files for board makers, and pictures of both sides.

    python -m tests.fabrication.kicad.exports      exports changed boards; `make carriers`, `make row-boards`

The sources are hardware/NAME/carrier/NAME-carrier.kicad_pcb and hardware/row-boards/NAME/NAME.kicad_pcb. Their hash is stored
in the exports, so that a test finds outdated ones.
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
LAYERS = "F.Cu,B.Cu,F.Mask,B.Mask,F.Paste,F.Silkscreen,B.Silkscreen,Edge.Cuts"
SIDE, ROW_SIDES, COLOURS = 900, (2400, 560), 48
"""Sizes in pixels of the picture of a carrier and of a row board, and number of colours, chosen to keep the files small."""

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
    for board in list_boards():
        paths = [board.with_name(board.stem + end) for end in EXPORT_SUFFIXES]
        if all(path.exists() and exported_fingerprint(path) == fingerprint(board.read_bytes()) for path in paths):
            continue
        for path, data in zip(paths, make_exports(board.stem, board.read_text(encoding="utf-8")), strict=True):
            path.write_bytes(data)
            print(f"{path.relative_to(HARDWARE.parent)}  {len(data) / 1000:.0f} kB")
    return 0


def list_boards():
    return [*sorted(HARDWARE.glob("*/carrier/*-carrier.kicad_pcb")), *sorted(HARDWARE.glob("row-boards/*/*.kicad_pcb"))]


def make_exports(name, board):
    """Return the archive for a board maker, and the pictures of the front and the back of a board."""
    with kicad({f"{name}.kicad_pcb": board}) as (folder, call):
        call("pcb", "export", "gerbers", "--layers", LAYERS, "-o", "gerbers/", f"{name}.kicad_pcb")
        call("pcb", "export", "drill", "-o", "gerbers/", f"{name}.kicad_pcb")
        width, height = (SIDE, SIDE) if name.endswith("-carrier") else ROW_SIDES
        size = "-w", str(width), "--height", str(height), "--zoom", "1" if width == height else "4"
        pictures = []
        for side in ("top", "bottom"):
            file = f"{side}.png"
            call("pcb", "render", "--side", side, "--background", "opaque", *size, "-o", file, f"{name}.kicad_pcb")
            pictures.append(Image.open(folder / file).convert("RGB"))
        files = {path.name: path.read_text(encoding="utf-8") for path in (folder / "gerbers").iterdir()}
    mark = fingerprint(board.encode())
    archive = _pack({each: _undated(text) for each, text in files.items() if not each.endswith(".gbrjob")}, mark)
    return archive, *(_small(picture, mark) for picture in pictures)


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

"""Slice every part of every shipped board with PrusaSlicer.

`python -m tests.fabrication.slicer` writes the results to pond_hw/fabrication/solids/sliced.toml.
"""

import re
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pond_hw.fabrication.solids import printed
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.profile import load_profile
from tests.fabrication.solids.boards import SHIPPED

SETTINGS = Path(__file__).parents[2] / "hardware" / "slicer.ini"
TABLE = Path(printed.__file__).with_name("sliced.toml")

BED, LAYER = 220, 0.2
"""Bed size and layer height in mm, as in slicer.ini."""

BRIM = 5
"""Brim in mm that the guide recommends for the grid."""


class Sliced(NamedTuple):
    """Result of slicing a file.

    Attributes:
        heights: heights of its layers in mm, lowest first.
        first_length: printed length of the first layer in mm, without skirt and brim.
        box: smallest and largest x and y.
        grams: weight of the plastic.
        minutes: printing time.
    """

    heights: list
    first_length: float
    box: tuple
    grams: float
    minutes: int


def slice_part(part):
    """Slice a part as it lies in its file.

    Raises:
        subprocess.CalledProcessError: the slicer rejects the part.
    """
    with tempfile.TemporaryDirectory() as folder:
        stl, gcode = Path(folder, "part.stl"), Path(folder, "part.gcode")
        stl.write_bytes(to_stl(part.solid))
        brim = ["--brim-width", str(BRIM)] if part.name == "grid" else []
        words = ["--load", SETTINGS, "--center", "110,110", *brim, "--output", gcode, stl]
        subprocess.run(["prusa-slicer", "--export-gcode", *words], check=True, capture_output=True, timeout=600)
        return read_gcode(gcode.read_text(encoding="utf-8", errors="replace"))


def read_gcode(text):
    heights, kind, x, y, first_length, xs, ys = [], "", 0.0, 0.0, 0.0, [], []
    for line in text.splitlines():
        if line.startswith(";Z:"):
            heights.append(float(line[3:]))
        elif line.startswith(";TYPE:"):
            kind = line[6:]
        elif line.startswith("G1 "):
            words = {word[0]: float(word[1:]) for word in line.partition(";")[0].split()[1:]}
            to_x, to_y = words.get("X", x), words.get("Y", y)
            if words.get("E", 0) > 0 and heights and ("X" in words or "Y" in words):
                xs += (x, to_x)
                ys += (y, to_y)
                if len(heights) == 1 and kind != "Skirt/Brim":
                    first_length += ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
            x, y = to_x, to_y
    grams = float(re.search(r"^; total filament used \[g\] = ([\d.]+)", text, re.MULTILINE)[1])
    time = re.search(r"^; estimated printing time \(normal mode\) = (.+)", text, re.MULTILINE)[1]
    seconds = sum(
        int(n) * {"d": 86400, "h": 3600, "m": 60, "s": 1}[unit] for n, unit in re.findall(r"(\d+)([dhms])", time)
    )
    box = min(xs), min(ys), max(xs), max(ys)
    return Sliced(heights, first_length, box, grams, round(seconds / 60))


def find_faults(part, made):
    """Return the faults that the slicer's output shows in a part."""
    min_x, min_y, max_x, max_y = made.box
    if min(min_x, min_y) < 0 or max(max_x, max_y) > BED:
        yield "it is larger than the bed"
    if made.heights[0] != LAYER or made.first_length < 20:
        yield "it has no face on the bed"
    if max(above - below for below, above in pairwise(made.heights)) > 2 * LAYER:
        yield "something hangs in the air"
    if abs(made.heights[-1] - part.solid.bounding_box()[5]) > LAYER:
        yield "what is highest is too thin to be printed"


def shipped_parts():
    """Return the parts of all shipped boards, without duplicates."""
    found = {}
    for name in SHIPPED:
        for part in printed_parts(load_profile(name, measured=False)):
            found.setdefault(printed.solid_key(part.solid), (name, part))
    return found


def main():
    lines = ["# By the file of each part what it takes: python -m tests.fabrication.slicer"]
    for key, (name, part) in shipped_parts().items():
        made = slice_part(part)
        lines.append(f"{key} = {{ grams = {made.grams:.2f}, minutes = {made.minutes} }} # {name}, {part.name}")
        print(lines[-1], file=sys.stderr)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

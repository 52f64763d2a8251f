"""Printed parts as they lie on the bed, with the time and material given by the slicer."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from manifold3d import Manifold

from pond_hw.fabrication.solids import board_parts
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.piece import make_piece, name_feet, piece_placement
from pond_hw.fabrication.solids.shapes import PlacementMatrix, compose_placements, translation
from pond_hw.profile.board_profile import Profile, TrellisWiring

PIECE_MATERIAL = "PLA, half of them in a light colour, half in a dark one"
MATERIALS = {"diffuser": "PLA white, translucent", "piece": PIECE_MATERIAL}
"""Materials other than black PLA."""
IDENTITY_PLACEMENT = translation(0, 0, 0)


@dataclass(frozen=True, slots=True)
class PrintedPart:
    """Part to print.

    Attributes:
        name: `case`, `plate`, `grid`, `lid`, `diffuser`, `piece`, `back`, `bezel`, `clip` or `keys`.
        solid: solid in mm as it lies on the bed, which is at z = 0 and centred at x = y = 0.
        count: number of copies.
        material: material to print it in.
        hole_count: number of holes through it (its genus).
        placements: positions of copies on the assembled board. Only three pieces are placed, each on a different foot. The
            box of the turn keys is not placed, because it stands next to the board.
        cavity_count: number of closed slots.
        pause_z: height at which the printer pauses for inserts; None if it doesn't pause.
    """

    name: str
    solid: Manifold
    count: int
    material: str
    hole_count: int
    placements: tuple[PlacementMatrix, ...]
    cavity_count: int = 0
    pause_z: float | None = None

    @property
    def grams(self) -> float:
        """Weight of one copy when printed solid; it is less with the default infill."""
        return float(self.solid.volume()) * s.PLASTIC_DENSITY


def printed_parts(profile: Profile) -> tuple[PrintedPart, ...]:
    """Return all parts of a board that passes `check_fit`, from the table up, then the pieces."""
    layout = SolidLayout(profile)
    parts = list(_list_parts(profile, layout))
    if key_count := layout.turn_key_count:
        parts.append(
            _print_part("keys", board_parts.make_key_box(key_count), key_count, places=(), is_turned_over=True)
        )
    return tuple(parts)


def _list_parts(profile: Profile, layout: SolidLayout) -> Iterator[PrintedPart]:
    case, case_holes = board_parts.make_case(layout), len(board_parts.case_holes(layout))
    if isinstance(profile.sensing.wiring, TrellisWiring):
        yield _print_part("back", case, case_holes)
        bezel_holes = len(layout.cell_points) + len(layout.screw_points)
        yield _print_part("bezel", board_parts.make_bezel(layout), bezel_holes, is_turned_over=True)
        # The left clips are rotated by 180 degrees.
        clip_places = [
            ((side, 0.0, 0.0, x), (0.0, side, 0.0, y), (0.0, 0.0, 1.0, 0.0))
            for x, y in board_parts.clip_screws()
            for side in (1.0 if x > 0 else -1.0,)
        ]
        yield _print_part("clip", board_parts.make_clip(layout), 1, len(clip_places), clip_places)
        return
    lid_holes = len(layout.cell_points) + len(layout.screw_points)
    yield _print_part("case", case, case_holes)
    yield _print_part("plate", board_parts.make_plate(layout), lid_holes + layout.size)  # and a hole for each connector
    yield _print_part("grid", board_parts.make_lamp_grid(layout), lid_holes)
    yield _print_part("lid", board_parts.make_lid(layout), lid_holes, is_turned_over=True)
    cell_places = [translation(x, y, 0) for x, y in layout.cell_points]
    diffuser = board_parts.make_diffuser(layout)
    yield _print_part("diffuser", diffuser, 0, len(cell_places), cell_places, is_turned_over=not layout.has_halls)
    if layout.has_halls:
        middles = layout.cell_middles
        points = [(x, middles[layout.size // 2], layout.floor_z) for x in middles[:3]]
        feet = name_feet(layout)
        stands = [piece_placement(layout, i % len(feet), point) for i, point in enumerate(points)]
        piece = _print_part("piece", make_piece(layout), 0, layout.piece_count, stands)
        yield replace(piece, cavity_count=len(feet), pause_z=layout.pause_z)


def _print_part(
    part_name: str,
    solid: Manifold,
    hole_count: int,
    count: int = 1,
    places: Sequence[PlacementMatrix] = (IDENTITY_PLACEMENT,),
    *,
    is_turned_over: bool = False,
) -> PrintedPart:
    """Move a part to the bed, turned over if necessary, and record its placements on the board."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if is_turned_over:
        laid_solid = solid.rotate((180, 0, 0)).translate((-x, y, z1))
        to_board: PlacementMatrix = ((1.0, 0.0, 0.0, x), (0.0, -1.0, 0.0, y), (0.0, 0.0, -1.0, z1))
    else:
        laid_solid, to_board = solid.translate((-x, -y, -z0)), translation(x, y, z0)
    placements = tuple(compose_placements(place, to_board) for place in places)
    return PrintedPart(part_name, laid_solid, count, MATERIALS.get(part_name, "PLA black"), hole_count, placements)


class SlicedPart(NamedTuple):
    """Material in g and printing time in minutes of one copy of a part.

    `sliced.toml` has these values for the boards that ship with Pond; `python -m tests.fabrication.slicer` generates it with
    PrusaSlicer and `hardware/slicer.ini`. Other boards have no values, so that a build needs no slicer.
    """

    grams: float
    minutes: int

    def __str__(self) -> str:
        hours, minutes = divmod(self.minutes, 60)
        return f"{self.grams:.3g} g and {f'{hours} h {minutes} min' if hours else f'{minutes} min'}"


def solid_key(solid: Manifold) -> str:
    """Return the key of a part in `sliced.toml`, derived from its STL file."""
    return hashlib.sha256(to_stl(solid)).hexdigest()[:16]


def find_sliced(solid: Manifold) -> SlicedPart | None:
    entry = _read_sliced_table().get(solid_key(solid))
    return SlicedPart(entry["grams"], round(entry["minutes"])) if entry else None


@cache
def _read_sliced_table() -> dict[str, dict[str, float]]:
    return tomllib.loads(Path(__file__).with_name("sliced.toml").read_text(encoding="utf-8"))

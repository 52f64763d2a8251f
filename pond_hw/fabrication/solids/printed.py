"""The parts of a board, each as it lies on the printer's bed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.bezel import bezel_holes, make_bezel
from pond_hw.fabrication.solids.case import case_holes, make_case
from pond_hw.fabrication.solids.crate import crate_holes, make_crate
from pond_hw.fabrication.solids.diffuser import make_diffuser
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout, make_layout
from pond_hw.fabrication.solids.lid import lid_holes, make_lid
from pond_hw.fabrication.solids.piece import make_piece, make_plug
from pond_hw.fabrication.solids.plate import make_plate, plate_holes
from pond_hw.fabrication.solids.shapes import make_box
from pond_hw.profile import TrellisWiring
from pond_hw.rules import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from manifold3d import Manifold

    from pond_hw.profile import Profile

PlacementMatrix = tuple[tuple[float, float, float, float], ...]
"""Three rows of a matrix: what turns a part and then moves it, in mm."""

BLACK_PLA, WHITE_PLA = "PLA black", "PLA white, translucent"
SCREW_LENGTHS = (12, 16, 20, 25, 30)
"""Lengths that M3 screws are sold in (ISO 888)."""
MIN_GRIP = 4.0
"""So much of a screw is to be in its insert, at the least."""
PIECE_MATERIAL = "PLA, half of them of a light colour, half of a dark one"


@dataclass(frozen=True, slots=True)
class PrintedPart:
    """A part to print.

    Attributes:
        name: what it is called: `case`, `plate`, `grid`, `lid`, `diffuser`, `piece`, `plug` or `bezel`; with a number
            behind it if it was too large for the bed and this is one of four.
        solid: as it lies on the bed, in mm: the bed is z = 0, its middle is over x = y = 0.
        count: how many to print.
        material: what of.
        hole_count: how many holes go through it (its genus).
        placements: where copies of it are in the board, as it stands on the table. Of pieces and plugs only three, one on
            each foot.
    """

    name: str
    solid: Manifold
    count: int
    material: str
    hole_count: int
    placements: tuple[PlacementMatrix, ...]

    @property
    def first_placement(self) -> PlacementMatrix:
        """Where it sits in the board; of several the first."""
        return self.placements[0]

    @property
    def grams(self) -> float:
        """What one weighs if it is printed full; with the usual filling it is less."""
        return float(self.solid.volume()) * s.PLASTIC

    @property
    def part_kind(self) -> str:
        """Its name without a number."""
        return self.name.split("-")[0]


def printed_parts(profile: Profile) -> tuple[PrintedPart, ...]:
    """All parts of a board, from the table up, then the pieces.

    Raises:
        ValueError: if something does not fit; `fits` tells the same.
    """
    from pond_hw.fabrication.solids.print_checks import check_fit

    if wrong := check_fit(profile):
        raise ValueError("\n".join(wrong))
    sized = make_layout(profile)
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return (_make_part("bezel", make_bezel(sized), BLACK_PLA, len(bezel_holes(sized))),)
    return (
        *_make_large("case", make_case(sized), case_holes(sized), sized, sized.low_line, over=False),
        *_make_large("plate", make_plate(sized), plate_holes(sized), sized, sized.high_line, over=False),
        *_make_large("grid", make_crate(sized), crate_holes(sized), sized, sized.low_line, over=False),
        *_make_large("lid", make_lid(sized), lid_holes(sized), sized, sized.high_line, over=True),
        _make_diffusers(sized),
        *(_make_pieces(sized) if sized.has_halls else ()),
    )


class BoughtPart(NamedTuple):
    """Something that holds printed parts together."""

    quantity: int
    part_name: str
    purpose: str


def fasteners(profile: Profile) -> tuple[BoughtPart, ...]:
    """Screws, inserts and feet for the printed parts, and the magnets for the pieces."""
    sized = make_layout(profile)
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return (BoughtPart(4, "screw M3", "bezel onto what lies behind it"),)
    stack = sized.top_z - sized.plate_z
    long = next(length for length in SCREW_LENGTHS if length >= stack + MIN_GRIP)
    screws = len(sized.screw_points)
    found = [
        BoughtPart(screws, f"countersunk screw M3 x {long}", "through lid, grid and plate into the case"),
        BoughtPart(screws, "brass insert M3, 5.7 mm long, for a hole of 4.0 mm", "melted into the case's columns"),
        BoughtPart(4, "screw M2.5 x 6 for plastic", "the Raspberry Pi onto its standoffs"),
        BoughtPart(4, "rubber foot, at least 3 mm high", "under the case: air goes in through its floor"),
    ]
    if sized.has_halls:
        wide, high = sized.magnet_size
        pieces = _count_pieces(sized)
        found.append(
            BoughtPart(
                3 * pieces, f"disc magnet {wide:g} x {high:g} mm, N42", "three in each piece, the same pole outwards"
            )
        )
    return tuple(found)


def place_solid(solid: Manifold, place: PlacementMatrix) -> Manifold:
    """A part that has been turned and moved."""
    import numpy as np

    return solid.transform(np.array(place))


def translation(x: float, y: float, z: float) -> PlacementMatrix:
    """Only moved."""
    return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))


def compose_placements(second: PlacementMatrix, first: PlacementMatrix) -> PlacementMatrix:
    """The first and then the second."""
    rows = []
    for row in second:
        turn = [math.fsum(row[k] * first[k][j] for k in range(3)) for j in range(4)]
        rows.append((turn[0], turn[1], turn[2], turn[3] + row[3]))
    return tuple(rows)


def piece_placement(plan: SolidLayout, foot: int, at: tuple[float, float, float]) -> PlacementMatrix:
    """A piece that lies on a foot, along the row, the middle of the foot at this point."""
    c, d = ((1.0, 0.0), (-0.5, -math.sqrt(3) / 2), (-0.5, math.sqrt(3) / 2))[foot]  # turned back by the foot's angle
    return (
        (0.0, 0.0, 1.0, at[0] - plan.piece_length / 2),
        (c, -d, 0.0, at[1]),
        (d, c, 0.0, at[2] + plan.foot_in),
    )


def cut_quarters(solid: Manifold, line: float) -> list[tuple[Manifold, tuple[int, int]]]:
    """A part parted at x and y of a line, and on which sides of it each is."""
    far = 10 * s.BED
    spans = {-1: (-far, line - s.SAW / 2), 1: (line + s.SAW / 2, far)}
    return [(solid ^ make_box(spans[i], spans[j], (-far, far)), (i, j)) for j in (-1, 1) for i in (-1, 1)]


def _make_large(
    name: str, solid: Manifold, holes: Iterable[FlatPoint], plan: SolidLayout, line: float, *, over: bool
) -> list[PrintedPart]:
    """One part; or four, if one would be too large for the bed."""
    holes = list(holes)
    if not plan.is_parted:
        return [_make_part(name, solid, BLACK_PLA, len(holes), over=over)]

    def inside(sides: tuple[int, int]) -> int:
        return sum((x - line) * sides[0] > 0 and (y - line) * sides[1] > 0 for x, y in holes)

    return [
        _make_part(f"{name}-{number}", quarter, BLACK_PLA, inside(sides), over=over)
        for number, (quarter, sides) in enumerate(cut_quarters(solid, line), start=1)
    ]


def _make_part(name: str, solid: Manifold, material: str, holes: int, *, over: bool = False) -> PrintedPart:
    laid, place = _lay_on_bed(solid, over=over)
    return PrintedPart(name, laid, 1, material, holes, (place,))


def _lay_on_bed(solid: Manifold, *, over: bool) -> tuple[Manifold, PlacementMatrix]:
    """A part from its place onto the bed, turned over if need be; and the way back."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not over:
        return solid.translate((-x, -y, -z0)), translation(x, y, z0)
    turned = solid.rotate((180, 0, 0)).translate((-x, y, z1))
    return turned, ((1.0, 0.0, 0.0, x), (0.0, -1.0, 0.0, y), (0.0, 0.0, -1.0, z1))


def _make_diffusers(plan: SolidLayout) -> PrintedPart:
    laid, place = _lay_on_bed(make_diffuser(plan), over=True)
    places = tuple(compose_placements(translation(x, y, 0), place) for x, y in plan.cell_points)
    return PrintedPart("diffuser", laid, len(places), WHITE_PLA, 0, places)


def _count_pieces(plan: SolidLayout) -> int:
    """As many as both sides have eggs in the largest named pond of this size."""
    return 2 * max(variant.spawn for variant in VARIANTS.values() if variant.size <= max(plan.size, 4))


def _make_pieces(plan: SolidLayout) -> tuple[PrintedPart, ...]:
    """Pieces and their plugs, three of them on the board."""
    count = _count_pieces(plan)
    row = plan.cell_middles[plan.size // 2]
    stand = [piece_placement(plan, foot, (plan.cell_middles[foot], row, plan.top_z)) for foot in range(3)]
    found = []
    for name, solid, over in (("piece", make_piece(plan), False), ("plug", make_plug(plan), True)):
        laid, place = _lay_on_bed(solid, over=over)
        found.append(
            PrintedPart(name, laid, count, PIECE_MATERIAL, 0, tuple(compose_placements(at, place) for at in stand))
        )
    return tuple(found)

"""The parts of a board, each as it lies on the printer's bed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.bezel import bezel, bezel_holes
from pond_hw.fabrication.solids.case import case, case_holes
from pond_hw.fabrication.solids.crate import crate, crate_holes
from pond_hw.fabrication.solids.diffuser import diffuser
from pond_hw.fabrication.solids.layout import Plan, Spot, plan
from pond_hw.fabrication.solids.lid import lid, lid_holes
from pond_hw.fabrication.solids.piece import piece, plug
from pond_hw.fabrication.solids.plate import plate, plate_holes
from pond_hw.fabrication.solids.shapes import box
from pond_hw.profile import Trellis
from pond_hw.rules import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from manifold3d import Manifold

    from pond_hw.profile import Profile

Place = tuple[tuple[float, float, float, float], ...]
"""Three rows of a matrix: what turns a part and then moves it, in mm."""

BLACK, WHITE = "PLA black", "PLA white, translucent"
SCREWS = (12, 16, 20, 25, 30)
"""Lengths that M3 screws are sold in (ISO 888)."""
GRIP = 4.0
"""So much of a screw is to be in its insert, at the least."""
PIECES = "PLA, half of them of a light colour, half of a dark one"


@dataclass(frozen=True, slots=True)
class Printed:
    """A part to print.

    Attributes:
        name: what it is called: `case`, `plate`, `grid`, `lid`, `diffuser`, `piece`, `plug` or `bezel`; with a number
            behind it if it was too large for the bed and this is one of four.
        solid: as it lies on the bed, in mm: the bed is z = 0, its middle is over x = y = 0.
        count: how many to print.
        material: what of.
        holes: how many holes go through it (its genus).
        places: where copies of it are in the board, as it stands on the table. Of pieces and plugs only three, one on
            each foot.
    """

    name: str
    solid: Manifold
    count: int
    material: str
    holes: int
    places: tuple[Place, ...]

    @property
    def place(self) -> Place:
        """Where it sits in the board; of several the first."""
        return self.places[0]

    @property
    def grams(self) -> float:
        """What one weighs if it is printed full; with the usual filling it is less."""
        return float(self.solid.volume()) * s.PLASTIC

    @property
    def sort(self) -> str:
        """Its name without a number."""
        return self.name.split("-")[0]


def parts(profile: Profile) -> tuple[Printed, ...]:
    """All parts of a board, from the table up, then the pieces.

    Raises:
        ValueError: if something does not fit; `fits` tells the same.
    """
    from pond_hw.fabrication.solids.print_checks import fits

    if wrong := fits(profile):
        raise ValueError("\n".join(wrong))
    sized = plan(profile)
    if isinstance(profile.sensing.wiring, Trellis):
        return (_part("bezel", bezel(sized), BLACK, len(bezel_holes(sized))),)
    return (
        *_large("case", case(sized), case_holes(sized), sized, sized.low_line, over=False),
        *_large("plate", plate(sized), plate_holes(sized), sized, sized.high_line, over=False),
        *_large("grid", crate(sized), crate_holes(sized), sized, sized.low_line, over=False),
        *_large("lid", lid(sized), lid_holes(sized), sized, sized.high_line, over=True),
        _diffusers(sized),
        *(_pieces(sized) if sized.halls else ()),
    )


class Bought(NamedTuple):
    """Something that holds printed parts together."""

    quantity: int
    what: str
    where: str


def fasteners(profile: Profile) -> tuple[Bought, ...]:
    """Screws, inserts and feet for the printed parts, and the magnets for the pieces."""
    sized = plan(profile)
    if isinstance(profile.sensing.wiring, Trellis):
        return (Bought(4, "screw M3", "bezel onto what lies behind it"),)
    stack = sized.top - sized.plate_z
    long = next(length for length in SCREWS if length >= stack + GRIP)
    screws = len(sized.screws)
    found = [
        Bought(screws, f"countersunk screw M3 x {long}", "through lid, grid and plate into the case"),
        Bought(screws, "brass insert M3, 5.7 mm long, for a hole of 4.0 mm", "melted into the case's columns"),
        Bought(4, "screw M2.5 x 6 for plastic", "the Raspberry Pi onto its standoffs"),
        Bought(4, "rubber foot, at least 3 mm high", "under the case: air goes in through its floor"),
    ]
    if sized.halls:
        wide, high = sized.magnet
        pieces = _pieces_needed(sized)
        found.append(
            Bought(
                3 * pieces, f"disc magnet {wide:g} x {high:g} mm, N42", "three in each piece, the same pole outwards"
            )
        )
    return tuple(found)


def put(solid: Manifold, place: Place) -> Manifold:
    """A part that has been turned and moved."""
    import numpy as np

    return solid.transform(np.array(place))


def moved(x: float, y: float, z: float) -> Place:
    """Only moved."""
    return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))


def after(second: Place, first: Place) -> Place:
    """The first and then the second."""
    rows = []
    for row in second:
        turn = [math.fsum(row[k] * first[k][j] for k in range(3)) for j in range(4)]
        rows.append((turn[0], turn[1], turn[2], turn[3] + row[3]))
    return tuple(rows)


def lying(plan: Plan, foot: int, at: tuple[float, float, float]) -> Place:
    """A piece that lies on a foot, along the row, the middle of the foot at this point."""
    c, d = ((1.0, 0.0), (-0.5, -math.sqrt(3) / 2), (-0.5, math.sqrt(3) / 2))[foot]  # turned back by the foot's angle
    return (
        (0.0, 0.0, 1.0, at[0] - plan.length / 2),
        (c, -d, 0.0, at[1]),
        (d, c, 0.0, at[2] + plan.foot_in),
    )


def quarters(solid: Manifold, line: float) -> list[tuple[Manifold, tuple[int, int]]]:
    """A part parted at x and y of a line, and on which sides of it each is."""
    far = 10 * s.BED
    spans = {-1: (-far, line - s.SAW / 2), 1: (line + s.SAW / 2, far)}
    return [(solid ^ box(spans[i], spans[j], (-far, far)), (i, j)) for j in (-1, 1) for i in (-1, 1)]


def _large(name: str, solid: Manifold, holes: Iterable[Spot], plan: Plan, line: float, *, over: bool) -> list[Printed]:
    """One part; or four, if one would be too large for the bed."""
    holes = list(holes)
    if not plan.parted:
        return [_part(name, solid, BLACK, len(holes), over=over)]

    def inside(sides: tuple[int, int]) -> int:
        return sum((x - line) * sides[0] > 0 and (y - line) * sides[1] > 0 for x, y in holes)

    return [
        _part(f"{name}-{number}", quarter, BLACK, inside(sides), over=over)
        for number, (quarter, sides) in enumerate(quarters(solid, line), start=1)
    ]


def _part(name: str, solid: Manifold, material: str, holes: int, *, over: bool = False) -> Printed:
    laid, place = _laid(solid, over=over)
    return Printed(name, laid, 1, material, holes, (place,))


def _laid(solid: Manifold, *, over: bool) -> tuple[Manifold, Place]:
    """A part from its place onto the bed, turned over if need be; and the way back."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not over:
        return solid.translate((-x, -y, -z0)), moved(x, y, z0)
    turned = solid.rotate((180, 0, 0)).translate((-x, y, z1))
    return turned, ((1.0, 0.0, 0.0, x), (0.0, -1.0, 0.0, y), (0.0, 0.0, -1.0, z1))


def _diffusers(plan: Plan) -> Printed:
    laid, place = _laid(diffuser(plan), over=True)
    places = tuple(after(moved(x, y, 0), place) for x, y in plan.spots)
    return Printed("diffuser", laid, len(places), WHITE, 0, places)


def _pieces_needed(plan: Plan) -> int:
    """As many as both sides have eggs in the largest named pond of this size."""
    return 2 * max(variant.spawn for variant in VARIANTS.values() if variant.size <= max(plan.size, 4))


def _pieces(plan: Plan) -> tuple[Printed, ...]:
    """Pieces and their plugs, three of them on the board."""
    count = _pieces_needed(plan)
    row = plan.middles[plan.size // 2]
    stand = [lying(plan, foot, (plan.middles[foot], row, plan.top)) for foot in range(3)]
    found = []
    for name, solid, over in (("piece", piece(plan), False), ("plug", plug(plan), True)):
        laid, place = _laid(solid, over=over)
        found.append(Printed(name, laid, count, PIECES, 0, tuple(after(at, place) for at in stand)))
    return tuple(found)

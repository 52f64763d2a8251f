"""What must be true of parts before anyone prints them. Everything wrong is told as a sentence.

`fits` asks the numbers and takes no time; the others look at the solids themselves.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import make_case
from pond_hw.fabrication.solids.crate import make_crate
from pond_hw.fabrication.solids.diffuser import make_diffuser
from pond_hw.fabrication.solids.layout import SolidLayout, make_layout
from pond_hw.fabrication.solids.lid import make_lid
from pond_hw.fabrication.solids.magnet_field import sensor_distance
from pond_hw.fabrication.solids.mesh import solid_triangles, volume_and_centre
from pond_hw.fabrication.solids.piece import MARK_NAMES, make_piece, make_plug, piece_magnets, piece_outline
from pond_hw.fabrication.solids.plate import make_plate
from pond_hw.fabrication.solids.printed import PrintedPart, piece_placement, place_solid
from pond_hw.fabrication.solids.shapes import make_prism
from pond_hw.profile import TrellisWiring

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from manifold3d import CrossSection, Manifold

    from pond_hw.profile import Profile

MIN_WALL = 2 * s.NOZZLE
TOUCH_VOLUME = 1e-3
"""Parts that share less than this, in mm³, only touch."""
SLIVER_AREA, SHORT_WIDTH = 0.1, 4 * s.NOZZLE
"""What a slice loses in a corner, in mm², or at the tip of a mark, in mm across, is no thin wall up to this."""
LAYER_HEIGHT = 0.2
"""A usual height of a layer."""
LEG_LENGTH = 12.7
"""A TO-92's legs are at least so long (JEDEC TO-92)."""
MIN_TIP_ANGLE = 20.0
"""Our choice: a piece is to stand up to this slope, in degrees."""
TABLE_CLEARANCE = 0.2
"""Our choice: marks stay so far above the table."""


def check_fit(profile: Profile) -> tuple[str, ...]:
    """A sentence for each thing that does not fit on a board of this pitch, with these lamps and magnets."""
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return ()
    return tuple(_check_layout(make_layout(profile), profile.body.reach_mm))


def _check_layout(sized: SolidLayout, reach: float) -> Iterator[str]:
    outer = max(abs(y) for y in sized.strip_offsets) + s.STRIP / 2 + 0.2
    if outer > sized.cell_side / 2:
        yield (
            f"Lamps {sized.lamps_per_side**2} to a cell do not fit at pitch_mm = {sized.pitch:g}: beside what is in the middle "
            f"of a cell, their strips need {math.ceil(10 * (2 * outer + s.CRATE)) / 10:g} mm at the least. "
            "Take a wider pitch or fewer lamps."
        )
    if sized.pi_x is None or sized.pi_y < -sized.case_inside + s.PI_WALL:
        yield (
            f"A Raspberry Pi does not fit under {sized.size}x{sized.size} cells at pitch_mm = {sized.pitch:g}. "
            "Take a wider pitch."
        )
    if not sized.has_halls:
        if (s.DEPTH - s.SLACK) / 2 < s.SWITCH_TRAVEL:
            yield "A button that is pressed at a corner does not close its switch. Let it go down further."
        return
    wide, high = sized.magnet_size
    slot = wide / 2 + s.PRESS
    inner = sized.foot_in - s.SKIN - high - 2 * s.PRESS
    between = inner * math.sqrt(3) / 2 - slot / 2  # from a slot's inner corner to the plane half way to the next slot
    ends = sized.piece_length / 2 - slot
    if sized.foot_width / 2 - slot < MIN_WALL or 2 * between < MIN_WALL or ends < MIN_WALL or ends - s.PLUG < 1:
        yield (
            f"Three magnets of {wide:g} x {high:g} mm do not fit into a piece for cells of pitch_mm = {sized.pitch:g}, "
            f"which is {sized.piece_width:.1f} mm wide. Take smaller magnets (6 x 3 or 5 x 2 mm) or a wider pitch."
        )
    if sensor_distance() > reach:
        yield (
            f"From a magnet's face to its sensor it is up to {sensor_distance():.1f} mm, more than reach_mm = {reach:g}. "
            "Take a stronger magnet and a larger reach_mm."
        )
    # They leave the sensor half way down its pocket, take 1 mm to turn down, and are soldered 1 mm below the plate.
    if sized.post_z - s.SENSOR_DEPTH / 2 - sized.plate_z + 2 > LEG_LENGTH:
        yield "The sensors' legs do not reach through the plate. Make the lamp grid lower."


def check_part(part: PrintedPart) -> tuple[str, ...]:
    """A sentence for each thing wrong with a part as it lies on the bed."""
    return tuple(_check_part(part))


def _check_part(part: PrintedPart) -> Iterator[str]:
    x0, y0, z0, x1, y1, z1 = part.solid.bounding_box()
    if max(x1 - x0, y1 - y0, z1 - z0) > s.BED:
        size = f"{x1 - x0:.1f} x {y1 - y0:.1f} x {z1 - z0:.1f} mm"
        yield f"{part.name}: {size} do not fit on a bed of {s.BED:g} mm. Part it."
    if abs(z0) > 1e-6:
        yield f"{part.name}: it hangs {z0:.2f} mm over the bed. Put it down."
    pieces = part.solid.decompose()
    if len(pieces) != 1:
        yield f"{part.name}: it falls into {len(pieces)} pieces. Join them."
    genus = sum(one.genus() for one in pieces)
    if genus != part.hole_count:
        yield f"{part.name}: {genus} holes go through it, and there should be {part.hole_count}."
    yield from (f"{part.name}: {sentence}" for sentence in (*find_thin_walls(part.solid), *find_overhangs(part.solid)))


def find_thin_walls(solid: Manifold) -> tuple[str, ...]:
    """Where a wall is no thicker than two nozzle widths: seen in slices, the first such slice of each height.

    A slice is made thinner by just under a nozzle's width from all sides, and thicker again: what is lost was too thin.
    """
    import numpy as np

    heights = np.unique(np.round(solid_triangles(solid)[:, :, 2], 2))
    found = []
    for low, high in pairwise(heights):
        z = float(low + high) / 2
        at = _find_thin_place(solid.slice(z))
        if at:
            found.append(
                f"at a height of {z:.2f} mm a wall near x = {at[0]:.1f}, y = {at[1]:.1f} is thinner than {MIN_WALL:g} mm. "
                "Make it thicker."
            )
    return tuple(found)


def find_overhangs(solid: Manifold) -> tuple[str, ...]:
    """Where a part would need support: where something begins in the air that is wider than a bridge, both ways."""
    import numpy as np

    found = []
    for height in np.unique(np.round(solid_triangles(solid)[:, :, 2], 2))[1:-1].tolist():
        begun = solid.slice(height + LAYER_HEIGHT / 2) - solid.slice(height - LAYER_HEIGHT / 2)
        wide = begun.offset(-s.BRIDGE / 2)
        if not wide.is_empty():
            x0, y0, x1, y1 = wide.bounds()
            found.append(
                f"at a height of {height:.2f} mm more than {s.BRIDGE:g} mm hang in the air "
                f"around x = {(x0 + x1) / 2:.1f}, y = {(y0 + y1) / 2:.1f}. Turn it over, or hold it up."
            )
    return tuple(found)


def _find_thin_place(cut: CrossSection) -> tuple[float, float] | None:
    """The middle of a place in a slice that is too thin, if there is one."""
    from manifold3d import JoinType

    less = s.NOZZLE - 0.005
    opened = cut.offset(-less, JoinType.Miter, 4.0).offset(less + 0.001, JoinType.Miter, 4.0)
    for lost in (cut - opened).decompose():
        x0, y0, x1, y1 = lost.bounds()
        if lost.area() > SLIVER_AREA and math.hypot(x1 - x0, y1 - y0) > SHORT_WIDTH:
            return (x0 + x1) / 2, (y0 + y1) / 2
    return None


def find_clashes(placed: Sequence[tuple[str, Manifold]]) -> tuple[str, ...]:
    """A sentence for each two parts, in their places, that are in each other's way."""
    found = []
    for (one, a), (other, b) in combinations(placed, 2):
        shared = shared_volume(a, b)
        if shared > TOUCH_VOLUME:
            found.append(f"{one} and {other} share {shared:.2f} mm³. Move one, or make it smaller.")
    return tuple(found)


def shared_volume(a: Manifold, b: Manifold) -> float:
    """What two solids share, in mm³."""
    p, q = a.bounding_box(), b.bounding_box()
    if any(p[i] >= q[i + 3] or q[i] >= p[i + 3] for i in range(3)):
        return 0.0
    return float((a ^ b).volume())


def assembled_parts(parts: Sequence[PrintedPart]) -> tuple[tuple[str, Manifold], ...]:
    """All parts in all their places, each with its name."""
    return tuple(
        (part.name if len(part.placements) == 1 else f"{part.name} {number}", place_solid(part.solid, place))
        for part in parts
        for number, place in enumerate(part.placements, start=1)
    )


class PartFit(NamedTuple):
    """Two parts that are put together, before any of them was parted, and the play between them in x and y, in mm."""

    inner: str
    outer: str
    clearance: float
    solids: tuple[Manifold, Manifold]


def part_fits(profile: Profile) -> tuple[PartFit, ...]:
    """Which parts go into which, and how much play they have."""
    sized = make_layout(profile)
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return ()
    tub, flat, walls, top = make_case(sized), make_plate(sized), make_crate(sized), make_lid(sized)
    x, y = sized.cell_points[0]
    tile = make_diffuser(sized).translate((x, y, 0))
    found = [
        PartFit("plate", "case", s.GAP, (flat, tub)),
        PartFit("grid", "case", s.GAP, (walls, tub)),
        PartFit("diffuser", "grid", s.GAP, (tile, walls)),
        PartFit("diffuser", "lid", s.GAP, (tile, top)),
    ]
    if sized.has_halls:
        found.append(PartFit("plug", "piece", s.PRESS, (make_plug(sized), make_piece(sized))))
    return tuple(found)


def check_clearance(fit: PartFit) -> tuple[str, ...]:
    """A sentence if one part moves less, or more, in the other than it should."""
    found = []
    tight, loose = fit.clearance - 0.02, fit.clearance + 0.02
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        inner, outer = fit.solids
        if shared_volume(inner.translate((x * tight, y * tight, 0)), outer) > TOUCH_VOLUME:
            found.append(f"{fit.inner} does not move {tight:.2f} mm in {fit.outer}, towards {x:+d}, {y:+d}.")
        elif shared_volume(inner.translate((x * loose, y * loose, 0)), outer) <= TOUCH_VOLUME:
            found.append(f"{fit.inner} moves more than {loose:.2f} mm in {fit.outer}, towards {x:+d}, {y:+d}.")
    return tuple(found)


class PieceStand(NamedTuple):
    """How a piece stands on a foot.

    Attributes:
        mark: what is on top.
        tip_angle: how far the table may be tilted until it falls over, in degrees.
        mark_height: of the lowest point of its marks, in mm.
        grams: what it weighs, printed full, with its magnets.
    """

    mark: str
    tip_angle: float
    mark_height: float
    grams: float


def piece_stands(profile: Profile) -> tuple[PieceStand, ...]:
    """How a piece of this board stands on each of its feet, with plug and magnets."""
    sized = make_layout(profile)
    body = make_piece(sized)
    masses = [
        (volume * s.PLASTIC, middle)
        for volume, middle in (volume_and_centre(body), volume_and_centre(make_plug(sized)))
    ]
    wide, high = sized.magnet_size
    masses += [(math.pi / 4 * wide**2 * high * s.NEODYMIUM, magnet.middle) for magnet in piece_magnets(sized)]
    grams = sum(mass for mass, _ in masses)
    middle = [sum(mass * at[k] for mass, at in masses) / grams for k in range(3)]
    marks = body - make_prism(piece_outline(sized, -1e-3), (-1, sized.piece_length))
    found = []
    for foot, mark in enumerate(MARK_NAMES):
        place = piece_placement(sized, foot, (0, 0, 0))
        x, y, z = (sum(row[k] * middle[k] for k in range(3)) + row[3] for row in place)
        # It rests on the foot of its body: the plug's plate is a little smaller and hangs over one end.
        ends = (x + sized.piece_length / 2, sized.piece_length / 2 - s.PLUG - x)
        nearest = min(sized.foot_width / 2 - abs(y), *ends)
        lowest = place_solid(marks, place).bounding_box()[2]
        found.append(PieceStand(mark, math.degrees(math.atan2(nearest, z)), lowest, grams))
    return tuple(found)


def check_solids(profile: Profile, parts: Sequence[PrintedPart]) -> tuple[str, ...]:
    """Everything that is wrong with the parts of a board: what the build asks before it writes a file."""
    found = [*check_fit(profile)]
    for part in parts:
        found += check_part(part)
    found += find_clashes(assembled_parts(parts))
    for fit in part_fits(profile):
        found += check_clearance(fit)
    if make_layout(profile).has_halls:
        for stand in piece_stands(profile):
            up = f"With the {stand.mark} on top"
            if stand.tip_angle < MIN_TIP_ANGLE:
                found.append(f"{up}, a piece falls over at {stand.tip_angle:.0f} degrees. Make its feet wider.")
            if stand.mark_height < TABLE_CLEARANCE:
                found.append(
                    f"{up}, a mark of the piece is {stand.mark_height:.2f} mm over the table. Move it up its flat."
                )
    return tuple(found)

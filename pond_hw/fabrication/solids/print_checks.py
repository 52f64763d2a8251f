"""What must be true of printed parts before anyone prints them: each fault is a sentence. Here the solids are looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from manifold3d import CrossSection, JoinType, Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import make_case
from pond_hw.fabrication.solids.crate import make_crate
from pond_hw.fabrication.solids.diffuser import make_diffuser
from pond_hw.fabrication.solids.fit_checks import MIN_WALL
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.lid import make_lid
from pond_hw.fabrication.solids.mesh import solid_triangles, volume_and_centre
from pond_hw.fabrication.solids.piece import MARK_NAMES, make_piece, make_plug, piece_magnets, piece_outline
from pond_hw.fabrication.solids.placement import piece_placement, place_solid
from pond_hw.fabrication.solids.plate import make_plate
from pond_hw.fabrication.solids.printed import PrintedPart
from pond_hw.fabrication.solids.shapes import make_prism
from pond_hw.profile import Profile, TrellisWiring

TOUCH_VOLUME = 1e-3
"""Parts that share less than this, in mm³, only touch."""
SLIVER_AREA, SHORT_WIDTH = 0.1, 4 * s.NOZZLE_WIDTH
"""What a slice loses in a corner, in mm², or at the tip of a mark, in mm across, is no thin wall up to this."""
LAYER_HEIGHT = 0.2
"""A usual height of a layer."""
MIN_TIP_ANGLE = 20.0
"""Our choice: a piece is to stand up to this slope, in degrees."""
TABLE_CLEARANCE = 0.2
"""Our choice: marks stay so far above the table."""


def check_part(part: PrintedPart) -> tuple[str, ...]:
    """A sentence for each thing wrong with a part as it lies on the bed."""
    return tuple(f"{part.name}: {sentence}" for sentence in _find_faults(part.solid, part.hole_count))


def _find_faults(solid: Manifold, hole_count: int) -> Iterator[str]:
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    if max(x1 - x0, y1 - y0, z1 - z0) > s.BED_SIDE:
        size = f"{x1 - x0:.1f} x {y1 - y0:.1f} x {z1 - z0:.1f} mm"
        yield f"{size} do not fit on a bed of {s.BED_SIDE:g} mm. Part it."
    if abs(z0) > 1e-6:
        yield f"it hangs {z0:.2f} mm over the bed. Put it down."
    pieces = solid.decompose()
    if len(pieces) != 1:
        yield f"it falls into {len(pieces)} pieces. Join them."
    genus = sum(piece.genus() for piece in pieces)
    if genus != hole_count:
        yield f"{genus} holes go through it, and there should be {hole_count}."
    heights = np.unique(np.round(solid_triangles(solid)[:, :, 2], 2)).tolist()
    yield from _find_thin_walls(solid, heights)
    yield from _find_overhangs(solid, heights)


def _find_thin_walls(solid: Manifold, heights: Sequence[float]) -> Iterator[str]:
    """Where a wall is no thicker than two nozzle widths: seen in slices, the first such slice of each height.

    A slice is made thinner by just under a nozzle's width from all sides, and thicker again: what is lost was too thin.
    """
    for low, high in pairwise(heights):
        z = (low + high) / 2
        if thin := _find_thin_place(solid.slice(z)):
            yield (
                f"at a height of {z:.2f} mm a wall near x = {thin[0]:.1f}, y = {thin[1]:.1f} "
                f"is thinner than {MIN_WALL:g} mm. Make it thicker."
            )


def _find_overhangs(solid: Manifold, heights: Sequence[float]) -> Iterator[str]:
    """Where a part would need support: where something begins in the air that is wider than a bridge, both ways."""
    for height in heights[1:-1]:
        begun = solid.slice(height + LAYER_HEIGHT / 2) - solid.slice(height - LAYER_HEIGHT / 2)
        wide = begun.offset(-s.BRIDGE_LENGTH / 2)
        if not wide.is_empty():
            x, y = _find_middle(wide)
            yield (
                f"at a height of {height:.2f} mm more than {s.BRIDGE_LENGTH:g} mm hang in the air "
                f"around x = {x:.1f}, y = {y:.1f}. Turn it over, or hold it up."
            )


def _find_thin_place(cut: CrossSection) -> FlatPoint | None:
    """The middle of a place in a slice that is too thin, if there is one."""
    less = s.NOZZLE_WIDTH - 0.005
    opened = cut.offset(-less, JoinType.Miter, 4.0).offset(less + 0.001, JoinType.Miter, 4.0)
    for lost in (cut - opened).decompose():
        x0, y0, x1, y1 = lost.bounds()
        if lost.area() > SLIVER_AREA and math.hypot(x1 - x0, y1 - y0) > SHORT_WIDTH:
            return _find_middle(lost)
    return None


def _find_middle(cut: CrossSection) -> FlatPoint:
    x0, y0, x1, y1 = cut.bounds()
    return (x0 + x1) / 2, (y0 + y1) / 2


def find_clashes(placed: Sequence[tuple[str, Manifold]]) -> tuple[str, ...]:
    """A sentence for each two parts, in their places, that are in each other's way."""
    return tuple(
        f"{one_name} and {other_name} share {shared:.2f} mm³. Move one, or make it smaller."
        for (one_name, one), (other_name, other) in combinations(placed, 2)
        if (shared := shared_volume(one, other)) > TOUCH_VOLUME
    )


def shared_volume(one: Manifold, other: Manifold) -> float:
    """What two solids share, in mm³."""
    box, other_box = one.bounding_box(), other.bounding_box()
    if any(box[i] >= other_box[i + 3] or other_box[i] >= box[i + 3] for i in range(3)):
        return 0.0
    return float((one ^ other).volume())


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
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return ()
    layout = SolidLayout(profile)
    case, grid = make_case(layout), make_crate(layout)
    tile = make_diffuser(layout).translate((*layout.cell_points[0], 0))
    fits = [
        PartFit("plate", "case", s.PART_GAP, (make_plate(layout), case)),
        PartFit("grid", "case", s.PART_GAP, (grid, case)),
        PartFit("diffuser", "grid", s.PART_GAP, (tile, grid)),
        PartFit("diffuser", "lid", s.PART_GAP, (tile, make_lid(layout))),
    ]
    if layout.has_halls:
        fits.append(PartFit("plug", "piece", s.PRESS_GAP, (make_plug(layout), make_piece(layout))))
    return tuple(fits)


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
    layout = SolidLayout(profile)
    body = make_piece(layout)
    width, height = layout.magnet_size
    magnet_mass = math.pi / 4 * width**2 * height * s.MAGNET_DENSITY
    printed = [volume_and_centre(solid) for solid in (body, make_plug(layout))]
    masses = [*(volume * s.PLASTIC_DENSITY for volume, _ in printed), *[magnet_mass] * 3]
    centres = np.array([*(centre for _, centre in printed), *(magnet.middle for magnet in piece_magnets(layout))])
    centre = np.average(centres, axis=0, weights=masses)
    marks = body - make_prism(piece_outline(layout, -1e-3), (-1, layout.piece_length))
    stands = []
    for foot, mark in enumerate(MARK_NAMES):
        placement = piece_placement(layout, foot, (0, 0, 0))
        x, y, z = np.array(placement) @ (*centre, 1.0)
        # It rests on the foot of its body: the plug's plate is a little smaller and hangs over one end.
        ends = (x + layout.piece_length / 2, layout.piece_length / 2 - s.PLUG_THICKNESS - x)
        nearest = min(layout.foot_width / 2 - abs(y), *ends)
        lowest = place_solid(marks, placement).bounding_box()[2]
        stands.append(PieceStand(mark, math.degrees(math.atan2(nearest, z)), lowest, sum(masses)))
    return tuple(stands)


def check_solids(profile: Profile, parts: Sequence[PrintedPart]) -> tuple[str, ...]:
    """Everything that is wrong with the parts of a board: what the build asks before it writes a file."""
    faults = [sentence for part in parts for sentence in check_part(part)]
    faults += find_clashes(assembled_parts(parts))
    faults += (sentence for fit in part_fits(profile) for sentence in check_clearance(fit))
    for stand in piece_stands(profile) if profile.sensing.kind == "hall" else ():
        up = f"With the {stand.mark} on top"
        if stand.tip_angle < MIN_TIP_ANGLE:
            faults.append(f"{up}, a piece falls over at {stand.tip_angle:.0f} degrees. Make its feet wider.")
        if stand.mark_height < TABLE_CLEARANCE:
            faults.append(
                f"{up}, a mark of the piece is {stand.mark_height:.2f} mm over the table. Move it up its flat."
            )
    return tuple(faults)

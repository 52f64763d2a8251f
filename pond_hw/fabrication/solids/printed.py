"""The parts of a board, each as it lies on the printer's bed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.bezel import SCREW_POINTS, make_bezel
from pond_hw.fabrication.solids.case import case_holes, make_case
from pond_hw.fabrication.solids.crate import make_crate
from pond_hw.fabrication.solids.diffuser import make_diffuser
from pond_hw.fabrication.solids.fit_checks import check_fit
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.lid import make_lid
from pond_hw.fabrication.solids.piece import make_piece, make_plug
from pond_hw.fabrication.solids.placement import PlacementMatrix, compose_placements, piece_placement, translation
from pond_hw.fabrication.solids.plate import make_plate, plate_holes
from pond_hw.fabrication.solids.shapes import make_box
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.rules import VARIANTS

BLACK_PLA, WHITE_PLA = "PLA black", "PLA white, translucent"
SCREW_LENGTHS = (12, 16, 20, 25, 30)
"""Lengths that M3 screws are sold in (ISO 888)."""
MIN_GRIP = 4.0
"""So much of a screw is to be in its insert, at the least."""
QUARTER_SIDES = {"-1": (-1, -1), "-2": (1, -1), "-3": (-1, 1), "-4": (1, 1)}
"""How the quarters of a large part are called, and on which sides of the joints, in x and y, each is."""
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
    def grams(self) -> float:
        """What one weighs if it is printed full; with the usual filling it is less."""
        return float(self.solid.volume()) * s.PLASTIC_DENSITY

    @property
    def part_kind(self) -> str:
        """Its name without a number."""
        return self.name.split("-")[0]


def printed_parts(profile: Profile) -> tuple[PrintedPart, ...]:
    """All parts of a board, from the table up, then the pieces.

    Raises:
        ValueError: if something does not fit; `check_fit` tells the same.
    """
    if fit_faults := check_fit(profile):
        raise ValueError("\n".join(fit_faults))
    layout = SolidLayout(profile)
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return (_make_part("bezel", make_bezel(layout), len(layout.cell_points) + len(SCREW_POINTS)),)
    lid_holes = (*layout.cell_points, *layout.screw_points)
    diffuser_solid, tile_placement = _lay_on_bed(make_diffuser(layout), over=True)
    tile_placements = tuple(compose_placements(translation(x, y, 0), tile_placement) for x, y in layout.cell_points)
    return (
        *_make_large("case", make_case(layout), case_holes(layout), layout, layout.low_line),
        *_make_large("plate", make_plate(layout), plate_holes(layout), layout, layout.high_line),
        *_make_large("grid", make_crate(layout), lid_holes, layout, layout.low_line),
        *_make_large("lid", make_lid(layout), lid_holes, layout, layout.high_line, over=True),
        PrintedPart("diffuser", diffuser_solid, len(tile_placements), WHITE_PLA, 0, tile_placements),
        *(_make_pieces(layout) if layout.has_halls else ()),
    )


class BoughtPart(NamedTuple):
    """Something that holds printed parts together."""

    quantity: int
    part_name: str
    purpose: str


def fasteners(profile: Profile) -> tuple[BoughtPart, ...]:
    """Screws, inserts and feet for the printed parts, and the magnets for the pieces."""
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return (BoughtPart(4, "screw M3", "bezel onto what lies behind it"),)
    layout = SolidLayout(profile)
    stack_height = layout.top_z - layout.plate_z
    screw_length = next(screw_length for screw_length in SCREW_LENGTHS if screw_length >= stack_height + MIN_GRIP)
    screw_count = len(layout.screw_points)
    magnet_width, magnet_height = layout.magnet_size
    magnet_entry = BoughtPart(
        3 * _count_pieces(layout),
        f"disc magnet {magnet_width:g} x {magnet_height:g} mm, N42",
        "three in each piece, the same pole outwards",
    )
    return (
        BoughtPart(screw_count, f"countersunk screw M3 x {screw_length}", "through lid, grid and plate into the case"),
        BoughtPart(screw_count, "brass insert M3, 5.7 mm long, for a hole of 4.0 mm", "melted into the case's columns"),
        BoughtPart(4, "screw M2.5 x 6 for plastic", "the Raspberry Pi onto its standoffs"),
        BoughtPart(4, "rubber foot, at least 3 mm high", "under the case: air goes in through its floor"),
        *([magnet_entry] if layout.has_halls else []),
    )


def _make_large(
    part_name: str,
    solid: Manifold,
    hole_points: Sequence[FlatPoint],
    layout: SolidLayout,
    joint_line: float,
    *,
    over: bool = False,
) -> list[PrintedPart]:
    """One part; or four, parted at x and y of a line, if one would be too large for the bed."""
    if not layout.is_parted:
        return [_make_part(part_name, solid, len(hole_points), over=over)]
    far_edge = 10 * s.BED_SIDE
    spans = {-1: (-far_edge, joint_line - s.SAW_GAP / 2), 1: (joint_line + s.SAW_GAP / 2, far_edge)}
    quarter_parts = []
    for suffix, (i, j) in QUARTER_SIDES.items():
        quarter_solid = solid ^ make_box(spans[i], spans[j], (-far_edge, far_edge))
        hole_count = sum((x - joint_line) * i > 0 and (y - joint_line) * j > 0 for x, y in hole_points)
        quarter_parts.append(_make_part(f"{part_name}{suffix}", quarter_solid, hole_count, over=over))
    return quarter_parts


def _make_part(part_name: str, solid: Manifold, hole_count: int, *, over: bool = False) -> PrintedPart:
    laid_solid, placement = _lay_on_bed(solid, over=over)
    return PrintedPart(part_name, laid_solid, 1, BLACK_PLA, hole_count, (placement,))


def _lay_on_bed(solid: Manifold, *, over: bool) -> tuple[Manifold, PlacementMatrix]:
    """A part from its place onto the bed, turned over if need be; and the way back."""
    x0, y0, z0, x1, y1, z1 = solid.bounding_box()
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not over:
        return solid.translate((-x, -y, -z0)), translation(x, y, z0)
    turned_solid = solid.rotate((180, 0, 0)).translate((-x, y, z1))
    return turned_solid, ((1.0, 0.0, 0.0, x), (0.0, -1.0, 0.0, y), (0.0, 0.0, -1.0, z1))


def _count_pieces(layout: SolidLayout) -> int:
    """As many as both sides have eggs in the largest named variant of this size."""
    return 2 * max(variant.spawn for variant in VARIANTS.values() if variant.size <= max(layout.size, 4))


def _make_pieces(layout: SolidLayout) -> list[PrintedPart]:
    """Pieces and their plugs, three of them on the board."""
    piece_count, cell_middles = _count_pieces(layout), layout.cell_middles
    row = cell_middles[layout.size // 2]
    stand_placements = [piece_placement(layout, foot, (cell_middles[foot], row, layout.top_z)) for foot in range(3)]
    piece_parts = []
    for part_name, solid, over in (("piece", make_piece(layout), False), ("plug", make_plug(layout), True)):
        laid_solid, placement = _lay_on_bed(solid, over=over)
        placements = tuple(compose_placements(stand_placement, placement) for stand_placement in stand_placements)
        piece_parts.append(PrintedPart(part_name, laid_solid, piece_count, PIECE_MATERIAL, 0, placements))
    return piece_parts

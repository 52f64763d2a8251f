"""Where everything lies on a board: numbers only, in mm.

The middle of the board is x = y = 0; x runs along a row to the right, y from the first row on, z from the table up.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s

if TYPE_CHECKING:
    from pond_hw.profile import Profile

FlatPoint = tuple[float, float]
"""x and y."""


@dataclass(frozen=True, slots=True)
class SolidLayout:
    """What the parts are sized by.

    Attributes:
        size: rows and columns.
        pitch: from the middle of a cell to the middle of the next.
        has_halls: whether pieces stand on it; else there is a switch in each cell.
        lamps_per_side: lamps along the side of a cell.
        magnet_size: diameter and height.
        has_key: whether it has a key beside the cells.
        has_buzzer: whether it has a buzzer.
        has_lamp_supply: whether the lamps have a supply of their own.
    """

    size: int
    pitch: float
    has_halls: bool
    lamps_per_side: int
    magnet_size: tuple[float, float]
    has_key: bool
    has_buzzer: bool
    has_lamp_supply: bool

    @property
    def half_size(self) -> float:
        """From the middle to the outer edge of the outer cells."""
        return self.size * self.pitch / 2

    @property
    def case_edge(self) -> float:
        """From the middle to the outside of the case."""
        return self.half_size + s.BORDER

    @property
    def case_inside(self) -> float:
        """From the middle to the inside of the case's walls."""
        return self.case_edge - s.WALL

    @property
    def cell_middles(self) -> tuple[float, ...]:
        """Of the columns their x, of the rows their y."""
        return tuple((i + 0.5) * self.pitch - self.half_size for i in range(self.size))

    @property
    def wall_lines(self) -> tuple[float, ...]:
        """Where walls stand, in x and in y: between the cells, and outside."""
        return tuple(i * self.pitch - self.half_size for i in range(self.size + 1))

    @property
    def cell_points(self) -> tuple[FlatPoint, ...]:
        """The middle of each cell, in the order of `Frame.data`: a1, b1, ..."""
        return tuple((x, y) for y in self.cell_middles for x in self.cell_middles)

    # --- One cell, from outside to inside ---

    @property
    def cell_side(self) -> float:
        """Between the walls of the lamp grid."""
        return self.pitch - s.CRATE

    @property
    def flange_side(self) -> float:
        """The widest part of a diffuser."""
        return self.cell_side - 2 * s.GAP

    @property
    def face_side(self) -> float:
        """Side of what is seen of a diffuser."""
        return self.flange_side - 2 * s.BEVEL

    @property
    def lid_opening(self) -> float:
        """Of the lid, at its top."""
        return self.face_side + 2 * s.GAP

    @property
    def strip_clearance(self) -> float:
        """Half of what a strip has to leave free in the middle of a cell, across it."""
        post = self.post_size[1] / 2 if self.has_halls else s.SWITCH / 2
        return post + 0.2

    @property
    def post_size(self) -> tuple[float, float]:
        """Length along the row, and width, of the post that carries a sensor."""
        wide, high = s.SENSOR
        return high + s.SENSOR_PLAY + s.LEG_HOLE + 2 * s.RIM, wide + s.SENSOR_PLAY + 2 * s.POST_WALL

    @property
    def strip_offsets(self) -> tuple[float, ...]:
        """Middles of the strips in a cell, from its middle, the lowest first: evenly if that leaves the middle free.

        Those that do not are moved outwards. An odd number has one more below.
        """
        even = [
            (i - (self.lamps_per_side - 1) / 2) * self.pitch / self.lamps_per_side for i in range(self.lamps_per_side)
        ]
        below, above = even[: (self.lamps_per_side + 1) // 2], even[(self.lamps_per_side + 1) // 2 :]
        return (
            *(-y for y in reversed(self._spread_strips([-y for y in reversed(below)]))),
            *self._spread_strips(above),
        )

    def _spread_strips(self, wanted: list[float]) -> list[float]:
        """Distances from the middle, the smallest first: moved out until nothing is in the way of a strip."""
        found: list[float] = []
        for y in wanted:
            least = found[-1] + s.STRIP if found else self.strip_clearance + s.STRIP / 2
            found.append(max(y, least))
        return found

    @property
    def strip_rows(self) -> tuple[float, ...]:
        """Every strip on the board: its y."""
        return tuple(y + off for y in self.cell_middles for off in self.strip_offsets)

    # --- Heights above the table ---

    @property
    def plate_z(self) -> float:
        """Underside of the sensor plate."""
        return s.WALL + s.STANDOFF + s.PI_ROOM

    @property
    def grid_z(self) -> float:
        """Top of the sensor plate, where the lamp grid stands."""
        return self.plate_z + s.PLATE

    @property
    def crate_height(self) -> float:
        """Height of the lamp grid, and of what is around it."""
        return s.CRATE_HALL if self.has_halls else s.CRATE_BUTTON

    @property
    def lid_z(self) -> float:
        """Underside of the lid."""
        return self.grid_z + self.crate_height

    @property
    def top_z(self) -> float:
        """Top of the lid, and of the diffusers under pieces."""
        return self.lid_z + s.LID

    @property
    def tile_z(self) -> float:
        """Lowest point of a diffuser at rest."""
        return self.lid_z - s.SLACK - (s.LIP if self.has_halls else s.SKIRT)

    @property
    def gusset_z(self) -> float:
        """What a diffuser lies on, or what stops a button."""
        return self.tile_z - (0 if self.has_halls else s.DEPTH)

    @property
    def post_z(self) -> float:
        """Top of a sensor's post."""
        return self.top_z - s.TILE - s.AIR

    # --- Parts that are too large for the bed ---

    @property
    def is_parted(self) -> bool:
        """Whether lid, grid, plate and case are printed as four parts each."""
        return 2 * self.case_edge > s.BED

    @property
    def low_line(self) -> float:
        """Where, in x and in y, case and lamp grid are parted."""
        return self.wall_lines[self.size // 2]

    @property
    def high_line(self) -> float:
        """Where plate and lid are: a cell further, so that each bridges the other's joint."""
        return self.wall_lines[self.size // 2 + 1]

    @property
    def screw_points(self) -> tuple[FlatPoint, ...]:
        """One in each corner; if it is parted, one more on each side, where the parts overlap."""
        far = self.half_size + s.SCREW_IN
        corners = tuple((x, y) for y in (-far, far) for x in (-far, far))
        if not self.is_parted:
            return corners
        mid = (self.low_line + self.high_line) / 2
        return (*corners, (mid, -far), (mid, far), (-far, mid), (far, mid))

    # --- The Raspberry Pi, its power socket at the back wall, its SD card to the right ---

    @property
    def pi_x(self) -> float | None:
        """Left edge of the Pi; None if there is no room for it between screws and joint."""
        need = s.PI[0] + s.PI_OVERHANG
        far = self.half_size + s.SCREW_IN - s.BOSS
        stops = [-far, far]
        if self.is_parted:
            mid = (self.low_line + self.high_line) / 2
            stops += [mid - s.BOSS, mid + s.BOSS, self.low_line]
        stops.sort()
        found = [min(max(-need / 2, left), right - need) for left, right in pairwise(stops) if right - left >= need]
        return min(found, key=lambda x: abs(x + need / 2)) + s.PI_OVERHANG if found else None

    @property
    def pi_y(self) -> float:
        """Its front edge."""
        return self.case_inside - s.PI_WALL - s.PI[1]

    @property
    def pi_holes(self) -> tuple[FlatPoint, ...]:
        """Its screws."""
        if self.pi_x is None:
            return ()
        right, back = self.pi_x + s.PI[0] - s.PI_HOLE, self.pi_y + s.PI[1] - s.PI_HOLE
        wide, deep = s.PI_HOLES
        return tuple((x, y) for y in (back - deep, back) for x in (right - wide, right))

    @property
    def header_point(self) -> FlatPoint:
        """The middle of its pins, along its front edge."""
        left = self.pi_x if self.pi_x is not None else -s.PI[0] / 2
        return left + s.PI[0] - s.PI_HOLE - s.PI_HOLES[0] / 2, self.pi_y + s.PI_HOLE

    @property
    def board_point(self) -> FlatPoint:
        """The middle of the strip board, on the floor before the Pi, left of the pillar."""
        return -self.case_inside / 2, (self.pi_y - self.case_inside) / 2

    @property
    def key_point(self) -> FlatPoint:
        """The key, in the front wall."""
        return self.size * self.pitch / 3, s.WALL / 2 - self.case_edge

    @property
    def buzzer_point(self) -> FlatPoint:
        """The buzzer's holes, in the front wall."""
        return -self.size * self.pitch / 3, s.WALL / 2 - self.case_edge

    @property
    def jack_point(self) -> FlatPoint:
        """The lamps' supply, in the left wall: before the Pi, clear of screws and joints."""
        return s.WALL / 2 - self.case_edge, -self.size * self.pitch / 4

    @property
    def pillar_point(self) -> FlatPoint | None:
        """A column under the plate, as near to the middle as Pi and joints allow; None if they do not."""
        free = [
            (x, y)
            for y in self.wall_lines[1:-1]
            for x in self.wall_lines[1:-1]
            if not (self.is_parted and self.low_line in {x, y}) and y < self.pi_y - s.STANDOFF_WIDTH
        ]
        return min(free, key=lambda spot: (round(spot[0] ** 2 + spot[1] ** 2, 6), spot), default=None)

    # --- The piece ---

    @property
    def piece_width(self) -> float:
        """Of a piece that lies there, without its marks: a long and a short side."""
        return min(self.face_side - 2 * (s.LIT + s.MARK_OUT), s.LARGEST)

    @property
    def foot_width(self) -> float:
        """The long sides, on which it stands."""
        return s.FOOT * self.piece_width

    @property
    def flat_width(self) -> float:
        """The short sides, which bear the marks."""
        return self.piece_width - self.foot_width

    @property
    def piece_length(self) -> float:
        """With its plug."""
        return s.LONG * self.piece_width

    @property
    def foot_in(self) -> float:
        """From the middle of a piece to a foot."""
        return (self.foot_width + 2 * self.flat_width) / (2 * 3**0.5)

    @property
    def flat_in(self) -> float:
        """From the middle of a piece to a short side."""
        return (2 * self.foot_width + self.flat_width) / (2 * 3**0.5)


def make_layout(profile: Profile) -> SolidLayout:
    """What the parts of this board are sized by."""
    return SolidLayout(
        size=profile.size,
        pitch=profile.body.pitch_mm,
        has_halls=profile.sensing.kind == "hall",
        lamps_per_side=round(profile.chain.lamps_per_cell**0.5),
        magnet_size=profile.body.magnet_size_mm,
        has_key=profile.key_pin is not None,
        has_buzzer=profile.buzzer_pin is not None,
        has_lamp_supply=profile.supply.source == "own",
    )

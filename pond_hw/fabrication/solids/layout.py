"""Where everything lies on a board: numbers only, in mm.

The middle of the board is x = y = 0; x runs along a row to the right, y from the first row on, z from the table up.
"""

from __future__ import annotations

from itertools import pairwise

from pond_hw.fabrication.solids import sizes as s
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import VARIANTS

FlatPoint = tuple[float, float]
"""x and y."""


class SolidLayout:
    """What the parts are sized by; every line is one length, from the others."""

    def __init__(self, profile: Profile) -> None:
        self.size = profile.size  # rows and columns
        self.pitch = profile.body.pitch_mm  # from the middle of a cell to the middle of the next
        self.has_halls = profile.sensing.kind == "hall"  # pieces stand on it; else there is a switch in each cell
        self.lamps_per_side = round(profile.chain.lamps_per_cell**0.5)  # lamps along the side of a cell
        self.magnet_size = profile.body.magnet_size_mm  # diameter and height
        self.has_key = profile.key_pin is not None
        self.has_buzzer = profile.buzzer_pin is not None
        self.has_lamp_supply = profile.supply.source == "own"  # the lamps have a supply of their own

        self.half_size = self.size * self.pitch / 2  # from the middle to the outer edge of the outer cells
        self.case_edge = self.half_size + s.CASE_BORDER  # from the middle to the outside of the case
        self.case_inside = self.case_edge - s.WALL_THICKNESS  # from the middle to the inside of the case's walls
        # Of the columns their x, of the rows their y; walls stand between the cells, and outside.
        self.cell_middles = tuple((i + 0.5) * self.pitch - self.half_size for i in range(self.size))
        self.wall_lines = tuple(i * self.pitch - self.half_size for i in range(self.size + 1))
        # The middle of each cell, in the order of `Frame.data`: a1, b1, ...
        self.cell_points = tuple((x, y) for y in self.cell_middles for x in self.cell_middles)
        self._size_cells()
        self._place_heights()
        self._place_screws()
        self._place_inside()
        self._size_pieces()

    def _size_cells(self) -> None:
        """One cell, from outside to inside."""
        self.cell_side = self.pitch - s.GRID_WALL  # between the walls of the lamp grid
        self.flange_side = self.cell_side - 2 * s.PART_GAP  # the widest part of a diffuser
        self.face_side = self.flange_side - 2 * s.BEVEL_WIDTH  # what is seen of a diffuser
        self.lid_opening = self.face_side + 2 * s.PART_GAP  # of the lid, at its top
        # Length along the row, and width, of the post that carries a sensor.
        self.post_length = s.SENSOR_SIZE[1] + s.SENSOR_PLAY + s.LEG_HOLE + 2 * s.RIM_WIDTH
        self.post_width = s.SENSOR_SIZE[0] + s.SENSOR_PLAY + 2 * s.POST_WALL
        # Half of what a strip has to leave free in the middle of a cell, across it.
        self.strip_clearance = (self.post_width if self.has_halls else s.SWITCH_SIDE) / 2 + 0.2
        self.strip_offsets = self._place_strips()  # from the middle of a cell, the lowest first
        self.strip_rows = tuple(y + offset for y in self.cell_middles for offset in self.strip_offsets)

    def _place_heights(self) -> None:
        """Heights above the table."""
        self.plate_z = s.WALL_THICKNESS + s.STANDOFF_HEIGHT + s.PI_ROOM  # underside of the sensor plate
        self.grid_z = self.plate_z + s.PLATE_THICKNESS  # top of the sensor plate, where the lamp grid stands
        under_tiles, over_switches = (s.GRID_UNDER_TILES, s.LIP_HEIGHT), (s.GRID_UNDER_BUTTONS, s.SKIRT_HEIGHT)
        grid_height, skirt_height = under_tiles if self.has_halls else over_switches
        self.lid_z = self.grid_z + grid_height  # underside of the lid
        self.top_z = self.lid_z + s.LID_THICKNESS  # top of the lid, and of the diffusers under pieces
        self.tile_z = self.lid_z - s.TILE_RISE - skirt_height  # underside of a diffuser at rest
        # What a diffuser lies on, or where a button stops.
        self.gusset_z = self.tile_z - (0 if self.has_halls else s.BUTTON_TRAVEL)
        self.post_z = self.top_z - s.TILE_THICKNESS - s.TILE_GAP  # top of a sensor's post

    def _place_screws(self) -> None:
        """Screws, and the joints of parts that are too large for the bed."""
        # Whether lid, grid, plate and case are too large for the bed, and printed as four parts each; where, in x and
        # in y, case and lamp grid are parted; and, a cell further, plate and lid: each bridges the other's joint.
        self.is_parted = 2 * self.case_edge > s.BED_SIDE
        self.low_line = self.wall_lines[self.size // 2]
        self.high_line = self.wall_lines[self.size // 2 + 1]
        # One screw in each corner; if it is parted, one more on each side, where the parts overlap.
        far, joint_middle = self.half_size + s.SCREW_IN, (self.low_line + self.high_line) / 2
        corner_points = tuple((x, y) for y in (-far, far) for x in (-far, far))
        side_points = ((joint_middle, -far), (joint_middle, far), (-far, joint_middle), (far, joint_middle))
        self.screw_points: tuple[FlatPoint, ...] = (*corner_points, *side_points) if self.is_parted else corner_points

    def _place_inside(self) -> None:
        """What is in the case: the Raspberry Pi, its power socket at the back wall, its SD card to the right; and more."""
        pi_x = self._find_pi_room()
        self.pi_x = -s.PI_SIZE[0] / 2 if pi_x is None else pi_x  # its left edge
        self.pi_y = self.case_inside - s.PI_WALL - s.PI_SIZE[1]  # its front edge
        self.has_pi_room = pi_x is not None and self.pi_y >= s.PI_WALL - self.case_inside
        right, back = self.pi_x + s.PI_SIZE[0] - s.PI_HOLE, self.pi_y + s.PI_SIZE[1] - s.PI_HOLE
        self.pi_holes = [(x, y) for y in (back - s.PI_HOLES[1], back) for x in (right - s.PI_HOLES[0], right)]  # screws
        self.header_point = (right - s.PI_HOLES[0] / 2, self.pi_y + s.PI_HOLE)  # middle of its pins, at its front edge
        # The strip board, on the floor before the Pi, left of the pillar; key and buzzer, in the front wall; the lamps'
        # supply, in the left wall: before the Pi, clear of screws and joints.
        wall_middle = s.WALL_THICKNESS / 2 - self.case_edge
        self.board_point = (-self.case_inside / 2, (self.pi_y - self.case_inside) / 2)
        self.key_point = (self.size * self.pitch / 3, wall_middle)
        self.buzzer_point = (-self.size * self.pitch / 3, wall_middle)
        self.jack_point = (wall_middle, -self.size * self.pitch / 4)
        self.pillar_point = self._place_pillar()

    def _size_pieces(self) -> None:
        """A piece, without its marks; how many there are: eggs of both sides in the largest named variant of this size."""
        self.piece_count = 2 * max(each.spawn for each in VARIANTS.values() if each.size <= max(self.size, 4))
        # A long and a short side.
        self.piece_width = min(self.face_side - 2 * (s.LIT_BORDER + s.MARK_OVERHANG), s.LARGEST_WIDTH)
        self.foot_width = s.FOOT_SHARE * self.piece_width  # the long sides, on which it stands
        self.flat_width = self.piece_width - self.foot_width  # the short sides, which bear the marks
        self.piece_length = s.LENGTH_SHARE * self.piece_width  # with its plug
        self.foot_in = (self.foot_width + 2 * self.flat_width) / (2 * 3**0.5)  # from its middle to a foot
        self.flat_in = (2 * self.foot_width + self.flat_width) / (2 * 3**0.5)  # from its middle to a short side

    def _place_strips(self) -> tuple[float, ...]:
        """Middles of the strips in a cell, from its middle, the lowest first: evenly if that leaves the middle free.

        Those that do not are moved outwards. An odd number has one more below.
        """
        strip_count = self.lamps_per_side
        even_offsets = [(i - (strip_count - 1) / 2) * self.pitch / strip_count for i in range(strip_count)]
        below, above = even_offsets[: (strip_count + 1) // 2], even_offsets[(strip_count + 1) // 2 :]
        moved_below = self._spread_strips([-y for y in reversed(below)])
        return (*(-y for y in reversed(moved_below)), *self._spread_strips(above))

    def _spread_strips(self, wanted_offsets: list[float]) -> list[float]:
        """Distances from the middle, the smallest first: moved out until nothing is in the way of a strip."""
        spread_offsets: list[float] = []
        for y in wanted_offsets:
            least = spread_offsets[-1] + s.STRIP_WIDTH if spread_offsets else self.strip_clearance + s.STRIP_WIDTH / 2
            spread_offsets.append(max(y, least))
        return spread_offsets

    def _find_pi_room(self) -> float | None:
        """The left edge of the Pi, as near to the middle as screws and joint allow; None if they leave no room for it."""
        needed_length = s.PI_SIZE[0] + s.PI_OVERHANG
        stop_distance = self.half_size + s.SCREW_IN - s.HALF_COLUMN
        stops = [-stop_distance, stop_distance]
        if self.is_parted:
            joint_middle = (self.low_line + self.high_line) / 2
            stops += [joint_middle - s.HALF_COLUMN, joint_middle + s.HALF_COLUMN, self.low_line]
        rooms = [(left, right) for left, right in pairwise(sorted(stops)) if right - left >= needed_length]
        left_edges = [min(max(-needed_length / 2, left), right - needed_length) for left, right in rooms]
        return min(left_edges, key=lambda x: abs(x + needed_length / 2)) + s.PI_OVERHANG if left_edges else None

    def _place_pillar(self) -> FlatPoint | None:
        """A column under the plate, as near to the middle as Pi and joints allow; None if they do not."""
        free_lines = [line for line in self.wall_lines[1:-1] if not self.is_parted or line != self.low_line]
        free_points = [(x, y) for y in free_lines for x in free_lines if y < self.pi_y - s.STANDOFF_WIDTH]
        return min(free_points, key=lambda point: (round(point[0] ** 2 + point[1] ** 2, 6), point), default=None)

"""Dimensions and positions of all printed parts, in mm.

The origin of x and y is the middle of the board, and z is 0 on the table. x points right along a row, y from the first
row to the last, and z up.
"""

from __future__ import annotations

import math
from itertools import pairwise

from pond_hw.fabrication.solids import sizes as s
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.rules import VARIANTS

FlatPoint = tuple[float, float]
"""Point in the plane: x and y."""


class SolidLayout:
    """Dimensions of a board's parts, each derived from those above it."""

    def __init__(self, profile: Profile) -> None:
        self.size = profile.size  # rows and columns
        self.pitch = profile.body.pitch_mm  # between the middles of neighbouring cells
        self.has_halls = profile.sensing.kind == "hall"  # True with pieces; otherwise there is a switch in each cell
        self.turned_pieces = (
            profile.sensing.turned_pieces
        )  # True if pieces have three faces; otherwise they are round and plain
        self.lamps_per_side = round(profile.chain.lamps_per_cell**0.5)  # along the side of a cell
        self.magnet_size = profile.body.magnet_size_mm  # diameter and height
        self.is_trellis = isinstance(profile.sensing.wiring, TrellisWiring)  # keys and lamps are a single bought board
        self.is_pico = profile.controller == "pico"  # instead of a Pi
        self.has_key = profile.undo_key_pin is not None
        self.turn_key_count = len(profile.turn_key_pins)
        self.key_lamps = {f"D{number}" for number in profile.chain.key_positions}  # under the caps of the turn keys
        self.has_buzzer = profile.buzzer_pin is not None
        self.has_lamp_supply = profile.supply.source == "own"  # the lamps have a supply of their own

        self.half_size = self.size * self.pitch / 2  # from the middle to the outer edge of the outer cells
        border = s.TRELLIS_BORDER if self.is_trellis else s.CASE_BORDER
        self.case_edge = self.half_size + border  # from the middle to the outside of the case
        self.case_inside = self.case_edge - s.WALL_THICKNESS  # from the middle to the inside of the case's walls
        # x of the columns and y of the rows; there are walls between and around the cells.
        self.cell_middles = tuple((i + 0.5) * self.pitch - self.half_size for i in range(self.size))
        self.wall_lines = tuple(i * self.pitch - self.half_size for i in range(self.size + 1))
        # Middle of each cell, in the order of `Frame.data`: a1, b1, ...
        self.cell_points = tuple((x, y) for y in self.cell_middles for x in self.cell_middles)
        self._size_cells()
        self._place_heights()
        self._place_screws()
        self._place_inside()
        self._size_pieces()

    def _size_cells(self) -> None:
        self.cell_side = self.pitch - s.GRID_WALL  # between the walls of the lamp grid
        self.flange_side = self.cell_side - 2 * s.PART_GAP  # the widest part of a diffuser
        self.face_side = self.flange_side - 2 * s.BEVEL_WIDTH  # visible part of a diffuser
        self.lid_opening = self.face_side + 2 * s.PART_GAP  # at the top of the lid
        # Size of the sensor's post, along the row and across it.
        self.post_length = s.SENSOR_SIZE[1] + s.SENSOR_PLAY + s.LEG_HOLE + 2 * s.RIM_WIDTH
        self.post_width = s.SENSOR_SIZE[0] + s.SENSOR_PLAY + 2 * s.POST_WALL
        # Half of the width that strips must leave free in the middle of a cell.
        self.strip_clearance = (self.post_width if self.has_halls else s.SWITCH_SIDE) / 2 + 0.2
        self.strip_offsets = self._place_strips()  # from the middle of a cell, the lowest first
        self.strip_rows = tuple(y + offset for y in self.cell_middles for offset in self.strip_offsets)

    def _place_heights(self) -> None:
        self.plate_z = s.WALL_THICKNESS + s.STANDOFF_HEIGHT + s.PI_ROOM  # underside of the sensor plate
        self.grid_z = self.plate_z + s.PLATE_THICKNESS  # top of the sensor plate, where the lamp grid stands
        under_tiles, over_switches = (s.GRID_UNDER_TILES, s.LIP_HEIGHT), (s.GRID_UNDER_BUTTONS, s.SKIRT_HEIGHT)
        grid_height, skirt_height = under_tiles if self.has_halls else over_switches
        # Underside of the lid, or of a bezel, which lies directly on the case.
        self.lid_z = self.plate_z if self.is_trellis else self.grid_z + grid_height
        self.top_z = self.lid_z + (
            s.BEZEL_THICKNESS + s.BEZEL_DEPTH if self.is_trellis else s.LID_THICKNESS
        )  # top of the lid, and of the diffusers under pieces
        self.tile_z = self.lid_z - s.TILE_RISE - skirt_height  # underside of a diffuser at rest
        # Height of a diffuser's support, or of a button's stop.
        self.gusset_z = self.tile_z - (0 if self.has_halls else s.BUTTON_TRAVEL)
        self.post_z = self.top_z - s.TILE_THICKNESS - s.TILE_GAP  # top of a sensor's post

    def _place_screws(self) -> None:
        # If the parts are too large for the bed, lid, grid, plate and case are split into quarters. Case and grid are split at
        # low_line in x and y, plate and lid one cell further on, so that each bridges the joint of the other.
        self.is_split = 2 * self.case_edge > s.BED_SIDE
        self.low_line = self.wall_lines[self.size // 2]
        self.high_line = self.wall_lines[self.size // 2 + 1]
        # One screw in each corner; if there are joints, one more on each side, where the parts overlap.
        screw_offset, joint_middle = self.case_inside - s.HALF_COLUMN, (self.low_line + self.high_line) / 2
        corner_points = tuple((x, y) for y in (-screw_offset, screw_offset) for x in (-screw_offset, screw_offset))
        side_points = (
            (joint_middle, -screw_offset),
            (joint_middle, screw_offset),
            (-screw_offset, joint_middle),
            (screw_offset, joint_middle),
        )
        self.screw_points: tuple[FlatPoint, ...] = (*corner_points, *side_points) if self.is_split else corner_points

    def _place_inside(self) -> None:
        """Place the contents of the case. The Pi's power socket is at the back wall, and its SD card is on the right.

        A Pico's socket is also at the back wall.
        """
        self.pi_size = s.PICO_SIZE if self.is_pico else s.PI_SIZE
        pi_x = self._find_pi_room()
        self.pi_x = -self.pi_size[0] / 2 if pi_x is None else pi_x  # its left edge
        self.pi_y = self.case_inside - s.PI_WALL - self.pi_size[1]  # its front edge
        self.has_pi_room = pi_x is not None and self.pi_y >= s.PI_WALL - self.case_inside
        # Middle of the opening for the cable.
        self.socket_x = self.pi_x + (self.pi_size[0] / 2 if self.is_pico else s.PI_SIZE[0] - s.PI_POWER)
        self._place_pi_holes()
        # Key in the front wall; buzzer in the right wall, in front of the Pi; socket of the lamp supply in the left wall, beside
        # the Pi, clear of screws and joints.
        wall_middle = s.WALL_THICKNESS / 2 - self.case_edge
        self.key_point = (self.size * self.pitch / 3, wall_middle)
        self.buzzer_point = (-wall_middle, -self.size * self.pitch / 3)
        self.turn_key_point = (s.TURN_KEY_DISTANCE - wall_middle, -self.size * self.pitch / 6)
        self.jack_point = (wall_middle, self.pi_y + s.JACK_BODY[0])
        self.carrier_corner = self._place_carrier()  # front left corner of the carrier; None if there is no room
        self.carrier_holes = self._place_carrier_holes()  # for its screws
        # Middle of the carrier, or of a strip board in its place.
        self.board_point = (-self.case_inside / 2, (self.pi_y - self.case_inside) / 2)
        if self.carrier_corner:
            x, y = self.carrier_corner
            self.board_point = (x + s.CARRIER_SIZE[0] / 2, y + s.CARRIER_SIZE[1] / 2)
        self.pillar_point = self._place_pillar()

    def _place_pi_holes(self) -> None:
        """Place the Pi's screw holes and its header, which is at the front edge. A Pico has pins on both sides."""
        if self.is_pico:
            middle = self.pi_x + self.pi_size[0] / 2, self.pi_y + self.pi_size[1] / 2
            half_width, half_depth = s.PICO_HOLES[0] / 2, s.PICO_HOLES[1] / 2
            self.header_point = middle
            self.pi_holes = [(middle[0] + i * half_width, middle[1] + j * half_depth) for j in (-1, 1) for i in (-1, 1)]
            return
        right, back = self.pi_x + s.PI_SIZE[0] - s.PI_HOLE, self.pi_y + s.PI_SIZE[1] - s.PI_HOLE
        self.pi_holes = [(x, y) for y in (back - s.PI_HOLES[1], back) for x in (right - s.PI_HOLES[0], right)]
        self.header_point = (right - s.PI_HOLES[0] / 2, self.pi_y + s.PI_HOLE)

    def _size_pieces(self) -> None:
        """Set the size of a piece without its marks, and the number of pieces: enough for every variant on this board."""
        self.piece_count = 2 * max(each.spawn for each in VARIANTS.values() if each.size <= max(self.size, 4))
        if not self.turned_pieces:
            self._size_round_pieces()
            return
        # The sum of a long and a short side.
        self.piece_width = min(self.face_side - 2 * (s.LIT_BORDER + s.MARK_OVERHANG), s.MAX_WIDTH)
        self.foot_width = s.FOOT_SHARE * self.piece_width  # width of the long sides, on which it stands
        self.flat_width = self.piece_width - self.foot_width  # width of the short sides, which bear the marks
        self.piece_length = s.LENGTH_SHARE * self.piece_width
        # Height at which the printer pauses for the magnets: a whole layer above them.
        self.pause_z = _next_layer(self.piece_length / 2 + self.magnet_size[0] / 2 + s.PRESS_GAP)
        self.foot_in = (self.foot_width + 2 * self.flat_width) / (2 * 3**0.5)  # from its middle to a foot
        self.flat_in = (2 * self.foot_width + self.flat_width) / (2 * 3**0.5)  # from its middle to a short side

    def _size_round_pieces(self) -> None:
        self.piece_width = self.piece_length = min(self.face_side - 2 * s.LIT_BORDER, s.MAX_WIDTH)
        self.foot_width = self.piece_width - 2 * s.FOOT_CHAMFER
        self.pause_z = _next_layer(s.SKIN_THICKNESS + 2 * s.PRESS_GAP + self.magnet_size[1])
        self.dome_height = s.DOME_SHARE * self.piece_width  # above the room for the magnet

    def _place_strips(self) -> tuple[float, ...]:
        """Return the middles of the strips relative to the cell's middle, lowest first.

        They are evenly spaced unless that would block the middle. If their number is odd, one more strip is below the middle
        than above.
        """
        strip_count = self.lamps_per_side
        even_offsets = [(i - (strip_count - 1) / 2) * self.pitch / strip_count for i in range(strip_count)]
        below, above = even_offsets[: (strip_count + 1) // 2], even_offsets[(strip_count + 1) // 2 :]
        moved_below = self._spread_strips([-y for y in reversed(below)])
        return (*(-y for y in reversed(moved_below)), *self._spread_strips(above))

    def _spread_strips(self, wanted_offsets: list[float]) -> list[float]:
        """Increase the distances from the middle until no strip blocks it or another strip. The smallest distance comes first."""
        spread_offsets: list[float] = []
        for y in wanted_offsets:
            least = spread_offsets[-1] + s.STRIP_WIDTH if spread_offsets else self.strip_clearance + s.STRIP_WIDTH / 2
            spread_offsets.append(max(y, least))
        return spread_offsets

    def _find_pi_room(self) -> float | None:
        """Return the x of the Pi's left edge, as central as the screws and the joint allow; None if there is no room."""
        overhang = 0.0 if self.is_pico else s.PI_OVERHANG
        needed_length = self.pi_size[0] + overhang
        stop_distance = self.case_inside - 2 * s.HALF_COLUMN
        stops = [-stop_distance, stop_distance]
        if self.is_split:
            joint_middle = (self.low_line + self.high_line) / 2
            stops += [joint_middle - s.HALF_COLUMN, joint_middle + s.HALF_COLUMN, self.low_line]
        rooms = [(left, right) for left, right in pairwise(sorted(stops)) if right - left >= needed_length]
        left_edges = [min(max(-needed_length / 2, left), right - needed_length) for left, right in rooms]
        return min(left_edges, key=lambda x: abs(x + needed_length / 2)) + overhang if left_edges else None

    def _place_carrier(self) -> FlatPoint | None:
        """Place the carrier on the floor at the left, with its far edge next to the Pi; return None if there is no room."""
        x = -self.case_inside + 2 * s.HALF_COLUMN + s.PART_GAP
        y = self.pi_y - s.CARRIER_GAP - s.CARRIER_SIZE[1]
        right, far = x + s.CARRIER_SIZE[0], y + s.CARRIER_SIZE[1]
        obstacles = [(px, py, s.HALF_COLUMN) for px, py in self.screw_points]
        obstacles += [(line, y, s.STANDOFF_WIDTH) for line in (self.low_line,) if self.is_split]
        obstacles += [(x, line, s.STANDOFF_WIDTH) for line in (self.low_line,) if self.is_split]
        if self.has_key:
            obstacles.append((*self.key_point, s.KEY_BODY[0] / 2))
        has_room = y > s.PART_GAP - self.case_inside and not self.is_trellis and not self.is_pico
        is_free = all(
            px + half < x or px - half > right or py + half < y or py - half > far for px, py, half in obstacles
        )
        return (x, y) if has_room and is_free else None

    def _place_carrier_holes(self) -> list[FlatPoint]:
        if self.carrier_corner is None:
            return []
        x, y = self.carrier_corner
        margin, (width, depth) = s.CARRIER_HOLE_MARGIN, s.CARRIER_SIZE
        return [(x + u, y + v) for v in (margin, depth - margin) for u in (margin, width - margin)]

    def _place_pillar(self) -> FlatPoint | None:
        """Place a pillar under the plate, as close to the centre as the Pi and the joints allow.

        Return None if there is no room or no plate.
        """
        if self.is_trellis:
            return None
        free_lines = [line for line in self.wall_lines[1:-1] if not self.is_split or line != self.low_line]
        free_points = [(x, y) for y in free_lines for x in free_lines if y < self.pi_y - s.STANDOFF_WIDTH]
        if self.carrier_corner:
            right = self.carrier_corner[0] + s.CARRIER_SIZE[0] + s.STANDOFF_WIDTH / 2
            free_points = [(x, y) for x, y in free_points if x > right + s.PART_GAP]
        return min(free_points, key=lambda point: (round(point[0] ** 2 + point[1] ** 2, 6), point), default=None)


def _next_layer(magnet_top: float) -> float:
    """Return the height at which the printer pauses for magnets: the first whole layer above them."""
    return round(math.ceil(magnet_top / s.LAYER_HEIGHT + 0.5) * s.LAYER_HEIGHT, 6)

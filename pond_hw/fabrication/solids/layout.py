"""Dimensions and positions of all printed parts, in mm.

The origin of x and y is the middle of the board, and z is 0 on the table. x points right along a row, y from the first
row to the last, and z up.
"""

from __future__ import annotations

import math

from pond_hw.fabrication.solids import sizes as s
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.profile.row_boards import CELL_PITCH_MM
from pond_hw.rules import VARIANTS

FlatPoint = tuple[float, float]
"""Point in the plane: x and y."""


class SolidLayout:
    """Dimensions of a board's parts, each derived from those above it."""

    def __init__(self, profile: Profile) -> None:
        self.size = profile.size  # rows and columns
        self.is_trellis = isinstance(profile.sensing.wiring, TrellisWiring)  # keys and lamps are a single bought board
        self.has_rows = not self.is_trellis  # row boards with a carrier
        self.pitch = s.TRELLIS_PITCH if self.is_trellis else CELL_PITCH_MM  # between the middles of neighbouring cells
        self.has_halls = profile.sensing.kind == "hall"  # True with pieces; otherwise there is a switch in each cell
        self.turned_pieces = (
            profile.sensing.turned_pieces
        )  # True if pieces have three faces; otherwise they are round and plain
        self.magnet_size = profile.body.magnet_size_mm  # diameter and height
        self.is_pico = profile.controller == "pico"  # instead of a Pi
        self.has_key = profile.undo_key_pin is not None
        self.turn_key_count = len(profile.turn_key_pins)
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
        # Left and right end of the row boards.
        self.row_ends = (-self.half_size - s.ROW_START, self.half_size - s.ROW_END)
        self._size_cells()
        self._place_heights()
        self._place_inside()
        self._size_pieces()

    def _size_cells(self) -> None:
        self.cell_side = self.pitch - s.GRID_WALL  # between the walls of the lamp grid
        self.flange_side = self.cell_side - 2 * s.PART_GAP  # the widest part of a diffuser
        self.face_side = self.flange_side - 2 * s.BEVEL_WIDTH  # visible part of a diffuser
        # Narrowest part of the lid's openings: they overlap a tile, but a cap reaches through them.
        self.lid_opening = self.face_side + (0 if self.has_halls else 2 * s.PART_GAP)

    def _place_heights(self) -> None:
        pi_room = s.PI_ROOM if self.is_trellis else s.CARRIER_PI_ROOM
        self.plate_z = s.WALL_THICKNESS + s.STANDOFF_HEIGHT + pi_room  # underside of the plate
        self.board_z = self.plate_z + s.PLATE_THICKNESS  # top of the plate, which carries the row boards
        self.grid_z = self.board_z + s.ROW_THICKNESS  # top of the row boards, which carry the lamp grid
        # Underside of a diffuser at rest, and of the lid. A bezel lies directly on the case.
        if self.has_halls:
            self.tile_z = self.grid_z + s.TILE_HEIGHT
            self.lid_z = self.tile_z + s.TILE_THICKNESS + s.TILE_RISE
        else:
            self.lid_z = self.plate_z if self.is_trellis else self.grid_z + s.GRID_UNDER_BUTTONS
            self.tile_z = self.lid_z - s.TILE_RISE - s.SKIRT_HEIGHT
        self.top_z = self.lid_z + (s.BEZEL_THICKNESS + s.BEZEL_DEPTH if self.is_trellis else s.LID_THICKNESS)
        # Height of a diffuser's support, or of a button's stop.
        self.gusset_z = self.tile_z - (0 if self.has_halls else s.BUTTON_TRAVEL)
        self.floor_z = self.tile_z + s.TILE_THICKNESS  # top of a tile, where pieces stand

    def _place_inside(self) -> None:
        """Place the contents of the case. The Pi's power socket is at the back wall, and its SD card is on the right.

        A Pico on its carrier is also at the back wall.
        """
        screw_offset = self.case_inside - s.HALF_COLUMN
        self.screw_points = tuple((x, y) for y in (-screw_offset, screw_offset) for x in (-screw_offset, screw_offset))
        wall_middle = s.WALL_THICKNESS / 2 - self.case_edge
        self.pi_x = (s.PI_OVERHANG - s.PI_SIZE[0]) / 2  # left edge of the Pi
        self.pi_y = self.case_inside - s.PI_WALL - s.PI_SIZE[1]  # its front edge
        self.pi_holes = [] if self.is_pico else self._place_pi_holes()
        self.carrier_size = s.PICO_CARRIER_SIZE if self.is_pico else s.CARRIER_SIZE
        self.carrier_corner = self._place_carrier()  # its front left corner
        margin, (width, depth), (x, y) = s.CARRIER_HOLE_MARGIN, self.carrier_size, self.carrier_corner
        holes = [(x + u, y + v) for v in (margin, depth - margin) for u in (margin, width - margin)]
        self.carrier_holes = holes if self.has_rows else []  # for its screws
        self.board_point = (x + width / 2, y + depth / 2)  # middle of the carrier
        # Middle of the opening for the cable of the Pi or Pico, and of that for the lamp supply's.
        self.socket_x = self.board_point[0] if self.is_pico else self.pi_x + s.PI_SIZE[0] - s.PI_POWER
        self.supply_point = (wall_middle, y + s.CARRIER_USB_C)
        if self.is_pico:
            self.supply_point = (x + s.PICO_CARRIER_USB_C, -wall_middle)
        # Key in the front wall; buzzer in the right wall, in front of the Pi.
        self.key_point = (self.size * self.pitch / 3, wall_middle)
        self.buzzer_point = (-wall_middle, -self.size * self.pitch / 3)
        self.turn_key_point = (s.TURN_KEY_DISTANCE - wall_middle, -self.size * self.pitch / 6)
        self.pillar_point = self._place_pillar() if self.has_rows else None

    def _place_pi_holes(self) -> list[FlatPoint]:
        right, back = self.pi_x + s.PI_SIZE[0] - s.PI_HOLE, self.pi_y + s.PI_SIZE[1] - s.PI_HOLE
        return [(x, y) for y in (back - s.PI_HOLES[1], back) for x in (right - s.PI_HOLES[0], right)]

    def _place_carrier(self) -> FlatPoint:
        """Place the carrier at the left wall, with its far edge next to the Pi, or in the middle of the back wall for a Pico."""
        width, depth = self.carrier_size
        if self.is_pico:
            return -width / 2, self.case_inside - s.PI_WALL - depth
        return s.CARRIER_WALL - self.case_inside, self.pi_y - s.CARRIER_GAP - depth

    def _place_pillar(self) -> FlatPoint:
        """Place a pillar under the plate, as central as the boards in the case allow."""
        (x, y), (width, _), room = self.carrier_corner, self.carrier_size, s.STANDOFF_WIDTH / 2 + s.PART_GAP
        free_points = [
            (pillar_x, pillar_y)
            for pillar_y in self.wall_lines[1:-1]
            for pillar_x in self.wall_lines[1:-1]
            if pillar_y < y - room or (pillar_x > x + width + room and (self.is_pico or pillar_y < self.pi_y - room))
        ]
        return min(free_points, key=lambda point: (round(point[0] ** 2 + point[1] ** 2, 6), point))

    def _size_pieces(self) -> None:
        """Set the size of a piece without its marks, and the number of pieces: enough for every variant on this board."""
        self.piece_count = 2 * max(each.spawn for each in VARIANTS.values() if each.size <= max(self.size, 4))
        if not self.turned_pieces:
            self._size_round_pieces()
            return
        # The sum of a long and a short side.
        self.piece_width = self.face_side - 2 * (s.LIT_BORDER + s.MARK_OVERHANG)
        self.foot_width = s.FOOT_SHARE * self.piece_width  # width of the long sides, on which it stands
        self.flat_width = self.piece_width - self.foot_width  # width of the short sides, which bear the marks
        self.piece_length = s.LENGTH_SHARE * self.piece_width
        # Height at which the printer pauses for the magnets: a whole layer above them.
        self.pause_z = _next_layer(self.piece_length / 2 + self.magnet_size[0] / 2 + s.PRESS_GAP)
        self.foot_in = (self.foot_width + 2 * self.flat_width) / (2 * 3**0.5)  # from its middle to a foot
        self.flat_in = (2 * self.foot_width + self.flat_width) / (2 * 3**0.5)  # from its middle to a short side

    def _size_round_pieces(self) -> None:
        self.piece_width = self.piece_length = self.face_side - 2 * s.LIT_BORDER
        self.foot_width = self.piece_width - 2 * s.FOOT_CHAMFER
        self.pause_z = _next_layer(s.SKIN_THICKNESS + 2 * s.PRESS_GAP + self.magnet_size[1])
        self.dome_height = s.DOME_SHARE * self.piece_width  # above the room for the magnet


def _next_layer(magnet_top: float) -> float:
    """Return the height at which the printer pauses for magnets: the first whole layer above them."""
    return round(math.ceil(magnet_top / s.LAYER_HEIGHT + 0.5) * s.LAYER_HEIGHT, 6)

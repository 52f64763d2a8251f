"""What does not fit on a board, by the numbers alone; it takes no time."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.profile.board_profile import Profile, TrellisWiring

MIN_WALL = 2 * s.NOZZLE_WIDTH
LEG_LENGTH = 12.7
"""A TO-92's legs are at least so long (JEDEC TO-92)."""


def check_fit(profile: Profile) -> tuple[str, ...]:
    """A sentence for each thing that does not fit on a board of this pitch, with these lamps and magnets."""
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return ()
    layout = SolidLayout(profile)
    sensor_faults = _check_halls(layout) if layout.has_halls else _check_buttons()
    return (*_check_room(layout), *sensor_faults)


def _check_room(layout: SolidLayout) -> Iterator[str]:
    outer_edge = max(abs(y) for y in layout.strip_offsets) + s.STRIP_WIDTH / 2 + 0.2
    if outer_edge > layout.cell_side / 2:
        yield (
            f"Lamps {layout.lamps_per_side**2} to a cell do not fit at pitch_mm = {layout.pitch:g}: beside what is in "
            f"the middle of a cell, their strips need {math.ceil(10 * (2 * outer_edge + s.GRID_WALL)) / 10:g} mm at the least. "
            "Take a wider pitch or fewer lamps."
        )
    if layout.pi_x is None or layout.pi_y < -layout.case_inside + s.PI_WALL:
        yield (
            f"A Raspberry Pi does not fit under {layout.size}x{layout.size} cells at pitch_mm = {layout.pitch:g}. "
            "Take a wider pitch."
        )


def _check_buttons() -> Iterator[str]:
    if (s.BUTTON_TRAVEL - s.TILE_RISE) / 2 < s.SWITCH_TRAVEL:
        yield "A button that is pressed at a corner does not close its switch. Let it go down further."


def _check_halls(layout: SolidLayout) -> Iterator[str]:
    magnet_width, magnet_height = layout.magnet_size
    half_slot = magnet_width / 2 + s.PRESS_GAP
    inner_radius = layout.foot_in - s.SKIN_THICKNESS - magnet_height - 2 * s.PRESS_GAP
    half_wall = (
        inner_radius * math.sqrt(3) / 2 - half_slot / 2
    )  # from a slot's inner corner to the plane half way to the next slot
    end_wall = layout.piece_length / 2 - half_slot
    if min(layout.foot_width / 2 - half_slot, 2 * half_wall, end_wall) < MIN_WALL or end_wall - s.PLUG_THICKNESS < 1:
        yield (
            f"Three magnets of {magnet_width:g} x {magnet_height:g} mm do not fit into a piece for cells of "
            f"pitch_mm = {layout.pitch:g}, which is {layout.piece_width:.1f} mm wide. "
            "Take smaller magnets (6 x 3 or 5 x 2 mm) or a wider pitch."
        )
    # They leave the sensor half way down its pocket, take 1 mm to turn down, and are soldered 1 mm below the plate.
    if layout.post_z - s.SENSOR_DEPTH / 2 - layout.plate_z + 2 > LEG_LENGTH:
        yield "The sensors' legs do not reach through the plate. Make the lamp grid lower."

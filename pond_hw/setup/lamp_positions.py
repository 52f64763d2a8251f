"""Names and chain positions of lamps during set-up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil

from pond_hw.board import RGB
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile, name_turn_key
from pond_hw.rules import Cell, get_grid

COUNTDOWN_SECONDS = 5  # a light fades in steps of 1 s before its question times out


def fade_colour(full_colour: RGB, seconds_left: float) -> RGB:
    """Return the colour dimmed in steps during the last seconds before a timeout."""
    if seconds_left >= COUNTDOWN_SECONDS:
        return full_colour
    light_share = (max(0, ceil(round(seconds_left, 6))) + 1) / (COUNTDOWN_SECONDS + 1)
    red, green, blue = (int(colour_part * light_share) for colour_part in full_colour)
    return red, green, blue


def next_fade_time(end_time: float, instant: float) -> float:
    """Return the time at which the fading colour changes next, or the time of the timeout."""
    left = round(end_time - instant, 6)
    return end_time - COUNTDOWN_SECONDS if left > COUNTDOWN_SECONDS else end_time - max(0, ceil(left) - 1)


def cell_lamps(profile: Profile, cell: Cell) -> tuple[int, ...]:
    """Return the chain positions of a cell's lamps, according to the profile."""
    lamp_count, cell_number = profile.chain.lamps_per_cell, get_grid(profile.size).cells.index(cell)
    return profile.chain.cell_positions[cell_number * lamp_count : (cell_number + 1) * lamp_count]


def light_cells(profile: Profile, lit_cells: Iterable[Cell], shade: RGB) -> dict[int, RGB]:
    """Map the chain positions of all lamps in these cells to a colour."""
    return {lamp_position: shade for cell in lit_cells for lamp_position in cell_lamps(profile, cell)}


def lamp_levels(profile: Profile, lit: Mapping[int, RGB]) -> list[float]:
    """Return the levels of all lamps for the current limiter, with only these lamps lit.

    The levels are perceived brightness from 0 to 1: red, green and blue of each lamp, in frame order.
    """
    return [part / 255 for lamp_position in profile.chain.drawn_positions for part in lit.get(lamp_position, (0, 0, 0))]


def usable_lamps(profile: Profile) -> tuple[int, ...]:
    """Return the chain positions of the lamps that the profile uses, in order."""
    return tuple(sorted(profile.chain.drawn_positions))


def lamp_cell(profile: Profile, lamp_position: int) -> Cell | None:
    """Return the cell of a lamp, according to the profile; None for a lamp on a score strip or a turn key."""
    chain = profile.chain
    if lamp_position in chain.cell_positions:
        return get_grid(profile.size).cells[chain.cell_positions.index(lamp_position) // chain.lamps_per_cell]
    return None


def name_lamp(profile: Profile, lamp_position: int) -> Message:
    """Return the name and location of a lamp for use in a sentence, such as `lamp 3 (b2)`."""
    if cell := lamp_cell(profile, lamp_position):
        return Message("lamp.cell", place=lamp_position, cell=cell)
    if key_name := _find_key(profile, lamp_position):
        return Message("lamp.turn_key", place=lamp_position, key=Message(f"pin_user.{key_name}"))
    side, strip = _find_strip(profile, lamp_position)
    return Message(f"lamp.strip.{side}", place=lamp_position, point=strip.index(lamp_position) + 1)


def strip_hints(profile: Profile, lamp_position: int) -> tuple[Message, ...]:
    """Return a message that helps to find a score-strip lamp; empty for other lamps."""
    if lamp_cell(profile, lamp_position) or _find_key(profile, lamp_position):
        return ()
    return (Message(f"lamp.look_at.{_find_strip(profile, lamp_position)[0]}"),)


def _find_key(profile: Profile, lamp_position: int) -> str | None:
    """Return the name of the turn key that contains a lamp, or None."""
    positions = profile.chain.key_positions
    key_names = map(name_turn_key, profile.turn_key_pins)
    return next((name for name, position in zip(key_names, positions, strict=False) if position == lamp_position), None)


def _find_strip(profile: Profile, lamp_position: int) -> tuple[str, tuple[int, ...]]:
    strips = zip(("light", "dark"), profile.chain.strip_positions, strict=True)
    return next((side, strip) for side, strip in strips if lamp_position in strip)

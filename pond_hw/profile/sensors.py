"""The table [sensors] of a profile: how the cells are felt."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from pond_hw.profile import checks
from pond_hw.profile.board_profile import (
    Adc,
    Analog,
    Channel,
    Crossing,
    Direct,
    ExpanderPin,
    Expanders,
    Matrix,
    Pretended,
    Sensing,
    Trellis,
    Wiring,
)
from pond_hw.profile.checks import Chip, Use
from pond_hw.profile.faults import Place, listed, shown
from pond_hw.profile.fields import Table
from pond_hw.rules import Cell, grid

SCANS = {
    "gpio": (20, 500, 200),
    "matrix": (20, 250, 125),  # its lines take their time one after the other
    "mcp23017": (20, 500, 125),
    "mcp3008": (10, 100, 40),  # a conversion for every cell
    "neotrellis": (10, 60, 50),  # its library sleeps 8 to 13 ms in each reading
    "simulated": (20, 500, 125),
}
"""How often each driver's sensors can be read: at least, at most, and if nothing is said; in 1/s."""

STEADY = ("neotrellis", "simulated")
"""Sensors that do not bounce: the chip debounces its keys by itself, and fingers in memory do not tremble."""

DEBOUNCE = {"button": (1, 200, 8), "hall": (10, 1000, 60)}
"""How long a level must hold still: at least, at most, and if nothing is said; in ms."""

SETTLE = {"button": (0, 5000, 0), "hall": (100, 5000, 250)}
"""How long a difference must hold still: at least, at most, and if nothing is said; in ms."""

FACES = ("turned", "plain")
"""Whether pieces have faces that people turn over as they develop, or lamps alone tell what they are."""

_OF = {
    "cells": ("gpio", "matrix", "mcp23017", "mcp3008", "neotrellis"),
    "bus": ("mcp23017", "neotrellis"),
    "address": ("neotrellis",),
    **dict.fromkeys(("on", "off", "rest", "light", "chips"), ("mcp3008",)),
}
"""Keys that only some drivers have."""


class _Word(NamedTuple):
    """What stands for a cell in a drawing: what it is, its form, how to write it, and a row of them."""

    what: str
    form: re.Pattern[str]
    how: str
    row: str


_WORDS = {
    "gpio": _Word("pin", re.compile("([0-9]{1,2})"), "the BCM number of a GPIO, such as 17", "4 5 6 12"),
    "matrix": _Word(
        "crossing",
        re.compile("([0-9]{1,2})/([0-9]{1,2})"),
        "the GPIO that is driven, a slash, and the one that is read, such as 5/17",
        "5/17 5/22 5/23 5/24",
    ),
    "mcp23017": _Word(
        "pin",
        re.compile(r"(2[0-7])\.([AB])([0-7])"),
        "the chip's address 20 to 27, a point, and A0 to B6, such as 20.A0",
        "20.A0 20.A1 20.A2 20.A3",
    ),
    "mcp3008": _Word(
        "channel",
        re.compile("([A-Z])([0-7])"),
        "the letter of a chip and its channel 0 to 7, such as A0",
        "A0 A1 A2 A3",
    ),
    "neotrellis": _Word("key", re.compile("(0?[0-9]|1[0-5])"), "the number of a key, 0 to 15", "0 1 2 3"),
}
"""How the drivers' cells are drawn."""

_REST = _Word("count", re.compile("([0-9]{1,4})"), "what the sensor reads at rest, 256 to 767", "512 512 512 512")

_HOLD = _Word("debounce time", re.compile(r"[0-9]{1,4}(\.[0-9]{1,3})?"), "a time in ms", "8 8 8 12")

_LETTER = re.compile("[A-Z]")

_USUAL_CHIP = {"clock": 21, "mosi": 20, "miso": 19, "select": 18}

_T = TypeVar("_T")


class Sensors(NamedTuple):
    """What the table says, as far as it can be read.

    Attributes:
        table: where it is.
        driver: what reads the sensors.
        kind: `button` or `hall`.
        wiring: what is connected to what.
        sensing: all of it, if all of it could be read.
        uses: the GPIOs that are wired to cells.
        chips: the MCP3008s.
    """

    table: Table
    driver: str | None
    kind: str | None
    wiring: Wiring | None
    sensing: Sensing | None
    uses: list[Use]
    chips: list[Chip]


def read_sensors(table: Table, size: int | None) -> Sensors:
    """Read the table; `size` is the board's rows and columns, if they are known."""
    driver = table.choice("driver", tuple(SCANS), such_as='"gpio"')
    kind = table.choice("kind", tuple(DEBOUNCE), such_as='"button"')
    if kind and driver and (wrong := list(checks.kind_fits(kind, driver, table.place("kind")))):
        table.faults.extend(wrong)
        kind = None
    timing = _timing(table, kind, driver, size)
    uses: list[Use] = []
    chips: list[Chip] = []
    wiring: Wiring | None = None
    match driver:
        case "gpio":
            wiring = _direct(table, size, uses)
        case "matrix":
            wiring = _matrix(table, size, uses)
        case "mcp23017":
            wiring = _expanders(table, size)
        case "mcp3008":
            wiring = _analog(table, size, chips)
        case "neotrellis":
            wiring = _trellis(table)
        case "simulated":
            wiring = Pretended()
        case _:
            table.ignore(*_OF)
    faces = _faces(table, kind)
    bad = _bad(table, kind, size)
    table.close({key: _only(key) for key in _OF})
    sensing = None
    if kind and wiring and timing:
        holds, settle, scans = timing
        sensing = Sensing(kind, wiring, max(holds.values(), default=0.0), settle, scans, faces, holds, bad)
    return Sensors(table, driver, kind, wiring, sensing, uses, chips)


def _only(key: str) -> str:
    names = listed((f'"{name}"' for name in _OF[key]), "or")
    return f"`{key}` is for the driver {names} only. Leave it out."


def _timing(
    table: Table, kind: str | None, driver: str | None, size: int | None
) -> tuple[dict[Cell, float], float, float] | None:
    """Each cell's debounce time and the settle time in seconds, readings in a second.

    Without kind or driver only what is always wrong is told.
    """
    low, high, usual = SCANS.get(driver or "", (10, 500, 125))
    scans = table.number("scans", low, high, default=usual)
    low, high, usual = DEBOUNCE.get(kind or "", (0, 1000, 0))
    if driver in STEADY:
        low = usual = 0
    holds = _holds(table, checks.TRELLIS_ROWS if driver == "neotrellis" else size, low, high, usual)
    low, high, usual = SETTLE.get(kind or "", (0, 5000, 0))
    settle = table.number("settle_ms", low, high, default=usual)
    if kind and settle is not None:
        table.faults.extend(checks.settling(kind, settle, table.place("settle_ms")))
    held = kind or "debounce_ms" in table  # without either it is not known how long
    if driver and driver not in STEADY and held and scans is not None:
        for hold, place in dict.fromkeys((hold, place) for _, hold, place in holds or ()):  # each told once
            at_fault = place if "debounce_ms" in table or "scans" not in table else table.place("scans")
            table.faults.extend(checks.readings(hold, scans, at_fault))
    if not (kind and driver) or holds is None or settle is None or scans is None:
        return None
    by_cell = {cell: hold / 1000 for cell, hold, _ in holds}
    order = grid(size).cells if size else ()
    return {cell: by_cell[cell] for cell in order if cell in by_cell}, settle / 1000, scans


def _holds(
    table: Table, size: int | None, low: float, high: float, usual: float
) -> list[tuple[Cell, float, Place]] | None:
    """How long each cell's level must hold still, in ms, and where that is written: one number, or drawn."""
    if not table.is_text("debounce_ms"):
        hold = table.number("debounce_ms", low, high, default=usual)
        place = table.place("debounce_ms")
        return None if hold is None else [(cell, hold, place) for cell in (grid(size).cells if size else ("",))]
    drawing = table.drawing("debounce_ms", size, _HOLD.what)
    if not drawing or not drawing.fits:
        return None
    found = []
    for spot in drawing.spots:
        if _HOLD.form.fullmatch(spot.word) and low <= float(spot.word) <= high:
            found.append((spot.at, float(spot.word), spot.place))
        else:
            table.faults.append(
                spot.place.fault(f"Write a number from {low:g} to {high:g} for {spot.at}, not {shown(spot.word)}.")
            )
    return found if len(found) == len(drawing.spots) else None


def _bad(table: Table, kind: str | None, size: int | None) -> frozenset[Cell]:
    """The cells whose sensors are known to be bad."""
    if kind == "button" and "bad" in table:
        table.ignore("bad")
        table.fault("bad", "Without its button a cell cannot be played; bad is for hall sensors. Leave it out.")
        return frozenset()
    named = table.cells("bad", size)
    table.faults.extend(checks.named_once(named))
    return frozenset(cell for cell, _ in named)


def _faces(table: Table, kind: str | None) -> bool:
    """Whether people turn the pieces over."""
    faces = table.choice("faces", FACES, default=FACES[0])
    if kind == "button" and "faces" in table:
        table.fault("faces", "Buttons have no pieces with faces; faces is for hall sensors. Leave it out.")
    return faces == FACES[0]


def _drawn(
    table: Table, key: str, size: int | None, word: _Word, make: Callable[..., _T]
) -> tuple[list[tuple[_T, Cell, Place]], dict[Cell, _T]]:
    """What is drawn for the cells: with its place as far as it can be read, and by cell in the order of the grid."""
    drawing = table.drawing(key, size, word.what, word.row if key == "cells" else "")
    found = []
    for spot in drawing.spots if drawing else ():
        parts = word.form.fullmatch(spot.word)
        if parts:
            found.append((make(*parts.groups()), spot.at, spot.place))
        else:
            table.faults.append(
                spot.place.fault(f"{shown(spot.word)} for {spot.at} is no {word.what}. Write {word.how}.")
            )
    things = {cell: thing for thing, cell, _ in found}
    order = grid(size).cells if size else ()
    return found, {cell: things[cell] for cell in order if cell in things}


def _direct(table: Table, size: int | None, uses: list[Use]) -> Direct:
    found, pins = _drawn(table, "cells", size, _WORDS["gpio"], int)
    uses += (Use(gpio, cell, place, "cell") for gpio, cell, place in found)
    return Direct(pins)


def _matrix(table: Table, size: int | None, uses: list[Use]) -> Matrix:
    found, crossings = _drawn(
        table, "cells", size, _WORDS["matrix"], lambda drive, sense: Crossing(int(drive), int(sense))
    )
    table.faults.extend(checks.twice(found, "crossing"))
    uses += checks.matrix_lines(found)
    return Matrix(crossings)


def _expanders(table: Table, size: int | None) -> Expanders:
    found, pins = _drawn(
        table,
        "cells",
        size,
        _WORDS["mcp23017"],
        lambda address, port, bit: ExpanderPin(int(address, 16), port, int(bit)),
    )
    table.faults.extend(checks.expander_inputs(found))
    table.faults.extend(checks.twice(found, "pin"))
    return Expanders(_bus(table), pins)


def _analog(table: Table, size: int | None, chips: list[Chip]) -> Analog:
    found, channels = _drawn(table, "cells", size, _WORDS["mcp3008"], lambda chip, channel: Channel(chip, int(channel)))
    table.faults.extend(checks.twice(found, "channel"))
    letters = _chips(table, chips)
    if letters is not None:
        strangers = list(checks.channels_exist(found, letters))
        table.faults.extend(strangers)
        if size and len(channels) == size**2 and not strangers:
            table.faults.extend(checks.chips_used(letters, channels.values()))
    drawn, rest = _drawn(table, "rest", size, _REST, int)
    table.faults.extend(checks.at_rest(drawn))
    on = table.whole("on", 10, 250, default=60)
    off = table.whole("off", 1, 249, default=30)
    light = table.choice("light", ("above", "below"), default="above")
    if on is not None and off is not None:
        table.faults.extend(checks.thresholds(on, off, table.place("off" if "off" in table else "on")))
    return Analog(
        chips={chip.letter: chip.adc for chip in chips},
        channels=channels,
        rest=dict.fromkeys(channels, 512) | rest,
        on=on or 0,  # 0 where it could not be read: then there is a fault, and this goes nowhere
        off=off or 0,
        light=-1 if light == "below" else 1,
    )


def _chips(table: Table, chips: list[Chip]) -> dict[str, Place] | None:
    """The letters of all chips and where they are, unless some are wrong; chips that can be read go to `chips`."""
    usual = ", ".join(f"{key} = {pin}" for key, pin in _USUAL_CHIP.items())
    inner = table.table("chips", keys=f"A = {{ {usual} }}")
    if inner is None:
        return None
    for letter in inner:
        if not _LETTER.fullmatch(letter):
            inner.fault(letter, f"Call a chip by one capital letter, A to Z, not {shown(letter)}.")
        chip = inner.table(letter)
        if chip is None:
            continue
        pins = [pin for key, usual in _USUAL_CHIP.items() if (pin := chip.gpio(key, such_as=str(usual))) is not None]
        chip.close()
        if len(pins) == len(_USUAL_CHIP):
            chips.append(Chip(letter, Adc(*pins), chip.place(), {key: chip.place(key) for key in _USUAL_CHIP}))
    inner.close()
    return {letter: inner.place(letter) for letter in inner} if all(map(_LETTER.fullmatch, inner)) else None


def _trellis(table: Table) -> Trellis:
    found, keys = _drawn(table, "cells", checks.TRELLIS_ROWS, _WORDS["neotrellis"], int)
    table.faults.extend(checks.twice(found, "key"))
    bus = _bus(table)
    address = table.whole("address", 0x2E, 0x4D, default=0x2E, what="an address", write=_hexadecimal)
    return Trellis(bus, address or 0, keys)


def _bus(table: Table) -> int:
    bus = table.whole("bus", 0, 99, default=1)
    if bus is not None:
        table.faults.extend(checks.i2c_bus(bus, table.place("bus")))
    return bus or 0


def _hexadecimal(value: object) -> str:
    return f"{value:#04x}" if type(value) is int and 0 <= value < 256 else shown(value)

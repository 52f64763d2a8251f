"""The table [sensors] of a profile: how the cells are felt."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from pond_hw.profile import checks
from pond_hw.profile.board_profile import (
    AdcChannel,
    AdcPins,
    AnalogWiring,
    DirectWiring,
    ExpanderPin,
    ExpanderWiring,
    MatrixCrossing,
    MatrixWiring,
    SensorSettings,
    SensorWiring,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.checks import AdcChip, PinUse
from pond_hw.profile.faults import FileLocation, join_words, quote_value
from pond_hw.profile.fields import TomlTable
from pond_hw.rules import Cell, get_grid

SCAN_RATES = {
    "gpio": (20, 500, 200),
    "matrix": (20, 250, 125),  # its lines take their time one after the other
    "mcp23017": (20, 500, 125),
    "mcp3008": (10, 100, 40),  # a conversion for every cell
    "neotrellis": (10, 60, 50),  # its library sleeps 8 to 13 ms in each reading
    "simulated": (20, 500, 125),
}
"""How often each driver's sensors can be read: at least, at most, and if nothing is said; in 1/s."""

NO_BOUNCE_DRIVERS = ("neotrellis", "simulated")
"""Sensors that do not bounce: the chip debounces its keys by itself, and fingers in memory do not tremble."""

DEBOUNCE_MS = {"button": (1, 200, 8), "hall": (10, 1000, 60)}
"""How long a level must hold still: at least, at most, and if nothing is said; in ms."""

SETTLE_MS = {"button": (0, 5000, 0), "hall": (100, 5000, 250)}
"""How long a difference must hold still: at least, at most, and if nothing is said; in ms."""

FACE_CHOICES = ("turned", "plain")
"""Whether pieces have faces that people turn over as they develop, or lamps alone tell what they are."""

_DRIVER_KEYS = {
    "cells": ("gpio", "matrix", "mcp23017", "mcp3008", "neotrellis"),
    "bus": ("mcp23017", "neotrellis"),
    "address": ("neotrellis",),
    **dict.fromkeys(("on", "off", "rest", "light", "chips"), ("mcp3008",)),
}
"""Keys that only some drivers have."""


class _WordForm(NamedTuple):
    """What stands for a cell in a drawing: what it is, its form, how to write it, and a row of them."""

    noun: str
    pattern: re.Pattern[str]
    instruction: str
    example_row: str


_WORD_FORMS = {
    "gpio": _WordForm("pin", re.compile("([0-9]{1,2})"), "the BCM number of a GPIO, such as 17", "4 5 6 12"),
    "matrix": _WordForm(
        "crossing",
        re.compile("([0-9]{1,2})/([0-9]{1,2})"),
        "the GPIO that is driven, a slash, and the one that is read, such as 5/17",
        "5/17 5/22 5/23 5/24",
    ),
    "mcp23017": _WordForm(
        "pin",
        re.compile(r"(2[0-7])\.([AB])([0-7])"),
        "the chip's address 20 to 27, a point, and A0 to B6, such as 20.A0",
        "20.A0 20.A1 20.A2 20.A3",
    ),
    "mcp3008": _WordForm(
        "channel",
        re.compile("([A-Z])([0-7])"),
        "the letter of a chip and its channel 0 to 7, such as A0",
        "A0 A1 A2 A3",
    ),
    "neotrellis": _WordForm("key", re.compile("(0?[0-9]|1[0-5])"), "the number of a key, 0 to 15", "0 1 2 3"),
}
"""How the drivers' cells are drawn."""

_REST_FORM = _WordForm(
    "count", re.compile("([0-9]{1,4})"), "what the sensor reads at rest, 256 to 767", "512 512 512 512"
)

_DEBOUNCE_FORM = _WordForm("debounce time", re.compile(r"[0-9]{1,4}(\.[0-9]{1,3})?"), "a time in ms", "8 8 8 12")

_CHIP_LETTER = re.compile("[A-Z]")

_DEFAULT_CHIP = {"clock": 21, "mosi": 20, "miso": 19, "select": 18}

_T = TypeVar("_T")


class ParsedSensors(NamedTuple):
    """What the table says, as far as it can be read.

    Attributes:
        table: where it is.
        driver: what reads the sensors.
        kind: `button` or `hall`.
        wiring: what is connected to what.
        sensing: all of it, if all of it could be read.
        pin_uses: the GPIOs that are wired to cells.
        adc_chips: the MCP3008s.
    """

    table: TomlTable
    driver: str | None
    kind: str | None
    wiring: SensorWiring | None
    sensing: SensorSettings | None
    pin_uses: list[PinUse]
    adc_chips: list[AdcChip]


def parse_sensors(table: TomlTable, size: int | None) -> ParsedSensors:
    """Read the table; `size` is the board's rows and columns, if they are known."""
    driver = table.read_choice("driver", tuple(SCAN_RATES), such_as='"gpio"')
    kind = table.read_choice("kind", tuple(DEBOUNCE_MS), such_as='"button"')
    if kind and driver and (wrong := list(checks.check_kind(kind, driver, table.locate_key("kind")))):
        table.faults.extend(wrong)
        kind = None
    timing = _parse_timing(table, kind, driver, size)
    uses: list[PinUse] = []
    chips: list[AdcChip] = []
    wiring: SensorWiring | None = None
    match driver:
        case "gpio":
            wiring = _parse_direct(table, size, uses)
        case "matrix":
            wiring = _parse_matrix(table, size, uses)
        case "mcp23017":
            wiring = _parse_expanders(table, size)
        case "mcp3008":
            wiring = _parse_analog(table, size, chips)
        case "neotrellis":
            wiring = _parse_trellis(table)
        case "simulated":
            wiring = SimulatedWiring()
        case _:
            table.ignore_keys(*_DRIVER_KEYS)
    faces = _parse_faces(table, kind)
    bad = _parse_bad_cells(table, kind, size)
    table.check_keys({key: _driver_only_sentence(key) for key in _DRIVER_KEYS})
    sensing = None
    if kind and wiring and timing:
        holds, settle, scans = timing
        sensing = SensorSettings(kind, wiring, max(holds.values(), default=0.0), settle, scans, faces, holds, bad)
    return ParsedSensors(table, driver, kind, wiring, sensing, uses, chips)


def _driver_only_sentence(key: str) -> str:
    names = join_words((f'"{name}"' for name in _DRIVER_KEYS[key]), "or")
    return f"`{key}` is for the driver {names} only. Leave it out."


def _parse_timing(
    table: TomlTable, kind: str | None, driver: str | None, size: int | None
) -> tuple[dict[Cell, float], float, float] | None:
    """Each cell's debounce time and the settle time in seconds, readings in a second.

    Without kind or driver only what is always wrong is told.
    """
    low, high, usual = SCAN_RATES.get(driver or "", (10, 500, 125))
    scans = table.read_number("scans", low, high, default=usual)
    low, high, usual = DEBOUNCE_MS.get(kind or "", (0, 1000, 0))
    if driver in NO_BOUNCE_DRIVERS:
        low = usual = 0
    holds = _parse_debounce(table, checks.TRELLIS_ROWS if driver == "neotrellis" else size, low, high, usual)
    low, high, usual = SETTLE_MS.get(kind or "", (0, 5000, 0))
    settle = table.read_number("settle_ms", low, high, default=usual)
    if kind and settle is not None:
        table.faults.extend(checks.check_settle_time(kind, settle, table.locate_key("settle_ms")))
    held = kind or "debounce_ms" in table  # without either it is not known how long
    if driver and driver not in NO_BOUNCE_DRIVERS and held and scans is not None:
        for hold, place in dict.fromkeys((hold, place) for _, hold, place in holds or ()):  # each told once
            at_fault = place if "debounce_ms" in table or "scans" not in table else table.locate_key("scans")
            table.faults.extend(checks.check_scan_rate(hold, scans, at_fault))
    if not (kind and driver) or holds is None or settle is None or scans is None:
        return None
    by_cell = {cell: hold / 1000 for cell, hold, _ in holds}
    order = get_grid(size).cells if size else ()
    return {cell: by_cell[cell] for cell in order if cell in by_cell}, settle / 1000, scans


def _parse_debounce(
    table: TomlTable, size: int | None, low: float, high: float, usual: float
) -> list[tuple[Cell, float, FileLocation]] | None:
    """How long each cell's level must hold still, in ms, and where that is written: one number, or drawn."""
    if not table.is_text("debounce_ms"):
        hold = table.read_number("debounce_ms", low, high, default=usual)
        place = table.locate_key("debounce_ms")
        return None if hold is None else [(cell, hold, place) for cell in (get_grid(size).cells if size else ("",))]
    drawing = table.read_drawing("debounce_ms", size, _DEBOUNCE_FORM.noun)
    if not drawing or not drawing.fits_grid:
        return None
    found = []
    for spot in drawing.drawn_words:
        if _DEBOUNCE_FORM.pattern.fullmatch(spot.word) and low <= float(spot.word) <= high:
            found.append((spot.cell_label, float(spot.word), spot.location))
        else:
            table.faults.append(
                spot.location.make_fault(
                    f"Write a number from {low:g} to {high:g} for {spot.cell_label}, not {quote_value(spot.word)}."
                )
            )
    return found if len(found) == len(drawing.drawn_words) else None


def _parse_bad_cells(table: TomlTable, kind: str | None, size: int | None) -> frozenset[Cell]:
    """The cells whose sensors are known to be bad."""
    if kind == "button" and "bad" in table:
        table.ignore_keys("bad")
        table.add_fault("bad", "Without its button a cell cannot be played; bad is for hall sensors. Leave it out.")
        return frozenset()
    named = table.read_cells("bad", size)
    table.faults.extend(checks.check_named_once(named))
    return frozenset(cell for cell, _ in named)


def _parse_faces(table: TomlTable, kind: str | None) -> bool:
    """Whether people turn the pieces over."""
    faces = table.read_choice("faces", FACE_CHOICES, default=FACE_CHOICES[0])
    if kind == "button" and "faces" in table:
        table.add_fault("faces", "Buttons have no pieces with faces; faces is for hall sensors. Leave it out.")
    return faces == FACE_CHOICES[0]


def _parse_drawing(
    table: TomlTable, key: str, size: int | None, word: _WordForm, make: Callable[..., _T]
) -> tuple[list[tuple[_T, Cell, FileLocation]], dict[Cell, _T]]:
    """What is drawn for the cells: with its place as far as it can be read, and by cell in the order of the grid."""
    drawing = table.read_drawing(key, size, word.noun, word.example_row if key == "cells" else "")
    found = []
    for spot in drawing.drawn_words if drawing else ():
        parts = word.pattern.fullmatch(spot.word)
        if parts:
            found.append((make(*parts.groups()), spot.cell_label, spot.location))
        else:
            table.faults.append(
                spot.location.make_fault(
                    f"{quote_value(spot.word)} for {spot.cell_label} is no {word.noun}. Write {word.instruction}."
                )
            )
    things = {cell: thing for thing, cell, _ in found}
    order = get_grid(size).cells if size else ()
    return found, {cell: things[cell] for cell in order if cell in things}


def _parse_direct(table: TomlTable, size: int | None, uses: list[PinUse]) -> DirectWiring:
    found, pins = _parse_drawing(table, "cells", size, _WORD_FORMS["gpio"], int)
    uses += (PinUse(gpio, cell, place, "cell") for gpio, cell, place in found)
    return DirectWiring(pins)


def _parse_matrix(table: TomlTable, size: int | None, uses: list[PinUse]) -> MatrixWiring:
    found, crossings = _parse_drawing(
        table, "cells", size, _WORD_FORMS["matrix"], lambda drive, sense: MatrixCrossing(int(drive), int(sense))
    )
    table.faults.extend(checks.check_unique(found, "crossing"))
    uses += checks.list_matrix_lines(found)
    return MatrixWiring(crossings)


def _parse_expanders(table: TomlTable, size: int | None) -> ExpanderWiring:
    found, pins = _parse_drawing(
        table,
        "cells",
        size,
        _WORD_FORMS["mcp23017"],
        lambda address, port, bit: ExpanderPin(int(address, 16), port, int(bit)),
    )
    table.faults.extend(checks.check_expander_inputs(found))
    table.faults.extend(checks.check_unique(found, "pin"))
    return ExpanderWiring(_parse_bus(table), pins)


def _parse_analog(table: TomlTable, size: int | None, chips: list[AdcChip]) -> AnalogWiring:
    found, channels = _parse_drawing(
        table, "cells", size, _WORD_FORMS["mcp3008"], lambda chip, channel: AdcChannel(chip, int(channel))
    )
    table.faults.extend(checks.check_unique(found, "channel"))
    letters = _parse_chips(table, chips)
    if letters is not None:
        strangers = list(checks.check_channels_exist(found, letters))
        table.faults.extend(strangers)
        if size and len(channels) == size**2 and not strangers:
            table.faults.extend(checks.check_chips_used(letters, channels.values()))
    drawn, rest = _parse_drawing(table, "rest", size, _REST_FORM, int)
    table.faults.extend(checks.check_rest_counts(drawn))
    on = table.read_integer("on", 10, 250, default=60)
    off = table.read_integer("off", 1, 249, default=30)
    light = table.read_choice("light", ("above", "below"), default="above")
    if on is not None and off is not None:
        table.faults.extend(checks.check_thresholds(on, off, table.locate_key("off" if "off" in table else "on")))
    return AnalogWiring(
        chips={chip.letter: chip.adc_pins for chip in chips},
        channels=channels,
        rest=dict.fromkeys(channels, 512) | rest,
        on=on or 0,  # 0 where it could not be read: then there is a fault, and this goes nowhere
        off=off or 0,
        light=-1 if light == "below" else 1,
    )


def _parse_chips(table: TomlTable, chips: list[AdcChip]) -> dict[str, FileLocation] | None:
    """The letters of all chips and where they are, unless some are wrong; chips that can be read go to `chips`."""
    usual = ", ".join(f"{key} = {pin}" for key, pin in _DEFAULT_CHIP.items())
    inner = table.read_table("chips", keys=f"A = {{ {usual} }}")
    if inner is None:
        return None
    for letter in inner:
        if not _CHIP_LETTER.fullmatch(letter):
            inner.add_fault(letter, f"Call a chip by one capital letter, A to Z, not {quote_value(letter)}.")
        chip = inner.read_table(letter)
        if chip is None:
            continue
        pins = [
            pin for key, usual in _DEFAULT_CHIP.items() if (pin := chip.read_gpio(key, such_as=str(usual))) is not None
        ]
        chip.check_keys()
        if len(pins) == len(_DEFAULT_CHIP):
            chips.append(
                AdcChip(letter, AdcPins(*pins), chip.locate_key(), {key: chip.locate_key(key) for key in _DEFAULT_CHIP})
            )
    inner.check_keys()
    return {letter: inner.locate_key(letter) for letter in inner} if all(map(_CHIP_LETTER.fullmatch, inner)) else None


def _parse_trellis(table: TomlTable) -> TrellisWiring:
    found, keys = _parse_drawing(table, "cells", checks.TRELLIS_ROWS, _WORD_FORMS["neotrellis"], int)
    table.faults.extend(checks.check_unique(found, "key"))
    bus = _parse_bus(table)
    address = table.read_integer("address", 0x2E, 0x4D, default=0x2E, what="an address", write=_format_hex)
    return TrellisWiring(bus, address or 0, keys)


def _parse_bus(table: TomlTable) -> int:
    bus = table.read_integer("bus", 0, 99, default=1)
    if bus is not None:
        table.faults.extend(checks.check_i2c_bus(bus, table.locate_key("bus")))
    return bus or 0


def _format_hex(value: object) -> str:
    return f"{value:#04x}" if type(value) is int and 0 <= value < 256 else quote_value(value)

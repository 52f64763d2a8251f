"""The table [sensors] of a profile: how the cells are felt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pond_hw.profile import fields
from pond_hw.profile.board_profile import (
    AdcChannel,
    AdcPins,
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    SensorSettings,
    SensorWiring,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.faults import FileLocation, ProfileFault, quote_value
from pond_hw.profile.field_kinds import join_quoted, parse_cell
from pond_hw.profile.header_checks import AdcChip, PinUse, list_matrix_lines
from pond_hw.profile.toml_table import DrawnThings, TomlTable
from pond_hw.rules import SIZES, Cell, get_grid

_KIND_CONFLICTS = {
    ("hall", "matrix"): "Hall sensors hold their wire all the time and cannot share the lines of a matrix. Take the "
    'driver "gpio" or "mcp23017" for digital ones, "mcp3008" for linear ones.',
    ("button", "mcp3008"): 'An MCP3008 measures, and is for linear hall sensors: write kind = "hall", or take the '
    'driver "gpio", "matrix" or "mcp23017" for buttons.',
    ("hall", "neotrellis"): 'A NeoTrellis has buttons. Write kind = "button".',
}
"""Sensors that some drivers cannot read, and why not."""

_OTHER_DRIVERS = {
    key: f"`{key}` is for the driver {join_quoted(field.drivers)} only. Leave it out."
    for key, field in fields.list_fields(fields.SensorFields).items()
    if field.drivers
}
"""What is said of keys that only some drivers have."""

_CHIP_KEYS = fields.list_fields(fields.ChipFields)

T = TypeVar("T")


@dataclass
class ParsedSensors:
    """What the table says, as far as it can be read.

    Attributes:
        table: where it is.
        size: the board's rows and columns, if they are known.
        driver: what reads the sensors.
        kind: `button` or `hall`.
        wiring: what is connected to what.
        sensing: all of it, if all of it could be read.
        pin_uses: the GPIOs that are wired to cells.
        adc_chips: the MCP3008s.
    """

    table: TomlTable
    size: int | None
    driver: str | None
    kind: str | None
    wiring: SensorWiring | None = None
    sensing: SensorSettings | None = None
    pin_uses: list[PinUse] = field(default_factory=list)
    adc_chips: list[AdcChip] = field(default_factory=list)

    def read_cells(self) -> DrawnThings[Any]:
        """What is drawn for the cells."""
        form = fields.WORD_FORMS[self.driver or ""]
        return self.table.read_drawing("cells", self.size, form).things

    def order_by_cell(self, found: DrawnThings[T]) -> dict[Cell, T]:
        """What was drawn, by cell in the order of the grid."""
        things = {cell: thing for thing, cell, _ in found}
        return {cell: things[cell] for cell in (get_grid(self.size).cells if self.size else ()) if cell in things}


def parse_sensors(root: TomlTable, size: int | None) -> ParsedSensors:
    """Read the table; `size` is the board's rows and columns, if they are known."""
    table = root.read_table("sensors", "kind, driver and cells")
    driver = table.read_field(fields.SensorFields.driver)
    kind = table.read_field(fields.SensorFields.kind)
    if conflict := _KIND_CONFLICTS.get((kind or "", driver or "")):
        table.add_fault("kind", conflict)
        kind = None
    parsed = ParsedSensors(table, fields.TRELLIS_ROWS if driver == "neotrellis" else size, driver, kind)
    scans, debounce, settle_ms = _parse_timing(parsed)
    if driver:
        parsed.wiring = _WIRING_PARSERS[driver](parsed)
    else:
        table.ignore_keys("cells", "bus", "address", "on", "off", "rest", "light", "chips")
    has_faces = _parse_faces(table, kind)
    bad_cells = _parse_bad_cells(table, kind, size)
    table.check_keys(_OTHER_DRIVERS)
    if kind and parsed.wiring:
        parsed.size = size
        holds = {cell: ms / 1000 for cell, ms in parsed.order_by_cell(debounce).items()}
        parsed.sensing = SensorSettings(
            kind, parsed.wiring, max(holds.values(), default=0.0), settle_ms / 1000, scans, has_faces, holds, bad_cells
        )
    return parsed


# --- timing -----------------------------------------------------------------------------------------------------------


def _parse_timing(parsed: ParsedSensors) -> tuple[float, DrawnThings[float], float]:
    """Readings in a second, each cell's debounce time and the settle time in ms.

    Without kind or driver only what is always wrong is told.
    """
    table, kind, driver = parsed.table, parsed.kind or "", parsed.driver or ""
    scans = table.read_number(fields.SensorFields.scans.with_bounds(*fields.SCAN_RATES.get(driver, (10, 500, 125))))
    low, high, usual = fields.DEBOUNCE_MS.get(kind, (0, 1000, 0))
    bounces = driver not in fields.NO_BOUNCE_DRIVERS
    debounce = _parse_debounce(table, parsed.size, (low, high, usual) if bounces else (0, high, 0))
    settle_ms = table.read_number(fields.SensorFields.settle_ms.with_bounds(*fields.SETTLE_MS.get(kind, (0, 5000, 0))))
    if kind == "button" and settle_ms > 0:
        table.add_fault("settle_ms", "Buttons have nothing to settle; settle_ms is for hall sensors. Leave it out.")
    if driver and bounces and (kind or "debounce_ms" in table):  # without either it is not known how long
        table.faults.extend(_check_scan_rate(table, scans, debounce))
    return scans, debounce, settle_ms


def _parse_debounce(table: TomlTable, size: int | None, bounds: tuple[float, float, float]) -> DrawnThings[float]:
    """How long each cell's level must hold still, in ms, and where that is written: one number, or drawn."""
    if not table.is_text("debounce_ms"):
        hold = table.read_number(fields.SensorFields.debounce_ms.with_bounds(*bounds))
        return [(hold, cell, table.locate_key("debounce_ms")) for cell in (get_grid(size).cells if size else ("",))]
    form = fields.debounce_form(*bounds[:2])
    drawing = table.read_drawing("debounce_ms", size, form, must_fit=True)
    return drawing.things if drawing.is_complete else []


def _check_scan_rate(table: TomlTable, scans: float, debounce: DrawnThings[float]) -> Iterator[ProfileFault]:
    """While a level is held still there must be time for two readings of it."""
    for hold, place in dict.fromkeys((hold, place) for hold, _, place in debounce):  # each told once
        if hold * scans < 1000:
            apart = 1000 / scans
            at_fault = place if "debounce_ms" in table or "scans" not in table else table.locate_key("scans")
            yield at_fault.make_fault(
                f"A level must be read twice to be believed, and {scans:g} readings a second are {apart:.3g} ms apart. "
                f"Let debounce_ms be {apart:.3g} or more, not {hold:g}, or raise scans."
            )


# --- pieces -----------------------------------------------------------------------------------------------------------


def _parse_faces(table: TomlTable, kind: str | None) -> bool:
    """Whether people turn the pieces over."""
    faces = table.read_field(fields.SensorFields.faces)
    if kind == "button" and "faces" in table:
        table.add_fault("faces", "Buttons have no pieces with faces; faces is for hall sensors. Leave it out.")
    return faces == fields.SensorFields.faces.default


def _parse_bad_cells(table: TomlTable, kind: str | None, size: int | None) -> frozenset[Cell]:
    """The cells whose sensors are known to be bad."""
    if kind == "button" and "bad" in table:
        table.ignore_keys("bad")
        table.add_fault("bad", "Without its button a cell cannot be played; bad is for hall sensors. Leave it out.")
        return frozenset()
    cells: set[Cell] = set()
    for cell, place in table.read_list(fields.SensorFields.bad, lambda item: parse_cell(item, size or SIZES[-1])).items:
        if cell in cells:  # the second is likely to be meant for another one
            table.faults.append(place.make_fault(f"{cell} is named twice. Name each cell once."))
        cells.add(cell)
    return frozenset(cells)


# --- wiring -----------------------------------------------------------------------------------------------------------


def _check_unique(found: DrawnThings[Any], name: str) -> Iterator[ProfileFault]:
    """What a cell has is its own.

    Args:
        found: the things, their cells, and where they are drawn.
        name: what to call such a thing.
    """
    first: dict[object, str] = {}
    for thing, cell, place in found:
        if thing in first:
            yield place.make_fault(
                f"{name.capitalize()} {thing} is used twice, for {first[thing]} and for {cell}. "
                f"Give each cell a {name} of its own."
            )
        first.setdefault(thing, cell)


def _parse_direct(parsed: ParsedSensors) -> DirectWiring:
    found = parsed.read_cells()
    parsed.pin_uses += (PinUse(gpio, cell, place, "cell") for gpio, cell, place in found)
    return DirectWiring(parsed.order_by_cell(found))


def _parse_matrix(parsed: ParsedSensors) -> MatrixWiring:
    found = parsed.read_cells()
    parsed.table.faults.extend(_check_unique(found, "crossing"))
    parsed.pin_uses += list_matrix_lines(found)
    return MatrixWiring(parsed.order_by_cell(found))


def _parse_expanders(parsed: ParsedSensors) -> ExpanderWiring:
    found = parsed.read_cells()
    parsed.table.faults.extend(
        place.make_fault(
            f"{pin} cannot be an input: since 2022 the data sheet allows GPA7 and GPB7 as outputs only, because as "
            f"inputs they can corrupt the bus. Give {cell} another pin, on a second chip if need be."
        )
        for pin, cell, place in found
        if pin.bit == 7
    )
    parsed.table.faults.extend(_check_unique(found, "pin"))
    return ExpanderWiring(_parse_bus(parsed.table), parsed.order_by_cell(found))


def _parse_trellis(parsed: ParsedSensors) -> TrellisWiring:
    found = parsed.read_cells()
    parsed.table.faults.extend(_check_unique(found, "key"))
    bus = _parse_bus(parsed.table)
    return TrellisWiring(bus, parsed.table.read_field(fields.SensorFields.address) or 0, parsed.order_by_cell(found))


def _parse_bus(table: TomlTable) -> int:
    """The one I2C bus that every Pi has on the same GPIOs."""
    bus = table.read_field(fields.SensorFields.bus)
    if bus not in (1, None):
        why = "is kept for the ID EEPROM of add-on boards" if bus == 0 else "is not in the same place on every Pi"
        table.add_fault("bus", f"Write 1, the bus on GPIO 2 and 3, not {bus}: bus {bus} {why}.")
    return bus or 0


def _parse_analog(parsed: ParsedSensors) -> AnalogWiring:
    table = parsed.table
    found: DrawnThings[AdcChannel] = parsed.read_cells()
    table.faults.extend(_check_unique(found, "channel"))
    letters = _parse_chips(table, parsed.adc_chips)
    channels = parsed.order_by_cell(found)
    if letters is not None:
        table.faults.extend(
            _check_chips(letters, found, bool(parsed.size) and len(channels) == (parsed.size or 0) ** 2)
        )
    rest = table.read_drawing("rest", parsed.size, fields.REST_FORM).things
    table.faults.extend(_check_rest_counts(rest))
    on, off, light = (
        table.read_field(fields.SensorFields.on),
        table.read_field(fields.SensorFields.off),
        table.read_field(fields.SensorFields.light),
    )
    if on is not None and off is not None and off >= on:
        sentence = f"on is {on} and off is {off}: off must be less, or a magnet would come and go at once."
        table.add_fault("off" if "off" in table else "on", sentence)
    return AnalogWiring(
        chips={chip.letter: chip.adc_pins for chip in parsed.adc_chips},
        channels=channels,
        rest=dict.fromkeys(channels, 512) | parsed.order_by_cell(rest),
        on=on or 0,  # 0 where it could not be read: then there is a fault, and this goes nowhere
        off=off or 0,
        light=-1 if light == "below" else 1,
    )


def _check_rest_counts(rest: DrawnThings[int]) -> Iterator[ProfileFault]:
    low, high = fields.REST_COUNTS
    for count, cell, place in rest:
        if not low <= count <= high:
            yield place.make_fault(
                f"{count} for {cell} is no sensor at rest, which reads {low} to {high}, about half of 1023. "
                "Measure it with no magnet near, or look at its wires."
            )


def _check_chips(
    letters: Mapping[str, FileLocation], found: DrawnThings[AdcChannel], is_complete: bool
) -> Iterator[ProfileFault]:
    """Each cell is on a chip that is there; and where a chip lies idle, something has been drawn wrong."""
    strangers = [drawn for drawn in found if drawn[0].chip not in letters]
    for channel, cell, place in strangers:
        yield place.make_fault(
            f"{channel} for {cell} is on a chip that sensors.chips does not name. "
            f"Add a line for chip {channel.chip} there, or draw another channel."
        )
    used = {channel.chip for channel, _, _ in found}
    if is_complete and not strangers:
        for letter in letters:
            if letter not in used:
                sentence = f"No cell is on chip {letter}. Draw one there, or leave the chip out."
                yield letters[letter].make_fault(sentence)


def _parse_chips(table: TomlTable, chips: list[AdcChip]) -> dict[str, FileLocation] | None:
    """The letters of all chips and where they are, unless some are wrong; chips that can be read go to `chips`."""
    usual = ", ".join(f"{key} = {field.example}" for key, field in _CHIP_KEYS.items())
    inner = table.read_table("chips", f"A = {{ {usual} }}")
    if inner.is_missing:
        return None
    letters = {letter: inner.locate_key(letter) for letter in inner}
    for letter in letters:
        if not _is_chip_letter(letter):
            inner.add_fault(letter, f"Call a chip by one capital letter, A to Z, not {quote_value(letter)}.")
        chip = inner.read_table(letter)
        pins = [pin for field in _CHIP_KEYS.values() if (pin := chip.read_field(field)) is not None]
        chip.check_keys()
        if len(pins) == len(_CHIP_KEYS):
            places = {key: chip.locate_key(key) for key in _CHIP_KEYS}
            chips.append(AdcChip(letter, AdcPins(*pins), chip.locate_key(), places))
    inner.check_keys()
    return letters if all(map(_is_chip_letter, letters)) else None


def _is_chip_letter(word: str) -> bool:
    return len(word) == 1 and "A" <= word <= "Z"


_WIRING_PARSERS: dict[str, Callable[[ParsedSensors], SensorWiring]] = {
    "gpio": _parse_direct,
    "matrix": _parse_matrix,
    "mcp23017": _parse_expanders,
    "mcp3008": _parse_analog,
    "neotrellis": _parse_trellis,
    "simulated": lambda _: SimulatedWiring(),
}

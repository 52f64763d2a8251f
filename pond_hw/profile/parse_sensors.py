"""Parse [sensors] of a profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pond_hw.messages.message import Message
from pond_hw.profile import board_profile, fields
from pond_hw.profile.board_profile import AnalogWiring, SensorSettings, SensorWiring
from pond_hw.profile.chips import CONVERTERS, EXPANDERS, AdcChannel, AdcPins, Converter
from pond_hw.profile.faults import FileLocation, ProfileFault, quote_text
from pond_hw.profile.field_kinds import parse_cell
from pond_hw.profile.gpio_checks import AdcChip, PinUse, list_matrix_lines
from pond_hw.profile.toml_table import DrawnValues, TomlTable
from pond_hw.rules import SIZES, Cell, get_grid

_KIND_CONFLICTS: dict[tuple[str | None, str | None], str] = {
    ("hall", "matrix"): "hall_matrix",
    ("hall", "neotrellis"): "hall_neotrellis",
    **{("button", name): "button_converter" for name in CONVERTERS},
}
"""Sensor kinds that some drivers cannot read, with the last parts of the message ids."""

_OTHER_DRIVERS = {
    key: Message("profile.key.other_driver", key=key, drivers=tuple(map(quote_text, field.drivers)))
    for key, field in fields.list_fields(fields.SensorFields).items()
    if field.drivers
}
"""Messages about keys that only other drivers have."""

_CHIP_KEYS = fields.list_fields(fields.ChipFields)

T = TypeVar("T")


@dataclass
class ParsedSensors:
    """Contents of [sensors], as far as they are readable. `sensing` has complete settings, or is None after a fault."""

    table: TomlTable
    size: int | None
    driver: str | None
    kind: str | None
    wiring: SensorWiring | None = None
    sensing: SensorSettings | None = None
    pin_uses: list[PinUse] = field(default_factory=list)
    adc_chips: list[AdcChip] = field(default_factory=list)

    def order_by_cell(self, drawn_values: DrawnValues[T]) -> dict[Cell, T]:
        values = {cell: drawn_value for drawn_value, cell, _ in drawn_values}
        return {cell: values[cell] for cell in (get_grid(self.size).cells if self.size else ()) if cell in values}


def parse_sensors(root: TomlTable, size: int | None) -> ParsedSensors:
    table = root.read_table("sensors", "kind", "driver", "cells")
    driver = table.read_field(fields.SensorFields.driver)
    kind = table.read_field(fields.SensorFields.kind)
    if conflict := _KIND_CONFLICTS.get((kind, driver)):
        chip = CONVERTERS.get(driver or "")
        table.add_fault("kind", Message(f"profile.kind.{conflict}", **{"chip": chip.title} if chip else {}))
        kind = None
    parsed = ParsedSensors(table, fields.TRELLIS_ROWS if driver == "neotrellis" else size, driver, kind)
    scans, debounce_times, settle_ms = _parse_timing(parsed)
    if driver:
        parsed.wiring = _parse_wiring(parsed, driver)
    else:
        table.ignore_keys("cells", "bus", "address", "on", "off", "rest", "light", "chips")
    pieces = table.read_field(fields.SensorFields.pieces)
    if kind == "button" and "pieces" in table.values:
        table.add_fault("pieces", Message("profile.buttons.pieces"))
    bad_cells = _parse_bad_cells(table, kind, size)
    table.check_keys(_OTHER_DRIVERS)
    if kind and parsed.wiring:
        parsed.size = size
        holds = {cell: debounce_ms / 1000 for cell, debounce_ms in parsed.order_by_cell(debounce_times).items()}
        max_hold, are_turned = max(holds.values(), default=0.0), pieces == "turned"
        parsed.sensing = SensorSettings(
            kind, parsed.wiring, max_hold, settle_ms / 1000, scans, are_turned, holds, bad_cells
        )
    return parsed


# --- timing -----------------------------------------------------------------------------------------------------------


def _parse_timing(parsed_sensors: ParsedSensors) -> tuple[float, DrawnValues[float], float]:
    """Parse the scan rate, each cell's debounce time, and the settle time in ms.

    If the kind or driver is unknown, only values that would be wrong for every kind and driver are faults.
    """
    table, kind, driver = parsed_sensors.table, parsed_sensors.kind or "", parsed_sensors.driver or ""
    scan_rate = table.read_number(fields.SensorFields.scans.with_bounds(*fields.SCAN_RATES.get(driver, (10, 500, 125))))
    low, high, default = fields.DEBOUNCE_MS.get(kind, (0, 1000, 0))
    does_bounce = driver not in fields.NO_BOUNCE_DRIVERS
    debounce_times = _parse_debounce(table, parsed_sensors.size, (low, high, default) if does_bounce else (0, high, 0))
    settle_ms = table.read_number(fields.SensorFields.settle_ms.with_bounds(*fields.SETTLE_MS.get(kind, (0, 5000, 0))))
    if kind == "button" and settle_ms > 0:
        table.add_fault("settle_ms", Message("profile.buttons.settle_ms"))
    if driver and does_bounce and (kind or "debounce_ms" in table.values):  # otherwise the default is unknown
        table.faults.extend(_check_scan_rate(table, scan_rate, debounce_times))
    return scan_rate, debounce_times, settle_ms


def _parse_debounce(table: TomlTable, size: int | None, bounds_ms: tuple[float, float, float]) -> DrawnValues[float]:
    if not isinstance(table.values.get("debounce_ms"), str):
        hold_ms = table.read_number(fields.SensorFields.debounce_ms.with_bounds(*bounds_ms))
        return [(hold_ms, cell, table.locate_key("debounce_ms")) for cell in (get_grid(size).cells if size else ("",))]
    word_form = fields.debounce_form(*bounds_ms[:2])
    grid_drawing = table.read_drawing("debounce_ms", size, word_form, must_fit=True)
    return grid_drawing.drawn_values if grid_drawing.is_complete else []


def _check_scan_rate(table: TomlTable, scans: float, debounce_times: DrawnValues[float]) -> Iterator[ProfileFault]:
    # report each value once
    for hold_ms, location in dict.fromkeys((hold_ms, location) for hold_ms, _, location in debounce_times):
        if hold_ms * scans < 1000:
            interval_ms = 1000 / scans
            is_default = "debounce_ms" not in table.values and "scans" in table.values
            fault_location = table.locate_key("scans") if is_default else location
            yield fault_location.make_fault(
                Message("profile.debounce.too_short", scans=scans, interval_ms=interval_ms, debounce=hold_ms)
            )


# --- pieces -----------------------------------------------------------------------------------------------------------


def _parse_bad_cells(table: TomlTable, kind: str | None, size: int | None) -> frozenset[Cell]:
    if kind == "button" and "bad" in table.values:
        table.ignore_keys("bad")
        table.add_fault("bad", Message("profile.buttons.bad"))
        return frozenset()
    bad_cells: set[Cell] = set()
    located_cells = table.read_list(fields.SensorFields.bad, lambda item: parse_cell(item, size or SIZES[-1])).items
    for cell, location in located_cells:
        if cell in bad_cells:  # the builder probably meant another cell
            table.faults.append(location.make_fault(Message("profile.bad.named_twice", cell=cell)))
        bad_cells.add(cell)
    return frozenset(bad_cells)


# --- wiring -----------------------------------------------------------------------------------------------------------


def _check_unique(drawn_values: DrawnValues[Any], kind: str) -> Iterator[ProfileFault]:
    first_cells: dict[object, Cell | Message] = {}
    for thing, cell, location in drawn_values:
        if thing in first_cells:
            first = first_cells[thing]
            reason = Message(f"profile.shared.{kind}", input=str(thing), first=first, second=cell)
            yield location.make_fault(reason)
        first_cells.setdefault(thing, cell)


def _parse_wiring(parsed: ParsedSensors, driver: str) -> SensorWiring:
    if driver == "simulated":
        return board_profile.SimulatedWiring()
    table, word_form = parsed.table, fields.WORD_FORMS[driver]
    drawn_wires: DrawnValues[Any] = table.read_drawing("cells", parsed.size, word_form).drawn_values
    wires = parsed.order_by_cell(drawn_wires)
    if driver == "gpio":
        parsed.pin_uses += (PinUse(gpio, cell, location, "cell") for gpio, cell, location in drawn_wires)
        return board_profile.DirectWiring(wires)
    if expander := EXPANDERS.get(driver):
        table.faults.extend(
            location.make_fault(Message(expander.reserved_message, chip=expander.title, pin=str(pin), cell=cell))
            for pin, cell, location in drawn_wires
            if pin.bit == expander.reserved_bit
        )
    table.faults.extend(_check_unique(drawn_wires, word_form.name))
    if driver == "matrix":
        parsed.pin_uses += list_matrix_lines(drawn_wires)
        return board_profile.MatrixWiring(wires)
    if converter := CONVERTERS.get(driver):
        return _parse_analog(parsed, converter, drawn_wires, wires)
    bus = _parse_bus(table)
    if expander:
        return board_profile.ExpanderWiring(expander, bus, wires)
    return board_profile.TrellisWiring(bus, table.read_field(fields.SensorFields.address) or 0, wires)


def _parse_bus(table: TomlTable) -> int:
    """Parse the I2C bus. Only bus 1 has the same GPIOs on every Pi."""
    bus = table.read_field(fields.SensorFields.bus)
    if bus not in (1, None):
        table.add_fault("bus", Message("profile.bus.other", bus=bus) if bus else Message("profile.bus.id_eeprom"))
    return bus or 0


def _parse_analog(
    parsed: ParsedSensors,
    converter: Converter,
    located_channels: DrawnValues[AdcChannel],
    channels: dict[Cell, AdcChannel],
) -> AnalogWiring:
    table = parsed.table
    chip_letters = _parse_chips(table, parsed.adc_chips)
    if chip_letters is not None:
        is_complete = bool(parsed.size) and len(channels) == (parsed.size or 0) ** 2
        table.faults.extend(_check_chips(chip_letters, located_channels, is_complete))
    located_counts = table.read_drawing("rest", parsed.size, fields.REST_FORM).drawn_values
    low, high = fields.REST_COUNTS
    table.faults.extend(
        location.make_fault(Message("profile.rest.out_of_range", reading=count, cell=cell, low=low, high=high))
        for count, cell, location in located_counts
        if not low <= count <= high
    )
    on_count, off = table.read_field(fields.SensorFields.on), table.read_field(fields.SensorFields.off)
    light_side = table.read_field(fields.SensorFields.light)
    if on_count is not None and off is not None and off >= on_count:
        table.add_fault("off" if "off" in table.values else "on", Message("profile.off.too_high", on=on_count, off=off))
    chips = {chip.letter: chip.adc_pins for chip in parsed.adc_chips}
    rest = dict.fromkeys(channels, 512) | parsed.order_by_cell(located_counts)
    light = -1 if light_side == "below" else 1
    # An unreadable count is a fault, so this wiring will be discarded.
    return AnalogWiring(converter, chips, channels, rest, on_count or 0, off or 0, light)


def _check_chips(
    chip_letters: Mapping[str, FileLocation], located_channels: DrawnValues[AdcChannel], is_complete: bool
) -> Iterator[ProfileFault]:
    unknown_channels = [drawn for drawn in located_channels if drawn[0].chip not in chip_letters]
    for adc_channel, cell, location in unknown_channels:
        channel, chip = str(adc_channel), adc_channel.chip
        yield location.make_fault(Message("profile.chip.not_listed", channel=channel, cell=cell, chip=chip))
    used_letters = {adc_channel.chip for adc_channel, _, _ in located_channels}
    if is_complete and not unknown_channels:
        for chip_letter, location in chip_letters.items():
            if chip_letter not in used_letters:
                yield location.make_fault(Message("profile.chip.unused", chip=chip_letter))


def _parse_chips(table: TomlTable, chips: list[AdcChip]) -> dict[str, FileLocation] | None:
    """Return the letters and locations of all chips, or None if a letter is invalid. Add readable chips to `chips`."""
    sample_pins = ", ".join(f"{pin_key} = {pin_field.example}" for pin_key, pin_field in _CHIP_KEYS.items())
    chips_table = table.read_table("chips", f"A = {{ {sample_pins} }}")
    if not isinstance(table.values.get("chips"), dict):
        return None
    chip_letters = {letter: chips_table.locate_key(letter) for letter in chips_table.values}
    for letter in chip_letters:
        if not _is_chip_letter(letter):
            chips_table.add_fault(letter, Message("profile.chip.wrong_name", name=quote_text(letter)))
        chip = chips_table.read_table(letter)
        chip_pins: list[Any] = [chip.read_field(pin_field) for pin_field in _CHIP_KEYS.values()]
        chip.check_keys()
        if None not in chip_pins:
            chips.append(AdcChip(letter, AdcPins(*chip_pins), chip))
    chips_table.check_keys()
    return chip_letters if all(map(_is_chip_letter, chip_letters)) else None


def _is_chip_letter(chip_name: str) -> bool:
    return len(chip_name) == 1 and "A" <= chip_name <= "Z"

"""From the text of a profile to the profile, or to everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial

from pond_hw.profile import fields, header_checks, pi_header
from pond_hw.profile.board_profile import BoardBody, PowerSupply, Profile, TrellisWiring
from pond_hw.profile.faults import ProfileError, ProfileFault
from pond_hw.profile.field_kinds import IntegerField
from pond_hw.profile.fields import PROFILE_FORMAT, TRELLIS_ROWS, BodyFields, RootFields, SupplyFields
from pond_hw.profile.header_checks import PinUse, ReservedBus
from pond_hw.profile.lamps import ParsedLamps, parse_lamps, parse_strips
from pond_hw.profile.sensors import ParsedSensors, parse_sensors
from pond_hw.profile.toml_positions import TomlPositions
from pond_hw.profile.toml_table import TomlTable

TRELLIS_PITCH_MM = 15.0
"""From key to key on a NeoTrellis, in mm."""

_PIECE_FIELDS = (BodyFields.magnet_mm, BodyFields.magnet_height_mm, BodyFields.reach_mm)
"""What only the bodies of boards with pieces have."""


def parse_profile(text: str, name: str) -> Profile:
    """Read a profile strictly.

    Args:
        text: the whole file, TOML.
        name: what the profile is to be called.

    Raises:
        ProfileError: everything that is wrong with it, each fault with its place and how to mend it.
    """
    make_error = partial(ProfileError.for_file, f"{name}.toml")
    root = parse_toml(text, make_error)
    profile = parse_root(root, name)
    if profile is None or root.faults:
        raise make_error(root.faults)
    return profile


def parse_toml(toml_text: str, make_error: Callable[[list[ProfileFault]], ProfileError]) -> TomlTable:
    """What TOML makes of a text, as a table in which nothing has been found wrong yet.

    Args:
        toml_text: the whole file.
        make_error: makes the error to raise.

    Raises:
        ProfileError: it is no TOML.
    """
    toml_text = toml_text.removeprefix("\ufeff")  # some editors begin a UTF-8 file with a mark that it is one
    try:
        return TomlTable(tomllib.loads(toml_text), (), TomlPositions(toml_text), [])
    except (ValueError, RecursionError) as reason:
        raise make_error([_toml_fault(toml_text, reason)]) from None


def check_format(root: TomlTable, files_noun: str, known_format: int) -> None:
    """Whether files, so called, have the form that is known here."""
    form = root.read_field(RootFields.format)
    if form not in (known_format, None):
        root.add_fault("format", f"This program reads {files_noun} of format {known_format}, not {form}.")


def _toml_fault(toml_text: str, toml_error: ValueError | RecursionError) -> ProfileFault:
    """What `tomllib` does not understand; only this can be told then."""
    if isinstance(toml_error, RecursionError):
        return ProfileFault(1, "", "Lists or tables lie too deep inside each other. A profile needs two levels.")
    closing_sentence = "Mend this first: the rest is read only then."
    if not isinstance(toml_error, tomllib.TOMLDecodeError):
        text_lines = toml_text.split("\n")
        line = next((number for number, line in enumerate(text_lines, 1) if re.search("[0-9_]{1000}", line)), 1)
        return ProfileFault(line, "", f"A number here has too many digits to be read. {closing_sentence}")
    reason_text, _, place_text = str(toml_error).rpartition(" (at ")
    sentence = f"This is not TOML: {_plain_reason(reason_text)}. {closing_sentence}"
    if place_match := re.fullmatch(r"line (\d+), column (\d+)\)", place_text):
        return ProfileFault(int(place_match[1]), f"column {place_match[2]}", sentence)
    return ProfileFault(toml_text.rstrip("\n").count("\n") + 1, "at the end", sentence)


def _plain_reason(reason_text: str) -> str:
    if reason_text == "Cannot overwrite a value":
        return "the same key is given a second time"
    if reason_text.startswith("Cannot declare") and reason_text.endswith("twice"):
        return "the same table begins a second time"
    return reason_text[:1].lower() + reason_text[1:]


def parse_root(root: TomlTable, profile_name: str) -> Profile | None:
    """Read every table, hold them against each other, and put the profile together if nothing is missing.

    What is wrong is noted in the root's faults.
    """
    check_format(root, "profiles", PROFILE_FORMAT)
    board_title = root.read_field(RootFields.title)
    size = root.read_field(RootFields.grid)
    score_strips = parse_strips(root)
    sensors = parse_sensors(root, size)
    lamps = parse_lamps(root, score_strips, size)
    power_supply = _parse_supply(root, lamps)
    key_use = _parse_pin(root, "key", fields.KeyFields.pin, "in")
    buzzer_use = _parse_pin(root, "buzzer", fields.BuzzerFields.pin, "out")
    board_body = _parse_body(root, sensors)
    root.check_keys()

    _check_trellis(root, size, sensors, lamps)
    if sensors.driver == "simulated" and "key" in root.values:
        # Fingers in memory bring a key of their own, or none: the one on the header is not read beside them.
        root.add_fault("key", "Simulated sensors have no key: this one would never be read. Leave [key] out.")
        key_use = None  # and of what is to be left out no more need be said
    root.faults.extend(_check_gpios(sensors, lamps, key_use, buzzer_use))
    if not (board_title and size and sensors.sensing and lamps.chain and power_supply):
        return None
    key_pin, buzzer_pin = (use.gpio if use else None for use in (key_use, buzzer_use))
    return Profile(
        profile_name, board_title, size, sensors.sensing, lamps.chain, power_supply, board_body, key_pin, buzzer_pin
    )


def _parse_supply(root: TomlTable, lamps: ParsedLamps) -> PowerSupply | None:
    table = root.read_table("supply", "source and current_ma")
    source = table.read_field(SupplyFields.source)
    current = table.read_number(SupplyFields.current_ma)
    table.check_keys()
    if source == "pi" and current <= pi_header.PI_CURRENT_MA:
        needs = f"The Pi itself needs {pi_header.PI_CURRENT_MA:g} mA"
        sentence = f"{needs}, and from {current:g} nothing is left for the lamps. Take a larger supply."
        table.add_fault("current_ma", sentence)
    if sentence := _overload_sentence(source, current, lamps.budget_ma):
        lamps.table.add_fault("budget_ma", sentence)
    return PowerSupply(source, current) if source else None


def _overload_sentence(source: str | None, current_ma: float, budget: float) -> str:
    """What is wrong if the lamps may draw more than their supply, or the Pi's pins, should give; else nothing. In mA."""
    most_ma, left_ma = pi_header.HEADER_CURRENT_MA, current_ma - pi_header.PI_CURRENT_MA
    why, advice = (
        f"The Pi's 5 V pins give lamps {most_ma:g} mA:",
        'give the lamps a supply of their own (source = "own").',
    )
    if source == "own":
        most_ma, advice = current_ma * pi_header.SUPPLY_LOAD_PERCENT / 100, "take a larger supply."
        why = f"A supply should not run at more than {pi_header.SUPPLY_LOAD_PERCENT} %: of {current_ma:g} mA"
    elif 0 < left_ma < most_ma:
        most_ma = left_ma
        why = f"The supply's {current_ma:g} mA leave {left_ma:g} when the Pi has its {pi_header.PI_CURRENT_MA:g}:"
    return f"{why} write {most_ma:g} or less, not {budget:g}, or {advice}" if source and budget > most_ma else ""


def _parse_pin(root: TomlTable, table_name: str, pin_field: IntegerField, pin_role: str) -> PinUse | None:
    """A table that holds one pin and may be left out."""
    table = root.read_table(table_name)
    gpio = table.read_field(pin_field)
    table.check_keys()
    return None if gpio is None else PinUse(gpio, f"the {table_name}", table.locate_key("pin"), pin_role)


def _parse_body(root: TomlTable, sensors: ParsedSensors) -> BoardBody:
    """What is printed around sensors and lamps. The table may be left out."""
    table = root.read_table("body")
    elsewhere = {"pitch_mm": f"The keys of a NeoTrellis are {TRELLIS_PITCH_MM:g} mm apart. Leave pitch_mm out."}
    is_trellis = sensors.driver == "neotrellis"
    pitch_mm = TRELLIS_PITCH_MM if is_trellis else table.read_number(BodyFields.pitch_mm)
    if sensors.kind == "button":
        sentence = "{} is for pieces with magnets, on hall sensors. Leave it out."
        table.check_keys(elsewhere | {field.key: sentence.format(field.key) for field in _PIECE_FIELDS})
        return BoardBody(pitch_mm)
    diameter_mm, height_mm, reach_mm = map(table.read_number, _PIECE_FIELDS)
    table.check_keys(elsewhere)
    return BoardBody(pitch_mm, (diameter_mm, height_mm), reach_mm)


def _check_trellis(root: TomlTable, size: int | None, sensors: ParsedSensors, lamps: ParsedLamps) -> None:
    """A NeoTrellis is as large as it is, and keys and lamps in one; taking half of it is not provided for."""
    has_keys = sensors.driver == "neotrellis"
    if has_keys and size not in (TRELLIS_ROWS, None):
        root.add_fault("grid", f"A NeoTrellis has {TRELLIS_ROWS} rows of keys: write {TRELLIS_ROWS}, not {size}.")
    if not (lamps.driver and sensors.driver):
        return
    has_lamps = lamps.driver == "neotrellis"
    if has_keys and not has_lamps:
        sentence = f'The keys of a NeoTrellis have its own lamps under them: write "neotrellis", not "{lamps.driver}".'
        lamps.table.add_fault("driver", sentence)
    if has_lamps and not has_keys:
        advice = f'write "neotrellis" for the sensors too, not "{sensors.driver}".'
        lamps.table.add_fault("driver", f"The lamps of a NeoTrellis lie under its keys: {advice}")
    if has_lamps and isinstance(sensors.wiring, TrellisWiring):
        for lamp, cell, location in lamps.drawn_lamps:
            key = sensors.wiring.keys.get(cell, lamp)
            if key != lamp:
                sentence = f"Under {cell} lies key {key}, and its lamp has the same number: {key}, not {lamp}."
                root.faults.append(location.make_fault(sentence))


def _check_gpios(
    sensors: ParsedSensors, lamps: ParsedLamps, key_use: PinUse | None, buzzer_use: PinUse | None
) -> Iterator[ProfileFault]:
    """Everything on the header: what is wired to a GPIO of its own, and what one of the Pi's buses serves."""
    pin_uses = [use for use in (key_use, buzzer_use) if use]
    buses = []
    cell_uses, chips = sensors.pin_uses, sensors.adc_chips
    if lamps.driver == "spi" or lamps.pin == pi_header.SPI0.mosi:
        lamps_bus = ReservedBus(pi_header.SPI0.name, pi_header.SPI0.all_gpios, "the lamps")
        buses.append(lamps_bus)
        location = sensors.table.locate_key("driver")
        crowded = list(header_checks.check_header_room(sensors.size, sensors.driver, location))
        yield from (*crowded, *header_checks.check_lamp_bus(chips))
        # and of those in the lamps' way no more need be said
        cell_uses = [use for use in cell_uses if not (crowded and use.gpio in lamps_bus.gpios)]
        chips = [chip for chip in chips if not set(chip.adc_pins) & set(lamps_bus.gpios)]
    elif lamps.pin is not None:
        pin_uses.append(PinUse(lamps.pin, "the lamps", lamps.table.locate_key("pin"), "out"))
        yield from header_checks.check_buzzer_pwm(lamps.pin, buzzer_use)
    yield from header_checks.check_chip_selects(chips)
    served_pins, buses_of_chips = header_checks.list_chip_pins(chips)
    pin_uses += cell_uses + served_pins
    buses += buses_of_chips
    if sensors.driver in ("mcp23017", "neotrellis"):
        buses.append(ReservedBus("I2C", pi_header.I2C_GPIOS, "the sensors"))
    yield from header_checks.check_gpios(pin_uses, buses)

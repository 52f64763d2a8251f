"""From the text of a profile to the profile, or to everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from pond_hw.profile import header_checks, pi_header
from pond_hw.profile.board_profile import PowerSupply, Profile, TrellisWiring
from pond_hw.profile.body import parse_body
from pond_hw.profile.faults import ProfileError, ProfileFault
from pond_hw.profile.field_kinds import IntegerField
from pond_hw.profile.fields import (
    PROFILE_FORMAT,
    TRELLIS_ROWS,
    BuzzerFields,
    KeyFields,
    RootFields,
    SupplyFields,
)
from pond_hw.profile.header_checks import PinUse, ReservedBus
from pond_hw.profile.lamps import ParsedLamps, parse_lamps, parse_strips
from pond_hw.profile.sensors import ParsedSensors, parse_sensors
from pond_hw.profile.toml_positions import LineLookup, TomlPositions
from pond_hw.profile.toml_table import TomlTable


def parse_profile(text: str, name: str) -> Profile:
    """Read a profile strictly.

    Args:
        text: the whole file, TOML.
        name: what the profile is to be called.

    Raises:
        ProfileError: everything that is wrong with it, each fault with its place and how to mend it.
    """
    error = partial(ProfileError.for_profile, name)
    profile, faults = parse_values(*parse_toml(text, error), name)
    if profile is None or faults:
        raise error(faults)
    return profile


def parse_toml(
    text: str, error: Callable[[list[ProfileFault]], ProfileError]
) -> tuple[dict[str, object], TomlPositions]:
    """What TOML makes of a text, and where everything stands in it.

    Args:
        text: the whole file.
        error: makes the error to raise.

    Raises:
        ProfileError: it is no TOML.
    """
    text = text.removeprefix("\ufeff")  # some editors begin a UTF-8 file with a mark that it is one
    try:
        return tomllib.loads(text), TomlPositions(text)
    except (ValueError, RecursionError) as reason:
        raise error([_toml_fault(text, reason)]) from None


def parse_values(
    values: Mapping[str, object], places: LineLookup, name: str
) -> tuple[Profile | None, list[ProfileFault]]:
    """A profile from what TOML gives, as far as it can be read, and all that is wrong with it."""
    faults: list[ProfileFault] = []
    return _parse_root(TomlTable(values, (), places, faults), name), faults


def check_format(root: TomlTable, files: str, known: int) -> None:
    """Whether files, so called, have the form that is known here."""
    form = root.read_field(RootFields.format)
    if form not in (known, None):
        root.add_fault("format", f"This program reads {files} of format {known}, not {form}.")


def _toml_fault(text: str, error: ValueError | RecursionError) -> ProfileFault:
    """What `tomllib` does not understand; only this can be told then."""
    if isinstance(error, RecursionError):
        return ProfileFault(1, "", "Lists or tables lie too deep inside each other. A profile needs two levels.")
    last = "Mend this first: the rest is read only then."
    if not isinstance(error, tomllib.TOMLDecodeError):
        lines = text.split("\n")
        line = next((number for number, line in enumerate(lines, 1) if re.search("[0-9_]{1000}", line)), 1)
        return ProfileFault(line, "", f"A number here has too many digits to be read. {last}")
    why, _, where = str(error).rpartition(" (at ")
    sentence = f"This is not TOML: {_plain_reason(why)}. {last}"
    if place := re.fullmatch(r"line (\d+), column (\d+)\)", where):
        return ProfileFault(int(place[1]), f"column {place[2]}", sentence)
    return ProfileFault(text.rstrip("\n").count("\n") + 1, "at the end", sentence)


def _plain_reason(why: str) -> str:
    if why == "Cannot overwrite a value":
        return "the same key is given a second time"
    if why.startswith("Cannot declare") and why.endswith("twice"):
        return "the same table begins a second time"
    return why[:1].lower() + why[1:]


def _parse_root(root: TomlTable, name: str) -> Profile | None:
    """Read every table, hold them against each other, and put the profile together if nothing is missing."""
    check_format(root, "profiles", PROFILE_FORMAT)
    title = root.read_field(RootFields.title)
    size = root.read_field(RootFields.grid)
    strips = parse_strips(root)
    sensors = parse_sensors(root, size)
    lamps = parse_lamps(root, strips, size)
    supply = _parse_supply(root, lamps)
    key = _parse_pin(root, "key", KeyFields.pin, "in")
    buzzer = _parse_pin(root, "buzzer", BuzzerFields.pin, "out")
    body = parse_body(root, sensors.driver, sensors.kind)
    root.check_keys()

    _check_trellis(root, size, sensors, lamps)
    if sensors.driver == "simulated" and "key" in root:
        # Fingers in memory bring a key of their own, or none: the one on the header is not read beside them.
        root.add_fault("key", "Simulated sensors have no key: this one would never be read. Leave [key] out.")
        key = None  # and of what is to be left out no more need be said
    root.faults.extend(_check_gpios(size, sensors, lamps, key, buzzer))
    if not (title and size and sensors.sensing and lamps.chain and supply):
        return None
    return Profile(
        name,
        title,
        size,
        sensors.sensing,
        lamps.chain,
        supply,
        body,
        key_pin=key.gpio if key else None,
        buzzer_pin=buzzer.gpio if buzzer else None,
    )


def _parse_supply(root: TomlTable, lamps: ParsedLamps) -> PowerSupply | None:
    table = root.read_table("supply", "source and current_ma")
    source = table.read_field(SupplyFields.source)
    current = table.read_number(SupplyFields.current_ma)
    table.check_keys()
    if source == "pi" and current <= pi_header.PI_CURRENT_MA:
        table.add_fault(
            "current_ma",
            f"The Pi itself needs {pi_header.PI_CURRENT_MA:g} mA, and from {current:g} nothing is left for the lamps. "
            "Take a larger supply.",
        )
    if sentence := _overload_sentence(source, current, lamps.budget_ma):
        lamps.table.add_fault("budget_ma", sentence)
    return PowerSupply(source, current) if source else None


def _overload_sentence(source: str | None, current: float, budget: float) -> str:
    """What is wrong if the lamps may draw more than their supply, or the Pi's pins, should give; else nothing. In mA."""
    if source == "own":
        most = current * pi_header.SUPPLY_LOAD_PERCENT / 100
        sentence = (
            f"A supply should not run at more than {pi_header.SUPPLY_LOAD_PERCENT} %: of {current:g} mA write {most:g} "
            f"or less, not {budget:g}, or take a larger supply."
        )
        return sentence if budget > most else ""
    most, left = pi_header.HEADER_CURRENT_MA, current - pi_header.PI_CURRENT_MA
    why = f"The Pi's 5 V pins give lamps {most:g} mA"
    if 0 < left < most:
        most = left
        why = f"The supply's {current:g} mA leave {left:g} when the Pi has its {pi_header.PI_CURRENT_MA:g}"
    sentence = (
        f'{why}: write {most:g} or less, not {budget:g}, or give the lamps a supply of their own (source = "own").'
    )
    return sentence if source == "pi" and budget > most else ""


def _parse_pin(root: TomlTable, name: str, field: IntegerField, role: str) -> PinUse | None:
    """A table that holds one pin and may be left out."""
    table = root.read_table(name)
    gpio = table.read_field(field)
    table.check_keys()
    return None if gpio is None else PinUse(gpio, f"the {name}", table.locate_key("pin"), role)


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
        sentence = (
            f'The lamps of a NeoTrellis lie under its keys: write "neotrellis" for the sensors too, not '
            f'"{sensors.driver}".'
        )
        lamps.table.add_fault("driver", sentence)
    if has_lamps and isinstance(sensors.wiring, TrellisWiring):
        for lamp, cell, place in lamps.drawn_lamps:
            key = sensors.wiring.keys.get(cell, lamp)
            if key != lamp:
                sentence = f"Under {cell} lies key {key}, and its lamp has the same number: {key}, not {lamp}."
                root.faults.append(place.make_fault(sentence))


def _check_gpios(
    size: int | None,
    sensors: ParsedSensors,
    lamps: ParsedLamps,
    key: PinUse | None,
    buzzer: PinUse | None,
) -> Iterator[ProfileFault]:
    """Everything on the header: what is wired to a GPIO of its own, and what one of the Pi's buses serves."""
    uses = [use for use in (key, buzzer) if use]
    buses = []
    cells, chips = sensors.pin_uses, sensors.adc_chips
    if lamps.uses_spi:
        lamps_bus = ReservedBus.for_spi0("the lamps")
        buses.append(lamps_bus)
        crowded = list(header_checks.check_header_room(size, sensors.driver, sensors.table.locate_key("driver")))
        yield from (*crowded, *header_checks.check_lamp_bus(chips))
        # and of those in the lamps' way no more need be said
        cells = [use for use in cells if not (crowded and use.gpio in lamps_bus.gpios)]
        chips = [chip for chip in chips if not set(chip.adc_pins) & set(lamps_bus.gpios)]
    elif lamps.pin is not None:
        uses.append(PinUse(lamps.pin, "the lamps", lamps.table.locate_key("pin"), "out"))
        yield from header_checks.check_buzzer_pwm(lamps.pin, buzzer)
    yield from header_checks.check_chip_selects(chips)
    served, buses_of_chips = header_checks.list_chip_pins(chips)
    uses += cells + served
    buses += buses_of_chips
    if sensors.driver in ("mcp23017", "neotrellis"):
        buses.append(ReservedBus("I2C", pi_header.I2C_GPIOS, "the sensors"))
    yield from header_checks.check_gpios(uses, buses)

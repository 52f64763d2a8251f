"""Parse the text of a profile, or report all its faults."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial

from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import name_rejected_character
from pond_hw.profile import fields, gpio_checks, pi_header, pico_header
from pond_hw.profile.board_profile import BoardBody, PowerSupply, Profile, TrellisWiring
from pond_hw.profile.faults import ProfileError, ProfileFault, quote_text
from pond_hw.profile.field_kinds import IntegerField, parse_integer
from pond_hw.profile.fields import PROFILE_FORMAT, TRELLIS_ROWS, BodyFields, RootFields, SupplyFields
from pond_hw.profile.gpio_checks import PinUse, ReservedBus
from pond_hw.profile.parse_lamps import ParsedLamps, parse_lamps, parse_strips
from pond_hw.profile.parse_sensors import ParsedSensors, parse_sensors
from pond_hw.profile.toml_positions import TomlPositions
from pond_hw.profile.toml_table import LocatedList, TomlTable
from pond_hw.rules import DARK, LIGHT, Cell, Side

TURN_KEY_FAULTS: tuple[set[str], ...] = (
    *(set(), {"light"}, {"dark"}),
    *({"light", "common"}, {"dark", "common"}, {"light", "dark", "common"}),
)
"""Invalid combinations in [keys]: there must be a turn key for each side, or one for both sides."""

TURNED_MAGNET_MM = 2.0
"""Default height in mm of the magnets in pieces with three of them: higher ones move the pieces in the next cells."""


def parse_profile(text: str, name: str) -> Profile:
    """Parse the text of a profile strictly.

    Raises:
        ProfileError: all faults, each with its location and a correction.
    """
    make_error = partial(ProfileError.for_file, f"{name}.toml")
    root = parse_toml(text, make_error)
    profile = parse_root(root, name)
    if profile is None or root.faults:
        raise make_error(root.faults)
    return profile


def parse_toml(toml_text: str, make_error: Callable[[list[ProfileFault]], ProfileError]) -> TomlTable:
    """Parse TOML into a table without faults.

    Raises:
        ProfileError: the text isn't valid TOML. `make_error` creates the error.
    """
    toml_text = toml_text.removeprefix("\ufeff")  # byte order mark from some editors
    try:
        return TomlTable(tomllib.loads(toml_text), (), TomlPositions(toml_text), [])
    except (ValueError, RecursionError) as reason:
        raise make_error([_toml_fault(toml_text, reason)]) from None


def is_newer_format(root: TomlTable, known_format: int) -> bool:
    """Return True, and add this fault, if a file is from a newer version of Pond. Everything else in it may have changed, too."""
    found_format = root.read_field(RootFields.format)
    if found_format is None or found_format <= known_format:
        return False
    root.add_fault("format", Message("profile.newer_format", known=known_format, found=found_format))
    return True


def _toml_fault(toml_text: str, toml_error: ValueError | RecursionError) -> ProfileFault:
    if isinstance(toml_error, RecursionError):
        return ProfileFault(1, "", Message("profile.toml.too_deep"))
    if not isinstance(toml_error, tomllib.TOMLDecodeError):
        text_lines = toml_text.split("\n")
        line = next((number for number, line in enumerate(text_lines, 1) if re.search("[0-9_]{1000}", line)), 1)
        return ProfileFault(line, "", Message("profile.toml.long_number"))
    error_text, _, place_text = str(toml_error).rpartition(" (at ")
    reason = _explain_toml_error(error_text)
    if odd_character := name_rejected_character(toml_text, toml_error):
        reason = Message("profile.toml.odd_character", character=odd_character)
    if place_match := re.fullmatch(r"line (\d+), column (\d+)\)", place_text):
        return ProfileFault(int(place_match[1]), Message("profile.place.column", column=int(place_match[2])), reason)
    return ProfileFault(toml_text.rstrip("\n").count("\n") + 1, Message("profile.place.end"), reason)


def _explain_toml_error(error_text: str) -> Message:
    if error_text == "Cannot overwrite a value":
        return Message("profile.toml.second_key")
    if error_text.startswith("Cannot declare") and error_text.endswith("twice"):
        return Message("profile.toml.second_table")
    return Message("profile.toml.other", error=error_text)


def parse_root(root: TomlTable, profile_name: str) -> Profile | None:
    """Parse every table, check the tables against each other, and return the profile if it is complete.

    New faults are added to `root.faults`.
    """
    if is_newer_format(root, PROFILE_FORMAT):
        return None
    board_title = root.read_field(RootFields.title)
    size = root.read_field(RootFields.grid)
    controller = root.read_field(RootFields.controller)
    score_strips = parse_strips(root)
    turn_keys, key_lamps = _parse_turn_keys(root)
    sensors = parse_sensors(root, size)
    lamps = parse_lamps(root, score_strips, key_lamps, size, any_pin=controller != "pi")
    power_supply = _parse_supply(root, lamps, controller)
    undo_key_use = _parse_pin(root, "undo_key", fields.UndoKeyFields.pin, "in")
    buzzer_use = _parse_pin(root, "buzzer", fields.BuzzerFields.pin, "out")
    board_body = _parse_body(root, sensors)
    root.check_keys()

    _check_trellis(root, size, sensors, lamps)
    key_uses = [*([undo_key_use] if undo_key_use else []), *turn_keys.values()]
    if sensors.driver == "simulated":
        for table_name in [name for name in ("undo_key", "keys") if name in root.values]:
            root.add_fault(table_name, Message("profile.simulated.key", table=table_name))
        key_uses = []  # the keys must be removed anyway, so their GPIOs need no check
    if controller == "pico":
        _check_pico(root, sensors, lamps, key_uses)
    elif controller:
        root.faults.extend(_check_gpios(sensors, lamps, key_uses, buzzer_use))
    if not (board_title and size and controller and sensors.sensing and lamps.chain and power_supply):
        return None
    undo_key_pin, buzzer_pin = (use.gpio if use else None for use in (undo_key_use, buzzer_use))
    parts = sensors.sensing, lamps.chain, power_supply, board_body
    turn_key_pins = {side: use.gpio for side, use in turn_keys.items()}
    return Profile(
        profile_name, board_title, size, *parts, undo_key_pin, buzzer_pin, controller, turn_key_pins=turn_key_pins
    )


def _parse_supply(root: TomlTable, lamps: ParsedLamps, controller: str | None) -> PowerSupply | None:
    table = root.read_table("supply", "source", "current_ma")
    source = table.read_field(SupplyFields.source)
    current = table.read_number(SupplyFields.current_ma)
    table.check_keys()
    shared_source = "usb" if controller == "pico" else "pi"
    if source and controller and source not in (shared_source, "own"):
        table.add_fault("source", Message(f"profile.supply.{controller}", source=quote_text(shared_source)))
        return None
    if source == "pi" and current <= pi_header.PI_CURRENT_MA:
        table.add_fault("current_ma", Message("profile.supply.too_small", pi=pi_header.PI_CURRENT_MA, supply=current))
    if source and (reason := _explain_overload(source, current, lamps.budget_ma)):
        lamps.table.add_fault("budget_ma", reason)
    return PowerSupply(source, current) if source else None


def _explain_overload(source: str, supply: float, budget: float) -> Message | None:
    """Return a message if the lamps may draw more than the supply or the Pi's pins can provide. All values are in mA."""
    if source == "own":
        percent, most = pi_header.SUPPLY_LOAD_PERCENT, supply * pi_header.SUPPLY_LOAD_PERCENT / 100
        reason = Message("profile.budget.above_own_supply", percent=percent, supply=supply, most=most, budget=budget)
        return reason if budget > most else None
    if source == "usb":
        most = min(supply, pico_header.USB_CURRENT_MA) - pico_header.PICO_CURRENT_MA
        reason = Message("profile.budget.above_usb", most=most, pico=pico_header.PICO_CURRENT_MA, budget=budget)
        return reason if budget > most else None
    pi, most, left = pi_header.PI_CURRENT_MA, pi_header.HEADER_CURRENT_MA, supply - pi_header.PI_CURRENT_MA
    if 0 < left < most:
        reason = Message("profile.budget.above_pi_supply", pi=pi, supply=supply, most=left, budget=budget)
        return reason if budget > left else None
    return Message("profile.budget.above_header", most=most, budget=budget) if budget > most else None


def _parse_pin(root: TomlTable, table_name: str, pin_field: IntegerField, pin_role: str) -> PinUse | None:
    table = root.read_table(table_name)
    gpio = table.read_field(pin_field)
    table.check_keys()
    location = table.locate_key("pin")
    return None if gpio is None else PinUse(gpio, location.place, location, pin_role)


def _parse_turn_keys(root: TomlTable) -> tuple[dict[Side | None, PinUse], LocatedList[int]]:
    table = root.read_table("keys")
    fields_by_side: dict[Side | None, IntegerField] = {
        LIGHT: fields.TurnKeyFields.light,
        DARK: fields.TurnKeyFields.dark,
        None: fields.TurnKeyFields.common,
    }
    uses: dict[Side | None, PinUse] = {}
    for side, pin_field in fields_by_side.items():
        if (gpio := table.read_field(pin_field)) is not None:
            location = table.locate_key(pin_field.key)
            uses[side] = PinUse(gpio, location.place, location, "in")
    key_lamps = table.read_list(fields.TurnKeyFields.lamps, parse_integer)
    table.check_keys()
    if isinstance(root.values.get("keys"), dict) and set(table.values) - {"lamps"} in TURN_KEY_FAULTS:
        root.add_fault("keys", Message("profile.keys.sides"))
    elif key_lamps.length and uses and key_lamps.length != len(uses):
        table.add_fault("lamps", Message("profile.keys.lamps", keys=len(uses), found=key_lamps.length))
    return uses, key_lamps


def _parse_body(root: TomlTable, sensors: ParsedSensors) -> BoardBody:
    table = root.read_table("body")
    diameter, height = BodyFields.magnet_mm, BodyFields.magnet_height_mm
    if sensors.kind == "button":
        table.check_keys({each.key: Message("profile.buttons.body", key=each.key) for each in (diameter, height)})
        return BoardBody()
    if sensors.sensing and sensors.sensing.turned_pieces:
        height = height.with_bounds(height.low, height.high, TURNED_MAGNET_MM)
    magnet_size = table.read_number(diameter), table.read_number(height)
    table.check_keys()
    return BoardBody(magnet_size)


def _check_trellis(root: TomlTable, size: int | None, sensors: ParsedSensors, lamps: ParsedLamps) -> None:
    has_keys = sensors.driver == "neotrellis"
    if has_keys and size and size != TRELLIS_ROWS:
        root.add_fault("grid", Message("profile.trellis.grid", rows=TRELLIS_ROWS, found=size))
    if not (lamps.driver and sensors.driver):
        return
    has_lamps = lamps.driver == "neotrellis"
    if has_keys and not has_lamps:
        lamps.table.add_fault("driver", Message("profile.trellis.lamps", driver=quote_text(lamps.driver)))
    if has_lamps and not has_keys:
        lamps.table.add_fault("driver", Message("profile.trellis.keys", driver=quote_text(sensors.driver)))
    if has_lamps and isinstance(sensors.wiring, TrellisWiring):
        for lamp, cell, location in lamps.drawn_lamps:
            key = sensors.wiring.keys.get(cell, lamp) if isinstance(cell, Cell) else lamp
            if key != lamp:
                reason = Message("profile.trellis.lamp_of_key", cell=cell, key=key, lamp=lamp)
                root.faults.append(location.make_fault(reason))


def _check_pico(root: TomlTable, sensors: ParsedSensors, lamps: ParsedLamps, key_uses: list[PinUse]) -> None:
    if sensors.driver and sensors.driver not in fields.PICO_DRIVERS:
        drivers = tuple(map(quote_text, fields.PICO_DRIVERS))
        sensors.table.add_fault("driver", Message("profile.pico.driver", drivers=drivers))
        return
    if lamps.driver not in ("auto", None):
        lamps.table.add_fault("driver", Message("profile.pico.lamps"))
    if "buzzer" in root.values:
        root.add_fault("buzzer", Message("profile.pico.buzzer"))
    pin_uses = [*sensors.pin_uses, *key_uses]
    if lamps.pin is not None:
        location = lamps.table.locate_key("pin")
        pin_uses.append(PinUse(lamps.pin, location.place, location, "out"))
    has_bus = sensors.driver in fields.I2C_DRIVERS
    buses = [ReservedBus("I2C", pico_header.I2C_GPIOS, ("sensors",))] if has_bus else []
    root.faults.extend(gpio_checks.check_pico_gpios(pin_uses, buses))


def _check_gpios(
    sensors: ParsedSensors, lamps: ParsedLamps, key_uses: list[PinUse], buzzer_use: PinUse | None
) -> Iterator[ProfileFault]:
    pin_uses = [*key_uses, *([buzzer_use] if buzzer_use else [])]
    buses = []
    cell_uses, chips = sensors.pin_uses, sensors.adc_chips
    if lamps.driver == "spi" or lamps.pin == pi_header.SPI0.mosi:
        lamps_bus = ReservedBus(pi_header.SPI0.name, pi_header.SPI0.all_gpios, ("lamps",))
        buses.append(lamps_bus)
        location = sensors.table.locate_key("driver")
        room_faults = list(gpio_checks.check_header_room(sensors.size, sensors.driver, location))
        yield from (*room_faults, *gpio_checks.check_lamp_bus(chips))
        # If the board has too few GPIOs, conflicts on the lamps' bus need no faults of their own.
        cell_uses = [use for use in cell_uses if not (room_faults and use.gpio in lamps_bus.gpios)]
        chips = [chip for chip in chips if not set(chip.adc_pins) & set(lamps_bus.gpios)]
    elif lamps.pin is not None:
        location = lamps.table.locate_key("pin")
        pin_uses.append(PinUse(lamps.pin, location.place, location, "out"))
        yield from gpio_checks.check_buzzer_pwm(lamps.pin, buzzer_use)
    yield from gpio_checks.check_chip_selects(chips)
    served_pins, buses_of_chips = gpio_checks.list_chip_pins(chips)
    pin_uses += cell_uses + served_pins
    buses += buses_of_chips
    if sensors.driver in fields.I2C_DRIVERS:
        buses.append(ReservedBus("I2C", pi_header.I2C_GPIOS, ("sensors",)))
    yield from gpio_checks.check_gpios(pin_uses, buses)

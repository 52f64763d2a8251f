"""Profile fields by table: meaning, bounds, default, and whether set-up may measure them.

The reader, the calibration files and the table of keys in docs/profile.md all use these definitions.
"""

from __future__ import annotations

from typing import Any

from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import MatrixCrossing
from pond_hw.profile.chips import CONVERTERS, EXPANDERS, AdcChannel, Converter, Expander, ExpanderPin
from pond_hw.profile.field_kinds import (
    ChoiceField,
    ColourOrderField,
    DrawnField,
    Field,
    IntegerField,
    LineField,
    ListField,
    NumberField,
    WordForm,
    format_address,
)
from pond_hw.rules import SIZES

PROFILE_FORMAT = 1

SCAN_RATES = {
    "gpio": (20, 500, 200),
    "matrix": (20, 250, 125),  # its lines are read one after the other
    **{name: chip.scan_rates for name, chip in (EXPANDERS | CONVERTERS).items()},
    "neotrellis": (10, 60, 50),  # its library sleeps for 8 to 13 ms in each reading
    "simulated": (20, 500, 125),
}
"""Minimum, maximum and default readings per second of each sensor driver."""

NO_BOUNCE_DRIVERS = ("neotrellis", "simulated")
"""Drivers without bounce: a NeoTrellis debounces its keys itself, and simulated sensors do not bounce."""

DEBOUNCE_MS = {"button": (1, 200, 8), "hall": (10, 1000, 60)}
"""Minimum, maximum and default debounce time in ms."""

SETTLE_MS = {"button": (0, 5000, 0), "hall": (100, 5000, 250)}
"""Minimum, maximum and default settle time in ms."""

REST_COUNTS = (256, 767)
"""Range of a linear hall sensor's reading without a magnet: the middle half of its supply voltage."""

TRELLIS_ROWS = 4
"""Number of rows of a NeoTrellis, each with 4 lit keys."""

CONTROLLERS = ("pi", "pico")

PICO_DRIVERS = ("gpio", "matrix", *(name for name, chip in EXPANDERS.items() if chip.on_pico))

LAMP_DRIVERS = (*pi_header.LAMP_PINS, "neotrellis", "simulated")

COLOUR_ORDERS = ("GRB", "RGB", "BRG", "RBG", "GBR", "BGR")
"""Colour orders of lamps; the first is by far the most common."""

LAMP_ENCODINGS = ("auto", "byte", "packed")
"""Encodings of the lamps' bits on SPI; `auto` depends on the machine."""

MAX_LAMPS = 2000
"""Maximum number of lamps: enough for 25 cells of 64 lamps and two long strips."""

MAX_CURRENT_MA = 20_000
"""Maximum current in mA that a profile may specify: 100 W is enough for a tabletop."""


def _expander_form(chip: Expander) -> WordForm[ExpanderPin]:
    addresses, ports = [f"{address:x}" for address in chip.addresses], [port.drawn for port in chip.ports]
    bits = [bit for bit in range(8) if bit != chip.reserved_bit]
    first, last = f"{ports[0]}{bits[0]}", f"{ports[-1]}{bits[-1]}"
    limits = {"low": addresses[0], "high": addresses[-1], "first": first, "last": last}
    return WordForm(
        "expander",
        rf"({'|'.join(addresses)})\.({'|'.join(ports)})([0-7])",
        lambda address, port, bit: ExpanderPin(int(address, 16), chip.find_port(port).name, int(bit)),
        " ".join(f"{addresses[0]}.{ports[0]}{bit}" for bit in bits[:4]),
        limits,
    )


def _converter_form(chip: Converter) -> WordForm[AdcChannel]:
    last = chip.channel_count - 1
    return WordForm(
        "converter",
        f"([A-Z])([0-{last}])",
        lambda letter, channel: AdcChannel(letter, int(channel)),
        "A0 A1 A2 A3",
        {"last": last},
    )


WORD_FORMS: dict[str, WordForm[Any]] = {
    "gpio": WordForm("gpio", "([0-9]{1,2})", int, "4 5 6 12"),
    "matrix": WordForm(
        "matrix",
        "([0-9]{1,2})/([0-9]{1,2})",
        lambda drive, sense: MatrixCrossing(int(drive), int(sense)),
        "5/17 5/22 5/23 5/24",
    ),
    **{name: _expander_form(chip) for name, chip in EXPANDERS.items()},
    **{name: _converter_form(chip) for name, chip in CONVERTERS.items()},
    "neotrellis": WordForm("neotrellis", "(0?[0-9]|1[0-5])", int, "0 1 2 3"),
}

REST_FORM = WordForm("rest", "([0-9]{1,4})", int, limits={"low": REST_COUNTS[0], "high": REST_COUNTS[1]})

LAMP_FORM = WordForm("lamp", "([0-9]{1,4})", int, "0 1 2 3")


def debounce_form(low: float, high: float) -> WordForm[float]:
    return WordForm(
        "debounce",
        r"([0-9]{1,4}(?:\.[0-9]{1,3})?)",
        lambda word: float(word) if low <= float(word) <= high else None,
        limits={"low": low, "high": high},
    )


I2C_DRIVERS = (*EXPANDERS, "neotrellis")

_ANALOG = tuple(CONVERTERS)


def _gpio_field(meaning: str, example: str, limits: str = "see below", default_text: str = "") -> IntegerField:
    return IntegerField(meaning, 0, 27, kind="gpio", example=example, limits=limits, default_text=default_text)


class RootFields:
    """Top-level keys."""

    format = IntegerField("version of the file format", 1, 99, example=str(PROFILE_FORMAT), limits=str(PROFILE_FORMAT))
    title = LineField("one-line description of the board", example='"Sixteen switches on the header"')
    grid = IntegerField("rows and columns", SIZES[0], SIZES[-1], example="4", limits=", ".join(map(str, SIZES)))
    controller = ChoiceField(
        "controller of sensors and lamps: a Raspberry Pi, or a Raspberry Pi Pico on a USB cable",
        CONTROLLERS,
        default=CONTROLLERS[0],
    )


class SensorFields:
    """Keys of [sensors]."""

    kind = ChoiceField("kind of sensors: buttons, or hall sensors for magnets", tuple(DEBOUNCE_MS), example='"button"')
    driver = ChoiceField("driver that reads the sensors", tuple(SCAN_RATES), example='"gpio"', limits="see below")
    scans = NumberField(
        "minimum number of readings of all cells while something moves",
        10,
        500,
        limits="1/s; see below",
        default_text="see below",
    )
    cells = DrawnField("wiring of each cell", default_text="required, unless simulated", drivers=tuple(WORD_FORMS))
    debounce_ms = NumberField(
        "time for which a reading must stay the same before it counts, at least two readings: one number, or a drawing with a "
        "number for each cell",
        0,
        1000,
        limits="ms; button 1 to 200, hall 10 to 1000",
        default_text="8; hall 60; neotrellis, simulated 0",
        measured=True,
        drawn=True,
    )
    settle_ms = NumberField(
        "time for which the pieces must stay still before a move counts",
        100,
        5000,
        unit="ms",
        default_text="250; buttons: 0",
        measured=True,
    )
    pieces = ChoiceField(
        "plain: only the lamps show whether a piece is an egg, tadpole or frog; turned: the piece shows it too, and you "
        "turn it over when it grows; hall only",
        ("plain", "turned"),
        default="plain",
    )
    bus = IntegerField("I2C bus", 0, 99, default=1, limits="1", drivers=I2C_DRIVERS)
    address = IntegerField(
        "I2C address", 0x2E, 0x4D, default=0x2E, drivers=("neotrellis",), kind="address", quote=format_address
    )
    rest = DrawnField(
        "reading of each sensor with no magnet near",
        limits="256 to 767",
        default_text="512 everywhere",
        drivers=_ANALOG,
    )
    on = IntegerField(
        "difference from `rest`, in counts (0 to 1023), at which a sensor detects a magnet",
        10,
        250,
        default=60,
        drivers=_ANALOG,
        measured=True,
    )
    off = IntegerField(
        "difference from `rest` at which the magnet counts as gone; less than `on`",
        1,
        249,
        default=30,
        drivers=_ANALOG,
        measured=True,
    )
    light = ChoiceField(
        "readings of Light's pieces: above or below `rest`",
        ("above", "below"),
        default="above",
        drivers=_ANALOG,
        measured=True,
    )
    chips = Field[object]("table of the chips", limits="see below", default_text="required", drivers=_ANALOG)
    bad = ListField[str](
        "cells with broken sensors, which Pond ignores; hall only",
        noun="cells",
        sample='["b3", "c1"]',
        measured=True,
    )


class ChipFields:
    """Keys of an entry in [sensors.chips]: the GPIOs of a converter."""

    clock, mosi, miso, select = (_gpio_field("a GPIO", example) for example in ("21", "20", "19", "18"))


class LampFields:
    """Keys of [lamps]."""

    driver = ChoiceField("driver of the lamps", LAMP_DRIVERS, example='"auto"', limits="see below")
    pin = _gpio_field("GPIO that sends the data", "10", default_text="required, unless neotrellis or simulated")
    count = IntegerField("number of lamps in the chain", 1, MAX_LAMPS, example="16")
    cells = DrawnField(
        "numbers of each cell's lamps, counted along the chain from 0",
        limits="1, 4, 9 … 64 lamps a cell",
        default_text="required",
    )
    unused = ListField[int]("lamps that stay dark, such as a first lamp that only shifts the signal level")
    colours = ColourOrderField(
        "order of the colours in the lamp data; not for a NeoTrellis",
        COLOUR_ORDERS,
        default=COLOUR_ORDERS[0],
        measured=True,
    )
    encoding = ChoiceField(
        "encoding of the lamp data on SPI; `auto` and `spi` only",
        LAMP_ENCODINGS,
        default=LAMP_ENCODINGS[0],
        measured=True,
    )
    brightness = NumberField("factor that dims all lamps", 0.01, 1, default=1, measured=True)
    budget_ma = NumberField("maximum current of all lamps together", 1, MAX_CURRENT_MA, unit="mA", example="400")
    slew_ma = NumberField(
        "maximum rise of the current per frame",
        1,
        MAX_CURRENT_MA,
        limits="mA, 1 to the budget",
        default_text="0.3 × budget",
    )


class StripFields:
    """Keys of [strips]: the score strips."""

    light = ListField[int]("Light's lamps, beginning with the lamp for the first point", example="[16, 17, 18]")
    dark = ListField[int]("Dark's lamps, as many as Light's", example="[16, 17, 18]")


class SupplyFields:
    """Keys of [supply]: the lamps' power supply."""

    source = ChoiceField(
        "source of the lamps' current: the Pi's 5 V pins, the USB cable of a Pico, or their own supply",
        ("pi", "usb", "own"),
        example='"pi"',
    )
    current_ma = NumberField(
        'current that the lamps\' supply can deliver; with `"pi"`, the Pi\'s supply; with `"usb"`, the computer\'s port',
        100,
        MAX_CURRENT_MA,
        unit="mA",
        example="2500",
    )


class BodyFields:
    """Keys of [body]: the printed parts."""

    magnet_mm = NumberField("diameter of the magnets in a piece; hall only", 4, 10, default=8, unit="mm")
    magnet_height_mm = NumberField(
        "height of the magnets; hall only", 1.5, 5, default=3, unit="mm", default_text="3; turned pieces 2"
    )


class UndoKeyFields:
    """Keys of [undo_key]."""

    pin = _gpio_field(
        "GPIO of the undo key, a switch to ground; held down, it opens the menu",
        "27",
        "not with simulated sensors",
    )


class TurnKeyFields:
    """Keys of [keys]."""

    light = _gpio_field("GPIO of Light's turn key, a switch to ground", "")
    dark = _gpio_field("GPIO of Dark's turn key", "")
    common = _gpio_field("GPIO of one turn key for both sides, instead of `light` and `dark`", "")
    lamps = ListField[int]("lamps in the keys: Light's and Dark's, or only the lamp in the common key")


class BuzzerFields:
    """Keys of [buzzer]."""

    pin = _gpio_field("GPIO of a passive buzzer", "27")


def list_fields(table_class: type) -> dict[str, Any]:
    return {key: class_field for key, class_field in vars(table_class).items() if isinstance(class_field, Field)}


MEASURED_TABLES = {"sensors": SensorFields, "lamps": LampFields}
"""Tables with measurable values; only the builder changes the other tables."""

_FIELDS_BY_HEADING = {heading: list_fields(table).items() for heading, table in MEASURED_TABLES.items()}

MEASURABLE_KEYS = {
    heading: tuple(key for key, field in items if field.measured) for heading, items in _FIELDS_BY_HEADING.items()
}

DRAWN_KEYS = {(heading, key) for heading, items in _FIELDS_BY_HEADING.items() for key, field in items if field.drawn}

"""Five hundred random faults, planted one at a time in the shipped boards: each is found in its place.

A kind of fault is a function that damages a sheet and returns the expected places, or None if it doesn't apply to the
board. Some faults have two places: a lamp drawn twice replaces another one, which is then missing.
"""

import random

import pytest

from pond_hw.messages.catalogue import to_english
from pond_hw.profile import ProfileError, list_shipped, load_profile, parse_profile
from tests.conftest import long_after_first
from tests.profile.sheet import Sheet

REQUIRED = [
    "format",
    "title",
    "grid",
    "sensors.kind",
    "sensors.driver",
    "sensors.cells",
    "lamps.driver",
    "lamps.pin",
    "lamps.count",
    "lamps.cells",
    "lamps.budget_ma",
    "supply.source",
    "supply.current_ma",
    "undo_key.pin",
    "buzzer.pin",
    "strips.light",
    "strips.dark",
]
OPTIONAL = [
    "sensors.bus",
    "sensors.debounce_ms",
    "sensors.settle_ms",
    "sensors.scans",
    "sensors.on",
    "sensors.off",
    "sensors.light",
    "sensors.rest",
    "sensors.address",
    "lamps.brightness",
]
TEXTS = ["title", "sensors.kind", "sensors.driver", "sensors.light", "lamps.driver", "supply.source"]
DRAWINGS = ["sensors.cells", "sensors.rest", "lamps.cells"]
LISTS = ["strips.light", "strips.dark"]
TABLES = ["supply", "undo_key", "buzzer", "lamps"]
CHIP_KEYS = ["clock", "mosi", "miso", "select"]

BOARDS = [name for name in list_shipped() if not name.startswith("usb")]
"""Boards with a Pi, to which most faults apply. faults.txt covers the Pico."""

JUNK = ["true", "nan", "-inf", "2026-11-21", "07:32:00", "{}", "{ a = [1] }", "[[]]", f"0x{'f' * 40}", f"-{'9' * 30}"]
SPI0, SPI1, I2C = [7, 8, 9, 10, 11], [16, 17, 18, 19, 20, 21], [2, 3]

BOUNDS = {
    "grid": (3, 5),
    "sensors.debounce_ms": (10, 1000),
    "sensors.settle_ms": (100, 5000),
    "sensors.scans": (10, 100),
    "sensors.on": (10, 250),
    "sensors.off": (1, 249),
    "sensors.address": (0x2E, 0x4D),
    "lamps.pin": (0, 27),
    "lamps.count": (1, 2000),
    "lamps.brightness": (0.01, 1),
    "lamps.budget_ma": (1, 20000),
    "supply.current_ma": (100, 20000),
    "undo_key.pin": (0, 27),
    "buzzer.pin": (0, 27),
}

KINDS = []


def fault_kind(plant_fault):
    """Register a kind of fault."""
    KINDS.append(plant_fault)
    return plant_fault


def present_keys(sheet, *paths):
    """Return those of the keys that the board has."""
    return [path for path in paths if path in sheet]


def random_word(rng, words):
    """Return the row and column of a random word in a drawing."""
    row = rng.randrange(len(words))
    return row, rng.randrange(len(words[row]))


def has_cells(sheet):
    return "sensors.cells" in sheet


def driver(sheet):
    return sheet.value("sensors.driver").strip('"')


def drawn_pins(sheet):
    return [word for row in sheet.words("sensors.cells") for word in row]


def trellis_places(sheet, row):
    """Return the place reported for a NeoTrellis key drawn apart from its lamp."""
    return [sheet.row("lamps.cells", row)] * (driver(sheet) == "neotrellis")


@fault_kind
def missing_key(sheet, rng):
    path = rng.choice(present_keys(sheet, *REQUIRED))
    table = path.rpartition(".")[0]
    sheet.remove(path)
    return [(sheet.line(table), path)]


@fault_kind
def missing_chip_pin(sheet, rng):
    if "sensors.chips" not in sheet:
        return None
    chip, key = f"sensors.chips.{rng.choice(used_chips(sheet))}", rng.choice(CHIP_KEYS)
    pins = [pair for pair in sheet.value(chip).strip("{} ").split(", ") if not pair.startswith(key)]
    sheet.set_value(chip, f"{{ {', '.join(pins)} }}")
    return [(sheet.line(chip), f"{chip}.{key}")]


@fault_kind
def missing_table(sheet, rng):
    table = rng.choice(["supply", "lamps"])
    sheet.remove(table)
    return [(1, table)]


@fault_kind
def missing_sensors(sheet, rng):
    sheet.remove("sensors")
    if "sensors.chips" in sheet:
        sheet.remove("sensors.chips")
    return [(1, "sensors")]


@fault_kind
def misspelt_key(sheet, rng):
    path = rng.choice(present_keys(sheet, *REQUIRED, *OPTIONAL))
    table, dot, key = path.rpartition(".")
    at = rng.randrange(len(key))
    wrong = key[:at] + key[at] + key[at:]
    line = sheet.line(path)
    sheet.rename(path, wrong)
    return [(line, f"{table}{dot}{wrong}")]


@fault_kind
def misspelt_heading(sheet, rng):
    table = rng.choice(present_keys(sheet, *TABLES))
    at = rng.randrange(len(table))
    wrong = table[:at] + table[at] + table[at:]
    sheet.rename(table, wrong)
    return [(sheet.line(wrong), wrong)]


@fault_kind
def value_of_wrong_type(sheet, rng):
    path = rng.choice(present_keys(sheet, *REQUIRED, *OPTIONAL))
    junk = [*JUNK]
    junk += ["7"] if path in TEXTS + DRAWINGS + LISTS else ['"7"', '""', "[4]"]
    if path in LISTS:
        junk.remove("[[]]")
    sheet.set_value(path, rng.choice(junk))
    return [(sheet.line(path), path)]


@fault_kind
def value_instead_of_table(sheet, rng):
    table = rng.choice(present_keys(sheet, *TABLES))
    sheet.remove(table)
    sheet.add(table, rng.choice(["7", '"7"', "[]", "true"]))
    return [(sheet.line(table), table)]


@fault_kind
def number_out_of_bounds(sheet, rng):
    path = rng.choice(present_keys(sheet, *BOUNDS))
    low, high = BOUNDS[path]
    if path == "grid":
        wrong = rng.choice([-1, 0, 1, 2, 6, 40])
    else:
        far = rng.choice([1, 1, 1000, 10**9])
        wrong = rng.choice([low - far, high + far])
    sheet.set_value(path, str(wrong))
    return [(sheet.line(path), path)]


@fault_kind
def unknown_choice(sheet, rng):
    path = rng.choice(present_keys(sheet, *TEXTS[1:]))
    word = sheet.value(path).strip('"')
    sheet.set_value(path, '"' + rng.choice([f"{word}s", word.upper(), word[::-1] + "x", "x", " " + word]) + '"')
    return [(sheet.line(path), path)]


@fault_kind
def unknown_colour_order(sheet, rng):
    if driver(sheet) == "neotrellis":
        sheet.add("lamps.colours", '"GRB"')
    else:
        wrong = ['"RGBW"', '"grb"', '"RRB"', '"GR"', '"XYZ"', '""', "3", '["G", "R", "B"]']
        sheet.add("lamps.colours", rng.choice(wrong))
    return [(sheet.line("lamps.colours"), "lamps.colours")]


@fault_kind
def unknown_format(sheet, rng):
    sheet.set_value("format", str(rng.choice([2, 3, 99])))
    return [(sheet.line("format"), "format")]


@fault_kind
def named_variant(sheet, rng):
    table = rng.choice(["", *present_keys(sheet, "lamps", "supply", "sensors", "undo_key")])
    path = f"{table}.variant".lstrip(".")
    sheet.add(path, '"standard"')
    return [(sheet.line(path), path)]


@fault_kind
def key_of_other_boards(sheet, rng):
    other = {
        "gpio": ["bus", "address", "on", "off", "rest", "light", "chips"],
        "matrix": ["bus", "address", "on", "off", "rest", "light", "chips"],
        "mcp23017": ["address", "on", "off", "rest", "light", "chips"],
        "mcp3008": ["bus", "address"],
        "neotrellis": ["on", "off", "rest", "light", "chips"],
        "simulated": ["bus", "address", "on", "off", "rest", "light", "chips", "cells"],
    }[driver(sheet)]
    path = f"sensors.{rng.choice(other)}"
    sheet.add(path, "1")
    return [(sheet.line(path), path)]


@fault_kind
def pin_for_lamps_without_wire(sheet, rng):
    if "lamps.pin" in sheet:
        return None
    sheet.add("lamps.pin", str(rng.randrange(28)))
    return [(sheet.line("lamps.pin"), "lamps.pin")]


@fault_kind
def duplicate_cell_wire(sheet, rng):
    if not has_cells(sheet):
        return None
    words = sheet.words("sensors.cells")
    places = [(row, column) for row, line in enumerate(words) for column in range(len(line))]
    (row, column), (other, beside) = sorted(rng.sample(places, 2))
    lost = words[other][beside]
    sheet.set_word("sensors.cells", other, beside, words[row][column])
    if lost == "D0":
        return [sheet.row("sensors.cells", other), (sheet.line("sensors.chips.D"), "sensors.chips.D")]
    return [sheet.row("sensors.cells", other), *trellis_places(sheet, other)]


@fault_kind
def missing_cell(sheet, rng):
    if not has_cells(sheet):
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sheet.set_word("sensors.cells", row, column, "")
    return [sheet.row("sensors.cells", row)]


@fault_kind
def missing_row(sheet, rng):
    path = rng.choice(present_keys(sheet, *DRAWINGS))
    del sheet.lines[rng.choice(sheet.row_indexes(path))]
    return [(sheet.line(path), path)]


@fault_kind
def extra_row(sheet, rng):
    path = rng.choice(present_keys(sheet, *DRAWINGS))
    rows = sheet.row_indexes(path)
    sheet.lines.insert(rows[0], "# here they come")  # not a row
    sheet.lines.insert(rows[-1] + 2, "x")
    return [(sheet.line(path), path), sheet.row(path, len(rows))]


@fault_kind
def extra_cell(sheet, rng):
    if not has_cells(sheet):
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    word = sheet.words("sensors.cells")[row][column]
    channel = "D7" if "sensors.chips.D" in sheet else word
    fresh = {"gpio": "14", "matrix": "14/15", "mcp23017": "27.B6", "mcp3008": channel}.get(driver(sheet), word)
    sheet.set_word("sensors.cells", row, column, f"{word} {fresh}")
    return [sheet.row("sensors.cells", row)] * (2 if fresh == word else 1)


@fault_kind
def unreadable_word(sheet, rng):
    path = rng.choice(present_keys(sheet, *DRAWINGS))
    row, column = random_word(rng, sheet.words(path))
    sheet.set_word(path, row, column, rng.choice(["x", "--", "½", "٣", "1e1", "0x1", "123456", "A", "5/", "a0"]))
    return [sheet.row(path, row)]


@fault_kind
def comma_after_word(sheet, rng):
    path = rng.choice(present_keys(sheet, *DRAWINGS))
    row, column = random_word(rng, sheet.words(path))
    sheet.set_word(path, row, column, sheet.words(path)[row][column] + ",")
    return [sheet.row(path, row)]


@fault_kind
def duplicate_lamp(sheet, rng):
    words = sheet.words("lamps.cells")
    places = [(row, column) for row, line in enumerate(words) for column in range(len(line))]
    (row, column), (other, beside) = sorted(rng.sample(places, 2))
    sheet.set_word("lamps.cells", other, beside, words[row][column])
    return [sheet.row("lamps.cells", other), (sheet.line("lamps.cells"), "lamps.cells"), *trellis_places(sheet, other)]


@fault_kind
def lamp_beyond_chain(sheet, rng):
    row, column = random_word(rng, sheet.words("lamps.cells"))
    sheet.set_word("lamps.cells", row, column, str(int(sheet.value("lamps.count")) + rng.choice([0, 1, 50, 5000])))
    return [sheet.row("lamps.cells", row), (sheet.line("lamps.cells"), "lamps.cells"), *trellis_places(sheet, row)]


@fault_kind
def missing_lamp(sheet, rng):
    row, column = random_word(rng, sheet.words("lamps.cells"))
    sheet.set_word("lamps.cells", row, column, "")
    return [sheet.row("lamps.cells", row)]


@fault_kind
def undrawn_lamps(sheet, rng):
    count = int(sheet.value("lamps.count"))
    sheet.set_value("lamps.count", str(count + rng.choice([1, 2, 9])))
    at = "lamps.count" if driver(sheet) == "neotrellis" else "lamps.cells"
    return [(sheet.line(at), at)]


@fault_kind
def wrong_unused_lamp(sheet, rng):
    count = int(sheet.value("lamps.count"))
    lamp = rng.choice([-1, count, count + 7, rng.randrange(count)])
    sheet.add("lamps.unused", f"[{lamp}]")
    if not 0 <= lamp < count:
        return [(sheet.line("lamps.unused"), "lamps.unused, item 1")]
    rows = [number for number, row in enumerate(sheet.words("lamps.cells")) if str(lamp) in row]
    if rows:
        return [sheet.row("lamps.cells", rows[0])]
    strip = next(path for path in present_keys(sheet, *LISTS, "keys.lamps") if str(lamp) in sheet.value(path))
    item = sheet.value(strip).strip("[]").split(", ").index(str(lamp)) + 1
    return [(sheet.line(strip), f"{strip}, item {item}")]


@fault_kind
def short_strip(sheet, rng):
    if "strips" not in sheet:
        return None
    path = rng.choice(LISTS)
    lamps = sheet.value(path).strip("[]").split(", ")
    lamps.remove(rng.choice(lamps))
    sheet.set_value(path, f"[{', '.join(lamps)}]")
    return [(sheet.line("lamps.cells"), "lamps.cells"), (sheet.line("strips.dark"), "strips.dark")]


@fault_kind
def strip_lamp_in_cell(sheet, rng):
    if "strips" not in sheet:
        return None
    path, item = rng.choice(LISTS), rng.randrange(10)
    lamps = sheet.value(path).strip("[]").split(", ")
    lamps[item] = str(rng.randrange(100))
    sheet.set_value(path, f"[{', '.join(lamps)}]")
    return [(sheet.line("lamps.cells"), "lamps.cells"), (sheet.line(path), f"{path}, item {item + 1}")]


def taken_gpios(sheet):
    """Return the GPIOs used by the board's buses."""
    taken = [0, 1]
    if sheet.value("lamps.driver") == '"auto"':
        taken += SPI0
    if driver(sheet) in ("mcp23017", "neotrellis"):
        taken += I2C
    if driver(sheet) == "mcp3008":
        taken += [
            gpio for gpio in SPI1 if gpio != 16 or "sensors.chips.C" in sheet
        ]  # two chips leave the third select pin free
    return taken


def used_chips(sheet):
    """Return the letters of a board's converters."""
    return [chip for chip in "ABCD" if f"sensors.chips.{chip}" in sheet]


@fault_kind
def cell_on_used_pin(sheet, rng):
    if driver(sheet) not in ("gpio", "matrix"):
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    gpio = rng.choice(taken_gpios(sheet))
    old = sheet.words("sensors.cells")[row][column]
    new = {"gpio": f"{gpio}", "matrix": rng.choice([f"{gpio}/{old.split('/')[-1]}", f"{old.split('/')[0]}/{gpio}"])}
    sheet.set_word("sensors.cells", row, column, new[driver(sheet)])
    return [sheet.row("sensors.cells", row)]


@fault_kind
def cell_on_key_pin(sheet, rng):
    if driver(sheet) != "gpio":
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sheet.set_word("sensors.cells", row, column, sheet.value("undo_key.pin"))
    return [(sheet.line("undo_key.pin"), "undo_key.pin")]


@fault_kind
def cell_on_lamp_pin(sheet, rng):
    if sheet.name != "pwm-4x4":
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sheet.set_word("sensors.cells", row, column, "18")
    return [(sheet.line("lamps.pin"), "lamps.pin")]


@fault_kind
def cell_off_header(sheet, rng):
    if driver(sheet) not in ("gpio", "matrix"):
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    gpio = rng.randrange(28, 100)
    old = sheet.words("sensors.cells")[row][column].partition("/")[0]
    sheet.set_word("sensors.cells", row, column, f"{gpio}" if driver(sheet) == "gpio" else f"{old}/{gpio}")
    return [sheet.row("sensors.cells", row)]


@fault_kind
def key_on_used_pin(sheet, rng):
    if "undo_key" not in sheet:
        return None
    taken = taken_gpios(sheet)
    if driver(sheet) == "gpio":
        taken += map(int, drawn_pins(sheet))
    if driver(sheet) == "matrix":
        taken += [int(gpio) for word in drawn_pins(sheet) for gpio in word.split("/")]
    if "sensors.chips.D" in sheet:
        taken += [5, 6, 13, 26]
    sheet.set_value("undo_key.pin", str(rng.choice(taken)))
    return [(sheet.line("undo_key.pin"), "undo_key.pin")]


@fault_kind
def buzzer_on_used_pin(sheet, rng):
    if "undo_key" not in sheet:
        return None
    taken = [*taken_gpios(sheet), *I2C, int(sheet.value("undo_key.pin"))]
    if "buzzer" not in sheet:
        sheet.lines += ["[buzzer]", "pin = 0"]
    sheet.set_value("buzzer.pin", str(rng.choice(taken)))
    return [(sheet.line("buzzer.pin"), "buzzer.pin")]


@fault_kind
def buzzer_on_lamp_pwm(sheet, rng):
    if sheet.name != "pwm-4x4":
        return None
    sheet.lines += ["[buzzer]", f"pin = {rng.choice([12, 13, 19])}"]
    place = (sheet.line("buzzer.pin"), "buzzer.pin")
    return [place, place]  # these pins also have a cell


@fault_kind
def unsuitable_lamp_pin(sheet, rng):
    if "lamps.pin" not in sheet:
        return None
    if rng.random() < 0.5:
        sheet.set_value("lamps.driver", '"spi"')
        cannot = [gpio for gpio in range(28) if gpio != 10]
    else:
        sheet.set_value("lamps.driver", rng.choice(['"auto"', '"ws281x"', '"neopixel"']))
        cannot = [gpio for gpio in range(28) if gpio not in (10, 12, 18, 21)]
    if sheet.name == "pwm-4x4" and sheet.value("lamps.driver") == '"spi"':
        return None  # this takes a pin from a cell as well
    sheet.set_value("lamps.pin", str(rng.choice(cannot)))
    return [(sheet.line("lamps.pin"), "lamps.pin")]


@fault_kind
def driven_line_on_pull_up(sheet, rng):
    if driver(sheet) != "matrix":
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sense = sheet.words("sensors.cells")[row][column].partition("/")[2]
    sheet.set_word("sensors.cells", row, column, f"{rng.choice(I2C)}/{sense}")
    return [sheet.row("sensors.cells", row)]


@fault_kind
def driven_and_read_line(sheet, rng):
    if driver(sheet) != "matrix":
        return None
    row, column = rng.randrange(1, 5), rng.randrange(5)
    drive, _, sense = sheet.words("sensors.cells")[row][column].partition("/")
    read = sheet.words("sensors.cells")[0][(column + 1) % 5].partition("/")[2]
    sheet.set_word("sensors.cells", row, column, rng.choice([f"{read}/{sense}", f"{drive}/5"]))
    return [sheet.row("sensors.cells", row)]


@fault_kind
def expander_output_as_input(sheet, rng):
    if driver(sheet) != "mcp23017":
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sheet.set_word("sensors.cells", row, column, f"2{rng.randrange(8)}.{rng.choice('AB')}7")
    return [sheet.row("sensors.cells", row)]


@fault_kind
def impossible_expander_address(sheet, rng):
    if driver(sheet) != "mcp23017":
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sheet.set_word("sensors.cells", row, column, f"{rng.choice(['28', '1f', '0x20', '2', '30'])}.A0")
    return [sheet.row("sensors.cells", row)]


@fault_kind
def wrong_i2c_bus(sheet, rng):
    if driver(sheet) not in ("mcp23017", "neotrellis"):
        return None
    sheet.set_value("sensors.bus", str(rng.choice([0, 2, 3, 6, -1, 100])))
    return [(sheet.line("sensors.bus"), "sensors.bus")]


@fault_kind
def cell_on_missing_chip(sheet, rng):
    if driver(sheet) != "mcp3008":
        return None
    row, column = random_word(rng, sheet.words("sensors.cells"))
    sheet.set_word("sensors.cells", row, column, f"{rng.choice('EFXZ')}{rng.randrange(8)}")
    return [sheet.row("sensors.cells", row)]


@fault_kind
def unused_chip(sheet, rng):
    if "sensors.chips.D" not in sheet:
        return None
    sheet.lines.insert(sheet.index("sensors.chips.D") + 1, "E = { clock = 22, mosi = 4, miso = 15, select = 25 }")
    return [(sheet.line("sensors.chips.E"), "sensors.chips.E")]


@fault_kind
def shared_select_pin(sheet, rng):
    if "sensors.chips.D" not in sheet:
        return None
    select, chip = rng.choice([("18", "B"), ("18", "C"), ("17", "C")])
    path = f"sensors.chips.{chip}"
    sheet.set_value(path, f"{{ clock = 21, mosi = 20, miso = 19, select = {select} }}")
    return [(sheet.line(path), f"{path}.select")]


@fault_kind
def chip_on_lamp_bus(sheet, rng):
    if "sensors.chips.D" not in sheet:
        return None
    path = f"sensors.chips.{rng.choice('ABCD')}"
    pins = [22, 4, 15, 25]
    pins[rng.randrange(4)] = rng.choice(SPI0)
    if rng.random() < 0.5:
        pins = [11, 10, 9, rng.choice([7, 8])]
    sheet.set_value(path, "{{ clock = {}, mosi = {}, miso = {}, select = {} }}".format(*pins))
    return [(sheet.line(path), path)]


@fault_kind
def chip_sharing_some_wires(sheet, rng):
    if "sensors.chips.D" not in sheet:
        return None
    key = rng.randrange(4)
    pins = [22, 4, 15, 25]
    pins[key] = rng.choice([0, 1, 16, 17, 18, 19, 20, 21, 27 if key < 3 else 1])
    path = "sensors.chips.D"
    sheet.set_value(path, "{{ clock = {}, mosi = {}, miso = {}, select = {} }}".format(*pins))
    at = "undo_key.pin" if 27 in pins else f"{path}.{CHIP_KEYS[key]}"
    return [(sheet.line(path if at != "undo_key.pin" else at), at)]


@fault_kind
def wrong_spi1_select(sheet, rng):
    if "sensors.chips.D" not in sheet:
        return None
    path = f"sensors.chips.{rng.choice('ABC')}"
    sheet.set_value(path, f"{{ clock = 21, mosi = 20, miso = 19, select = {rng.choice([4, 22, 25])} }}")
    return [(sheet.line(path), f"{path}.select")]


@fault_kind
def chip_without_letter(sheet, rng):
    if driver(sheet) != "mcp3008":
        return None
    chip = rng.choice(used_chips(sheet))
    name = rng.choice([chip.lower(), f"{chip}1", "1", "_"])
    sheet.rename(f"sensors.chips.{chip}", name)
    return [(sheet.line(f"sensors.chips.{name}"), f"sensors.chips.{name}")]


@fault_kind
def off_above_on(sheet, rng):
    if driver(sheet) != "mcp3008":
        return None
    on = rng.randrange(10, 240)
    sheet.set_value("sensors.on", str(on))
    sheet.set_value("sensors.off", str(on + rng.randrange(9)))
    return [(sheet.line("sensors.off"), "sensors.off")]


@fault_kind
def rest_out_of_range(sheet, rng):
    if driver(sheet) != "mcp3008":
        return None
    row, column = random_word(rng, sheet.words("sensors.rest"))
    sheet.set_word("sensors.rest", row, column, rng.choice(["0", "255", "768", "1023", "9999"]))
    return [sheet.row("sensors.rest", row)]


@fault_kind
def swapped_trellis_key(sheet, rng):
    if driver(sheet) != "neotrellis":
        return None
    path = rng.choice(["sensors.cells", "lamps.cells"])
    row, column = rng.randrange(4), rng.randrange(3)
    words = sheet.words(path)
    sheet.set_word(path, row, column, words[row][column + 1])
    sheet.set_word(path, row, column + 1, words[row][column])
    return [sheet.row("lamps.cells", row)] * 2


@fault_kind
def half_trellis(sheet, rng):
    if driver(sheet) != "neotrellis":
        return None
    sheet.set_value("lamps.driver", '"simulated"')
    return [(sheet.line("lamps.driver"), "lamps.driver")]


@fault_kind
def trellis_of_wrong_size(sheet, rng):
    if driver(sheet) != "neotrellis":
        return None
    path = rng.choice(["grid", "lamps.count"])
    sheet.set_value(path, str(rng.choice([3, 5])))
    return [(sheet.line(path), path)]


@fault_kind
def kind_without_driver_support(sheet, rng):
    if driver(sheet) not in ("matrix", "neotrellis", "mcp3008"):
        return None
    sheet.set_value("sensors.kind", '"button"' if driver(sheet) == "mcp3008" else '"hall"')
    return [(sheet.line("sensors.kind"), "sensors.kind")]


@fault_kind
def hold_below_two_readings(sheet, rng):
    if driver(sheet) in ("neotrellis", "simulated"):
        return None
    if '"hall"' in sheet.value("sensors.kind"):
        sheet.put("sensors.debounce_ms", str(rng.randrange(10, 25)))
        sheet.put("sensors.scans", "40")
    else:
        sheet.put("sensors.debounce_ms", str(rng.randrange(1, 5)))
    return [(sheet.line("sensors.debounce_ms"), "sensors.debounce_ms")]


def draw_debounce(sheet, hold):
    """Add a drawing with a debounce time for each cell."""
    size = int(sheet.value("grid"))
    rows = [" ".join([str(hold)] * size)] * size
    sheet.put("sensors.debounce_ms", "\n".join(['"""', "# in ms", *rows, '"""']))


def random_debounce(sheet, rng):
    """Return a debounce time allowed for every cell of the board."""
    return rng.randrange(25, 1000) if '"hall"' in sheet.value("sensors.kind") else rng.randrange(10, 200)


@fault_kind
def cell_hold_out_of_bounds(sheet, rng):
    draw_debounce(sheet, random_debounce(sheet, rng))
    row, column = random_word(rng, sheet.words("sensors.debounce_ms"))
    wrong = ["1001", "9999", "10000", "x", "-8", "8ms", "1e1", "20.12345", ".5"]
    if driver(sheet) not in ("neotrellis", "simulated"):
        wrong += ["0", "0.9"]
    sheet.set_word("sensors.debounce_ms", row, column, rng.choice(wrong))
    return [sheet.row("sensors.debounce_ms", row)]


@fault_kind
def cell_hold_below_two_readings(sheet, rng):
    if driver(sheet) in ("neotrellis", "simulated"):
        return None
    draw_debounce(sheet, random_debounce(sheet, rng))
    sheet.put("sensors.scans", "40" if '"hall"' in sheet.value("sensors.kind") else "100")
    row, column = random_word(rng, sheet.words("sensors.debounce_ms"))
    short = rng.choice(["24.9", "10"] if '"hall"' in sheet.value("sensors.kind") else ["9.99", "1"])
    sheet.set_word("sensors.debounce_ms", row, column, short)
    return [sheet.row("sensors.debounce_ms", row)]


@fault_kind
def missing_debounce_time(sheet, rng):
    draw_debounce(sheet, random_debounce(sheet, rng))
    row, column = random_word(rng, sheet.words("sensors.debounce_ms"))
    if rng.random() < 0.5:
        del sheet.lines[sheet.row_indexes("sensors.debounce_ms")[row]]
        return [(sheet.line("sensors.debounce_ms"), "sensors.debounce_ms")]
    sheet.set_word("sensors.debounce_ms", row, column, "")
    return [sheet.row("sensors.debounce_ms", row)]


@fault_kind
def invalid_bad_cell(sheet, rng):
    if '"hall"' not in sheet.value("sensors.kind"):
        return None
    cell = rng.choice(['"z9"', '"a0"', '"e9"', '"B2"', '"2b"', '""', '" b2"', "7", "true", '["b2"]', "{}", "nan"])
    sheet.add("sensors.bad", f'["a1", {cell}]')
    return [(sheet.line("sensors.bad"), "sensors.bad, item 2")]


@fault_kind
def duplicate_bad_cell(sheet, rng):
    if '"hall"' not in sheet.value("sensors.kind"):
        return None
    sheet.add("sensors.bad", '["b3", "c1", "b3"]')
    return [(sheet.line("sensors.bad"), "sensors.bad, item 3")]


@fault_kind
def bad_cells_without_list(sheet, rng):
    if '"hall"' not in sheet.value("sensors.kind"):
        return None
    sheet.add("sensors.bad", rng.choice(['"b3"', "true", "7", "{ b3 = 1 }"]))
    return [(sheet.line("sensors.bad"), "sensors.bad")]


@fault_kind
def bad_cell_on_button_board(sheet, rng):
    if '"button"' not in sheet.value("sensors.kind"):
        return None
    sheet.add("sensors.bad", rng.choice(['["b3"]', "[]", "7"]))
    return [(sheet.line("sensors.bad"), "sensors.bad")]


@fault_kind
def settling_buttons(sheet, rng):
    if '"button"' not in sheet.value("sensors.kind"):
        return None
    sheet.put("sensors.settle_ms", str(rng.randrange(1, 5000)))
    return [(sheet.line("sensors.settle_ms"), "sensors.settle_ms")]


@fault_kind
def budget_above_supply(sheet, rng):
    current = int(sheet.value("supply.current_ma"))
    most = min(500, current - 1200) if sheet.value("supply.source") == '"pi"' else current * 8 // 10
    sheet.set_value("lamps.budget_ma", str(most + rng.choice([1, 2, 100, 1000])))
    return [(sheet.line("lamps.budget_ma"), "lamps.budget_ma")]


@fault_kind
def supply_too_small(sheet, rng):
    budget = int(sheet.value("lamps.budget_ma"))
    if sheet.value("supply.source") == '"pi"':
        sheet.set_value("supply.current_ma", str(rng.randrange(100, 1201)))
        return [(sheet.line("supply.current_ma"), "supply.current_ma")]
    sheet.set_value("supply.current_ma", str(rng.randrange(100, budget * 10 // 8)))
    return [(sheet.line("lamps.budget_ma"), "lamps.budget_ma")]


@fault_kind
def budget_too_low(sheet, rng):
    sheet.set_value("lamps.budget_ma", str(rng.randrange(1, 2 * int(sheet.value("lamps.count")))))
    return [(sheet.line("lamps.budget_ma"), "lamps.budget_ma")]


@fault_kind
def slew_above_budget(sheet, rng):
    sheet.put("lamps.slew_ma", str(int(sheet.value("lamps.budget_ma")) + rng.choice([1, 50, 999])))
    return [(sheet.line("lamps.slew_ma"), "lamps.slew_ma")]


@fault_kind
def duplicate_key(sheet, rng):
    path = rng.choice(["format", "grid", "sensors.kind", "lamps.count", "supply.source", "supply.current_ma"])
    index = sheet.index(path)
    sheet.lines.insert(index + 1, sheet.lines[index].partition("  #")[0].rstrip())
    return [(index + 2, f"column {len(sheet.lines[index + 1]) + 1}")]


@fault_kind
def large_board_of_single_buttons(sheet, rng):
    if sheet.name != "matrix-5x5":
        return None
    sheet.set_value("sensors.driver", '"gpio"')
    sheet.remove("buzzer")
    pins = [str(gpio) for gpio in range(2, 28) if gpio != 25]  # used by the key
    rng.shuffle(pins)
    for row, index in enumerate(sheet.row_indexes("sensors.cells")):
        sheet.lines[index] = " ".join(pins[5 * row : 5 * row + 5])
    return [(sheet.line("sensors.driver"), "sensors.driver")]


def plant_faults(count, seed):
    """Yield at least this many faults, going through the kinds and boards in turn: kind, board, text and places."""
    rng = random.Random(seed)
    done = 0
    while done < count:
        for plant_fault in KINDS:
            for name in BOARDS:
                sheet = Sheet(name)
                places = plant_fault(sheet, rng)
                if places is not None:
                    done += 1
                    yield plant_fault.__name__, name, sheet.text, places


def report_places(text, name):
    """Return the places of all reported faults."""
    try:
        parse_profile(text, name)
    except ProfileError as error:
        return [(fault.line, to_english(fault.place)) for fault in error.faults]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("count", long_after_first([150, 500]))
def test_planted_faults_are_found(count):
    faults = list(plant_faults(count, seed=13))
    assert len(faults) >= count
    missed = [
        (plant_fault, name, places, report_places(text, name))
        for plant_fault, name, text, places in faults
        if sorted(report_places(text, name)) != sorted(places)
    ]
    assert missed == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_many_planted_faults_are_found(seed):
    for plant_fault, name, text, places in plant_faults(500, seed):
        assert sorted(report_places(text, name)) == sorted(places), (plant_fault, name, seed)


@pytest.mark.slow
def test_all_fault_kinds_are_planted():
    assert {name for name, *_ in plant_faults(500, seed=13)} == {plant_fault.__name__ for plant_fault in KINDS}
    assert len(KINDS) > 50


@pytest.mark.parametrize("name", list_shipped())
def test_unchanged_sheet_has_no_faults(name):
    assert parse_profile(Sheet(name).text, name) == load_profile(name)

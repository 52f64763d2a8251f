"""Random valid profiles, for Hypothesis."""

from hypothesis import strategies as st

from pond_hw.profile import parse_profile
from pond_hw.profile.row_boards import LAMPS_PER_CELL, ROW_SIZES, chain_positions

FREE = [4, 5, 6, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]
"""GPIOs that lamps on SPI0 leave free, except I2C."""

DRIVERS = ("gpio", "matrix", "mcp23017", "pcf8575", "mcp3008")


def drawn(words, size):
    rows = [words[start : start + size] for start in range(0, len(words), size)]
    return "\n".join("  ".join(map(str, row)) for row in rows)


def in_frame_order(positions, size, side):
    """Return lamps listed cell by cell from a1 in the order of a drawing: row by row from the top left."""
    lamps = iter(positions)
    by_place = {
        (size - row, column, line, index): next(lamps)
        for row in range(1, size + 1)
        for column in range(size)
        for line in range(side)
        for index in range(side)
    }
    return [
        by_place[row, column, line, index]
        for row in range(size)
        for line in range(side)
        for column in range(size)
        for index in range(side)
    ]


def draw_sensors(draw, size, driver):
    """Return the words of the sensors, the lines of the chips, and the GPIOs that are left."""
    cells, pins, chips = size * size, draw(st.permutations(FREE)), ""
    if driver == "gpio":
        return pins[:cells], chips, pins[cells:]
    if driver == "matrix":
        drives, senses, pins = pins[:size], pins[size : 2 * size], pins[2 * size :]
        return [f"{drive}/{sense}" for drive in drives for sense in senses], chips, pins
    if driver in ("mcp23017", "pcf8575"):
        count, ports = draw(st.integers(2, 4)), ("A", "B") if driver == "mcp23017" else ("P0", "P1")
        places = [f"2{chip}.{port}{bit}" for chip in range(count) for port in ports for bit in range(7)]
        return draw(st.permutations(places))[:cells], chips, pins
    count = draw(st.integers(-(-cells // 8), 4))
    words = draw(st.permutations([f"{'KLMN'[chip]}{channel}" for chip in range(count) for channel in range(8)]))[:cells]
    hard = [21, 20, 19]
    pins = [pin for pin in pins if pin not in (*hard, 18, 17, 16)]
    used = {word[0] for word in words}
    for number, letter in enumerate("KLMN"[:count]):
        if number < 3:
            clock, mosi, miso, select = *hard, (18, 17, 16)[number]
        else:
            (clock, mosi, miso, select), pins = pins[:4], pins[4:]
        if letter in used:
            chips += f"{letter} = {{ clock = {clock}, mosi = {mosi}, miso = {miso}, select = {select} }}\n"
    return words, chips, pins


def draw_profile(draw, size, driver, lamps, *, swaps_crossings=False):
    """Draw a profile with these lamps, in the order of `Frame.data`, with or without keys and a buzzer."""
    kind = {"matrix": "button", "mcp3008": "hall"}.get(driver) or draw(st.sampled_from(["button", "hall"]))
    words, chips, pins = draw_sensors(draw, size, driver)
    if swaps_crossings:
        one, other = draw(st.permutations(range(size**2)))[:2]
        words[one], words[other] = words[other], words[one]
    side = round((len(lamps) / size**2) ** 0.5)
    ends = {name: pins.pop() for name in ("undo_key", "buzzer") if pins and draw(st.booleans())}
    key_sides = draw(st.sampled_from([(), ("light", "dark"), ("common",)]))
    key_sides = key_sides if len(pins) >= len(key_sides) else ()
    turn_keys = [f"{side} = {pins.pop()}" for side in key_sides]
    key_lamps = [len(lamps) + number for number in range(len(key_sides))] if draw(st.booleans()) else []
    turn_keys += [f"lamps = {key_lamps}"] if key_lamps else []
    count = len(lamps) + len(key_lamps)
    text = f"""
format = 1
title = "Any board"
grid = {size}

[sensors]
kind = "{kind}"
driver = "{driver}"
cells = \"\"\"
{drawn(words, size)}
\"\"\"

{"[sensors.chips]" if chips else ""}
{chips}

[lamps]
driver = "spi"
pin = 10
count = {count}
colours = "{draw(st.sampled_from(["GRB", "RGB", "BRG", "RBG", "GBR", "BGR"]))}"
budget_ma = {draw(st.integers(4 * count, 2300))}
cells = \"\"\"
{drawn(in_frame_order(lamps, size, side), size * side)}
\"\"\"

[supply]
source = "own"
current_ma = 3000
"""
    text += "".join(f"\n[{name}]\npin = {pin}\n" for name, pin in ends.items())
    text += "\n".join(["\n[keys]"] * bool(turn_keys) + turn_keys)
    return parse_profile(text, "any")


def draw_driver(draw, size, drivers=DRIVERS):
    return draw(st.sampled_from([each for each in drivers if not (each == "gpio" and size == 5)]))


@st.composite
def profiles(draw, drivers=DRIVERS):
    """Return a strategy for boards of row boards: either size, any sensors, with or without keys and a buzzer."""
    size = draw(st.sampled_from(ROW_SIZES))
    return draw_profile(draw, size, draw_driver(draw, size, drivers), chain_positions(size))


@st.composite
def mismatched_profiles(draw):
    """Return a strategy for boards that cannot consist of row boards, each with the reason."""
    reason = draw(st.sampled_from(["size", "lamps", "matrix"]))
    size = 3 if reason == "size" else draw(st.sampled_from(ROW_SIZES))
    lamps = list(range(LAMPS_PER_CELL * size**2)) if reason == "size" else chain_positions(size)
    if reason == "lamps":
        per_cell = draw(st.sampled_from([1, LAMPS_PER_CELL]))
        lamps = draw(st.permutations(range(per_cell * size**2)).filter(lambda each: tuple(each) != lamps))
    driver = "matrix" if reason == "matrix" else draw_driver(draw, size)
    return draw_profile(draw, size, driver, lamps, swaps_crossings=reason == "matrix"), reason

"""Random valid profiles, for Hypothesis."""

from hypothesis import strategies as st

from pond_hw.profile import parse_profile

FREE = [4, 5, 6, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]
"""GPIOs that lamps on SPI0 leave free, except I2C."""


def drawn(words, size):
    rows = [words[start : start + size] for start in range(0, len(words), size)]
    return "\n".join("  ".join(map(str, row)) for row in rows)


@st.composite
def profiles(draw, drivers=("gpio", "matrix", "mcp23017", "pcf8575", "mcp3008")):
    """Return a strategy for wired boards: any size, sensors and lamp order, with or without a key and a buzzer."""
    size = draw(st.sampled_from([3, 4, 5]))
    cells = size * size
    driver = draw(st.sampled_from([each for each in drivers if not (each == "gpio" and size == 5)]))
    kind = {"matrix": "button", "mcp3008": "hall"}.get(driver) or draw(st.sampled_from(["button", "hall"]))
    pins = draw(st.permutations(FREE))
    chips = ""
    if driver == "gpio":
        words, pins = pins[:cells], pins[cells:]
    elif driver == "matrix":
        drives, senses, pins = pins[:size], pins[size : 2 * size], pins[2 * size :]
        words = draw(st.permutations([f"{drive}/{sense}" for drive in drives for sense in senses]))
    elif driver in ("mcp23017", "pcf8575"):
        count, ports = draw(st.integers(2, 4)), ("A", "B") if driver == "mcp23017" else ("P0", "P1")
        places = [f"2{chip}.{port}{bit}" for chip in range(count) for port in ports for bit in range(7)]
        words = draw(st.permutations(places))[:cells]
    else:
        count = draw(st.integers(-(-cells // 8), 4))
        words = draw(st.permutations([f"{'KLMN'[chip]}{channel}" for chip in range(count) for channel in range(8)]))
        words = words[:cells]
        hard = [21, 20, 19]
        pins = [pin for pin in pins if pin not in (*hard, 18, 17, 16)]
        for number, letter in enumerate("KLMN"[:count]):
            if number < 3:
                clock, mosi, miso, select = *hard, (18, 17, 16)[number]
            else:
                (clock, mosi, miso, select), pins = pins[:4], pins[4:]
            chips += f"{letter} = {{ clock = {clock}, mosi = {mosi}, miso = {miso}, select = {select} }}\n"
        used = {word[0] for word in words}
        words = [*words[: cells - count], *words[cells - count :]]
        chips = "".join(line + "\n" for line in chips.splitlines() if line[0] in used)
    side = draw(st.sampled_from([1, 2]))
    lamps = draw(st.permutations(range(cells * side * side)))
    ends = {name: pins.pop() for name in ("undo_key", "buzzer") if pins and draw(st.booleans())}
    key_sides = draw(st.sampled_from([(), ("light", "dark"), ("common",)]))
    turn_keys = [f"{side} = {pins.pop()}" for side in key_sides] if len(pins) >= len(key_sides) else []
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
count = {len(lamps)}
colours = "{draw(st.sampled_from(["GRB", "RGB", "BRG", "RBG", "GBR", "BGR"]))}"
budget_ma = {draw(st.integers(4 * len(lamps), 60 * len(lamps)))}
cells = \"\"\"
{drawn(list(lamps), size * side)}
\"\"\"

[supply]
source = "own"
current_ma = 20000

[body]
pitch_mm = {draw(st.integers(30, 60))}
"""
    text += "".join(f"\n[{name}]\npin = {pin}\n" for name, pin in ends.items())
    text += "\n".join(["\n[keys]"] * bool(turn_keys) + turn_keys)
    return parse_profile(text, "any")

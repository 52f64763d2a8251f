"""From a text to a profile, or to all that is wrong with it at once and in its place."""

import pytest

from pond_hw.profile import ProfileError, parse_profile
from pond_hw.profile.board_profile import AdcChannel, AnalogWiring, ExpanderPin, MatrixCrossing, PowerSupply
from pond_hw.profile.faults import ProfileFault
from tests.conftest import each
from tests.profile.texts import ALL, BUTTONS, EXPANDERS, HALLS, MATRIX, PRETENDED, TRELLIS, edited, faults


def test_cells_are_drawn_from_the_players_seat_and_kept_from_a1_on():
    pins = parse_profile(BUTTONS, "board").sensing.wiring.pins
    assert list(pins.items())[:4] == [("a1", 13), ("b1", 19), ("c1", 26), ("a2", 22)]
    assert pins["a3"] == 4


def test_a_matrix_knows_what_it_drives_and_what_it_reads():
    crossings = parse_profile(MATRIX, "board").sensing.wiring.crossings
    assert crossings["a1"] == MatrixCrossing(drive=13, sense=17)
    assert str(crossings["c3"]) == "5/22"


def test_an_expanders_address_is_hexadecimal():
    wiring = parse_profile(EXPANDERS, "board").sensing.wiring
    assert wiring.bus == 1
    assert wiring.pins["c1"] == ExpanderPin(0x21, "A", 2)
    assert str(wiring.pins["a2"]) == "GPB0 at 0x20"


def test_converters_have_the_usual_thresholds_unless_told_otherwise():
    wiring = parse_profile(HALLS, "board").sensing.wiring
    assert wiring.channels["c1"] == AdcChannel("C", 0)
    assert wiring.chips["C"] == (5, 6, 13, 26)
    assert (wiring.on, wiring.off, wiring.light, set(wiring.rest.values())) == (60, 30, 1, {512})
    assert list(wiring.rest) == list(wiring.channels)


def test_converters_can_be_told_otherwise():
    more = 'light = "below"\non = 80\noff = 20\nrest = """\n500 501 502\n503 256 767\n506 507 508\n"""'
    wiring = parse_profile(edited(HALLS, ('"hall"', f'"hall"\n{more}')), "board").sensing.wiring
    assert isinstance(wiring, AnalogWiring)
    assert (wiring.on, wiring.off, wiring.light) == (80, 20, -1)
    assert (wiring.rest["a1"], wiring.rest["a3"], wiring.rest["c1"]) == (506, 500, 508)


def test_a_neotrellis_may_lie_in_any_direction():
    turned = "3 7 11 15\n2 6 10 14\n1 5 9 13\n0 4 8 12\n"
    upright = " 0  1  2  3\n 4  5  6  7\n 8  9 10 11\n12 13 14 15\n"
    board = parse_profile(TRELLIS.replace(upright, turned), "board")
    assert board.sensing.wiring.keys["a1"] == 0
    assert board.chain.cell_positions[:5] == (0, 4, 8, 12, 1)
    assert (board.sensing.wiring.bus, board.sensing.wiring.address, board.chain.data_pin) == (1, 0x2E, None)


def test_the_lamps_of_a_cell_are_read_row_by_row():
    drawn = "".join(" ".join(str(row * 6 + column) for column in range(6)) + "\n" for row in range(6))
    text = edited(BUTTONS, ("0 1 2\n5 4 3\n6 7 8\n", drawn), ("count = 9", "count = 36"))
    chain = parse_profile(text, "board").chain
    assert chain.lamps_per_cell == 4
    assert chain.cell_positions[:8] == (24, 25, 30, 31, 26, 27, 32, 33)  # a1, b1


def test_a_cell_has_no_more_than_sixty_four_lamps():
    def drawn(side):
        rows = [" ".join(map(str, range(row, row + 3 * side))) for row in range(0, (3 * side) ** 2, 3 * side)]
        return edited(BUTTONS, ("0 1 2\n5 4 3\n6 7 8", "\n".join(rows)), ("count = 9", f"count = {(3 * side) ** 2}"))

    lit = edited(drawn(8), ("budget_ma = 300", "budget_ma = 2000"), ('"pi"', '"own"'))
    assert parse_profile(lit, "board").chain.lamps_per_cell == 64
    told = [fault for fault in faults(drawn(9)) if fault.path == "lamps.cells"]
    assert [fault.sentence[-40:] for fault in told] == ["the cells, up to 8 along a side; not 27."]


def test_lamps_may_stay_dark_and_strips_may_score():
    lifted = edited(BUTTONS, ("count = 9", "count = 10\nunused = [9]"))
    assert parse_profile(lifted, "board").chain.strip_positions == ((), ())
    assert parse_profile(PRETENDED, "board").chain.strip_positions == ((9, 10, 11), (14, 13, 12))


def test_a_profile_is_in_seconds_and_milliamperes():
    timing = "debounce_ms = 20\nscans = 200.0"
    lamps = 'slew_ma = 50\nbrightness = 1\ncolours = "BGR"'
    text = edited(BUTTONS, ('"button"', f'"button"\n{timing}'), ("count = 9", f"count = 9\n{lamps}"))
    board = parse_profile(text, "x")
    assert (board.sensing.debounce_seconds, board.sensing.settle_seconds, board.sensing.scan_rate) == (0.02, 0, 200)
    assert (board.chain.budget_ma, board.chain.slew_ma, board.chain.brightness, board.chain.colour_order) == (
        300,
        50,
        1,
        "BGR",
    )
    assert board.supply == PowerSupply("pi", 2500)
    assert (board.name, board.title, board.key_pin, board.buzzer_pin) == ("x", "Nine buttons", 20, 16)


@each(
    ("name", "debounce", "settle", "scans"),
    [
        ("buttons", 0.008, 0, 200),
        ("matrix", 0.008, 0, 125),
        ("expanders", 0.06, 0.25, 125),
        ("halls", 0.06, 0.25, 40),
        ("trellis", 0, 0, 50),
        ("pretended", 0, 0, 125),
    ],
)
def test_every_kind_of_board_has_its_usual_times(name, debounce, settle, scans):
    sensing = parse_profile(ALL[name], name).sensing
    assert (sensing.debounce_seconds, sensing.settle_seconds, sensing.scan_rate) == (debounce, settle, scans)


def test_the_current_may_rise_by_three_tenths_of_the_budget():
    assert parse_profile(BUTTONS, "board").chain.slew_ma == 90


@each(("sensors", "lamps"), [("buttons", "pretended"), ("pretended", "buttons")])
def test_one_half_of_a_board_may_be_simulated_while_the_other_is_built(sensors, lamps):
    def part(name, start, end):
        text = ALL[name]
        return text[text.index(start) : text.index(end)]

    text = part(sensors, "format", "[lamps]") + part(lamps, "[lamps]", "[supply]") + '[supply]\nsource="own"\n'
    board = parse_profile(f"{text}current_ma = 900", "half")
    assert board.chain.driver == {"buttons": "auto", "pretended": "simulated"}[lamps]


@each(
    "change",
    [
        ("pin = 20", "pin = 3"),  # the key pulls to ground, as the fixed pull-ups want it
        (" 4 17 27", " 2  3 14"),
        ("pin = 10", "pin = 21"),
        ("budget_ma = 300", "budget_ma = 18"),
        ("budget_ma = 300", "budget_ma = 500"),
        ("current_ma = 2500", "current_ma = 1500"),
        ("budget_ma = 300", "budget_ma = 300\nslew_ma = 300"),
        ('"button"', '"button"\ndebounce_ms = 5'),
        ('"button"', '"button"\nsettle_ms = 0'),
        ('"button"', '"hall"'),
        ("count = 9", "count = 9\nunused = []"),
        ('source = "pi"\ncurrent_ma = 2500', 'source = "own"\ncurrent_ma = 375'),
        ("[buzzer]\npin = 16", ""),
    ],
)
def test_what_is_just_within_bounds_is_taken(change):
    parse_profile(edited(BUTTONS, change), "board")


def test_a_matrix_and_a_converter_may_be_read_by_the_pins_with_fixed_pull_ups():
    parse_profile(MATRIX.replace("/17", "/2").replace("/27", "/3"), "board")
    parse_profile(edited(HALLS, ("miso = 13", "miso = 2")), "board")


def test_with_lamps_on_the_pwm_spi_is_free():
    free = edited(BUTTONS, ("pin = 10", "pin = 18"), (" 4 17 27", " 7  8  9"), ("13 19 26", "10 11 26"))
    assert parse_profile(free, "board").chain.data_pin == 18
    converters = "clock = 11, mosi = 10, miso = 9, select = 7"
    text = edited(HALLS, ("pin = 10", "pin = 12"), ("clock = 5, mosi = 6, miso = 13, select = 26", converters))
    assert parse_profile(text, "board").sensing.wiring.chips["C"].select == 7


def test_twenty_five_buttons_and_lamps_on_the_pwm_just_fit():
    pins = [pin for pin in range(2, 28) if pin != 18]
    rows = [" ".join(map(str, pins[row : row + 5])) for row in range(0, 25, 5)]
    lamps = [" ".join(map(str, range(row, row + 5))) for row in range(0, 25, 5)]
    text = edited(
        BUTTONS[: BUTTONS.index("[key]")],
        ("grid = 3", "grid = 5"),
        (" 4 17 27\n22  5  6\n13 19 26", "\n".join(rows)),
        ("0 1 2\n5 4 3\n6 7 8", "\n".join(lamps)),
        ("count = 9", "count = 25"),
        ("pin = 10", "pin = 18"),
    )
    assert len(parse_profile(text, "board").sensing.wiring.pins) == 25


def test_software_converters_may_share_their_wires():
    shared = "clock = 5, mosi = 6, miso = 13, select = 12"
    text = edited(HALLS, ("clock = 21, mosi = 20, miso = 19, select = 17", shared))
    assert parse_profile(text, "board").sensing.wiring.chips["B"].select == 12


BAD = """\
format = 1
title = ""
grid = 4
variant = "standard"

[sensors]
kind = "buttons"
driver = "gpio"
cells = '''
  4 17 17 22
 18 23 24
  5  6  9 19
 12 16  x 21
'''
[lamps]
driver = "spi"
pin = 18
count = 16
colors = "GRB"
budget_ma = 4000
cells = '''
 0  1  2  3
 7  6  5  4
 8  9 10 11
15 14 13 16
'''
[supply]
current_ma = 2500
[keys]
pin = 0
[buzzer]
pin = 3
"""


def test_everything_that_is_wrong_is_told_at_once():
    with pytest.raises(ProfileError) as refused:
        parse_profile(BAD, "kitchen")
    assert (
        str(refused.value)
        == """\
kitchen.toml has 14 faults:
  line 2, title: Write one line of 1 to 80 letters in quotes, not ''.
  line 4, variant: A profile says nothing of variants: the pond is chosen when a game begins. Leave it out.
  line 7, sensors.kind: Write "button" or "hall", not 'buttons'. Did you mean "button"?
  line 10, sensors.cells, row 1: GPIO 17 is used twice, for place 2 of row 1 and for place 3 of row 1. \
Give each cell a pin of its own.
  line 11, sensors.cells, row 2: Draw 4 pins in this row, not 3.
  line 12, sensors.cells, row 3: GPIO 9 belongs to SPI0, which takes 7, 8, 9, 10 and 11 for the lamps. \
Give place 3 of row 3 another one.
  line 13, sensors.cells, row 4: 'x' for place 3 of row 4 is no pin. Write the BCM number of a GPIO, such as 17.
  line 17, lamps.pin: The driver "spi" sends by GPIO 10, not by 18.
  line 19, lamps.colors: There is no `colors` here. Did you mean `colours`?
  line 21, lamps.cells: Lamp 12 is nowhere. Draw every lamp where it is, list those that stay dark under `unused`, \
or mend `count`.
  line 25, lamps.cells, row 4: There is no lamp 16: the chain has 16, from 0 to 15.
  line 27, supply.source: `source` is missing. Add a line such as: source = "pi"
  line 29, keys: There is no `keys` here. Did you mean `key`?
  line 32, buzzer.pin: GPIO 3 has a pull-up resistor on the Pi: it can be read, but should not be driven. \
Give the buzzer another one."""
    )


def test_a_fault_can_be_asked_for_its_parts():
    (fault,) = faults(edited(BUTTONS, ("grid = 3", "grid = 7")))
    assert fault == ProfileFault(3, "grid", "Write a whole number from 3 to 5, not 7.")
    assert (fault.line, fault.path, str(fault)) == (3, "grid", "line 3, grid: Write a whole number from 3 to 5, not 7.")


def test_one_fault_is_one_fault():
    with pytest.raises(ProfileError, match=r"^board\.toml has 1 fault:\n  line 3, grid: "):
        parse_profile(edited(BUTTONS, ("grid = 3", "grid = 7")), "board")


@each(
    ("old", "new", "line", "path"),
    [
        ("pin = 10", "pin\t=\t13 # = 10", 16, "lamps.pin"),
        ("pin = 10", '"pin" = 13', 16, "lamps.pin"),
        ("pin = 10", "'pin' = 13", 16, "lamps.pin"),
        ("pin = 10", '"p\\u0069n" = 13', 16, "lamps.pin"),
        ("pin = 10", "# pin = 10\n\n   pin=13", 18, "lamps.pin"),
        ('"Nine buttons"', '"A # is no comment, [lamps] no heading, pin = 10 no pin"\n', 4, "grid"),
        ('"Nine buttons"', "'''Nine \\'''\n#\n", 5, "grid"),
        ('"Nine buttons"', '"""\\\n  Nine \\\n  \\"""buttons"""', 5, "grid"),
        ("22  5  6", "# here come the next ones\n\n22  5  4 # not 6", 12, "sensors.cells, row 2"),
        ("22  5  6", "22\t5\t4", 10, "sensors.cells, row 2"),
        ("22  5  6\n", "22  5  4\n\n", 10, "sensors.cells, row 2"),
        ("\n[key]\npin = 20\n", "[key]\n\npin = 0\n", 30, "key.pin"),
        ("[supply]\n", "[supply] # [key]\n\n", 27, "supply.source"),
    ],
)
@each("end", ["\n", "\r\n"])
def test_a_fault_is_found_where_it_is_however_the_file_is_written(old, new, line, path, end):
    text = edited(BUTTONS, (old, new))
    if path == "grid":
        text = edited(text, ("grid = 3", "grid = 7"))
    if path == "supply.source":
        text = edited(text, ('"pi"', '"pie"'))
    assert [fault[:2] for fault in faults(text.replace("\n", end))] == [(line, path)]


@each(
    "drawn",
    [
        '"""\n 4 17 27\n22  5  4\n13 19 26\n"""',
        '"""\\\n 4 17 27\n22  5  4\n13 19 26"""',
        '"""\\\n  4 17 \\\n 27\n22  5  4\n13 19 26"""',
        "''' 4 17 27\n22  5  4\n13 19 26'''",
        '" 4 17 27\\n22  5  4\\n13 19 26"',
    ],
)
def test_a_row_is_found_however_it_is_quoted(drawn):
    text = edited(BUTTONS, ("'''\n 4 17 27\n22  5  6\n13 19 26\n'''", drawn))
    line = next(number for number, line in enumerate(text.split("\n"), 1) if "22  5  4" in line)
    assert [fault[:2] for fault in faults(text)] == [(line, "sensors.cells, row 2")]


def test_tables_may_be_written_in_braces_or_with_points():
    sensors = 'sensors = { kind = "button", driver = "gpio", cells = "4 17 27\\n22 5 6\\n13 19 0" }\n'
    lamps = BUTTONS[BUTTONS.index("[lamps]") : BUTTONS.index("[supply]")]
    text = f'format = 1\ntitle = "x"\nsupply . source = "pi"\ngrid = 3\n{sensors}supply.current_ma = 1\n{lamps}'
    assert [fault[:2] for fault in faults(text)] == [(5, "sensors.cells, row 3"), (6, "supply.current_ma")]


def test_a_mark_at_the_beginning_of_the_file_is_no_fault():
    assert parse_profile("\ufeff" + BUTTONS, "board").size == 3


@each(
    ("text", "line", "told"),
    [
        ("grid 3\n", 1, "This is not TOML: expected '='"),
        ("\n\ngrid = 3\ngrid = 4\n\n", 4, "This is not TOML: the same key is given a second time. Mend this first"),
        ("[lamps]\n[supply]\n[lamps]\n", 3, "This is not TOML: the same table begins a second time. Mend this first"),
        ('title = "half\n', 1, "This is not TOML: "),
        ("grid =\n", 1, "This is not TOML: invalid value. "),
        ("\ngrid = [3\n\n\n", 2, "This is not TOML: unclosed array. "),
        ("a = 1\0\n", 1, "This is not TOML: "),
        (f"\n\ngrid = {'7' * 5000}\n", 3, "A number here has too many digits to be read. Mend this first"),
    ],
)
def test_what_is_not_toml_is_the_one_fault(text, line, told):
    (fault,) = faults(text)
    assert fault.line == line
    assert fault.sentence.startswith(told)


@each("deep", ["[" * 50_000, "{a=" * 50_000, "[" * 50_000 + "]" * 50_000])
def test_what_lies_too_deep_is_a_fault_as_well(deep):
    (fault,) = faults(f"x = {deep}")
    assert fault.line == 1


def test_a_number_that_python_does_not_print_is_not_printed():
    (fault,) = faults(edited(BUTTONS, ("count = 9", f"count = 0x{'f' * 5000}")))
    assert fault.sentence == "Write a whole number from 1 to 2000, not so large a number."


def test_nothing_is_a_profile_without_anything():
    assert [fault.path for fault in faults("")] == ["format", "title", "grid", "sensors", "lamps", "supply"]


def test_a_name_that_a_terminal_would_obey_is_not_obeyed():
    with pytest.raises(ProfileError, match=r"^a\\x1bb\.toml has 6 faults:"):
        parse_profile("", "a\x1bb")

"""Parsing of profiles: values, and all faults at once with their places."""

import pytest

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.profile import ProfileError, parse_profile
from pond_hw.profile.board_profile import AnalogWiring, MatrixCrossing, PowerSupply
from pond_hw.profile.chips import AdcChannel, ExpanderPin
from pond_hw.profile.faults import ProfileFault
from pond_hw.rules import DARK, LIGHT
from tests.conftest import each
from tests.messages.says import says
from tests.profile.texts import ALL, BUTTONS, EXPANDERS, HALLS, MATRIX, SIMULATED, TRELLIS, edited, faults, places


def test_drawing_is_converted_to_cell_order():
    pins = parse_profile(BUTTONS, "board").sensing.wiring.pins
    assert list(pins.items())[:4] == [("a1", 13), ("b1", 19), ("c1", 26), ("a2", 22)]
    assert pins["a3"] == 4


def test_matrix_drawing_becomes_crossings():
    crossings = parse_profile(MATRIX, "board").sensing.wiring.crossings
    assert crossings["a1"] == MatrixCrossing(drive=13, sense=17)
    assert str(crossings["c3"]) == "5/22"


def test_expander_address_is_hexadecimal():
    wiring = parse_profile(EXPANDERS, "board").sensing.wiring
    assert wiring.bus == 1
    assert wiring.pins["c1"] == ExpanderPin(0x21, "GPA", 2)
    assert str(wiring.pins["a2"]) == "GPB0 at 0x20"


def test_converter_has_default_thresholds():
    wiring = parse_profile(HALLS, "board").sensing.wiring
    assert wiring.channels["c1"] == AdcChannel("C", 0)
    assert wiring.chips["C"] == (5, 6, 13, 26)
    assert (wiring.on, wiring.off, wiring.light, set(wiring.rest.values())) == (60, 30, 1, {512})
    assert list(wiring.rest) == list(wiring.channels)


def test_converter_accepts_custom_thresholds():
    more = 'light = "below"\non = 80\noff = 20\nrest = """\n500 501 502\n503 256 767\n506 507 508\n"""'
    wiring = parse_profile(edited(HALLS, ('"hall"', f'"hall"\n{more}')), "board").sensing.wiring
    assert isinstance(wiring, AnalogWiring)
    assert (wiring.on, wiring.off, wiring.light) == (80, 20, -1)
    assert (wiring.rest["a1"], wiring.rest["a3"], wiring.rest["c1"]) == (506, 500, 508)


def test_neotrellis_may_have_any_orientation():
    turned = "3 7 11 15\n2 6 10 14\n1 5 9 13\n0 4 8 12\n"
    upright = " 0  1  2  3\n 4  5  6  7\n 8  9 10 11\n12 13 14 15\n"
    board = parse_profile(TRELLIS.replace(upright, turned), "board")
    assert board.sensing.wiring.keys["a1"] == 0
    assert board.chain.cell_positions[:5] == (0, 4, 8, 12, 1)
    assert (board.sensing.wiring.bus, board.sensing.wiring.address, board.chain.data_pin) == (1, 0x2E, None)


def test_lamps_of_cell_are_in_row_order():
    drawn = "".join(" ".join(str(row * 6 + column) for column in range(6)) + "\n" for row in range(6))
    text = edited(BUTTONS, ("0 1 2\n5 4 3\n6 7 8\n", drawn), ("count = 9", "count = 36"))
    chain = parse_profile(text, "board").chain
    assert chain.lamps_per_cell == 4
    assert chain.cell_positions[:8] == (24, 25, 30, 31, 26, 27, 32, 33)  # a1, b1


def test_cell_has_at_most_64_lamps():
    def drawn(side):
        rows = [" ".join(map(str, range(row, row + 3 * side))) for row in range(0, (3 * side) ** 2, 3 * side)]
        return edited(BUTTONS, ("0 1 2\n5 4 3\n6 7 8", "\n".join(rows)), ("count = 9", f"count = {(3 * side) ** 2}"))

    lit = edited(drawn(8), ("budget_ma = 300", "budget_ma = 2000"), ('"pi"', '"own"'))
    assert parse_profile(lit, "board").chain.lamps_per_cell == 64
    reasons = [fault.reason for fault in faults(drawn(9)) if to_english(fault.place) == "lamps.cells"]
    assert reasons == [Message("profile.drawing.rows_of_squares", size=3, twice=6, thrice=9, found=27, side=8)]


def test_strips_are_empty_unless_drawn():
    lifted = edited(BUTTONS, ("count = 9", "count = 10\nunused = [9]"))
    assert parse_profile(lifted, "board").chain.strip_positions == ((), ())
    assert parse_profile(SIMULATED, "board").chain.strip_positions == ((9, 10, 11), (14, 13, 12))


def test_profile_values_are_converted_to_seconds():
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
    assert (board.name, board.title, board.undo_key_pin, board.buzzer_pin) == ("x", "Nine buttons", 20, 16)


def test_turn_keys_are_per_side_or_shared():
    own_keys = edited(BUTTONS, ("[buzzer]", "[keys]\nlight = 21\ndark = 12\n\n[buzzer]"))
    assert parse_profile(own_keys, "x").turn_key_pins == {LIGHT: 21, DARK: 12}
    assert parse_profile(own_keys, "x").key_pins == {"key": 20, "key_light": 21, "key_dark": 12}
    common_key = edited(BUTTONS, ("[buzzer]", "[keys]\ncommon = 21\n\n[buzzer]"))
    assert parse_profile(common_key, "x").turn_key_pins == {None: 21}
    assert not parse_profile(BUTTONS, "x").turn_key_pins


@each("encoding", ["auto", "byte", "packed"])
def test_lamp_encoding_defaults_to_auto(encoding):
    text = edited(BUTTONS, ("count = 9", f'count = 9\nencoding = "{encoding}"'))
    assert parse_profile(text, "x").chain.encoding == encoding
    assert parse_profile(BUTTONS, "x").chain.encoding == "auto"


@each(
    ("name", "debounce", "settle", "scans"),
    [
        ("buttons", 0.008, 0, 200),
        ("matrix", 0.008, 0, 125),
        ("expanders", 0.06, 0.25, 125),
        ("halls", 0.06, 0.25, 40),
        ("trellis", 0, 0, 50),
        ("simulated", 0, 0, 125),
    ],
)
def test_default_times_depend_on_the_driver(name, debounce, settle, scans):
    sensing = parse_profile(ALL[name], name).sensing
    assert (sensing.debounce_seconds, sensing.settle_seconds, sensing.scan_rate) == (debounce, settle, scans)


def test_default_slew_is_three_tenths_of_budget():
    assert parse_profile(BUTTONS, "board").chain.slew_ma == 90


@each(("sensors", "lamps"), [("buttons", "simulated"), ("simulated", "buttons")])
def test_board_may_be_half_simulated(sensors, lamps):
    def part(name, start, end):
        text = ALL[name]
        return text[text.index(start) : text.index(end)]

    text = part(sensors, "format", "[lamps]") + part(lamps, "[lamps]", "[supply]") + '[supply]\nsource="own"\n'
    board = parse_profile(f"{text}current_ma = 900", "half")
    assert board.chain.driver == {"buttons": "auto", "simulated": "simulated"}[lamps]


@each(
    "change",
    [
        ("pin = 20", "pin = 3"),  # the key pulls to ground, which suits the fixed pull-ups
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
def test_limits_are_inclusive(change):
    parse_profile(edited(BUTTONS, change), "board")


def test_pins_with_pull_ups_may_be_inputs():
    parse_profile(MATRIX.replace("/17", "/2").replace("/27", "/3"), "board")
    parse_profile(edited(HALLS, ("miso = 13", "miso = 2")), "board")


def test_pwm_lamps_leave_spi_free():
    free = edited(BUTTONS, ("pin = 10", "pin = 18"), (" 4 17 27", " 7  8  9"), ("13 19 26", "10 11 26"))
    assert parse_profile(free, "board").chain.data_pin == 18
    converters = "clock = 11, mosi = 10, miso = 9, select = 7"
    text = edited(HALLS, ("pin = 10", "pin = 12"), ("clock = 5, mosi = 6, miso = 13, select = 26", converters))
    assert parse_profile(text, "board").sensing.wiring.chips["C"].select == 7


def test_25_buttons_fit_with_pwm_lamps():
    pins = [pin for pin in range(2, 28) if pin != 18]
    rows = [" ".join(map(str, pins[row : row + 5])) for row in range(0, 25, 5)]
    lamps = [" ".join(map(str, range(row, row + 5))) for row in range(0, 25, 5)]
    text = edited(
        BUTTONS[: BUTTONS.index("[undo_key]")],
        ("grid = 3", "grid = 5"),
        (" 4 17 27\n22  5  6\n13 19 26", "\n".join(rows)),
        ("0 1 2\n5 4 3\n6 7 8", "\n".join(lamps)),
        ("count = 9", "count = 25"),
        ("pin = 10", "pin = 18"),
    )
    assert len(parse_profile(text, "board").sensing.wiring.pins) == 25


def test_software_converters_may_share_wires():
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
[undo_kye]
pin = 0
[buzzer]
pin = 3
"""


def test_all_faults_are_reported_at_once():
    with pytest.raises(ProfileError) as refused:
        parse_profile(BAD, "kitchen")
    error = refused.value
    kinds = ('"button"', '"hall"')
    buttons = Message("profile.field.misspelt_choice", choices=kinds, value='"buttons"', near='"button"')
    gpios = ("7", "8", "9", "10", "11")
    on_bus = Message("profile.gpio.on_bus", gpio=9, bus="SPI0", gpios=gpios, users=("lamps",), user=word(3, 3))
    assert [(fault.line, to_english(fault.place), fault.reason) for fault in error.faults] == [
        (2, "title", Message("profile.field.line", length=80, value='""')),
        (4, "variant", Message("profile.key.variant")),
        (7, "sensors.kind", buttons),
        (
            10,
            "sensors.cells, row 1",
            Message("profile.gpio.shared_by_cells", gpio=17, first=word(2, 1), second=word(3, 1)),
        ),
        (11, "sensors.cells, row 2", Message("profile.drawing.row_length", count=4, found=3)),
        (12, "sensors.cells, row 3", on_bus),
        (13, "sensors.cells, row 4", Message("profile.word.gpio", word='"x"', cell=word(3, 4))),
        (17, "lamps.pin", Message("profile.lamps.wrong_pin_for_spi", pin=18)),
        (19, "lamps.colors", Message("profile.key.misspelt", key="colors", near="colours")),
        (21, "lamps.cells", Message("profile.lamps.nowhere", lamps=("12",), count=1)),
        (25, "lamps.cells, row 4", Message("profile.lamps.not_in_chain", lamp="16", lamps=16, last=15)),
        (27, "supply.source", Message("profile.key.missing", key="source", example='"pi"')),
        (29, "undo_kye", Message("profile.key.misspelt", key="undo_kye", near="undo_key")),
        (32, "buzzer.pin", Message("profile.gpio.pull_up", gpio=3, user="buzzer.pin")),
    ]
    lines = tuple(fault.message for fault in error.faults)
    assert error.message == Message("profile.faults.profile", file="kitchen.toml", count=14, faults=lines)
    assert to_english(error.message).splitlines()[1:] == [f"  {to_english(fault.message)}" for fault in error.faults]


def word(column, row):
    """Return the place reported for a word in a drawing that doesn't fit the grid."""
    return Message("profile.place.word", word=column, row=row)


def test_fault_has_line_place_and_reason():
    (fault,) = faults(edited(BUTTONS, ("grid = 3", "grid = 7")))
    reason = Message("profile.field.integer", low="3", high="5", value="7")
    assert fault == ProfileFault(3, "grid", reason)
    assert fault.message == Message("profile.fault.at_key", line=3, place="grid", reason=reason)
    assert to_english(fault.message) == f"line 3, grid: {to_english(reason)}"


def test_single_mistake_causes_a_single_fault():
    with pytest.raises(ProfileError, check=says(r"^board\.toml has 1 fault:\n  line 3, grid: ")):
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
        ("\n[undo_key]\npin = 20\n", "[undo_key]\n\npin = 0\n", 30, "undo_key.pin"),
        ("[supply]\n", "[supply] # [undo_key]\n\n", 27, "supply.source"),
    ],
)
@each("end", ["\n", "\r\n"])
def test_fault_lines_are_found_in_any_toml_style(old, new, line, path, end):
    text = edited(BUTTONS, (old, new))
    if path == "grid":
        text = edited(text, ("grid = 3", "grid = 7"))
    if path == "supply.source":
        text = edited(text, ('"pi"', '"pie"'))
    assert places(text.replace("\n", end)) == [(line, path)]


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
def test_drawing_may_use_any_quotes(drawn):
    text = edited(BUTTONS, ("'''\n 4 17 27\n22  5  6\n13 19 26\n'''", drawn))
    line = next(number for number, line in enumerate(text.split("\n"), 1) if "22  5  4" in line)
    assert places(text) == [(line, "sensors.cells, row 2")]


def test_faults_are_located_in_inline_and_dotted_tables():
    sensors = 'sensors = { kind = "button", driver = "gpio", cells = "4 17 27\\n22 5 6\\n13 19 0" }\n'
    lamps = BUTTONS[BUTTONS.index("[lamps]") : BUTTONS.index("[supply]")]
    text = f'format = 1\ntitle = "x"\nsupply . source = "pi"\ngrid = 3\n{sensors}supply.current_ma = 1\n{lamps}'
    assert places(text) == [(5, "sensors.cells, row 3"), (6, "supply.current_ma")]


def test_byte_order_mark_is_accepted():
    assert parse_profile("\ufeff" + BUTTONS, "board").size == 3


@each(
    ("text", "line", "reason"),
    [
        ("grid 3\n", 1, "Expected '='"),
        ("\n\ngrid = 3\ngrid = 4\n\n", 4, "second_key"),
        ("[lamps]\n[supply]\n[lamps]\n", 3, "second_table"),
        ('title = "half\n', 1, ""),
        ("grid =\n", 1, "Invalid value"),
        ("\ngrid = [3\n\n\n", 2, "Unclosed array"),
        ("a = 1\0\n", 1, ""),
        (f"\n\ngrid = {'7' * 5000}\n", 3, "long_number"),
    ],
)
def test_invalid_toml_is_a_single_fault(text, line, reason):
    (fault,) = faults(text)
    assert fault.line == line
    if "_" in reason:
        assert fault.reason == Message(f"profile.toml.{reason}")
    else:
        assert fault.reason.id == "profile.toml.other"
        assert fault.reason.arguments["error"].startswith(reason)


@pytest.mark.parametrize(
    ("text", "line", "character"),
    [
        ("grid\u00a0= 4\n", 1, "no-break space (U+00A0)"),
        ("\u00a0grid = 4\n", 1, "no-break space (U+00A0)"),
        ("\n\ngrid =\u202f4\n", 3, "narrow no-break space (U+202F)"),
        ("grid = 4\u2009\n", 1, "thin space (U+2009)"),
        ("title = \u201cNine buttons\u201d\n", 1, "left double quotation mark (U+201C)"),
        ('title = "Nine buttons\u201d\r\ngrid = 4\n', 1, "right double quotation mark (U+201D)"),
        ("grid = \u20114\n", 1, "non-breaking hyphen (U+2011)"),
        ("\u200bgrid = 4\n", 1, "zero width space (U+200B)"),
    ],
)
def test_odd_character_is_named(text, line, character):
    (fault,) = faults(text)
    assert (fault.line, fault.reason) == (line, Message("profile.toml.odd_character", character=character))


@each("order", ["GRBW", "rgbw", "WRGB", "BGRWW"])
def test_rgbw_lamps_are_refused(order):
    (fault,) = faults(edited(BUTTONS, ("count = 9", f'count = 9\ncolours = "{order}"')))
    assert (fault.place, fault.reason) == ("lamps.colours", Message("profile.lamps.white"))


@each("deep", ["[" * 50_000, "{a=" * 50_000, "[" * 50_000 + "]" * 50_000])
def test_too_deep_nesting_is_a_fault(deep):
    (fault,) = faults(f"x = {deep}")
    assert (fault.line, fault.reason) == (1, Message("profile.toml.too_deep"))


def test_huge_number_is_not_printed():
    (fault,) = faults(edited(BUTTONS, ("count = 9", f"count = 0x{'f' * 5000}")))
    large_number = Message("profile.value.large_number")
    assert fault.reason == Message("profile.field.integer", low="1", high="2000", value=large_number)


def test_empty_profile_is_missing_everything():
    assert [to_english(fault.place) for fault in faults("")] == [
        "format",
        "title",
        "grid",
        "sensors",
        "lamps",
        "supply",
    ]


def test_control_characters_are_escaped():
    with pytest.raises(ProfileError, check=says(r"^a\\x1bb\.toml has 6 faults:")):
        parse_profile("", "a\x1bb")

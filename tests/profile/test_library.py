"""Shipped boards, and profiles on disk."""

import os
import re

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile import ProfileError, list_shipped, load_profile, parse_profile, pi_header
from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.library import BOARDS_FOLDER, MAX_PROFILE_BYTES
from pond_hw.rules import get_grid
from tests.conftest import skip_outside_ci
from tests.messages.says import text

HEADER = """
     .   .    2   .    3   .    4  14    .  15   17  18   27   .   22  23    .  24   10   .
     9  25   11   8    .   7    0   1    5   .    6  12   13   .   19  16   26  20    .  21
"""
"""GPIO of each header pin, in pairs from pin 1. A dot is a pin without a GPIO."""

PICO = """
     0   1   .   2   3   4   5   .   6   7   8   9   .  10  11  12  13   .  14  15
    16  17   .  18  19  20  21   .  22   .  26  27   .   .   .   .   .   .   .   .
"""
"""GP number of each usable Pico pin, from pin 1, as in the official drawing."""

GPIO_OF_PICO_PIN = {pin: int(word) for pin, word in enumerate(PICO.split(), 1) if word != "."}

GPIO_OF_PIN = {pin: int(word) for pin, word in enumerate(HEADER.split(), 1) if word != "."}


def pins_in_comments(name):
    """Yield each GPIO and its header or Pico pin in a board's comments."""
    for line in (BOARDS_FOLDER / f"{name}.toml").read_text(encoding="utf-8").splitlines():
        pins = re.search(r"(?:header|#|  ) pins? +([0-9]+(?:(?: +| and )[0-9]+)*)", line)
        if pins:
            before = "2 and 3" if line.startswith("bus") else line[: pins.start()]
            yield line, *([int(number) for number in re.findall("[0-9]+", text)] for text in (before, pins[1]))


def test_shipped_boards_are_listed():
    assert list_shipped() == (
        "direct-4x4",
        "hall-4x4",
        "hall-5x5",
        "matrix-5x5",
        "neotrellis-4x4",
        "owner-4x4",
        "pwm-4x4",
        "simulated-4x4",
        "simulated-5x5",
        "usb-direct-4x4",
        "usb-hall-4x4",
        "usb-matrix-5x5",
    )


@pytest.mark.parametrize(
    ("name", "wiring", "kind", "driver", "pin", "per_cell", "source"),
    [
        ("direct-4x4", DirectWiring, "button", "auto", 10, 4, "pi"),
        ("hall-4x4", ExpanderWiring, "hall", "auto", 10, 4, "own"),
        ("hall-5x5", AnalogWiring, "hall", "auto", 10, 4, "own"),
        ("matrix-5x5", MatrixWiring, "button", "auto", 10, 4, "own"),
        ("neotrellis-4x4", TrellisWiring, "button", "neotrellis", None, 1, "pi"),
        ("owner-4x4", AnalogWiring, "hall", "auto", 10, 4, "own"),
        ("pwm-4x4", DirectWiring, "button", "ws281x", 18, 1, "pi"),
        ("simulated-4x4", SimulatedWiring, "button", "simulated", None, 4, "own"),
        ("simulated-5x5", SimulatedWiring, "button", "simulated", None, 4, "own"),
        ("usb-direct-4x4", DirectWiring, "button", "auto", 22, 4, "usb"),
        ("usb-hall-4x4", DirectWiring, "hall", "auto", 22, 4, "usb"),
        ("usb-matrix-5x5", MatrixWiring, "button", "auto", 22, 4, "own"),
    ],
)
def test_board_matches_its_name(name, wiring, kind, driver, pin, per_cell, source):
    board = load_profile(name)
    assert board.name == name
    assert name.endswith(f"{board.size}x{board.size}")
    assert isinstance(board.sensing.wiring, wiring)
    assert (board.sensing.kind, board.chain.driver, board.chain.data_pin) == (kind, driver, pin)
    assert (board.chain.lamps_per_cell, board.supply.source) == (per_cell, source)


@pytest.mark.parametrize("name", list_shipped())
def test_all_cells_and_lamps_are_wired(name):
    board = load_profile(name)
    cells = get_grid(board.size).cells
    for key in ("pins", "crossings", "channels", "keys", "rest"):
        assert list(getattr(board.sensing.wiring, key, cells)) == list(cells)
    chain = board.chain
    assert len(chain.cell_positions) == len(cells) * chain.lamps_per_cell
    assert sorted(chain.drawn_positions) == list(range(chain.lamp_count))


@pytest.mark.parametrize("name", list_shipped())
def test_chain_neighbours_are_board_neighbours(name):
    board = load_profile(name)
    if board.chain.driver == "neotrellis":
        return  # its lamps need no wires
    side = round(board.chain.lamps_per_cell**0.5)
    places = {}
    for index, number in enumerate(board.chain.cell_positions):
        cell, lamp = divmod(index, side * side)
        row, column = divmod(cell, board.size)
        places[number] = (column * side + lamp % side, (board.size - 1 - row) * side + lamp // side)
    assert places[0] == (0, 0)  # top left
    for number in range(1, len(places)):
        (x, y), (u, v) = places[number - 1], places[number]
        assert abs(x - u) + abs(y - v) == 1


@pytest.mark.parametrize("name", list_shipped())
def test_comments_name_the_right_header_pins(name):
    lines = list(pins_in_comments(name))
    gpio_of_pin = GPIO_OF_PICO_PIN if load_profile(name).controller == "pico" else GPIO_OF_PIN
    for line, gpios, pins in lines:
        assert gpios == [gpio_of_pin[pin] for pin in pins], line
    assert lines or name.startswith("simulated")


def test_header_docstring_matches_pins():
    for pin in range(1, 40, 2):
        beside = re.search(rf"^ *(.*\S) +{pin} +{pin + 1}  (\S+ ?[0-9]*)", pi_header.__doc__, re.MULTILINE)
        for number, drawn in zip((pin, pin + 1), beside.groups(), strict=True):
            gpio = re.search("GPIO ([0-9]+)", drawn)
            assert (int(gpio[1]) if gpio else None) == GPIO_OF_PIN.get(number)


def test_own_profile_is_loaded_by_path(tmp_path):
    own = tmp_path / "kitchen.toml"
    own.write_bytes((BOARDS_FOLDER / "direct-4x4.toml").read_bytes())
    assert load_profile(own) == load_profile(str(own))
    assert load_profile(own).name == "kitchen"
    assert load_profile(own).sensing == load_profile("direct-4x4").sensing


def test_shipped_name_ignores_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "direct-4x4").write_text("nonsense", encoding="utf-8")
    (tmp_path / "own.toml").write_bytes((BOARDS_FOLDER / "pwm-4x4.toml").read_bytes())
    assert load_profile("direct-4x4").chain.data_pin == 10
    assert load_profile("own.toml").chain.data_pin == 18


def refused(name_or_path):
    with pytest.raises(ProfileError) as error:
        load_profile(name_or_path)
    return error.value


def test_unknown_name_suggests_boards():
    error = refused("dircet-4x4")
    assert error.faults == ()
    boards = list_shipped()
    assert error.message == Message("profile.board.misspelt", board="dircet-4x4", near="direct-4x4", boards=boards)
    assert refused("").message == Message("profile.board.unknown", board="", boards=boards)
    unprintable = refused("a\x1b[2Jb")
    assert unprintable.message == Message("profile.board.unknown", board="a\x1b[2Jb", boards=boards)
    assert "\x1b" not in text(unprintable.message)


def test_missing_file_is_reported(tmp_path):
    missing = tmp_path / "missing.toml"
    assert refused(missing).message == Message("profile.file.missing", file=str(missing))


def test_folder_is_not_a_profile(tmp_path):
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert refused(folder).message == Message("profile.not_a_file.profile", file=str(folder))


def test_pipe_does_not_block(tmp_path):
    if not hasattr(os, "mkfifo"):
        skip_outside_ci("needs a system with named pipes")
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert refused(pipe).message == Message("profile.not_a_file.profile", file=str(pipe))


def test_unreadable_file_is_reported(tmp_path, monkeypatch):
    closed = tmp_path / "closed.toml"
    closed.write_bytes(b"")

    def deny(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", deny)
    message = Message("profile.unreadable.profile", file=str(closed), reason="Permission denied")
    assert refused(closed).message == message


def test_impossible_file_name_is_reported():
    message = Message("profile.unreadable.profile", file=r"\x00.toml", reason="embedded null byte")
    assert refused("\0.toml").message == message


def test_oversized_file_is_reported(tmp_path):
    long = tmp_path / "long.toml"
    long.write_bytes(b"#" * (MAX_PROFILE_BYTES + 1))
    assert refused(long).message == Message("profile.too_long.profile", file=str(long))


def test_invalid_utf8_is_reported(tmp_path):
    latin = tmp_path / "latin.toml"
    latin.write_bytes("format = 1\ntitle = 'Küche'\n".encode("latin-1"))
    error = refused(latin)
    (fault,) = error.faults
    assert fault == (2, "", Message("profile.file.not_utf8", byte="0xfc"), "")
    line = Message("profile.fault.at_line", line=2, reason=fault.reason)
    assert error.message == Message("profile.faults.profile", file="latin.toml", count=1, faults=(line,))


def test_file_faults_name_the_file(tmp_path):
    own = tmp_path / "kitchen.toml"
    own.write_text("format = 1", encoding="utf-8")
    error = refused(own)
    assert (error.message.arguments["file"], error.message.arguments["count"]) == ("kitchen.toml", 5)
    assert error.faults[0][:2] == (1, "title")


def test_equal_texts_give_equal_profiles():
    text = (BOARDS_FOLDER / "hall-5x5.toml").read_text(encoding="utf-8")
    assert parse_profile(text, "hall-5x5") == load_profile("hall-5x5")


def test_profile_name_is_printable(tmp_path):
    if os.name == "nt":
        skip_outside_ci("needs a system whose files may be called anything")
    own = tmp_path / "my\x1b[2J\nboard.toml"
    own.write_bytes((BOARDS_FOLDER / "simulated-4x4.toml").read_bytes())
    assert load_profile(own).name == r"my\x1b[2J\nboard"

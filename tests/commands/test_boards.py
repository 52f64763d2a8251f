"""Tests of `pond boards`."""

import sys
from types import ModuleType

import pytest

from pond_hw.commands.boards import describe_profile, list_profiles
from pond_hw.commands.main import main
from pond_hw.drivers.pi_machine import choose_driver, find_machine_fault
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped, load_profile
from pond_hw.profile.library import BOARDS_FOLDER
from tests.drivers.pis import make_laptop, make_pi
from tests.messages.says import text

WIRING = {
    "direct-4x4": "direct",
    "matrix-5x5": "matrix",
    "hall-4x4": "expander",
    "hall-5x5": "analog",
    "owner-4x4": "analog",
    "neotrellis-4x4": "trellis",
    "simulated-4x4": "simulated",
}

CHIPS = {"hall-4x4": {"chip": "MCP23017"}, "hall-5x5": {"chip": "MCP3008"}, "owner-4x4": {"chip": "MCP3008"}}


@pytest.mark.parametrize("board", WIRING)
def test_sensors_are_described(board, tmp_path):
    kind, size = "hall" if board.startswith(("hall", "owner")) else "button", int(board[-1])
    sensors = (
        Message(f"boards.sensors.{kind}", size=size),
        Message(f"boards.wiring.{WIRING[board]}", **CHIPS.get(board, {})),
    )
    label, described = describe_profile(board, make_pi(tmp_path))[1].split(maxsplit=1)
    assert label == "cells"
    assert described.startswith(f"{text(*sensors)} ")


def test_separate_lamp_power_supply_is_described(tmp_path):
    supply = Message("boards.supply.own", budget_ma=2350.0, current_ma=3000.0)
    lamps = Message("boards.lamps", count=100, lamps_per_cell=4)
    assert describe_profile("matrix-5x5", make_pi(tmp_path))[2] == f"lamps     {text(lamps, supply)}"


def test_missing_key_and_buzzer_are_omitted(tmp_path):
    profile = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    board = tmp_path / "mine.toml"
    board.write_text(profile.partition("[undo_key]")[0], encoding="utf-8")
    labels = [line.split()[0] for line in describe_profile(str(board), make_laptop(tmp_path))[1:]]
    assert labels == [text(Message(f"boards.label.{label}")) for label in ("cells", "lamps", "driver", "data", "here")]


def test_board_is_fully_described(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "spidev", ModuleType("spidev"))  # installed on the simulated Pi
    machine = make_pi(tmp_path / "pi", devices=["gpiochip0"], spi="disabled")
    hall_board = load_profile("hall-5x5")
    choice, fault = choose_driver(hall_board, machine), find_machine_fault(hall_board, machine)
    sensors = Message("boards.sensors.hall", size=5), Message("boards.wiring.analog", chip="MCP3008")
    supply = Message("boards.supply.own", budget_ma=2350.0, current_ma=3000.0)
    assert describe_profile("hall-5x5", machine) == [
        f"hall-5x5: {hall_board.title}",
        "cells      " + text(*sensors, Message("boards.debounce", rate=20.0, ms=60.0)),
        "lamps      " + text(Message("boards.lamps", count=102, lamps_per_cell=4), supply),
        "driver     " + text(choice.message),
        "data       " + text(Message("lamp_encoding.packed", encoding="packed", profile="hall-5x5")),
        "undo key   " + text(Message("boards.gpio", gpio=27)),
        "turn keys  " + text(*TURN_KEYS),
        "buzzer     " + text(Message("boards.gpio", gpio=12)),
        "here       " + text(fault.message),
    ]
    assert "/dev/spidev0.0" in text(fault.message)
    simulated = "\n".join(describe_profile("simulated-5x5", make_laptop(tmp_path)))
    assert text(Message("boards.lamps", count=120, lamps_per_cell=4), Message("boards.strips", count=10)) in simulated
    last_line = describe_profile("simulated-4x4", make_laptop(tmp_path))[-1]
    assert last_line == "here    " + text(Message("boards.nothing_missing"))


def test_listed_titles_match_the_profiles():
    titles = [load_profile(name, measured=False).title for name in list_shipped()]
    assert [line.split("  ", 1)[1].strip() for line in list_profiles()] == titles


def test_custom_board_keeps_its_title(tmp_path):
    board = tmp_path / "direct-4x4.toml"
    board.write_text((BOARDS_FOLDER / "direct-4x4.toml").read_text().replace("Sixteen buttons", "Ada's buttons"))
    assert "Ada's buttons" in describe_profile(str(board), make_laptop(tmp_path), "nl")[0]


def test_list_has_one_line_per_board(capsys):
    assert main(["boards"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(list_shipped())
    assert "direct-4x4      Sixteen buttons wired directly to the header, four lamps under each" in lines


@pytest.mark.parametrize("board", list_shipped())
def test_description_is_short(board, folder):
    lines = describe_profile(board, make_pi(folder))
    assert lines[0] == f"{board}: {load_profile(board).title}"
    assert 5 <= len(lines) <= 9
    assert lines[-1].startswith("here ")


TURN_KEYS = [
    Message("boards.turn_key", side=side, pin=Message("boards.gpio", gpio=gpio))
    for side, gpio in (("light", 23), ("dark", 24))
]


def test_turn_keys_name_their_sides(tmp_path):
    (line,) = [line for line in describe_profile("owner-4x4", make_pi(tmp_path)) if line.startswith("turn keys")]
    assert line.endswith(text(*TURN_KEYS))

"""Tests of a USB board in real time, with the real commands, driver and pyserial."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from pond_hw.commands.main import main
from pond_hw.doctor import HostSystem, run_checks
from pond_hw.drivers.usb_config import make_board_config
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.findings import FAULT, GOOD
from tests.commands.test_play import terminal
from tests.conftest import require
from tests.messages.says import text
from tests.pico.cable import Pico, RunningPico

require("serial", "it drives the cable")

NAME = "usb-direct-4x4"
CONFIG = make_board_config(load_profile(NAME))
TIMEOUT_SECONDS = 20.0


class Cable:
    """A running Pico at a path that stays the same while it is plugged in.

    Attributes:
        pico: the board.
        path: its port.
    """

    def __init__(self, folder, config_text):
        self.path = folder / "ttyPond"
        self.pico = Pico(config_text, time.monotonic)
        self.running = RunningPico(self.pico)
        self._link()

    def _link(self):
        self.path.unlink(missing_ok=True)
        for port in self.pico.ports():
            self.path.symlink_to(port)

    def pull(self):
        with self.running.locked():
            self.pico.pull()
            self._link()

    def plug_in(self):
        with self.running.locked():
            self.pico.plug_in()
            self._link()

    def tap(self, cell):
        """Press a cell briefly."""
        number = CONFIG.cell_inputs[get_grid(4).cells.index(cell)]
        self.pico.down = {number}
        time.sleep(0.15)
        self.pico.down = set()
        time.sleep(0.1)

    def wait_until(self, is_reached, description):
        give_up_at = time.monotonic() + TIMEOUT_SECONDS
        while not is_reached():
            assert time.monotonic() < give_up_at, description
            time.sleep(0.02)


def ask_state(address):
    """Return the state of the board that is served at a socket."""
    with socket.socket(socket.AF_UNIX) as program:
        program.settimeout(TIMEOUT_SECONDS)
        program.connect(str(address))
        lines = map(json.loads, program.makefile())
        return next(line for line in lines if line["type"] == "state")


@pytest.fixture
def cable(tmp_path, monkeypatch):
    cables = []

    def make(config_text=CONFIG.text):
        cables.append(Cable(tmp_path, config_text))
        monkeypatch.setenv("POND_USB_PORTS", str(cables[-1].path))
        return cables[-1]

    yield make
    for each in cables:
        each.running.__exit__()


@pytest.mark.slow
def test_served_game_survives_an_unplugged_cable(cable, tmp_path):
    usb_cable = cable()
    address = tmp_path / "pond.sock"
    command = [sys.executable, "-m", "pond_hw", "serve", "--board", NAME, "--socket", str(address), "--unsaved"]
    served = subprocess.Popen(command, env=os.environ, stderr=subprocess.PIPE)
    reply = b""

    def reply_contains(words):
        nonlocal reply
        with socket.socket(socket.AF_UNIX) as program:
            program.settimeout(1.0)
            program.connect(str(address))
            program.sendall(b'{"state":{}}\n')
            reply = program.recv(1 << 16)
        return words in reply

    try:
        usb_cable.wait_until(lambda: any(usb_cable.pico.lit), "the lamps are lit")
        usb_cable.wait_until(address.exists, "it is served")
        usb_cable.tap("b2")
        usb_cable.wait_until(lambda: reply_contains(b"@b2"), "an egg on b2")
        usb_cable.pull()
        time.sleep(1.0)
        assert not any(usb_cable.pico.lit)
        usb_cable.plug_in()
        usb_cable.wait_until(lambda: any(usb_cable.pico.lit), "the lamps are lit again")
        time.sleep(0.5)
        usb_cable.tap("c3")
        usb_cable.wait_until(lambda: reply_contains(b"@c3"), "an egg on c3")
    finally:
        served.send_signal(signal.SIGTERM)
        _, complaints = served.communicate(timeout=TIMEOUT_SECONDS)
    assert served.returncode == 0, complaints
    assert not any(usb_cable.pico.lit)
    assert b"Traceback" not in complaints


@pytest.mark.slow
def test_served_board_may_be_plugged_in_later(cable, tmp_path):
    usb_cable = cable()
    usb_cable.pull()
    address = tmp_path / "pond.sock"
    command = [sys.executable, "-m", "pond_hw", "serve", "--board", NAME, "--socket", str(address), "--unsaved"]
    with subprocess.Popen(command, env=os.environ, stderr=subprocess.PIPE) as served:
        try:
            usb_cable.wait_until(lambda: served.poll() is not None or address.exists(), "it is served")
            assert served.poll() is None
            usb_cable.wait_until(lambda: ask_state(address).get("trouble"), "a reported fault")
            usb_cable.plug_in()
            usb_cable.wait_until(lambda: any(usb_cable.pico.lit), "the lamps are lit")
            usb_cable.wait_until(lambda: not ask_state(address).get("trouble"), "recovery")
            usb_cable.tap("b2")
            usb_cable.wait_until(lambda: ask_state(address).get("last"), "an egg on b2")
        finally:
            served.send_signal(signal.SIGTERM)
            _, log = served.communicate(timeout=TIMEOUT_SECONDS)
    assert served.returncode == 0, log
    assert b"Traceback" not in log


@pytest.mark.slow
def test_play_on_board_needs_one_command(cable):
    usb_cable = cable()
    with tempfile.TemporaryDirectory() as folder:
        words = ("--dark=human", "--unsaved", "--language=en")
        with terminal(Path(folder), *words, serving=f"--board={NAME}") as shown:
            usb_cable.wait_until(lambda: shown.read() and any(usb_cable.pico.lit), "the lamps are lit")
            usb_cable.wait_until(lambda: shown.read() and b"Light" in shown.shown, "the game is shown")
            usb_cable.tap("b2")
            usb_cable.wait_until(lambda: shown.read() and b"b2" in shown.shown, "b2 on the terminal")
            shown.press(b"q")
            assert shown.wait_for_exit() == 0
        usb_cable.wait_until(lambda: not any(usb_cable.pico.lit), "the lamps are dark")


@pytest.mark.slow
def test_play_on_missing_board_is_reported(monkeypatch):
    monkeypatch.setenv("POND_USB_PORTS", "/nowhere/ttyACM0")
    with tempfile.TemporaryDirectory() as folder, terminal(Path(folder), serving=f"--board={NAME}") as shown:
        assert shown.wait_for_exit() == 2
        assert f"pond: {text(Message('usb.no_board'))}" in " ".join(shown.shown.decode().split())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--board", NAME, "--pieces"], Message("argument.no_real_board", option="--pieces")),
        (["--connect", "--board", NAME], Message("argument.own_game_only", option="--board")),
    ],
)
def test_options_that_conflict_with_a_board_are_reported(words, wanted, capsys):
    assert main(["play", *words]) == 2
    assert capsys.readouterr().err == f"pond: {text(wanted)}\n"


def test_flash_config_writes_the_configuration(cable, capsys):
    usb_cable = cable(b"")
    assert main(["board", "find"]) == 0
    found = Message("board_command.found_empty", device=str(usb_cable.path), firmware="2.0")
    assert capsys.readouterr().out == f"{text(found)}\n"
    assert main(["board", "flash-config", NAME]) == 0
    assert (
        capsys.readouterr().out == f"{text(Message('board_command.given', device=str(usb_cable.path), board=NAME))}\n"
    )
    assert usb_cable.pico.config_text == CONFIG.text
    assert main(["board", "find"]) == 0
    found = Message("board_command.found", device=str(usb_cable.path), firmware="2.0", board=NAME)
    assert capsys.readouterr().out == f"{text(found)}\n"


def test_refused_configuration_is_explained(cable, monkeypatch, capsys):
    wrong = CONFIG.text.replace(b'"gpio"', b'"spi"')
    monkeypatch.setattr("pond_hw.drivers.usb_config.make_board_config", lambda profile: CONFIG._replace(text=wrong))
    usb_cable = cable()
    assert main(["board", "flash-config", NAME]) == 2
    reason = "read must be gpio, matrix or mcp23017."
    refused = Message("usb.refused", device=str(usb_cable.path), reason=reason)
    assert capsys.readouterr().err == f"pond: {text(refused)}\n"
    assert usb_cable.pico.config_text == CONFIG.text


def test_configuration_can_be_printed(capsys):
    assert main(["board", "show-config", "usb-matrix-5x5"]) == 0
    assert capsys.readouterr().out.encode() == make_board_config(load_profile("usb-matrix-5x5")).text + b"\n"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["find"], "usb.no_board"),
        (["flash-config", NAME], "usb.no_board"),
        (["flash-config"], "board_command.profile"),
        (["find", NAME], "board_command.no_profile"),
        (["show-config", "direct-4x4"], "board_command.no_pico"),
    ],
)
def test_impossible_requests_are_reported(arguments, wanted, monkeypatch, capsys):
    monkeypatch.setenv("POND_USB_PORTS", "/nowhere/ttyACM0")
    assert main(["board", *arguments]) == 2
    output = capsys.readouterr().err
    assert output == f"pond: {text(Message(wanted, task=arguments[0], board='direct-4x4'))}\n"


def test_several_boards_need_a_port_name(monkeypatch, capsys, tmp_path):
    names = [str(tmp_path / name) for name in ("one", "two")]
    for name in names:
        (tmp_path / name).touch()
    monkeypatch.setenv("POND_USB_PORTS", ",".join(names))
    assert main(["board", "flash-config", NAME]) == 2
    assert text(Message("usb.several", devices=tuple(names))) in capsys.readouterr().err


def usb_results(name=NAME):
    return [each for each in run_checks(name, HostSystem()).check_results if each.subject == "usb"]


def test_doctor_finds_a_configured_board(cable):
    cable()
    (result,) = usb_results()
    assert (result.grade, [message.id for message in result.messages]) == (GOOD, ["doctor.usb.good"])


def test_doctor_explains_how_to_update_the_configuration(cable):
    cable()
    (result,) = usb_results("usb-hall-4x4")
    assert (result.grade, result.messages[0].id) == (FAULT, "usb.other_config")
    assert result.fix_command == "pond board flash-config usb-hall-4x4"


def test_doctor_reports_a_missing_board(monkeypatch):
    monkeypatch.setenv("POND_USB_PORTS", "/nowhere/ttyACM0")
    (result,) = usb_results()
    assert (result.grade, result.messages) == (FAULT, (Message("usb.no_board"),))

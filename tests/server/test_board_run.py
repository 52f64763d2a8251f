"""The service as a real process, and its errors when hardware is missing."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from types import ModuleType

import pytest

from pond_hw import board_factory
from pond_hw.board import BoardFault
from pond_hw.commands import main
from pond_hw.drivers import board_lock
from pond_hw.drivers.board_lock import BoardLock
from pond_hw.drivers.pi_machine import Machine
from pond_hw.journal import folder as journal_folder
from pond_hw.journal.store import JournalStore
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from pond_hw.profile import load_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import DARK, LIGHT, PondError, parse_variant
from pond_hw.server import board_run
from pond_hw.server.socket_server import LoopWaker
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import long_after_first
from tests.drivers.error_checks import raises
from tests.drivers.pis import make_laptop, make_pi
from tests.messages.says import text
from tests.server.served import Served
from tools.mock_pins import MockPins


@contextmanager
def run_service(folder, notify_socket, *command, **environment):
    """Run a service as a process. Yield it after its first frame, and kill it at the end."""
    outside = os.environ | {"NOTIFY_SOCKET": str(folder / "notify")} | environment
    process = subprocess.Popen([sys.executable, *command], env=outside, stderr=subprocess.PIPE, text=True)
    try:
        while b"READY=1" not in notify_socket.recv(4096):
            pass
        yield process
    finally:
        process.kill()
        process.communicate()


def pond(*arguments):
    return ("-m", "pond_hw", *map(str, arguments))


MOCKED = """
import atexit, sys, time
from pathlib import Path
from tools.mock_pins import MockPins
from pond_hw.drivers.pi_machine import Machine
from pond_hw.board_factory import build_board
from pond_hw.commands import main as cli
from pond_hw.drivers import board_lock as devices
from pond_hw.server import board_run

folder = Path(sys.argv[1])

class Wire:
    def open(self): pass
    def send_bytes(self, data): (folder / "lamps").write_bytes(data)
    def close(self): (folder / "lamps are closed").touch()

def build_mocked_board(profile, now, **_):
    board = build_board(profile, now, wire=Wire())
    reader = board.sensors._reader
    read = reader.read_levels

    def read_or_hang():
        while (folder / "hang").exists():
            (folder / "hangs").touch()
            time.sleep(0.005)
        (folder / "hangs").unlink(missing_ok=True)
        return read()

    reader.read_levels = read_or_hang
    atexit.register(read_or_hang)  # as libraries do: to tidy up, on the same bus
    return board

board_run.build_board = build_mocked_board
def make_crashable(service):
    run_cycle = service.run_cycle
    def run_or_crash():
        if (folder / "crash").exists():
            raise ValueError("It crashed.")
        run_cycle()
    service.run_cycle = run_or_crash
    return service

Service = board_run.BoardService
board_run.BoardService = lambda *given, **named: make_crashable(Service(*given, **named))
board_run.Machine = devices.Machine = lambda: Machine(folder)
devices.board_lock_files = lambda device="": [folder / f"{device}board.lock"]
with MockPins():
    sys.exit(cli.main(["serve", "--board", "direct-4x4", "--socket", str(folder / "pond.sock")]))
"""
"""Script that runs `pond serve --board direct-4x4` on gpiozero's mock pins and writes the lamp data to a file.

While a file `hang` exists, reading the sensors hangs. If a file `crash` exists, the loop crashes.
"""


@contextmanager
def connect_lines(path):
    """Connect to a board. Yield the connection as a file of lines."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(20)
        caller.connect(str(path))
        with caller.makefile("rw") as lines:
            yield lines


@pytest.mark.slow
def test_sigterm_ends_service_and_darkens_lamps(folder, notify_socket):
    with run_service(folder, notify_socket, "-c", MOCKED, str(folder)) as process:
        with connect_lines(folder / "pond.sock") as lines:
            hello, _ = json.loads(lines.readline()), lines.readline()
            lines.write('{"touch":"b2"}\n')
            lines.flush()
            state = json.loads(lines.readline())
        assert (hello["board"], hello["brightness"]) == ("direct-4x4", 0.5)
        assert state["last"]["action"] == "@b2"
        assert any((folder / "lamps").read_bytes())
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert process.returncode == 0
    assert (folder / "lamps").read_bytes() == bytes(192)
    assert sorted(each.name for each in folder.iterdir()) == ["lamps", "lamps are closed", "notify"]
    assert "direct-4x4: Sixteen buttons wired directly to the header" in log
    assert f"lamps by {text(Message('lamp_driver.spi'))}" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_service_ends_while_its_sensors_hang(folder, notify_socket):
    with run_service(folder, notify_socket, "-c", MOCKED, str(folder), WATCHDOG_USEC="150000") as process:
        assert b"WATCHDOG=1" in _receive(notify_socket, b"WATCHDOG")
        _hang(folder)
        _wait_for_silence(notify_socket)  # systemd would kill it now
        with connect_lines(folder / "pond.sock") as lines:
            assert '"live":true' in lines.readline()  # the loop continues
        (folder / "hang").unlink()
        assert b"WATCHDOG=1" in _receive(notify_socket, b"WATCHDOG")
        _hang(folder)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "the sensors hang: the board is closed without them" in log
    assert (folder / "lamps").read_bytes() == bytes(192)
    assert not (folder / "pond.sock").exists()
    assert not (folder / "board.lock").exists()


@pytest.mark.slow
def test_crash_during_a_bus_hang_is_logged(folder, notify_socket):
    with run_service(folder, notify_socket, "-c", MOCKED, str(folder)) as process:
        _hang(folder)
        (folder / "crash").touch()
        _, log = process.communicate(timeout=20)
    assert process.returncode == 1
    assert log.count("ValueError: It crashed.") == 1
    assert "the sensors hang: the board is closed without them" in log
    assert (folder / "lamps").read_bytes() == bytes(192)
    assert not (folder / "pond.sock").exists()
    assert not (folder / "board.lock").exists()


HELD = MOCKED.replace(
    "with MockPins():\n",
    """
from pond_hw.setup import controller
from pond_hw.profile import load_profile
def held(profile, now, **_):
    board = build_mocked_board(profile, now)
    reader = board.sensors._reader
    opened = reader.open

    def open_held():
        opened()  # the pull-ups raise all pins
        if not (folder / "released").exists():
            for cell in sys.argv[2].split():
                pins.press_switch(wiring, cell)

    reader.open = open_held
    return board

board_run.build_board = controller.build_board = held
with MockPins() as pins:
    import threading
    wiring = load_profile("direct-4x4").sensing.wiring
    def release():
        while not (folder / "released").exists():
            time.sleep(0.005)
        for cell in sys.argv[2].split():
            pins.release_switch(wiring, cell)
    threading.Thread(target=release, daemon=True).start()
""",
)
"""The same script with some cells held down until a file `released` exists."""


def _receive_status(notify_socket):
    """Return the notifications up to and including the first status."""
    heard = ""
    while "STATUS=" not in heard:
        heard += notify_socket.recv(4096).decode() + "\n"
    return heard


@contextmanager
def run_with_held_cells(folder, notify_socket, cells):
    outside = os.environ | {"NOTIFY_SOCKET": str(folder / "notify"), "POND_BOARDS": str(folder / "own")}
    outside["WATCHDOG_USEC"] = "150000"
    command = [sys.executable, "-c", HELD, str(folder), cells]
    process = subprocess.Popen(command, env=outside, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_holding_two_corners_at_start_runs_set_up(folder, notify_socket):
    with run_with_held_cells(folder, notify_socket, "a1 d4") as process:
        lit = folder / "lamps"
        while not (lit.exists() and any(lit.read_bytes())):
            time.sleep(0.005)
        (folder / "released").touch()
        line = notify_socket.recv(4096)
        while b"STATUS" not in line:
            assert line in (b"READY=1", b"WATCHDOG=1")
            line = notify_socket.recv(4096)
        assert line.startswith(b"STATUS=direct-4x4: set-up, ")
        for _ in range(3):
            assert b"WATCHDOG=1" in _receive(notify_socket, b"WATCHDOG")
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "set-up by the lamps alone" in log
    assert "Traceback" not in log
    assert lit.read_bytes() == bytes(192)
    assert not (folder / "own").exists()
    assert not (folder / "pond.sock").exists()


@pytest.mark.slow
@pytest.mark.parametrize("cells", long_after_first(["a1 d4 b2", "a1", ""]))
def test_service_starts_normally_with_other_held_cells(folder, notify_socket, cells):
    with run_with_held_cells(folder, notify_socket, cells):
        status = _receive_status(notify_socket)
    assert "STATUS=direct-4x4: standard, turn 1, light to move." in status
    assert not (folder / "own").exists()


@pytest.mark.long
def test_sigterm_ends_service_while_corners_are_held(folder, notify_socket):
    with run_with_held_cells(folder, notify_socket, "a1 d4") as process:
        while not (folder / "lamps").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in log) == (0, False)
    assert (folder / "lamps").read_bytes() == bytes(192)
    assert not (folder / "pond.sock").exists()


def _receive(notify_socket, what):
    while what not in (heard := notify_socket.recv(4096)):
        pass
    return heard


def _hang(folder):
    """Let the next sensor readings hang."""
    (folder / "hang").touch()
    while not (folder / "hangs").exists():
        time.sleep(0.005)


def _wait_for_silence(notify_socket):
    """Wait until there has been no watchdog signal for six intervals."""
    notify_socket.settimeout(0.3)
    with suppress(TimeoutError):
        while True:
            notify_socket.recv(4096)
    notify_socket.settimeout(20)


@pytest.mark.slow
def test_second_service_reports_the_lock_holder(folder, notify_socket, monkeypatch, capsys):
    from pond_hw.server import board_run

    monkeypatch.setattr(board_lock, "Machine", lambda: Machine(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    monkeypatch.setattr(board_run, "build_board", lambda profile, now, **_: None)  # must not be reached
    with run_service(folder, notify_socket, "-c", MOCKED, str(folder)) as process:
        for arguments in (
            ("serve", "--board", "hall-4x4", "--socket", str(folder / "other.sock")),
            ("dark", "--board", "direct-4x4"),
        ):
            assert main.main(arguments) == 2
            holder = Message("lock.holder", board="direct-4x4", process=process.pid, since="<when>")
            said = re.escape(f"pond: {text(Message('board.has_server', holder=holder))}\n")
            assert re.fullmatch(said.replace("<when>", ".{16}"), capsys.readouterr().err)
        assert process.poll() is None
        with connect_lines(folder / "pond.sock") as lines:
            assert '"direct-4x4"' in lines.readline()
    assert (folder / "board.lock").exists()  # because it was killed
    with BoardLock([folder / "board.lock"], "next") as hold:
        assert hold.holder_file


@pytest.mark.slow
@pytest.mark.parametrize("board", long_after_first(["direct-4x4", "hall-4x4"]))
def test_second_user_cannot_serve_the_board(folder, notify_socket, monkeypatch, capsys, board):
    """Both users can open the board's devices, but may not see each other's files and locks."""
    from pond_hw.server import board_run

    done = []
    (folder / "other").mkdir()
    make_pi(folder)
    monkeypatch.setattr(board_lock, "Machine", lambda: Machine(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / "other" / f"{device}board.lock"])
    monkeypatch.setattr(board_run, "build_board", lambda profile, now, **_: done.append("served"))
    monkeypatch.setattr(board_run, "build_lamps", lambda profile, now: closing(done.append("lamps")))
    with run_service(folder, notify_socket, "-c", MOCKED, str(folder)):
        assert (folder / "gpiochip0board.lock").exists()
        serving = ("serve", "--board", board, "--socket", str(folder / "other.sock"))
        for arguments in (serving, ("dark", "--board", board)):
            assert main.main(arguments) == 2
            message = Message("board.has_server", holder=Message("lock.unknown_holder"))
            assert capsys.readouterr().err == f"pond: {text(message)}\n"
        assert done == ["served"]  # built, but never opened
        assert list((folder / "other").iterdir()) == []


def test_inaccessible_device_is_not_locked(folder, monkeypatch):
    machine = make_pi(folder, devices=["spidev0.0"])
    monkeypatch.setattr(board_lock, "Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(folder / "dev/gpiochip0"))  # not even root can open it
        with board_lock.lock_board(load_profile("direct-4x4")):
            assert [file.name for file in folder.glob("*.lock")] == ["spidev0.0board.lock"]
        (folder / "dev/spidev0.0").unlink()
        with board_lock.lock_board(load_profile("direct-4x4")):
            assert [file.name for file in folder.glob("*.lock")] == ["board.lock"]


def test_failed_lock_releases_all_devices(folder, monkeypatch):
    machine = make_pi(folder)
    monkeypatch.setattr(board_lock, "Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    pins = folder / "dev/gpiochip0"
    held = raises(BoardFault, "board.has_server", holder=Message("lock.unknown_holder"))
    with BoardLock([], "another", folder / "dev/spidev0.0"), held:
        board_lock.lock_board(load_profile("direct-4x4"))
    with BoardLock([folder / "gpiochip0board.lock"], "next", pins) as hold:
        assert hold.holder_file


@pytest.mark.slow
def test_socket_is_reused_after_a_kill(folder, notify_socket):
    path = folder / "pond.sock"
    with run_service(folder, notify_socket, *pond("serve", "--board", "simulated-4x4", "--socket", path)) as process:
        second = subprocess.run(
            [sys.executable, *pond("serve", "--board", "simulated-5x5", "--socket", path)],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert second.returncode == 2
        holder = Message("lock.holder", board="simulated-4x4", process=process.pid, since="<when>")
        before, _, after = text(Message("socket.has_server", path=str(path), holder=holder)).partition("<when>")
        assert second.stderr.startswith(f"pond: {before}")
        assert second.stderr.endswith(f"{after}\n")
        assert second.stderr.count("\n") == 1
        with connect_lines(path) as lines:
            assert '"simulated-4x4"' in lines.readline()
        process.kill()
        process.wait()
    assert path.exists()
    with run_service(folder, notify_socket, *pond("serve", "--board", "simulated-5x5", "--socket", path)) as process:
        with connect_lines(path) as lines:
            assert '"simulated-5x5"' in lines.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert not path.exists()


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), PondError("Impossible.")], ids=repr)
def test_loop_error_becomes_a_runtime_error(monkeypatch, fault):
    """Exit code 2 would keep systemd from restarting it."""
    from pond_hw.server import board_run

    class Falling:
        start_serving = staticmethod(lambda: None)

        @staticmethod
        def run_cycle():
            raise fault

    with closing(LoopWaker()) as bell, pytest.raises(RuntimeError, match="has failed"):
        board_run._run_loop(Falling, bell, [], load_profile("simulated-4x4"))
    assert signal.set_wakeup_fd(-1) == -1


TWICE = """
import signal, sys
from contextlib import closing
from pond_hw.profile import load_profile
from pond_hw.server import board_run
from pond_hw.server.socket_server import LoopWaker
from pond_hw.simulator.board_with_pieces import PieceOptions

def again(frame, event, argument):
    # at each line that the first signal runs from here on, there is another one
    global left
    if event == "line" and left:
        left -= 1
        signal.raise_signal(signal.SIGHUP)
    return again

left = 30
with closing(LoopWaker()) as bell:
    class Traced:
        start_serving = staticmethod(lambda: None)

        @staticmethod
        def run_cycle():
            sys.settrace(again)
            signal.raise_signal(signal.SIGTERM)
            sys.settrace(None)
    board_run._run_loop(Traced, bell, board_run.catch_end_signals(), load_profile("simulated-4x4"))
"""


EARLY = """
import signal, sys
from pathlib import Path
from pond_hw.server import board_run
from pond_hw.profile import load_profile
from pond_hw.rules import parse_variant

build_board = board_run.build_board
def end_during_build(*arguments, **options):
    signal.raise_signal(signal.SIGTERM)
    return build_board(*arguments, **options)

board_run.build_board = end_during_build
board_run.BoardRun(load_profile("simulated-4x4"), parse_variant("standard"), (None, None), Path(sys.argv[1])).run()
print("released")
"""


@pytest.mark.long
def test_sigterm_during_start_ends_the_service(folder):
    command = [sys.executable, "-c", EARLY, str(folder / "pond.sock")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (0, "released\n")
    assert not (folder / "pond.sock").exists()


@pytest.mark.slow
def test_signal_during_a_signal_handler_is_harmless():
    """The process gets SIGHUP when its terminal is closed, and the shell may send the signal again."""
    assert subprocess.run([sys.executable, "-c", TWICE], timeout=20, check=False).returncode == 0


@pytest.mark.parametrize(("source", "own"), [("pi", False), ("own", True)])
def test_profile_says_whether_lamps_have_own_supply(folder, monkeypatch, source, own):
    from pond_hw.server import board_run

    supplies = []
    monkeypatch.setattr(
        board_run, "_run_loop", lambda service, *_: supplies.append(service._supply_monitor._own_supply)
    )
    profile = load_profile("simulated-4x4")
    profile = replace(profile, supply=replace(profile.supply, source=source))
    board_run.BoardRun(profile, parse_variant("standard"), (None, None), folder / "pond.sock").run()
    assert supplies == [own]


def test_bad_profile_cells_are_masked():
    from pond_hw.server import board_run

    sensing = load_profile("hall-4x4").sensing
    assert board_run._initial_board_state(sensing).sensors.masked_cells == frozenset()
    assert board_run._initial_board_state(replace(sensing, bad_cells=frozenset({"b3", "c1"}))).sensors.masked_cells == {
        "b3",
        "c1",
    }


def test_calibration_warning_is_logged(folder, monkeypatch, caplog):
    from pond_hw.server import board_run

    monkeypatch.setattr(board_run, "_run_loop", lambda *_: None)
    profile = load_profile("simulated-4x4")
    for aside, warned in (("", []), ("It is left aside.", ["It is left aside."])):
        caplog.clear()
        with caplog.at_level("WARNING", "pond"):
            board_run.BoardRun(
                replace(profile, calibration_warning=aside),
                parse_variant("standard"),
                (None, None),
                folder / "pond.sock",
            ).run()
        assert [record.message for record in caplog.records] == warned


def put(data):
    return lambda path: path.write_bytes(data)


DAMAGES = {
    "empty": put(b""),
    "zeros": put(bytes(4096)),
    "noise": put(bytes(range(256)) * 20),
    "nested": put(b"[" * 100_000),
    "folder": lambda path: (path.mkdir(), (path / "in it").touch()),
    "pipe": os.mkfifo,
}
"""Ways to damage a file."""

READ_AT_START = (
    *("boards/simulated-4x4.measured.toml", "boards/simulated-4x4.setup.json", "s.starts", "s.lock"),
    *("games/players.json", "games/exercises.json", "games/lessons/1-mine.toml"),
    *("games/journal-1.db", "games/journal-2.bad", "games/journal-3.db-wal", "games/cards/journal-1.db"),
)
"""Files that a served board reads or opens when it starts."""


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_board_starts_with_any_damaged_file(folder, notify_socket, damage):
    for name in READ_AT_START:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        damage(folder / name)
    command = pond("serve", "--board", "simulated-4x4", "--socket", folder / "s", "--journal", folder / "games")
    with run_service(folder, notify_socket, *command, POND_BOARDS=str(folder / "boards")) as process:
        with closing(socket.socket(socket.AF_UNIX)) as client, client.makefile("rwb") as lines:
            client.settimeout(10)
            client.connect(str(folder / "s"))
            heard = [json.loads(lines.readline()) for _ in range(2)]
            assert [each["type"] for each in heard] == ["hello", "state"]
            assert "board.unmeasured" in [message["id"] for message in heard[1]["said"]]
            lines.write(b'{"touch":"a1"}\n')
            lines.flush()
            while json.loads(lines.readline())["turn"] != 1:
                pass
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=10)
    assert process.returncode == 0
    for name in ("simulated-4x4.measured.toml", "players.json", "exercises.json", "1-mine.toml"):
        assert name in log
    assert "Traceback" not in log
    assert [len(game.projection.turns) for game in journal_folder.read_all_games(folder / "games")[0]] == [1]


@pytest.mark.parametrize("begins", ["before the start", "later"])
def test_read_only_state_folder_is_logged_once(tmp_path, monkeypatch, caplog, begins):
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY

    def refuse(*_):
        raise error

    caplog.set_level("WARNING", "pond")
    if begins == "before the start":
        monkeypatch.setattr(journal_folder, "acquire_lock", refuse)
    served = Served(tmp_path, games=tmp_path / "games")
    monkeypatch.setattr(JournalStore, "append_games", refuse)
    served.hands.touch("a1")
    served.advance(9.0, 0.5)
    monkeypatch.undo()
    served.advance(9.0, 0.5)
    served.close()
    unsaved = text(Message("saving.read_only"))
    assert [record.message for record in caplog.records] == [unsaved, "all is saved again"]


# Missing hardware


NO_PI = Message("machine.no_pi", profile="direct-4x4", instead=Message("machine.instead"))
MISSING = {
    "laptop": (None, NO_PI),
    "no gpio": ({"devices": ["spidev0.0"]}, Message("gpio.no_device", device="/dev/gpiochip0")),
    "gpio denied": ({"denied": ["gpiochip0"]}, Message("device.group", device="/dev/gpiochip0", group="gpio")),
    "spi off": ({"devices": ["gpiochip0"], "spi": "disabled"}, Message("spi.off", device="/dev/spidev0.0")),
    "no package": ({}, describe_missing_package("spidev", "spidev")),
    "no spidev": ({"devices": ["gpiochip0"]}, Message("spi.no_device", device="/dev/spidev0.0")),
    "spi denied": ({"denied": ["spidev0.0"]}, Message("device.group", device="/dev/spidev0.0", group="spi")),
}


@pytest.mark.parametrize("missing", MISSING)
def test_missing_hardware_message_and_exit_code(folder, monkeypatch, capsys, missing):
    monkeypatch.setitem(sys.modules, "spidev", None if missing == "no package" else ModuleType("spidev"))
    made, message = MISSING[missing]
    machine = make_laptop(folder) if made is None else make_pi(folder, **made)
    monkeypatch.setattr("pond_hw.board_factory.Machine", lambda: machine)
    assert main.main(["serve", "--board", "direct-4x4", "--socket", str(folder / "pond.sock")]) == 2
    assert capsys.readouterr() == ("", f"pond: {text(message)}\n")
    assert not (folder / "pond.sock").exists()


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("command", ["serve", "dark"])
def test_hardware_commands_on_a_laptop_report_a_missing_pi(folder, monkeypatch, capsys, command, installed):
    monkeypatch.setitem(sys.modules, "spidev", ModuleType("spidev") if installed else None)
    for module in (board_factory, board_run, board_lock):
        monkeypatch.setattr(module, "Machine", lambda: make_laptop(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    assert main.main([command, "--board", "direct-4x4"]) == 2
    assert capsys.readouterr().err == f"pond: {text(NO_PI)}\n"


def test_busy_pin_message_and_exit_code(folder, monkeypatch, capsys):
    def taken(*_, **__):
        raise OSError("GPIO busy")

    profile = (BOARDS_FOLDER / "direct-4x4.toml").read_text()
    for line, instead in (('driver = "auto".*', 'driver = "simulated"'), ("pin = 10.*", "")):
        profile = re.sub(rf"(?m)^{line}$", instead, profile)
    (folder / "mine.toml").write_text(profile)
    machine = make_pi(folder)
    monkeypatch.setattr("pond_hw.board_factory.Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    with MockPins():
        monkeypatch.setattr("gpiozero.InputDevice", taken)
        code = main.main(["serve", "--board", str(folder / "mine.toml"), "--socket", str(folder / "pond.sock")])
    error_output = capsys.readouterr().err
    assert code == 2
    assert error_output == f"pond: {text(Message('pin.busy', user='a1', pins=('12',), count=1))}\n"
    assert not list(folder.glob("*.lock"))
    assert not (folder / "pond.sock").exists()


def load_error(board):
    """Return the error for a board that cannot be loaded."""
    with pytest.raises(PondError) as refused:
        load_profile(board)
    return text(refused.value.message)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--board", "nowhere"], load_error("nowhere")),
        (
            ["serve", "--board", "simulated-4x4", "--variant", "big"],
            text(Message("variant.does_not_fit", variant="big", size=5, board=4)),
        ),
        (
            ["serve", "--board", "simulated-4x4", "--socket", "/no/such/folder/s"],
            text(Message("socket.unusable", path="/no/such/folder/s", text="No such file or directory")),
        ),
        (
            ["serve", "--board", "simulated-4x4", "--socket", "/"],
            text(Message("socket.other_file", path="/")),
        ),
        (["serve"], "--board"),
        (["dark", "--board", "nowhere"], load_error("nowhere")),
        (["boards", "nowhere"], load_error("nowhere")),
        (["boards", "/no/such/board.toml"], load_error("/no/such/board.toml")),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_user_error_message_and_exit_code(capsys, arguments, words):
    try:
        code = main.main(arguments)
    except SystemExit as stop:
        code = stop.code
    out, error_output = capsys.readouterr()
    assert (code, out) == (2, "")
    assert words in error_output
    assert "Traceback" not in error_output


def test_dark_command_ignores_simulated_lamps(capsys):
    assert main.main(["dark", "--board", "simulated-4x4"]) == 0
    assert capsys.readouterr() == ("", "")


def test_dark_command_works_without_sensors(folder, monkeypatch):
    from pond_hw.server import board_run

    done = []

    class Lamps:
        def open(self):
            done.append("open")

        def close(self):
            done.append("close")

    monkeypatch.setattr(board_lock, "Machine", lambda: make_laptop(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    monkeypatch.setattr(board_run, "build_lamps", lambda profile, now: Lamps())
    monkeypatch.setenv("POND_BOARDS", str(folder))
    (folder / "hall-4x4.measured.toml").write_text(
        "broken", encoding="utf-8"
    )  # a damaged calibration does no harm either
    assert main.main(["dark", "--board", "hall-4x4"]) == 0
    assert done == ["open", "close"]  # opening darkens the lamps, and so does closing
    assert main.main(["boards", "hall-4x4"]) == 0


@pytest.mark.parametrize(("pins", "must_press"), [({LIGHT: 23, DARK: 24}, True), ({None: 23}, True), ({}, False)])
def test_profile_turn_keys_must_be_pressed(folder, pins, must_press):
    profile = replace(load_profile("hall-4x4"), turn_key_pins=pins)
    run = board_run.BoardRun(profile, parse_variant("standard"), (None, None), folder / "pond.sock")
    run.restarts = board_run.RestartHistory(folder / "starts")
    with closing(LoopWaker()) as waker:
        companion, _ = run._make_companion(PieceOptions().make_table(4, 4, run.clock.now).to_board(), waker)
    assert companion.session.turn_key is must_press
    companion.close()

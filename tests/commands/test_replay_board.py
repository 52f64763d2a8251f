"""Tests of `--record` and `pond replay-board`."""

import io
import json
import logging
import sys

import pytest

from pond_hw.blackbox import BlackBox, BoardOpened, FrameShown, read_box
from pond_hw.board import Frame, HealthEvent, KeyEvent, Sample, Touch
from pond_hw.companion import SimulatedClock
from pond_hw.drivers.lamp_chain import ChainLamps
from pond_hw.drivers.scan import SensorScan
from pond_hw.engine import SeatedPlayers
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import STANDARD, VARIANTS
from pond_hw.server import board_run
from pond_hw.simulator import SimulatedLamps
from pond_hw.simulator.board_with_pieces import SimulatedTable
from pond_hw.tui.dialogs import GameChoice
from pond_hw.tui.local_table import LocalTable, TableOptions
from tests.blackbox.recordings import rounded
from tests.messages.says import assert_refused, text


@pytest.fixture
def pond(pond, monkeypatch):
    """Function that runs a command with JSON lines as its input."""

    def run(*arguments, lines=()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(map(json.dumps, lines)).encode())))
        return pond(*arguments)

    return run


def drop_repeats(frames):
    """Drop frames that repeat the previous one."""
    distinct = [frames[0]]
    for frame in frames[1:]:
        if frame != distinct[-1]:
            distinct.append(frame)
    return distinct


@pytest.fixture
def recorded(monkeypatch):
    """Frames, readings and sensor events as captured at the board itself."""
    recorded_events = {"frames": [], "readings": [], "events": []}

    def lamps(kind):
        show, close = kind.show, kind.close

        def shown(self, frame):
            show(self, frame)
            recorded_events["frames"].append(frame)

        def closed(self):
            close(self)
            recorded_events["frames"].append(Frame.dark_frame(self.size, self.lamps_per_cell, self.strip_lamps))

        monkeypatch.setattr(kind, "show", shown)
        monkeypatch.setattr(kind, "close", closed)

    def sensors(kind, name):
        opened = getattr(kind, name)

        def open_and_record(self, put):
            self.sample_watchers.append(recorded_events["readings"].append)
            opened(self, lambda event: (recorded_events["events"].append(event), put(event)))

        monkeypatch.setattr(kind, name, open_and_record)

    lamps(ChainLamps)
    lamps(SimulatedLamps)
    sensors(SensorScan, "open_unthreaded")
    sensors(SimulatedTable, "open")
    return recorded_events


def to_recorded(event):
    """Return an event as stored in the file, with a fault in English text."""
    match event:
        case HealthEvent(trouble, at) if trouble is not None:
            return HealthEvent(as_message(to_english(trouble)), at)
    return event


def assert_same(box, recorded_events):
    frames = [note.frame for note in box.notes if isinstance(note, FrameShown)]
    size, lamps, strip = box.notes[0][:3]
    assert frames == drop_repeats([Frame.dark_frame(size, lamps, strip), *recorded_events["frames"]])[1:]
    assert rounded(note for note in box.notes if isinstance(note, Sample)) == rounded(recorded_events["readings"])
    inputs = [note for note in box.notes if isinstance(note, Touch | KeyEvent | HealthEvent)]
    assert rounded(inputs) == rounded(map(to_recorded, recorded_events["events"]))
    assert box.damage is None


def test_setup_with_faults_is_recorded(pond, tmp_path, recorded):
    path = tmp_path / "box"
    requests = [{"step": "live"}, {"touch": "b2"}, {"press": "c3"}, {"wait": 1.0}, {"release": "c3"}, {"wait": 1.0}]
    flaws = ("--flaw", "chatter:b3", "--flaw", "swapped:a1:b1")
    code, _, err = pond(
        "setup", "--board", "direct-4x4", "--pretend", "--headless", *flaws, "--record", path, lines=requests
    )
    assert (code, err) == (0, "")
    box = read_box(path)
    assert_same(box, recorded)
    assert (box.header.command, box.header.profile) == ("setup", "direct-4x4")
    chatters = [reading.levels[9] for reading in recorded["readings"]]
    assert 0 in chatters
    assert 1 in chatters
    assert len(recorded["readings"]) > 5
    _, out, _ = pond("replay-board", path, "--text")
    assert sum("  read " in line for line in out.splitlines()) == len(recorded["readings"])
    assert any(line.endswith("b3=1") for line in out.splitlines())


def test_game_with_bad_sensors_is_recorded(pond, tmp_path, recorded):
    path = tmp_path / "box"
    requests = [{"drop": "b2"}, {"wait": 2}, {"drop": "b3"}, {"wait": 2}, {"lift": "b2"}, {"wait": 1}, {"drop": "c2"}]
    arguments = ("headless", "--pieces", "--cells", 4, "--fault", "chatter:b3", "--fault", "bounce", "--record", path)
    code, _, err = pond(*arguments, lines=[*requests, {"wait": 3}])
    assert (code, err) == (0, "")
    box = read_box(path)
    assert_same(box, recorded)
    assert len(recorded["events"]) >= 5
    assert len(recorded["readings"]) > len(recorded["events"])


def test_same_game_gives_the_same_recording(pond, tmp_path):
    texts = []
    for name in ("one", "other"):
        pond("headless", "--record", tmp_path / name, lines=[{"touch": "b2"}, {"wait": 2}])
        texts.append(pond("replay-board", tmp_path / name, "--text")[1])
    assert texts[0] == texts[1]
    assert f"input  {text(Message('recording.touch.down', cell='b2'))}" in texts[0]


def test_truncated_recording_gives_a_warning(pond, tmp_path):
    path = tmp_path / "box"
    pond("headless", "--record", path, lines=[{"touch": "b2"}, {"wait": 2}])
    path.write_bytes(path.read_bytes()[:-9])
    code, out, err = pond("replay-board", path, "--text")
    assert (code, out.count(" input ")) == (0, 2)
    assert err == f"pond: {text(read_box(path).damage)}\n"
    assert read_box(path).damage.id == "recording.incomplete.torn"


def test_bad_files_are_refused(pond, tmp_path, monkeypatch):
    path = tmp_path / "box"
    path.write_text("mine")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for command in (["headless"], ["setup", "--board", "direct-4x4", "--pretend", "--headless"],
                    ["serve", "--board", "simulated-4x4"]):  # fmt: skip
        assert_refused(pond(*command, "--record", path), Message("recording.exists", file=str(path)))
    assert path.read_text() == "mine"
    refused = text(Message("recording.not_a_recording", file=str(path)))
    assert pond("replay-board", path)[::2] == (2, f"pond: {refused}\n")
    for speed in ("0", "nan", "1e3", "-1", "2000"):
        assert pond("replay-board", path, "--speed", speed)[0] == 2
    code, out, err = pond("play", "--connect", "--record", path)
    assert (code, out, "--connect" in err) == (2, "", True)


def test_failed_start_leaves_no_file(pond, tmp_path):
    path = tmp_path / "box"
    code, _, err = pond("serve", "--board", "simulated-4x4", "--variant", "big", "--record", path)
    assert (code, "Big" in err, "5x5" in err) == (2, True, True)
    assert not path.exists()


def test_full_disk_is_reported_at_the_end(pond, tmp_path, monkeypatch):
    write = BlackBox._write_bytes

    def full_disk(self, data):
        if self._file.name and self._file.tell() > 300:
            self._file.close()
            self._file = FullDisk()
        write(self, data)

    class FullDisk:
        closed = False

        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self):
            self.closed = True

        name, tell = "", None

    monkeypatch.setattr(BlackBox, "_write_bytes", full_disk)
    path = tmp_path / "box"
    stopped = Message("recording.stopped", file=str(path), reason="No space left on device")
    code, out, err = pond("headless", "--record", path, lines=[{"touch": "b2"}, {"wait": 30}, {"ask": "state"}])
    assert (code, json.loads(out.splitlines()[-1])["t"]) == (0, 30.0)
    assert err == f"pond: {text(stopped)}\n"
    assert read_box(path).damage.id == "recording.incomplete.torn"


def test_recording_continues_on_a_larger_board(tmp_path):
    path, time = tmp_path / "box", SimulatedClock()
    box = BlackBox(path, "play")
    table = LocalTable(STANDARD, SeatedPlayers(), TableOptions(1, time, box=box))
    table.step()
    table.touch_cell("b2")
    table.companion.run_until(1.0)
    assert table.begin_game(GameChoice(VARIANTS["big"], ("human", "human")))
    table.companion.run_until(2.0)
    table.touch_cell("e5")
    table.step()
    table.close()
    box.close()
    notes = read_box(path).notes
    assert [note.size for note in notes if isinstance(note, BoardOpened)] == [4, 5]
    assert [note.cell for note in notes if isinstance(note, Touch) and note.down] == ["b2", "e5"]
    assert notes[-1].frame == Frame.dark_frame(5, 1)


def test_served_board_is_recorded(pond, folder, monkeypatch):
    path = folder / "box"
    monkeypatch.setattr(logging, "raiseExceptions", True)  # the service changes it
    monkeypatch.setattr(board_run, "catch_end_signals", list)
    monkeypatch.setattr(board_run, "_run_loop", lambda service, *_: service.start_serving())
    monkeypatch.setattr(board_run, "exit_without_cleanup", lambda error: None)
    code, _, _ = pond("serve", "--board", "simulated-4x4", "--socket", folder / "pond.sock", "--record", path)
    box = read_box(path)
    assert (code, box.damage) == (0, None)
    assert (box.header.command, box.header.profile) == ("serve", "simulated-4x4")
    assert [type(note) for note in box.notes] == [BoardOpened, FrameShown, FrameShown]  # the first frame, and dark


def test_recording_is_complete_even_if_the_board_hangs(pond, folder, monkeypatch):
    path, left = folder / "box", []
    monkeypatch.setattr(logging, "raiseExceptions", True)
    monkeypatch.setattr(board_run, "catch_end_signals", list)
    monkeypatch.setattr(board_run, "_run_loop", lambda service, *_: service.start_serving())
    monkeypatch.setattr(
        board_run, "close_with_timeout", lambda close, lamps: close()
    )  # None means that the board hangs
    monkeypatch.setattr(board_run, "exit_without_cleanup", lambda error: left.append(read_box(path).damage))
    pond("serve", "--board", "simulated-4x4", "--socket", folder / "pond.sock", "--record", path)
    assert left == [None]

"""Recordings are played: the same events and frames, back and forth, at any speed."""

import asyncio
import io
import json
import logging
import sys
from functools import wraps

import pytest
from textual import events

from pond_hw.blackbox import BlackBox, BoardOpened, BoxContents, BoxHeader, FrameShown, LampsHealth, read_box
from pond_hw.blackbox.playback import BoxRecording, Playback
from pond_hw.blackbox.text import format_notes
from pond_hw.board import Frame, HealthEvent, KeyEvent, Sample, Touch
from pond_hw.commands import main
from pond_hw.companion import SimulatedClock
from pond_hw.drivers.lamp_chain import ChainLamps
from pond_hw.drivers.scan import SensorScan
from pond_hw.engine import SeatedPlayers
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS
from pond_hw.server import serve
from pond_hw.simulator import SimulatedLamps
from pond_hw.simulator.board_with_pieces import SimulatedTable
from pond_hw.tui.dialogs import GameChoice
from pond_hw.tui.drawn_board import perceived_colour
from pond_hw.tui.local_table import LocalTable, TableOptions
from pond_hw.tui.replay_board_app import ReplayBoardApp, format_time
from tests.messages.says import text

RED, BLUE = (200, 0, 0), (0, 0, 200)
BUS_OFF = as_message("The sensors do not answer: the bus is off.")
WIRE_OFF = as_message("The wire is off.")
HEAD = BoxHeader("0.1.0", "serve", "direct-4x4", "2026-01-31", 4, 1, 0)


def lit(cell, colour, size=4, strip=()):
    """A frame in which one cell is lit."""
    data = bytearray(size**2 * 3)
    number = "12345".index(cell[1]) * size + "abcde".index(cell[0])
    data[number * 3 : number * 3 + 3] = bytes(colour)
    return Frame(size, 1, bytes(data) + bytes(channel for lamp in strip for channel in lamp), len(strip) // 2)


def levels(*down):
    return tuple(int(number in down) for number in range(16))


NOTES = (
    BoardOpened(4, 1, 0, 100.0),
    Sample(levels(), 100.0),
    Sample(levels(5), 101.0),
    Touch("b2", True, 100.99),
    FrameShown(lit("b2", RED), 101.5),
    HealthEvent(BUS_OFF, 110.0),
    HealthEvent(None, 112.0),
    Touch("b2", False, 120.0, LIGHT),
    FrameShown(lit("d4", BLUE), 120.5),
)


@pytest.fixture
def pond(capsys, monkeypatch):
    """Runs the command on lines; gives its exit code, what it printed, and what it complained of."""

    def run(*arguments, says=()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(map(json.dumps, says)).encode())))
        try:
            code = main.main(list(map(str, arguments)))
        except SystemExit as stop:
            code = stop.code
        out, complaint = capsys.readouterr()
        return code, out, complaint

    return run


# In words.


def test_every_note_is_a_line():
    assert list(format_notes(NOTES)) == [
        "     0.000000  board  " + text(Message("recording.board", size=4, count=1)),
        "     0.000000  read   -",
        "     1.000000  read   b2=1",
        "     0.990000  input  " + text(Message("recording.touch.down", cell="b2")),
        "     1.500000  frame  b2=c80000",
        "    10.000000  fault  " + text(BUS_OFF),
        "    12.000000  fault  " + text(Message("recording.sensors_back")),
        "    20.000000  input  " + text(Message("recording.touch.up_owned", cell="b2", side="light")),
        "    20.500000  frame  b2=000000 d4=0000c8",
    ]


def test_counts_strips_keys_and_lamps_have_words_too():
    notes = (
        BoardOpened(4, 4, 1, 0.0),
        FrameShown(Frame(4, 4, bytes([1] * 3 + [0] * 189 + [2] * 3 + [0] * 3), 1), 0.0),
        Sample(levels(0), 0.0, tuple(range(500, 516))),
        KeyEvent(True, 0.0),
        KeyEvent(False, 0.0),
        Touch("b2", True, 0.0, DARK),
        LampsHealth(WIRE_OFF, 0.0),
        LampsHealth(None, 0.0),
    )
    assert [line[15:] for line in format_notes(notes)] == [
        "board  " + text(Message("recording.board_with_strips", size=4, count=4, strip=1)),
        "frame  a1=010101/000000/000000/000000 light=020202",
        "read   a1=1  counts 500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515",
        "input  " + text(Message("recording.key.down")),
        "input  " + text(Message("recording.key.up")),
        "input  " + text(Message("recording.touch.down_owned", cell="b2", side="dark")),
        "fault  " + text(WIRE_OFF),
        "fault  " + text(Message("recording.lamps_back")),
    ]


def test_readings_are_told_by_what_has_changed_since_the_one_before_or_since_the_board_was_opened():
    notes = (
        BoardOpened(4, 1, 0, 0.0),
        Sample(levels(0, 5), 1.0),
        Sample(levels(5), 2.0),
        BoardOpened(4, 1, 0, 3.0),
        Sample(levels(5), 4.0),
        Sample(levels(5), 5.0),
    )
    assert [line[22:] for line in format_notes(notes) if " read " in line] == ["a1=1 b2=1", "a1=0", "b2=1", "-"]


# Back and forth.


def test_at_every_instant_things_stand_as_they_stood():
    recording = BoxRecording(NOTES)
    assert recording.duration_seconds == 20.5
    for instant, cell, down, said, trouble in (
        (0.0, None, (), 0, None),
        (0.999, None, (), 0, None),
        (1.0, None, ("b2",), 1, None),
        (1.5, "b2", ("b2",), 1, None),
        (11.0, "b2", ("b2",), 1, BUS_OFF),
        (12.0, "b2", ("b2",), 1, None),
        (20.0, "b2", (), 1, None),
        (20.5, "d4", (), 1, None),
    ):
        standing = recording.state_at(instant)
        frame = lit(cell, BLUE if cell == "d4" else RED) if cell else Frame.dark_frame(4, 1)
        assert standing.frame == frame, instant
        assert (standing.down_cells, sum(standing.sample.levels), standing.trouble) == (frozenset(down), said, trouble)


def test_events_are_what_happened_besides_light_and_trembling():
    recording = BoxRecording(NOTES)
    assert recording.events == [
        (0.0, Message("recording.board", size=4, count=1)),
        (1.0, Message("recording.sensors_changed", changes="b2=1")),
        (1.0, Message("recording.touch.down", cell="b2")),  # it was earlier, but is known only now
        (10.0, BUS_OFF),
        (12.0, Message("recording.sensors_back")),
        (20.0, Message("recording.touch.up_owned", cell="b2", side="light")),
    ]
    assert recording.events_until(10.0, 2) == recording.events[2:4]
    assert recording.events_until(0.0, 9) == recording.events[:1]


def test_a_board_that_is_opened_again_is_dark_and_nothing_is_known_of_it():
    lost = HealthEvent(BUS_OFF, 110.0)
    again = BoxRecording((*NOTES[:5], lost, BoardOpened(5, 1, 2, 130.0), LampsHealth(WIRE_OFF, 131.0)))
    standing = again.state_at(30.0)
    assert standing == (Frame.dark_frame(5, 1, 2), None, frozenset(), None)
    assert again.state_at(31.0).trouble == WIRE_OFF


def test_a_recording_is_played_at_any_speed_and_stops_at_its_end():
    playback = Playback(BoxRecording(NOTES), 2.0)
    playback.pass_time(3.0)
    assert playback.position_seconds == 6.0
    playback.toggle_pause()
    playback.pass_time(3.0)
    assert playback.position_seconds == 6.0
    playback.stop_at_next()
    assert playback.position_seconds == 10.0
    playback.stop_at_next()
    assert playback.position_seconds == 12.0
    playback.toggle_pause()
    playback.change_speed(2.0)
    playback.pass_time(2.0)
    assert playback.position_seconds == 20.0
    playback.pass_time(1.0)
    assert (playback.position_seconds, playback.playing) == (20.5, False)
    playback.stop_at_next()
    assert playback.position_seconds == 20.5
    playback.toggle_pause()
    assert (playback.position_seconds, playback.playing) == (0.0, True)
    playback.seek_to(-5.0)
    assert playback.position_seconds == 0.0
    for _ in range(40):
        playback.change_speed(2.0)
    assert playback.speed == Playback.MAX_SPEED


# At the terminal.


class Time:
    time = 0.0

    def now(self):
        return self.time


def at_a_terminal(test):
    @wraps(test)
    def run():
        asyncio.run(test())

    return run


async def press(app, pilot, *keys):
    for key in keys:
        app.post_message(events.Key(key, None))
        await pilot.pause(0)


def words(app, name):
    return str(app.query_one(f"#{name}").render())


def colour_at(app, cell):
    """The colour in which a cell is drawn."""
    size = app.drawn_board.board_size
    rule = size < 5  # lines between the cells
    x, y = 2 + rule + "abcde".index(cell[0]) * (4 + rule), rule + (size - int(cell[1])) * (2 + rule)
    assert app.drawn_board.cell_at(x, y) == cell
    for segment in app.drawn_board.render_line(y):
        x -= len(segment.text)
        if x < 0:
            return segment.style.bgcolor.triplet
    return None


@at_a_terminal
async def test_the_board_is_seen_as_its_lamps_were_and_keys_go_back_and_forth():
    time = Time()
    damage = Message("recording.incomplete.torn", seconds=20.5)
    app = ReplayBoardApp(BoxContents(HEAD, NOTES, damage), 1.0, time.now)
    async with app.run_test(size=(80, 24)) as pilot:
        assert words(app, "title") == "0:00.00 of 0:20.50   x1   playing   direct-4x4, pond serve, 2026-01-31"
        assert colour_at(app, "b2") == perceived_colour([(0, 0, 0)])
        time.time = 2.0
        app.update_screen()
        assert colour_at(app, "b2") == perceived_colour([RED])
        assert words(app, "said").splitlines()[3].split() == [".", "#", ".", ".", ".", "#", ".", "."]
        assert words(app, "events").splitlines()[-2:] == [
            "  0:01.00  " + text(Message("recording.sensors_changed", changes="b2=1")),
            "  0:01.00  " + text(Message("recording.touch.down", cell="b2")),
        ]
        await press(app, pilot, "space", "right")
        assert "0:07.00 of 0:20.50   x1   paused" in words(app, "title")
        await press(app, pilot, "full_stop")
        assert text(BUS_OFF) in words(app, "said")
        await press(app, pilot, "left", "left", "left", "plus", "plus", "minus")
        assert "0:00.00 of 0:20.50   x2   paused" in words(app, "title")
        assert colour_at(app, "b2") == perceived_colour([(0, 0, 0)])
        await press(app, pilot, "end")
        assert colour_at(app, "d4") == perceived_colour([BLUE])
        assert words(app, "lacks") == text(damage)
        for name in ("title", "said", "events", "lacks", "keys"):
            region = app.query_one(f"#{name}").region
            assert region.right <= 80, name
            assert region.height > 0, name
            assert region.bottom <= 24, name
        await press(app, pilot, "home")
        assert app.playback.position_seconds == 0.0
        await press(app, pilot, "q")
    assert app._exit
    app.update_screen()  # the clock may tick once more when the screen has gone


@at_a_terminal
async def test_counts_fit_beside_the_largest_board_and_a_board_may_be_opened_again_as_another():
    notes = (
        BoardOpened(5, 1, 2, 0.0),
        Sample((-1,) + (0,) * 24, 0.0, tuple(range(1000, 1025))),
        FrameShown(lit("e5", RED, 5, (BLUE, BLUE, RED, RED)), 0.0),
        BoardOpened(3, 1, 0, 9.0),
    )
    app = ReplayBoardApp(BoxContents(HEAD, notes, None), 1.0, Time().now)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        said = words(app, "said")
        assert said.splitlines()[5].startswith("= . . . .")
        assert "1000 1001 1002 1003 1004" in said
        assert colour_at(app, "e5") == perceived_colour([RED])
        assert app.score_strips.render_line(0).text.strip() == "■■"
        assert app.query_one("#keys").region.bottom <= 24
        assert app.query_one("#events").region.height >= 3
        await press(app, pilot, "end")
        assert app.drawn_board.board_size == 3
        assert not app.score_strips.display


@pytest.mark.slow
@at_a_terminal
async def test_score_strips_that_are_longer_than_the_board_is_wide_end_at_its_edge():
    app = ReplayBoardApp(BoxContents(HEAD, (BoardOpened(4, 1, 60, 0.0),), None), 1.0, Time().now)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.score_strips.region.height == 2
        assert [app.score_strips.render_line(line).text.strip("■ ") for line in (0, 1)] == ["", ""]
        assert app.score_strips.render_line(1).text.startswith("  ■")  # dark's, and not the rest of light's
        assert app.query_one("#said").region.width == 52


def test_instants_are_told_to_the_hundredth():
    assert [format_time(seconds) for seconds in (0.0, 0.07, 59.999, 60.0, 3661.25)] == [
        "0:00.00", "0:00.07", "0:59.99", "1:00.00", "61:01.25",
    ]  # fmt: skip


# From the board to the laptop.


def different(frames):
    """Without those that are as the one before; the first is dark."""
    kept = [frames[0]]
    for frame in frames[1:]:
        if frame != kept[-1]:
            kept.append(frame)
    return kept


@pytest.fixture
def listener(monkeypatch):
    """Listens at the board itself: what lamps are told, what sensors say and what is felt."""
    heard = {"frames": [], "readings": [], "felt": []}

    def lamps(kind):
        show, close = kind.show, kind.close

        def shown(self, frame):
            show(self, frame)
            heard["frames"].append(frame)

        def closed(self):
            close(self)
            heard["frames"].append(Frame.dark_frame(self.size, self.lamps_per_cell, self.strip_lamps))

        monkeypatch.setattr(kind, "show", shown)
        monkeypatch.setattr(kind, "close", closed)

    def sensors(kind, name):
        opened = getattr(kind, name)

        def listened(self, put):
            self.sample_watchers.append(heard["readings"].append)
            opened(self, lambda felt: (heard["felt"].append(felt), put(felt)))

        monkeypatch.setattr(kind, name, listened)

    lamps(ChainLamps)
    lamps(SimulatedLamps)
    sensors(SensorScan, "open_unthreaded")
    sensors(SimulatedTable, "open")
    return heard


def as_recorded(event):
    """An event as a file holds it: with the English text of a trouble."""
    match event:
        case HealthEvent(trouble, at) if trouble is not None:
            return HealthEvent(as_message(to_english(trouble)), at)
    return event


def near(notes):
    return [note._replace(instant=round(note.instant * 1e6)) for note in notes]


def the_same(box, heard):
    frames = [note.frame for note in box.notes if isinstance(note, FrameShown)]
    size, lamps, strip, _ = box.notes[0]
    assert frames == different([Frame.dark_frame(size, lamps, strip), *heard["frames"]])[1:]
    assert near(note for note in box.notes if isinstance(note, Sample)) == near(heard["readings"])
    inputs = [note for note in box.notes if isinstance(note, Touch | KeyEvent | HealthEvent)]
    assert near(inputs) == near(map(as_recorded, heard["felt"]))
    assert box.damage is None


def test_a_board_with_a_fault_that_is_being_set_up_is_seen_as_it_was(pond, tmp_path, listener):
    path = tmp_path / "box"
    does = [{"step": "live"}, {"touch": "b2"}, {"press": "c3"}, {"wait": 1.0}, {"release": "c3"}, {"wait": 1.0}]
    flaws = ("--flaw", "chatter:b3", "--flaw", "swapped:a1:b1")
    code, _, complaint = pond(
        "setup", "--board", "direct-4x4", "--pretend", "--headless", *flaws, "--record", path, says=does
    )
    assert (code, complaint) == (0, "")
    box = read_box(path)
    the_same(box, listener)
    assert (box.header.command, box.header.profile) == ("setup", "direct-4x4")
    chatters = [reading.levels[9] for reading in listener["readings"]]
    assert 0 in chatters
    assert 1 in chatters
    assert len(listener["readings"]) > 5
    _, out, _ = pond("replay-board", path, "--text")
    assert sum("  read " in line for line in out.splitlines()) == len(listener["readings"])
    assert any(line.endswith("b3=1") for line in out.splitlines())


def test_a_game_with_bad_sensors_is_seen_as_it_was(pond, tmp_path, listener):
    path = tmp_path / "box"
    does = [{"drop": "b2"}, {"wait": 2}, {"drop": "b3"}, {"wait": 2}, {"lift": "b2"}, {"wait": 1}, {"drop": "c2"}]
    arguments = ("headless", "--pieces", "--cells", 4, "--fault", "chatter:b3", "--fault", "bounce", "--record", path)
    code, _, complaint = pond(*arguments, says=[*does, {"wait": 3}])
    assert (code, complaint) == (0, "")
    box = read_box(path)
    the_same(box, listener)
    assert len(listener["felt"]) >= 5
    assert len(listener["readings"]) > len(listener["felt"])


def test_the_same_game_recorded_twice_reads_the_same(pond, tmp_path):
    texts = []
    for name in ("one", "other"):
        pond("headless", "--record", tmp_path / name, says=[{"touch": "b2"}, {"wait": 2}])
        texts.append(pond("replay-board", tmp_path / name, "--text")[1])
    assert texts[0] == texts[1]
    assert f"input  {text(Message('recording.touch.down', cell='b2'))}" in texts[0]


def test_a_recording_without_its_end_is_printed_with_a_warning(pond, tmp_path):
    path = tmp_path / "box"
    pond("headless", "--record", path, says=[{"touch": "b2"}, {"wait": 2}])
    path.write_bytes(path.read_bytes()[:-9])
    code, out, complaint = pond("replay-board", path, "--text")
    assert (code, out.count(" input ")) == (0, 2)
    assert complaint == f"pond: {text(read_box(path).damage)}\n"
    assert read_box(path).damage.id == "recording.incomplete.torn"


def test_bad_files_get_a_sentence(pond, tmp_path, monkeypatch):
    path = tmp_path / "box"
    path.write_text("mine")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for command in (["headless"], ["setup", "--board", "direct-4x4", "--pretend", "--headless"],
                    ["serve", "--board", "simulated-4x4"]):  # fmt: skip
        code, out, complaint = pond(*command, "--record", path)
        assert (code, out) == (2, "")
        assert complaint == f"pond: {text(Message('recording.exists', file=str(path)))}\n"
    assert path.read_text() == "mine"
    refused = text(Message("recording.not_a_recording", file=str(path)))
    assert pond("replay-board", path)[::2] == (2, f"pond: {refused}\n")
    for speed in ("0", "nan", "1e3", "-1", "2000"):
        assert pond("replay-board", path, "--speed", speed)[0] == 2
    code, out, complaint = pond("play", "--connect", "--record", path)
    assert (code, out, "--connect" in complaint) == (2, "", True)


def test_a_file_for_what_never_began_is_not_left(pond, tmp_path):
    path = tmp_path / "box"
    code, _, complaint = pond("serve", "--board", "simulated-4x4", "--variant", "big", "--record", path)
    assert (code, "big" in complaint, "5x5" in complaint) == (2, True, True)
    assert not path.exists()


def test_a_full_disk_is_told_when_all_is_over_and_the_game_goes_on(pond, tmp_path, monkeypatch):
    write = BlackBox._write_bytes

    def full(self, data):
        if self._file.name and self._file.tell() > 300:
            self._file.close()
            self._file = Full()
        write(self, data)

    class Full:
        closed = False

        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self):
            self.closed = True

        name, tell = "", None

    monkeypatch.setattr(BlackBox, "_write_bytes", full)
    path = tmp_path / "box"
    stopped = Message("recording.stopped", file=str(path), reason="No space left on device")
    code, out, complaint = pond("headless", "--record", path, says=[{"touch": "b2"}, {"wait": 30}, {"ask": "state"}])
    assert (code, json.loads(out.splitlines()[-1])["t"]) == (0, 30.0)
    assert complaint == f"pond: {text(stopped)}\n"
    assert read_box(path).damage.id == "recording.incomplete.torn"


def test_a_game_in_a_terminal_is_recorded_and_so_is_the_next_one_on_a_larger_board(tmp_path):
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


def test_a_board_that_is_served_is_recorded_to_its_end(pond, folder, monkeypatch):
    path = folder / "box"
    monkeypatch.setattr(logging, "raiseExceptions", True)  # which the service changes
    monkeypatch.setattr(serve, "catch_end_signals", list)
    monkeypatch.setattr(serve, "_run_loop", lambda service, *_: service.start_serving())
    monkeypatch.setattr(serve, "exit_now", lambda error: None)
    code, _, _ = pond("serve", "--board", "simulated-4x4", "--socket", folder / "pond.sock", "--record", path)
    box = read_box(path)
    assert (code, box.damage) == (0, None)
    assert (box.header.command, box.header.profile) == ("serve", "simulated-4x4")
    assert [type(note) for note in box.notes] == [BoardOpened, FrameShown, FrameShown]  # the first frame, and dark


def test_what_a_service_records_is_whole_although_its_board_hangs_in_the_end(pond, folder, monkeypatch):
    path, left = folder / "box", []
    monkeypatch.setattr(logging, "raiseExceptions", True)
    monkeypatch.setattr(serve, "catch_end_signals", list)
    monkeypatch.setattr(serve, "_run_loop", lambda service, *_: service.start_serving())
    monkeypatch.setattr(serve, "close_with_timeout", lambda close, lamps: close())  # None: not all of it was let go
    monkeypatch.setattr(serve, "exit_now", lambda error: left.append(read_box(path).damage))
    pond("serve", "--board", "simulated-4x4", "--socket", folder / "pond.sock", "--record", path)
    assert left == [None]

"""Recordings: what is written is read, however the file ends, and the board is not disturbed."""

import errno
import gzip
import json
import threading
import zlib
from datetime import date
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pond_hw.blackbox import BlackBox, BoardOpened, FrameShown, LampsHealth, read_box, record_board
from pond_hw.blackbox.format import BoxHeader, DamagedRecording, NoteCodec
from pond_hw.board import Board, BoardFault, Frame, HealthEvent, KeyEvent, Sample, Touch
from pond_hw.drivers.scan import SensorScan
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, PondError, get_grid
from pond_hw.simulator import SimulatedBoard
from tests.conftest import each
from tests.messages.says import says, text
from tests.simulator.keys import press_key


class Clock:
    time = 0.0

    def now(self):
        return self.time


@pytest.fixture
def path(tmp_path):
    return tmp_path / "box"


def written(path, notes, **how):
    box = BlackBox(path, "serve", "a-board", **how)
    for note in notes:
        box.record_note(note)
    box.close()
    return read_box(path)


def refusal(path):
    """Why a file cannot be read."""
    with pytest.raises(PondError) as refused:
        read_box(path)
    return refused.value.message


def near(notes):
    """Notes with their instants to the microsecond, which is as they come back."""
    return [note._replace(instant=round(note.instant * 1e6)) for note in notes]


def evening(seconds=8, seed=3):
    """A few seconds of a lively board, with everything that can be noted."""
    chance, notes, at = Random(seed), [BoardOpened(4, 1, 0, 0.0)], 0.0
    levels, data, counts = [0] * 16, bytearray(48), [512] * 16
    while at < seconds:
        at += chance.uniform(0.01, 0.05)
        for _ in range(5):
            place = chance.randrange(48)
            data[place] = chance.randrange(256)
        levels[chance.randrange(16)] = chance.choice((-1, 0, 1))
        counts = [count + chance.randint(-3, 3) for count in counts]
        notes += [Sample(tuple(levels), at, tuple(counts)), FrameShown(Frame(4, 1, bytes(data)), at)]
        whose = chance.choice((LIGHT, None))
        notes.append(Touch(chance.choice(get_grid(4).cells), chance.random() < 0.5, at - 0.02, whose))
    return [
        *notes,
        KeyEvent(True, at),
        HealthEvent(as_message("The sensors do not answer."), at),
        LampsHealth(None, at),
    ]


# Any board, any evening.

instants = some.floats(0, 1e6, allow_nan=False)
troubles = some.none() | some.text(max_size=20).map(as_message)
owners = some.sampled_from((None, LIGHT, DARK))
nonsense = some.recursive(some.none() | some.integers() | some.text(max_size=5), some.lists, max_leaves=8)


@some.composite
def anything(draw):
    """Whatever may happen on a board, which may be opened again as another one."""
    notes = []
    for _ in range(draw(some.integers(1, 2))):
        size, side, strip = draw(some.integers(3, 5)), draw(some.integers(1, 3)), draw(some.integers(0, 3))
        count, cells = (size**2 * side**2 + 2 * strip) * 3, get_grid(size).cells
        frames = some.binary(min_size=count, max_size=count) | some.just(bytes(count))
        levels = some.tuples(*[some.integers(-1, 1)] * size**2)
        raw = some.none() | some.tuples(*[some.integers(-40000, 40000)] * size**2)
        notes.append(BoardOpened(size, side**2, strip, draw(instants)))
        notes += draw(
            some.lists(
                some.one_of(
                    some.builds(Sample, levels, instants, raw),
                    some.builds(FrameShown, frames.map(partial(Frame, size, side**2, strip_lamps=strip)), instants),
                    some.builds(Touch, some.sampled_from(cells), some.booleans(), instants, owners),
                    some.builds(KeyEvent, some.booleans(), instants),
                    some.builds(HealthEvent, troubles, instants),
                    some.builds(LampsHealth, troubles, instants),
                ),
                max_size=10,
            )
        )
    return notes


@given(anything())
def test_what_is_written_is_read(notes):
    writes, reads = NoteCodec(), NoteCodec()
    again = [reads.decode_line(line) for line in [writes.encode_note(note) for note in notes]]
    assert near(again) == near(notes)
    assert [type(note) for note in again] == [type(note) for note in notes]


@pytest.mark.slow
@given(some.text(max_size=40) | nonsense.map(json.dumps))
def test_a_line_that_nobody_wrote_is_damaged_and_nothing_worse(line):
    form = NoteCodec()
    form.encode_note(BoardOpened(4, 1, 0, 0.0))
    try:
        form.decode_line(line)
    except DamagedRecording:
        return
    assert json.loads(line)[0] in ("b", "r", "t", "k", "h", "l", "f")


LEVELS = "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"
IMPOSSIBLE_LINES = [
    '["t",0,"e5",1]',  # a 4x4 board has no such cell
    '["t",0,"b2",2]',
    '["t",0,"b2",1,"green"]',
    '["t",true,"b2",1]',
    '["t",0.5,"b2",1]',
    '["t",99999999999999999999,"b2",1]',
    '["r",0]',
    '["r",0,7]',
    '["b",0,6,1,0]',
    '["b",0,4,2,0]',
    '["b",0,4,1,-1]',
    '["k",0]',
    '["x",0]',
    '["f",0]',
    '["f",0,7]',
    '{"t":0}',
    "[" * 100000,
    '["r",0,[0,1]]',  # levels of two sensors only
    f'["r",0,{LEVELS.replace("[0", "[2")}]',
    f'["r",0,{LEVELS.replace("[0", "[true")}]',
    f'["r",0,{LEVELS},[512]]',
    f'["r",0,{LEVELS},7]',
    f'["r",0,{LEVELS},{LEVELS},{LEVELS}]',
    '["f",0,"AAAA"]',  # three bytes only
    f'["f",0,"{"A" * 63}*"]',
    f'["f",0,"{"A" * 63}"]',
]


@each("line", IMPOSSIBLE_LINES)
def test_what_no_board_can_have_said_is_damaged(line):
    codec = NoteCodec()
    codec.decode_line('["b",0,4,1,0]')
    with pytest.raises(DamagedRecording):
        codec.decode_line(line)


def test_nothing_is_noted_before_a_board_is_opened():
    with pytest.raises(DamagedRecording):
        NoteCodec().decode_line('["k",0,1]')


# The file.


def test_a_file_says_what_it_is_in_plain_text_and_the_rest_can_be_unpacked_by_gzip(path):
    written(path, evening(1), today=lambda: date(2026, 1, 31))
    first, packed = path.read_bytes().split(b"\n", 1)
    head = json.loads(first)
    assert head["box"] == "pond black box"
    assert (head["format"], head["command"], head["profile"], head["date"]) == (2, "serve", "a-board", "2026-01-31")
    assert (head["size"], head["lamps"], head["strip"]) == (4, 1, 0)
    assert zlib.decompress(packed, wbits=31).startswith(b'["b",0,4,1,0]\n["r",')


def test_a_whole_file_lacks_nothing(path):
    notes = evening()
    box = written(path, notes)
    assert box.damage is None
    assert near(box.notes) == near(notes)


@pytest.mark.parametrize("apart", [9, pytest.param(1, marks=pytest.mark.long)])
def test_a_file_that_is_torn_anywhere_is_read_up_to_there(path, tmp_path, apart):
    whole = list(written(path, evening(1.2)).notes)
    data, torn = path.read_bytes(), tmp_path / "torn"
    had = len(whole)
    assert len(data) > 1200
    for cut in range(len(data) - 1, len(data) - 1025, -apart):
        torn.write_bytes(data[:cut])
        box = read_box(torn)
        assert list(box.notes) == whole[: len(box.notes)]
        assert len(box.notes) <= had
        seconds = max(note.instant for note in box.notes) - box.notes[0].instant
        assert box.damage == Message("recording.incomplete.torn", seconds=seconds)
        had = len(box.notes)
    assert had < len(whole)


def test_a_file_that_is_torn_near_its_beginning_says_so(path, tmp_path):
    written(path, evening(1))
    data, torn = path.read_bytes(), tmp_path / "torn"
    end = data.index(b"\n") + 1
    for cut in range(1, end):
        torn.write_bytes(data[:cut])
        assert refusal(torn) == Message("recording.torn_header", file=str(torn))
    torn.write_bytes(data[:end])
    assert refusal(torn) == Message("recording.nothing.torn", file=str(torn))


def test_a_file_without_notes_says_so(path):
    header = BoxHeader("0.1.0", "serve", "", "2026-01-31", 4, 1, 0)
    path.write_bytes(f"{header.first_line}\n".encode() + gzip.compress(b""))
    assert refusal(path) == Message("recording.nothing.whole", file=str(path))


@pytest.mark.slow
def test_damage_anywhere_does_no_more_than_end_what_is_read(path):
    whole = list(written(path, evening(0.5)).notes)
    data, chance = path.read_bytes(), Random(7)
    for _ in range(200):
        place = chance.randrange(len(data))
        path.write_bytes(data[:place] + bytes([data[place] ^ chance.randrange(1, 256)]) + data[place + 1 :])
        try:
            box = read_box(path)
        except PondError:
            assert place < data.index(b"\n") + 300, "only what spoils the beginning leaves nothing to be read"
            continue
        assert box.damage or list(box.notes) == whole  # a byte may say nothing, as some of gzip's first ten


def test_damage_leaves_what_lies_before_it(path):
    whole = list(written(path, evening()).notes)
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(data[:half] + bytes(40) + data[half:])
    box = read_box(path)
    seconds = max(note.instant for note in box.notes) - box.notes[0].instant
    assert box.damage == Message("recording.incomplete.damaged", seconds=seconds)
    assert len(box.notes) > len(whole) // 4
    assert list(box.notes[: len(whole) // 4]) == whole[: len(whole) // 4]


def test_a_file_that_is_no_recording_says_so(path):
    head = '{"box": "pond black box", "format": 2, "version": "1", "command": "x", "profile": "", "date": "", '
    for content, reason in (
        ("", "empty"),
        ("[Variant]\n", "not_a_recording"),
        ("\0" * 9000, "not_a_recording"),
        (head + '"size": 9, "lamps": 1, "strip": 0}\n', "damaged_header"),
        (head + '"size": 4, "lamps": 1, "strip": 0}\nno gzip', "nothing.damaged"),
    ):
        path.write_text(content)
        assert refusal(path) == Message(f"recording.{reason}", file=str(path))
    for other_format in (1, 3):
        path.write_text(f'{{"box": "pond black box", "format": {other_format}, "version": "9.1"}}\n')
        assert refusal(path) == Message("recording.other_format", file=str(path), version="9.1")
    for where, reason in (
        (path.parent, "Is a directory"),
        (path.parent / "nothing", "No such file or directory"),
        (path.parent / "a\0b", "embedded null byte"),
    ):
        assert refusal(where) == Message("recording.unreadable", file=str(where), reason=reason)


# While it is written.


def test_what_was_noted_is_in_the_file_a_second_later_although_nothing_more_is_noted(path):
    box = BlackBox(path, "serve")
    box.record_note(BoardOpened(4, 1, 0, 5.0))
    box.record_note(Touch("b2", True, 5.2))
    box.pass_time(5.9)
    with pytest.raises(PondError):
        read_box(path)  # nothing but the first line
    box.pass_time(6.0)
    assert read_box(path).notes[1:] == (Touch("b2", True, 5.2),)
    damage = read_box(path).damage
    assert damage == Message("recording.incomplete.torn", seconds=pytest.approx(0.2))
    assert "after 0.2 s" in text(damage)
    box.record_note(KeyEvent(True, 6.5))
    box.record_note(KeyEvent(False, 7.5))
    assert len(read_box(path).notes) == 4
    box.close()


def test_lamps_that_stand_still_see_to_it_too(path):
    clock = Clock()
    hands = SimulatedBoard(4, 1, clock.now)
    box = BlackBox(path, "serve")
    board = record_board(hands.to_board(), box, clock.now)
    board.open(lambda felt: None)
    hands.press("b2")
    clock.time = 1.0
    board.lamps.show(Frame.dark_frame(4, 1))
    assert read_box(path).notes[1:] == (Touch("b2", True, 0.0),)
    box.close()


def test_a_program_that_is_killed_loses_no_more_than_a_second(path):
    box = BlackBox(path, "serve")
    for number, note in enumerate(evening(5)):
        box.record_note(note)
        if note.instant > 1.2 and number % 31 == 0:
            assert read_box(path).notes[-1].instant >= note.instant - 1.06
    box.close()


def test_nothing_is_recorded_over_a_file(path):
    path.write_text("mine")
    with pytest.raises(PondError) as refused:
        BlackBox(path, "serve")
    assert refused.value.message == Message("recording.exists", file=str(path))
    assert path.read_text() == "mine"


def test_a_file_that_cannot_be_made_says_why(tmp_path):
    (tmp_path / "file").write_text("")
    below_file, odd = tmp_path / "file" / "box", tmp_path / "a\0b"
    for path, message in (
        (tmp_path / "nowhere" / "box", Message("recording.no_folder", folder=str(tmp_path / "nowhere"))),
        (below_file, Message("recording.unwritable", file=str(below_file), reason="Not a directory")),
        (odd, Message("recording.unwritable", file=str(odd), reason="embedded null byte")),
    ):
        with pytest.raises(PondError) as refused:
            BlackBox(path, "serve")
        assert refused.value.message == message


def test_a_file_in_which_there_would_be_nothing_is_taken_away(path):
    BlackBox(path, "serve").close()
    assert not path.exists()
    box = BlackBox(path, "serve")
    box.record_note(BoardOpened(4, 1, 0, 0.0))  # and the lamps could not be had
    box.close()
    box.close()
    assert not path.exists()


class Disk:
    """A disk with room for so many bytes, which takes no more than a few at a time."""

    def __init__(self, room):
        self.room, self.held, self.closed = room, b"", False

    def write(self, data):
        if len(self.held) >= self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        took = min(len(data), 7, self.room - len(self.held))
        self.held += data[:took]
        return took

    def close(self):
        self.closed = True


def test_a_full_disk_ends_the_recording_with_one_warning_and_leaves_what_can_be_read(path, tmp_path):
    said, disk, notes = [], Disk(2000), evening()
    box = BlackBox(path, "serve", warn=said.append)
    box._file.close()
    box._file = disk
    for note in notes:
        box.record_note(note)
    box.pass_time(1e9)
    box.close()
    assert said == [text(Message("recording.stopped", file=str(path), reason="No space left on device"))]
    torn = tmp_path / "torn"
    torn.write_bytes(disk.held)
    again = read_box(torn)
    assert 10 < len(again.notes) < len(notes)
    assert near(again.notes) == near(notes[: len(again.notes)])


def test_notes_come_from_several_threads(path):
    box = BlackBox(path, "serve")
    box.record_note(BoardOpened(5, 1, 0, 0.0))

    def tells(cell):
        for number in range(400):
            box.record_note(Touch(cell, number % 2 == 0, number / 1000))

    threads = [threading.Thread(target=tells, args=(cell,)) for cell in get_grid(5).cells[:4]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    box.close()
    notes = read_box(path).notes[1:]
    assert len(notes) == 1600
    for cell in get_grid(5).cells[:4]:
        assert [round(note.instant * 1000) for note in notes if note.cell == cell] == list(range(400))


# A board that is recorded.


def test_what_is_felt_and_shown_is_noted_and_goes_on_as_before(path):
    clock, felt = Clock(), []
    hands = SimulatedBoard(4, 1, clock.now)
    box = BlackBox(path, "serve")
    board = record_board(hands.to_board(), box, clock.now)
    assert board.sensors is hands
    board.open(felt.append)
    lit = Frame(4, 1, bytes([9] * 48))
    for clock.time in (0.1, 0.2, 0.3):
        board.lamps.show(lit)
    hands.press("b2")
    press_key(hands, down=True)
    assert hands.to_board().lamps.frame == lit
    clock.time = 0.4
    board.close()
    assert hands.to_board().lamps.frame == Frame.dark_frame(4, 1)
    hands.release("b2")
    box.close()
    assert near(read_box(path).notes) == near(
        [
            BoardOpened(4, 1, 0, 0.0),
            FrameShown(lit, 0.1),
            Touch("b2", True, 0.3),
            KeyEvent(True, 0.3),
            FrameShown(Frame.dark_frame(4, 1), 0.4),
        ]
    )
    assert felt == [Touch("b2", True, 0.3), KeyEvent(True, 0.3)]


def test_a_board_that_nobody_records_is_the_same_board():
    board = SimulatedBoard(4, 1, lambda: 0.0).to_board()
    assert record_board(board, None, lambda: 0.0) is board


def test_frames_that_did_not_reach_the_lamps_are_not_noted_and_why_is_noted_once(path, monkeypatch):
    clock = Clock()
    hands = SimulatedBoard(4, 1, clock.now)
    inner = hands.to_board()
    box = BlackBox(path, "serve")
    board = record_board(inner, box, clock.now)
    board.open(lambda felt: None)
    one, other = Frame(4, 1, bytes([1] * 48)), Frame(4, 1, bytes([2] * 48))

    def refuse(frame):
        raise BoardFault("The wire is off.")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(inner.lamps, "show", refuse)
        for clock.time in (0.1, 0.2):
            with pytest.raises(BoardFault, check=says("The wire is off")):
                board.lamps.show(one)
    clock.time = 0.3
    board.lamps.show(other)
    box.close()
    said = [LampsHealth(as_message("The wire is off."), 0.1), LampsHealth(None, 0.3), FrameShown(other, 0.3)]
    assert near(read_box(path).notes[1:]) == near(said)


class Chips:
    raw_values = edge_file = None

    def open(self):
        pass

    def read_levels(self):
        return self.levels

    def is_configured(self):
        return True

    def close(self):
        pass


def test_what_real_sensors_read_is_noted_too_and_others_may_watch(path):
    clock, chips, seen = Clock(), Chips(), []
    chips.levels = [0] * 9
    scan = SensorScan(3, chips, 0.008, 200, clock.now)
    lamps = SimulatedBoard(3, 1, clock.now).to_board().lamps
    box = BlackBox(path, "serve")

    class Polled(Board):
        def open(self, put):
            self.lamps.open()
            self.sensors.open_unthreaded(put)

    board = record_board(Polled(scan, lamps), box, clock.now)
    scan.sample_watchers.append(seen.append)
    board.open(lambda felt: None)
    for clock.time, level in ((0.01, 1), (0.02, 1), (0.03, 0), (0.04, 1), (0.05, 1)):
        chips.levels = [0, level] + [0] * 7
        scan.poll(clock.time)
    board.close()
    box.close()
    readings = [note for note in read_box(path).notes if isinstance(note, Sample)]
    told = [(reading.levels[1], round(reading.instant, 3)) for reading in readings]
    assert told == [(0, 0), (1, 0.01), (0, 0.03), (1, 0.04)]
    assert near(readings) == near(seen)

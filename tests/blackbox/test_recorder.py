"""Tests of recording a board."""

import errno
import threading

import pytest

from pond_hw.blackbox import BlackBox, BoardOpened, FrameShown, LampsHealth, read_box, record_board
from pond_hw.board import BoardFault, Frame, KeyEvent, Sample, Touch
from pond_hw.drivers.scan import SensorScan
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import PondError, get_grid
from pond_hw.setup.controller import PolledBoard
from pond_hw.simulator import SimulatedBoard
from tests.blackbox.recordings import (
    random_notes,
    rounded,
)
from tests.clock import Clock
from tests.messages.says import says, text
from tests.simulator.keys import press_key


def test_notes_are_flushed_after_a_second(path):
    box = BlackBox(path, "serve")
    box.record_note(BoardOpened(4, 1, 0, 5.0))
    box.record_note(Touch("b2", True, 5.2))
    box.pass_time(5.9)
    with pytest.raises(PondError):
        read_box(path)  # only the header
    box.pass_time(6.0)
    assert read_box(path).notes[1:] == (Touch("b2", True, 5.2),)
    damage = read_box(path).damage
    assert damage == Message("recording.incomplete.torn", seconds=pytest.approx(0.2))
    assert "after 0.2 s" in text(damage)
    box.record_note(KeyEvent(True, 6.5))
    box.record_note(KeyEvent(False, 7.5))
    assert len(read_box(path).notes) == 4
    box.close()


def test_repeated_frames_cause_a_flush(path):
    clock = Clock()
    simulator = SimulatedBoard(4, 1, clock.now)
    box = BlackBox(path, "serve")
    board = record_board(simulator.to_board(), box, clock.now)
    board.open(lambda events: None)
    simulator.press("b2")
    clock.time = 1.0
    board.lamps.show(Frame.dark_frame(4, 1))
    assert read_box(path).notes[1:] == (Touch("b2", True, 0.0),)
    box.close()


def test_killed_program_loses_at_most_a_second(path):
    box = BlackBox(path, "serve")
    for number, note in enumerate(random_notes(5)):
        box.record_note(note)
        if note.instant > 1.2 and number % 31 == 0:
            assert read_box(path).notes[-1].instant >= note.instant - 1.06
    box.close()


def test_existing_file_is_refused(path):
    path.write_text("mine")
    with pytest.raises(PondError) as refused:
        BlackBox(path, "serve")
    assert refused.value.message == Message("recording.exists", file=str(path))
    assert path.read_text() == "mine"


def test_unwritable_file_is_refused(tmp_path):
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


def test_empty_recording_is_deleted(path):
    BlackBox(path, "serve").close()
    assert not path.exists()
    box = BlackBox(path, "serve")
    box.record_note(BoardOpened(4, 1, 0, 0.0))  # then the lamps failed to open
    box.close()
    box.close()
    assert not path.exists()


class FullDisk:
    """Disk with limited space that accepts only a few bytes per write."""

    def __init__(self, capacity):
        self.capacity, self.content, self.closed = capacity, b"", False

    def write(self, data):
        if len(self.content) >= self.capacity:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = min(len(data), 7, self.capacity - len(self.content))
        self.content += data[:count]
        return count

    def close(self):
        self.closed = True


def test_full_disk_ends_the_recording(path, tmp_path):
    warnings, disk, notes = [], FullDisk(2000), random_notes()
    box = BlackBox(path, "serve", warn=warnings.append)
    box._file.close()
    box._file = disk
    for note in notes:
        box.record_note(note)
    box.pass_time(1e9)
    box.close()
    assert warnings == [text(Message("recording.stopped", file=str(path), reason="No space left on device"))]
    torn = tmp_path / "torn"
    torn.write_bytes(disk.content)
    again = read_box(torn)
    assert 10 < len(again.notes) < len(notes)
    assert rounded(again.notes) == rounded(notes[: len(again.notes)])


def test_notes_from_several_threads_are_recorded(path):
    box = BlackBox(path, "serve")
    box.record_note(BoardOpened(5, 1, 0, 0.0))

    def touch(cell):
        for number in range(400):
            box.record_note(Touch(cell, number % 2 == 0, number / 1000))

    threads = [threading.Thread(target=touch, args=(cell,)) for cell in get_grid(5).cells[:4]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    box.close()
    notes = read_box(path).notes[1:]
    assert len(notes) == 1600
    for cell in get_grid(5).cells[:4]:
        assert [round(note.instant * 1000) for note in notes if note.cell == cell] == list(range(400))


# Recorded boards


def test_touches_and_frames_are_recorded(path):
    clock, events = Clock(), []
    simulator = SimulatedBoard(4, 1, clock.now)
    box = BlackBox(path, "serve")
    board = record_board(simulator.to_board(), box, clock.now)
    assert board.sensors is simulator
    board.open(events.append)
    lit = Frame(4, 1, bytes([9] * 48))
    for clock.time in (0.1, 0.2, 0.3):
        board.lamps.show(lit)
    simulator.press("b2")
    press_key(simulator, down=True)
    assert simulator.to_board().lamps.frame == lit
    clock.time = 0.4
    board.close()
    assert simulator.to_board().lamps.frame == Frame.dark_frame(4, 1)
    simulator.release("b2")
    box.close()
    assert rounded(read_box(path).notes) == rounded(
        [
            BoardOpened(4, 1, 0, 0.0),
            FrameShown(lit, 0.1),
            Touch("b2", True, 0.3),
            KeyEvent(True, 0.3),
            FrameShown(Frame.dark_frame(4, 1), 0.4),
        ]
    )
    assert events == [Touch("b2", True, 0.3), KeyEvent(True, 0.3)]


def test_board_without_recording_is_unchanged():
    board = SimulatedBoard(4, 1, lambda: 0.0).to_board()
    assert record_board(board, None, lambda: 0.0) is board


def test_lamp_fault_is_recorded_once(path, monkeypatch):
    clock = Clock()
    simulator = SimulatedBoard(4, 1, clock.now)
    inner = simulator.to_board()
    box = BlackBox(path, "serve")
    board = record_board(inner, box, clock.now)
    board.open(lambda events: None)
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
    warnings = [LampsHealth(as_message("The wire is off."), 0.1), LampsHealth(None, 0.3), FrameShown(other, 0.3)]
    assert rounded(read_box(path).notes[1:]) == rounded(warnings)


class Chips:
    raw_values = edge_fd = None

    def open(self):
        pass

    def read_levels(self):
        return self.levels

    def is_configured(self):
        return True

    def close(self):
        pass


def test_real_sensor_readings_are_recorded(path):
    clock, chips, seen = Clock(), Chips(), []
    chips.levels = [0] * 9
    scan = SensorScan(3, chips, 0.008, 200, clock.now)
    lamps = SimulatedBoard(3, 1, clock.now).to_board().lamps
    box = BlackBox(path, "serve")

    board = record_board(PolledBoard(scan, lamps), box, clock.now)
    scan.sample_watchers.append(seen.append)
    board.open(lambda events: None)
    for clock.time, level in ((0.01, 1), (0.02, 1), (0.03, 0), (0.04, 1), (0.05, 1)):
        chips.levels = [0, level] + [0] * 7
        scan.poll(clock.time)
    board.close()
    box.close()
    readings = [note for note in read_box(path).notes if isinstance(note, Sample)]
    changes = [(reading.levels[1], round(reading.instant, 3)) for reading in readings]
    assert changes == [(0, 0), (1, 0.01), (0, 0.03), (1, 0.04)]
    assert rounded(readings) == rounded(seen)

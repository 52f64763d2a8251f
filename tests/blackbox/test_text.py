"""Tests of formatting notes as text."""

from pond_hw.blackbox import BoardOpened, FrameShown, LampsHealth
from pond_hw.blackbox.text import format_notes
from pond_hw.board import Frame, KeyEvent, Sample, Touch, TurnKeyEvent
from pond_hw.messages.message import Message
from pond_hw.rules import DARK
from tests.blackbox.recordings import BUS_OFF, NOTES, WIRE_OFF, levels
from tests.messages.says import text


def test_text_has_one_line_per_note():
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


def test_counts_score_strips_and_keys_are_formatted():
    notes = (
        BoardOpened(4, 4, 1, 0.0),
        FrameShown(Frame(4, 4, bytes([1] * 3 + [0] * 189 + [2] * 3 + [0] * 3), 1), 0.0),
        Sample(levels(0), 0.0, tuple(range(500, 516))),
        KeyEvent(True, 0.0),
        KeyEvent(False, 0.0),
        TurnKeyEvent(DARK, True, 0.0),
        TurnKeyEvent(None, False, 0.0),
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
        "input  " + text(Message("recording.turn_key.down_owned", side="dark")),
        "input  " + text(Message("recording.turn_key.up")),
        "input  " + text(Message("recording.touch.down_owned", cell="b2", side="dark")),
        "fault  " + text(WIRE_OFF),
        "fault  " + text(Message("recording.lamps_back")),
    ]


def test_turn_key_lamps_are_formatted():
    notes = BoardOpened(3, 1, 0, 0.0, 2), FrameShown(Frame(3, 1, bytes([0] * 30 + [2] * 3)), 0.0)
    assert list(format_notes(notes))[1].endswith("keys=000000/020202")


def test_samples_list_changed_sensors():
    notes = (
        BoardOpened(4, 1, 0, 0.0),
        Sample(levels(0, 5), 1.0),
        Sample(levels(5), 2.0),
        BoardOpened(4, 1, 0, 3.0),
        Sample(levels(5), 4.0),
        Sample(levels(5), 5.0),
    )
    assert [line[22:] for line in format_notes(notes) if " read " in line] == ["a1=1 b2=1", "a1=0", "b2=1", "-"]

"""Tests of encoding and decoding notes."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pond_hw.blackbox import BoardOpened, FrameShown, LampsHealth
from pond_hw.blackbox.format import DamagedRecording, NoteCodec
from pond_hw.board import Frame, HealthEvent, KeyEvent, Sample, Touch, TurnKeyEvent
from pond_hw.messages.message import as_message
from pond_hw.rules import DARK, LIGHT, get_grid
from tests.blackbox.recordings import rounded
from tests.conftest import each

instants = some.floats(0, 1e6, allow_nan=False)
faults = some.none() | some.text(max_size=20).map(as_message)
owners = some.sampled_from((None, LIGHT, DARK))
json_values = some.recursive(some.none() | some.integers() | some.text(max_size=5), some.lists, max_leaves=8)


@some.composite
def recordings(draw):
    """Generate a recording of one or two boards."""
    notes = []
    for _ in range(draw(some.integers(1, 2))):
        size, side, strip = draw(some.integers(3, 5)), draw(some.integers(1, 3)), draw(some.integers(0, 3))
        keys = draw(some.integers(0, 2))
        count, cells = (size**2 * side**2 + 2 * strip + keys) * 3, get_grid(size).cells
        frames = some.binary(min_size=count, max_size=count) | some.just(bytes(count))
        levels = some.tuples(*[some.integers(-1, 1)] * size**2)
        raw = some.none() | some.tuples(*[some.integers(-40000, 40000)] * size**2)
        notes.append(BoardOpened(size, side**2, strip, draw(instants), keys))
        notes += draw(
            some.lists(
                some.one_of(
                    some.builds(Sample, levels, instants, raw),
                    some.builds(FrameShown, frames.map(partial(Frame, size, side**2, strip_lamps=strip)), instants),
                    some.builds(Touch, some.sampled_from(cells), some.booleans(), instants, owners),
                    some.builds(KeyEvent, some.booleans(), instants),
                    some.builds(TurnKeyEvent, owners, some.booleans(), instants),
                    some.builds(HealthEvent, faults, instants),
                    some.builds(LampsHealth, faults, instants),
                ),
                max_size=10,
            )
        )
    return notes


@given(recordings())
def test_encoded_notes_can_be_decoded(notes):
    encoder, decoder = NoteCodec(), NoteCodec()
    again = [decoder.decode_line(line) for line in [encoder.encode_note(note) for note in notes]]
    assert rounded(again) == rounded(notes)
    assert [type(note) for note in again] == [type(note) for note in notes]


@pytest.mark.slow
@given(some.text(max_size=40) | json_values.map(json.dumps))
def test_arbitrary_lines_raise_only_damaged_recording_errors(line):
    codec = NoteCodec()
    codec.encode_note(BoardOpened(4, 1, 0, 0.0))
    try:
        codec.decode_line(line)
    except DamagedRecording:
        return
    assert json.loads(line)[0] in ("b", "r", "t", "k", "d", "h", "l", "f")


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
    '["b",0,4,1,0,3]',
    '["k",0]',
    '["d",0]',
    '["d",0,1,"green"]',
    '["d",0,1,"light","dark"]',
    '["x",0]',
    '["f",0]',
    '["f",0,7]',
    '{"t":0}',
    "[" * 100000,
    '["r",0,[0,1]]',  # only two sensors
    f'["r",0,{LEVELS.replace("[0", "[2")}]',
    f'["r",0,{LEVELS.replace("[0", "[true")}]',
    f'["r",0,{LEVELS},[512]]',
    f'["r",0,{LEVELS},7]',
    f'["r",0,{LEVELS},{LEVELS},{LEVELS}]',
    '["f",0,"AAAA"]',  # only three bytes
    f'["f",0,"{"A" * 63}*"]',
    f'["f",0,"{"A" * 63}"]',
]


@each("line", IMPOSSIBLE_LINES)
def test_impossible_notes_are_damaged(line):
    codec = NoteCodec()
    codec.decode_line('["b",0,4,1,0]')
    with pytest.raises(DamagedRecording):
        codec.decode_line(line)


def test_note_before_board_is_opened_counts_as_damage():
    with pytest.raises(DamagedRecording):
        NoteCodec().decode_line('["k",0,1]')

"""Helpers that create recordings for tests."""

from random import Random

import pytest

from pond_hw.blackbox import BlackBox, BoardOpened, BoxHeader, FrameShown, LampsHealth, read_box
from pond_hw.board import Frame, HealthEvent, KeyEvent, Sample, Touch
from pond_hw.messages.message import as_message
from pond_hw.rules import LIGHT, PondError, get_grid

RED, BLUE = (200, 0, 0), (0, 0, 200)
BUS_OFF = as_message("The sensors do not answer: the bus is off.")
WIRE_OFF = as_message("The wire is off.")
HEADER = BoxHeader("0.1.0", "serve", "direct-4x4", "2026-01-31", 4, 1, 0)


def lit_frame(cell, colour, size=4, strip=()):
    """Return a frame with one lit cell."""
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
    FrameShown(lit_frame("b2", RED), 101.5),
    HealthEvent(BUS_OFF, 110.0),
    HealthEvent(None, 112.0),
    Touch("b2", False, 120.0, LIGHT),
    FrameShown(lit_frame("d4", BLUE), 120.5),
)


def write_and_read(path, notes, **settings):
    box = BlackBox(path, "serve", "a-board", **settings)
    for note in notes:
        box.record_note(note)
    box.close()
    return read_box(path)


def read_error(path):
    """Return the error message for a file that can't be read."""
    with pytest.raises(PondError) as refused:
        read_box(path)
    return refused.value.message


def rounded(notes):
    """Return notes with times rounded to microseconds, as they are stored."""
    return [note._replace(instant=round(note.instant * 1e6)) for note in notes]


def random_notes(seconds=8, seed=3):
    """Return several seconds of random notes of many kinds."""
    rng, notes, at = Random(seed), [BoardOpened(4, 1, 0, 0.0)], 0.0
    levels, data, counts = [0] * 16, bytearray(48), [512] * 16
    while at < seconds:
        at += rng.uniform(0.01, 0.05)
        for _ in range(5):
            index = rng.randrange(48)
            data[index] = rng.randrange(256)
        levels[rng.randrange(16)] = rng.choice((-1, 0, 1))
        counts = [count + rng.randint(-3, 3) for count in counts]
        notes += [Sample(tuple(levels), at, tuple(counts)), FrameShown(Frame(4, 1, bytes(data)), at)]
        owner = rng.choice((LIGHT, None))
        notes.append(Touch(rng.choice(get_grid(4).cells), rng.random() < 0.5, at - 0.02, owner))
    return [
        *notes,
        KeyEvent(True, at),
        HealthEvent(as_message("The sensors do not answer."), at),
        LampsHealth(None, at),
    ]

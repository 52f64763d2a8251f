"""Tests of a simulated switch matrix, with and without diodes."""

from collections.abc import Iterable
from itertools import combinations, product
from random import Random

import pytest
from gpiozero import Device, DigitalInputDevice

from pond_hw.board import BoardFault
from pond_hw.drivers.button_matrix import MatrixReader, may_have_ghosts
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import MatrixCrossing, MatrixWiring
from pond_hw.rules import get_grid
from tests.board.pins import MatrixFactory, WiredPin
from tests.drivers.error_checks import raises

DRIVES, SENSES = (5, 6, 13, 19, 26), (17, 27, 22, 23, 24)


def crossings(size):
    return tuple(MatrixCrossing(drive, sense) for drive in DRIVES[:size] for sense in SENSES[:size])


def rectangles(size):
    """Return the four corners of every rectangle in the matrix."""
    return [
        tuple(MatrixCrossing(*corner) for corner in product(drives, senses))
        for drives in combinations(DRIVES[:size], 2)
        for senses in combinations(SENSES[:size], 2)
    ]


def pressed_set(levels: Iterable[int]):
    """Return the crossings that read as closed."""
    return {crossing for crossing, level in zip(crossings(5), levels, strict=True) if level}


@pytest.fixture
def pins(monkeypatch):
    factory = MatrixFactory(crossings(5))
    monkeypatch.setattr(Device, "pin_factory", factory)
    yield factory
    factory.reset()


@pytest.fixture
def reader(pins):
    matrix_reader = MatrixReader(MatrixWiring(dict(zip(get_grid(5).cells, crossings(5), strict=True))))
    matrix_reader.open()
    yield matrix_reader
    matrix_reader.close()


@pytest.mark.parametrize(("size", "count"), [(4, 36), (5, 100)])
def test_only_four_corners_may_have_ghosts(size, count):
    assert len(rectangles(size)) == count
    for corners in rectangles(size):
        assert may_have_ghosts(corners)
        for missing in corners:
            assert not may_have_ghosts(set(corners) - {missing})


def test_rectangle_among_others_may_have_ghosts():
    assert may_have_ghosts([*crossings(2), MatrixCrossing(26, 24)])
    assert not may_have_ghosts([])
    assert not may_have_ghosts(MatrixCrossing(5, sense) for sense in SENSES)
    assert not may_have_ghosts(MatrixCrossing(drive, 17) for drive in DRIVES)
    assert not may_have_ghosts(
        [*(MatrixCrossing(5, sense) for sense in SENSES), *(MatrixCrossing(drive, 17) for drive in DRIVES)]
    )
    assert not may_have_ghosts(MatrixCrossing(drive, sense) for drive, sense in zip(DRIVES, SENSES, strict=True))


def test_single_closed_switch_is_read_alone(pins, reader):
    assert reader.read_levels() == (0,) * 25
    for number, crossing in enumerate(crossings(5)):
        pins.closed = {crossing}
        assert reader.read_levels() == tuple(int(each == number) for each in range(25))
        pins.closed = set()
        assert reader.read_levels() == (0,) * 25


def test_all_switches_except_ghost_rectangles_are_read(pins, reader):
    rng = Random(4)
    for _ in range(300):
        closed = set(rng.sample(crossings(5), rng.randint(0, 6)))
        pins.closed = closed
        if not may_have_ghosts(closed):
            assert pressed_set(reader.read_levels()) == closed


@pytest.mark.slow
@pytest.mark.parametrize("diodes", [True, False])
def test_fourth_corner_is_never_reported(pins, reader, diodes):
    """Without diodes, pressing the third corner makes the fourth appear. Neither is reported."""
    pins.diodes = diodes
    for corners in rectangles(5):
        pins.closed = set()
        reader.read_levels()
        reported = set()
        for corner in corners[:3]:
            pins.closed = pins.closed | {corner}
            reported = pressed_set(reader.read_levels())
            assert reported <= pins.closed
        assert reported == set(corners[: 3 if diodes else 2])
        pins.closed = set(corners)
        assert pressed_set(reader.read_levels()) == reported
        pins.closed = set(corners[1:3])
        assert pressed_set(reader.read_levels()) == set(corners[1:3])


def test_ghost_in_first_reading_is_ignored(pins, reader):
    pins.closed = set(crossings(5)[0:2] + crossings(5)[5:7])
    assert reader.read_levels() == (0,) * 25


def test_driven_lines_never_conflict(pins, reader):
    pins.diodes = False
    for corners in rectangles(5):
        pins.closed = set(corners[:3])
        reader.read_levels()
        reader.read_levels()
    assert pins.shorted == 0


def test_matrix_simulation_detects_short_circuits(pins, reader):
    pins.diodes = False
    pins.closed = {MatrixCrossing(5, 17), MatrixCrossing(6, 17)}
    pins.pin(5).output_with_state(0)
    pins.pin(6).output_with_state(1)
    assert not pins.pin(17).state
    assert pins.shorted == 1


def test_idle_matrix_needs_one_reading(pins, reader, monkeypatch):
    reader.read_levels()
    read_pins = []
    real = WiredPin._get_state
    monkeypatch.setattr(WiredPin, "_get_state", lambda pin: read_pins.append(pin.info.name) or real(pin))
    set_up = []
    monkeypatch.setattr(WiredPin, "_set_function", lambda pin, function: set_up.append(function))
    reader.read_levels()
    assert read_pins == [f"GPIO{sense}" for sense in SENSES]
    assert set_up == []


def test_driven_lines_become_inputs_after_reading(pins, reader):
    pins.closed = {MatrixCrossing(5, 17)}
    reader.read_levels()
    assert {pins.pin(drive).function for drive in DRIVES} == {"input"}
    reader.close()
    reader.close()
    assert {pins.pin(pin).function for pin in (*DRIVES, *SENSES)} == {"input"}
    with DigitalInputDevice(5), DigitalInputDevice(17):
        pass


def test_reader_can_be_reopened(pins, reader):
    reader.open()
    pins.closed = {MatrixCrossing(26, 24)}
    assert pressed_set(reader.read_levels()) == {MatrixCrossing(26, 24)}
    assert reader.is_configured()


@pytest.mark.parametrize(("pin", "line"), [(22, "sense_line"), (13, "driven_line")])
def test_busy_line_is_named_and_others_are_released(pins, pin, line):
    reader = MatrixReader(MatrixWiring(dict(zip(get_grid(5).cells, crossings(5), strict=True))))
    user = Message(f"pin_user.{line}")
    with DigitalInputDevice(pin), raises(BoardFault, "pin.used_twice", user=user, pins=(str(pin),), count=1):
        reader.open()
    with DigitalInputDevice(17), DigitalInputDevice(5):
        pass


def test_unreadable_pins_can_be_retried(pins, reader, monkeypatch):
    pins.closed = {MatrixCrossing(6, 22)}
    with monkeypatch.context() as broken:
        broken.setattr(WiredPin, "_get_state", lambda pin: (_ for _ in ()).throw(OSError("gone")))
        with raises(SensorReadError, "gpio.unreadable", text="gone"):
            reader.read_levels()
    assert pressed_set(reader.read_levels()) == {MatrixCrossing(6, 22)}

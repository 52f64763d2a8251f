"""Tests of a NeoTrellis: Adafruit's real driver, with a simulated processor and bus based on the firmware's source."""

import sys

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.neotrellis import TrellisBoard
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from pond_hw.profile.board_profile import LampSettings, TrellisWiring
from pond_hw.rules import get_grid
from tests.board.i2c import Seesaw, Wire, plug_in, use_simulated_sleep
from tests.clock import Clock
from tests.conftest import require
from tests.drivers.error_checks import raises
from tests.drivers.pis import make_pi

require("smbus2", "it drives the bus")
require("adafruit_neotrellis", "it drives the board")

CELLS = get_grid(4).cells
ORDER = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
WIRING = TrellisWiring(1, 0x2E, dict(zip(CELLS, ORDER, strict=True)))


def chain(colours="GRB"):
    return LampSettings("neotrellis", None, 16, 1, tuple(range(16)), ((), ()), colours, 1.0, 300.0, 100.0)


@pytest.fixture
def clock():
    simulated_clock = Clock()
    simulated_clock.sleep(1.0)
    return simulated_clock


@pytest.fixture
def wire(monkeypatch, tmp_path, clock):
    """Bus with the NeoTrellis."""
    simulated_wire = Wire(clock)
    simulated_wire.chips = {0x2E: Seesaw(clock)}
    clock.sleep(1.0)
    plug_in(simulated_wire, monkeypatch.setattr, tmp_path)
    use_simulated_sleep(clock, monkeypatch.setattr)
    return simulated_wire


@pytest.fixture
def chip(wire):
    return wire.chips[0x2E]


@pytest.fixture
def board(wire):
    trellis_board = TrellisBoard(WIRING, chain())
    trellis_board.open()
    yield trellis_board
    trellis_board.close()


def read_after(clock, board, seconds=0.02):
    """Return the levels of the next reading."""
    clock.sleep(seconds)
    return board.read_levels()


def test_pressed_key_reads_as_1_in_cell_order(chip, clock, board):
    assert read_after(clock, board) == (0,) * 16
    for number, key in enumerate(ORDER):
        chip.press(key, down=True)
        assert read_after(clock, board) == tuple(int(each == number) for each in range(16))
        chip.press(key, down=False)
        assert read_after(clock, board) == (0,) * 16


def test_keys_down_at_open_are_read_and_released(chip, clock, wire):
    chip.press(3, down=True)
    chip.press(15, down=True)
    clock.sleep(0.1)
    board = TrellisBoard(WIRING, chain())
    board.open()
    assert board.read_levels() == tuple(int(key in {3, 15}) for key in ORDER)
    for key in (3, 15):
        chip.press(key, down=False)
    assert read_after(clock, board) == (0,) * 16
    board.close()


def test_only_heartbeat_key_reports_continuously(chip, board):
    assert chip.active[15] == {chip.HIGH, chip.LOW, chip.FALLING, chip.RISING}
    assert all(chip.active[key] == {chip.FALLING, chip.RISING} for key in range(15))


def test_reading_empties_the_queue(chip, clock, board):
    for _ in range(50):
        read_after(clock, board)
        assert len(chip.queue) <= 3


@pytest.mark.parametrize("colours", ["GRB", "RGB", "BRG"])
def test_frame_is_shown_with_next_reading(chip, clock, wire, colours):
    board = TrellisBoard(WIRING, chain(colours))
    board.open()
    sent = bytes(range(1, 49))
    dark = chip.lit
    before = wire.transfers
    board.send_bytes(bytes(48))
    board.send_bytes(sent)
    assert (chip.lit, wire.transfers) == (dark, before)
    read_after(clock, board)
    for key in range(16):
        of = dict(zip(colours, sent[key * 3 : key * 3 + 3], strict=True))
        assert chip.lit[key * 3 : key * 3 + 3] == bytes([of["G"], of["R"], of["B"]])
    board.close()
    assert chip.lit == bytes(48)


def test_frame_is_written_once(chip, clock, board):
    board.send_bytes(bytes(range(48)))
    read_after(clock, board)
    shown, chip.lit = chip.lit, None
    read_after(clock, board)
    assert chip.lit is None
    board.send_bytes(bytes(range(48)))
    read_after(clock, board)
    assert chip.lit == shown


def test_lamp_failure_keeps_keys(chip, clock, wire, board):
    board.send_bytes(bytes(range(48)))
    chip.press(0, down=True)
    clock.sleep(0.02)
    real = board._light_lamps

    def light(data):
        wire.dead = True
        real(data)

    board._light_lamps = light
    with pytest.raises(SensorReadError):
        board.read_levels()
    wire.dead = False
    assert board.read_levels()[ORDER.index(0)] == 1


def test_opening_twice_configures_once(chip, board):
    resets = chip.resets
    board.open()
    assert chip.resets == resets


def test_closing_twice_turns_lamps_off(chip, clock, board):
    board.send_bytes(b"\x10" * 48)
    read_after(clock, board)
    board.close()
    assert chip.lit == bytes(48)
    board.send_bytes(b"\x20" * 48)
    board.close()
    assert chip.lit == bytes(48)
    board.open()
    chip.press(0, down=True)
    assert read_after(clock, board)[ORDER.index(0)] == 1
    assert chip.lit == bytes(48), "a frame sent while closed is not shown later"


def test_closing_missing_board_is_silent(wire, board):
    wire.dead = True
    board.close()


def test_reset_is_detected_by_silence(chip, clock, board):
    chip.press(5, down=True)
    read_after(clock, board)
    resets = chip.resets
    chip.reset()
    clock.sleep(0.2)
    for _ in range(8):
        assert read_after(clock, board) == tuple(int(key == 5) for key in ORDER)
    assert chip.resets == resets + 2, "the reset, and the one for setup"
    assert {chip.RISING, chip.FALLING} <= chip.active[7]


@pytest.mark.parametrize("key", [0, 5, 15])
def test_lost_release_is_detected_within_a_second(chip, clock, board, key):
    chip.press(key, down=True)
    assert read_after(clock, board)[ORDER.index(key)] == 1
    chip.press(key, down=False)
    clock.sleep(0.02)
    chip._scan_keys()
    chip.queue = [event for event in chip.queue if event & 3 != chip.FALLING]
    for _ in range(40):
        levels = read_after(clock, board)
    assert levels == (0,) * 16
    if key != 15:
        assert chip.active[key] == {chip.FALLING, chip.RISING}
    chip.press(key, down=True)
    assert read_after(clock, board)[ORDER.index(key)] == 1


def test_held_key_stays_down_and_reports_nothing(chip, clock, board):
    chip.press(5, down=True)
    for _ in range(200):
        assert read_after(clock, board)[ORDER.index(5)] == 1
        assert len(chip.queue) <= 3
    chip.press(5, down=False)
    for _ in range(3):
        assert read_after(clock, board) == (0,) * 16
    assert chip.active[5] == {chip.FALLING, chip.RISING}
    for down in (True, False):
        chip.press(5, down=down)
        assert read_after(clock, board)[ORDER.index(5)] == down


def test_board_without_heartbeat_is_not_reset_forever(chip, clock, wire, monkeypatch):
    """Keys work even if the firmware reports differently."""
    real = chip._activate
    monkeypatch.setattr(chip, "_activate", lambda number, value: value & 0b110 or real(number, value))
    board = TrellisBoard(WIRING, chain())
    board.open()
    resets = chip.resets
    for _ in range(10):
        for down in (True, False):
            chip.press(5, down=down)
            for _ in range(10):
                levels = read_after(clock, board)
            assert levels == tuple(int(key == 5 and down) for key in ORDER)
    assert chip.resets == resets
    board.close()


def test_corrected_report_register_also_works(chip, clock, wire, monkeypatch):
    def activate(number, value):
        edges = {edge for edge in range(4) if value >> 1 >> edge & 1}
        key = number // 8 * 4 + number % 8
        chip.active[key] = chip.active[key] | edges if value & 1 else chip.active[key] - edges

    monkeypatch.setattr(chip, "_activate", activate)
    board = TrellisBoard(WIRING, chain())
    board.open()
    for key in (0, 15):
        for down in (True, False):
            chip.press(key, down=down)
            assert read_after(clock, board) == tuple(int(each == key and down) for each in ORDER)
    board.close()


def raises_impossible(value):
    """Expect an error about an impossible number."""
    return raises(SensorReadError, "trellis.impossible", address="0x2e", value=value)


@pytest.mark.parametrize(("byte", "value"), [(0xFF, "0xff"), (0x80, "0x80")])
def test_impossible_event_count_is_rejected(wire, clock, board, byte, value):
    wire.constant_byte = byte
    with raises_impossible(value):
        read_after(clock, board)


def test_unknown_keys_cause_reconfiguration(chip, clock, board):
    for event in (4 << 2, 32 << 2):
        chip.press(6, down=True)
        clock.sleep(0.02)
        chip.queue.insert(0, event | chip.RISING)
        with raises_impossible(f"0x{event | chip.RISING:02x}"):
            board.read_levels()
        assert read_after(clock, board) == tuple(int(key == 6) for key in ORDER), "events in the queue are not lost"
        chip.press(6, down=False)
        assert read_after(clock, board) == (0,) * 16


def test_constant_zeros_are_detected_before_setup(wire, chip, clock, board):
    read_after(clock, board)
    wire.constant_byte, resets = 0x00, chip.resets
    for _ in range(4):
        read_after(clock, board)
    for _ in range(3):
        with raises_impossible("0x00"):
            read_after(clock, board)
    with raises_impossible("0x00"):
        board.is_configured()
    assert chip.resets == resets
    wire.constant_byte = None
    assert read_after(clock, board) == (0,) * 16
    assert board.is_configured()


def test_initial_zeros_are_detected_by_chip_id(wire, chip, clock, board):
    wire.constant_byte = 0x00
    assert read_after(clock, board) == (0,) * 16
    for _ in range(2):
        with raises_impossible("0x00"):
            board.is_configured()
    with raises_impossible("0x00"):
        read_after(clock, board)
    wire.constant_byte = None
    chip.press(0, down=True)
    assert read_after(clock, board)[ORDER.index(0)] == 1


def open_error(wire):
    with pytest.raises((BoardFault, SensorReadError)) as refused:
        TrellisBoard(WIRING, chain()).open()
    return refused.value.message


def test_missing_board_is_reported(wire):
    del wire.chips[0x2E]
    assert open_error(wire) == Message("i2c.no_answer", address="0x2e", bus=1, text="Remote I/O error")


def test_other_chip_at_address_is_reported(wire):
    wire.constant_byte = 0x42
    assert open_error(wire) == Message("trellis.other_chip", address="0x2e")


def test_disabled_bus_is_reported(wire, monkeypatch, tmp_path):
    monkeypatch.setattr("pond_hw.drivers.i2c_bus.DEVICE_PATH", str(tmp_path / "nothing/i2c-{}"))
    monkeypatch.setattr("pond_hw.drivers.i2c_bus.Machine", lambda: make_pi(tmp_path / "pi", devices=()))
    assert open_error(wire) == Message("i2c.off", device="/dev/i2c-1", bus=1)


def test_missing_adafruit_driver_is_reported(wire, monkeypatch):
    monkeypatch.setitem(sys.modules, "adafruit_neotrellis.neotrellis", None)
    assert open_error(wire) == describe_missing_package("adafruit_neotrellis", "adafruit-circuitpython-neotrellis")

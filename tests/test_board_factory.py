"""Tests of building boards from profiles."""

import subprocess
import sys
from dataclasses import replace
from types import ModuleType

import pytest

from pond_hw.board import BoardFault
from pond_hw.board_factory import build_board, build_lamps
from pond_hw.drivers.debounce import choose_rest_seconds
from pond_hw.drivers.lamp_chain import ChainLamps
from pond_hw.drivers.scan import SensorScan
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped, load_profile
from pond_hw.simulator import SimulatedBoard, SimulatedLamps
from tests.drivers.error_checks import raises
from tests.drivers.pis import make_laptop, make_pi


class FakeWire:
    """Lamp wire that discards all data."""

    def open(self):
        pass

    def send(self, data):
        pass

    def close(self):
        pass


def now():
    return 0.0


READERS = {
    "direct-4x4": "DirectReader",
    "pwm-4x4": "DirectReader",
    "matrix-5x5": "MatrixReader",
    "hall-4x4": "ExpanderReader",
    "hall-5x5": "AnalogReader",
    "owner-4x4": "AnalogReader",
    "neotrellis-4x4": "TrellisBoard",
}

USB = ("usb-direct-4x4", "usb-hall-4x4", "usb-matrix-5x5")


@pytest.mark.parametrize("name", READERS)
def test_board_matches_its_profile(name):
    profile = load_profile(name)
    board = build_board(profile, now, wire=FakeWire())
    sensors, lamps = board.sensors, board.lamps
    assert type(sensors) is SensorScan
    assert type(lamps) is ChainLamps
    assert type(sensors._reader).__name__ == READERS[name]
    assert board.size == profile.size
    assert sensors.has_pieces == (profile.sensing.kind == "hall")
    holds = profile.sensing.debounce_by_cell.values()
    assert sensors.rest_seconds == choose_rest_seconds(profile.sensing.scan_rate, [*holds], pieces=sensors.has_pieces)
    assert sensors.quick_seconds <= 1 / profile.sensing.scan_rate
    assert set(sensors._debounce._holds[: profile.size**2]) == {profile.sensing.debounce_seconds}
    assert [pin for key in sensors._keys for pin in key._wiring.pins.values()] == [*profile.key_pins.values()]
    assert (lamps.lamps_per_cell, lamps.strip_lamps) == (
        profile.chain.lamps_per_cell,
        len(profile.chain.strip_positions[0]),
    )


def test_debounce_times_of_cells():
    profile = load_profile("direct-4x4")
    holds = {cell: number / 1000 for number, cell in enumerate(profile.sensing.debounce_by_cell, 5)}
    sensing = replace(profile.sensing, debounce_by_cell=holds, debounce_seconds=0.02)
    debounce_times = build_board(replace(profile, sensing=sensing), now, wire=FakeWire()).sensors._debounce._holds
    assert debounce_times == tuple(
        [number / 1000 for number in range(5, 21)] + [0.02] * (profile.undo_key_pin is not None)
    )
    partial_sensing = replace(sensing, debounce_by_cell={"b1": 0.004})
    debounce_times = build_board(
        replace(profile, sensing=partial_sensing), now, wire=FakeWire()
    ).sensors._debounce._holds
    assert debounce_times[:3] == (0.02, 0.004, 0.02)


def test_every_shipped_board_is_tested():
    assert {*READERS, *USB, "simulated-4x4", "simulated-5x5"} == set(list_shipped())


@pytest.mark.parametrize("name", USB)
def test_usb_board_has_sensors_lamps_and_keys(name, tmp_path):
    profile = load_profile(name)
    board = build_board(profile, now, machine=replace(make_pi(tmp_path), usb_boards=lambda: ["/dev/ttyACM0"]))
    usb_board = board.sensors._reader
    assert type(usb_board).__name__ == "UsbBoard"
    assert board.lamps._wire is usb_board.wire
    assert board.sensors._keys == [*usb_board.keys.values()]
    assert board.sensors.has_pieces == (profile.sensing.kind == "hall")
    assert set(board.sensors._debounce._holds) == {0.0}  # the Pico debounces
    assert board.size == board.lamps.size == profile.size


@pytest.mark.parametrize("pole", [1, -1])
def test_linear_sensors_detect_the_owner(pole):
    profile = load_profile("hall-5x5")
    wiring = replace(profile.sensing.wiring, light=pole)
    profile = replace(profile, sensing=replace(profile.sensing, wiring=wiring))
    assert build_board(profile, now, wire=FakeWire()).sensors._light == pole
    assert build_board(load_profile("hall-4x4"), now, wire=FakeWire()).sensors._light == 0


@pytest.mark.parametrize("name", ["simulated-4x4", "simulated-5x5"])
def test_simulated_board_has_no_hardware(name):
    profile = load_profile(name)
    board = build_board(profile, now)
    assert type(board.sensors) is SimulatedBoard
    assert type(board.lamps) is SimulatedLamps
    assert (board.lamps.lamps_per_cell, board.lamps.strip_lamps) == (
        profile.chain.lamps_per_cell,
        len(profile.chain.strip_positions[0]),
    )
    board.open(lambda event: None)
    board.lamps.show(board.sensors.to_board().lamps.frame)
    board.close()


def test_neotrellis_has_sensors_and_lamps(tmp_path):
    board = build_board(load_profile("neotrellis-4x4"), now, machine=make_pi(tmp_path))
    assert board.lamps._wire is board.sensors._reader


def test_simulated_and_real_parts_can_be_combined(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "spidev", ModuleType("spidev"))  # installed on the simulated Pi
    direct, simulated = load_profile("direct-4x4"), load_profile("simulated-4x4")
    one = build_board(replace(direct, sensing=simulated.sensing, undo_key_pin=None), now, machine=make_pi(tmp_path))
    assert (type(one.sensors), type(one.lamps)) == (SimulatedBoard, ChainLamps)
    mirrored = build_board(replace(direct, chain=simulated.chain), now, machine=make_pi(tmp_path))
    assert (type(mirrored.sensors), type(mirrored.lamps)) == (SensorScan, SimulatedLamps)


def test_simulated_board_with_pieces():
    profile = load_profile("simulated-4x4")
    profile = replace(profile, sensing=replace(profile.sensing, kind="hall"))
    assert build_board(profile, now).sensors.has_pieces


WIRES = {"spi": ("spi_lamps", 10), "ws281x": ("ws281x", 18), "neopixel": ("neopixel", 18), "auto": ("spi_lamps", 10)}


@pytest.mark.parametrize("driver", WIRES)
def test_lamp_driver_comes_from_the_profile(tmp_path, driver):
    chosen, pin = WIRES[driver]
    direct = load_profile("direct-4x4")
    profile = replace(direct, chain=replace(direct.chain, driver=driver, data_pin=pin))
    lamps = build_lamps(profile, now, machine=make_pi(tmp_path))
    assert type(lamps._wire).__module__ == f"pond_hw.drivers.{chosen}"


def test_missing_machine_support_is_reported_first(tmp_path):
    with raises(BoardFault, "machine.no_pi", profile="direct-4x4", instead=Message("machine.instead")):
        build_board(load_profile("direct-4x4"), now, machine=make_laptop(tmp_path))


def test_build_lamps_does_not_need_sensors(tmp_path):
    lamps = build_lamps(load_profile("hall-4x4"), now, machine=make_laptop(tmp_path))
    assert type(lamps) is ChainLamps


IMPORTED = """
import sys
from pond_hw.board_factory import build_board
from pond_hw.profile import load_profile

class Nowhere: pass

build_board(load_profile(sys.argv[1]), lambda: 0.0, wire=Nowhere() if sys.argv[2] == "real" else None)
ours = {name.removeprefix("pond_hw.drivers.") for name in sys.modules if name.startswith("pond_hw.drivers.")}
print(*sorted(ours - {"pi_machine", "build_devices", "lamp_pulses"}))
print(*[name for name in ("gpiozero", "spidev", "smbus2", "rpi_ws281x", "neopixel", "busio") if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("board", "modules"),
    [(("direct-4x4", "real"), "debounce gpio input_bank lamp_chain scan"), (("simulated-4x4", "pretended"), "")],
    ids=lambda value: value[0] if value else "",
)
def test_only_needed_modules_are_imported(board, modules):
    completed = subprocess.run([sys.executable, "-c", IMPORTED, *board], capture_output=True, text=True, check=True)
    assert completed.stdout.splitlines() == [modules, ""]

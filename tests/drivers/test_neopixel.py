"""Tests of Adafruit's real NeoPixel library: bytes, GPIOs, and no second try after a failure.

The library examines the machine once per process, so each test runs it in a new process.
"""

import sys
from types import SimpleNamespace

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.neopixel import NeoPixelWire
from pond_hw.drivers.pi_machine import PI5_NEOPIXEL_HELPER
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package, format_pip_command
from pond_hw.profile.board_profile import LampSettings
from tests.conftest import require
from tests.drivers.error_checks import raises, raises_message
from tests.drivers.pis import PI_5, make_laptop, make_pi
from tests.drivers.shim import run_on_simulated_pi
from tests.drivers.ws2812 import WS2812B, decode, levels
from tests.messages.says import text

SENT = bytes([1, 2, 3, 0xFF, 0x80, 0, 0, 0x55, 0xAA, 0x7F, 0xFE, 0x10])


def chain(pin, count=4):
    """Build a chain of lamps at this GPIO."""
    return LampSettings("neopixel", pin, count, 1, tuple(range(count)), ((), ()), "GRB", 1.0, 500.0, 150.0)


def run_with_real_library(folder, code, *, stand_ins, pin, euid=1000, revision="c03115"):
    """Run code with a wire at this GPIO. Stand-ins replace the parts that only a Pi has."""
    require("neopixel", "this tests its driver")
    require("rpi_ws281x", "the NeoPixel library needs it")
    make_pi(folder / "pi")
    setup = f"""
import os, sys
from types import SimpleNamespace
from unittest.mock import MagicMock

{stand_ins}
from pond_hw.board import BoardFault
from pond_hw.drivers.neopixel import NeoPixelWire
from tests.drivers.pis import Machine
from tests.drivers.test_neopixel import SENT, chain

wire = NeoPixelWire(chain({pin}), Machine(Path({str(folder / "pi")!r}), {euid}))
"""
    return run_on_simulated_pi(folder, setup + code, revision)


GENERIC_BOARD = """
os.environ["BLINKA_OS_AGNOSTIC"] = "1"
import board, neopixel

board.D18 = board.NEOPIXEL
frames = []
neopixel.neopixel_write = lambda pin, data: frames.append((pin._pin.id, bytes(data)))
"""
"""Generic Blinka board: everything is real except the last step, where the bytes are captured."""

PI_4_BOARD = """
os.environ.update(BLINKA_FORCECHIP="BCM2XXX", BLINKA_FORCEBOARD="RASPBERRY_PI_4B")
sys.modules["gpiod"] = MagicMock()
import digitalio

digitalio.DigitalInOut = lambda pin: SimpleNamespace(_pin=pin, deinit=lambda: print("released"))
"""
"""Blinka on a Pi 4: everything is real down to rpi_ws281x, except the claim of the GPIO line."""


@pytest.mark.slow
def test_real_class_passes_bytes_unchanged(tmp_path):
    code = """
wire.open()
wire.send_bytes(SENT)
assert frames == [(board.D18.id, SENT)], frames
wire.send_bytes(SENT)
wire.close()
assert frames[1:] == [(board.D18.id, SENT), (board.D18.id, bytes(12))], frames
wire.close()
assert len(frames) == 3
assert os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] == "1"
"""
    result = run_with_real_library(tmp_path, code, stand_ins=GENERIC_BOARD, pin=18, euid=0)
    assert (result.status, result.printed) == (0, "")


def test_bytes_reach_rpi_ws281x_unchanged(tmp_path):
    result = run_with_real_library(
        tmp_path, "wire.open(); wire.send_bytes(SENT); wire.close()", stand_ins=PI_4_BOARD, pin=10
    )
    assert (result.status, result.printed) == (0, "released\n")
    frames = [decode(levels(transfer.data), transfer.hz, WS2812B) for transfer in result.transfers]
    assert frames == [[SENT], [bytes(12)]]


START_AGAIN = text(Message("neopixel.has_failed", text="|")).partition("|")[2]

ONCE_ONLY = """
from pond_hw.messages.catalogue import to_english
for attempt in range(3):
    try:
        wire.send_bytes(SENT)
    except OSError as error:
        print("error:", error)
    wire.close()
    try:
        wire.open()
    except BoardFault as fault:
        print("fault:", to_english(fault.message))
wire.close()
"""


@pytest.mark.long
def test_failed_library_is_not_retried(tmp_path):
    unknown_revision = "9020e9"
    code = "wire.open()" + ONCE_ONLY
    result = run_with_real_library(tmp_path, code, stand_ins=PI_4_BOARD, pin=10, revision=unknown_revision)
    assert result.status == 0
    failed = "ws2811_init failed with code -3 (Hardware revision is not supported)"
    again = f"fault: {text(Message('neopixel.has_failed', text=failed))}"
    not_open = "error: the NeoPixel library is not open"
    assert result.printed.splitlines()[:7] == ["released", f"error: {failed}", again, not_open, again, not_open, again]


def test_library_failing_later_is_not_retried(tmp_path):
    code = "wire.open(); wire.send_bytes(SENT); broken.touch()" + ONCE_ONLY
    result = run_with_real_library(tmp_path, code, stand_ins=PI_4_BOARD, pin=10)
    assert result.status == 0
    assert len(result.transfers) == 1
    assert "error: ws2811_render failed with code -14" in result.printed
    assert result.printed.count(START_AGAIN) == 3


@pytest.mark.long
def test_failed_second_start_does_not_crash(tmp_path):
    code = (
        'wire.open(); wire.send_bytes(SENT); wire.close(); os.environ["POND_REVISION"] = "9020e9"; wire.open()'
        + ONCE_ONLY
    )
    result = run_with_real_library(tmp_path, code, stand_ins=PI_4_BOARD, pin=10)
    assert result.status == 0
    assert len(result.transfers) == 2
    assert result.printed.count(START_AGAIN) == 3


@pytest.mark.long
def test_failing_close_does_not_crash(tmp_path):
    code = "wire.open(); wire.send_bytes(SENT); broken.touch(); wire.close()" + ONCE_ONLY
    result = run_with_real_library(tmp_path, code, stand_ins=PI_4_BOARD, pin=10)
    assert result.status == 0
    assert result.printed.count("error: the NeoPixel library is not open") == 3
    assert result.printed.count(START_AGAIN) == 3


class FakeLibrary:
    """Simulated NeoPixel library. `fails` is the error that its constructor raises."""

    def __init__(self, fails=None):
        self.created, self.fails = [], fails

    def NeoPixel(self, *arguments, **keywords):  # noqa: N802
        if self.fails:
            raise self.fails
        self.created.append((arguments, keywords))
        return SimpleNamespace(deinit=lambda: None)


@pytest.fixture
def library(monkeypatch):
    fake = FakeLibrary()
    monkeypatch.setitem(sys.modules, "neopixel", fake)
    monkeypatch.setitem(sys.modules, "board", SimpleNamespace(**{f"D{pin}": f"pin {pin}" for pin in (10, 12, 18, 21)}))
    monkeypatch.setitem(sys.modules, "rpi_ws281x", SimpleNamespace())
    monkeypatch.setitem(sys.modules, PI5_NEOPIXEL_HELPER, SimpleNamespace())
    monkeypatch.setenv("BLINKA_SKIP_DEPENDENCY_CHECK", "0")
    return fake


@pytest.mark.parametrize("pin", [10, 12, 18, 21])
def test_pi_5_helper_supports_every_lamp_gpio(library, tmp_path, pin):
    NeoPixelWire(chain(pin), make_pi(tmp_path, PI_5)).open()
    settings = {"brightness": 1.0, "auto_write": False, "pixel_order": "RGB"}
    assert library.created == [((f"pin {pin}", 4), settings)]


REFUSALS = {
    "PWM without root": (18, {}, Message("ws281x.no_root", pin=18, source="PWM")),
    "no SPI": (10, {"devices": (), "spi": "disabled"}, Message("spi.off", device="/dev/spidev0.0")),
    "no PIO": (18, {"kind": PI_5, "devices": ()}, Message("neopixel.no_device", device="/dev/pio0")),
    "PIO denied": (18, {"kind": PI_5, "denied": ("pio0",)}, Message("device.group", device="/dev/pio0", group="gpio")),
}


@pytest.mark.parametrize(("pin", "machine", "message"), REFUSALS.values(), ids=REFUSALS)
def test_unsupported_machine_creates_no_library(library, tmp_path, pin, machine, message):
    with raises_message(BoardFault, message):
        NeoPixelWire(chain(pin), make_pi(tmp_path, **machine)).open()
    assert library.created == []


def test_laptop_creates_no_library(library, tmp_path):
    with raises(BoardFault, "neopixel.no_pi"):
        NeoPixelWire(chain(18), make_laptop(tmp_path)).open()
    assert library.created == []


def test_missing_pi_5_helper_is_reported(library, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, PI5_NEOPIXEL_HELPER, None)
    command = format_pip_command("Adafruit-Blinka-Raspberry-Pi5-Neopixel")
    with raises(BoardFault, "neopixel.no_helper", command=command):
        NeoPixelWire(chain(18), make_pi(tmp_path, PI_5)).open()
    assert library.created == []


@pytest.mark.parametrize(
    ("module", "package"), [("neopixel", "adafruit-circuitpython-neopixel"), ("rpi_ws281x", "rpi_ws281x")]
)
def test_missing_package_is_reported(library, monkeypatch, tmp_path, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with raises_message(BoardFault, describe_missing_package(module, package)):
        NeoPixelWire(chain(10), make_pi(tmp_path)).open()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RuntimeError("Failed to open PIO device.\nTry this. Or that."), "Failed to open PIO device"),
        (NotImplementedError("Board not supported"), "Board not supported"),
        (ValueError("No such pin"), "No such pin"),
        (OSError(16, "Device or resource busy"), "[Errno 16] Device or resource busy"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_library_error_is_quoted(library, tmp_path, error, expected):
    library.fails = error
    wire = NeoPixelWire(chain(18), make_pi(tmp_path, PI_5))
    with raises(BoardFault, "neopixel.refuses", pin="18", text=expected):
        wire.open()
    with pytest.raises(OSError, match="not open"):
        wire.send_bytes(SENT)

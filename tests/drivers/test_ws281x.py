"""Tests of the real rpi_ws281x with simulated device files: bytes, errors, and no crash."""

import atexit
import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.ws281x import Ws281xWire
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package, format_pip_command
from pond_hw.profile.board_profile import LampSettings
from tests.conftest import require
from tests.drivers.error_checks import raises, raises_message
from tests.drivers.pis import PI_5, make_laptop, make_pi
from tests.drivers.shim import run_on_simulated_pi
from tests.drivers.ws2812 import SK6812, WS2812B, WS2812B_V5, Rejected, decode, levels, pulses
from tests.messages.says import text

CLOCK = 2_400_000
"""SPI clock of the library: three SPI bits for each bit of a colour."""


def chain(pin, count=4):
    """Build a chain of lamps at this GPIO."""
    return LampSettings("ws281x", pin, count, 1, tuple(range(count)), ((), ()), "GRB", 1.0, 500.0, 150.0)


def run_on_pi(folder, code, *, count=4, revision="c03115"):
    """Open lamps on GPIO 10 with the real library, run the code, and return the result."""
    require("rpi_ws281x", "this tests its driver")
    make_pi(folder / "pi")
    setup = f"""
from pond_hw.board import BoardFault
from tests.drivers.pis import Machine
from pond_hw.drivers.ws281x import Ws281xWire
from pond_hw.messages.catalogue import to_english
from tests.drivers.test_ws281x import chain

wire = Ws281xWire(chain(10, {count}), Machine(Path({str(folder / "pi")!r})))
"""
    return run_on_simulated_pi(folder, setup + code, revision)


def test_bytes_are_sent_unchanged(tmp_path):
    sent = bytes([1, 2, 3, 0xFF, 0x80, 0, 0, 0x55, 0xAA, 0x7F, 0xFE, 0x10])
    result = run_on_pi(tmp_path, f"wire.open(); wire.send_bytes({sent!r}); wire.send_bytes(bytes(12)); wire.close()")
    assert (result.status, result.printed) == (0, "")
    assert [transfer.hz for transfer in result.transfers] == [CLOCK] * 2
    # The gap after a frame is shorter than a reset; the library waits for the rest before the next frame.
    assert [decode(levels(each.data), CLOCK, WS2812B) for each in result.transfers] == [[sent], [bytes(12)]]


@pytest.mark.long
def test_spi_timing_fits_one_chip_only(tmp_path):  # its pattern, not ours
    result = run_on_pi(tmp_path, "wire.open(); wire.send_bytes(bytes([0x0F] * 12)); wire.close()")
    line = levels(result.transfers[0].data) + "0" * 1000
    _, found = pulses(line, CLOCK)
    assert {round(pulse.high) for pulse in found} == {417, 833}
    assert {pulse.high for pulse in found} == {Fraction(10**9, CLOCK), Fraction(2 * 10**9, CLOCK)}
    assert decode(line, CLOCK, WS2812B) == [bytes([0x0F] * 12)]
    with pytest.raises(Rejected, match=r"pulse 0 is 416\.667 ns high"):  # a 0, of at most 380
        decode(line, CLOCK, WS2812B_V5)
    with pytest.raises(Rejected, match=r"pulse 4 is 833\.333 ns high"):  # a 1, of at most 750
        decode(line, CLOCK, SK6812)


@pytest.mark.long
def test_failing_start_does_not_crash(tmp_path):
    code = """
for attempt in range(2):
    try:
        wire.open()
    except BoardFault as fault:
        print(to_english(fault.message))
wire.close()
try:
    wire.send_bytes(bytes(12))
except OSError as error:
    print(error)
"""
    result = run_on_pi(tmp_path, code, revision="9020e9")  # unknown to the library
    assert result.status == 0
    printed = result.printed.splitlines()
    assert len(printed) == 3
    assert printed[0] == printed[1]
    before, after = text(Message("ws281x.refuses", pin="10", text="|")).split("|")
    assert printed[0].startswith(f"{before}ws2811_init failed with code -3")
    assert printed[0].endswith(after)
    assert printed[2] == "rpi_ws281x is not open"


@pytest.mark.long
def test_next_frame_after_failure_is_sent(tmp_path):
    code = """
wire.open()
broken.touch()
try:
    wire.send_bytes(bytes(12))
except OSError as error:
    print(error)
broken.unlink()
wire.close()
wire.open()
wire.send_bytes(bytes([1] * 12))
wire.close()
wire.close()
"""
    result = run_on_pi(tmp_path, code)
    assert result.status == 0
    assert "ws2811_render failed with code -14" in result.printed
    assert [decode(levels(each.data), CLOCK, WS2812B) for each in result.transfers] == [[bytes([1] * 12)]]


@pytest.mark.long
def test_real_library_fits_estimated_size(tmp_path):
    result = run_on_pi(tmp_path, "wire.open(); wire.send_bytes(bytes(339 * 3)); wire.close()", count=339)
    assert (result.status, result.printed) == (0, "")
    assert len(result.transfers[0].data) <= 339 * 12 + 24 <= 4096
    with raises(BoardFault, "spi.small_buffer", lamps=340, needed=4104, allowed=4096):
        Ws281xWire(chain(10, 340), make_pi(tmp_path)).open()


class FakeLibrary:
    """Simulated rpi_ws281x that cannot crash and records its arguments."""

    def __init__(self):
        self.ws = SimpleNamespace(
            WS2811_STRIP_RGB="chain order", ws2811_wait=lambda leds: self.calls.append(f"wait for {leds}")
        )
        self.created, self.calls, self._leds = [], [], "the leds"

    def PixelStrip(self, *arguments, **keywords):  # noqa: N802
        self.created.append((arguments, keywords))
        return self

    def begin(self):
        atexit.register(self._cleanup)

    def __setitem__(self, lamp, colour):
        pass

    def show(self):
        self.calls.append("show")

    def _cleanup(self):
        self.calls.append("cleanup")


@pytest.mark.parametrize("pin", [12, 18, 21])
def test_root_uses_profile_gpio_and_safe_dma(monkeypatch, tmp_path, pin):
    library = FakeLibrary()
    monkeypatch.setitem(sys.modules, "rpi_ws281x", library)
    wire = Ws281xWire(chain(pin), make_pi(tmp_path, devices=(), euid=0))
    wire.open()
    assert library.created == [((4, pin), {"dma": 10, "strip_type": "chain order"})]
    wire.close()
    assert library.calls == ["cleanup"]
    wire.close()
    assert library.calls == ["cleanup"]


def test_frame_waits_for_previous_transfer(monkeypatch, tmp_path):
    # The library draws into memory that DMA still reads, and waits for DMA only afterwards.
    library = FakeLibrary()
    monkeypatch.setitem(sys.modules, "rpi_ws281x", library)
    wire = Ws281xWire(chain(18), make_pi(tmp_path, devices=(), euid=0))
    wire.open()
    wire.send_bytes(bytes(12))
    wire.send_bytes(bytes(12))
    assert library.calls == ["wait for the leds", "show"] * 2


REFUSALS = {
    "on a Pi 5": (10, {"kind": PI_5, "euid": 0}, Message("ws281x.no_pi5")),
    "PWM": (18, {}, Message("ws281x.no_root", pin=18, source="PWM")),
    "PCM": (21, {}, Message("ws281x.no_root", pin=21, source="PCM")),
    "no SPI": (10, {"devices": (), "spi": "disabled"}, Message("spi.off", device="/dev/spidev0.0")),
    "SPI denied": (10, {"denied": ("spidev0.0",)}, Message("device.group", device="/dev/spidev0.0", group="spi")),
    "memory denied": (10, {"denied": ("gpiomem",)}, Message("device.group", device="/dev/gpiomem", group="gpio")),
}


@pytest.mark.parametrize(("pin", "machine", "message"), REFUSALS.values(), ids=REFUSALS)
def test_unsupported_machine_creates_no_library(monkeypatch, tmp_path, pin, machine, message):
    library = FakeLibrary()
    monkeypatch.setitem(sys.modules, "rpi_ws281x", library)
    with raises_message(BoardFault, message):
        Ws281xWire(chain(pin), make_pi(tmp_path, **machine)).open()
    assert library.created == []


def test_laptop_creates_no_library(monkeypatch, tmp_path):
    library = FakeLibrary()
    monkeypatch.setitem(sys.modules, "rpi_ws281x", library)
    with raises(BoardFault, "ws281x.no_pi"):
        Ws281xWire(chain(18), make_laptop(tmp_path)).open()
    assert library.created == []


def test_missing_package_is_reported(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "rpi_ws281x", None)
    with raises_message(BoardFault, describe_missing_package("rpi_ws281x", "rpi_ws281x")):
        Ws281xWire(chain(10), make_pi(tmp_path)).open()


def test_unloadable_package_is_reported(monkeypatch, tmp_path):
    (tmp_path / "rpi_ws281x.py").write_text("import _rpi_ws281x_of_another_python")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "rpi_ws281x", raising=False)
    error = "No module named '_rpi_ws281x_of_another_python'"
    command = format_pip_command("--force-reinstall", "rpi_ws281x")
    with raises(BoardFault, "ws281x.unloadable", text=error, command=command):
        Ws281xWire(chain(18), make_pi(tmp_path / "pi", euid=0)).open()

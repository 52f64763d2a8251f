"""Tests of switches on gpiozero's mock pins, and of the reasons why a pin is unavailable."""

import os
import select
import sys
import threading
from pathlib import Path
from types import ModuleType

import gpiozero
import pytest
from gpiozero import Device, DigitalInputDevice, PinUnknownPi
from gpiozero.pins import local
from gpiozero.pins.mock import MockPin

from pond_hw.board import BoardFault
from pond_hw.drivers import gpio
from pond_hw.drivers.gpio import DirectReader, GpioSwitch
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import DirectWiring
from pond_hw.rules import get_grid
from tests.board.pins import WiredFactory, WiredPin
from tests.drivers.error_checks import raises
from tests.drivers.pis import HEADER_AT_0, PI_5, PI_5_FIRST_YEAR, PI_5_NO_CHIP_0, make_pi

PINS = (4, 5, 6, 12, 13, 16, 17, 18, 19)
WIRING = DirectWiring(dict(zip(get_grid(3).cells, PINS, strict=True)))


@pytest.fixture
def pins(monkeypatch):
    factory = WiredFactory()
    monkeypatch.setattr(Device, "pin_factory", factory)
    yield factory
    factory.reset()


@pytest.fixture
def reader(pins):
    direct_reader = DirectReader(WIRING)
    direct_reader.open()
    yield direct_reader
    direct_reader.close()


def test_closed_switch_reads_as_1_in_cell_order(pins, reader):
    assert reader.read_levels() == (0,) * 9
    for number, pin in enumerate(PINS):
        pins.grounded = {pin}
        assert reader.read_levels() == tuple(int(each == number) for each in range(9))


def test_pins_have_pull_ups_and_no_edge_detection(pins, reader):
    before = set(threading.enumerate())
    for pin in map(pins.pin, PINS):
        assert (pin.function, pin.pull, pin.when_changed, pin.bounce) == ("input", "up", None, None)
    assert set(threading.enumerate()) == before
    assert reader.is_configured()


def test_switch_edges_stop_after_close(pins, reader):
    assert not select.select([reader.edge_fd], [], [], 0)[0]
    pins.pin(PINS[0]).drive_low()
    assert select.select([reader.edge_fd], [], [], 0)[0]
    for _ in range(100_000):  # no thread reads the edges; that must not block a press
        pins.pin(PINS[0]).drive_high()
        pins.pin(PINS[0]).drive_low()
        if not select.select([], [reader._bank._ends[1]], [], 0)[1]:
            break
    pins.pin(PINS[0]).drive_high()
    reader.close()
    assert reader.edge_fd is None
    assert pins.pin(PINS[0]).when_changed is None


def test_switch_closed_at_open_reads_closed(pins):
    pins.grounded = {17}
    reader = DirectReader(WIRING)
    reader.open()
    assert reader.read_levels()[6] == 1
    reader.close()


def test_reopened_reader_reads_and_close_releases_pins(pins, reader):
    reader.open()
    pins.grounded = {4}
    assert reader.read_levels()[0] == 1
    reader.close()
    reader.close()
    assert reader.read_levels() == ()
    with DigitalInputDevice(4, pull_up=True) as other:
        assert other.is_active


def test_key_is_a_separate_switch(pins):
    key = GpioSwitch(26)
    key.open()
    assert key.read_levels()[0] == 0
    pins.grounded = {26}
    assert key.read_levels()[0] == 1
    key.close()
    key.close()


def open_error(reader=None):
    """Return the error of a reader that cannot be opened. Check that it holds no pin afterwards."""
    with pytest.raises(BoardFault) as refused:
        (reader or DirectReader(WIRING)).open()
    return refused.value.message


def test_pin_used_twice_is_named_with_its_cell(pins):
    with DigitalInputDevice(17):
        assert open_error() == Message("pin.used_twice", user="a3", pins=("17",), count=1)
    reader = DirectReader(WIRING)
    reader.open()
    reader.close()


def test_pin_not_on_header_is_named(pins):
    user = Message("pin_user.key")
    assert open_error(GpioSwitch(99)) == Message("pin.not_on_this_pi", user=user, pins=("99",), count=1)


class LgpioError(Exception):
    """Imitation of lgpio's error, whose text is in quotation marks."""

    def __str__(self):
        return repr(self.args[0])


def make_lgpio_fail(monkeypatch, text, pin):
    """Replace lgpio with a fake that raises its error when this pin is claimed."""
    lgpio = ModuleType("lgpio")
    lgpio.error = LgpioError
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)

    class Claimed(WiredPin):
        def __init__(self, factory, info):
            if info.name == f"GPIO{pin}":
                raise LgpioError(text)
            super().__init__(factory, info)

    Device.pin_factory.pin_class = Claimed


def test_busy_line_is_named_with_its_cell(pins, monkeypatch):
    make_lgpio_fail(monkeypatch, "GPIO busy", 17)
    assert open_error() == Message("pin.busy", user="a3", pins=("17",), count=1)
    with DigitalInputDevice(4):
        pass  # the pins before it were released


def test_freed_line_can_be_claimed(pins, monkeypatch):
    with monkeypatch.context() as held:
        make_lgpio_fail(held, "GPIO busy", 17)
        with pytest.raises(BoardFault) as fault:
            DirectReader(WIRING).open()
    Device.pin_factory.pin_class = WiredPin
    reader = DirectReader(WIRING)
    reader.open()
    reader.close()
    assert fault.value.message.id == "pin.busy"  # although the caller keeps the error


def test_other_pin_errors_are_quoted(pins, monkeypatch):
    make_lgpio_fail(monkeypatch, "no permission to perform action", 4)
    text = "no permission to perform action"
    assert open_error() == Message("pin.unusable", user="a1", pins=("4",), count=1, text=text)


def test_unreadable_pins_can_be_retried(pins, reader, monkeypatch):
    def fails(pin):
        raise OSError("gone")

    key = GpioSwitch(26)
    key.open()
    monkeypatch.setattr(WiredPin, "_get_state", fails)
    with raises(SensorReadError, "gpio.unreadable", text="gone"):
        reader.read_levels()
    with raises(SensorReadError, "gpio.key_unreadable", pin=26, text="gone"):
        key.read_levels()[0]
    key.close()


# Availability of pins in general.

FAKE_LGPIO = """
import os
from pathlib import Path

class error(Exception):
    def __str__(self):
        return repr(self.args[0])

SET_PULL_NONE = SET_PULL_UP = SET_PULL_DOWN = BOTH_EDGES = RISING_EDGE = FALLING_EDGE = 0
if "LG_WD" in os.environ:  # as the real one does
    os.chdir(os.environ["LG_WD"])
FOLDER = os.getcwd()
os.mkfifo(".lgd-nfy0")

def gpiochip_open(chip):
    raise error("can not open gpiochip")
"""


@pytest.fixture
def pi(monkeypatch, tmp_path):
    """Simulate a Pi without a pin factory, and return a folder for modules that replace installed ones."""
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setattr(local, "get_pi_revision", lambda: 0xC03114)
    for name in ("GPIOZERO_PIN_FACTORY", "LG_WD", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    for module in ("lgpio", "gpiozero.pins.lgpio"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    modules = tmp_path / "modules"
    modules.mkdir()
    monkeypatch.syspath_prepend(modules)
    monkeypatch.setattr(gpio, "Machine", lambda: make_pi(tmp_path / "pi"))
    yield modules
    for module in ("lgpio", "gpiozero.pins.lgpio"):
        sys.modules.pop(module, None)


def test_machine_without_pins_is_reported(pi, monkeypatch):
    def unknown():
        raise PinUnknownPi("unable to locate Pi revision")

    monkeypatch.setattr(local, "get_pi_revision", unknown)
    assert open_error() == Message("gpio.no_pi")


def test_missing_lgpio_has_no_fallback(pi, monkeypatch):
    monkeypatch.setitem(sys.modules, "lgpio", None)
    assert open_error() == Message("lgpio.not_installed")
    assert Device.pin_factory is None


def test_unloadable_lgpio_is_reported(pi):
    (pi / "lgpio.py").write_text("raise ImportError('wrong ELF class')")
    assert open_error() == Message("lgpio.unloadable", text="wrong ELF class")


def test_empty_lgpio_placeholder_is_recognised(pi):
    (pi / "lgpio.py").write_text("")
    assert open_error() == Message("lgpio.placeholder")


def test_lgpio_pipe_failure_is_reported(pi):
    (pi / "lgpio.py").write_text("raise FileNotFoundError(2, 'No such file or directory', '.lgd-nfy-3')")
    assert open_error() == Message("lgpio.no_pipe", text="[Errno 2] No such file or directory: '.lgd-nfy-3'")


def test_missing_runtime_folder_is_reported(pi, monkeypatch):
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/nonexistent")
    (pi / "lgpio.py").write_text(FAKE_LGPIO)
    message = open_error()
    assert message.id == "lgpio.no_pipe"
    assert message.arguments["text"].startswith("[Errno 2] No such file or directory: '/nonexistent/")


def test_lgpio_pipe_uses_temporary_folder(pi, monkeypatch, tmp_path):
    (pi / "lgpio.py").write_text(FAKE_LGPIO)
    runtime = tmp_path / "run"
    runtime.mkdir()
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("RUNTIME_DIRECTORY", f"{runtime}:/run/other")
    open_error()
    assert Path(sys.modules["lgpio"].FOLDER).parent == runtime
    assert Path.cwd() == here
    assert list(runtime.iterdir()) == list(here.iterdir()) == []
    assert "LG_WD" not in os.environ


def test_lgpio_keeps_configured_folder(pi, monkeypatch, tmp_path):
    (pi / "lgpio.py").write_text(FAKE_LGPIO)
    lg_folder = tmp_path / "lg_folder"
    lg_folder.mkdir()
    monkeypatch.setenv("LG_WD", str(lg_folder))
    here = Path.cwd()
    open_error()
    assert [each.name for each in lg_folder.iterdir()] == [".lgd-nfy0"]
    assert Path.cwd() == here
    assert os.environ["LG_WD"] == str(lg_folder)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"devices": ()}, Message("gpio.no_device", device="/dev/gpiochip0")),
        ({"denied": ("gpiochip0",)}, Message("device.group", device="/dev/gpiochip0", group="gpio")),
        ({}, Message("gpio.unusable", text="can not open gpiochip")),
    ],
)
def test_unopenable_chip_is_reported_with_reason(pi, monkeypatch, tmp_path, options, expected):
    (pi / "lgpio.py").write_text(FAKE_LGPIO)
    monkeypatch.setattr(gpio, "Machine", lambda: make_pi(tmp_path / "other", **options))
    assert open_error() == expected


LGPIO_WITH_CHIPS = FAKE_LGPIO.replace('raise error("can not open gpiochip")', "return chip")


@pytest.mark.parametrize(("labels", "number"), [(HEADER_AT_0, 0), (PI_5_FIRST_YEAR, 4), (PI_5_NO_CHIP_0, 15)])
def test_pins_open_on_header_chip(pi, monkeypatch, tmp_path, labels, number):
    (pi / "lgpio.py").write_text(LGPIO_WITH_CHIPS)
    monkeypatch.setattr(gpio, "Machine", lambda: make_pi(tmp_path / "other", PI_5, labels, labels=labels))
    assert gpio.get_pin_factory().chip == number


def test_pins_without_a_header_chip_are_refused(pi, monkeypatch, tmp_path):
    (pi / "lgpio.py").write_text(LGPIO_WITH_CHIPS)
    labels = {"gpiochip0": "ftdi-cbus"}
    monkeypatch.setattr(gpio, "Machine", lambda: make_pi(tmp_path / "other", devices=labels, labels=labels))
    assert open_error() == Message("gpio.no_header", chips=("gpiochip0 (ftdi-cbus)",))


def test_environment_chooses_pin_factory(pi, monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    reader = DirectReader(WIRING)
    reader.open()
    assert reader.read_levels() == (0,) * 9
    assert isinstance(Device.pin_factory.pin(4), MockPin)
    reader.close()
    Device.pin_factory.reset()


def test_lgpio_may_be_named_explicitly(pi, monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "LGPIO")
    (pi / "lgpio.py").write_text("")
    assert open_error() == Message("lgpio.placeholder")


def test_unknown_pin_factory_is_reported(pi, monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "bananas")
    text = "Unable to find pin factory 'bananas'"
    assert open_error() == Message("gpio.wrong_factory", name="bananas", text=text)


def test_pin_factory_is_created_once(pins, monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "bananas")
    assert gpio.get_pin_factory() is pins
    assert gpiozero.Device.pin_factory is pins

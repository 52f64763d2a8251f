"""Tests with deliberate errors that mock pins would not reveal, to check that the simulated Pi does.

They need Pis that are set up for different boards.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw.board import BoardFault
from pond_hw.board_factory import build_board
from pond_hw.drivers import gpio, mcp23017
from pond_hw.drivers.pi_machine import Machine
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.board import test_every_board as board_tests
from tests.kernel.benches import bench_on_pi
from tests.kernel.breadboard import do
from tests.messages.says import text


def require_device(device, *, present=True):
    """Skip the test unless a device is present (or missing). The suite has a Pi for each case."""
    if Path("/dev", device).exists() != present:
        pytest.skip(f"needs a Pi with{'' if present else 'out'} /dev/{device}")


@pytest.fixture(autouse=True)
def fresh_pins():
    """Reset gpiozero's pin factory before and after each test."""
    import gpiozero

    _release_pins(gpiozero)
    yield
    _release_pins(gpiozero)


def _release_pins(gpiozero):
    if gpiozero.Device.pin_factory is not None:
        gpiozero.Device.pin_factory.close()
        gpiozero.Device.pin_factory = None


def open_bench(name):
    bench = bench_on_pi(name)
    bench.open()
    return bench


def check_fails(board_test, bench):
    """Check that a board test fails."""
    try:
        with pytest.raises(AssertionError):
            board_test(bench)
    finally:
        bench.close()


def test_missing_pull_ups_cause_false_touches(monkeypatch):
    from gpiozero import InputDevice

    require_device("spidev1.0", present=False)
    monkeypatch.setattr(
        gpio, "pulled_up_input", lambda pin, pin_user: InputDevice(pin, pull_up=None, active_state=False)
    )
    check_fails(board_tests.test_board_at_rest_reports_nothing, open_bench("direct-4x4"))


def test_missing_expander_pull_ups_cause_false_pieces(monkeypatch):
    def without_pull_ups(chip):
        chip.gpio = mcp23017.CANARY_LEVELS
        chip.iodir = mcp23017.INPUT_PINS

    require_device("i2c-1")
    monkeypatch.setattr(mcp23017, "_configure_chip", without_pull_ups)
    monkeypatch.setattr(mcp23017, "_is_chip_configured", lambda chip: True)
    bench = bench_on_pi("hall-4x4")
    do("floating 20 5a5a", "floating 21 5a5a")
    bench.open()
    check_fails(board_tests.test_board_at_rest_reports_nothing, bench)


def test_pins_of_the_wrong_chip_detect_nothing(monkeypatch):
    require_device("gpiochip4")  # a Pi 5 of the first year, where the header has that number
    monkeypatch.setattr(Machine, "gpio_device", "/dev/gpiochip0")
    check_fails(board_tests.test_each_cell_reports_press_and_release, open_bench("direct-4x4"))


def open_error(name):
    """Return the error raised by opening a board."""
    with pytest.raises(BoardFault) as fault:
        build_board(load_profile(name), lambda: 0.0).open(print)
    return fault.value.message


def is_busy(message, pin):
    """Return True if the message says that another program uses this pin."""
    return (message.id, message.arguments["pins"]) == ("pin.busy", (str(pin),))


LINE_HOLDER = """
import lgpio
chip = next(n for n in range(5) if lgpio.gpio_get_chip_info(lgpio.gpiochip_open(n))[3].startswith("pinctrl-"))
lgpio.gpio_claim_input(lgpio.gpiochip_open(chip), 17)
print("held", flush=True)
input()
"""


def test_busy_line_is_named_until_it_is_free():
    environment = {**os.environ, "LG_WD": "/run/tmp"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    require_device("spidev1.0", present=False)
    with subprocess.Popen([sys.executable, "-c", LINE_HOLDER], env=environment, **pipes) as holder:
        assert holder.stdout.readline() == "held\n"
        assert is_busy(open_error("direct-4x4"), 17)
        holder.communicate("\n")
    open_bench("direct-4x4").close()


def test_line_held_by_kernel_is_named():
    require_device("spidev1.2")  # SPI1 selects with GPIO 16 to 18, which are buttons here; b1 is claimed first
    assert is_busy(open_error("direct-4x4"), 16)


def run_pond(*words, **environment):
    """Run pond, and return its exit code and error output."""
    inherited = {key: value for key, value in os.environ.items() if key != "LG_WD"}
    command = [sys.executable, "-m", "pond_hw", *words]
    done = subprocess.run(command, env=inherited | environment, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_unwritable_lgpio_folder_is_reported():
    code, output = run_pond("serve", "--board", "direct-4x4", LG_WD="/sys/kernel")
    assert code == 2
    before, after = text(Message("lgpio.no_pipe", text="|")).split("|")
    assert before in output
    assert after in output


def test_disabled_spi_is_reported():
    require_device("spidev1.0", present=False)
    code, output = run_pond("serve", "--board", "hall-5x5")
    assert code == 2
    assert text(Message("spi.off_spi1", device="/dev/spidev1.2", overlay="spi1-3cs")) in output

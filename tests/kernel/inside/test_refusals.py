"""Tests of faults that a person has to fix: the unit gives up at once, and its log says what to do."""

import subprocess
import sys

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import ExpanderWiring
from tests.kernel.inside.installation import Installation
from tests.messages.says import text

LINE_HOLDER = """
import sys
from pond_hw.drivers.gpio import GpioSwitch
key = GpioSwitch(int(sys.argv[1]))
key.open()
print("held", flush=True)
input()
"""
"""Program that holds a line until it receives input."""


def read_failure_log(board, drop_in=""):
    """Return the log of a failed start."""
    with Installation(board, f"[Service]\n{drop_in}\n") as installation:
        log = installation.check_refusal()
    assert "Traceback" not in log
    return log


@pytest.mark.parametrize(
    ("group", "device"), [("gpio", "/dev/gpiochip0"), ("spi", "/dev/spidev0.0"), ("i2c", "/dev/i2c-1")]
)
def test_missing_group_is_named_with_its_device(board, table, group, device):
    if group == "i2c" and not isinstance(load_profile(board).sensing.wiring, ExpanderWiring):
        pytest.skip(f"{board} is not on I2C")
    others = {"gpio", "spi", "i2c"} - {group}
    log = read_failure_log(board, f"SupplementaryGroups=\nSupplementaryGroups={' '.join(sorted(others))}")
    assert text(Message("device.group", group=group, device=device)) in log


def test_unwritable_lgpio_folder_is_reported(board, table):
    log = read_failure_log(board, "Environment=LG_WD=/usr")
    before, after = text(Message("lgpio.no_pipe", text="|")).split("|")
    assert before in log
    assert after in log


def test_busy_line_is_named(board, table):
    key = load_profile(board).undo_key_pin
    with subprocess.Popen(
        [sys.executable, "-c", LINE_HOLDER, str(key)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        log = read_failure_log(board)
        holder.communicate("go\n")
    assert text(Message("pin.busy", user=Message("pin_user.key"), pins=(str(key),), count=1)) in log


def test_missing_profile_is_named(board, table):
    log = read_failure_log("/etc/pond/boards/mine.toml")
    assert "/etc/pond/boards/mine.toml" in log


def test_device_denied_by_unit_is_not_a_group_problem(board, table):
    log = read_failure_log(board, "DeviceAllow=\nDeviceAllow=char-gpiochip rw\nDeviceAllow=char-i2c rw")
    assert text(Message("device.closed", device="/dev/spidev0.0")) in log
    assert "group may use" not in log

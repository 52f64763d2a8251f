"""What a person has to mend: the unit gives up at once, and its log says in a sentence what to do."""

import subprocess
import sys

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import ExpanderWiring
from tests.kernel.inside.house import House
from tests.messages.says import text

OTHER = """
import sys
from pond_hw.drivers.gpio import GpioSwitch
key = GpioSwitch(int(sys.argv[1]))
key.open()
print("it is mine", flush=True)
input()
"""
"""Another program, that has a line until it is told to go."""


def refused(board, drop_in=""):
    """What the log says of a start that is refused."""
    with House(board, f"[Service]\n{drop_in}\n") as house:
        told = house.refused()
    assert "Traceback" not in told
    return told


@pytest.mark.parametrize(
    ("group", "device"), [("gpio", "/dev/gpiochip0"), ("spi", "/dev/spidev0.0"), ("i2c", "/dev/i2c-1")]
)
def test_a_group_that_the_service_is_not_in_is_named_with_its_device(board, table, group, device):
    if group == "i2c" and not isinstance(load_profile(board).sensing.wiring, ExpanderWiring):
        pytest.skip(f"{board} is not on I2C")
    others = {"gpio", "spi", "i2c"} - {group}
    told = refused(board, f"SupplementaryGroups=\nSupplementaryGroups={' '.join(sorted(others))}")
    assert text(Message("device.group", group=group, device=device)) in told


def test_a_folder_that_lgpio_may_not_write_to_is_told_with_what_to_do(board, table):
    told = refused(board, "Environment=LG_WD=/usr")
    before, after = text(Message("lgpio.no_pipe", text="|")).split("|")
    assert before in told
    assert after in told


def test_a_line_that_another_program_has_is_named(board, table):
    key = load_profile(board).undo_key_pin
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, str(key)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "it is mine\n"
        told = refused(board)
        other.communicate("go\n")
    assert text(Message("pin.busy", user=Message("pin_user.key"), pins=(str(key),), count=1)) in told


def test_a_profile_that_is_not_there_is_named(board, table):
    told = refused("/etc/pond/boards/mine.toml")
    assert "/etc/pond/boards/mine.toml" in told


def test_a_device_that_the_unit_keeps_shut_is_not_blamed_on_a_group(board, table):
    told = refused(board, "DeviceAllow=\nDeviceAllow=char-gpiochip rw\nDeviceAllow=char-i2c rw")
    assert text(Message("device.closed", device="/dev/spidev0.0")) in told
    assert "Only the group" not in told

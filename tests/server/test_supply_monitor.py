"""A supply that sags: the lamps are dimmed, and the players are told."""

import pytest

from pond_hw.lights.current_limiter import dimmed_limiter
from pond_hw.messages.message import Message


@pytest.fixture
def volts(folder):
    """The /sys of a Pi, and the switch of its alarm."""
    for number, name in enumerate(("cpu_thermal", "rpi_volt", "nvme")):
        monitor = folder / f"sys/class/hwmon/hwmon{number}"
        monitor.mkdir(parents=True)
        (monitor / "name").write_text(f"{name}\n")
    alarm = folder / "sys/class/hwmon/hwmon1/in0_lcrit_alarm"
    alarm.write_text("0\n")
    return alarm


def test_when_the_voltage_drops_the_lamps_are_dimmed_within_three_seconds_and_it_is_said(serve, folder, volts):
    served = serve(lamps=1, root=folder)
    bright = served.companion.display.limiter
    served.passes(5)
    assert served.companion.display.limiter is bright
    before = sum(served.companion.frame.data)
    volts.write_text("1\n")
    served.passes(2.1)
    assert served.companion.display.limiter == dimmed_limiter(bright, 16)
    assert served.companion.session.messages == (Message("supply.weak"),)
    served.passes(0.5)
    assert 0 < sum(served.companion.frame.data) < before / 2
    served.hands.touch("b2")
    served.turns()
    assert served.played == ["@b2"]


def test_lamps_with_a_supply_of_their_own_are_not_dimmed_when_that_of_the_pi_sags(serve, folder, volts):
    served = serve(lamps=1, root=folder, own_supply=True)
    bright = served.companion.display.limiter
    volts.write_text("1\n")
    served.passes(5)
    assert served.companion.display.limiter is bright
    assert served.companion.session.messages == (Message("supply.weak_pi"),)


@pytest.mark.slow
def test_the_lamps_are_bright_again_after_half_a_minute_of_calm(serve, folder, volts):
    served = serve(root=folder)
    bright = served.companion.display.limiter
    volts.write_text("1\n")
    served.passes(3)
    volts.write_text("0\n")
    served.passes(20)
    volts.write_text("1\n")
    served.passes(3)
    volts.write_text("0\n")
    served.passes(27)
    assert served.companion.display.limiter != bright
    served.passes(6)
    assert served.companion.display.limiter == bright


@pytest.mark.long
def test_it_is_said_once_an_hour_and_no_more(serve, folder, volts):
    served = serve(root=folder)
    told = []

    def watch(seconds):
        for _ in range(int(seconds / 10)):
            before = served.companion.session.messages
            served.passes(10, step=2)
            if served.companion.session.messages != before == ():
                told.append(served.clock.now())
            served.companion.session = served.companion.session.with_changes(messages=())

    served.companion.session = served.companion.session.with_changes(messages=())
    volts.write_text("1\n")
    watch(300)
    volts.write_text("0\n")
    watch(300)
    volts.write_text("1\n")
    watch(2900)
    assert len(told) == 1
    watch(200)
    assert len(told) == 2


def test_a_machine_that_does_not_measure_its_voltage_is_left_alone(serve, folder, volts):
    for name in folder.glob("sys/class/hwmon/*/name"):
        name.write_text("coretemp\n")
    volts.write_text("1\n")
    served = serve(root=folder)
    bright = served.companion.display.limiter
    served.passes(5)
    assert served.companion.display.limiter is bright


def test_an_alarm_that_cannot_be_read_is_none(serve, folder, volts):
    served = serve(root=folder)
    bright = served.companion.display.limiter
    volts.unlink()
    served.passes(5)
    volts.write_bytes(b"\xff\xfe")
    served.passes(5)
    assert served.companion.display.limiter is bright

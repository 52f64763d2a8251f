"""Voltage drops dim the lamps and show a notice."""

import pytest

from pond_hw.lights.current_limiter import dimmed_limiter
from pond_hw.messages.message import Message


@pytest.fixture
def volts(folder):
    """A fake /sys of a Pi, with a voltage alarm."""
    for number, name in enumerate(("cpu_thermal", "rpi_volt", "nvme")):
        monitor = folder / f"sys/class/hwmon/hwmon{number}"
        monitor.mkdir(parents=True)
        (monitor / "name").write_text(f"{name}\n")
    alarm = folder / "sys/class/hwmon/hwmon1/in0_lcrit_alarm"
    alarm.write_text("0\n")
    return alarm


def test_voltage_drop_dims_the_lamps(serve, folder, volts):
    served = serve(lamps=1, root=folder)
    bright = served.companion.display.limiter
    served.advance(5)
    assert served.companion.display.limiter is bright
    before = sum(served.companion.frame.data)
    volts.write_text("1\n")
    served.advance(2.1)
    assert served.companion.display.limiter == dimmed_limiter(bright, 16)
    assert served.companion.session.messages == (Message("supply.weak"),)
    served.advance(0.5)
    assert 0 < sum(served.companion.frame.data) < before / 2
    served.hands.touch("b2")
    served.run_cycles()
    assert served.played == ["@b2"]


def test_lamps_with_their_own_supply_are_not_dimmed(serve, folder, volts):
    served = serve(lamps=1, root=folder, own_supply=True)
    bright = served.companion.display.limiter
    volts.write_text("1\n")
    served.advance(5)
    assert served.companion.display.limiter is bright
    assert served.companion.session.messages == (Message("supply.weak_pi"),)


@pytest.mark.slow
def test_brightness_returns_after_half_a_minute(serve, folder, volts):
    served = serve(root=folder)
    bright = served.companion.display.limiter
    volts.write_text("1\n")
    served.advance(3)
    volts.write_text("0\n")
    served.advance(20)
    volts.write_text("1\n")
    served.advance(3)
    volts.write_text("0\n")
    served.advance(27)
    assert served.companion.display.limiter != bright
    served.advance(6)
    assert served.companion.display.limiter == bright


@pytest.mark.long
def test_notice_is_shown_once_an_hour(serve, folder, volts):
    served = serve(root=folder)
    notice_times = []

    def watch(seconds):
        for _ in range(int(seconds / 10)):
            before = served.companion.session.messages
            served.advance(10, step=2)
            if served.companion.session.messages != before == ():
                notice_times.append(served.clock.now())
            served.companion.session = served.companion.session.with_changes(messages=())

    served.companion.session = served.companion.session.with_changes(messages=())
    volts.write_text("1\n")
    watch(300)
    volts.write_text("0\n")
    watch(300)
    volts.write_text("1\n")
    watch(2900)
    assert len(notice_times) == 1
    watch(200)
    assert len(notice_times) == 2


def test_lamps_stay_bright_without_a_voltage_monitor(serve, folder, volts):
    for name in folder.glob("sys/class/hwmon/*/name"):
        name.write_text("coretemp\n")
    volts.write_text("1\n")
    served = serve(root=folder)
    bright = served.companion.display.limiter
    served.advance(5)
    assert served.companion.display.limiter is bright


def test_unreadable_alarm_is_ignored(serve, folder, volts):
    served = serve(root=folder)
    bright = served.companion.display.limiter
    volts.unlink()
    served.advance(5)
    volts.write_bytes(b"\xff\xfe")
    served.advance(5)
    assert served.companion.display.limiter is bright

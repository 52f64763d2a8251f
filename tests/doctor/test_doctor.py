"""Tests of `pond doctor` on simulated Pis that are healthy or have one planted fault."""

import dataclasses
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from pond_hw import __version__
from pond_hw.commands import doctor, main
from pond_hw.doctor import check_results, run_checks
from pond_hw.doctor.board_needs import gpio_uses, needed_packages
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result, wrap_command
from pond_hw.doctor.host_system import FreeSpace, HostSystem, InstalledPackage, UserGroups
from pond_hw.drivers.pi_machine import explain_missing_ws281x
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import ProfileError, list_shipped, load_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import DARK, LIGHT
from tests.board.benches import with_pcf8575s
from tests.doctor.pi_trees import MODELS, MOUNTS, NAMES, RELEASES, Pi, laptop_host
from tests.drivers.pis import PI_5_NO_CHIP_0
from tests.messages.says import ids, text

CONFIG = "/boot/firmware/config.txt"
REAL = [name for name in list_shipped() if not name.startswith(("simulated", "usb"))]
ALL_MACHINES = [(model, release) for model in MODELS for release in RELEASES]


def machines_of(*models):
    return [each for each in ALL_MACHINES if each[0] in models]


@pytest.fixture
def pi(tmp_path):
    return Pi(tmp_path)


def profile_error(board):
    with pytest.raises(ProfileError) as refused:
        load_profile(board)
    return refused.value


def find_problems(pi, board=None):
    """Return grade, subject and fix command of each warning and fault."""
    found = run_checks(board or pi.board, pi.host).check_results
    return [(each.grade, each.subject, each.fix_command) for each in found if each.grade != "good"]


# --- healthy ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("board", REAL)
@pytest.mark.parametrize(("model", "release"), ALL_MACHINES)
def test_installed_pi_has_no_problems(tmp_path, model, release, board):
    if (model, board) == ("5", "pwm-4x4"):
        pytest.skip("the installer refuses this one")
    assert find_problems(Pi(tmp_path, model, release, board)) == []


@pytest.mark.slow
@pytest.mark.parametrize("board", REAL)
@pytest.mark.parametrize("model", MODELS)
def test_each_missing_config_line_is_found(tmp_path, model, board):
    if (model, board) == ("5", "pwm-4x4"):
        pytest.skip("the installer refuses this one")
    pi = Pi(tmp_path, model, board=board)
    head, mark, block = pi.read(CONFIG).partition("# >>> Pond")
    lines = [line for line in block.splitlines() if line.startswith(("core", "dtparam", "dtoverlay=spi"))]
    for line in lines:
        family = {"core_freq=250": "Zero 2 W", "core_freq_min=500": "4"}.get(line, model)
        rest = "".join(each for each in block.splitlines(keepends=True) if each.strip() != line)
        pi.write(CONFIG, head + mark + rest)
        slow_anyway = line == "dtparam=i2c_arm_baudrate=100000"  # the default rate
        assert bool(find_problems(pi)) == (family == model and not slow_anyway), line
    assert lines or board == "neotrellis-4x4"


def test_healthy_pi_gets_the_expected_messages(pi):
    found = {each.subject: each.messages for each in reversed(run_checks("direct-4x4", pi.host).check_results)}
    gpiozero = Message("doctor.package.good", package="gpiozero", version="2.0.1.post3")
    expected = {
        "profile": [Message("doctor.profile.good", board="direct-4x4", size=4)],
        "machine": [Message("doctor.machine.pi", model="Raspberry Pi 4 Model B Rev 1.5")],
        "system": [
            Message("doctor.system.found", name="Raspberry Pi OS, Debian GNU/Linux 12 (bookworm)", bits=64),
        ],
        "python": [Message("doctor.python.good", version="3.11.2")],
        "packages": [gpiozero, Message("doctor.origin.virtualenv", folder="/usr/lib/pond")],
        "spi": [Message("doctor.bus.works", bus="SPI", file=CONFIG, device="/dev/spidev0.0")],
        "pins": [Message("doctor.pins.good", file=CONFIG)],
        "lamps": [Message("doctor.lamps.steady", file=CONFIG)],
        "devices": [Message("doctor.device.good", devices=("/dev/gpiochip0", "/dev/spidev0.0"))],
        "power": [Message("doctor.power.good")],
        "clock": [Message("doctor.clock.network"), Message("doctor.clock.no_battery")],
        "storage": [Message("doctor.storage.good", folder="/var/lib/pond", filesystem="ext4")],
        "service": [Message("doctor.service.runs", unit="pond", board="direct-4x4")],
        "journal": [Message("doctor.journal.good")],
    }
    assert {subject: [*messages] for subject, messages in found.items() if subject in expected} == expected


def test_doctor_names_the_chip_with_header_label(tmp_path):
    pi = Pi(tmp_path, "5")
    devices = [f"/dev/{name}" for name in PI_5_NO_CHIP_0]
    pi.remove("/dev/gpiochip0")
    for device in devices:
        pi.write(device, "")
    pi.machine = dataclasses.replace(pi.machine, chip_label=lambda path: PI_5_NO_CHIP_0[path.name])
    assert find_problems(pi) == []
    found = {each.subject: each.messages for each in run_checks(pi.board, pi.host).check_results}
    good = Message("doctor.device.good", devices=("/dev/gpiochip15", "/dev/spidev0.0"))
    assert found["devices"] == (good,)
    pi.machine = dataclasses.replace(pi.machine, chip_label=lambda path: "gpio-brcmstb@107d508500")
    assert find_problems(pi) == [("fault", "devices", "sudo apt full-upgrade")]


def test_service_board_is_checked_by_default(pi):
    assert run_checks(None, pi.host).board_name == "direct-4x4"
    assert find_problems(pi) == []


def test_old_config_path_is_read_and_filters_are_applied(tmp_path):
    pi = Pi(tmp_path, "Zero 2 W")
    pi.edit(CONFIG, "[pi0]\ncore_freq=250\n", "[pi4]\ncore_freq=250\n")
    pi.write("/boot/config.txt", pi.read(CONFIG))
    pi.remove(CONFIG)
    assert find_problems(pi) == [("fault", "lamps", "sudo sed -i '$a[all]\\ncore_freq=250' /boot/config.txt")]


@pytest.mark.parametrize("line", ["force_turbo=1", "enable_uart=1", "core_freq_min=400", "gpu_freq=250"])
def test_other_settings_also_keep_the_clock_steady(tmp_path, line):
    pi = Pi(tmp_path, "Zero 2 W")
    pi.edit(CONFIG, "core_freq=250", "#", times=9)
    pi.config(line)
    assert find_problems(pi) == []


def test_full_serial_port_does_not_fix_the_clock(tmp_path):
    pi = Pi(tmp_path, "Zero 2 W")
    pi.edit(CONFIG, "core_freq=250", "#", times=9)
    pi.config("enable_uart=1", "dtoverlay=disable-bt")
    assert [each[:2] for each in find_problems(pi)] == [("fault", "lamps")]


# --- planted faults ---------------------------------------------------------------------------------------------------


class PlantedFault(NamedTuple):
    """Fault planted on a simulated Pi, and the expected result.

    `expected` is one of the messages in the result, or part of its text.
    """

    apply: object
    grade: str
    subject: str
    fix_command: str
    expected: object = ""
    machines: tuple = tuple(ALL_MACHINES)
    board: str = "direct-4x4"


def service(**changes):
    return lambda pi: pi.service.update(changes)


def fields(**changes):
    def apply(pi):
        for name, value in changes.items():
            setattr(pi, name, value)

    return apply


def config(*lines):
    return lambda pi: pi.config(*lines)


def answer(command, answer_text):
    return lambda pi: pi.answers.update({command: answer_text})


def package(name, installed):
    return lambda pi: pi.packages.update({name: installed})


def mounts(old, new):
    return lambda pi: pi.edit("/proc/self/mounts", old, new)


def combine(*changes):
    return lambda pi: [apply(pi) for apply in changes]


def without(*lines):
    return lambda pi: [pi.edit(CONFIG, f"\n{line}\n", "\n", times=9) for line in lines]


def remove(*devices):
    return lambda pi: pi.remove(*devices)


def claim(kind, name, *gpios):
    return Message(f"doctor.claim.{kind}", name=name, gpios=tuple(map(str, gpios)))


def status(word):
    return lambda pi: [path.write_bytes(word + b"\0") for path in pi.root.glob("proc/device-tree/*/**/status")]


OLD = 'PRETTY_NAME="Raspbian GNU/Linux 11 (bullseye)"\nID=raspbian\nVERSION_ID="11"\n'
SED = "sudo sed -i '{}' /boot/firmware/config.txt"
OUTSIDE = UserGroups(frozenset({"anna"}), frozenset({"anna"}))
LATER = UserGroups(frozenset({"anna"}), frozenset({"anna", "gpio", "spi"}))
INSIDE = UserGroups(frozenset({"gpio", "spi"}), frozenset({"gpio", "spi"}))
STOPPED = {"ActiveState": "inactive", "MainPID": "0"}
NO_SERVICE = lambda pi: pi.remove(f"/etc/systemd/system/{pi.unit}.service")  # noqa: E731
INSTALL = "sudo pond-board "
ADD = "sudo python3 -m pip install --target /usr/local/lib/pond "
UNDER_FIVE = machines_of("Zero 2 W", "4")

FAULTS = {
    "old system": PlantedFault(
        lambda pi: pi.write("/etc/os-release", OLD), "fault", "system", "rpi-imager", Message("doctor.system.too_old")
    ),
    "other system": PlantedFault(
        lambda pi: pi.edit("/etc/os-release", "ID=debian", "ID=ubuntu"),
        "warning",
        "system",
        "",
        Message("doctor.system.untested"),
    ),
    "newer system": PlantedFault(
        lambda pi: pi.write("/etc/os-release", "ID=debian\nVERSION_ID=14\n"),
        "warning",
        "system",
        "",
        Message("doctor.system.newer"),
    ),
    "old Python": PlantedFault(
        fields(python="3.10.9"),
        *("fault", "python", "sudo apt install python3"),
        Message("doctor.python.too_old", version="3.10.9", oldest="3.11"),
    ),
    "no config.txt": PlantedFault(
        remove(CONFIG), "fault", "boot", "sudo mount /boot/firmware", Message("doctor.boot.missing")
    ),
    "SPI off": PlantedFault(
        combine(without("dtparam=spi=on"), remove("/dev/spidev0.0"), status(b"disabled")),
        *("fault", "spi", "sudo raspi-config nonint do_spi 0", Message("doctor.bus.off", bus="SPI", file=CONFIG)),
    ),
    "SPI off by a later line": PlantedFault(
        combine(config("dtparam=spi=off"), remove("/dev/spidev0.0"), status(b"disabled")),
        *("fault", "spi", "sudo raspi-config nonint do_spi 0"),
    ),
    "SPI on but not restarted": PlantedFault(
        combine(remove("/dev/spidev0.0"), status(b"disabled")),
        "fault",
        "spi",
        "sudo reboot",
        Message("doctor.bus.not_yet", bus="SPI", file=CONFIG),
    ),
    "SPI on without a driver": PlantedFault(
        remove("/dev/spidev0.0"),
        *("fault", "spi", "sudo modprobe spidev", Message("doctor.bus.no_spi_driver", device="/dev/spidev0.0")),
    ),
    "SPI gone after a restart": PlantedFault(
        without("dtparam=spi=on"),
        *("warning", "spi", "sudo raspi-config nonint do_spi 0"),
        Message("doctor.bus.off_soon", device="/dev/spidev0.0", bus="SPI", file=CONFIG),
    ),
    "I2C off": PlantedFault(
        combine(without("dtparam=i2c_arm=on"), remove("/dev/i2c-1")),
        *("fault", "i2c", "sudo raspi-config nonint do_i2c 0"),
        board="hall-4x4",
    ),
    "I2C on but not restarted": PlantedFault(remove("/dev/i2c-1"), "fault", "i2c", "sudo reboot", board="hall-4x4"),
    "I2C on without a driver": PlantedFault(
        combine(
            remove("/dev/i2c-1"),
            lambda pi: pi.write("/proc/modules", ""),
            lambda pi: pi.write("/sys/bus/i2c/devices/i2c-1/name", "bcm2835"),
        ),
        *("fault", "i2c", "sudo modprobe i2c-dev", Message("doctor.bus.no_i2c_driver", device="/dev/i2c-1")),
        board="hall-4x4",
    ),
    "I2C gone after a restart": PlantedFault(
        without("dtparam=i2c_arm=on"), "warning", "i2c", "sudo raspi-config nonint do_i2c 0", board="hall-4x4"
    ),
    "I2C slow": PlantedFault(
        without("dtparam=i2c_arm_baudrate=400000"),
        *("warning", "i2c", SED.format("$a[all]\\ndtparam=i2c_arm_baudrate=400000")),
        Message("doctor.i2c.rate", khz=100.0),
        board="hall-4x4",
    ),
    "I2C too fast for a NeoTrellis": PlantedFault(
        config("dtparam=i2c1_baudrate=400000"),
        *("fault", "i2c", SED.format("$a[all]\\ndtparam=i2c_arm_baudrate=100000")),
        Message("doctor.i2c.rate", khz=400.0),
        machines=UNDER_FIVE,
        board="neotrellis-4x4",
    ),
    "SPI1 off": PlantedFault(
        combine(without("dtoverlay=spi1-3cs"), remove("/dev/spidev1.0", "/dev/spidev1.1", "/dev/spidev1.2")),
        *("fault", "spi", SED.format("$a[all]\\ndtoverlay=spi1-3cs")),
        Message("doctor.spi1.too_few_selects", count=3, line="dtoverlay=spi1-3cs"),
        board="hall-5x5",
    ),
    "SPI1 with too few select pins": PlantedFault(
        combine(lambda pi: pi.edit(CONFIG, "spi1-3cs", "spi1-1cs"), remove("/dev/spidev1.1", "/dev/spidev1.2")),
        *("fault", "spi", SED.format("s/^dtoverlay=spi1-1cs$/dtoverlay=spi1-3cs/")),
        board="hall-5x5",
    ),
    "SPI1 on but not restarted": PlantedFault(
        remove("/dev/spidev1.1"),
        *("fault", "spi", "sudo reboot", Message("doctor.bus.not_yet", bus="SPI1", file=CONFIG)),
        board="hall-5x5",
    ),
    "unsteady lamp clock": PlantedFault(
        without("core_freq=250"),
        "fault",
        "lamps",
        SED.format("$a[all]\\ncore_freq=250"),
        machines=machines_of("Zero 2 W"),
    ),
    "unsteady lamp clock on a Pi 4": PlantedFault(
        without("core_freq_min=500"),
        *("fault", "lamps", SED.format("$a[all]\\ncore_freq_min=500")),
        Message("doctor.lamps.unsteady", low=200, high=500, line="core_freq_min=500"),
        machines=machines_of("4"),
    ),
    "a thermometer on a cell pin": PlantedFault(
        config("dtoverlay=w1-gpio"),
        *("fault", "pins", SED.format("s/^dtoverlay=w1-gpio$/#&/")),
        claim("overlay", "w1-gpio", 4),
    ),
    "a fan on a cell pin": PlantedFault(
        config("dtoverlay=gpio-fan,gpiopin=17,temp=55000"),
        *("fault", "pins", SED.format("s/^dtoverlay=gpio-fan,gpiopin=17,temp=55000$/#&/")),
        Message("doctor.gpio.cell", gpio=17, cell="b4"),
    ),
    "a fan on its default pin": PlantedFault(
        config("dtoverlay=gpio-fan"),
        *("fault", "pins", SED.format("s/^dtoverlay=gpio-fan$/#&/"), Message("doctor.gpio.cell", gpio=12, cell="a1")),
    ),
    "a power switch on the key pin": PlantedFault(
        config("dtoverlay=gpio-poweroff"),
        *("fault", "pins", SED.format("s/^dtoverlay=gpio-poweroff$/#&/"), Message("doctor.gpio.key", gpio=26)),
    ),
    "a sound card": PlantedFault(
        config("dtoverlay=hifiberry-dac"),
        *("fault", "pins", SED.format("s/^dtoverlay=hifiberry-dac$/#&/")),
        claim("overlay", "hifiberry-dac", 18, 19, 20, 21),
    ),
    "analogue sound on the header": PlantedFault(
        config("dtoverlay=audremap"),
        *("fault", "pins", SED.format("s/^dtoverlay=audremap$/#&/"), Message("doctor.gpio.cell", gpio=18, cell="a3")),
    ),
    "analogue sound on other pins": PlantedFault(
        config("dtoverlay=audremap,pins_12_13"),
        *("fault", "pins", SED.format("s/^dtoverlay=audremap,pins_12_13$/#&/"), claim("overlay", "audremap", 12, 13)),
    ),
    "digital sound": PlantedFault(
        config("dtparam=i2s=on"),
        *("fault", "pins", SED.format("$a[all]\\ndtparam=i2s=off"), claim("sound", "dtparam=i2s", 18, 19, 20, 21)),
    ),
    "a second SPI": PlantedFault(
        config("dtoverlay=spi1-1cs"),
        *("fault", "pins", SED.format("s/^dtoverlay=spi1-1cs$/#&/"), Message("doctor.gpio.cell", gpio=21, cell="d1")),
    ),
    "SPI enabled on cell pins": PlantedFault(
        config("dtparam=spi=on"),
        *("fault", "pins", "sudo raspi-config nonint do_spi 1", Message("doctor.gpio.cell", gpio=8, cell="d3")),
        machines=UNDER_FIVE,
        board="pwm-4x4",
    ),
    "an expander that the kernel drives": PlantedFault(
        config("dtoverlay=mcp23017,addr=0x21,gpiopin=27"),
        *("warning", "pins", SED.format("s/^dtoverlay=mcp23017,addr=0x21,gpiopin=27$/#&/")),
        Message("doctor.pins.kernel_chip", overlay="mcp23017"),
        board="hall-4x4",
    ),
    "sound on the lamp PWM": PlantedFault(
        lambda pi: pi.edit(CONFIG, "dtparam=audio=off", "#"),
        *("fault", "pins", SED.format("s/^dtparam=audio=on$/dtparam=audio=off/")),
        Message("doctor.pins.analogue_sound"),
        machines=UNDER_FIVE,
        board="pwm-4x4",
    ),
    "the driver for that sound": PlantedFault(
        lambda pi: pi.write("/proc/modules", "snd_bcm2835 24576 1 - Live 0x0\n"),
        *("fault", "pins", "echo blacklist snd_bcm2835 | sudo tee /etc/modprobe.d/pond.conf"),
        Message("doctor.pins.sound_driver"),
        machines=UNDER_FIVE,
        board="pwm-4x4",
    ),
    "no GPIO pins": PlantedFault(
        remove("/dev/gpiochip0"), "fault", "devices", "sudo apt full-upgrade", "/dev/gpiochip0"
    ),
    "user not in the groups": PlantedFault(
        combine(NO_SERVICE, fields(denied={"gpiochip0", "spidev0.0"}, groups=OUTSIDE)),
        *("fault", "groups", "sudo usermod -aG gpio,spi $USER"),
        Message("doctor.groups.outside", devices=("/dev/gpiochip0", "/dev/spidev0.0"), groups=("gpio", "spi"), count=2),
    ),
    "user not in the groups, with a service": PlantedFault(
        fields(denied={"gpiochip0"}, groups=OUTSIDE),
        *("warning", "groups", "sudo usermod -aG gpio $USER"),
        Message("doctor.groups.outside", devices=("/dev/gpiochip0",), groups=("gpio",), count=1),
    ),
    "in the groups only after the next login": PlantedFault(
        fields(denied={"gpiochip0", "spidev0.0"}, groups=LATER),
        *("warning", "groups", "exec su - $USER"),
        Message(
            "doctor.groups.next_login", devices=("/dev/gpiochip0", "/dev/spidev0.0"), groups=("gpio", "spi"), count=2
        ),
    ),
    "a device with the wrong group": PlantedFault(
        fields(denied={"spidev0.0"}, groups=INSIDE),
        *("warning", "devices", f"{INSTALL}direct-4x4"),
        Message("doctor.device.wrong_group", devices=("/dev/spidev0.0",), count=1),
    ),
    "no gpiozero": PlantedFault(
        package("gpiozero", None),
        "fault",
        "packages",
        ADD + "'gpiozero>=2.0.1'",
    ),
    "an old gpiozero": PlantedFault(
        package("gpiozero", InstalledPackage("1.6.2", Message("doctor.origin.apt"))),
        *("fault", "packages", ADD + "'gpiozero>=2.0.1'"),
        Message("doctor.package.too_old", package="gpiozero", version="1.6.2", oldest="2.0.1"),
    ),
    "no lgpio": PlantedFault(
        package("lgpio", None),
        *("fault", "packages", "sudo apt install python3-lgpio", Message("doctor.package.missing", package="lgpio")),
    ),
    "the empty lgpio placeholder": PlantedFault(
        package("lgpio", InstalledPackage("0.0.0.2", Message("doctor.origin.apt"))),
        *("fault", "packages"),
        "sudo rm -r /usr/local/lib/pond/lgpio* && sudo apt install python3-lgpio",
        Message("doctor.package.placeholder", package="lgpio", version="0.0.0.2"),
    ),
    "no spidev": PlantedFault(package("spidev", None), "fault", "packages", ADD + "spidev"),
    "no MCP230xx package for the expanders": PlantedFault(
        package("adafruit-circuitpython-mcp230xx", None),
        *(
            "fault",
            "packages",
            ADD + "adafruit-circuitpython-mcp230xx",
        ),
        board="hall-4x4",
    ),
    "no rpi_ws281x": PlantedFault(
        package("rpi_ws281x", None),
        *("fault", "packages", ADD + "'rpi_ws281x>=5'"),
        machines=UNDER_FIVE,
        board="pwm-4x4",
    ),
    "low voltage": PlantedFault(
        answer("vcgencmd get_throttled", "throttled=0x50005\n"), "fault", "power", "", Message("doctor.power.low_now")
    ),
    "low voltage earlier": PlantedFault(
        answer("vcgencmd get_throttled", "throttled=0x50000\n"), "warning", "power", "", Message("doctor.power.was_low")
    ),
    "too hot": PlantedFault(
        answer("vcgencmd get_throttled", "throttled=0x80008\n"),
        "warning",
        "power",
        "",
        Message("doctor.power.slow_now"),
    ),
    "too hot earlier": PlantedFault(
        answer("vcgencmd get_throttled", "throttled=0x60000\n"),
        "warning",
        "power",
        "",
        Message("doctor.power.was_slow"),
    ),
    "low voltage reported by the kernel": PlantedFault(
        combine(
            lambda pi: pi.answers.pop("vcgencmd get_throttled"),
            lambda pi: pi.write("/sys/class/hwmon/hwmon1/name", "rpi_volt\n"),
            lambda pi: pi.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n"),
        ),
        *("fault", "power", "", Message("doctor.power.low_now")),
    ),
    "a clock set to 1970": PlantedFault(
        fields(now=3600.0),
        *("fault", "clock", "sudo timedatectl set-ntp true", Message("doctor.clock.wrong_year", year=1970)),
    ),
    "a clock without network and battery": PlantedFault(
        answer("timedatectl show", "no\n"),
        *("warning", "clock", "sudo timedatectl set-ntp true", Message("doctor.clock.stands_still")),
        machines=UNDER_FIVE,
    ),
    "a damaged journal": PlantedFault(
        lambda pi: pi.write("/var/lib/pond/journal-1.bad", ""),
        *("warning", "storage", "pond games --journal /var/lib/pond"),
        Message("doctor.storage.damaged_journal", files=("journal-1.bad",)),
    ),
    "a full disk": PlantedFault(
        fields(free_space=FreeSpace(9_000_000, 9000)),
        *("fault", "storage", "sudo apt clean", Message("doctor.storage.full", megabytes=9)),
    ),
    "a nearly full disk": PlantedFault(
        fields(free_space=FreeSpace(99_000_000, 9000)),
        *("warning", "storage", "sudo apt clean", Message("doctor.storage.nearly_full", megabytes=99)),
    ),
    "too many files": PlantedFault(
        fields(free_space=FreeSpace(9_000_000_000, 99)),
        *("fault", "storage", "sudo du --inodes -xd3 / | sort -n | tail"),
        Message("doctor.storage.few_files", count=99),
    ),
    "games in memory": PlantedFault(
        combine(
            mounts("tmpfs /run", "tmpfs /var/lib/pond tmpfs rw 0 0\ntmpfs /run"),
            lambda pi: pi.write("/etc/fstab", "tmpfs /var/lib/pond tmpfs defaults 0 0\n"),
        ),
        *("fault", "storage", "sudo sed -i 's|^[^#]*[[:blank:]]/var/lib/pond[[:blank:]]|#&|' /etc/fstab"),
        Message("doctor.storage.in_memory", folder="/var/lib/pond", filesystem="tmpfs"),
    ),
    "/var moved to memory by hand": PlantedFault(
        mounts("tmpfs /run", "tmpfs /var tmpfs rw 0 0\ntmpfs /run"), "fault", "storage", "sudo umount /var"
    ),
    "an overlay in memory": PlantedFault(
        lambda pi: pi.write(
            "/proc/self/mounts",
            "/dev/mmcblk0p2 /media/root-ro ext4 ro 0 0\ntmpfs-root /media/root-rw tmpfs rw 0 0\n"
            "overlayroot / overlay rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,workdir=/w 0 0\n",
        ),
        *("fault", "storage", "sudo raspi-config nonint do_overlayfs 1"),
        Message("doctor.storage.overlay_in_memory", folder="/var/lib/pond"),
    ),
    "an overlay set on the kernel command line": PlantedFault(
        combine(
            mounts("/dev/mmcblk0p2 / ext4 rw,noatime", "overlay / overlay rw,upperdir=/upper"),
            lambda pi: pi.write("/proc/cmdline", "boot=overlay rootwait\n"),
        ),
        *("fault", "storage", "sudo raspi-config nonint do_overlayfs 1"),
    ),
    "a read-only folder": PlantedFault(
        mounts("ext4 rw,", "ext4 ro,"),
        *(
            "fault",
            "storage",
            "sudo mount -o remount,rw /",
            Message("doctor.storage.read_only", folder="/var/lib/pond"),
        ),
    ),
    "a read-only card with games stored elsewhere": PlantedFault(
        combine(mounts("ext4 rw,", "ext4 ro,"), mounts("tmpfs /run", "/dev/sda1 /var/lib ext4 rw 0 0\ntmpfs /run")),
        *("warning", "storage", "sudo mount -o remount,rw /", Message("doctor.storage.card_read_only")),
    ),
    "data=writeback": PlantedFault(
        combine(
            mounts("ext4 rw,noatime", "ext4 rw,noatime,data=writeback"),
            lambda pi: pi.edit("/etc/fstab", "noatime", "data=writeback,noatime"),
        ),
        *("warning", "storage", "sudo sed -i 's/data=writeback/data=ordered/' /etc/fstab"),
        Message("doctor.storage.unsafe", folder="/", option="data=writeback"),
    ),
    "data=writeback in the file system": PlantedFault(
        mounts("ext4 rw,noatime", "ext4 rw,data=writeback"),
        *("warning", "storage", "sudo tune2fs -o ^journal_data_writeback /dev/mmcblk0p2"),
    ),
    "barriers disabled on the kernel command line": PlantedFault(
        combine(
            mounts("ext4 rw,noatime", "ext4 rw,nobarrier"),
            lambda pi: pi.edit("/boot/firmware/cmdline.txt", "rootwait", "rootwait rootflags=nobarrier"),
        ),
        *("warning", "storage", "sudo sed -i 's/nobarrier/barrier=1/' /boot/firmware/cmdline.txt"),
    ),
    "no service": PlantedFault(
        NO_SERVICE, "warning", "service", f"{INSTALL}direct-4x4", Message("doctor.service.missing")
    ),
    "the service runs another board": PlantedFault(
        lambda pi: pi.write("/etc/pond/pond.conf", "POND_BOARD = 'hall-4x4'\n"),
        *("warning", "service", f"{INSTALL}direct-4x4"),
        Message("doctor.service.other_board", served="hall-4x4", board="direct-4x4"),
    ),
    "the wrong unit": PlantedFault(
        lambda pi: (
            (pi.root / "etc/systemd/system/pond.service").rename(pi.root / "etc/systemd/system/pond-root.service")
            and setattr(pi, "unit", "pond-root")
        ),
        *("fault", "service", f"{INSTALL}direct-4x4"),
        Message("doctor.service.wrong_unit", unit="pond-root", board="direct-4x4", right_unit="pond"),
    ),
    "a failed service": PlantedFault(
        service(ActiveState="failed", Result="exit-code", MainPID="0"),
        *("fault", "service", "sudo systemctl reset-failed pond && sudo systemctl start pond"),
        Message("doctor.service.failed_because", unit="pond", reason="exit-code"),
    ),
    "a stopped service": PlantedFault(
        service(**STOPPED),
        *("warning", "service", "sudo systemctl start pond", Message("doctor.service.stopped", unit="pond")),
    ),
    "a disabled service": PlantedFault(service(UnitFileState="disabled"), "warning", "service", f"{INSTALL}direct-4x4"),
    "a masked service": PlantedFault(
        service(LoadState="masked"),
        *("fault", "service", "sudo systemctl unmask pond", Message("doctor.service.masked", unit="pond")),
    ),
    "a restarted service": PlantedFault(
        service(NRestarts="4"),
        *("warning", "service", "journalctl -u pond -n 20", Message("doctor.service.restarted", unit="pond", count=4)),
    ),
    "warnings in the log": PlantedFault(
        answer("journalctl -u pond -p warning", "the first\nThe sensors do not answer.\n"),
        *("warning", "journal", "journalctl -u pond -p warning -n 20"),
        Message("doctor.journal.warning", text="The sensors do not answer."),
    ),
    "another Pond using the board": PlantedFault(
        lambda pi: pi.add_lock(999, "/dev/gpiochip0", "hall-4x4"),
        *("warning", "board", "pond play --connect", Message("doctor.board.served", board="hall-4x4", process=999)),
    ),
    "another program using the board": PlantedFault(
        lambda pi: pi.add_open_file(777, "blinkt", "/dev/spidev0.0"),
        *("fault", "board", "sudo kill 777"),
        Message("doctor.board.opened", program="blinkt", process=777, device="/dev/spidev0.0"),
    ),
}


def choose_machines(index, machines):
    """Return two machines that differ from fault to fault, so that all machines are used."""
    return [machines[index % len(machines)], machines[(index + 3) % len(machines)]] if len(machines) > 2 else machines


CHOSEN = {
    (what, *each)
    for index, (what, planted) in enumerate(FAULTS.items())
    for each in choose_machines(index, planted.machines)
}
ALL_CASES = [(what, *each) for what, planted in FAULTS.items() for each in planted.machines]
FAST = {
    (what, *planted.machines[index % len(planted.machines)]) for index, (what, planted) in enumerate(FAULTS.items())
}
"""Cases for the fast test run: one machine for each fault."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "model", "release"),
    [pytest.param(*each, marks=() if each in FAST else pytest.mark.long) for each in ALL_CASES if each in CHOSEN],
)
def test_planted_fault_gets_the_right_fix(tmp_path, what, model, release):
    check_planted_fault(Pi(tmp_path, model, release, FAULTS[what].board), what)


@pytest.mark.long
@pytest.mark.parametrize(("what", "model", "release"), [each for each in ALL_CASES if each not in CHOSEN])
def test_planted_fault_gets_the_right_fix_on_other_machines(tmp_path, what, model, release):
    check_planted_fault(Pi(tmp_path, model, release, FAULTS[what].board), what)


def check_planted_fault(pi, what):
    """Check that only this fault is found and gets the right fix. If the fix edits a file, check that it works."""
    planted = FAULTS[what]
    planted.apply(pi)
    report = run_checks(pi.board, pi.host)
    problems = [each for each in report.check_results if each.grade != "good"]
    matching = [each for each in problems if each.subject == planted.subject]
    assert [(each.grade, each.fix_command) for each in matching] == [(planted.grade, planted.fix_command)]
    assert planted.expected in (
        matching[0].messages if isinstance(planted.expected, Message) else text(*matching[0].messages)
    )
    assert problems == matching or what == "user not in the groups"  # differs only without a service
    assert report.has_fault == any(each.grade == "fault" for each in problems)
    if planted.fix_command.startswith("sudo sed"):
        pi.apply_fix(planted.fix_command)
        after = [
            each for each in run_checks(pi.board, pi.host).check_results if each.fix_command == planted.fix_command
        ]
        assert not after or planted.subject == "storage"  # takes effect after a restart

    lines = check_results.format_results(report.check_results)
    assert max(map(len, lines)) <= 80
    copied = "\n".join(wrap_command(planted.fix_command, 80, " " * 11)).replace("\\\n", " ")
    assert shlex.split(copied) == shlex.split(planted.fix_command)


@pytest.mark.parametrize(
    ("what", "advice"),
    [
        ("SPI off", Message("doctor.restart.switch_on")),
        ("SPI on but not restarted", Message("doctor.restart.now")),
        ("a thermometer on a cell pin", Message("doctor.restart.switch_off")),
        ("an expander that the kernel drives", Message("doctor.restart.switch_off")),
        ("sound on the lamp PWM", Message("doctor.restart.switch_off")),
        ("I2C slow", Message("doctor.i2c.slow", khz=400.0)),
        ("I2C too fast for a NeoTrellis", Message("doctor.i2c.too_fast")),
        ("low voltage", Message("doctor.power.stronger_supply")),
        ("low voltage earlier", Message("doctor.power.stronger_supply")),
        ("an old gpiozero", Message("doctor.origin.apt")),
        ("a failed service", Message("doctor.service.fix_and_start")),
    ],
)
def test_advice_comes_last(tmp_path, what, advice):
    planted = FAULTS[what]
    pi = Pi(tmp_path, *planted.machines[0], planted.board)
    planted.apply(pi)
    (problems,) = [each for each in run_checks(pi.board, pi.host).check_results if each.grade != "good"]
    assert problems.messages[-1] == advice
    assert len(problems.messages) > 1


def test_each_machine_has_at_least_ten_faults():
    for machine in ALL_MACHINES:
        on_it = [FAULTS[what] for what, *each in CHOSEN if tuple(each) == machine]
        assert sum(planted.grade == "fault" for planted in on_it) >= 10


def test_several_faults_are_all_reported(pi):
    without("dtparam=spi=on", "core_freq_min=500")(pi)
    pi.remove("/dev/spidev0.0")
    status(b"disabled")(pi)
    pi.packages["spidev"] = None
    assert {each[1] for each in find_problems(pi)} == {"spi", "lamps", "packages"}


# --- the rest of the rules --------------------------------------------------------------------------------------------


def find_messages(subject, pi, board=None):
    return [each.messages for each in run_checks(board or pi.board, pi.host).check_results if each.subject == subject]


def write_similar_board(pi, like, *changes):
    """Write a changed copy of a shipped profile for the service, and return its path."""
    profile = (BOARDS_FOLDER / f"{like}.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in profile
        profile = profile.replace(old, new)
    path = pi.write("/etc/pond/boards/mine.toml", profile)
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/etc/pond/boards/mine.toml\n")
    return str(path)


OTHER_MESSAGES = {
    "a system without a name": (
        combine(remove("/etc/rpi-issue"), lambda pi: pi.write("/etc/os-release", "ID=debian\nVERSION_ID=12\n")),
        *("system", Message("doctor.system.found", name="Linux-6.12", bits=64)),
    ),
    "a package without a version": (
        package("spidev", InstalledPackage("", Message("doctor.origin.apt"))),
        *("packages", Message("doctor.package.unversioned", package="spidev")),
    ),
    "good voltage reported by the kernel": (
        combine(
            lambda pi: pi.answers.pop("vcgencmd get_throttled"),
            lambda pi: pi.write("/sys/class/hwmon/hwmon1/name", "rpi_volt\n"),
            lambda pi: pi.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n"),
        ),
        *("power", Message("doctor.power.good_now")),
    ),
    "unknown voltage": (
        lambda pi: pi.answers.pop("vcgencmd get_throttled"),
        *("power", Message("doctor.power.unknown")),
    ),
    "a clock with a battery": (
        combine(answer("timedatectl show", "no\n"), lambda pi: pi.write("/dev/rtc0", "")),
        *("clock", Message("doctor.clock.battery")),
    ),
    "a board used by an unnamed program": (
        lambda pi: pi.add_lock(999, "/dev/gpiochip0"),
        *("board", Message("doctor.board.taken", process=999)),
    ),
    "an overlay on the disk": (
        mounts("/dev/mmcblk0p2 / ext4 rw,noatime", "overlay / overlay rw,upperdir=/upper"),
        *("storage", Message("doctor.storage.overlay", folder="/var/lib/pond")),
    ),
    "a service without a board name": (
        lambda pi: pi.write("/etc/pond/pond.conf", "POND_BOARD=\n"),
        *("service", Message("doctor.service.no_board", board="direct-4x4")),
    ),
    "a running service without a board name": (
        lambda pi: pi.write("/etc/pond/pond.conf", "POND_BOARD=\n"),
        *("service", Message("doctor.service.runs_unnamed", unit="pond")),
    ),
    "a failed service without a reason": (
        service(ActiveState="failed", Result="", MainPID="0"),
        *("service", Message("doctor.service.failed", unit="pond")),
    ),
    "a service unknown to systemd": (
        lambda pi: pi.service.clear(),
        *("service", Message("doctor.service.installed", unit="pond")),
    ),
    "room for games": (lambda pi: None, "storage", Message("doctor.storage.free", megabytes=20000)),
    "the other packages": (
        lambda pi: pi.packages.update(
            {name: None for name in pi.packages if not name.startswith(("gpio", "lgpio", "smb"))}
        ),
        *("packages", Message("doctor.package.others", names=("smbus2 0.6.1",))),
    ),
}


@pytest.mark.parametrize("what", OTHER_MESSAGES)
def test_other_machine_states_have_messages(pi, what):
    apply, subject, message = OTHER_MESSAGES[what]
    apply(pi)
    assert message in [each for messages in find_messages(subject, pi) for each in messages]


def test_system_python_is_reported(pi):
    host = dataclasses.replace(pi.host, in_virtualenv=False)
    (result,) = [each for each in run_checks(None, host).check_results if each.subject == "pond"]
    assert ids(result.messages) == ["doctor.pond.system"]
    assert result.messages[0].arguments["version"] == __version__


@pytest.mark.parametrize(
    ("board", "gpio", "use"),
    [
        ("direct-4x4", 12, Message("doctor.gpio.cell", gpio=12, cell="a1")),
        ("direct-4x4", 26, Message("doctor.gpio.key", gpio=26)),
        ("matrix-5x5", 12, Message("doctor.gpio.buzzer", gpio=12)),
        ("matrix-5x5", 26, Message("doctor.gpio.matrix", gpio=26)),
        ("pwm-4x4", 18, Message("doctor.gpio.lamps", gpio=18)),
        ("hall-5x5", 21, None),  # SPI1
        ("hall-4x4", 2, None),  # I2C
    ],
)
def test_use_of_each_gpio_is_listed(board, gpio, use):
    assert gpio_uses(load_profile(board)).get(gpio) == use


def test_use_of_turn_key_gpios_is_listed():
    own_keys = dataclasses.replace(load_profile("hall-4x4"), turn_key_pins={LIGHT: 23, DARK: 24})
    assert gpio_uses(own_keys)[24] == Message("doctor.gpio.key_dark", gpio=24)
    common_key = dataclasses.replace(own_keys, turn_key_pins={None: 23})
    assert gpio_uses(common_key)[23] == Message("doctor.gpio.key_common", gpio=23)


def test_pcf8575_needs_a_fast_bus_and_no_library(tmp_path):
    pi = Pi(tmp_path, board="hall-4x4")
    board = pi.write("/etc/pond/boards/mine.toml", with_pcf8575s((BOARDS_FOLDER / "hall-4x4.toml").read_text()))
    names = [package.name for package in needed_packages(load_profile(str(board)), pi.host.machine)]
    assert "smbus2" in names
    assert not [name for name in names if "mcp230xx" in name]
    assert find_messages("i2c", pi, str(board))[1:] == [(Message("doctor.i2c.rate", khz=400.0),)]
    pi.edit(CONFIG, "i2c_arm_baudrate=400000", "i2c_arm_baudrate=100000")
    pi.config("dtoverlay=pcf857x,pcf8575,addr=0x21")
    assert (Message("doctor.i2c.rate", khz=100.0), Message("doctor.i2c.slow", khz=400.0)) in find_messages(
        "i2c", pi, str(board)
    )
    assert find_messages("pins", pi, str(board)) == [
        (Message("doctor.pins.kernel_chip", overlay="pcf857x"), Message("doctor.restart.switch_off"))
    ]


def test_converter_on_separate_pins_is_named_by_letter(tmp_path):
    pi = Pi(tmp_path, board="hall-5x5")
    board = write_similar_board(
        pi,
        "hall-5x5",
        ("clock = 21, mosi = 20, miso = 19, select = 16", "clock = 22, mosi = 4, miso = 15, select = 25"),
        ("[undo_key]\npin = 27", "[undo_key]\npin = 16"),
    )
    assert gpio_uses(load_profile(board))[22] == Message("doctor.gpio.converter", gpio=22, converter="C")


def test_pi_5_has_a_steady_lamp_clock(tmp_path):
    assert (Message("doctor.lamps.steady_model"),) in find_messages("lamps", Pi(tmp_path, "5"))


@pytest.mark.parametrize(
    ("model", "matching", "found"),
    [
        ("4", "", Message("doctor.lamps.encoding", encoding="packed")),
        ("4", "byte", Message("doctor.lamps.encoding", encoding="byte")),
        ("5", "", Message("doctor.lamps.encoding", encoding="byte")),
        ("5", "packed", Message("doctor.lamps.may_pause")),
    ],
)
def test_lamp_encoding_is_reported(tmp_path, model, matching, found):
    pi = Pi(tmp_path, model)
    change = (("count = 64", f'count = 64\nencoding = "{matching}"'),) if matching else ()
    board = write_similar_board(pi, "direct-4x4", *change)
    assert (found,) in find_messages("lamps", pi, board)
    assert (("warning", "lamps", "") in find_problems(pi, board)) == (found.id == "doctor.lamps.may_pause")


def test_spi1_select_pins_are_counted(tmp_path):
    assert (Message("doctor.spi1.works", count=3),) in find_messages("spi", Pi(tmp_path, board="hall-5x5"))


def test_missing_pio_device_on_pi_5_is_reported(tmp_path):
    pi = Pi(tmp_path, "5", board="direct-4x4")
    board = write_similar_board(pi, "pwm-4x4", ('driver = "ws281x"', 'driver = "neopixel"'))
    assert (Message("doctor.device.no_pio", device="/dev/pio0"),) in find_messages("devices", pi, board)


def test_missing_gpio_memory_device_is_reported(tmp_path):
    pi = Pi(tmp_path, "4", board="direct-4x4")
    board = write_similar_board(pi, "direct-4x4", ('driver = "auto"', 'driver = "ws281x"'))
    assert (Message("doctor.device.no_gpio_memory", device="/dev/gpiomem"),) in find_messages("devices", pi, board)


def test_frame_longer_than_any_spi_buffer_is_reported(tmp_path):
    pi = Pi(tmp_path)
    board = write_similar_board(
        pi,
        "direct-4x4",
        ("count = 64", f'count = 2000\nencoding = "packed"\nunused = {list(range(64, 2000))}'),
        ("budget_ma = 400", "budget_ma = 4000"),
        ('source = "pi"', 'source = "own"'),
        ("current_ma = 2500", "current_ma = 15000"),
    )
    frame, advice = find_messages("lamps", pi, board)[-1]
    assert (frame.id, frame.arguments["count"], frame.arguments["allowed"]) == ("doctor.lamps.frame", 2000, 4096)
    assert advice == Message("doctor.lamps.frame_too_long", limit=65532)


def test_pi_5_cannot_drive_ws281x(tmp_path):
    pi = Pi(tmp_path, "5")
    found = run_checks("pwm-4x4", pi.host).check_results
    (lamps,) = [each for each in found if each.subject == "lamps"]
    assert lamps.grade == "fault"
    assert lamps.messages == (as_message(explain_missing_ws281x(pi.host.machine, 18)),)


def test_ws281x_without_service_needs_root(tmp_path):
    pi = Pi(tmp_path, "4", board="pwm-4x4")
    assert find_problems(pi) == []
    NO_SERVICE(pi)
    assert ("warning", "lamps", "sudo pond serve --board pwm-4x4") in find_problems(pi)
    assert find_messages("lamps", pi) == [(Message("doctor.lamps.only_root", gpio=18),)]
    pi.euid = 0
    assert [each[1] for each in find_problems(pi)] == ["service"]


def test_long_chain_needs_a_larger_spi_buffer(tmp_path):
    pi = Pi(tmp_path)
    board = tmp_path / "long.toml"
    text = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    board.write_text(text.replace("count = 64", f"count = 150\nunused = {list(range(64, 150))}"), encoding="utf-8")
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/etc/pond/boards/long.toml\n")
    line = "sudo sed -i '1s/$/ spidev.bufsiz=65536/' /boot/firmware/cmdline.txt"
    assert find_problems(pi, str(board)) == [("fault", "lamps", line)]
    frame, advice = find_messages("lamps", pi, str(board))[-1]
    assert (frame.id, frame.arguments["count"], frame.arguments["allowed"]) == ("doctor.lamps.frame", 150, 4096)
    assert frame.arguments["bytes"] > 4096
    assert advice == Message("doctor.lamps.allow_more")
    pi.apply_fix(line)
    assert pi.read("/boot/firmware/cmdline.txt").endswith("rootwait spidev.bufsiz=65536\n")
    assert find_problems(pi, str(board)) == [("fault", "lamps", "sudo reboot")]
    not_yet = Message("doctor.lamps.buffer_not_yet", file="/boot/firmware/cmdline.txt")
    assert find_messages("lamps", pi, str(board))[-1] == (frame, not_yet, Message("doctor.restart.now"))
    pi.write("/sys/module/spidev/parameters/bufsiz", "65536\n")
    assert find_problems(pi, str(board)) == []
    pi.write("/sys/module/spidev/parameters/bufsiz", "4096\n")
    pi.edit("/boot/firmware/cmdline.txt", "65536", "4096")
    line = "sudo sed -i 's/spidev.bufsiz=[^ ]*/spidev.bufsiz=65536/' /boot/firmware/cmdline.txt"
    assert find_problems(pi, str(board)) == [("fault", "lamps", line)]


def test_serial_port_on_cell_pins_is_a_fault(tmp_path):
    board = tmp_path / "serial.toml"
    text = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    board.write_text(text.replace("   4  17  27  22 ", "  14  15  27  22 "), encoding="utf-8")
    for model, line, other in (("4", "enable_uart=1", "dtparam=uart0=on"), ("5", "dtparam=uart0=on", "enable_uart=1")):
        pi = Pi(tmp_path / model, model)
        pi.write("/etc/pond/pond.conf", f"POND_BOARD={board}\n")
        pi.config(other)
        assert find_problems(pi, str(board)) == []
        pi.config(line)
        assert find_problems(pi, str(board)) == [("fault", "pins", "sudo raspi-config nonint do_serial_hw 1")]
        uses = [Message("doctor.gpio.cell", gpio=gpio, cell=cell) for gpio, cell in ((14, "a4"), (15, "b4"))]
        restart = Message("doctor.restart.switch_off")
        assert find_messages("pins", pi, str(board)) == [(*uses, claim("serial", "UART0", 14, 15), restart)]


def test_neotrellis_may_use_fast_i2c_on_pi_5(tmp_path):
    pi = Pi(tmp_path, "5", board="neotrellis-4x4")
    pi.config("dtparam=i2c1_baudrate=400000")
    assert find_problems(pi) == []


def test_sound_does_not_conflict_with_lamps_on_pcm_pin(tmp_path):
    board = tmp_path / "pcm.toml"
    text = (BOARDS_FOLDER / "pwm-4x4.toml").read_text(encoding="utf-8")
    board.write_text(text.replace("  20  21 ", "  20  18 ").replace("\npin = 18", "\npin = 21"), encoding="utf-8")
    pi = Pi(tmp_path / "pi", board="pwm-4x4")
    pi.write("/etc/pond/pond.conf", f"POND_BOARD={board}\n")
    pi.edit(CONFIG, "dtparam=audio=off", "#")
    assert find_problems(pi, str(board)) == []


def test_serial_port_does_not_fix_the_pi_4_clock(tmp_path):
    pi = Pi(tmp_path, "4")
    pi.edit(CONFIG, "core_freq_min=500", "#", times=9)
    pi.config("enable_uart=1")
    assert [each[:2] for each in find_problems(pi)] == [("fault", "lamps")]


def test_system_in_memory_has_no_fix(pi):
    pi.edit("/proc/self/mounts", "/dev/mmcblk0p2 / ext4", "tmpfs / tmpfs")
    assert find_problems(pi) == [("fault", "storage", "")]


def test_extra_spi1_select_is_removed(tmp_path):
    board = tmp_path / "two.toml"
    text = (BOARDS_FOLDER / "hall-5x5.toml").read_text(encoding="utf-8")
    text = text.replace("clock = 21, mosi = 20, miso = 19, select = 16", "clock = 22, mosi = 4, miso = 15, select = 25")
    board.write_text(text.replace("[undo_key]\npin = 27", "[undo_key]\npin = 16"), encoding="utf-8")
    pi = Pi(tmp_path / "pi", board="hall-5x5")
    pi.write("/etc/pond/pond.conf", f"POND_BOARD={board}\n")
    line = SED.format("s/^dtoverlay=spi1-3cs$/dtoverlay=spi1-2cs/")
    assert find_problems(pi, str(board)) == [("fault", "pins", line)]
    pi.apply_fix(line)
    assert find_problems(pi, str(board)) == []


def test_overlay_on_bus_pins_is_a_fault(tmp_path):
    pi = Pi(tmp_path, board="hall-5x5")
    pi.config("dtoverlay=w1-gpio,gpiopin=20")
    found = [each for each in run_checks(pi.board, pi.host).check_results if each.grade == "fault"]
    assert [(each.subject, each.fix_command) for each in found] == [
        ("pins", SED.format("s/^dtoverlay=w1-gpio,gpiopin=20$/#&/"))
    ]
    restart = Message("doctor.restart.switch_off")
    bus_use = Message("doctor.gpio.bus", gpio=20, bus="SPI1")
    assert found[0].messages == (bus_use, claim("overlay", "w1-gpio", 20), restart)


def test_board_used_by_its_service_is_good(pi):
    pi.add_open_file(612, "pond", "/dev/gpiochip0")
    assert find_problems(pi) == []
    pi.add_lock(612, "/dev/gpiochip0", "direct-4x4")
    assert find_problems(pi) == []
    found = run_checks(None, pi.host).check_results
    assert [each.messages for each in found if each.subject == "board"] == [(Message("doctor.board.service"),)]


def test_service_profile_in_a_home_folder_is_a_fault(pi):
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/home/anna/mine.toml\n")
    found = find_problems(pi, "direct-4x4")
    assert ("fault", "service", f"{INSTALL}~/mine.toml") in found
    assert (Message("doctor.service.home_folder"),) in find_messages("service", pi)


def test_faulty_profile_does_not_stop_other_checks(pi, tmp_path):
    board = tmp_path / "mine.toml"
    board.write_text("format = 1\ngrid = 9\n", encoding="utf-8")
    report = run_checks(str(board), pi.host)
    assert report.has_fault
    faults = profile_error(board).faults
    faulty = Message("doctor.profile.faulty", file="mine.toml", count=len(faults))
    assert report.check_results[0].messages == (faulty, faults[0].message)
    assert report.check_results[0].fix_command == f"pond boards {board}"
    assert {"machine", "spi", "power", "storage", "service"} <= {each.subject for each in report.check_results}


def test_missing_service_profile_is_a_fault(pi):
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/etc/pond/boards/mine.toml\n")
    assert [each[:2] for each in find_problems(pi, None) if each[1] == "profile"] == []
    found = run_checks(None, pi.host).check_results
    assert (found[0].grade, found[0].subject) == ("fault", "profile")


def test_custom_service_profile_is_checked(pi):
    pi.write("/etc/pond/boards/mine.toml", (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8"))
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/etc/pond/boards/mine.toml\n")
    report = run_checks(None, pi.host)
    assert (report.board_name, report.has_fault) == ("mine", False)


def test_custom_board_is_installed_by_its_path(pi):
    place = "/etc/pond/boards/mine.toml"
    pi.write(place, (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8"))
    NO_SERVICE(pi)
    pi.denied, pi.groups = {"spidev0.0"}, INSIDE
    found = find_problems(pi, str(pi.root / place[1:]))
    assert [each[2].endswith("/etc/pond/boards/mine.toml") for each in found] == [True, True]


def test_unknown_board_name_raises_an_error(pi):
    with pytest.raises(ProfileError) as refused:
        run_checks("nix", pi.host)
    assert refused.value.message == profile_error("nix").message


def test_unreadable_system_files_are_tolerated(tmp_path):
    pi = Pi(tmp_path)
    pi.answers.clear()
    pi.service.clear()
    for place in ("/etc/os-release", "/etc/fstab", "/proc/self/mounts", "/proc/modules", "/etc/pond/pond.conf"):
        pi.write(place, "\x00\xff nonsense \n\n=\n'\n")
    pi.write("/proc/locks", "what\n1: FLOCK\n")
    pi.free_space = None
    assert [each[1] for each in find_problems(pi)] == ["system", "clock"]


def test_pi_without_a_board_gets_a_warning(pi):
    NO_SERVICE(pi)
    found = run_checks(None, pi.host).check_results
    assert (found[0].grade, found[0].fix_command) == ("warning", "pond doctor --board direct-4x4")
    assert found[0].messages == (Message("doctor.profile.none"),)
    buses = Message("doctor.bus.on", bus="SPI", file=CONFIG), Message("doctor.bus.off", bus="I2C", file=CONFIG)
    assert [each.messages for each in found if each.subject in ("spi", "i2c")] == [(bus,) for bus in buses]


# --- a laptop ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packaged", [False, True])
def test_laptop_has_no_problems(tmp_path, packaged):
    host = laptop_host(tmp_path)
    if packaged:  # Debian's package installs the service disabled
        unit = tmp_path / "usr/lib/systemd/system/pond.service"
        unit.parent.mkdir(parents=True)
        unit.write_text("[Service]\nEnvironment=POND_BOARD=direct-4x4\n")
    for board in (None, "simulated-4x4"):
        found = run_checks(board, host).check_results
        assert {each.grade for each in found} == {"good"}
        assert not {"spi", "i2c", "pins", "groups", "devices", "lamps", "power", "boot"} & {
            each.subject for each in found
        }
    assert (Message("doctor.service.for_pi"),) in [each.messages for each in found]
    (machine,) = [each for each in found if each.subject == "machine"]
    assert machine.messages == (Message("doctor.machine.other"),)
    (problems,) = [each for each in run_checks("direct-4x4", host).check_results if each.grade != "good"]
    assert (problems.grade, problems.fix_command) == ("warning", "pond serve --board simulated-4x4")
    assert problems.messages == (Message("doctor.profile.for_pi", board="direct-4x4"),)


def test_games_folder_is_checked_on_a_laptop(tmp_path):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mounts").write_text("/dev/sda1 / ext4 rw 0 0\ntmpfs /home tmpfs rw 0 0\n")
    (found,) = [each for each in run_checks(None, laptop_host(tmp_path)).check_results if each.grade != "good"]
    in_memory = Message("doctor.storage.in_memory", folder="~/.local/state/pond", filesystem="tmpfs")
    assert found.messages == (in_memory,)
    elsewhere = laptop_host(tmp_path / "b", environment={"XDG_STATE_HOME": "/data/state", "HOME": "/home/anna"})
    found = [message for each in run_checks(None, elsewhere).check_results for message in each.messages]
    assert "doctor.storage.nearly_full" not in ids(found)


def test_doctor_runs_on_this_machine(capsys):
    code = main.main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert code == (1 if report["count"]["fault"] else 0)
    assert set(report) == {"doctor", "pond", "board", "pi", "count", "summary", "summary_said", "findings"}
    assert all(set(each) == {"grade", "subject", "told", "said", "mend"} for each in report["findings"])
    assert sum(report["count"].values()) == len(report["findings"])


# --- output -----------------------------------------------------------------------------------------------------------


def test_exit_code_depends_on_the_worst_grade(pi, capsys):
    pi.now = 0.0
    assert doctor.print_findings("direct-4x4", as_object=False, host=pi.host) == 1
    pi.now = 1.8e9
    pi.service["UnitFileState"] = "disabled"
    assert doctor.print_findings("direct-4x4", as_object=True, host=pi.host) == 0
    capsys.readouterr()
    assert main.main(["doctor", "--board", "nix"]) == 2
    assert text(profile_error("nix").message) in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main.main(["doctor", "--bord", "x"])
    assert stop.value.code == 2


def test_command_returns_the_exit_code(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "print_findings", lambda board, as_object, language: 1)
    assert main.main(["doctor"]) == 1


def test_good_results_come_first_and_faults_last():
    lines = check_results.format_results(
        [
            fault_result("spi", as_message("It is off."), as_message("Switch it on."), fix_command="sudo on"),
            good_result("clock", as_message("It goes.")),
            warning_result("storage", as_message("It is full.")),
        ]
    )
    assert lines[:-1] == [
        "ok     clock: It goes.",
        "!      storage: It is full.",
        "FAULT  spi: It is off. Switch it on.",
        "           sudo on",
        "",
    ]
    counted = [Message(f"doctor.count.{grade}", count=1) for grade in ("fault", "warning", "good")]
    assert lines[-1] == text(*counted, Message("doctor.fix_and_repeat"))


def test_summary_counts_each_grade():
    good, warning, fault = (make("clock") for make in (good_result, warning_result, fault_result))
    assert list(check_results.describe_summary([good])) == [
        Message("doctor.count.no_fault"),
        Message("doctor.count.no_warning"),
        Message("doctor.count.good", count=1),
    ]
    assert list(check_results.describe_summary([fault] * 2 + [warning] * 3)) == [
        Message("doctor.count.fault", count=2),
        Message("doctor.count.warning", count=3),
        Message("doctor.count.good", count=0),
        Message("doctor.fix_and_repeat"),
    ]


@pytest.mark.parametrize("line", ["spi1-1cs,cs0_pin=x", "mcp23017,addr=x", "w1-gpio,gpiopin=", "spi1-cs", "pwm,", ","])
def test_malformed_overlays_are_tolerated(tmp_path, line):
    pi = Pi(tmp_path, board="hall-4x4")
    pi.config(f"dtoverlay={line}")
    assert all(each[1] == "pins" for each in find_problems(pi))


def test_file_contents_are_escaped(pi, tmp_path):
    pi.config("dtoverlay=gpio-fan,x=';reboot;'")
    pi.add_open_file(777, "\x1b[31mred", "/dev/spidev0.0")
    pi.edit(
        "/proc/self/mounts",
        "tmpfs /run",
        "/dev/sda1 /var/lib/po\\047nd ext4 ro 0 0\ntmpfs /var/lib/pond tmpfs rw 0 0\ntmpfs /run",
    )
    found = {each.subject: each for each in run_checks("direct-4x4", pi.host).check_results if each.grade == "fault"}
    assert shlex.split(found["pins"].fix_command)[3] == "s/^dtoverlay=gpio-fan,x=.;reboot;.$/#&/"
    opened = Message("doctor.board.opened", program="[31mred", process=777, device="/dev/spidev0.0")
    assert found["board"].messages == (opened,)
    pi.apply_fix(found["pins"].fix_command)
    assert "pins" not in {each[1] for each in find_problems(pi)}
    board = tmp_path / "it's mine.toml"
    board.write_text("format = 1\n", encoding="utf-8")
    assert shlex.split(run_checks(str(board), pi.host).check_results[0].fix_command) == ["pond", "boards", str(board)]


def test_commands_wrap_outside_quotes():
    assert wrap_command("sudo sed -i 's/a b c/d/' /boot/firmware/config.txt", 40, "    ") == [
        "    sudo sed -i 's/a b c/d/' \\",
        "      /boot/firmware/config.txt",
    ]
    assert wrap_command("sudo sed -i 's/a b c d e f/g/' /boot", 24, "") == [
        "sudo sed -i \\",
        "  's/a b c d e f/g/' \\",
        "  /boot",
    ]


def test_json_output_lists_findings_and_counts(pi, capsys):
    pi.service["UnitFileState"] = "disabled"
    doctor.print_findings(None, as_object=True, host=pi.host)
    report = json.loads(capsys.readouterr().out)
    assert (report["doctor"], report["board"], report["pi"]) == (1, "direct-4x4", True)
    assert report["count"] == check_results.count_grades(run_checks(None, pi.host).check_results)
    (problems,) = [each for each in report["findings"] if each["grade"] != "good"]
    assert problems == {
        "grade": "warning",
        "subject": "service",
        "told": text(Message("doctor.service.not_enabled", unit="pond")),
        "said": [{"id": "doctor.service.not_enabled", "arguments": {"unit": "pond"}}],
        "mend": "sudo pond-board direct-4x4",
    }
    assert check_results.results_to_json([CheckResult("good", "a", (as_message("b"), as_message("c")))]) == [
        {
            "grade": "good",
            "subject": "a",
            "told": "b c",
            "said": [{"id": "text", "arguments": {"text": "b"}}, {"id": "text", "arguments": {"text": "c"}}],
            "mend": "",
        }
    ]


def test_nested_messages_are_redacted():
    def result(home, escape):
        quoted = Message("doctor.origin.folder", folder=f"{home}/lib")
        message = Message("doctor.test", folder=home, names=(f"{home}/a{escape}", quoted), origin=quoted, count=1000)
        return fault_result("storage", message, quoted, fix_command=f"ls {home}")

    assert result("/home/anna", "\x1b").redacted_copy(NAMES) == result("~", "")


def test_output_contains_no_personal_data(tmp_path):
    """Every file that the doctor reads contains personal data."""
    pi = Pi(tmp_path)
    secret = "anna on attic-pi, 192.168.0.7, fe80::1, b8:27:eb:01:02:03, 10000000c0ffee42"
    pi.write("/etc/pond/pond.conf", "POND_BOARD=/home/anna/anna.toml\n")
    pi.answers["journalctl -u pond -p warning"] = f"{secret}\n"
    pi.add_lock(999, "/dev/gpiochip0", "/home/anna/b.toml of anna")
    pi.add_open_file(777, "attic-pi", "/dev/spidev0.0")
    pi.packages["spidev"] = InstalledPackage("3.8", Message("doctor.origin.folder", folder="/home/anna/lib"))
    pi.edit("/etc/os-release", "Debian GNU", "Anna Berg")
    lines = check_results.format_results(run_checks("direct-4x4", pi.host).check_results)
    shown = "\n".join(lines) + repr(run_checks(None, pi.host))
    for name in ("anna", "Anna", "Berg", "attic", "192.168", "fe80", "b8:27", "c0ffee42"):
        assert name not in shown
    assert "~/lib" in shown


def test_config_parsing_agrees_with_the_installer():
    from pond_hw.doctor.boot_config import parse_boot_config, passed_filters
    from tests.drivers.pis import ZERO_2
    from tests.firmware.scripts import boot

    text = MIXED
    config = parse_boot_config(text, passed_filters(ZERO_2[0]), CONFIG)
    theirs = [each for each in boot.parse_settings(text) if each.model in ("all", "pi0", "pi0w", "pi02")]
    params = {each.key[8:]: each.value for each in theirs if each.key.startswith("dtparam=")}
    overlays = [each.line for each in theirs if each.key.startswith("dtoverlay=")]
    values = {each.key: each.value for each in theirs if not each.key.startswith("dt")}
    assert (config.board_params, [each.source_line for each in config.overlays], config.plain_settings) == (
        params,
        overlays,
        values,
    )
    assert config.board_params["i2c_arm_baudrate"] == "400000"
    assert config.board_params["spi"] == "on"


MIXED = """\
dtparam=i2c=on,i2c_baudrate=100000
dtparam=audio=on
dtoverlay=vc4-kms-v3d
dtparam=audio=off
[pi4]
dtparam=spi=off
core_freq_min=500
[EDID=SOME-SCREEN]
dtparam=spi=off
[pi02]
core_freq=1
[all]
  dtparam=spi  \n[pi02]
core_freq=250
[pi0]
dtparam=i2c1_baudrate=400000
[cm5]
dtoverlay=dwc2,dr_mode=host
[all]
#dtparam=spi=off
dtoverlay=w1-gpio,gpiopin=5
"""


@pytest.mark.slow
def test_driver_faults_are_found_in_advance(tmp_path, monkeypatch):
    """The doctor also finds every fault that stops `pond serve` at start-up."""
    from pond_hw.drivers import pi_machine

    monkeypatch.setattr(pi_machine, "_is_importable", lambda name: True)
    by_hand = ("groups", "devices", "spi", "i2c", "lamps")
    planted_by_name = {what: planted for what, planted in FAULTS.items() if planted.subject in by_hand}
    refused = 0
    for index, (what, planted) in enumerate(planted_by_name.items()):
        pi = Pi(tmp_path / str(index), *planted.machines[0], planted.board)
        if what != "user not in the groups":
            NO_SERVICE(pi)
        planted.apply(pi)
        if pi_machine.find_machine_fault(load_profile(pi.board), pi.host.machine):
            refused += 1
            assert run_checks(pi.board, pi.host).has_fault, what
    assert refused > 9


def test_every_subject_has_a_name(pi):
    subjects = {each.subject for each in run_checks("direct-4x4", pi.host).check_results}
    for subject in subjects | {planted.subject for planted in FAULTS.values()}:
        assert text(Message(f"doctor.subject.{subject}")) == subject


@pytest.mark.slow
def test_doctor_imports_no_hardware_libraries():
    hardware = "{'gpiozero', 'lgpio', 'spidev', 'textual'}"
    script = f"import sys, pond_hw.commands.doctor, pond_hw.doctor.report; print(sorted({hardware} & set(sys.modules)))"
    completed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert completed.stdout == "[]\n"


def test_package_without_metadata_has_no_version(tmp_path, monkeypatch):
    (tmp_path / "pond_lost-3.6.dist-info").mkdir()  # a power cut may leave it like this
    monkeypatch.syspath_prepend(tmp_path)
    found = HostSystem().find_package("pond-lost", "pond_lost")
    assert found == InstalledPackage("", found.origin)


def test_host_system_reads_this_machine():
    host = HostSystem()
    assert host.run_command(["/nowhere/at/all"]) is None
    assert host.run_command(["false"]) is None
    assert host.run_command(["echo", "yes"]) == "yes\n"
    assert host.find_package("pytest", "pytest").version
    assert host.find_package("no-such-package-at-all", "no_such_module_at_all") is None
    assert host.free_space(host.file_path("/nowhere/at/all")).free_bytes > 0
    assert MOUNTS
    assert NAMES


def test_docs_list_every_subject(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    documented = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    pi = Pi(tmp_path)
    found = {each.subject for each in run_checks("direct-4x4", pi.host).check_results} | {
        p.subject for p in FAULTS.values()
    }
    assert (
        found | {"doctor", "usb", "link", "pond", "board", "pi", "count", "summary", "summary_said", "findings"}
        == documented
    )

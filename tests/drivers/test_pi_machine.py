"""Tests of machine detection on simulated machines: model, missing parts, and suitable lamp driver."""

import errno
import fcntl
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from pond_hw.drivers.lamp_pulses import BYTE_ALIGNED, ENCODINGS
from pond_hw.drivers.pi_machine import (
    PI5_NEOPIXEL_HELPER,
    Machine,
    choose_driver,
    choose_encoding,
    explain_missing_gpio,
    find_machine_fault,
    read_chip_label,
)
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package, format_pip_command
from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    LampSettings,
    MatrixCrossing,
    MatrixWiring,
    PowerSupply,
    Profile,
    SensorSettings,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.profile.chips import MCP3008, MCP23017, ExpanderPin
from tests.drivers.pis import (
    ALL_DEVICES,
    HEADER_AT_0,
    PI_4,
    PI_5,
    PI_5_FIRST_YEAR,
    PI_5_NO_CHIP_0,
    ZERO_2,
    make_laptop,
    make_pi,
)
from tests.messages.says import text

ROOT = Path(__file__).parents[2]
WIRINGS = {
    "gpio": DirectWiring({"a1": 4}),
    "matrix": MatrixWiring({"a1": MatrixCrossing(5, 17)}),
    "mcp23017": ExpanderWiring(MCP23017, 1, {"a1": ExpanderPin(0x20, "GPA", 0)}),
    "mcp3008": AnalogWiring(MCP3008, {}, {}, {}, 60, 30, 1),
    "neotrellis": TrellisWiring(1, 0x2E, {"a1": 0}),
    "simulated": SimulatedWiring(),
}


def profile(sensors="gpio", lamps="auto", pin=10, key=None, name="direct-4x4"):
    """Build a profile with these sensors and lamps."""
    chain = LampSettings(lamps, pin, 16, 1, tuple(range(16)), ((), ()), "GRB", 1.0, 400.0, 120.0)
    sensing = SensorSettings("button", WIRINGS[sensors], 0.008, 0.0, 125.0)
    return Profile(name, "A board", 4, sensing, chain, PowerSupply("pi", 2500.0), undo_key_pin=key)


@pytest.fixture(autouse=True)
def every_package(monkeypatch):
    """Simulate that every optional package is installed."""
    for name in ("spidev", "rpi_ws281x", "neopixel", PI5_NEOPIXEL_HELPER):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())


def find_fault(board, machine):
    """Return what the machine is missing for a board."""
    return find_machine_fault(board, machine).message


@pytest.mark.parametrize(
    ("kind", "five"),
    [
        (PI_4, False),
        (ZERO_2, False),
        (PI_5, True),
        (("Raspberry Pi 500 Rev 1.0", 0xD04190), True),
        (("Raspberry Pi Compute Module 5 Rev 1.0", 0xD04180), True),
        (("Raspberry Pi Model B Rev 2", 0x000E), False),
    ],
)
def test_pi_family_is_derived_from_processor(tmp_path, kind, five):
    machine = make_pi(tmp_path, kind)
    assert (machine.model_name, machine.is_pi, machine.is_pi5) == (kind[0], True, five)


@pytest.mark.parametrize(("kind", "five"), [(PI_4, False), (PI_5, True), (("Raspberry Pi Compute Module 5", 0), True)])
def test_pi_family_without_revision_is_derived_from_name(tmp_path, kind, five):
    machine = make_pi(tmp_path, kind)
    (tmp_path / "proc/device-tree/system/linux,revision").unlink()
    assert machine.is_pi5 is five


def test_other_machine_is_not_a_pi(tmp_path):
    laptop = make_laptop(tmp_path / "laptop")
    assert (laptop.model_name, laptop.is_pi, laptop.is_pi5) == ("", False, False)
    other = make_pi(tmp_path / "other", ("Pine64 RockPro64 v2.1", 0))
    assert (other.model_name, other.is_pi, other.is_pi5) == ("Pine64 RockPro64 v2.1", False, False)


@pytest.mark.parametrize(
    ("kind", "labels", "chip"),
    [
        (PI_4, HEADER_AT_0, "/dev/gpiochip0"),
        (PI_4, {"gpiochip0": "ftdi-cbus", "gpiochip1": "pinctrl-bcm2711"}, "/dev/gpiochip1"),
        (PI_5, PI_5_FIRST_YEAR, "/dev/gpiochip4"),
        (PI_5, PI_5_NO_CHIP_0, "/dev/gpiochip15"),
        (PI_5, {"gpiochip2": "ftdi-cbus", "gpiochip10": "pinctrl-rp1"}, "/dev/gpiochip10"),
    ],
)
def test_header_chip_is_found_by_its_label(tmp_path, kind, labels, chip):
    machine = make_pi(tmp_path, kind, labels, labels=labels)
    assert machine.gpio_device == chip
    assert explain_missing_gpio(machine) is None


@pytest.mark.parametrize(
    ("kind", "devices", "chip"),
    [
        (PI_4, ("gpiochip0", "gpiochip4"), "/dev/gpiochip0"),  # a Pi 4 may have another chip as number 4
        (PI_5, ("gpiochip0", "gpiochip4"), "/dev/gpiochip4"),
        (PI_5, ("gpiochip0",), "/dev/gpiochip0"),
        (PI_5, ("gpiochip9", "gpiochip11"), "/dev/gpiochip9"),
    ],
)
def test_likeliest_chip_is_chosen_without_readable_labels(tmp_path, kind, devices, chip):
    machine = make_pi(tmp_path, kind, devices, denied=devices)
    assert machine.gpio_device == chip
    assert explain_missing_gpio(machine) == Message("device.group", device=chip, group="gpio")


def test_missing_header_chip_is_reported(tmp_path):
    labels = {"gpiochip10": "gpio-brcmstb@107d508500", "gpiochip11": "ftdi-cbus"}
    chips = ("gpiochip10 (gpio-brcmstb@107d508500)", "gpiochip11 (ftdi-cbus)")
    assert find_fault(profile(), make_pi(tmp_path, PI_5, labels, labels=labels)) == Message(
        "gpio.no_header", chips=chips
    )


def test_board_starts_on_a_pi_5_without_gpiochip0(tmp_path):
    machine = make_pi(tmp_path, PI_5, [*PI_5_NO_CHIP_0, "spidev0.0"], labels=PI_5_NO_CHIP_0)
    assert find_machine_fault(profile(), machine) is None


def test_chip_label_comes_from_the_kernel(tmp_path, monkeypatch):
    """The answer to GPIO_GET_CHIPINFO_IOCTL has the layout of `struct gpiochip_info`."""

    def answer(descriptor, request, argument):
        assert (request, len(argument)) == (0x8044B401, 68)
        return b"gpiochip15".ljust(32, b"\0") + b"pinctrl-rp1".ljust(32, b"\0") + (54).to_bytes(4, sys.byteorder)

    chip = tmp_path / "gpiochip15"
    assert read_chip_label(chip) == ""
    chip.touch()
    assert read_chip_label(chip) == ""  # a file does not support the request
    monkeypatch.setattr(fcntl, "ioctl", answer)
    assert read_chip_label(chip) == "pinctrl-rp1"


@pytest.mark.parametrize("kind", [PI_4, PI_5])
@pytest.mark.parametrize(("status", "is_on"), [("okay", True), ("ok", True), ("disabled", False)])
def test_device_tree_enables_spi(tmp_path, kind, status, is_on):
    assert make_pi(tmp_path, kind, spi=status).is_spi_on is is_on


def test_device_tree_without_spi_counts_as_disabled(tmp_path):
    machine = make_pi(tmp_path)
    (tmp_path / "proc/device-tree/aliases/spi0").unlink()
    assert not machine.is_spi_on
    assert not make_laptop(tmp_path / "laptop").is_spi_on


@pytest.mark.parametrize(
    ("text", "buffer"),
    [("4096\n", 4096), ("65536\n", 65532), ("32768\n", 32768), ("much\n", 4096), (None, 4096)],
)
def test_spi_buffer_size_comes_from_kernel(tmp_path, text, buffer):
    machine = make_pi(tmp_path)
    place = tmp_path / "sys/module/spidev/parameters/bufsiz"
    place.unlink() if text is None else place.write_text(text)
    assert machine.spi_buffer_bytes == buffer


def test_default_machine_is_this_one(monkeypatch):
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    machine = Machine()
    assert str(machine.root) == os.sep
    assert machine.euid == (os.geteuid() if hasattr(os, "geteuid") else 0)
    assert not machine.pins_mocked
    for name in ("mock", "Mock"):  # gpiozero accepts both
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", name)
        assert Machine().pins_mocked
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    assert not Machine().pins_mocked


@pytest.mark.parametrize(("allowed", "is_usable"), [(os.R_OK, False), (os.W_OK, False), (os.R_OK | os.W_OK, True)])
def test_usable_device_is_readable_and_writable(tmp_path, monkeypatch, allowed, is_usable):
    def access(path, mode):
        assert path == tmp_path / "dev/spidev0.0"
        return mode & allowed == mode

    monkeypatch.setattr(os, "access", access)
    assert Machine(tmp_path).may_use("/dev/spidev0.0") is is_usable


@pytest.mark.parametrize(
    ("kind", "euid", "pin", "driver", "facts"),
    [
        (PI_4, 1000, 10, "spi", {}),
        (PI_5, 0, 10, "spi", {}),
        (PI_4, 0, 18, "ws281x", {"pin": 18, "source": "PWM"}),
        (PI_4, 1000, 12, "ws281x", {"pin": 12, "source": "PWM"}),
        (ZERO_2, 0, 21, "ws281x", {"pin": 21, "source": "PCM"}),
        (PI_5, 0, 18, "neopixel", {"pin": 18}),
    ],
)
def test_auto_driver_depends_on_pin_and_machine(tmp_path, kind, euid, pin, driver, facts):
    choice = choose_driver(profile(pin=pin), make_pi(tmp_path, kind, euid=euid))
    assert choice == (driver, Message(f"lamp_driver.{driver}", **facts))
    assert text(choice.message).startswith(f"{driver}: ")


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [(PI_4, "packed"), (ZERO_2, "packed"), (("Raspberry Pi Model B Rev 2", 0x000E), "packed"), (PI_5, "byte")],
)
def test_packed_encoding_needs_gapless_spi(tmp_path, kind, encoding):
    choice = choose_encoding(profile(), make_pi(tmp_path, kind))
    assert (choice.encoding, choice.name) == (ENCODINGS[encoding], encoding)
    assert choice.message == Message(f"lamp_encoding.{encoding}", encoding=encoding, profile="direct-4x4")


def test_other_machines_use_byte_encoding(tmp_path):
    assert choose_encoding(profile(), make_laptop(tmp_path)).encoding is BYTE_ALIGNED


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", [PI_4, PI_5])
def test_named_encoding_is_used(tmp_path, kind, encoding):
    board = profile()
    board = replace(board, chain=replace(board.chain, encoding=encoding))
    choice = choose_encoding(board, make_pi(tmp_path, kind))
    assert choice.encoding is ENCODINGS[encoding]
    assert choice.message == Message("lamp_encoding.named", encoding=encoding, profile="direct-4x4")


def test_auto_encoding_of_long_chain_fits_one_transfer(tmp_path):
    board, machine = profile(), make_pi(tmp_path, bufsiz=65536)
    board = replace(board, chain=replace(board.chain, lamp_count=2000))
    choice = choose_encoding(board, machine)
    assert choice.name == "byte"
    assert choice.message.id == "lamp_encoding.long"
    assert find_machine_fault(board, machine) is None


def test_some_chains_fit_with_only_one_encoding(tmp_path):
    board, machine = profile(), make_pi(tmp_path)
    long = replace(board.chain, lamp_count=120)
    assert find_machine_fault(replace(board, chain=replace(long, encoding="byte")), machine) is None
    assert find_fault(replace(board, chain=replace(long, encoding="packed")), machine).id == "spi.small_buffer"


@pytest.mark.parametrize("driver", ["spi", "ws281x", "neopixel", "neotrellis", "simulated"])
def test_named_driver_is_used(tmp_path, driver):
    choice = choose_driver(profile(lamps=driver, pin=18), make_pi(tmp_path, PI_5))
    assert choice == (driver, Message("lamp_driver.named", driver=driver, profile="direct-4x4"))


@pytest.mark.parametrize("sensors", WIRINGS)
@pytest.mark.parametrize(("lamps", "pin"), [("auto", 10), ("auto", 18), ("simulated", None)])
@pytest.mark.parametrize("kind", [PI_4, PI_5], ids=["4", "5"])
def test_complete_pi_has_no_fault(tmp_path, kind, sensors, lamps, pin):
    assert find_machine_fault(profile(sensors, lamps, pin, key=26), make_pi(tmp_path, kind, euid=0)) is None


def test_simulated_parts_need_nothing(tmp_path):
    assert find_machine_fault(profile("simulated", "simulated", None), make_laptop(tmp_path)) is None


def test_buzzer_needs_gpios_beside_simulated_cells(tmp_path):
    board = replace(profile("simulated", "simulated", None), buzzer_pin=12)
    assert find_fault(board, make_laptop(tmp_path)) == no_pi("direct-4x4")
    assert find_machine_fault(board, make_pi(tmp_path)) is None


def test_too_long_chain_is_found_before_opening(tmp_path):
    board = profile()
    board = replace(board, chain=replace(board.chain, lamp_count=120))
    assert find_fault(board, make_pi(tmp_path)) == Message("spi.small_buffer", lamps=120, needed=4590, allowed=4096)


def no_pi(name):
    return Message("machine.no_pi", profile=name, instead=Message("machine.instead"))


@pytest.mark.parametrize("sensors", WIRINGS)
def test_laptop_is_offered_an_alternative(tmp_path, sensors):
    assert find_fault(profile(sensors, name="my-board"), make_laptop(tmp_path)) == no_pi("my-board")


@pytest.mark.parametrize("lamps", ["spi", "ws281x", "neopixel"])
def test_laptop_has_no_real_lamps(tmp_path, lamps):
    assert find_fault(profile("simulated", lamps, 10), make_laptop(tmp_path)) == no_pi("direct-4x4")


@pytest.mark.parametrize("sensors", ["gpio", "matrix", "mcp3008"])
def test_mock_pins_suffice_for_sensors(tmp_path, sensors):
    assert find_machine_fault(profile(sensors, "simulated", None, key=26), make_laptop(tmp_path, mocked=True)) is None
    assert find_fault(profile(sensors, "spi"), make_laptop(tmp_path, mocked=True)) == no_pi("direct-4x4")
    assert find_machine_fault(profile(sensors, "spi"), make_pi(tmp_path, devices=("spidev0.0",), mocked=True)) is None


def test_mock_pins_provide_no_i2c(tmp_path):
    assert find_fault(profile("mcp23017", "simulated"), make_laptop(tmp_path, mocked=True)) == no_pi("direct-4x4")
    machine = make_pi(tmp_path, devices=("i2c-1",), mocked=True)
    assert find_machine_fault(profile("mcp23017", "simulated", key=26), machine) is None


def without(*devices):
    return tuple(device for device in ALL_DEVICES if device not in devices)


GPIO_DENIED = Message("device.group", device="/dev/gpiochip0", group="gpio")
I2C_DENIED = Message("device.group", device="/dev/i2c-1", group="i2c")
SPI_DENIED = Message("device.group", device="/dev/spidev0.0", group="spi")
I2C_OFF = Message("i2c.off", device="/dev/i2c-1", bus=1)
SPI_OFF = Message("spi.off", device="/dev/spidev0.0")
NO_CHIP = Message("gpio.no_device", device="/dev/gpiochip0")
MISSING_PARTS = {
    "SPI off": (profile(), {"devices": without("spidev0.0"), "spi": "disabled"}, SPI_OFF),
    "SPI denied": (profile(), {"denied": ("spidev0.0",)}, SPI_DENIED),
    "no GPIO": (profile(), {"devices": without("gpiochip0")}, NO_CHIP),
    "GPIO denied": (profile(), {"denied": ("gpiochip0",)}, GPIO_DENIED),
    "GPIO denied to a matrix": (profile("matrix"), {"denied": ("gpiochip0",)}, GPIO_DENIED),
    "GPIO denied to converters": (profile("mcp3008"), {"denied": ("gpiochip0",)}, GPIO_DENIED),
    "GPIO denied to the key": (profile("mcp23017", key=26), {"denied": ("gpiochip0",)}, GPIO_DENIED),
    "I2C off": (profile("mcp23017"), {"devices": without("i2c-1")}, I2C_OFF),
    "I2C denied": (profile("mcp23017"), {"denied": ("i2c-1",)}, I2C_DENIED),
    "I2C off, NeoTrellis": (profile("neotrellis", "neotrellis", None), {"devices": without("i2c-1")}, I2C_OFF),
    "I2C denied, NeoTrellis": (profile("neotrellis", "neotrellis", None), {"denied": ("i2c-1",)}, I2C_DENIED),
    "first of two faults is reported": (profile(), {"denied": ("gpiochip0", "spidev0.0")}, GPIO_DENIED),
}


def test_device_denied_by_unit_is_not_a_group_problem(tmp_path, monkeypatch):
    def shut(path, *_):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(path))

    machine = make_pi(tmp_path, denied=("spidev0.0",))
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", shut)
        message = find_fault(profile(), machine)
    assert message == Message("device.closed", device="/dev/spidev0.0")


@pytest.mark.parametrize(("board", "machine", "message"), MISSING_PARTS.values(), ids=MISSING_PARTS)
def test_missing_parts_are_named(tmp_path, board, machine, message):
    assert find_fault(board, make_pi(tmp_path, **machine)) == message


@pytest.mark.parametrize(
    ("board", "denied"),
    [
        (profile("mcp23017"), "gpiochip0"),
        (profile("gpio"), "i2c-1"),
        (profile("gpio", "simulated", None), "spidev0.0"),
        (profile("neotrellis", "neotrellis", None), "spidev0.0"),
    ],
)
def test_unused_parts_may_be_missing(tmp_path, board, denied):
    assert find_machine_fault(board, make_pi(tmp_path, denied=(denied,))) is None


@pytest.mark.parametrize(
    ("kind", "lamps", "pin", "message"),
    [
        (PI_5, "ws281x", 18, Message("ws281x.no_pi5")),
        (PI_4, "ws281x", 18, Message("ws281x.no_root", pin=18, source="PWM")),
        (PI_4, "auto", 21, Message("ws281x.no_root", pin=21, source="PCM")),
        (PI_4, "neopixel", 12, Message("ws281x.no_root", pin=12, source="PWM")),
    ],
)
def test_rpi_ws281x_without_root_is_reported(tmp_path, kind, lamps, pin, message):
    assert find_fault(profile(lamps=lamps, pin=pin), make_pi(tmp_path, kind)) == message


def test_pi_5_auto_needs_helper_except_on_gpio_10(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, PI5_NEOPIXEL_HELPER, None)
    command = format_pip_command("Adafruit-Blinka-Raspberry-Pi5-Neopixel")
    assert find_fault(profile(pin=18), make_pi(tmp_path, PI_5)) == Message("neopixel.no_helper", command=command)
    assert find_machine_fault(profile(pin=10), make_pi(tmp_path, PI_5)) is None


@pytest.mark.parametrize(
    ("module", "package", "lamps"),
    [
        ("spidev", "spidev", "spi"),
        ("rpi_ws281x", "rpi_ws281x", "ws281x"),
        ("neopixel", "adafruit-circuitpython-neopixel", "neopixel"),
        ("rpi_ws281x", "rpi_ws281x", "neopixel"),
    ],
)
def test_uninstalled_package_is_reported(tmp_path, monkeypatch, module, package, lamps):
    monkeypatch.setitem(sys.modules, module, None)
    assert find_fault(profile(lamps=lamps), make_pi(tmp_path)) == describe_missing_package(module, package)


def test_unloaded_package_is_found(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "spidev")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages")])
    machine = make_pi(tmp_path)
    assert find_fault(profile(), machine) == describe_missing_package("spidev", "spidev")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/spidev.py").write_text("raise RuntimeError('it is not to be loaded to find out')")
    monkeypatch.setattr(sys, "path_importer_cache", {})
    assert find_machine_fault(profile(), machine) is None


@pytest.mark.slow
def test_checks_load_no_hardware_library(tmp_path):
    make_pi(tmp_path)
    code = f"""
import sys
from pathlib import Path
from pond_hw.drivers.pi_machine import Machine
from pond_hw.drivers.pi_machine import choose_driver
from pond_hw.drivers.pi_machine import find_machine_fault
from tests.drivers.test_pi_machine import profile

for lamps, pin in [("auto", 10), ("auto", 18), ("ws281x", 10), ("neopixel", 10)]:
    board = profile(lamps=lamps, pin=pin)
    machine = Machine(Path({str(tmp_path)!r}), 0)
    choose_driver(board, machine), find_machine_fault(board, machine)
print(*sorted({{"rpi_ws281x", "_rpi_ws281x", "neopixel", "board", "spidev", "gpiozero", "lgpio"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "\n"

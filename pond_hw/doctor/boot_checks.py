"""Checks of config.txt: SPI and I2C, GPIO conflicts, and lamp timing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pond_hw.doctor.board_needs import bus_gpios, converters_on, drives_by_spi, gpio_uses, i2c_bus_number, pulse_source
from pond_hw.doctor.boot_config import BootConfig, ConfigOverlay, passed_filters
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem, read_count
from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.drivers.pi_machine import MAX_TRANSFER_BYTES, SPI_DEVICE, Machine, choose_driver, choose_encoding
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import ExpanderWiring, Profile, SimulatedWiring, TrellisWiring
from pond_hw.profile.pi_header import I2C_GPIOS, SPI0, SPI1

FAST_I2C_HZ, SLOW_I2C_HZ = 400_000, 100_000
"""I2C clock rates in Hz: the rate recommended for expanders, and the rate that every chip supports."""

I2S_PINS = (18, 19, 20, 21)
"""GPIOs of I2S (digital sound), on the PCM pins."""

UART_PINS = (14, 15)
"""GPIOs of the serial port UART0."""

OVERLAY_PIN_PARAMS: dict[str, dict[str, int]] = {
    "dht11": {"gpiopin": 4},
    "gpio-fan": {"gpiopin": 12},
    "gpio-ir": {"gpio_pin": 18},
    "gpio-ir-tx": {"gpio_pin": 18},
    "gpio-led": {"gpio": 19},
    "gpio-poweroff": {"gpiopin": 26},
    "gpio-shutdown": {"gpio_pin": 3},
    "i2c-gpio": {"i2c_gpio_sda": 23, "i2c_gpio_scl": 24},
    "pps-gpio": {"gpiopin": 18},
    "pwm": {"pin": 18},
    "pwm-2chan": {"pin": 18, "pin2": 19},
    "pwm-ir-tx": {"gpio_pin": 18},
    "rotary-encoder": {"pin_a": 4, "pin_b": 17},
    "uart0": {"txd0_pin": 14, "rxd0_pin": 15},
    "w1-gpio": {"gpiopin": 4},
    "w1-gpio-pullup": {"gpiopin": 4, "extpullup": 5},
}
"""Parameters of overlays that select GPIOs, and the default GPIOs. Source: README of the overlays."""

SOUND_CARD_PREFIXES = (
    *("hifiberry", "iqaudio", "justboom", "allo-", "audioinjector", "i2s-", "max98357a", "googlevoicehat", "rpi-dac"),
    *("adau", "dionaudio", "fe-pi-audio", "merus-amp", "rra-digidac1", "wm8960", "akkordion", "applepi-dac"),
)
"""Name prefixes of overlays that use the PCM pins."""


BUFFER_WORD = "spidev.bufsiz=65536"
CMDLINE_PATHS = ("boot/firmware/cmdline.txt", "boot/cmdline.txt")


HEADER_BUSES = {"spi": ("spi", SPI_DEVICE), "i2c": ("i2c_arm", "/dev/i2c-1")}
"""Buses of the header: the config.txt parameter that enables each bus, and its device file."""


CORE_CLOCKS = {
    "pi0": (400, 250, "core_freq=250"),
    "pi3": (400, 250, "core_freq=250"),
    "pi4": (500, 200, "core_freq_min=500"),
}
"""Core clock by model family: maximum and minimum in MHz, and the config.txt line that keeps it constant.

The SPI clock is derived from the core clock. Keys are config.txt filters. Pi 1 and 2 have a constant core clock, and SPI
on a Pi 5 has its own clock.
"""


def check_boot(host: HostSystem, config: BootConfig, profile: Profile | None) -> Iterator[CheckResult]:
    if not config.file_path:
        yield fault_result("boot", Message("doctor.boot.missing"), fix_command="sudo mount /boot/firmware")
    elif profile is None:
        for bus, (param, _) in HEADER_BUSES.items():
            state = "on" if config.is_on(param) else "off"
            yield good_result(bus, Message(f"doctor.bus.{state}", bus=bus.upper(), file=config.file_path))
    else:
        yield from _check_buses(host, config, profile)
        if not isinstance(profile.sensing.wiring, SimulatedWiring):
            yield from _check_pins(host, config, profile)
            if drives_by_spi(profile, host.machine):
                yield _check_core_clock(host, config)
                if choose_driver(profile, host.machine).driver == "spi":
                    yield _check_encoding(host, profile)
                yield _check_spi_buffer(host, profile)


# --- SPI and I2C
# --------------------------------------------------------------------------------------------------------


def _check_buses(host: HostSystem, config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    if drives_by_spi(profile, host.machine) or converters_on(profile, SPI0):
        yield _check_bus(host, config, "spi")
    if converters_on(profile, SPI1):
        yield _check_spi1(host, config, profile)
    if i2c_bus_number(profile) is not None:
        yield _check_bus(host, config, "i2c")
        yield _check_i2c_rate(host, config, profile)


def _check_bus(host: HostSystem, config: BootConfig, bus: str) -> CheckResult:
    """Check that a bus in `HEADER_BUSES` is enabled, both now and after the next boot."""
    name, (param, device), enable_command = bus.upper(), HEADER_BUSES[bus], f"sudo raspi-config nonint do_{bus} 0"
    exists = host.machine.has_device(device)
    if not config.is_on(param):
        if exists:
            message = Message("doctor.bus.off_soon", device=device, bus=name, file=config.file_path)
            return warning_result(bus, message, fix_command=enable_command)
        message = Message("doctor.bus.off", bus=name, file=config.file_path)
        return fault_result(bus, message, Message("doctor.restart.switch_on"), fix_command=enable_command)
    if exists:
        return good_result(bus, Message("doctor.bus.works", bus=name, file=config.file_path, device=device))
    if bus == "spi" and host.machine.is_spi_on:
        return fault_result(
            "spi", Message("doctor.bus.no_spi_driver", device=device), fix_command="sudo modprobe spidev"
        )
    has_i2c = host.file_path("/sys/bus/i2c/devices/i2c-1").exists()
    if bus == "i2c" and has_i2c and "i2c_dev" not in host.read_text("/proc/modules"):
        message = Message("doctor.bus.no_i2c_driver", device=device)
        return fault_result("i2c", message, fix_command="sudo modprobe i2c-dev")
    return _restart_result(bus, name, config)


def _restart_result(subject: str, bus_name: str, config: BootConfig) -> CheckResult:
    message = Message("doctor.bus.not_yet", bus=bus_name, file=config.file_path)
    return fault_result(subject, message, Message("doctor.restart.now"), fix_command="sudo reboot")


def _check_spi1(host: HostSystem, config: BootConfig, profile: Profile) -> CheckResult:
    select_numbers = [SPI1.select_gpios.index(chip.select) for chip in converters_on(profile, SPI1)]
    needed = max(select_numbers) + 1
    if not any(config.has_overlay(f"spi1-{count}cs") for count in range(needed, 4)):
        overlay_line = f"dtoverlay=spi1-{needed}cs"
        lines = [overlay.source_line for overlay in config.overlays if re.fullmatch("spi1-[123]cs", overlay.name)]
        command = (
            config.replace_line_command(lines[-1], overlay_line) if lines else config.add_line_command(overlay_line)
        )
        message = Message("doctor.spi1.too_few_selects", count=needed, line=overlay_line)
        return fault_result("spi", message, fix_command=command)
    if not all(host.machine.has_device(f"/dev/spidev1.{select}") for select in select_numbers):
        return _restart_result("spi", "SPI1", config)
    return good_result("spi", Message("doctor.spi1.works", count=needed))


def _check_i2c_rate(host: HostSystem, config: BootConfig, profile: Profile) -> CheckResult:
    rate_hz = read_count(config.board_params, "i2c_arm_baudrate", SLOW_I2C_HZ)
    rate, wiring = Message("doctor.i2c.rate", khz=rate_hz / 1000), profile.sensing.wiring
    if isinstance(wiring, ExpanderWiring) and rate_hz < FAST_I2C_HZ:
        advice = Message("doctor.i2c.slow", khz=FAST_I2C_HZ / 1000)
        return warning_result("i2c", rate, advice, fix_command=_set_i2c_rate_command(config, FAST_I2C_HZ))
    if isinstance(wiring, TrellisWiring) and rate_hz > SLOW_I2C_HZ and not host.machine.is_pi5:
        advice = Message("doctor.i2c.too_fast")
        return fault_result("i2c", rate, advice, fix_command=_set_i2c_rate_command(config, SLOW_I2C_HZ))
    return good_result("i2c", rate)


def _set_i2c_rate_command(config: BootConfig, rate_hz: int) -> str:
    return config.add_line_command(f"dtparam=i2c_arm_baudrate={rate_hz}")


# --- GPIO conflicts between the board and config.txt
# --------------------------------------------------------------------


def _check_pins(host: HostSystem, config: BootConfig, profile: Profile) -> list[CheckResult]:
    own_uses, buses_by_gpio = gpio_uses(profile), bus_gpios(profile, host.machine)
    bus_uses = {gpio: Message("doctor.gpio.bus", gpio=gpio, bus=bus) for gpio, bus in buses_by_gpio.items()}
    gpio_clashes: list[CheckResult] = []
    for kind, name, gpios, fix_command in _list_claims(host.machine, config, buses_by_gpio):
        uses = own_uses if any(gpio in own_uses for gpio in gpios) else bus_uses
        if clashing_gpios := [gpio for gpio in gpios if gpio in uses]:
            claim = Message(f"doctor.claim.{kind}", name=name, gpios=tuple(map(str, clashing_gpios)))
            gpio_clashes.append(
                _switch_off_result(*map(uses.__getitem__, clashing_gpios), claim, fix_command=fix_command)
            )
    gpio_clashes += _check_bus_overlays(config, profile)
    gpio_clashes += _check_analogue_sound(host, config, profile)
    return gpio_clashes or [good_result("pins", Message("doctor.pins.good", file=config.file_path))]


def _switch_off_result(*messages: Message, fix_command: str) -> CheckResult:
    return fault_result("pins", *messages, Message("doctor.restart.switch_off"), fix_command=fix_command)


def _list_claims(
    machine: Machine, config: BootConfig, buses: dict[int, str]
) -> Iterator[tuple[str, str, tuple[int, ...], str]]:
    """Yield everything else that uses GPIOs: its kind, its name, the GPIOs, and the command that disables it."""
    if config.is_on("spi") and "SPI0" not in buses.values():
        yield "bus", "SPI", SPI0.all_gpios, "sudo raspi-config nonint do_spi 1"
    if config.is_on("i2c_arm") and "I2C" not in buses.values():
        yield "bus", "I2C", I2C_GPIOS, "sudo raspi-config nonint do_i2c 1"
    if config.is_on("i2s"):
        yield "sound", "dtparam=i2s", I2S_PINS, config.add_line_command("dtparam=i2s=off")
    if config.is_on("uart0") if machine.is_pi5 else config.plain_settings.get("enable_uart") == "1":
        yield "serial", "UART0", UART_PINS, "sudo raspi-config nonint do_serial_hw 1"
    for overlay in config.overlays:
        if overlay_pins := _overlay_pins(overlay, buses):
            yield "overlay", overlay.name, overlay_pins, _overlay_fix_command(overlay, config, buses)


def _overlay_fix_command(overlay: ConfigOverlay, config: BootConfig, buses: dict[int, str]) -> str:
    """Return the command that frees the board's GPIOs from an overlay."""
    own_selects = [select_number for select_number, pin in enumerate(SPI1.select_gpios, 1) if buses.get(pin) == "SPI1"]
    if own_selects and overlay.name.startswith("spi1-"):
        return config.replace_line_command(overlay.source_line, f"dtoverlay=spi1-{max(own_selects)}cs")
    return config.comment_line_command(overlay.source_line)


def _overlay_pins(overlay: ConfigOverlay, buses: dict[int, str]) -> tuple[int, ...]:
    name = overlay.name.removesuffix("-pi5")
    if name in OVERLAY_PIN_PARAMS:
        named_pins = ((overlay.params.get(param, ""), default) for param, default in OVERLAY_PIN_PARAMS[name].items())
        return tuple(_parse_number(pin, default) for pin, default in named_pins)
    if name.startswith(SOUND_CARD_PREFIXES):
        return I2S_PINS
    if name == "audremap":  # analogue sound on the header
        return (12, 13) if "pins_12_13" in overlay.params else (18, 19)
    if name.startswith("spi1-") and name[5:6] in "123":
        is_own_bus = "SPI1" in buses.values()
        select_gpios = [
            _parse_number(overlay.params.get(f"cs{at}_pin", ""), SPI1.select_gpios[at]) for at in range(int(name[5]))
        ]
        return (*(() if is_own_bus else SPI1.data_gpios), *(pin for pin in select_gpios if buses.get(pin) != "SPI1"))
    return ()


def _check_bus_overlays(config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    """Check for kernel drivers that use the board's chips."""
    wiring = profile.sensing.wiring
    if not isinstance(wiring, ExpanderWiring):
        return
    own_addresses = {pin.address for pin in wiring.pins.values()}
    for overlay in config.overlays:
        address = _parse_number(overlay.params.get("addr", str(wiring.chip.addresses[0])))
        if overlay.name == wiring.chip.overlay and address in own_addresses:
            driver_conflict = Message("doctor.pins.kernel_chip", overlay=overlay.name)
            messages = driver_conflict, Message("doctor.restart.switch_off")
            yield warning_result("pins", *messages, fix_command=config.comment_line_command(overlay.source_line))


def _check_analogue_sound(host: HostSystem, config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    """Check the analogue sound output, which uses the PWM."""
    if pulse_source(profile, host.machine) != "PWM":
        return
    if config.is_on("audio"):
        fix_command = config.replace_line_command("dtparam=audio=on", "dtparam=audio=off")
        yield _switch_off_result(Message("doctor.pins.analogue_sound"), fix_command=fix_command)
    elif any(module_line.startswith("snd_bcm2835 ") for module_line in host.read_text("/proc/modules").splitlines()):
        fix_command = "echo blacklist snd_bcm2835 | sudo tee /etc/modprobe.d/pond.conf"
        yield fault_result("pins", Message("doctor.pins.sound_driver"), fix_command=fix_command)


def _parse_number(number_text: str, default_number: int = -1) -> int:
    """Parse a decimal or 0x number as the firmware does."""
    try:
        return int(number_text, 0)
    except ValueError:
        return default_number


# --- Lamp timing: a fixed clock, a buffer for a whole frame, and bits that tolerate pauses
# ------------------------------


def _check_core_clock(host: HostSystem, config: BootConfig) -> CheckResult:
    passed, settings = passed_filters(host.machine.model_name), config.plain_settings
    family = next((clock for filter_name, clock in CORE_CLOCKS.items() if filter_name in passed), None)
    if family is None:
        return good_result("lamps", Message("doctor.lamps.steady_model"))
    default_mhz, idle_mhz, config_line = family
    highest_mhz = read_count(settings, "core_freq", read_count(settings, "gpu_freq", default_mhz))
    lowest_mhz = read_count(settings, "core_freq_min", idle_mhz)
    uses_mini_uart = settings.get("enable_uart") == "1" and default_mhz == 400
    has_uart_overlay = config.has_overlay("disable-bt") or config.has_overlay("miniuart-bt")
    if settings.get("force_turbo") == "1" or lowest_mhz >= highest_mhz or (uses_mini_uart and not has_uart_overlay):
        return good_result("lamps", Message("doctor.lamps.steady", file=config.file_path))
    unsteady = Message("doctor.lamps.unsteady", low=lowest_mhz, high=highest_mhz, line=config_line)
    return fault_result("lamps", unsteady, fix_command=config.add_line_command(config_line))


def _check_spi_buffer(host: HostSystem, profile: Profile) -> CheckResult:
    count, allowed = profile.chain.lamp_count, host.machine.spi_buffer_bytes
    uses_spidev = choose_driver(profile, host.machine).driver == "spi"
    encoding = choose_encoding(profile, host.machine).encoding
    length = encoding.frame_bytes(count) if uses_spidev else 12 * count + 24
    frame = Message("doctor.lamps.frame", count=count, bytes=length, allowed=allowed)
    if length <= allowed:
        return good_result("lamps", frame)
    if length > MAX_TRANSFER_BYTES:
        return fault_result("lamps", frame, Message("doctor.lamps.frame_too_long", limit=MAX_TRANSFER_BYTES))
    file = next((path for path in CMDLINE_PATHS if host.file_path(path).is_file()), CMDLINE_PATHS[0])
    words = [word for word in host.read_text(file).split() if word.startswith("spidev.bufsiz=")]
    if BUFFER_WORD in words[-1:]:
        pending_restart = Message("doctor.lamps.buffer_not_yet", file=f"/{file}")
        return fault_result("lamps", frame, pending_restart, Message("doctor.restart.now"), fix_command="sudo reboot")
    edit = f"s/spidev.bufsiz=[^ ]*/{BUFFER_WORD}/" if words else f"1s/$/ {BUFFER_WORD}/"
    advice = Message("doctor.lamps.allow_more")
    return fault_result("lamps", frame, advice, fix_command=f"sudo sed -i '{edit}' /{file}")


def _check_encoding(host: HostSystem, profile: Profile) -> CheckResult:
    choice = choose_encoding(profile, host.machine)
    if choice.encoding is PACKED and not host.machine.has_gapless_spi:
        return warning_result("lamps", Message("doctor.lamps.may_pause"))
    return good_result("lamps", Message("doctor.lamps.encoding", encoding=choice.name))

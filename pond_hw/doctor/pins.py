"""GPIOs that two want: the board, and something that config.txt switches on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.board_needs import bus_gpios, gpio_uses, pulse_source
from pond_hw.doctor.boot_config import BootConfig, ConfigOverlay
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.drivers.pi_machine import Machine
from pond_hw.messages.plurals import join_words
from pond_hw.profile.board_profile import ExpanderWiring, Profile
from pond_hw.profile.pi_header import I2C_GPIOS, SPI0, SPI1

I2S_PINS = (18, 19, 20, 21)
"""Digital sound (I2S), on the PCM pins."""

UART_PINS = (14, 15)
"""The serial port, UART0."""

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
"""Overlays that take GPIOs: the parameter that names one, and what it is if nothing does (the overlays' README)."""

SOUND_CARD_PREFIXES = (
    *("hifiberry", "iqaudio", "justboom", "allo-", "audioinjector", "i2s-", "max98357a", "googlevoicehat", "rpi-dac"),
    *("adau", "dionaudio", "fe-pi-audio", "merus-amp", "rra-digidac1", "wm8960", "akkordion", "applepi-dac"),
)
"""What the names of overlays begin with that use the PCM pins."""


class PinClaim(NamedTuple):
    """Something in config.txt that takes GPIOs: what it is called, which GPIOs, and the line that takes it away."""

    claimant: str
    pins: tuple[int, ...]
    fix_command: str


def check_pins(host: HostSystem, config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    """Every GPIO that the board and something else want."""
    wanted_gpios, buses_by_gpio = gpio_uses(profile), bus_gpios(profile, host.machine)
    gpio_clashes = list(_find_clashes(host.machine, config, wanted_gpios, buses_by_gpio))
    gpio_clashes += _check_bus_overlays(config, profile)
    gpio_clashes += _check_analogue_sound(host, config, profile)
    yield from gpio_clashes
    if not gpio_clashes:
        yield good_result("pins", f"Nothing in {config.file_path} takes a GPIO of the board.")


def _find_clashes(
    machine: Machine, config: BootConfig, wanted_gpios: dict[int, str], bus_gpios: dict[int, str]
) -> Iterator[CheckResult]:
    for claim in _list_claims(machine, config, bus_gpios):
        gpio_users = wanted_gpios if any(pin in wanted_gpios for pin in claim.pins) else bus_gpios
        if taken := [f"GPIO {pin} ({gpio_users[pin]})" for pin in claim.pins if pin in gpio_users]:
            message = f"{claim.claimant} takes {join_words(taken)} from the board. Switch it off, then restart the Pi."
            yield fault_result("pins", message, claim.fix_command)


def _list_claims(machine: Machine, config: BootConfig, buses: dict[int, str]) -> Iterator[PinClaim]:
    """What config.txt switches on, but for what the board uses itself."""
    if config.is_on("spi") and "SPI0" not in buses.values():
        yield PinClaim("SPI", SPI0.all_gpios, "sudo raspi-config nonint do_spi 1")
    if config.is_on("i2c_arm") and "I2C" not in buses.values():
        yield PinClaim("I2C", I2C_GPIOS, "sudo raspi-config nonint do_i2c 1")
    if config.is_on("i2s"):
        yield PinClaim("Digital sound (dtparam=i2s)", I2S_PINS, config.add_line_command("dtparam=i2s=off"))
    if config.is_on("uart0") if machine.is_pi5 else config.plain_settings.get("enable_uart") == "1":
        yield PinClaim("The serial port", UART_PINS, "sudo raspi-config nonint do_serial_hw 1")
    for overlay in config.overlays:
        if overlay_pins := _overlay_pins(overlay, buses):
            yield PinClaim(f"The overlay {overlay.name}", overlay_pins, _overlay_fix_command(overlay, config, buses))


def _overlay_fix_command(overlay: ConfigOverlay, config: BootConfig, buses: dict[int, str]) -> str:
    """The command that takes from an overlay what the board needs for something else."""
    own_selects = [select_number for select_number, pin in enumerate(SPI1.select_gpios, 1) if buses.get(pin) == "SPI1"]
    if own_selects and overlay.name.startswith("spi1-"):
        return config.replace_line_command(overlay.source_line, f"dtoverlay=spi1-{max(own_selects)}cs")
    return config.comment_line_command(overlay.source_line)


def _overlay_pins(overlay: ConfigOverlay, buses: dict[int, str]) -> tuple[int, ...]:
    name = overlay.name.removesuffix("-pi5")
    if name in OVERLAY_PIN_PARAMS:
        named_pins = ((overlay.params.get(param, ""), usual) for param, usual in OVERLAY_PIN_PARAMS[name].items())
        return tuple(_parse_number(pin, usual) for pin, usual in named_pins)
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
    """Chips that the kernel would drive by itself."""
    wiring = profile.sensing.wiring
    own_addresses = {pin.address for pin in wiring.pins.values()} if isinstance(wiring, ExpanderWiring) else set()
    for overlay in config.overlays:
        if overlay.name == "mcp23017" and _parse_number(overlay.params.get("addr", "0x20")) in own_addresses:
            text = (
                "The overlay mcp23017 gives a chip of the board to the kernel. That works, and nothing needs it: "
                "switch it off, then restart the Pi."
            )
            yield warning_result("pins", text, config.comment_line_command(overlay.source_line))


def _check_analogue_sound(host: HostSystem, config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    """The analogue sound output, which makes its sound with the PWM."""
    if pulse_source(profile, host.machine) != "PWM":
        return
    if config.is_on("audio"):
        text = "The analogue sound output uses the PWM that the lamps are on. Switch it off, then restart the Pi."
        yield fault_result("pins", text, config.replace_line_command("dtparam=audio=on", "dtparam=audio=off"))
    elif any(module_line.startswith("snd_bcm2835 ") for module_line in host.read_text("/proc/modules").splitlines()):
        text = (
            "The driver of the analogue sound output is loaded, and uses the PWM of the lamps. Forbid it, then restart."
        )
        yield fault_result("pins", text, "echo blacklist snd_bcm2835 | sudo tee /etc/modprobe.d/pond.conf")


def _parse_number(number_text: str, default_number: int = -1) -> int:
    """A number as the firmware reads it, decimal or 0x…."""
    try:
        return int(number_text, 0)
    except ValueError:
        return default_number

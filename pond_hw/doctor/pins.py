"""GPIOs that two want: the board, and something that config.txt switches on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.board_needs import bus_pins, by_pulses, uses
from pond_hw.doctor.boot_config import Config, Overlay
from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.drivers.pi_machine import Machine
from pond_hw.profile.board_profile import Expanders, Profile
from pond_hw.profile.pi_header import I2C, SPI0, SPI1

SOUND = (18, 19, 20, 21)
"""Digital sound (I2S), on the PCM pins."""

SERIAL = (14, 15)
"""The serial port, UART0."""

PARAMETERS: dict[str, dict[str, int]] = {
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

SOUND_CARDS = (
    *("hifiberry", "iqaudio", "justboom", "allo-", "audioinjector", "i2s-", "max98357a", "googlevoicehat", "rpi-dac"),
    *("adau", "dionaudio", "fe-pi-audio", "merus-amp", "rra-digidac1", "wm8960", "akkordion", "applepi-dac"),
)
"""What the names of overlays begin with that use the PCM pins."""


class Taken(NamedTuple):
    """Something in config.txt that takes GPIOs: what it is called, which GPIOs, and the line that takes it away."""

    what: str
    pins: tuple[int, ...]
    mend: str


def look(around: Surroundings, config: Config, profile: Profile) -> Iterator[Found]:
    """Every GPIO that the board and something else want."""
    wanted, buses = uses(profile), bus_pins(profile, around.machine)
    clashes = list(_clashes(around.machine, config, wanted, buses))
    clashes += _on_the_bus(config, profile)
    clashes += _sound(around, config, profile)
    yield from clashes
    if not clashes:
        yield good("pins", f"Nothing in {config.place} takes a GPIO of the board.")


def _clashes(machine: Machine, config: Config, wanted: dict[int, str], buses: dict[int, str]) -> Iterator[Found]:
    for taken in _taken(machine, config, buses):
        if both := [pin for pin in taken.pins if pin in wanted]:
            told = _listed([f"GPIO {pin} ({wanted[pin]})" for pin in both])
            yield fault(
                "pins", f"{taken.what} takes {told} from the board. Switch it off, then restart the Pi.", taken.mend
            )
        elif both := [pin for pin in taken.pins if pin in buses]:
            told = _listed([f"GPIO {pin} ({buses[pin]})" for pin in both])
            yield fault(
                "pins", f"{taken.what} takes {told} from the board. Switch it off, then restart the Pi.", taken.mend
            )


def _taken(machine: Machine, config: Config, buses: dict[int, str]) -> Iterator[Taken]:
    """What config.txt switches on, but for what the board uses itself."""
    if config.on("spi") and "SPI0" not in buses.values():
        yield Taken("SPI", SPI0.gpios, "sudo raspi-config nonint do_spi 1")
    if config.on("i2c_arm") and "I2C" not in buses.values():
        yield Taken("I2C", I2C, "sudo raspi-config nonint do_i2c 1")
    if config.on("i2s"):
        yield Taken("Digital sound (dtparam=i2s)", SOUND, config.adding("dtparam=i2s=off"))
    if config.on("uart0") if machine.five else config.values.get("enable_uart") == "1":
        yield Taken("The serial port", SERIAL, "sudo raspi-config nonint do_serial_hw 1")
    for overlay in config.overlays:
        if pins := _pins(overlay, buses):
            yield Taken(f"The overlay {overlay.name}", pins, _away(overlay, config, buses))


def _away(overlay: Overlay, config: Config, buses: dict[int, str]) -> str:
    """The command that takes from an overlay what the board needs for something else."""
    mine = [at for at, pin in enumerate(SPI1.selects, 1) if buses.get(pin) == "SPI1"]
    if mine and overlay.name.startswith("spi1-"):
        return config.changing(overlay.line, f"dtoverlay=spi1-{max(mine)}cs")
    return config.without(overlay.line)


def _pins(overlay: Overlay, buses: dict[int, str]) -> tuple[int, ...]:
    name = overlay.name.removesuffix("-pi5")
    if name in PARAMETERS:
        told = ((overlay.params.get(param, ""), usual) for param, usual in PARAMETERS[name].items())
        return tuple(_number(pin, usual) for pin, usual in told)
    if name.startswith(SOUND_CARDS):
        return SOUND
    if name == "audremap":  # analogue sound on the header
        return (12, 13) if "pins_12_13" in overlay.params else (18, 19)
    if name.startswith("spi1-") and name[5:6] in "123":
        mine = "SPI1" in buses.values()
        selects = [_number(overlay.params.get(f"cs{at}_pin", ""), SPI1.selects[at]) for at in range(int(name[5]))]
        return (*(() if mine else SPI1.wires), *(pin for pin in selects if buses.get(pin) != "SPI1"))
    return ()


def _on_the_bus(config: Config, profile: Profile) -> Iterator[Found]:
    """Chips that the kernel would drive by itself."""
    wiring = profile.sensing.wiring
    mine = {pin.address for pin in wiring.pins.values()} if isinstance(wiring, Expanders) else set()
    for overlay in config.overlays:
        if overlay.name == "mcp23017" and _number(overlay.params.get("addr", "0x20")) in mine:
            told = (
                "The overlay mcp23017 gives a chip of the board to the kernel. That works, and nothing needs it: "
                "switch it off, then restart the Pi."
            )
            yield warning("pins", told, config.without(overlay.line))


def _sound(around: Surroundings, config: Config, profile: Profile) -> Iterator[Found]:
    """The analogue sound output, which makes its sound with the PWM."""
    if by_pulses(profile, around.machine) != "PWM":
        return
    if config.on("audio"):
        told = "The analogue sound output uses the PWM that the lamps are on. Switch it off, then restart the Pi."
        yield fault("pins", told, config.changing("dtparam=audio=on", "dtparam=audio=off"))
    elif any(line.startswith("snd_bcm2835 ") for line in around.text("/proc/modules").splitlines()):
        told = (
            "The driver of the analogue sound output is loaded, and uses the PWM of the lamps. Forbid it, then restart."
        )
        yield fault("pins", told, "echo blacklist snd_bcm2835 | sudo tee /etc/modprobe.d/pond.conf")


def _number(text: str, otherwise: int = -1) -> int:
    """A number as the firmware reads it, decimal or 0x…."""
    try:
        return int(text, 0)
    except ValueError:
        return otherwise


def _listed(things: list[str]) -> str:
    return " and ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)

"""Test benches on the simulated Pi, with shipped profiles, our drivers, the libraries and the kernel's own drivers.

They have the interface of tests/board/benches.py, but time passes by itself.
"""

import time
from pathlib import Path
from random import Random
from typing import ClassVar

from pond_hw.board_factory import build_board
from pond_hw.profile.pi_header import SPI1
from tests.board.benches import MAGNET_COUNTS, Bench, QuasiBidirectionalBench
from tests.board.pins import REST
from tests.kernel.breadboard import do, is_time_simulated, read_state

BUS = Path("/sys/bus/i2c/devices/i2c-1")


class PiBench(Bench):
    """Open board on the simulated Pi.

    Attributes:
        sensor_events: all reported events.
        reported_at: time of the latest report.
        board: the board under test.
        late: seconds by which a thread may wake up late.
    """

    now = staticmethod(time.monotonic)

    def __init__(self, name):
        self.late = 0.0 if is_time_simulated() else 0.4
        self.long_seconds = 60.0 if is_time_simulated() else 15.0
        self.pair_count = 40 if is_time_simulated() else 12
        self.short_share = 0.8 if is_time_simulated() else 0.3  # in real time a busy machine may end a change late
        super().__init__(name, None)

    def setup(self, tools):
        """Connect the parts on the breadboard."""
        self.do("diodes 1", "deaf 0", *(f"lift {pin}" for pin in range(28)))

    def build(self, tools):
        return build_board(self.profile, self.now)

    do = staticmethod(do)

    @property
    def report_delay(self):
        return super().report_delay + self.late

    def open(self):
        self.board.open(self.put)

    def wait(self, seconds):
        time.sleep(seconds)

    def set(self, cell, *, down):
        self.do(*self.touch_commands(cell, down=down))

    def set_all(self, *, down):
        self.do(*(line for cell in self.cells for line in self.touch_commands(cell, down=down)))

    def touch_commands(self, cell, *, down):
        """Return the breadboard's commands to press or release a cell, or to place or remove a piece."""
        raise NotImplementedError

    def set_briefly(self, cell, seconds, *, down):
        later = self.touch_commands(cell, down=not down)
        self.do(*self.touch_commands(cell, down=down), *(f"in {seconds * 1e6:.0f} {line}" for line in later))
        self.wait(seconds)

    def bounce(self, cell, *, down, seconds=0.005, seed=0):
        rng, at, lines = Random(seed), 0.0, []
        while at < seconds:
            lines += [f"in {at * 1e6:.0f} {line}" for line in self.touch_commands(cell, down=rng.random() < 0.5)]
            at += rng.uniform(0.0002, 0.001)
        self.do(*lines, *(f"in {seconds * 1e6:.0f} {line}" for line in self.touch_commands(cell, down=down)))
        self.wait(seconds)

    def press_key(self, *, down):
        self.do(f"{'ground' if down else 'lift'} {self.profile.undo_key_pin}")

    def press_turn_key(self, side):
        """Press and release the turn key of a side."""
        for command in ("ground", "lift"):
            self.do(f"{command} {self.profile.turn_key_pins[side]}")
            self.wait(self.hold + 3 * self.period)


class DirectOnPi(PiBench):
    def touch_commands(self, cell, *, down):
        return [f"{'ground' if down else 'lift'} {self.profile.sensing.wiring.pins[cell]}"]


class MatrixLines:
    """Lines of a matrix on the breadboard, with the interface of `MatrixFactory`."""

    grounded = property(lambda self: self)

    def __init__(self):
        self._diodes = True

    def add(self, pin):
        do(f"ground {pin}")

    def discard(self, pin):
        do(f"lift {pin}")

    @property
    def diodes(self):
        return self._diodes

    @diodes.setter
    def diodes(self, present):
        self._diodes = present
        do(f"diodes {present:d}")

    @property
    def shorted(self):
        return int(read_state()["shorts"])


class MatrixOnPi(PiBench):
    def setup(self, tools):
        super().setup(tools)
        self.do(*(f"part {each.drive} {each.sense}" for each in self.profile.sensing.wiring.crossings.values()))
        self.pins = MatrixLines()

    def touch_commands(self, cell, *, down):
        crossing = self.profile.sensing.wiring.crossings[cell]
        return [f"{'close' if down else 'part'} {crossing.drive} {crossing.sense}"]


class Expander:
    """MCP23017 on the simulated Pi's bus."""

    GPPU = 0x0C

    def __init__(self, address):
        self._name = f"{address:02x}"

    def __setattr__(self, name, value):
        if name == "floating":
            do(f"floating {self._name} {value:04x}")
        super().__setattr__(name, value)

    def reset(self):
        do(f"reset {self._name}")

    @property
    def registers(self):
        return bytes.fromhex(read_state()[self._name])

    def word(self, register):
        return int.from_bytes(self.registers[register : register + 2], "little")


class ExpanderChips(dict):
    """Expanders by address. Deleting one unplugs it."""

    def __delitem__(self, address):
        super().__delitem__(address)
        do(f"unplug {address:02x}")


class PiWire:
    """I2C bus with faults, as in tests/board/i2c.py."""

    FAULTS: ClassVar = {
        "nak_share": "nak {0:.0f}",
        "dead": "dead {0:d}",
        "sda_low": "held {0:d}",
        "constant_byte": "says {0}",
    }

    def __init__(self, addresses, chip=""):
        self.chips = ExpanderChips({address: Expander(address) for address in addresses})
        do(*(f"plug {address:02x} {chip}".strip() for address in addresses))
        self.nak_share, self.dead, self.sda_low, self.constant_byte = 0, False, False, None

    def __setattr__(self, name, value):
        if name in self.FAULTS:
            text = value
            if name == "nak_share":
                text = value * 1e6
            elif name == "constant_byte":
                text = "chips" if value is None else f"{value:02x}"
            do(self.FAULTS[name].format(text))
        super().__setattr__(name, value)

    @property
    def transfers(self):
        return int(read_state()["transfers"])

    @property
    def timeout(self):
        return int(read_state()["patience"]) / 1000


def bind_kernel_driver(address):
    """Bind the kernel's own driver to the chip, as dtoverlay=mcp23017 does."""
    if not (BUS / f"1-{address:04x}").exists():
        (BUS / "new_device").write_text(f"mcp23017 0x{address:02x}")
    assert list((BUS / f"1-{address:04x}").glob("gpiochip*"))


class ExpanderOnPi(PiBench):
    def setup(self, tools):
        super().setup(tools)
        addresses = sorted({pin.address for pin in self.profile.sensing.wiring.pins.values()})
        self.wire = PiWire(addresses)
        if self.name.endswith("by the kernel"):
            for address in addresses:
                bind_kernel_driver(address)
        self.do(*(line for cell in self.cells for line in self.touch_commands(cell, down=False)))

    def touch_commands(self, cell, *, down):
        wiring = self.profile.sensing.wiring
        return [f"{'ground' if down else 'lift'} {wiring.chip.draw_pin(wiring.pins[cell])}"]


class QuasiBidirectionalOnPi(PiBench):
    """Board with PCF8575s in place of its MCP23017s."""

    load = QuasiBidirectionalBench.load

    def setup(self, tools):
        super().setup(tools)
        self.wire = PiWire(sorted({pin.address for pin in self.profile.sensing.wiring.pins.values()}), "pcf8575")
        self.do(*(line for cell in self.cells for line in self.touch_commands(cell, down=False)))

    def touch_commands(self, cell, *, down):
        pin = self.profile.sensing.wiring.pins[cell]
        return [f"{'ground' if down else 'lift'} {pin.address:02x}.{'AB'[int(pin.port[1])]}{pin.bit}"]


class PiConverter:
    """MCP3008 connected as in the profile."""

    def __init__(self, letter, chip):
        self._letter = letter
        pins = f"{chip.clock} {chip.mosi} {chip.miso} {chip.select}"
        connection = f"spi 1 {SPI1.select_gpios.index(chip.select)}" if chip.clock == SPI1.clock else f"pins {pins}"
        do(f"chip {letter} {connection}", *(f"count {letter}{channel} {REST}" for channel in range(8)))

    def __setattr__(self, name, value):
        if name == "stuck":
            do(f"stuck {self._letter} {'no' if value is None else value}")
        super().__setattr__(name, value)


class AnalogOnPi(PiBench):
    def setup(self, tools):
        super().setup(tools)
        chips = self.profile.sensing.wiring.chips
        self.converters = {letter: PiConverter(letter, chip) for letter, chip in chips.items()}

    def touch_commands(self, cell, *, down):
        return self._counts(cell, MAGNET_COUNTS * self.profile.sensing.wiring.light * down)

    def magnet(self, cell, strength):
        self.do(*self._counts(cell, strength))

    def _counts(self, cell, strength):
        letter, channel = self.profile.sensing.wiring.channels[cell]
        return [f"count {letter}{channel} {REST + strength}"]


KINDS = {
    **dict.fromkeys(("direct", "pwm"), DirectOnPi),
    "matrix": MatrixOnPi,
    "hall-4x4": ExpanderOnPi,
    **dict.fromkeys(("hall-5x5", "owner"), AnalogOnPi),
}


def bench_on_pi(name):
    """Return the bench for a board on the simulated Pi."""
    (kind,) = (kind for start, kind in KINDS.items() if name.startswith(start))
    return QuasiBidirectionalOnPi(name) if "PCF8575" in name else kind(name)

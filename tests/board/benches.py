"""Test benches for every board, with shipped profiles, our drivers, the real libraries, and simulated hardware below them.

Only `RealBench` asks a person to press buttons.
"""

import re
import time
from dataclasses import replace
from random import Random

import gpiozero
import pytest

from pond_hw.board import Frame, HealthEvent, KeyEvent, Touch
from pond_hw.board_factory import build_board
from pond_hw.drivers.debounce import MAX_REST_SECONDS
from pond_hw.drivers.mcp3008 import BIT_BANGED_INTERVAL
from pond_hw.drivers.usb_config import make_board_config
from pond_hw.profile import load_profile, parse_profile
from pond_hw.profile.board_profile import AnalogWiring
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import get_grid
from tests.board.i2c import Mcp23017, Pcf8575, Seesaw, Wire, plug_in, use_simulated_sleep
from tests.board.pins import REST, Converter, ConverterOnPins, MatrixFactory, SpiDev, SpiFactory, WiredFactory
from tests.clock import Clock
from tests.conftest import require
from tests.drivers.pis import make_laptop, make_pi
from tests.drivers.ws2812 import RecordedWire
from tests.pico.cable import Pico, RunningPico, in_simulated_time
from tests.simulator.keys import press_key

NAMES = (
    "simulated-4x4",
    pytest.param("simulated-5x5", marks=pytest.mark.long),
    "direct-4x4",
    pytest.param("pwm-4x4", marks=pytest.mark.long),  # has the sensors of direct-4x4
    "matrix-5x5",
    "hall-4x4",
    "hall-4x4 with PCF8575s",
    "hall-5x5",
    "owner-4x4",
    pytest.param("hall-5x5 by software", marks=pytest.mark.long),
    "neotrellis-4x4",
    "usb-direct-4x4",
    "usb-hall-4x4",
    pytest.param("usb-matrix-5x5", marks=pytest.mark.long),  # buttons are all alike to the cable
    pytest.param("usb-direct-4x4 in real time", marks=pytest.mark.slow),
)
"""Shipped boards. The board with converters also has a variant that bit-bangs all of them. It is slow, so only the
long tests use it.
"""

MAGNET_COUNTS = 200
"""Change in counts of a linear sensor when a magnet is placed on it."""


class Bench:
    """Board in simulated time. The bench polls the sensors in place of their thread.

    Attributes:
        sensor_events: all reported events.
        reported_at: time of the latest report.
        board: the board under test.
    """

    pair_count = 40  # number of pairs of cells to try
    long_seconds = 60.0  # seconds in which a rare event would happen
    short_share = 0.8  # share of the debounce time that a contact is too short to count

    def __init__(self, name, tools):
        self.name, self.profile = name, self.load(name.partition(" ")[0])
        self.size, self.cells = self.profile.size, get_grid(self.profile.size).cells
        self.pieces = self.profile.sensing.kind == "hall"
        self.hold, self.period = self.profile.sensing.debounce_seconds, 1 / self.profile.sensing.scan_rate
        self.clock, self.sensor_events, self.reported_at = Clock(), [], 0.0
        self.setup(tools)
        self.board = self.build(tools)
        self.due = 0.0

    def load(self, name):
        return load_profile(name)

    def setup(self, tools):
        """Replace a Pi's hardware with simulated hardware."""
        tools.pins(WiredFactory())

    def build(self, tools):
        """Build the board without opening it."""
        machine = make_pi(tools.folder, mocked=True)
        return build_board(self.profile, self.now, machine=machine, wire=self.make_lamp_wire())

    def make_lamp_wire(self):
        return RecordedWire()

    def now(self):
        return self.clock.now()

    @property
    def report_delay(self):
        """Seconds after which a change is reported."""
        readings = BIT_BANGED_INTERVAL if isinstance(self.profile.sensing.wiring, AnalogWiring) else 1
        return self.hold + max(6 * self.period, readings * MAX_REST_SECONDS + 3 * self.period)

    def open(self):
        self.board.lamps.open()
        self.board.sensors.open_unthreaded(self.put)
        self.due = self.clock.now()

    def put(self, sensor_events):
        self.sensor_events.append(sensor_events)
        self.reported_at = self.now()

    def close(self):
        self.board.close()

    def wait(self, seconds):
        """Advance the time, reading the sensors at their rate."""
        end = self.clock.now() + seconds
        while self.due <= end:
            self.clock.reach(self.due)
            self.board.sensors.poll(self.clock.now())
            self.due = max(self.due + self.board.sensors.pause_seconds, self.clock.now())
        self.clock.reach(end)

    def press(self, cell):
        self.set(cell, down=True)

    def release(self, cell):
        self.set(cell, down=False)

    def set(self, cell, *, down):
        raise NotImplementedError

    def set_all(self, *, down):
        """Press or release all cells at the same instant, as a loose wire does."""
        for cell in self.cells:
            self.set(cell, down=down)

    def _light(self, cell):
        """Light the requested cell dimly."""
        lamps = self.board.lamps
        light = bytes([20, 20, 20]) * lamps.lamps
        data = b"".join(light if each == cell else bytes(len(light)) for each in self.cells)
        lamps.show(Frame(self.size, lamps.lamps, data + bytes(6 * lamps.strip), lamps.strip))

    def release_while_closed(self, cell):
        """Release a cell while the board is closed."""
        self.release(cell)

    def press_key(self, *, down):
        self.ground(gpiozero.Device.pin_factory.grounded, self.profile.undo_key_pin, down=down)

    @staticmethod
    def ground(grounded, name, *, down):
        if down:
            grounded.add(name)
        else:
            grounded.discard(name)

    def set_briefly(self, cell, seconds, *, down):
        """Close or open a contact for this time only."""
        self.set(cell, down=down)
        self.wait(seconds)
        self.set(cell, down=not down)

    def bounce(self, cell, *, down, seconds=0.005, seed=0):
        """Let a contact chatter before it stays closed or open."""
        rng, end = Random(seed), self.clock.now() + seconds
        while self.clock.now() < end:
            self.set(cell, down=rng.random() < 0.5)
            self.wait(rng.uniform(0.0002, 0.001))
        self.set(cell, down=down)

    def take_touches(self):
        """Return all touches since the last call, without their times. Any other event fails the test."""
        reports = [(each.cell, each.down) for each in self.sensor_events if isinstance(each, Touch)]
        others = [each for each in self.sensor_events if not isinstance(each, Touch)]
        assert others == []
        self.sensor_events.clear()
        return reports

    def take_health_events(self):
        """Return all health events since the last call."""
        reports = [each for each in self.sensor_events if isinstance(each, HealthEvent)]
        self.sensor_events[:] = [each for each in self.sensor_events if not isinstance(each, HealthEvent)]
        return reports

    def take_key_events(self):
        """Return all events of the undo key."""
        reports = [each.down for each in self.sensor_events if isinstance(each, KeyEvent)]
        assert len(reports) == len(self.sensor_events)
        self.sensor_events.clear()
        return reports


class SimulatedBench(Bench):
    def make_lamp_wire(self):
        return None

    def open(self):
        self.board.open(self.sensor_events.append)

    def wait(self, seconds):
        self.clock.sleep(seconds)

    def set(self, cell, *, down):
        (self.board.sensors.press if down else self.board.sensors.release)(cell)

    def press_key(self, *, down):
        press_key(self.board.sensors, down=down)


class DirectBench(Bench):
    def set(self, cell, *, down):
        self.ground(gpiozero.Device.pin_factory.grounded, self.profile.sensing.wiring.pins[cell], down=down)


class MatrixBench(Bench):
    def setup(self, tools):
        self.pins = MatrixFactory(self.profile.sensing.wiring.crossings.values())
        tools.pins(self.pins)

    def set(self, cell, *, down):
        self.ground(self.pins.closed, self.profile.sensing.wiring.crossings[cell], down=down)


class AnalogBench(Bench):
    """Board with linear hall sensors.

    Attributes:
        converters: the MCP3008s by letter.
    """

    def setup(self, tools):
        wiring = self.profile.sensing.wiring
        hardware = "software" not in self.name
        self.pair_count = 40 if hardware else 10
        factory = SpiFactory(hardware=hardware)
        tools.pins(factory)
        self.converters = {letter: Converter() for letter in wiring.chips}
        found = {}
        for letter, chip in wiring.chips.items():
            if hardware and chip.clock == 21:
                found[1, (18, 17, 16).index(chip.select)] = self.converters[letter]
            else:
                ConverterOnPins(chip, self.converters[letter], factory)
        tools.patch("gpiozero.pins.local.SpiDev", type("Found", (SpiDev,), {"converters": found}))

    def set(self, cell, *, down):
        self.magnet(cell, MAGNET_COUNTS * self.profile.sensing.wiring.light * down)

    def magnet(self, cell, strength):
        """Put a magnet of this strength, in counts, over a cell; negative for the other pole, 0 for none."""
        letter, channel = self.profile.sensing.wiring.channels[cell]
        self.converters[letter].counts[channel] = REST + strength


class I2cBench(Bench):
    """Board on I2C.

    Attributes:
        wire: the bus.
        library: library that contains the chips' driver.
    """

    library = ""

    def setup(self, tools):
        require("smbus2", "it drives the I2C bus")
        require(self.library, "it drives the chips")
        super().setup(tools)
        self.wire = Wire(self.clock)
        plug_in(self.wire, tools.patch, tools.folder)


class ExpanderBench(I2cBench):
    library = "adafruit_mcp230xx"

    def setup(self, tools):
        super().setup(tools)
        for pin in self.profile.sensing.wiring.pins.values():
            self.wire.chips.setdefault(pin.address, Mcp23017())

    def set(self, cell, *, down):
        pin = self.profile.sensing.wiring.pins[cell]
        chip, bit = self.wire.chips[pin.address], 1 << pin.bit + 8 * (pin.port == "GPB")
        chip.grounded = chip.grounded | bit if down else chip.grounded & ~bit


class QuasiBidirectionalBench(I2cBench):
    """Board with PCF8575s in place of its MCP23017s."""

    library = "smbus2"

    def load(self, name):
        return parse_profile(with_pcf8575s((BOARDS_FOLDER / f"{name}.toml").read_text(encoding="utf-8")), name)

    def setup(self, tools):
        super().setup(tools)
        for pin in self.profile.sensing.wiring.pins.values():
            self.wire.chips.setdefault(pin.address, Pcf8575())

    def set(self, cell, *, down):
        pin = self.profile.sensing.wiring.pins[cell]
        chip, bit = self.wire.chips[pin.address], 1 << pin.bit + 8 * (pin.port == "P1")
        chip.grounded = chip.grounded | bit if down else chip.grounded & ~bit


def with_pcf8575s(text):
    """Return a profile with PCF8575s on the pins of its MCP23017s."""
    text = text.replace('driver = "mcp23017"', 'driver = "pcf8575"')
    return re.sub(r"\b(2[0-7])\.([AB])([0-7])", lambda pin: f"{pin[1]}.P{'AB'.index(pin[2])}{pin[3]}", text)


class TrellisBench(I2cBench):
    """Board that is a NeoTrellis.

    Attributes:
        chip: its processor.
    """

    library = "adafruit_neotrellis"

    def setup(self, tools):
        super().setup(tools)
        self.chip = self.wire.chips[self.profile.sensing.wiring.address] = Seesaw(self.clock)
        self.clock.sleep(1.0)  # it has been up for a while
        use_simulated_sleep(self.clock, tools.patch)

    def make_lamp_wire(self):
        return None

    def set(self, cell, *, down):
        self.chip.press(self.profile.sensing.wiring.keys[cell], down=down)


class UsbBench(Bench):
    """Board on a USB cable. The firmware runs behind a pseudo-terminal, in simulated time.

    Attributes:
        pico: the board at the other end of the cable.
    """

    STEP = 0.001

    def setup(self, tools):
        require("serial", "it drives the cable")
        self.config = make_board_config(self.profile)
        self.pico = Pico(self.config.text, self.now)
        self.pico_due = 0.0
        tools.at_end(self.pico.close)
        tools.patch("pond_hw.drivers.usb_board.sleep", self.sleep)
        in_simulated_time([self.pico], tools.patch)

    def build(self, tools):
        machine = replace(make_laptop(tools.folder), usb_boards=self.pico.ports)
        return build_board(self.profile, self.now, machine=machine)

    @property
    def report_delay(self):
        return self.hold + 0.04

    def sleep(self, seconds):
        end = self.clock.now() + seconds
        while self.pico_due <= end:
            self.clock.reach(self.pico_due)
            self.pico.step()
            self.pico_due += self.STEP
        self.clock.reach(end)

    def wait(self, seconds):
        end = self.clock.now() + seconds
        while self.due <= end:
            self.sleep(max(0.0, self.due - self.clock.now()))
            self.board.sensors.poll(self.clock.now())
            self.due = max(self.due + self.board.sensors.pause_seconds, self.clock.now())
        self.sleep(max(0.0, end - self.clock.now()))

    def set(self, cell, *, down):
        self.ground(self.pico.down, self.config.cell_inputs[self.cells.index(cell)], down=down)

    def release_while_closed(self, cell):
        """Release a cell. The Pico debounces the release while the board is closed."""
        super().release_while_closed(cell)
        self.sleep(self.hold + 0.02)

    def press_key(self, *, down):
        self.ground(self.pico.down, self.config.key_inputs["key"], down=down)


class RunningUsbBench(UsbBench):
    """Board on a USB cable in real time. The Pico and the scan run in threads."""

    pair_count = 5
    long_seconds = 3.0

    def sleep(self, seconds):
        time.sleep(seconds + 0.2)

    def setup(self, tools):
        self.now = time.monotonic
        super().setup(tools)
        tools.patch("pond_hw.drivers.usb_board.sleep", time.sleep)
        self.pico.in_flight = None
        tools.at_end(RunningPico(self.pico).__exit__)

    @property
    def report_delay(self):
        return self.hold + 0.2

    def open(self):
        self.board.open(self.put)

    def wait(self, seconds):
        """Wait long enough for both threads to run, even on a busy machine."""
        steps, polls, give_up_at = self.pico.steps, self.board.sensors.poll_count, time.monotonic() + seconds + 10.0
        time.sleep(seconds)
        while self.pico.steps < steps + 50 or self.board.sensors.poll_count < polls + 25:
            assert time.monotonic() < give_up_at
            time.sleep(0.01)

    def bounce(self, cell, *, down, seconds=0.005, seed=0):
        rng, end = Random(seed), time.monotonic() + seconds
        while time.monotonic() < end:
            self.set(cell, down=rng.random() < 0.5)
            time.sleep(rng.uniform(0.0002, 0.001))
        self.set(cell, down=down)

    def set_briefly(self, cell, seconds, *, down):
        pytest.skip("real threads cannot be timed that exactly")


class RealBench:
    """Real board, operated by a person. Tests that need simulated hardware are skipped.

    Attributes:
        sensor_events: all reported events.
    """

    PATIENCE = 30.0
    pair_count = 3
    now = staticmethod(time.monotonic)

    def __init__(self, name):
        self.name, self.profile = name, load_profile(name)
        self.size, self.cells = self.profile.size, get_grid(self.profile.size).cells
        self.pieces = self.profile.sensing.kind == "hall"
        self.hold, self.report_delay = (
            self.profile.sensing.debounce_seconds,
            self.profile.sensing.debounce_seconds + 0.2,
        )
        self.sensor_events = []
        self.board = build_board(self.profile, time.monotonic)

    def open(self):
        self.board.open(self.sensor_events.append)
        self._light(None)

    def close(self):
        self.board.close()

    def wait(self, seconds):
        time.sleep(seconds)

    def press(self, cell):
        self._ask(f"{'Put a piece' if self.pieces else 'Press and hold your finger'} on {cell}", cell, down=True)

    def release(self, cell):
        self._ask(f"{'Take the piece' if self.pieces else 'Let'} off {cell}", cell, down=False)

    def _ask(self, what, cell, *, down):
        self._light(cell)
        print(f"  {what} ... ", end="", flush=True)
        until = time.monotonic() + self.PATIENCE
        while bool(self.board.sensors.levels[self.cells.index(cell)]) != down:
            if time.monotonic() > until:
                pytest.fail(f"Nothing was sensed on {cell} for {self.PATIENCE:.0f} seconds.")
            time.sleep(0.01)
        print("thank you")

    def set_all(self, *, down):
        for cell in self.cells:
            (self.press if down else self.release)(cell)

    def release_while_closed(self, cell):
        input(f"  Take what is on {cell} away, then press Enter ... ")

    def bounce(self, cell, **options):
        pytest.skip("real buttons bounce by themselves")

    def set_briefly(self, cell, seconds, **options):
        pytest.skip("no person is quick enough")

    def press_key(self, **options):
        pytest.skip("the key is not tested here")

    take_touches, take_health_events = Bench.take_touches, Bench.take_health_events
    take_key_events = Bench.take_key_events


KINDS = {
    "simulated": SimulatedBench,
    "direct": DirectBench,
    "pwm": DirectBench,
    "matrix": MatrixBench,
    "hall-4x4": ExpanderBench,
    "hall-5x5": AnalogBench,
    "owner-4x4": AnalogBench,
    "neotrellis": TrellisBench,
    "usb": UsbBench,
}


def bench_for(name, tools):
    """Return the bench for a board."""
    (kind,) = (kind for start, kind in KINDS.items() if name.startswith(start))
    if "PCF8575" in name:
        kind = QuasiBidirectionalBench
    if "real time" in name:
        kind = RunningUsbBench
    return kind(name, tools)

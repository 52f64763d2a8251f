"""Simulated wiring of a netlist: current is traced through the parts, and the real drivers read the result.

This module knows part types and header pin numbers, but no profiles.
"""

from threading import Event

import gpiozero

from pond_hw.board_factory import build_board
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.fabrication.netlist import PartPin, PinKind
from pond_hw.rules import STANDARD, VARIANTS
from pond_hw.session import Session
from pond_hw.setup.controller import PolledBoard
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.board.i2c import Mcp23017, Pcf8575, Wire, plug_in
from tests.board.pins import REST, ConverterOnPins, SpiDev, SpiFactory
from tests.drivers.pis import make_pi
from tests.drivers.ws2812 import RecordedWire

GPIO = dict(
    zip(
        (27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13),
        range(28),
        strict=True,
    )
)
"""GPIO of each header pin, copied from the official drawing of the Pi."""

MAGNET_COUNTS = 200
"""Change in counts of a linear sensor's reading under a magnet."""


class Copper:
    """Parts connected to a Pi's header.

    Attributes:
        pressed: parts with a closed switch or a magnet.
    """

    def __init__(self, netlist):
        self.netlist, self.pressed = netlist, set()
        self.outputs = {}  # states of driven GPIOs

    def net(self, ref, name):
        part = self.netlist.parts[ref]
        return next((self.netlist.net_of(PartPin(ref, pin)) for pin in part.pins if part.pins[pin].name == name), None)

    def ends(self, net):
        return self.netlist.nets.get(net, ())

    def is_low(self, net):
        """Return True if current can flow from this net to ground."""
        seen, frontier = set(), [net]
        while frontier:
            here = frontier.pop()
            if here in seen or here is None:
                continue
            seen.add(here)
            for end in self.ends(here):
                part, pin = self.netlist.parts[end.part], self.netlist.pin_at(end)
                if pin.pin_kind is PinKind.GROUND:
                    return True
                if end.part == "J1" and self.outputs.get(GPIO.get(int(end.pin))) is False and here != net:
                    return True
                if part.part_type == "hall" and pin.name == "OUT" and end.part in self.pressed and self.has_power(part):
                    return True
                closed = part.part_type in ("button", "key") and end.part in self.pressed
                if (
                    closed
                    or part.part_type in ("resistor", "fuse")
                    or (part.part_type == "diode" and pin.name == "anode")
                ):
                    frontier.append(self.netlist.net_of(self.netlist.other_pin(end)))
        return False

    def has_power(self, part):
        """Return True if a chip has supply and ground."""
        rails = {pin.pin_kind: self.netlist.net_of(PartPin(part.ref, number)) for number, pin in part.pins.items()}
        fed = any(self.netlist.pin_at(end).pin_kind is PinKind.SUPPLY for end in self.ends(rails.get(PinKind.FED)))
        return fed and any(end.part == "J1" for end in self.ends(rails.get(PinKind.GROUND)))

    def gpio(self, net):
        return next((GPIO[int(end.pin)] for end in self.ends(net) if end.part == "J1" and int(end.pin) in GPIO), None)

    def chain(self, gpio):
        """Return the lamps fed by a GPIO, in the order of the data."""
        net = next((net for net in self.netlist.nets if self.gpio(net) == gpio), None)
        lamps = []
        while net is not None:
            here, net = net, None
            for end in self.ends(here):
                part, name = self.netlist.parts[end.part], self.netlist.pin_at(end).name
                if (
                    part.part_type == "shifter"
                    and name.endswith("A")
                    and self.is_low(self.net(part.ref, f"{name[0]}OE"))
                ):
                    net = self.net(part.ref, f"{name[0]}Y")
                elif part.part_type == "resistor" and end.pin == "1" and part.ref == "R1":
                    net = self.netlist.net_of(self.netlist.other_pin(end))
                elif part.part_type == "lamp" and name == "DIN" and part not in lamps:
                    lamps.append(part)
                    net = self.net(part.ref, "DOUT")
        return lamps


class Header(SpiFactory):
    """gpiozero's mock pins, connected to simulated wiring."""

    def __init__(self, copper):
        self.copper = copper
        super().__init__(hardware=True)
        # Cached, because every reading of a pin needs them.
        self._infos = {number: self._on_header(number) for number in GPIO.values()}
        self._nets = {gpio: net for net in reversed(copper.netlist.nets) if (gpio := copper.gpio(net)) is not None}

    def pulled_low(self, number):
        self.copper.outputs = {
            gpio: bool(pin._state)
            for gpio, info in self._infos.items()
            if (pin := self.pins.get(info)) and pin.function == "output"
        }
        return self.copper.is_low(self._nets.get(number))

    def _on_header(self, gpio):
        return next(info for _, info in self.board_info.find_pin(f"GPIO{gpio}"))


class Expander(Mcp23017):
    """MCP23017 on the pins given by the netlist."""

    def __init__(self, copper, ref):
        self._copper, self._ref = copper, ref
        super().__init__()

    @property
    def grounded(self):
        ports = {f"GP{port}{bit}": bit + 8 * (port == "B") for port in "AB" for bit in range(8)}
        return sum(1 << bit for name, bit in ports.items() if self._copper.is_low(self._copper.net(self._ref, name)))

    @grounded.setter
    def grounded(self, bits):
        assert bits == 0


class QuasiBidirectional(Pcf8575):
    """PCF8575 on the pins given by the netlist."""

    def __init__(self, copper, ref):
        self._copper, self._ref = copper, ref
        super().__init__()

    @property
    def grounded(self):
        names = [f"P{port}{bit}" for port in range(2) for bit in range(8)]
        return sum(1 << bit for bit, name in enumerate(names) if self._copper.is_low(self._copper.net(self._ref, name)))

    @grounded.setter
    def grounded(self, bits):
        assert bits == 0


class Converter:
    """MCP3008 on the inputs given by the netlist. A magnet's pole depends on its owner."""

    def __init__(self, copper, ref, poles):
        self._copper, self._ref, self._poles = copper, ref, poles

    def answer(self, channel):
        for end in self._copper.ends(self._copper.net(self._ref, f"CH{channel}")):
            part = self._copper.netlist.parts[end.part]
            if part.part_type == "linear hall" and self._copper.has_power(part):
                return REST + MAGNET_COUNTS * self._poles.get(part.ref, 0) * (part.ref in self._copper.pressed)
        return 0


class WiredBoard:
    """Companion with a simulated board. Its drivers read the simulated wiring."""

    def __init__(self, profile, netlist, tools):
        self.profile, self.clock = profile, SimulatedClock()
        self.copper, self.poles, self.wire = Copper(netlist), {}, RecordedWire()
        tools.pins(Header(self.copper))
        self._chips(tools)
        board = build_board(profile, self.clock.now, machine=make_pi(tools.folder, mocked=True), wire=self.wire)
        self.sensors = board.sensors
        pond = STANDARD if profile.size == 4 else VARIANTS["big"]
        board_state = PieceOptions().initial_board_state() if board.sensors.has_pieces else None
        session = Session.start_game(pond, profile.size, board_state=board_state)
        self.companion = Companion(PolledBoard(board.sensors, board.lamps), session, self.clock)
        self.companion.step()

    def _chips(self, tools):
        copper, found = self.copper, {}
        for part in copper.netlist.parts_of_type("converter"):
            nets = [copper.net(part.ref, name) for name in ("CLK", "DIN", "DOUT", "CS")]
            adc = type("Adc", (), dict(zip(("clock", "mosi", "miso", "select"), map(copper.gpio, nets), strict=True)))
            chip = Converter(copper, part.ref, self.poles)
            if (adc.clock, adc.mosi, adc.miso) == (21, 20, 19) and adc.select in (18, 17, 16):
                found[1, (18, 17, 16).index(adc.select)] = chip
            else:
                ConverterOnPins(adc, chip, gpiozero.Device.pin_factory)
        tools.patch("gpiozero.pins.local.SpiDev", type("Found", (SpiDev,), {"converters": found}))
        bus = Wire(self)
        for part in copper.netlist.parts_of_type("expander", "pcf8575"):
            chip_class = Expander if part.part_type == "expander" else QuasiBidirectional
            on = [copper.gpio(copper.net(part.ref, name)) for name in ("SDA", "SCL")] == [2, 3]
            high = [not copper.is_low(copper.net(part.ref, f"A{bit}")) for bit in range(3)]
            if on and copper.has_power(part):
                bus.chips[0x20 + sum(1 << bit for bit in range(3) if high[bit])] = chip_class(copper, part.ref)
        plug_in(bus, tools.patch, tools.folder)

    def sleep(self, seconds):
        """Simulate the time that a bus transfer takes."""
        self.clock.wait(self.clock.now() + seconds, Event())

    def wait(self, seconds):
        end = self.clock.now() + seconds
        while self.clock.now() < end - 1e-9:
            self.clock.wait(min(end, self.clock.now() + self.sensors.pause_seconds), Event())
            self.sensors.poll(self.clock.now())
            self.companion.step()

    def press(self, cell):
        """Press a cell's button, or put down a piece of the side to move."""
        sensor = next(p for p in self.copper.netlist.parts_of_type("button", "hall", "linear hall") if p.cell == cell)
        pole = getattr(self.profile.sensing.wiring, "light", 1)
        self.poles[sensor.ref] = -pole if self.companion.session.position.to_move else pole
        self.copper.pressed.add(sensor.ref)
        self.wait(self.profile.sensing.debounce_seconds + self.profile.sensing.settle_seconds + 0.3)
        if sensor.part_type == "button":
            self.copper.pressed.discard(sensor.ref)
            self.wait(self.profile.sensing.debounce_seconds + 0.3)

    @property
    def played_cells(self):
        """Cells in which eggs were placed."""
        return [turn.action.target for turn in self.companion.session.turns]

    def read_lamps(self):
        """Return the red, green and blue of each lamp, by cell and number within the cell."""
        order = [self.profile.chain.colour_order.index(colour) for colour in "RGB"]
        shown = {}
        for number, lamp in enumerate(self.copper.chain(self.profile.chain.data_pin)):
            triple = self.wire.sent[-1][3 * number : 3 * number + 3]
            shown[lamp.cell, lamp.index] = tuple(triple[place] for place in order)
        return shown

    def close(self):
        self.companion.close()

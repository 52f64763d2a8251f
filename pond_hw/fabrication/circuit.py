"""From a profile to the netlist of its board.

cells    a button to ground | a button and a diode at a crossing | a hall sensor with its capacitor
header   the GPIOs that the drivers use, as they use them
lamps    GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> ... ; 5 V through a fuse, 1000 µF where the chain begins
"""

from __future__ import annotations

from typing import assert_never

from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.netlist import Draft, End, Kind, Netlist, Part, Pin
from pond_hw.fabrication.part_catalogue import two
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Adc, Analog, Direct, Expanders, Matrix, Pretended, Profile, Trellis
from pond_hw.rules import Cell, PondError, grid

GROUND, LOGIC, FIVE, FED, DATA = "ground", "3.3 V", "5 V", "5 V lamps", "data"
"""Nets that every board has; `5 V` lies before the fuse, `5 V lamps` behind it, `data` at the Pi."""

FUSES = (500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000, 10_000, 12_500, 16_000, 20_000)
"""mA: the rated currents of IEC 60127 that are sold as 5 × 20 mm, and those above."""

FUSE_LOAD = 0.75
"""How much of its rated current a fuse carries all the time: what makers recommend at 25 °C."""


def circuit(profile: Profile) -> Netlist:
    """The netlist of a board.

    Raises:
        PondError: nothing of it is made of copper.
    """
    if isinstance(profile.sensing.wiring, Pretended) and profile.chain.driver == "simulated":
        raise PondError(f"{profile.name} is all simulated: there is nothing to build. Name a board that has wires.")
    board = _Board(profile)
    board.sensors()
    board.lamps()
    board.beside()
    return board.draft.done()


def fuse_for(current: float) -> int:
    """The smallest fuse that carries so many mA all the time, in mA; or the largest there is."""
    return next((fuse for fuse in FUSES if fuse * FUSE_LOAD >= current), FUSES[-1])


class _Board:
    """A board while it is put together."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.draft = Draft()
        self._pins: dict[str, Pin] = part_catalogue.rails()
        self.draft.put(Part("J1", "pi", self._pins))
        logic = not isinstance(profile.sensing.wiring, Direct | Matrix | Pretended) or profile.sensing.kind == "hall"
        rails = {GROUND: True, LOGIC: logic, FED: profile.chain.pin is not None}
        used = {**rails, FIVE: self._on_the_pins}
        for number, pin in tuple(self._pins.items()):
            if used[pin.name]:
                self.draft.join(pin.name, End("J1", number))
            else:
                del self._pins[number]
        if isinstance(profile.sensing.wiring, Trellis):
            return  # four wires, straight from the header
        volts = {GROUND: 0.0, LOGIC: part_catalogue.LOGIC, FED: part_catalogue.LAMPS}
        strips = {
            str(number): Pin(net, Kind.PASSIVE, lies=volts[net]) for number, net in enumerate(rails, 1) if rails[net]
        }
        board = self.draft.put(Part("B1", "rails", strips))
        for pin in strips.values():
            self.draft.join(pin.name, (board, pin.name))

    @property
    def _on_the_pins(self) -> bool:
        """Whether the lamps hang on the Pi's own 5 V."""
        return self.profile.supply.source == "pi" and self.profile.chain.pin is not None

    def gpio(self, net: str, pin: Pin) -> None:
        """Use a GPIO, and join it to a net."""
        number = str(pi_header.PINS[int(pin.name.removeprefix("GPIO "))])
        if number not in self._pins:
            self._pins[number] = pin
            self.draft.join(net, End("J1", number))

    def fed(self, part: Part, plus: str, *more: str, net: str = LOGIC, minus: tuple[str, ...] = ("GND",)) -> Part:
        """Put in a part with its supply, and with a capacitor beside it if it needs one."""
        self.draft.put(part)
        self.draft.join(net, (part, plus), *((part, name) for name in more))
        self.draft.join(GROUND, *((part, name) for name in minus))
        if part_catalogue.SORTS[part.sort].decoupled:
            ref = "C2" if part.ref == "U1" else f"C{part.ref[1:]}"
            beside = self.draft.put(two(ref, "capacitor", value="100 nF", beside=part.ref, cell=part.cell))
            self.draft.join(net, (beside, "1"))
            self.draft.join(GROUND, (beside, "2"))
        return part

    def sensors(self) -> None:
        """What feels the cells, and what reads it."""
        wiring = self.profile.sensing.wiring
        match wiring:
            case Direct():
                for cell, gpio in wiring.pins.items():
                    self.gpio(cell, part_catalogue.reads(gpio))
                    self.sensor(cell)
            case Matrix():
                self.matrix(wiring)
            case Expanders():
                self.expanders(wiring)
            case Analog():
                self.converters(wiring)
            case Trellis():
                self.i2c()
                module = self.draft.put(part_catalogue.trellis(wiring.address, self.profile.chain.budget))
                self.draft.join(LOGIC, (module, "VIN"))
                self.draft.join(GROUND, (module, "GND"))
                self.draft.join("SDA", (module, "SDA"))
                self.draft.join("SCL", (module, "SCL"))
            case Pretended():
                pass
            case _:
                assert_never(wiring)

    def sensor(self, cell: Cell) -> None:
        """The sensor of a cell, its wire being the net of that name."""
        if self.profile.sensing.kind == "button":
            button = self.draft.put(two(f"SW_{cell}", "button", cell=cell))
            self.draft.join(cell, (button, "1"))
            self.draft.join(GROUND, (button, "2"))
        else:
            linear = isinstance(self.profile.sensing.wiring, Analog)
            part = self.fed(part_catalogue.hall(cell, linear=linear), "VCC")
            self.draft.join(cell, (part, "OUT"))

    def matrix(self, wiring: Matrix) -> None:
        """A button and a diode at every crossing, the diode's band towards the driven line."""
        for cell, (drive, sense) in wiring.crossings.items():
            self.gpio(f"sense {sense}", part_catalogue.reads(sense))
            self.gpio(f"drive {drive}", part_catalogue.pulls(drive))
            button = self.draft.put(two(f"SW_{cell}", "button", cell=cell))
            diode = self.draft.put(two(f"D_{cell}", "diode", "anode", "band", cell=cell))
            self.draft.join(f"sense {sense}", (button, "1"))
            self.draft.join(cell, (button, "2"), (diode, "anode"))
            self.draft.join(f"drive {drive}", (diode, "band"))

    def i2c(self) -> None:
        """The Pi's I2C bus."""
        data, clock = pi_header.I2C
        self.gpio("SDA", part_catalogue.pulls(data))
        self.gpio("SCL", part_catalogue.pulls(clock))

    def expanders(self, wiring: Expanders) -> None:
        """MCP23017s, each with its address, and the sensors on them."""
        self.i2c()
        chips = {}
        for address in sorted({pin.address for pin in wiring.pins.values()}):
            chip = chips[address] = self.fed(part_catalogue.expander(address), "VDD", "RESET", minus=("VSS",))
            for bit in range(3):
                self.draft.join(LOGIC if address >> bit & 1 else GROUND, (chip, f"A{bit}"))
            self.draft.join("SDA", (chip, "SDA"))
            self.draft.join("SCL", (chip, "SCL"))
        for cell, pin in wiring.pins.items():
            self.draft.join(cell, (chips[pin.address], f"GP{pin.port}{pin.bit}"))
            self.sensor(cell)

    def converters(self, wiring: Analog) -> None:
        """MCP3008s, and the linear sensors on them; inputs that are not used lie on ground."""
        chips = {}
        for letter, adc in wiring.chips.items():
            chip = chips[letter] = self.fed(part_catalogue.converter(letter), "VDD", "VREF", minus=("AGND", "DGND"))
            for net, pin, name in _spi(adc):
                self.gpio(net, pin)
                self.draft.join(net, (chip, name))
        used = {(channel.chip, channel.channel) for channel in wiring.channels.values()}
        for cell, channel in wiring.channels.items():
            self.draft.join(cell, (chips[channel.chip], f"CH{channel.channel}"))
            self.sensor(cell)
        for letter, chip in chips.items():
            spare = [(chip, f"CH{number}") for number in range(8) if (letter, number) not in used]
            self.draft.join(GROUND, *spare)

    def lamps(self) -> None:
        """The chain, with what lifts its data and what feeds it."""
        chain = self.profile.chain
        if chain.pin is None:
            return
        self.gpio(DATA, part_catalogue.drives(chain.pin))
        if self.profile.supply.source == "own":
            supply = self.draft.put(part_catalogue.supply(self.profile.supply.current))
            self.draft.join(FIVE, (supply, "+"))
            self.draft.join(GROUND, (supply, "-"))
        fuse = self.draft.put(two("F1", "fuse", value=f"{fuse_for(chain.budget) / 1000:g} A"))
        self.draft.join(FIVE, (fuse, "1"))
        self.draft.join(FED, (fuse, "2"))
        reservoir = self.draft.put(two("C1", "reservoir", "+", "-", value="1000 µF"))
        self.draft.join(FED, (reservoir, "+"))
        self.draft.join(GROUND, (reservoir, "-"))

        gates = ("1OE", "2OE", "2A", "3OE", "3A", "4OE", "4A")  # low: the first lets through, the others stand still
        shifter = self.fed(part_catalogue.shifter(), "VCC", net=FED, minus=("GND", *gates))
        down = self.draft.put(_resistor("R2", "10 kΩ", "U1", "keeps the data low until a program runs"))
        self.draft.join(DATA, (shifter, "1A"), (down, "1"))
        self.draft.join(GROUND, (down, "2"))
        series = self.draft.put(_resistor("R1", "330 Ω", "D0", "takes the ringing out of the data"))
        self.draft.join("data 5 V", (shifter, "1Y"), (series, "1"))

        places = _places(self.profile)
        before: tuple[Part, str] = (series, "2")
        for number in range(chain.count):
            lamp = self.draft.put(part_catalogue.lamp(number, *places.get(number, (None, 0))))
            self.draft.join(f"data {number}", before, (lamp, "DIN"))
            self.draft.join(FED, (lamp, "5 V"))
            self.draft.join(GROUND, (lamp, "GND"))
            before = lamp, "DOUT"

    def beside(self) -> None:
        """The key and the buzzer."""
        if self.profile.key is not None:
            key = self.draft.put(two("SW_key", "key"))
            self.gpio("key", part_catalogue.reads(self.profile.key))
            self.draft.join("key", (key, "1"))
            self.draft.join(GROUND, (key, "2"))
        if self.profile.buzzer is not None:
            buzzer = self.draft.put(two("BZ1", "buzzer"))
            series = self.draft.put(_resistor("R3", "330 Ω", "BZ1", "limits what the buzzer takes"))
            self.gpio("buzzer", part_catalogue.drives(self.profile.buzzer))
            self.draft.join("buzzer", (series, "1"))
            self.draft.join("buzzer behind R3", (series, "2"), (buzzer, "1"))
            self.draft.join(GROUND, (buzzer, "2"))


def _resistor(ref: str, value: str, beside: str, why: str) -> Part:
    return two(ref, "resistor", value=value, beside=beside, note=why)


def _spi(adc: Adc) -> tuple[tuple[str, Pin, str], ...]:
    """The four wires of a converter: the net, the GPIO as it is used, and the chip's pin."""
    return (
        (f"clock {adc.clock}", part_catalogue.drives(adc.clock), "CLK"),
        (f"mosi {adc.mosi}", part_catalogue.drives(adc.mosi), "DIN"),
        (f"miso {adc.miso}", part_catalogue.reads(adc.miso), "DOUT"),
        (f"select {adc.select}", part_catalogue.drives(adc.select), "CS"),
    )


def _places(profile: Profile) -> dict[int, tuple[Cell, int]]:
    """For each lamp in a cell its cell and which of the cell's lamps it is, in the order of a frame."""
    chain = profile.chain
    cells = grid(profile.size).cells
    return {
        number: (cells[index // chain.per_cell], index % chain.per_cell) for index, number in enumerate(chain.cells)
    }

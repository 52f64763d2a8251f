"""From a profile to the netlist of its board.

cells    a button to ground | a button and a diode at a crossing | a hall sensor with its capacitor
header   the GPIOs that the drivers use, as they use them
lamps    GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> ... ; 5 V through a fuse, 1000 µF where the chain begins
"""

from __future__ import annotations

from typing import assert_never

from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.netlist import CircuitPart, Netlist, NetlistBuilder, PartPin, Pin, PinKind
from pond_hw.fabrication.part_catalogue import two_pin_part
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import (
    AdcPins,
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.rules import Cell, PondError, get_grid

GROUND_NET, LOGIC_NET, FIVE_VOLT_NET, LAMP_SUPPLY_NET, DATA_NET = "ground", "3.3 V", "5 V", "5 V lamps", "data"
"""Nets that every board has; `5 V` lies before the fuse, `5 V lamps` behind it, `data` at the Pi."""

FUSE_RATINGS = (
    500,
    630,
    800,
    1000,
    1250,
    1600,
    2000,
    2500,
    3150,
    4000,
    5000,
    6300,
    8000,
    10_000,
    12_500,
    16_000,
    20_000,
)
"""mA: the rated currents of IEC 60127 that are sold as 5 × 20 mm, and those above."""

FUSE_LOAD = 0.75
"""How much of its rated current a fuse carries all the time: what makers recommend at 25 °C."""


def make_circuit(profile: Profile) -> Netlist:
    """The netlist of a board.

    Raises:
        PondError: nothing of it is made of copper.
    """
    if isinstance(profile.sensing.wiring, SimulatedWiring) and profile.chain.driver == "simulated":
        raise PondError(f"{profile.name} is all simulated: there is nothing to build. Name a board that has wires.")
    board = _CircuitBuilder(profile)
    board.add_sensors()
    board.add_lamps()
    board.add_controls()
    return board.draft.build_netlist()


def fuse_for(current: float) -> int:
    """The smallest fuse that carries so many mA all the time, in mA; or the largest there is."""
    return next((fuse for fuse in FUSE_RATINGS if fuse * FUSE_LOAD >= current), FUSE_RATINGS[-1])


class _CircuitBuilder:
    """A board while it is put together."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.draft = NetlistBuilder()
        self._pins: dict[str, Pin] = part_catalogue.header_rails()
        self.draft.add_part(CircuitPart("J1", "pi", self._pins))
        logic = (
            not isinstance(profile.sensing.wiring, DirectWiring | MatrixWiring | SimulatedWiring)
            or profile.sensing.kind == "hall"
        )
        rails = {GROUND_NET: True, LOGIC_NET: logic, LAMP_SUPPLY_NET: profile.chain.data_pin is not None}
        used = {**rails, FIVE_VOLT_NET: self._is_pi_powered}
        for number, pin in tuple(self._pins.items()):
            if used[pin.name]:
                self.draft.join_pins(pin.name, PartPin("J1", number))
            else:
                del self._pins[number]
        if isinstance(profile.sensing.wiring, TrellisWiring):
            return  # four wires, straight from the header
        volts = {GROUND_NET: 0.0, LOGIC_NET: part_catalogue.LOGIC_VOLTS, LAMP_SUPPLY_NET: part_catalogue.LAMP_VOLTS}
        strips = {
            str(number): Pin(net, PinKind.PASSIVE, required_rail=volts[net])
            for number, net in enumerate(rails, 1)
            if rails[net]
        }
        board = self.draft.add_part(CircuitPart("B1", "rails", strips))
        for pin in strips.values():
            self.draft.join_pins(pin.name, (board, pin.name))

    @property
    def _is_pi_powered(self) -> bool:
        """Whether the lamps hang on the Pi's own 5 V."""
        return self.profile.supply.source == "pi" and self.profile.chain.data_pin is not None

    def use_gpio(self, net: str, pin: Pin) -> None:
        """Use a GPIO, and join it to a net."""
        number = str(pi_header.HEADER_PINS[int(pin.name.removeprefix("GPIO "))])
        if number not in self._pins:
            self._pins[number] = pin
            self.draft.join_pins(net, PartPin("J1", number))

    def add_powered(
        self, part: CircuitPart, plus: str, *more: str, net: str = LOGIC_NET, minus: tuple[str, ...] = ("GND",)
    ) -> CircuitPart:
        """Put in a part with its supply, and with a capacitor beside it if it needs one."""
        self.draft.add_part(part)
        self.draft.join_pins(net, (part, plus), *((part, name) for name in more))
        self.draft.join_pins(GROUND_NET, *((part, name) for name in minus))
        if part_catalogue.PART_TYPES[part.part_type].needs_capacitor:
            ref = "C2" if part.ref == "U1" else f"C{part.ref[1:]}"
            beside = self.draft.add_part(
                two_pin_part(ref, "capacitor", value="100 nF", beside=part.ref, cell=part.cell)
            )
            self.draft.join_pins(net, (beside, "1"))
            self.draft.join_pins(GROUND_NET, (beside, "2"))
        return part

    def add_sensors(self) -> None:
        """What feels the cells, and what reads it."""
        wiring = self.profile.sensing.wiring
        match wiring:
            case DirectWiring():
                for cell, gpio in wiring.pins.items():
                    self.use_gpio(cell, part_catalogue.input_gpio(gpio))
                    self.add_sensor(cell)
            case MatrixWiring():
                self.add_matrix(wiring)
            case ExpanderWiring():
                self.add_expanders(wiring)
            case AnalogWiring():
                self.add_converters(wiring)
            case TrellisWiring():
                self.add_i2c()
                module = self.draft.add_part(part_catalogue.trellis_part(wiring.address, self.profile.chain.budget_ma))
                self.draft.join_pins(LOGIC_NET, (module, "VIN"))
                self.draft.join_pins(GROUND_NET, (module, "GND"))
                self.draft.join_pins("SDA", (module, "SDA"))
                self.draft.join_pins("SCL", (module, "SCL"))
            case SimulatedWiring():
                pass
            case _:
                assert_never(wiring)

    def add_sensor(self, cell: Cell) -> None:
        """The sensor of a cell, its wire being the net of that name."""
        if self.profile.sensing.kind == "button":
            button = self.draft.add_part(two_pin_part(f"SW_{cell}", "button", cell=cell))
            self.draft.join_pins(cell, (button, "1"))
            self.draft.join_pins(GROUND_NET, (button, "2"))
        else:
            linear = isinstance(self.profile.sensing.wiring, AnalogWiring)
            part = self.add_powered(part_catalogue.hall_sensor(cell, linear=linear), "VCC")
            self.draft.join_pins(cell, (part, "OUT"))

    def add_matrix(self, wiring: MatrixWiring) -> None:
        """A button and a diode at every crossing, the diode's band towards the driven line."""
        for cell, (drive, sense) in wiring.crossings.items():
            self.use_gpio(f"sense {sense}", part_catalogue.input_gpio(sense))
            self.use_gpio(f"drive {drive}", part_catalogue.open_drain_gpio(drive))
            button = self.draft.add_part(two_pin_part(f"SW_{cell}", "button", cell=cell))
            diode = self.draft.add_part(two_pin_part(f"D_{cell}", "diode", "anode", "band", cell=cell))
            self.draft.join_pins(f"sense {sense}", (button, "1"))
            self.draft.join_pins(cell, (button, "2"), (diode, "anode"))
            self.draft.join_pins(f"drive {drive}", (diode, "band"))

    def add_i2c(self) -> None:
        """The Pi's I2C bus."""
        data, clock = pi_header.I2C_GPIOS
        self.use_gpio("SDA", part_catalogue.open_drain_gpio(data))
        self.use_gpio("SCL", part_catalogue.open_drain_gpio(clock))

    def add_expanders(self, wiring: ExpanderWiring) -> None:
        """MCP23017s, each with its address, and the sensors on them."""
        self.add_i2c()
        chips = {}
        for address in sorted({pin.address for pin in wiring.pins.values()}):
            chip = chips[address] = self.add_powered(
                part_catalogue.expander_part(address), "VDD", "RESET", minus=("VSS",)
            )
            for bit in range(3):
                self.draft.join_pins(LOGIC_NET if address >> bit & 1 else GROUND_NET, (chip, f"A{bit}"))
            self.draft.join_pins("SDA", (chip, "SDA"))
            self.draft.join_pins("SCL", (chip, "SCL"))
        for cell, pin in wiring.pins.items():
            self.draft.join_pins(cell, (chips[pin.address], f"GP{pin.port}{pin.bit}"))
            self.add_sensor(cell)

    def add_converters(self, wiring: AnalogWiring) -> None:
        """MCP3008s, and the linear sensors on them; inputs that are not used lie on ground."""
        chips = {}
        for letter, adc in wiring.chips.items():
            chip = chips[letter] = self.add_powered(
                part_catalogue.converter_part(letter), "VDD", "VREF", minus=("AGND", "DGND")
            )
            for net, pin, name in _spi_wires(adc):
                self.use_gpio(net, pin)
                self.draft.join_pins(net, (chip, name))
        used = {(channel.chip, channel.channel) for channel in wiring.channels.values()}
        for cell, channel in wiring.channels.items():
            self.draft.join_pins(cell, (chips[channel.chip], f"CH{channel.channel}"))
            self.add_sensor(cell)
        for letter, chip in chips.items():
            spare = [(chip, f"CH{number}") for number in range(8) if (letter, number) not in used]
            self.draft.join_pins(GROUND_NET, *spare)

    def add_lamps(self) -> None:
        """The chain, with what lifts its data and what feeds it."""
        chain = self.profile.chain
        if chain.data_pin is None:
            return
        self.use_gpio(DATA_NET, part_catalogue.output_gpio(chain.data_pin))
        if self.profile.supply.source == "own":
            supply = self.draft.add_part(part_catalogue.supply_part(self.profile.supply.current_ma))
            self.draft.join_pins(FIVE_VOLT_NET, (supply, "+"))
            self.draft.join_pins(GROUND_NET, (supply, "-"))
        fuse = self.draft.add_part(two_pin_part("F1", "fuse", value=f"{fuse_for(chain.budget_ma) / 1000:g} A"))
        self.draft.join_pins(FIVE_VOLT_NET, (fuse, "1"))
        self.draft.join_pins(LAMP_SUPPLY_NET, (fuse, "2"))
        reservoir = self.draft.add_part(two_pin_part("C1", "reservoir", "+", "-", value="1000 µF"))
        self.draft.join_pins(LAMP_SUPPLY_NET, (reservoir, "+"))
        self.draft.join_pins(GROUND_NET, (reservoir, "-"))

        gates = ("1OE", "2OE", "2A", "3OE", "3A", "4OE", "4A")  # low: the first lets through, the others stand still
        shifter = self.add_powered(part_catalogue.shifter_part(), "VCC", net=LAMP_SUPPLY_NET, minus=("GND", *gates))
        down = self.draft.add_part(_make_resistor("R2", "10 kΩ", "U1", "keeps the data low until a program runs"))
        self.draft.join_pins(DATA_NET, (shifter, "1A"), (down, "1"))
        self.draft.join_pins(GROUND_NET, (down, "2"))
        series = self.draft.add_part(_make_resistor("R1", "330 Ω", "D0", "takes the ringing out of the data"))
        self.draft.join_pins("data 5 V", (shifter, "1Y"), (series, "1"))

        places = _lamp_cells(self.profile)
        before: tuple[CircuitPart, str] = (series, "2")
        for number in range(chain.lamp_count):
            lamp = self.draft.add_part(part_catalogue.lamp_part(number, *places.get(number, (None, 0))))
            self.draft.join_pins(f"data {number}", before, (lamp, "DIN"))
            self.draft.join_pins(LAMP_SUPPLY_NET, (lamp, "5 V"))
            self.draft.join_pins(GROUND_NET, (lamp, "GND"))
            before = lamp, "DOUT"

    def add_controls(self) -> None:
        """The key and the buzzer."""
        if self.profile.key_pin is not None:
            key = self.draft.add_part(two_pin_part("SW_key", "key"))
            self.use_gpio("key", part_catalogue.input_gpio(self.profile.key_pin))
            self.draft.join_pins("key", (key, "1"))
            self.draft.join_pins(GROUND_NET, (key, "2"))
        if self.profile.buzzer_pin is not None:
            buzzer = self.draft.add_part(two_pin_part("BZ1", "buzzer"))
            series = self.draft.add_part(_make_resistor("R3", "330 Ω", "BZ1", "limits what the buzzer takes"))
            self.use_gpio("buzzer", part_catalogue.output_gpio(self.profile.buzzer_pin))
            self.draft.join_pins("buzzer", (series, "1"))
            self.draft.join_pins("buzzer behind R3", (series, "2"), (buzzer, "1"))
            self.draft.join_pins(GROUND_NET, (buzzer, "2"))


def _make_resistor(ref: str, value: str, beside: str, why: str) -> CircuitPart:
    return two_pin_part(ref, "resistor", value=value, beside=beside, note=why)


def _spi_wires(adc: AdcPins) -> tuple[tuple[str, Pin, str], ...]:
    """The four wires of a converter: the net, the GPIO as it is used, and the chip's pin."""
    return (
        (f"clock {adc.clock}", part_catalogue.output_gpio(adc.clock), "CLK"),
        (f"mosi {adc.mosi}", part_catalogue.output_gpio(adc.mosi), "DIN"),
        (f"miso {adc.miso}", part_catalogue.input_gpio(adc.miso), "DOUT"),
        (f"select {adc.select}", part_catalogue.output_gpio(adc.select), "CS"),
    )


def _lamp_cells(profile: Profile) -> dict[int, tuple[Cell, int]]:
    """For each lamp in a cell its cell and which of the cell's lamps it is, in the order of a frame."""
    chain = profile.chain
    cells = get_grid(profile.size).cells
    return {
        number: (cells[index // chain.lamps_per_cell], index % chain.lamps_per_cell)
        for index, number in enumerate(chain.cell_positions)
    }

"""From a profile to the netlist of its board.

cells    a button to ground | a button and a diode at a crossing | a hall sensor with its capacitor
header   the GPIOs that the drivers use, as they use them
lamps    GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> ... ; 5 V through a fuse, 1000 µF where the chain begins
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind, find_pin
from pond_hw.fabrication.part_catalogue import (
    LAMP_VOLTS,
    LOGIC_VOLTS,
    PART_TYPES,
    header_rails,
    input_gpio,
    make_part,
    open_drain_gpio,
    output_gpio,
)
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import (
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
    *(500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300),
    *(8000, 10_000, 12_500, 16_000, 20_000),
)
"""mA: the rated currents of IEC 60127 that are sold as 5 × 20 mm, and those above."""

FUSE_LOAD = 0.75
"""How much of its rated current a fuse carries all the time: what makers recommend at 25 °C."""

SHIFTER_GROUNDS = ("GND", "1OE", "2OE", "2A", "3OE", "3A", "4OE", "4A")
"""What of the shifter lies on ground: its first gate lets through, and the others stand still."""


def make_circuit(profile: Profile) -> Netlist:
    """The netlist of a board.

    Raises:
        PondError: nothing of it is made of copper.
    """
    if isinstance(profile.sensing.wiring, SimulatedWiring) and profile.chain.driver == "simulated":
        raise PondError(f"{profile.name} is all simulated: there is nothing to build. Name a board that has wires.")
    circuit_builder = _CircuitBuilder(profile)
    circuit_builder.add_rails()
    circuit_builder.add_sensors()
    circuit_builder.add_lamps()
    circuit_builder.add_controls()
    return Netlist(circuit_builder.parts, {net_name: tuple(ends) for net_name, ends in circuit_builder.nets.items()})


def fuse_for(current: float) -> int:
    """The smallest fuse that carries so many mA all the time, in mA; or the largest there is."""
    return next((fuse_rating for fuse_rating in FUSE_RATINGS if fuse_rating * FUSE_LOAD >= current), FUSE_RATINGS[-1])


class _CircuitBuilder:
    """A board while it is put together. Ends of parts are written by the pin's name: `U1.VCC`."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._header_pins: dict[str, Pin] = {}
        self.parts = {"J1": CircuitPart("J1", "pi", self._header_pins)}
        self.nets: dict[str, list[PartPin]] = {}

    def add_part(self, part_ref: str, part_type: str, pin_nets: Mapping[str, str] = {}, **details: object) -> None:
        """Put in a part of the catalogue, and solder its pins, by their names, to these nets."""
        self.parts[part_ref] = make_part(part_ref, part_type, **details)
        for pin_name, net_name in pin_nets.items():
            self.join_pins(net_name, f"{part_ref}.{pin_name}")

    def join_pins(self, net_name: str, *ends: str) -> None:
        """Solder these ends to a net."""
        for part_ref, _, pin_name in (end_name.partition(".") for end_name in ends):
            self.nets.setdefault(net_name, []).append(find_pin(self.parts[part_ref], pin_name))

    def use_gpio(self, net_name: str, gpio_pin: Pin) -> None:
        """Use a GPIO, and join it to a net."""
        pin_number = str(pi_header.HEADER_PINS[int(gpio_pin.name.removeprefix("GPIO "))])
        if pin_number not in self._header_pins:
            self._header_pins[pin_number] = gpio_pin
            self.nets.setdefault(net_name, []).append(PartPin("J1", pin_number))

    def power_part(
        self, ref: str, *plus: str, minus_pins: tuple[str, ...] = ("GND",), net_name: str = LOGIC_NET
    ) -> None:
        """Join a part with its supply and with ground, and put a capacitor beside it if it needs one."""
        self.join_pins(net_name, *(f"{ref}.{pin_name}" for pin_name in plus))
        self.join_pins(GROUND_NET, *(f"{ref}.{pin_name}" for pin_name in minus_pins))
        if PART_TYPES[self.parts[ref].part_type].needs_capacitor:
            capacitor_ref = "C2" if ref == "U1" else f"C{ref[1:]}"
            pin_nets = {"1": net_name, "2": GROUND_NET}
            self.add_part(capacitor_ref, "capacitor", pin_nets, value="100 nF", beside=ref, cell=self.parts[ref].cell)

    def add_rails(self) -> None:
        """The header's supply and ground, and the rails on the strip board that they feed."""
        sensing, has_lamps = self.profile.sensing, self.profile.chain.data_pin is not None
        has_logic = sensing.kind == "hall" or isinstance(sensing.wiring, ExpanderWiring | AnalogWiring | TrellisWiring)
        used_rails = {
            GROUND_NET: True,
            LOGIC_NET: has_logic,
            LAMP_SUPPLY_NET: has_lamps,
            FIVE_VOLT_NET: has_lamps and self.profile.supply.source == "pi",
        }
        for pin_number, pin in header_rails().items():
            if used_rails[pin.name]:
                self._header_pins[pin_number] = pin
                self.nets.setdefault(pin.name, []).append(PartPin("J1", pin_number))
        if isinstance(sensing.wiring, TrellisWiring):
            return  # four wires, straight from the header
        volts_by_rail = {GROUND_NET: 0.0, LOGIC_NET: LOGIC_VOLTS, LAMP_SUPPLY_NET: LAMP_VOLTS}
        rail_pins = {
            str(pin_number): Pin(net_name, PinKind.PASSIVE, required_rail=volts_by_rail[net_name])
            for pin_number, net_name in enumerate(volts_by_rail, 1)
            if used_rails[net_name]
        }
        self.add_part("B1", "rails", {pin.name: pin.name for pin in rail_pins.values()}, pins=rail_pins)

    def add_sensors(self) -> None:
        """What feels the cells, and what reads it."""
        sensor_wiring = self.profile.sensing.wiring
        match sensor_wiring:
            case DirectWiring():
                for cell, gpio_number in sensor_wiring.pins.items():
                    self.use_gpio(cell, input_gpio(gpio_number))
                    self.add_sensor(cell)
            case MatrixWiring():
                self.add_matrix(sensor_wiring)
            case ExpanderWiring():
                self.add_expanders(sensor_wiring)
            case AnalogWiring():
                self.add_converters(sensor_wiring)
            case TrellisWiring():
                self.add_trellis(sensor_wiring)
            case SimulatedWiring():
                pass
            case _:
                assert_never(sensor_wiring)

    def add_sensor(self, cell: Cell) -> None:
        """The sensor of a cell, its wire being the net of that name."""
        if self.profile.sensing.kind == "button":
            self.add_part(f"SW_{cell}", "button", {"1": cell, "2": GROUND_NET}, cell=cell)
        else:
            is_linear = isinstance(self.profile.sensing.wiring, AnalogWiring)
            self.add_part(f"U_{cell}", "linear hall" if is_linear else "hall", cell=cell)
            self.power_part(f"U_{cell}", "VCC")
            self.join_pins(cell, f"U_{cell}.OUT")

    def add_matrix(self, sensor_wiring: MatrixWiring) -> None:
        """A button and a diode at every crossing, the diode's band towards the driven line."""
        for cell, (drive, sense) in sensor_wiring.crossings.items():
            self.use_gpio(f"sense {sense}", input_gpio(sense))
            self.use_gpio(f"drive {drive}", open_drain_gpio(drive))
            self.add_part(f"SW_{cell}", "button", {"1": f"sense {sense}", "2": cell}, cell=cell)
            self.add_part(f"D_{cell}", "diode", {"anode": cell, "band": f"drive {drive}"}, cell=cell)

    def add_i2c(self) -> None:
        """The Pi's I2C bus."""
        for net_name, gpio_number in zip(("SDA", "SCL"), pi_header.I2C_GPIOS, strict=True):
            self.use_gpio(net_name, open_drain_gpio(gpio_number))

    def add_trellis(self, sensor_wiring: TrellisWiring) -> None:
        """A NeoTrellis, straight on the header."""
        self.add_i2c()
        pins = PART_TYPES["trellis"].pins
        pins = {**pins, "1": replace(pins["1"], max_current=self.profile.chain.budget_ma)}
        pin_nets = {"VIN": LOGIC_NET, "GND": GROUND_NET, "SDA": "SDA", "SCL": "SCL"}
        self.add_part("M1", "trellis", pin_nets, pins=pins, note=f"0x{sensor_wiring.address:02x}")

    def add_expanders(self, sensor_wiring: ExpanderWiring) -> None:
        """MCP23017s, each with its address, and the sensors on them."""
        self.add_i2c()
        for address in sorted({pin.address for pin in sensor_wiring.pins.values()}):
            chip_ref, pins = f"U{address:02x}", dict(PART_TYPES["expander"].pins)
            is_high = {f"A{bit}": bool(address >> bit & 1) for bit in range(3)}
            for leg_number, pin in pins.items():
                if pin.name in is_high:
                    pins[leg_number] = replace(pin, required_rail=LOGIC_VOLTS if is_high[pin.name] else 0.0)
            self.add_part(chip_ref, "expander", pins=pins, note=f"0x{address:02x}")
            self.power_part(chip_ref, "VDD", "RESET", minus_pins=("VSS",))
            for pin_name, high in is_high.items():
                self.join_pins(LOGIC_NET if high else GROUND_NET, f"{chip_ref}.{pin_name}")
            self.join_pins("SDA", f"{chip_ref}.SDA")
            self.join_pins("SCL", f"{chip_ref}.SCL")
        for cell, (address, port, bit) in sensor_wiring.pins.items():
            self.join_pins(cell, f"U{address:02x}.GP{port}{bit}")
            self.add_sensor(cell)

    def add_converters(self, wiring: AnalogWiring) -> None:
        """MCP3008s, and the linear sensors on them; inputs that are not used lie on ground."""
        for chip_letter, adc in wiring.chips.items():
            self.add_part(f"U_{chip_letter}", "converter", note=f"chip {chip_letter}")
            self.power_part(f"U_{chip_letter}", "VDD", "VREF", minus_pins=("AGND", "DGND"))
            for line_name, pin_name, gpio_pin in (
                ("clock", "CLK", output_gpio(adc.clock)),
                ("mosi", "DIN", output_gpio(adc.mosi)),
                ("miso", "DOUT", input_gpio(adc.miso)),
                ("select", "CS", output_gpio(adc.select)),
            ):
                net_name = f"{line_name} {gpio_pin.name.removeprefix('GPIO ')}"
                self.use_gpio(net_name, gpio_pin)
                self.join_pins(net_name, f"U_{chip_letter}.{pin_name}")
        for cell, (chip_letter, channel) in wiring.channels.items():
            self.join_pins(cell, f"U_{chip_letter}.CH{channel}")
            self.add_sensor(cell)
        for chip_letter in wiring.chips:
            spare_channels = [channel for channel in range(8) if (chip_letter, channel) not in wiring.channels.values()]
            self.join_pins(GROUND_NET, *(f"U_{chip_letter}.CH{channel}" for channel in spare_channels))

    def add_lamps(self) -> None:
        """The chain, with what lifts its data and what feeds it."""
        chain = self.profile.chain
        if chain.data_pin is None:
            return
        self.use_gpio(DATA_NET, output_gpio(chain.data_pin))
        if self.profile.supply.source == "own":
            self.add_supply(self.profile.supply.current_ma)
        fuse_value = f"{fuse_for(chain.budget_ma) / 1000:g} A"
        self.add_part("F1", "fuse", {"1": FIVE_VOLT_NET, "2": LAMP_SUPPLY_NET}, value=fuse_value)
        self.add_part("C1", "reservoir", {"+": LAMP_SUPPLY_NET, "-": GROUND_NET}, value="1000 µF")

        self.add_part("U1", "shifter")
        self.power_part("U1", "VCC", net_name=LAMP_SUPPLY_NET, minus_pins=SHIFTER_GROUNDS)
        self.join_pins(DATA_NET, "U1.1A")
        self.add_resistor("R2", "10 kΩ", "U1", "keeps the data low until a program runs", DATA_NET, GROUND_NET)
        self.join_pins("data 5 V", "U1.1Y")
        self.add_resistor("R1", "330 Ω", "D0", "takes the ringing out of the data", "data 5 V", "data 0")

        cells, per_cell = get_grid(self.profile.size).cells, chain.lamps_per_cell
        cell_by_lamp = {lamp_number: divmod(index, per_cell) for index, lamp_number in enumerate(chain.cell_positions)}
        for lamp_number in range(chain.lamp_count):
            cell_number, index = cell_by_lamp.get(lamp_number, (None, 0))
            pin_nets = {"DIN": f"data {lamp_number}", "5 V": LAMP_SUPPLY_NET, "GND": GROUND_NET}
            if lamp_number < chain.lamp_count - 1:
                pin_nets["DOUT"] = f"data {lamp_number + 1}"
            cell = None if cell_number is None else cells[cell_number]
            self.add_part(f"D{lamp_number}", "lamp", pin_nets, cell=cell, index=index)

    def add_resistor(self, part_ref: str, value: str, beside: str, note: str, *nets: str) -> None:
        """A resistor between two nets: the part that it stands by, and what it is for."""
        pin_nets = dict(zip(("1", "2"), nets, strict=True))
        self.add_part(part_ref, "resistor", pin_nets, value=value, beside=beside, note=note)

    def add_supply(self, supply_current: float) -> None:
        """A supply of 5 V for the lamps alone, that gives so many mA."""
        pins = PART_TYPES["supply"].pins
        pins = {**pins, "1": replace(pins["1"], max_current=supply_current)}
        pin_nets = {"+": FIVE_VOLT_NET, "-": GROUND_NET}
        self.add_part("J2", "supply", pin_nets, pins=pins, value=f"5 V, {supply_current / 1000:g} A or more")

    def add_controls(self) -> None:
        """The key and the buzzer."""
        if self.profile.key_pin is not None:
            self.use_gpio("key", input_gpio(self.profile.key_pin))
            self.add_part("SW_key", "key", {"1": "key", "2": GROUND_NET})
        if self.profile.buzzer_pin is not None:
            self.add_part("BZ1", "buzzer")
            self.use_gpio("buzzer", output_gpio(self.profile.buzzer_pin))
            net_behind = "buzzer behind R3"
            self.add_resistor("R3", "330 Ω", "BZ1", "limits what the buzzer takes", "buzzer", net_behind)
            self.join_pins(net_behind, "BZ1.1")
            self.join_pins(GROUND_NET, "BZ1.2")

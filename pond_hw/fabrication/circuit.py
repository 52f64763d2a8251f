"""Build the netlist of a board from its profile.

cells    a button and a diode to ground or at a crossing | a hall sensor with its capacitor
header   the GPIOs used by the drivers
lamps    GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> ... ; 5 V through a fuse, 1000 µF at the start of the chain
supply   USB-C socket -> fuse -> diode against reversed and high voltage -> cut-off above 5.7 V -> lamps
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind, find_pin
from pond_hw.fabrication.part_catalogue import LAMP_VOLTS, LOGIC_VOLTS, MAX_RAIL_CURRENT_MA, PART_TYPES, make_part
from pond_hw.fabrication.row_board import (
    COMMON_PIN,
    DATA_IN_PIN,
    DATA_OUT_PIN,
    GROUND_PIN,
    SUPPLY_PIN,
    make_row_part,
    row_kind,
)
from pond_hw.messages.message import Message
from pond_hw.profile import board_profile, pi_header, pico_header
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.profile.chips import SensorChip
from pond_hw.profile.row_boards import LAMPS_PER_CELL, find_mismatch
from pond_hw.rules import Cell, PondError, get_grid

GROUND_NET, LOGIC_NET, FIVE_VOLT_NET, LAMP_SUPPLY_NET, DATA_NET = "ground", "3.3 V", "5 V", "5 V lamps", "data"
"""Nets of every board: `5 V` is before the fuse, `5 V lamps` after it, and `data` at the Pi."""

FUSED_NET = "5 V fused"
"""Net between the fuse and the cut-off, on boards whose lamps have their own supply."""

CC_OHMS = "5.1 kΩ"
"""Resistor at each CC pin of a USB-C socket: a sink asks for 5 V with it (USB Type-C specification, Rd, ±10 %)."""

CUT_OFF_RESISTORS = {
    "R21": ("10 kΩ", "turns the cut-off transistor on", "gate", GROUND_NET),
    "R22": ("1 kΩ", "keeps Q2 off", FUSED_NET, "base"),
    "R23": ("1 kΩ", "limits the current of U2", "base", "cathode"),
    "R24": ("13 kΩ", "sets the cut-off voltage, with R25", FUSED_NET, "reference"),
    "R25": ("10 kΩ", "sets the cut-off voltage, with R24", "reference", GROUND_NET),
}
"""Value, purpose and nets of each resistor of the cut-off. It acts at 2.495 V × (1 + 13 / 10) = 5.74 V: above the 5.5 V that
USB allows at a socket.
"""

TEST_POINTS = {"TP1": FIVE_VOLT_NET, "TP2": LAMP_SUPPLY_NET, "TP3": GROUND_NET, "TP4": LOGIC_NET}
"""Test points and their nets. A board without one of the nets lacks its test point."""

FUSE_RATINGS = (
    *(500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300),
    *(8000, 10_000, 12_500, 16_000, 20_000),
)
"""Fuse ratings in mA: the IEC 60127 values sold as 5 × 20 mm fuses, followed by larger values."""

MAX_FUSE_LOAD = 0.75
"""Fraction of its rated current that a fuse can carry continuously, as recommended by manufacturers for 25 °C."""

FUSE_OPENING_FACTOR = 2.1
"""Multiple of its rated current at which a fuse opens within half an hour. At 1.5 times, it holds for an hour or more.
Source: IEC 60127-2, sheet 2, as quoted in Littelfuse's data sheet for the 617 series.
"""

SHIFTER_GROUNDS = ("GND", "1OE", "2OE", "2A", "3OE", "3A", "4OE", "4A")
"""Level shifter pins connected to ground: they enable the first gate and tie off the other three."""

GPIO_HIGH_VOLTS = 2.0
"""Minimum voltage that every GPIO reads as high: the highest threshold in the Compute Module data sheets. Older chips need
less.
"""

MAX_GPIO_CURRENT_MA = 16.0
"""Maximum current of a GPIO in mA: the strongest drive setting in Raspberry Pi's description of the pads."""

MAX_PICO_GPIO_CURRENT_MA = 12.0
"""Maximum current of a Pico's GPIO in mA: the strongest drive setting in the RP2040 data sheet. Its inputs also need 2.0 V."""

USB_RESERVOIR = "2.2 µF"
"""C1 on a board that a USB port powers. USB allows 10 µF at a device's supply (USB 2.0, 7.2.4.1), and the capacitors of 64
lamps take 6.4 µF of it.
"""


def make_circuit(profile: Profile) -> Netlist:
    """Return the netlist of a board.

    Raises:
        PondError: the sensors or lamps are simulated, or the board doesn't match the row boards.
    """
    if not isinstance(profile.sensing.wiring, TrellisWiring) and (mismatch := find_mismatch(profile)):
        like = "hall-4x4" if profile.size == 4 else "matrix-5x5"
        raise PondError(Message(f"build.mismatch.{mismatch}", board=profile.name, size=profile.size, like=like))
    circuit_builder = _CircuitBuilder(profile)
    circuit_builder.add_rails()
    circuit_builder.add_sensors()
    circuit_builder.add_lamps()
    circuit_builder.add_controls()
    circuit_builder.add_test_points()
    return Netlist(circuit_builder.parts, {net_name: tuple(ends) for net_name, ends in circuit_builder.nets.items()})


def fuse_for(current: float) -> int:
    """Return the rating in mA of the smallest fuse that can carry a current continuously, or of the largest available."""
    return next(
        (fuse_rating for fuse_rating in FUSE_RATINGS if fuse_rating * MAX_FUSE_LOAD >= current), FUSE_RATINGS[-1]
    )


def _pico_pin(gpio_number: int, pin_kind: PinKind) -> Pin:
    """Return a Pico's GPIO pin. It is pulled down until a program runs. A Pico has no pull-ups for I2C."""
    pull_volts = {PinKind.IN: LOGIC_VOLTS, PinKind.GPIO_OUT: 0.0}.get(pin_kind)
    if pin_kind is PinKind.IN:
        return Pin(f"GP{gpio_number}", pin_kind, LOGIC_VOLTS, GPIO_HIGH_VOLTS, pull_volts=pull_volts)
    return Pin(f"GP{gpio_number}", pin_kind, LOGIC_VOLTS, max_current=MAX_PICO_GPIO_CURRENT_MA, pull_volts=pull_volts)


def _gpio_pin(gpio_number: int, pin_kind: PinKind) -> Pin:
    """Return a GPIO pin that is an input with a pull-up (in), drives a line high and low (gpio_out), or pulls it low (open).

    Until a program runs, the Pi pulls GPIO 0 to 8 up and the others down. The I2C pins have pull-ups of their own.
    """
    name = f"GPIO {gpio_number}"
    if pin_kind is PinKind.IN:
        return Pin(name, pin_kind, LOGIC_VOLTS, GPIO_HIGH_VOLTS, pull_volts=LOGIC_VOLTS)
    pulled_up, otherwise = (range(9), 0.0) if pin_kind is PinKind.GPIO_OUT else (pi_header.FIXED_PULL_UPS, None)
    pull_volts = LOGIC_VOLTS if gpio_number in pulled_up else otherwise
    return Pin(name, pin_kind, LOGIC_VOLTS, max_current=MAX_GPIO_CURRENT_MA, pull_volts=pull_volts)


def _header_supplies() -> Iterator[tuple[str, str, Pin]]:
    three_volts = Pin(LOGIC_NET, PinKind.SUPPLY, LOGIC_VOLTS, max_current=MAX_RAIL_CURRENT_MA)
    five_volts = Pin(FIVE_VOLT_NET, PinKind.SUPPLY, LAMP_VOLTS, max_current=pi_header.HEADER_CURRENT_MA)
    ground = Pin(GROUND_NET, PinKind.GROUND)
    for pin_number, pin in zip("12469", (three_volts, five_volts, five_volts, ground, ground), strict=True):
        yield pin.name, pin_number, pin


def _pico_supplies() -> Iterator[tuple[str, str, Pin]]:
    """Yield the supply pins of a Pico. The lamp current returns through the ground pin beside its only 5 V pin."""
    lamp_current = pico_header.USB_CURRENT_MA - pico_header.PICO_CURRENT_MA
    logic_pin = Pin("3V3 OUT", PinKind.SUPPLY, LOGIC_VOLTS, max_current=pico_header.LOGIC_CURRENT_MA)
    yield LOGIC_NET, str(pico_header.LOGIC_PIN), logic_pin
    yield FIVE_VOLT_NET, str(pico_header.VBUS_PIN), Pin("VBUS", PinKind.SUPPLY, LAMP_VOLTS, max_current=lamp_current)
    for pin_number in pico_header.GROUND_PINS[-1], pico_header.GROUND_PINS[0]:
        yield GROUND_NET, str(pin_number), Pin(GROUND_NET, PinKind.GROUND)


def _limited_pins(part_type: str, max_current: float) -> dict[str, Pin]:
    pins = PART_TYPES[part_type].pins
    return {**pins, "1": replace(pins["1"], max_current=max_current)}


def _chip_supply_nets(chip: SensorChip) -> dict[str, str]:
    return {**dict.fromkeys(chip.high_pins, LOGIC_NET), **dict.fromkeys(chip.low_pins, GROUND_NET)}


class _CircuitBuilder:
    """Netlist under construction. Pins are referred to by name: `U1.VCC`."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._header_pins: dict[str, Pin] = {}
        self.is_pico = profile.controller == "pico"
        self.parts = {"J1": CircuitPart("J1", profile.controller, self._header_pins)}
        self.nets: dict[str, list[PartPin]] = {}

    def add_part(self, part_ref: str, part_type: str, pin_nets: Mapping[str, str] = {}, **details: object) -> None:
        """Add a catalogue part, and its capacitor if it needs one.

        `pin_nets` maps pin names to nets, supply first. All pins with the same name are joined.
        """
        part = self.parts[part_ref] = make_part(part_ref, part_type, **details)
        for pin_name, net_name in pin_nets.items():
            ends = [PartPin(part_ref, number) for number, pin in part.pins.items() if pin.name == pin_name]
            self.nets.setdefault(net_name, []).extend(ends)
        if PART_TYPES[part_type].needs_capacitor:
            capacitor_nets = {"1": next(iter(pin_nets.values())), "2": GROUND_NET}
            capacitor_ref = "C2" if part_ref == "U1" else f"C{part_ref[1:]}"
            self.add_part(capacitor_ref, "capacitor", capacitor_nets, value="100 nF", beside=part_ref, cell=part.cell)

    def join_pins(self, net_name: str, *ends: str) -> None:
        for part_ref, _, pin_name in (end_name.partition(".") for end_name in ends):
            self.nets.setdefault(net_name, []).append(find_pin(self.parts[part_ref], pin_name))

    def use_header(self, net_name: str, pin_number: str, pin: Pin) -> None:
        """Connect a header pin to a net, unless it is already in use."""
        if pin_number not in self._header_pins:
            self._header_pins[pin_number] = pin
            self.nets.setdefault(net_name, []).append(PartPin("J1", pin_number))

    def use_gpio(self, net_name: str, gpio_number: int, pin_kind: PinKind) -> None:
        if self.is_pico:
            self.use_header(net_name, str(pico_header.PICO_PINS[gpio_number]), _pico_pin(gpio_number, pin_kind))
        else:
            self.use_header(net_name, str(pi_header.HEADER_PINS[gpio_number]), _gpio_pin(gpio_number, pin_kind))

    def add_rails(self) -> None:
        sensing, has_lamps = self.profile.sensing, self.profile.chain.data_pin is not None
        chips = board_profile.ExpanderWiring | board_profile.AnalogWiring
        is_trellis = isinstance(sensing.wiring, TrellisWiring)
        used_rails = {
            GROUND_NET: True,
            LOGIC_NET: sensing.kind == "hall" or isinstance(sensing.wiring, chips),
            LAMP_SUPPLY_NET: has_lamps,
            FIVE_VOLT_NET: is_trellis or (has_lamps and self.profile.supply.source in ("pi", "usb")),
        }
        for net_name, pin_number, pin in _pico_supplies() if self.is_pico else _header_supplies():
            if used_rails[net_name]:
                self.use_header(net_name, pin_number, pin)

    def add_sensors(self) -> None:
        match self.profile.sensing.wiring:
            case board_profile.DirectWiring(pins):
                for cell, gpio_number in pins.items():
                    self.use_gpio(cell, gpio_number, PinKind.IN)
            case board_profile.MatrixWiring(crossings):
                for drive, sense in crossings.values():
                    self.use_gpio(f"sense {sense}", sense, PinKind.IN)
                    self.use_gpio(f"drive {drive}", drive, PinKind.OPEN)
            case board_profile.ExpanderWiring() as wiring:
                self.add_expanders(wiring)
            case board_profile.AnalogWiring() as wiring:
                self.add_converters(wiring)
            case TrellisWiring(address=address):
                self.add_i2c()
                limited_pins = _limited_pins("trellis", self.profile.chain.budget_ma)
                pin_nets = {"VIN": FIVE_VOLT_NET, "GND": GROUND_NET, "SDA": "SDA", "SCL": "SCL"}
                self.add_part("M1", "trellis", pin_nets, pins=limited_pins, note=f"0x{address:02x}")

    def add_rows(self) -> None:
        """Add the row boards in the order of the lamp chain: the row farthest from the undo key is first."""
        size, kind = self.profile.size, row_kind(self.profile)
        row_lamps, key_lamps = LAMPS_PER_CELL * size, self.profile.chain.lamp_count - LAMPS_PER_CELL * size**2
        for index, cells in enumerate(get_grid(size).rows):
            part = make_row_part(size - index, kind, size)
            self.parts[part.ref] = part
            pin_nets = {GROUND_PIN: GROUND_NET, SUPPLY_PIN: LAMP_SUPPLY_NET, DATA_IN_PIN: f"data {row_lamps * index}"}
            if index < size - 1 or key_lamps:
                pin_nets[DATA_OUT_PIN] = f"data {row_lamps * (index + 1)}"
            pin_nets |= self.name_sensor_nets(cells)
            for pin_name, net_name in pin_nets.items():
                self.join_pins(net_name, f"{part.ref}.{pin_name}")

    def name_sensor_nets(self, cells: Sequence[Cell]) -> dict[str, str]:
        """Return the nets of a row board's sensor pins."""
        wiring, common_net = self.profile.sensing.wiring, GROUND_NET
        cell_nets = list(cells)
        if self.profile.sensing.kind == "hall":
            common_net = LOGIC_NET
        if isinstance(wiring, board_profile.MatrixWiring):
            crossings = [wiring.crossings[cell] for cell in cells]
            common_net, cell_nets = f"drive {crossings[0].drive}", [f"sense {sense}" for _, sense in crossings]
        return {COMMON_PIN: common_net, **{f"cell {number}": net for number, net in enumerate(cell_nets, 1)}}

    def add_i2c(self) -> None:
        gpio_numbers = pico_header.I2C_GPIOS if self.is_pico else pi_header.I2C_GPIOS
        for net_name, gpio_number in zip(("SDA", "SCL"), gpio_numbers, strict=True):
            self.use_gpio(net_name, gpio_number, PinKind.OPEN)
        if self.is_pico:
            for part_ref, net_name in (("R4", "SDA"), ("R5", "SCL")):
                self.add_resistor(part_ref, "4.7 kΩ", "J1", f"pulls {net_name} up", LOGIC_NET, net_name)

    def add_expanders(self, wiring: board_profile.ExpanderWiring) -> None:
        expander = wiring.chip
        self.add_i2c()
        for address in sorted({pin.address for pin in wiring.pins.values()}):
            chip_ref, pins = f"U{address:02x}", dict(PART_TYPES[expander.part].pins)
            is_high = {f"A{bit}": bool(expander.addresses.index(address) >> bit & 1) for bit in range(3)}
            for leg_number, pin in pins.items():
                if pin.name in is_high:
                    pins[leg_number] = replace(pin, required_rail=LOGIC_VOLTS if is_high[pin.name] else 0.0)
            pin_nets = {**_chip_supply_nets(expander), "SDA": "SDA", "SCL": "SCL"}
            self.add_part(chip_ref, expander.part, pin_nets, pins=pins, note=f"0x{address:02x}")
            for pin_name, high in is_high.items():
                self.join_pins(LOGIC_NET if high else GROUND_NET, f"{chip_ref}.{pin_name}")
        for cell, (address, port, bit) in wiring.pins.items():
            self.join_pins(cell, f"U{address:02x}.{port}{bit}")

    def add_converters(self, wiring: board_profile.AnalogWiring) -> None:
        """Add the converters. Unused inputs are grounded."""
        converter = wiring.chip
        for chip_letter, adc in wiring.chips.items():
            pin_nets = _chip_supply_nets(converter)
            for line_name, gpio_number, pin_name in zip(adc._fields, adc, converter.spi_pins, strict=True):
                pin_nets[pin_name] = f"{line_name} {gpio_number}"
                self.use_gpio(pin_nets[pin_name], gpio_number, PinKind.IN if line_name == "miso" else PinKind.GPIO_OUT)
            self.add_part(f"U_{chip_letter}", converter.part, pin_nets, note=f"chip {chip_letter}")
        for cell, (chip_letter, channel) in wiring.channels.items():
            self.join_pins(cell, f"U_{chip_letter}.{converter.channel_name}{channel}")
        for chip_letter in wiring.chips:
            spare_inputs = [
                f"U_{chip_letter}.{converter.channel_name}{channel}"
                for channel in range(converter.channel_count)
                if (chip_letter, channel) not in wiring.channels.values()
            ]
            self.join_pins(GROUND_NET, *spare_inputs)

    def add_lamps(self) -> None:
        chain, supply_current = self.profile.chain, self.profile.supply.current_ma
        if chain.data_pin is None:
            return
        self.use_gpio(DATA_NET, chain.data_pin, PinKind.GPIO_OUT)
        fuse_value = f"{fuse_for(chain.budget_ma) / 1000:g} A"
        if self.profile.supply.source == "own":
            self.add_supply(supply_current)
            self.add_part("F1", "fuse", {"1": FIVE_VOLT_NET, "2": FUSED_NET}, value=fuse_value)
            self.add_protection()
        else:
            self.add_part("F1", "fuse", {"1": FIVE_VOLT_NET, "2": LAMP_SUPPLY_NET}, value=fuse_value)
        reservoir = USB_RESERVOIR if self.profile.supply.source == "usb" else "1000 µF"
        self.add_part("C1", "reservoir", {"+": LAMP_SUPPLY_NET, "-": GROUND_NET}, value=reservoir)
        self.add_resistor("R8", "2.2 kΩ", "LED1", "limits the current of LED1", "power lamp", LAMP_SUPPLY_NET)
        self.add_part("LED1", "power lamp", {"anode": "power lamp", "band": GROUND_NET})

        shifter_nets = {"VCC": LAMP_SUPPLY_NET, **dict.fromkeys(SHIFTER_GROUNDS, GROUND_NET)}
        self.add_part("U1", "shifter", {**shifter_nets, "1A": DATA_NET, "1Y": "data 5 V"})
        self.add_resistor("R2", "10 kΩ", "U1", "keeps the data line low until a program runs", DATA_NET, GROUND_NET)
        self.add_resistor("R1", "330 Ω", "U1", "damps ringing on the data line", "data 5 V", "data 0")

        self.add_rows()
        for lamp_number in range(LAMPS_PER_CELL * self.profile.size**2, chain.lamp_count):
            pin_nets = {"DIN": f"data {lamp_number}", "5 V": LAMP_SUPPLY_NET, "GND": GROUND_NET}
            if lamp_number < chain.lamp_count - 1:
                pin_nets["DOUT"] = f"data {lamp_number + 1}"
            self.add_part(f"D{lamp_number}", "lamp", pin_nets)

    def add_supply(self, supply_current: float) -> None:
        """Add the USB-C socket, its resistors, and the connector that can take its place."""
        socket_nets = {"VBUS": FIVE_VOLT_NET, "GND": GROUND_NET, "CC1": "CC1", "CC2": "CC2", "shield": GROUND_NET}
        pins = {
            number: replace(pin, max_current=supply_current) if pin.pin_kind is PinKind.SUPPLY else pin
            for number, pin in PART_TYPES["supply"].pins.items()
        }
        self.add_part("J2", "supply", socket_nets, pins=pins, value=f"5 V, {supply_current / 1000:g} A")
        for part_ref, net_name in (("R6", "CC1"), ("R7", "CC2")):
            self.add_resistor(part_ref, CC_OHMS, "J2", "tells the supply to give 5 V", net_name, GROUND_NET)
        self.add_part("J6", "supply plug", {"+": FIVE_VOLT_NET, "-": GROUND_NET}, value="5 V in")

    def add_protection(self) -> None:
        """Add the diode behind the fuse, and the cut-off.

        Above the cut-off voltage, U2 conducts, Q2 joins the gate of Q1 to its source, and Q1 cuts the lamps off.
        """
        self.add_part("TVS1", "tvs", {"anode": GROUND_NET, "band": FUSED_NET})
        self.add_part("Q1", "cut-off transistor", {"source": FUSED_NET, "drain": LAMP_SUPPLY_NET, "gate": "gate"})
        self.add_part("Q2", "pnp transistor", {"emitter": FUSED_NET, "base": "base", "collector": "gate"})
        reference_nets = {"cathode": "cathode", "reference": "reference", "anode": GROUND_NET}
        self.add_part("U2", "voltage reference", reference_nets)
        for part_ref, (value, note, *nets) in CUT_OFF_RESISTORS.items():
            self.add_resistor(part_ref, value, "Q1", note, *nets)

    def add_test_points(self) -> None:
        if self.profile.chain.data_pin is None:
            return
        for part_ref, net_name in TEST_POINTS.items():
            if net_name in self.nets:
                self.add_part(
                    part_ref, "test point", {"1": net_name}, value="5 V in" if part_ref == "TP1" else net_name
                )

    def add_resistor(self, part_ref: str, value: str, beside: str, note: str, *nets: str) -> None:
        """Add a resistor between two nets. `beside` is the part next to it, and `note` is its purpose."""
        self.add_part(part_ref, "resistor", dict(zip("12", nets, strict=True)), value=value, beside=beside, note=note)

    def add_controls(self) -> None:
        for key_name, gpio_number in self.profile.key_pins.items():
            net_name = key_name.replace("_", " ")
            self.use_gpio(net_name, gpio_number, PinKind.IN)
            part_type = "key" if key_name == "key" else "turn key"
            self.add_part(f"SW_{key_name}", part_type, {"1": net_name, "2": GROUND_NET})
        if self.profile.buzzer_pin is not None:
            self.use_gpio("buzzer", self.profile.buzzer_pin, PinKind.GPIO_OUT)
            self.add_part("BZ1", "buzzer", {"2": GROUND_NET})
            self.add_resistor("R3", "330 Ω", "BZ1", "limits the current of the buzzer", "buzzer", "buzzer behind R3")
            self.join_pins("buzzer behind R3", "BZ1.1")

"""Boards wired from their printed pages alone: set-up finds no fault.

The tests read `hardware/<board>/wiring.md` and its guide only as text, without the code that made them. This module has
what a builder knows: the Pi's header (from gpiozero), the pins of an MCP23017 (from its data sheet), the behaviour of
switches, diodes and hall sensors, and the colour order of a WS2812B.
"""

import re
from collections import defaultdict
from contextlib import closing
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from pond_hw.board_factory import build_board
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.controller import PolledBoard
from pond_hw.setup.findings import GOOD
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.sensor_steps import SensorTest
from pond_hw.setup.step import StepReply
from pond_hw.setup.step_runner import StepRunner
from pond_hw.setup.wiring_step import WiringStep
from tests.board.i2c import Mcp23017, Wire, plug_in
from tests.board.pins import MatrixFactory, WiredFactory
from tests.clock import Clock
from tests.conftest import long_after_first
from tests.drivers.pis import make_pi
from tests.messages.says import text
from tests.setup.simulated_user import BRIGHT, prompt_messages

pytestmark = pytest.mark.slow

HARDWARE = Path(__file__).parents[2] / "hardware"
BOARDS = ("direct-4x4", "hall-4x4", "matrix-5x5")

LEGS = {leg: ("B", leg - 1) for leg in range(1, 9)} | {leg: ("A", leg - 21) for leg in range(21, 29)}
"""Port and bit of each MCP23017 pin that is an input."""

QUICK_POLL, SLOW_POLL, SETTLE_SECONDS = 0.01, 0.1, 0.06
"""Seconds between readings after an action and later, and until readings settle."""

MAX_LOOKS = 20
"""Number of times the simulated person looks at the same question before reporting that nothing happens."""


class CellRow(NamedTuple):
    """Row of the printed table of cells."""

    cell: str
    sensor: str
    place: str
    colour: str
    length: str
    lamps: str


class WireRow(NamedTuple):
    """Row of the printed table of all wires."""

    one: str
    other: str
    net: str
    colour: str
    length: str
    thickness: str


class Crossing(NamedTuple):
    """GPIOs of the two lines of a matrix switch."""

    drive: int
    sense: int


def printed(name):
    return (HARDWARE / name / "wiring.md").read_text()


def rows(text, heading):
    """Return the rows of a printed table, without its heading."""
    _, after = text.split(f"\n## {heading}\n")
    table = [line for line in after.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def leg(end):
    """Return the leg at an end of a wire without its label: `U_a1.3` for `U_a1.3 (OUT)`."""
    pin = re.search(r"header pin \d+", end)
    return pin[0] if pin else end.partition(" ")[0]


class WiringFromPage:
    """Connections of a board with exactly the wires in the printed table.

    Args:
        name: the board; its guide says how long the pieces of strip are.
        text: the page with both tables; by default the printed one.
    """

    def __init__(self, name, text=None):
        text, guide = text or printed(name), (HARDWARE / name / "assembly.md").read_text()
        self.cells = [CellRow(*row) for row in rows(text, "Cells")]
        self.wires = [WireRow(*row) for row in rows(text, "All wires")]
        self.places, self.connections = defaultdict(list), defaultdict(set)
        for row in self.cells:
            self.places[row.cell].append(row)
        for wire in self.wires:
            self.connections[leg(wire.one)].add(leg(wire.other))
            self.connections[leg(wire.other)].add(leg(wire.one))
        cut = re.search(r"strip into (\d+) pieces \((\d+) lamps each\)", guide)
        self.strip_count, self.strip_length = int(cut[1]), int(cut[2])
        self.header = next(iter(WiredFactory().board_info.headers.values())).pins

    def connected_legs(self, end):
        """Return all legs connected to this one."""
        seen, frontier = set(), {end}
        while frontier:
            seen |= frontier
            frontier = set().union(*(self.connections[each] for each in frontier)) - seen
        return seen

    def pins(self, end, name):
        """Return the names of the header's pins on a leg that start with `name`: `GPIO12`, `GND`, `5V`."""
        on = [int(each.removeprefix("header pin ")) for each in self.connected_legs(end) if each.startswith("header")]
        return [pin_name for pin in on if (pin_name := self.header[pin].name).startswith(name)]

    def gpio(self, end):
        """Return the GPIO on a leg, if any; there is never more than one."""
        found = self.pins(end, "GPIO")
        assert len(found) <= 1, f"{end} is on several GPIOs: {found}"
        return int(found[0].removeprefix("GPIO")) if found else None

    def grounded(self, end):
        return "B1.1" in self.connected_legs(end) and "GND" in self.pins(end, "GND")

    def chain(self):
        """Return the powered lamps by number, in the order of the data."""
        (first,) = self.connections["R1.2"]
        order, here = [], first
        while here.endswith(".4"):
            number = int(here[1:-2])
            assert number not in order, "the lamps form a loop"
            if not self.has_power(number):
                break
            order.append(number)
            here = (
                f"D{number + 1}.4"
                if number + 1 in self.strip_lamps(number)
                else next(iter(self.connections[f"D{number}.2"]), "")
            )
        return order

    def has_power(self, number):
        """Return True if the lamp's piece of strip has ground, and 5 V after the fuse."""
        on = self.strip_lamps(number)
        own = "J2.1" in self.connected_legs("F1.1") and "J2.2" in self.connected_legs("B1.1")
        return (
            bool(own or self.pins("F1.1", "5V"))
            and any("B1.3" in self.connected_legs(f"D{lamp}.1") for lamp in on)
            and any(self.grounded(f"D{lamp}.3") for lamp in on)
        )

    def strip_lamps(self, number):
        """Return the lamps on a lamp's piece of strip. The lamps of turn keys are single."""
        first = number - number % self.strip_length
        return (
            range(first, first + self.strip_length)
            if number < self.strip_count * self.strip_length
            else range(number, number + 1)
        )

    @property
    def cell_by_lamp(self):
        """Cell of each lamp, by number."""
        return {int(lamp): row.cell for row in self.cells for lamp in row.lamps.split()}


class Switches:
    """Switches that connect each cell's own GPIO to ground."""

    def __init__(self, soldered, tools, _):
        self.pins = WiredFactory()
        tools.pins(self.pins)
        self.gpio = {
            cell: soldered.gpio(f"SW_{cell}.1") for cell in soldered.places if soldered.grounded(f"SW_{cell}.2")
        }

    def set(self, cell, down):
        (self.pins.grounded.add if down else self.pins.grounded.discard)(self.gpio.get(cell))


class Crossings:
    """Switches with diodes whose bands face the driven line."""

    def __init__(self, soldered, tools, _):
        self.crossings = {
            cell: Crossing(soldered.gpio(f"D_{cell}.2"), soldered.gpio(f"SW_{cell}.1")) for cell in soldered.places
        }
        self.pins = MatrixFactory(self.crossings.values())
        tools.pins(self.pins)

    def set(self, cell, down):
        (self.pins.closed.add if down else self.pins.closed.discard)(self.crossings[cell])


class Expanders:
    """Hall sensors on MCP23017s. The table of cells has their addresses, and the table of wires has their names."""

    def __init__(self, soldered, tools, clock):
        tools.pins(WiredFactory())
        bus, self.legs, address = Wire(clock), {}, {}
        for cell, (row,) in soldered.places.items():
            sensor = row.sensor.partition(".")[0]
            if not (soldered.pins(f"{sensor}.1", "3V3") and soldered.grounded(f"{sensor}.2")):
                continue
            if not (ends := soldered.connections[f"{sensor}.3"]):
                continue
            chip, number = next(iter(ends)).split(".")
            self.legs[cell] = chip, int(number)
            chip_address = int(re.search("0x[0-9a-f]{2}", row.place)[0], 16)
            assert address.setdefault(chip, chip_address) == chip_address, f"{chip} has two addresses"
        (first,) = {end.partition(".")[0] for gpio in ("3", "5") for end in soldered.connections[f"header pin {gpio}"]}
        assert first in address
        assert [soldered.gpio(f"{first}.{number}") for number in (13, 12)] == [2, 3], (
            "SDA and SCL are on the wrong pins"
        )
        self.chips = {chip: Mcp23017() for chip in address}
        bus.chips = {address[chip]: self.chips[chip] for chip in address}
        plug_in(bus, tools.patch, tools.folder)

    def set(self, cell, down):
        if cell in self.legs:
            name, number = self.legs[cell]
            port, bit = LEGS[number]
            chip, mask = self.chips[name], 1 << bit + 8 * (port == "B")
            chip.grounded = chip.grounded | mask if down else chip.grounded & ~mask


COPPER = {"direct-4x4": Switches, "hall-4x4": Expanders, "matrix-5x5": Crossings}


class Board:
    """Board wired from a page, with the drivers of its profile and a person who follows instructions.

    Args:
        name: the board.
        tools: replacement for a Pi's pins.
        text: the page; by default the printed one.
    """

    def __init__(self, name, tools, text=None):
        self.profile, self.clock, self.sent = load_profile(name), Clock(), b""
        self.soldered = WiringFromPage(name, text)
        self.copper = COPPER[name](self.soldered, tools, self.clock)
        assert self.soldered.gpio("U1.2") == self.profile.chain.data_pin
        self.lamps = [self.soldered.cell_by_lamp.get(number) for number in self.soldered.chain()]
        self.folder, self.steady = tools.folder, 0.0

    def run_step(self, step):
        """Run a set-up step to its end and return its result."""
        self.steady = self.clock.now()
        wire = SimpleNamespace(
            open=lambda: None, send_bytes=lambda data: setattr(self, "sent", data), close=lambda: None
        )
        board = build_board(self.profile, self.clock.now, machine=make_pi(self.folder, mocked=True), wire=wire)
        board = PolledBoard(board.sensors, board.lamps)
        with closing(StepRunner(self.profile, board, step, self.clock.now, profile_limiter(self.profile))) as runner:
            tried = []
            for _ in range(400):
                if runner.step.result:
                    return runner.step.result
                page = runner.step.page
                tried = [*tried, page.prompt] if page.prompt in tried[-1:] else [page.prompt]
                if len(tried) > MAX_LOOKS and "x" in dict(page.choices):
                    runner.put(StepReply("x", self.clock.now()))
                    runner.run_once()
                    continue
                asked = self.asked_cells(page)
                self.set_sensors(asked, down=True)
                self.wait(runner, board.sensors, 0.2 if len(asked) == 1 else 0.5)
                self.set_sensors(asked, down=False)
                self.wait(runner, board.sensors, 0.2)
            raise AssertionError(f"The step does not end: {runner.step.page}")

    def asked_cells(self, page):
        """Return the cells that the person touches after reading the question and looking at the lamps."""
        lit, asks = self.lit, next(iter(prompt_messages(page)))
        room, _, what = asks.id.partition(".")
        if room == "colour":
            channel = ("red", "green", "blue").index(what.partition(".")[2])
            return [cell for cell, light in lit if light[channel] >= BRIGHT and max(light) == light[channel]]
        if room == "map_consent":
            return ["a1"]
        if room in ("map_touch", "map_put") and what != "lit":
            return [asks.arguments["cell"]]
        return sorted({cell for cell, _ in lit})

    @property
    def lit(self):
        """Cells of the bright lamps, with red, green and blue."""
        lights = [(self.sent[at + 1], self.sent[at], self.sent[at + 2]) for at in range(0, len(self.sent), 3)]
        return [(cell, light) for cell, light in zip(self.lamps, lights, strict=False) if max(light) >= BRIGHT]

    def set_sensors(self, cells, *, down):
        for cell in cells:
            self.copper.set(cell, down)
            self.steady = self.clock.now() + SETTLE_SECONDS

    def wait(self, runner, sensors, seconds):
        """Let time pass. Sensors are read often soon after an action, and rarely after that."""
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            sensors.poll(self.clock.now())
            runner.run_once()
            pause = QUICK_POLL if self.clock.now() < self.steady else SLOW_POLL
            self.clock.reach(min(end, self.clock.now() + max(pause, sensors.pause_seconds)))

    def run_wiring_step(self):
        return self.run_step(WiringStep(self.profile, self.clock.now()))

    def run_sensor_test(self, cells=()):
        """Return the faults that the sensor test finds."""
        found = self.run_step(SensorTest(self.profile, self.clock.now(), cells)).findings
        return [each for each in found if each.grade != GOOD]


def swap_wires(text, one, other):
    """Swap the wires of two cells in both tables of the page."""
    lines = [line.split("|") for line in text.splitlines()]
    for cell_column, pin_column in ((1, 3), (3, 1)):  # in the table of cells, and in that of all wires
        (a,), (b,) = (
            [row for row in lines if len(row) == 8 and row[cell_column].strip() == cell] for cell in (one, other)
        )
        a[pin_column], b[pin_column] = b[pin_column], a[pin_column]
    return "\n".join(map("|".join, lines))


def names_wires(finding, rows):
    """Return True if a finding names the wires of these rows as printed."""
    message_text = text(finding.message)
    return all(f"{row.place}, {row.colour} wire" in message_text for row in rows)


@pytest.mark.parametrize("name", long_after_first(BOARDS))
def test_board_wired_from_page_has_no_faults(name, tools):
    board = Board(name, tools)
    learned = board.run_wiring_step()
    assert ([each.kind for each in learned.findings], learned.changes) == (["as drawn"], {})
    assert board.run_sensor_test() == []


@pytest.mark.parametrize(
    ("name", "one", "other"), long_after_first([("direct-4x4", "b1", "c3"), ("hall-4x4", "a2", "d3")])
)
def test_swapped_wires_are_named(name, one, other, tools):
    board = Board(name, tools, swap_wires(printed(name), one, other))
    (found,) = board.run_wiring_step().findings
    assert (found.kind, sorted(found.cells)) == ("exchanged", [one, other])
    assert found.message == Message("finding.exchanged", cells=(one, other))
    (found,) = board.run_sensor_test()
    assert (found.kind, found.cells) == ("swapped", (one, other))
    as_printed = WiringFromPage(name).places
    assert names_wires(found, as_printed[one] + as_printed[other])


def test_swapped_matrix_lines_are_named_in_each_cell(tools):
    """Two adjacent header pins are easily swapped, which swaps two columns."""
    as_printed, (b, c) = WiringFromPage("matrix-5x5"), ("GPIO 27 (header pin 13)", "GPIO 22 (header pin 15)")
    text = printed("matrix-5x5").replace(b, "?").replace(c, b).replace("?", c)
    board = Board("matrix-5x5", tools, text)
    found = board.run_sensor_test(["a1", "b1", "c1", "a2", "b2", "c2"])
    assert [(each.kind, each.cells) for each in found] == [("swapped", ("b1", "c1")), ("swapped", ("b2", "c2"))]
    for each in found:
        assert names_wires(each, [row for cell in each.cells for row in as_printed.places[cell]])


@pytest.mark.parametrize("name", BOARDS)
def test_cells_with_swapped_lamps_are_named(name, tools):
    lamps = [f"| {WiringFromPage(name).places[cell][0].lamps} |" for cell in ("b2", "c3")]
    text = printed(name).replace(lamps[0], "?").replace(lamps[1], lamps[0]).replace("?", lamps[1])
    (found,) = Board(name, tools, text).run_wiring_step().findings
    assert (found.kind, sorted(found.cells)) == ("exchanged", ["b2", "c3"])


@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_missing_wire_is_named(name, tools):
    (row,) = WiringFromPage(name).places["b1"]
    text = "\n".join(line for line in printed(name).splitlines() if "| b1 |" not in line.removeprefix("| b1"))
    (found,) = Board(name, tools, text).run_sensor_test(["a1", "b1"])
    assert (found.kind, found.cells) == ("never", ("b1",))
    assert names_wires(found, [row])


@pytest.mark.long
@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_any_swapped_wires_are_named(name, tools):
    for one, other in combinations(get_grid(4).cells, 2):
        board = Board(name, tools, swap_wires(printed(name), one, other))
        assert [(each.kind, set(each.cells)) for each in board.run_wiring_step().findings] == [
            ("exchanged", {one, other})
        ]
        assert [(each.kind, each.cells) for each in board.run_sensor_test()] == [("swapped", (one, other))]


@pytest.mark.parametrize("name", BOARDS)
def test_setup_names_wires_as_printed(name, tools):
    board = Board(name, tools)
    cells = [*board.soldered.places]
    for pressed_cells in (cells[::2], cells[1::2]):  # all cells at once would be a single fault
        board.set_sensors(pressed_cells, down=True)
        found = board.run_sensor_test(pressed_cells)
        board.set_sensors(pressed_cells, down=False)
        assert [(each.kind, each.cells) for each in found] == [("stuck on", (cell,)) for cell in pressed_cells]
        for each in found:
            assert names_wires(each, board.soldered.places[each.cells[0]]), each.message


@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_both_tables_agree_on_cell_wires(name):
    soldered = WiringFromPage(name)
    for cell, (row,) in soldered.places.items():
        (wire,) = [wire for wire in soldered.wires if wire.net == cell]
        assert (wire.colour, wire.length) == (row.colour, row.length)
        assert leg(wire.other).partition(".")[0] == row.sensor.partition(".")[0]
        if chip := re.fullmatch(r"U\d+\.(\d+) \((GP([AB])(\d))\)", wire.one):
            assert row.place.endswith(f", {chip[2]} (pin {chip[1]})")
            assert LEGS[int(chip[1])] == (chip[3], int(chip[4]))
        else:
            assert row.place == wire.one


@pytest.mark.parametrize("name", BOARDS)
def test_gpios_are_at_their_header_pins(name):
    header = WiringFromPage(name).header
    for gpio, pin in re.findall(r"GPIO (\d+) \(header pin (\d+)\)", printed(name)):
        assert header[int(pin)].name == f"GPIO{gpio}"


@pytest.mark.parametrize("name", BOARDS)
def test_key_and_buzzer_pins_match_profile(name):
    soldered, profile = WiringFromPage(name), load_profile(name)
    assert soldered.gpio("SW_key.1") == profile.undo_key_pin
    assert soldered.grounded("SW_key.2")
    assert soldered.gpio("R3.1") == profile.buzzer_pin
    if profile.buzzer_pin is not None:
        assert soldered.connections["R3.2"] == {"BZ1.1"}
        assert soldered.grounded("BZ1.2")


@pytest.mark.parametrize("name", BOARDS)
def test_lamp_positions_match_profile(name):
    """Set-up cannot find a wrong order within a cell, so it is checked here."""
    soldered, profile = WiringFromPage(name), load_profile(name)
    for cell, cell_rows in soldered.places.items():
        assert {row.lamps for row in cell_rows} == {" ".join(map(str, cell_lamps(profile, cell)))}
    in_cells = profile.chain.lamp_count - len(profile.chain.key_positions)
    assert soldered.strip_count * soldered.strip_length == len(soldered.cell_by_lamp) == in_cells
    assert soldered.chain() == list(range(profile.chain.lamp_count))

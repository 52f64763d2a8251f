"""Boards assembled from their printed pages alone: set-up finds no fault.

The tests read `hardware/<board>/wiring.md` only as text, without the code that made it. This module has what a builder
knows: the Pi's header (from gpiozero), the pins of an MCP23017 (from its data sheet), the order of the lamps on a row
board (printed on it), and the colour order of a WS2812B.
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

CONNECTOR_PINS = ("ground", "5 V lamps", "data in", "data out", "common")
"""First pins printed at the connector of every row board."""

QUICK_POLL, SLOW_POLL, SETTLE_SECONDS = 0.01, 0.1, 0.06
"""Seconds between readings after an action and later, and until readings settle."""

MAX_LOOKS = 20
"""Number of times the simulated person looks at the same question before reporting that nothing happens."""


class CellRow(NamedTuple):
    """Row of the printed table of cells."""

    cell: str
    reader: str
    pin: str
    lamps: str


class PanelRow(NamedTuple):
    """Row of the printed table of other cables."""

    connector: str
    pin: str
    net: str
    soldered_to: str
    length: str


class Crossing(NamedTuple):
    """GPIOs of the two lines of a matrix switch."""

    drive: int
    sense: int


def printed(name):
    return (HARDWARE / name / "wiring.md").read_text(encoding="utf-8")


def tables(text, heading):
    """Return the rows of each printed table under a heading, without the tables' own headings."""
    found, rows = [], []
    for line in [*text.split(f"\n## {heading}\n")[1].partition("\n## ")[0].splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append(rows[2:])
            rows = []
    return found


def row_board_lamps(size):
    """Return the numbers of each cell's lamps on a row board: the far side from the left, then the near side back."""
    last = 4 * size - 1
    return [[2 * cell, 2 * cell + 1, last - 2 * cell, last - 1 - 2 * cell] for cell in range(size)]


class AssembledBoard:
    """Board with the row boards and cables of the printed page.

    Args:
        text: the page.
        exchanged: rows whose cables are plugged into each other's connectors.
    """

    def __init__(self, text, exchanged=()):
        (cells,) = tables(text, "Cells")
        self.connector_pins, plugs = tables(text, "Cables to the row boards")
        self.rows = [CellRow(*row) for row in cells]
        self.panel = [PanelRow(*row) for row in tables(text, "Other cables")[0]]
        connectors = {row.removeprefix("row "): connector for row, connector in plugs}
        row_names = dict(zip(exchanged, reversed(exchanged), strict=True))
        by_pin = {(row.pin.partition(",")[0], row.pin[-1]): row for row in self.rows}
        self.places = {
            row.cell: by_pin[connectors[row_names.get(row.cell[1:], row.cell[1:])], row.cell[0]] for row in self.rows
        }
        self.cell_by_lamp = {int(lamp): cell for cell, row in self.places.items() for lamp in row.lamps.split()}

    def sensor_gpios(self, cell):
        return [int(gpio) for gpio in re.findall(r"GPIO (\d+)", self.places[cell].reader)]


class Switches:
    """Switches that connect each cell's own GPIO to ground."""

    def __init__(self, assembled, tools, _):
        self.pins = WiredFactory()
        tools.pins(self.pins)
        self.gpio = {cell: gpio for cell in assembled.places for gpio in assembled.sensor_gpios(cell)}

    def set(self, cell, down):
        (self.pins.grounded.add if down else self.pins.grounded.discard)(self.gpio.get(cell))


class Crossings:
    """Switches with diodes at the crossings of a driven line and a line that is read."""

    def __init__(self, assembled, tools, _):
        self.crossings = {cell: Crossing(*assembled.sensor_gpios(cell)) for cell in assembled.places}
        self.pins = MatrixFactory(self.crossings.values())
        tools.pins(self.pins)

    def set(self, cell, down):
        (self.pins.closed.add if down else self.pins.closed.discard)(self.crossings[cell])


class Expanders:
    """Hall sensors on MCP23017s, at the addresses and pins of the table of cells."""

    def __init__(self, assembled, tools, clock):
        tools.pins(WiredFactory())
        bus, self.legs = Wire(clock), {}
        for cell, row in assembled.places.items():
            if found := re.fullmatch(r"MCP23017 at 0x(\w\w), GP([AB])(\d) \(pin (\d+)\)", row.reader):
                assert LEGS[int(found[4])] == (found[2], int(found[3]))
                self.legs[cell] = int(found[1], 16), int(found[4])
        bus.chips = {address: Mcp23017() for address, _ in self.legs.values()}
        self.chips = bus.chips
        plug_in(bus, tools.patch, tools.folder)

    def set(self, cell, down):
        if cell in self.legs:
            address, number = self.legs[cell]
            port, bit = LEGS[number]
            chip, mask = self.chips[address], 1 << bit + 8 * (port == "B")
            chip.grounded = chip.grounded | mask if down else chip.grounded & ~mask


CIRCUITS = {"direct-4x4": Switches, "hall-4x4": Expanders, "matrix-5x5": Crossings}


class Board:
    """Board assembled from a page, with the drivers of its profile and a person who follows instructions.

    Args:
        name: the board.
        tools: replacement for a Pi's pins.
        text: the page; by default the printed one.
        exchanged: rows whose cables are plugged into each other's connectors.
    """

    def __init__(self, name, tools, text=None, exchanged=()):
        self.profile, self.clock, self.sent = load_profile(name), Clock(), b""
        self.assembled = AssembledBoard(text or printed(name), exchanged)
        self.circuit = CIRCUITS[name](self.assembled, tools, self.clock)
        self.lamps = [self.assembled.cell_by_lamp.get(number) for number in range(self.profile.chain.lamp_count)]
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
            self.circuit.set(cell, down)
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


def swap_columns(text, one, other, *columns):
    """Swap columns of two cells in the page's table of cells."""
    lines = [line.split("|") for line in text.splitlines()]
    (first,), (second,) = ([row for row in lines if len(row) == 6 and row[1].strip() == cell] for cell in (one, other))
    for column in columns:
        first[column], second[column] = second[column], first[column]
    return "\n".join(map("|".join, lines))


def names_wires(finding, rows):
    """Return True if a finding names the inputs and the connector pins of these rows as printed."""
    message_text = text(finding.message)
    return all(f"{row.reader} (carrier board: {row.pin})" in message_text for row in rows)


@pytest.mark.parametrize("name", long_after_first(BOARDS))
def test_board_assembled_from_page_has_no_faults(name, tools):
    board = Board(name, tools)
    learned = board.run_wiring_step()
    assert ([each.kind for each in learned.findings], learned.changes) == (["as drawn"], {})
    assert board.run_sensor_test() == []


@pytest.mark.parametrize("name", long_after_first(BOARDS))
def test_swapped_row_cables_are_found(name, tools):
    learned = Board(name, tools, exchanged=("1", "3")).run_wiring_step()
    assert [each.message for each in learned.findings] == [Message("finding.rows_exchanged", rows=("1", "3"))]
    profile, lamps = load_profile(name), learned.changes["lamps.cells"].split("\n\n")
    places = AssembledBoard(printed(name), ("1", "3")).places
    for row, drawn in zip(range(profile.size, 0, -1), lamps, strict=True):
        far, near = (line.split() for line in drawn.splitlines())
        for column in range(profile.size):
            cell = f"{'abcde'[column]}{row}"
            pair = slice(2 * column, 2 * column + 2)
            assert [*far[pair], *near[pair]] == places[cell].lamps.split()


@pytest.mark.parametrize(
    ("name", "one", "other"), long_after_first([("direct-4x4", "b1", "c1"), ("hall-4x4", "a2", "d2")])
)
def test_swapped_wires_of_a_cable_are_named(name, one, other, tools):
    board = Board(name, tools, swap_columns(printed(name), one, other, 2))
    (found,) = board.run_wiring_step().findings
    assert (found.kind, sorted(found.cells)) == ("exchanged", [one, other])
    (found,) = board.run_sensor_test()
    assert (found.kind, found.cells) == ("swapped", (one, other))
    as_printed = AssembledBoard(printed(name)).places
    assert names_wires(found, [as_printed[one], as_printed[other]])


@pytest.mark.parametrize("name", BOARDS)
def test_cells_with_swapped_lamps_are_named(name, tools):
    board = Board(name, tools, swap_columns(printed(name), "b2", "c3", 4))
    (found,) = board.run_wiring_step().findings
    assert (found.kind, sorted(found.cells)) == ("exchanged", ["b2", "c3"])


@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_broken_sensor_wire_is_named(name, tools):
    row = AssembledBoard(printed(name)).places["b1"]
    board = Board(name, tools, printed(name).replace(f"| {row.reader} |", "| |"))
    (found,) = board.run_sensor_test(["a1", "b1"])
    assert (found.kind, found.cells) == ("never", ("b1",))
    assert names_wires(found, [row])


@pytest.mark.long
@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_any_swapped_wires_of_a_cable_are_named(name, tools):
    for row in range(1, 5):
        for one, other in combinations([f"{letter}{row}" for letter in "abcd"], 2):
            board = Board(name, tools, swap_columns(printed(name), one, other, 2))
            assert [(each.kind, set(each.cells)) for each in board.run_wiring_step().findings] == [
                ("exchanged", {one, other})
            ]
            assert [(each.kind, each.cells) for each in board.run_sensor_test()] == [("swapped", (one, other))]


@pytest.mark.parametrize("name", BOARDS)
def test_setup_names_wires_as_printed(name, tools):
    board = Board(name, tools)
    cells = [*board.assembled.places]
    for pressed_cells in (cells[::2], cells[1::2]):  # all cells at once would be a single fault
        board.set_sensors(pressed_cells, down=True)
        found = board.run_sensor_test(pressed_cells)
        board.set_sensors(pressed_cells, down=False)
        assert [(each.kind, each.cells) for each in found] == [("stuck on", (cell,)) for cell in pressed_cells]
        for each_finding in found:
            assert names_wires(each_finding, [board.assembled.places[each_finding.cells[0]]]), each_finding.message


@pytest.mark.parametrize("name", BOARDS)
def test_gpios_are_at_their_header_pins(name):
    header = next(iter(WiredFactory().board_info.headers.values())).pins
    found = re.findall(r"GPIO (\d+) \(header pin (\d+)\)", printed(name))
    assert found or name == "hall-4x4"
    for gpio, pin in found:
        assert header[int(pin)].name == f"GPIO{gpio}"


@pytest.mark.parametrize("name", BOARDS)
def test_plug_has_a_pin_for_each_cell(name):
    assembled, profile = AssembledBoard(printed(name)), load_profile(name)
    numbers, names, _ = zip(*assembled.connector_pins, strict=True)
    assert numbers == tuple(str(number) for number in range(1, 6 + profile.size))
    assert names == (*CONNECTOR_PINS, *(f"cell {number}" for number in range(1, profile.size + 1)))


@pytest.mark.parametrize("name", BOARDS)
def test_panel_cables_reach_keys_and_buzzer(name):
    profile, soldered = load_profile(name), defaultdict(dict)
    for row in AssembledBoard(printed(name)).panel:
        for pin in row.soldered_to.split(", "):
            soldered[row.connector][pin.partition(" ")[0]] = row.net
    assert soldered["J3"] == {"SW_key.1": "key", "SW_key.2": "ground"}
    assert ("J4" in soldered) == (profile.buzzer_pin is not None)
    if profile.buzzer_pin is not None:
        assert soldered["J4"] == {"BZ1.1": "buzzer behind R3", "BZ1.2": "ground"}
    for number in profile.chain.key_positions:
        lamp_pins = {pin: net for pin, net in soldered["J5"].items() if pin.startswith(f"D{number}.")}
        assert lamp_pins.items() >= {(f"D{number}.1", "5 V lamps"), (f"D{number}.3", "ground")}


@pytest.mark.parametrize("name", BOARDS)
def test_printed_lamps_are_those_of_the_row_boards(name):
    """Set-up cannot find a wrong order within a cell, so it is checked here."""
    assembled, profile = AssembledBoard(printed(name)), load_profile(name)
    lamps = row_board_lamps(profile.size)
    for cell, row in assembled.places.items():
        first = 4 * profile.size * (profile.size - int(cell[1:]))
        numbers = [first + lamp for lamp in lamps["abcde".index(cell[0])]]
        assert row.lamps == " ".join(map(str, numbers))
        assert numbers == list(cell_lamps(profile, cell))

"""A board soldered by its printed table, by somebody who knows nothing else; set-up mode finds it healthy.

What is read here is `hardware/<board>/wiring.md` and the guide beside it, as text. Nothing is asked of the rooms that
made them. What a builder has to know besides stands here: the Pi's header (as gpiozero has it), the legs of an
MCP23017 (as its data sheet has them), what a switch, a diode and a hall sensor do, and that a WS2812B takes green
first.
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
from pond_hw.setup.lamp_places import cell_lamps
from pond_hw.setup.sensor_steps import SensorTest
from pond_hw.setup.step import StepReply
from pond_hw.setup.step_runner import StepRunner
from pond_hw.setup.wiring_step import WiringStep
from tests.board.i2c import Mcp23017, Wire, plug_in
from tests.board.pins import CopperFactory, MatrixFactory
from tests.clock import Clock
from tests.conftest import first_now_rest_long
from tests.drivers.pis import a_pi
from tests.messages.says import text
from tests.setup.people import BRIGHT, asked

pytestmark = pytest.mark.slow

HARDWARE = Path(__file__).parents[2] / "hardware"
BOARDS = ("direct-4x4", "hall-4x4", "matrix-5x5")

LEGS = {leg: ("B", leg - 1) for leg in range(1, 9)} | {leg: ("A", leg - 21) for leg in range(21, 29)}
"""Port and bit of the legs of an MCP23017 that are inputs."""

OFTEN, SELDOM, SETTLES = 0.01, 0.1, 0.06
"""Seconds from reading to reading, after a hand did something and later; and until nothing new can be read."""

IN_VAIN = 20
"""Looks at the same question after which a person says that nothing happens."""


class CellRow(NamedTuple):
    """A row of the table of cells, as it is printed."""

    cell: str
    sensor: str
    place: str
    colour: str
    length: str
    lamps: str


class WireRow(NamedTuple):
    """A row of the table of all wires, as it is printed."""

    one: str
    other: str
    net: str
    colour: str
    length: str
    thickness: str


class Crossing(NamedTuple):
    """The GPIOs of the two lines on which a switch of a matrix lies."""

    drive: int
    sense: int


def printed(name):
    return (HARDWARE / name / "wiring.md").read_text()


def rows(text, heading):
    """The cells of a printed table, without its head."""
    _, after = text.split(f"\n## {heading}\n")
    table = [line for line in after.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def leg(end):
    """An end of a wire without what is only said for people: `U_a1.3 (OUT)` is the leg `U_a1.3`."""
    pin = re.search(r"header pin \d+", end)
    return pin[0] if pin else end.partition(" ")[0]


class Soldered:
    """What hangs together when all wires of the printed table are soldered, and nothing else is.

    Args:
        name: the board; its guide says how long the pieces of strip are.
        text: the page with both tables; by default as it is printed.
    """

    def __init__(self, name, text=None):
        text, guide = text or printed(name), (HARDWARE / name / "assembly.md").read_text()
        self.cells = [CellRow(*row) for row in rows(text, "Cells")]
        self.wires = [WireRow(*row) for row in rows(text, "All wires")]
        self.places, self.hangs = defaultdict(list), defaultdict(set)
        for row in self.cells:
            self.places[row.cell].append(row)
        for wire in self.wires:
            self.hangs[leg(wire.one)].add(leg(wire.other))
            self.hangs[leg(wire.other)].add(leg(wire.one))
        cut = re.search(r"strip into (\d+) pieces \((\d+) lamps each\)", guide)
        self.pieces, self.piece = int(cut[1]), int(cut[2])
        self.header = next(iter(CopperFactory().board_info.headers.values())).pins

    def joined(self, end):
        """All legs on which one finds what one puts on this one."""
        seen, edge = set(), {end}
        while edge:
            seen |= edge
            edge = set().union(*(self.hangs[each] for each in edge)) - seen
        return seen

    def pins(self, end, name):
        """What the header's pins are called that hang on a leg, as far as they are called so: `GPIO12`, `GND`, `5V`."""
        on = [int(each.removeprefix("header pin ")) for each in self.joined(end) if each.startswith("header")]
        return [called for pin in on if (called := self.header[pin].name).startswith(name)]

    def gpio(self, end):
        """The GPIO on a leg, or None; there is never more than one."""
        found = self.pins(end, "GPIO")
        assert len(found) <= 1, f"{end} is on {found}"
        return int(found[0].removeprefix("GPIO")) if found else None

    def grounded(self, end):
        return "B1.1" in self.joined(end) and "GND" in self.pins(end, "GND")

    def chain(self):
        """The lamps, by their number, in the order in which data runs through them; only those that have a supply."""
        (first,) = self.hangs["R1.2"]
        order, here = [], first
        while here.endswith(".4"):
            number = int(here[1:-2])
            assert number not in order, "the chain runs in a ring"
            if not self.fed(number):
                break
            order.append(number)
            here = (
                f"D{number + 1}.4"
                if number + 1 in self.on_piece(number)
                else next(iter(self.hangs[f"D{number}.2"]), "")
            )
        return order

    def fed(self, number):
        """Whether the piece of strip that a lamp is on has 5 V behind the fuse, and ground."""
        on = self.on_piece(number)
        own = "J2.1" in self.joined("F1.1") and "J2.2" in self.joined("B1.1")
        return (
            bool(own or self.pins("F1.1", "5V"))
            and any("B1.3" in self.joined(f"D{lamp}.1") for lamp in on)
            and any(self.grounded(f"D{lamp}.3") for lamp in on)
        )

    def on_piece(self, number):
        """The lamps on the piece of strip that a lamp is on; those of turn keys are cut off one by one."""
        first = number - number % self.piece
        return range(first, first + self.piece) if number < self.pieces * self.piece else range(number, number + 1)

    @property
    def stands_in(self):
        """The cell in which a lamp stands, by its number."""
        return {int(lamp): row.cell for row in self.cells for lamp in row.lamps.split()}


class Switches:
    """A switch from each cell's own GPIO to ground."""

    def __init__(self, soldered, tools, _):
        self.pins = CopperFactory()
        tools.pins(self.pins)
        self.gpio = {
            cell: soldered.gpio(f"SW_{cell}.1") for cell in soldered.places if soldered.grounded(f"SW_{cell}.2")
        }

    def set(self, cell, down):
        (self.pins.grounded.add if down else self.pins.grounded.discard)(self.gpio.get(cell))


class Crossings:
    """Switches with a diode beside each: the band towards the driven line."""

    def __init__(self, soldered, tools, _):
        self.crossings = {
            cell: Crossing(soldered.gpio(f"D_{cell}.2"), soldered.gpio(f"SW_{cell}.1")) for cell in soldered.places
        }
        self.pins = MatrixFactory(self.crossings.values())
        tools.pins(self.pins)

    def set(self, cell, down):
        (self.pins.closed.add if down else self.pins.closed.discard)(self.crossings[cell])


class Expanders:
    """Hall sensors on MCP23017s, which the table of cells calls by their address, and that of wires by their name."""

    def __init__(self, soldered, tools, clock):
        tools.pins(CopperFactory())
        bus, self.legs, address = Wire(clock), {}, {}
        for cell, (row,) in soldered.places.items():
            sensor = row.sensor.partition(".")[0]
            if not (soldered.pins(f"{sensor}.1", "3V3") and soldered.grounded(f"{sensor}.2")):
                continue
            if not (ends := soldered.hangs[f"{sensor}.3"]):
                continue
            chip, number = next(iter(ends)).split(".")
            self.legs[cell] = chip, int(number)
            said = int(re.search("0x[0-9a-f]{2}", row.place)[0], 16)
            assert address.setdefault(chip, said) == said, f"{chip} has one address only"
        (first,) = {end.partition(".")[0] for gpio in ("3", "5") for end in soldered.hangs[f"header pin {gpio}"]}
        assert first in address
        assert [soldered.gpio(f"{first}.{number}") for number in (13, 12)] == [2, 3], "SDA and SCL"
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
    """A board that was soldered by a page, under the drivers of its profile, and a person who does what is asked.

    Args:
        name: the board.
        tools: put copper in the place of a Pi's.
        text: the page; by default as it is printed.
    """

    def __init__(self, name, tools, text=None):
        self.profile, self.clock, self.told = load_profile(name), Clock(), b""
        self.soldered = Soldered(name, text)
        self.copper = COPPER[name](self.soldered, tools, self.clock)
        assert self.soldered.gpio("U1.2") == self.profile.chain.data_pin
        self.lamps = [self.soldered.stands_in.get(number) for number in self.soldered.chain()]
        self.folder, self.steady = tools.folder, 0.0

    def goes_through(self, step):
        """Do a step of set-up until it is done: what came of it."""
        self.steady = self.clock.now()
        wire = SimpleNamespace(
            open=lambda: None, send_bytes=lambda data: setattr(self, "told", data), close=lambda: None
        )
        board = build_board(self.profile, self.clock.now, machine=a_pi(self.folder, mocked=True), wire=wire)
        board = PolledBoard(board.sensors, board.lamps)
        with closing(StepRunner(self.profile, board, step, self.clock.now, profile_limiter(self.profile))) as walk:
            tried = []
            for _ in range(400):
                if walk.step.result:
                    return walk.step.result
                page = walk.step.page
                tried = [*tried, page.prompt] if page.prompt in tried[-1:] else [page.prompt]
                if len(tried) > IN_VAIN and "x" in dict(page.choices):
                    walk.put(StepReply("x", self.clock.now()))
                    walk.run_once()
                    continue
                asked = self.asked(page)
                self.hands(asked, down=True)
                self.passes(walk, board.sensors, 0.2 if len(asked) == 1 else 0.5)
                self.hands(asked, down=False)
                self.passes(walk, board.sensors, 0.2)
            raise AssertionError(f"Never done: {walk.step.page}")

    def asked(self, page):
        """The cells that a person touches now who reads what is asked and looks at the lamps."""
        lit, asks = self.lit, next(iter(asked(page)))
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
        """What shines brightly: the cell, and how much red, green and blue."""
        lights = [(self.told[at + 1], self.told[at], self.told[at + 2]) for at in range(0, len(self.told), 3)]
        return [(cell, light) for cell, light in zip(self.lamps, lights, strict=False) if max(light) >= BRIGHT]

    def hands(self, cells, *, down):
        for cell in cells:
            self.copper.set(cell, down)
            self.steady = self.clock.now() + SETTLES

    def passes(self, walk, sensors, seconds):
        """Time goes by; soon after a hand did something the sensors are read often, and then now and then."""
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            sensors.poll(self.clock.now())
            walk.run_once()
            pause = OFTEN if self.clock.now() < self.steady else SELDOM
            self.clock.reach(min(end, self.clock.now() + max(pause, sensors.pause_seconds)))

    def map(self):
        return self.goes_through(WiringStep(self.profile, self.clock.now()))

    def sensors(self, cells=()):
        """What was found that is worse than good."""
        found = self.goes_through(SensorTest(self.profile, self.clock.now(), cells)).findings
        return [each for each in found if each.grade != GOOD]


def exchanged(text, one, other):
    """The page with the places exchanged to which two cells' own wires go, in both tables."""
    lines = [line.split("|") for line in text.splitlines()]
    for called, place in ((1, 3), (3, 1)):  # the cell and where it goes: in the table of cells, in that of all wires
        (a,), (b,) = ([row for row in lines if len(row) == 8 and row[called].strip() == cell] for cell in (one, other))
        a[place], b[place] = b[place], a[place]
    return "\n".join(map("|".join, lines))


def told_as_printed(finding, rows):
    """Whether a finding names the wires of these rows in the very words of the table."""
    said = text(finding.message)
    return all(f"{row.place}, {row.colour} wire" in said for row in rows)


@pytest.mark.parametrize("name", first_now_rest_long(BOARDS))
def test_soldered_by_the_table_the_board_is_healthy(name, tools):
    board = Board(name, tools)
    learned = board.map()
    assert ([each.kind for each in learned.findings], learned.changes) == (["as drawn"], {})
    assert board.sensors() == []


@pytest.mark.parametrize(
    ("name", "one", "other"), first_now_rest_long([("direct-4x4", "b1", "c3"), ("hall-4x4", "a2", "d3")])
)
def test_two_wires_that_were_exchanged_are_named(name, one, other, tools):
    board = Board(name, tools, exchanged(printed(name), one, other))
    (found,) = board.map().findings
    assert (found.kind, sorted(found.cells)) == ("exchanged", [one, other])
    assert found.message == Message("finding.exchanged", cells=(one, other))
    (found,) = board.sensors()
    assert (found.kind, found.cells) == ("swapped", (one, other))
    as_printed = Soldered(name).places
    assert told_as_printed(found, as_printed[one] + as_printed[other])


def test_two_lines_of_a_matrix_that_were_exchanged_are_told_in_each_cell_of_theirs(tools):
    """There it is two of the header's pins that are easily exchanged, and with them two columns."""
    as_printed, (b, c) = Soldered("matrix-5x5"), ("GPIO 27 (header pin 13)", "GPIO 22 (header pin 15)")
    text = printed("matrix-5x5").replace(b, "?").replace(c, b).replace("?", c)
    board = Board("matrix-5x5", tools, text)
    found = board.sensors(["a1", "b1", "c1", "a2", "b2", "c2"])
    assert [(each.kind, each.cells) for each in found] == [("swapped", ("b1", "c1")), ("swapped", ("b2", "c2"))]
    for each in found:
        assert told_as_printed(each, [row for cell in each.cells for row in as_printed.places[cell]])


@pytest.mark.parametrize("name", BOARDS)
def test_two_cells_whose_lamps_were_exchanged_are_named(name, tools):
    lamps = [f"| {Soldered(name).places[cell][0].lamps} |" for cell in ("b2", "c3")]
    text = printed(name).replace(lamps[0], "?").replace(lamps[1], lamps[0]).replace("?", lamps[1])
    (found,) = Board(name, tools, text).map().findings
    assert (found.kind, sorted(found.cells)) == ("exchanged", ["b2", "c3"])


@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_a_wire_that_was_forgotten_is_named(name, tools):
    (row,) = Soldered(name).places["b1"]
    text = "\n".join(line for line in printed(name).splitlines() if "| b1 |" not in line.removeprefix("| b1"))
    (found,) = Board(name, tools, text).sensors(["a1", "b1"])
    assert (found.kind, found.cells) == ("never", ("b1",))
    assert told_as_printed(found, [row])


@pytest.mark.long
@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_any_two_wires_that_were_exchanged_are_named(name, tools):
    for one, other in combinations(get_grid(4).cells, 2):
        board = Board(name, tools, exchanged(printed(name), one, other))
        assert [(each.kind, set(each.cells)) for each in board.map().findings] == [("exchanged", {one, other})]
        assert [(each.kind, each.cells) for each in board.sensors()] == [("swapped", (one, other))]


@pytest.mark.parametrize("name", BOARDS)
def test_set_up_calls_every_wire_by_the_words_of_the_table(name, tools):
    board = Board(name, tools)
    cells = [*board.soldered.places]
    for some in (cells[::2], cells[1::2]):  # not all of them: that is told as one fault
        board.hands(some, down=True)
        found = board.sensors(some)
        board.hands(some, down=False)
        assert [(each.kind, each.cells) for each in found] == [("stuck on", (cell,)) for cell in some]
        for each in found:
            assert told_as_printed(each, board.soldered.places[each.cells[0]]), each.message


@pytest.mark.parametrize("name", ["direct-4x4", "hall-4x4"])
def test_both_tables_say_the_same_of_a_cells_own_wire(name):
    soldered = Soldered(name)
    for cell, (row,) in soldered.places.items():
        (wire,) = [wire for wire in soldered.wires if wire.net == cell]
        assert (wire.colour, wire.length) == (row.colour, row.length)
        assert leg(wire.other).partition(".")[0] == row.sensor.partition(".")[0]
        if chip := re.fullmatch(r"U\d+\.(\d+) \((GP([AB])(\d))\)", wire.one):
            assert row.place.endswith(f", pin {chip[2]} (leg {chip[1]})")
            assert LEGS[int(chip[1])] == (chip[3], int(chip[4]))
        else:
            assert row.place == wire.one


@pytest.mark.parametrize("name", BOARDS)
def test_gpios_are_where_the_header_has_them(name):
    header = Soldered(name).header
    for gpio, pin in re.findall(r"GPIO (\d+) \(header pin (\d+)\)", printed(name)):
        assert header[int(pin)].name == f"GPIO{gpio}"


@pytest.mark.parametrize("name", BOARDS)
def test_key_and_buzzer_hang_on_the_pins_of_the_profile(name):
    soldered, profile = Soldered(name), load_profile(name)
    assert soldered.gpio("SW_key.1") == profile.undo_key_pin
    assert soldered.grounded("SW_key.2")
    assert soldered.gpio("R3.1") == profile.buzzer_pin
    if profile.buzzer_pin is not None:
        assert soldered.hangs["R3.2"] == {"BZ1.1"}
        assert soldered.grounded("BZ1.2")


@pytest.mark.parametrize("name", BOARDS)
def test_lamps_stand_where_the_profile_draws_them_also_within_a_cell(name):
    """Which lamp of a cell is which, nobody sees who touches what is lit."""
    soldered, profile = Soldered(name), load_profile(name)
    for cell, its in soldered.places.items():
        assert {row.lamps for row in its} == {" ".join(map(str, cell_lamps(profile, cell)))}
    in_cells = profile.chain.lamp_count - len(profile.chain.key_positions)
    assert soldered.pieces * soldered.piece == len(soldered.stands_in) == in_cells
    assert soldered.chain() == list(range(profile.chain.lamp_count))

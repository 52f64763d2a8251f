"""Simulated user who performs the `map` step on a board that differs from its drawing."""

import random
from dataclasses import dataclass

from pond_hw.board import Sample
from pond_hw.rules import get_grid
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.wiring_step import WiringStep
from tests.setup.simulated_user import prompt_messages

COLOUR_ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR")

NAMES = {(1, 0, 0): "red", (0, 1, 0): "green", (0, 0, 1): "blue", (1, 1, 1): "white"}


def turn_drawing(rows, way):
    """Turn a drawing to the right by `way` % 4 quarter turns. From 4 on, transpose it first."""
    rows = [list(row) for row in rows]
    if way >= 4:
        rows = [list(row) for row in zip(*rows, strict=True)]
    for _ in range(way % 4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
    return rows


def chain_rows(positions, width, fro):
    """Return a chain from the top left, row by row, serpentine or straight."""
    rows = [list(positions[line * width : (line + 1) * width]) for line in range(width)]
    return [row[::-1] if fro and line % 2 else row for line, row in enumerate(rows)]


@dataclass
class ActualBoard:
    """The board as it was built.

    Attributes:
        lamps: rows of chain positions, top row first.
        inputs: rows of inputs, top row first.
        colours: actual colour order.
    """

    profile: object
    lamps: list
    inputs: list
    colours: str

    @classmethod
    def as_drawn(cls, profile):
        size, side = profile.size, round(profile.chain.lamps_per_cell**0.5)
        width = size * side
        lamps = [[0] * width for _ in range(width)]
        for index, position in enumerate(profile.chain.cell_positions):
            cell, inner = divmod(index, side * side)
            v = (size - 1 - cell // size) * side + inner // side
            lamps[v][cell % size * side + inner % side] = position
        inputs = [[y * size + x for x in range(size)] for y in reversed(range(size))]
        return cls(profile, lamps, inputs, profile.chain.colour_order)

    @property
    def side(self):
        return len(self.lamps) // len(self.inputs)

    def cell_of(self, position):
        for v, row in enumerate(self.lamps):
            if position in row:
                size = self.profile.size
                return "abcde"[row.index(position) // self.side] + str(size - v // self.side)
        raise AssertionError(f"there is no lamp {position}")

    def input_under(self, cell):
        return self.inputs[self.profile.size - int(cell[1])]["abcde".index(cell[0])]

    def visible_colour(self, rgb):
        """Return the colour that a lamp shows if it is sent this colour in the profile's order."""
        sent = [rgb["RGB".index(colour)] for colour in self.profile.chain.colour_order]
        return tuple(sent[self.colours.index(colour)] for colour in "RGB")

    def seen(self, lit):
        """Return the lit cells, with the colour names of their lamps."""
        cells = {}
        for position, rgb in lit.items():
            colour = NAMES[tuple(int(value > 0) for value in self.visible_colour(rgb))]
            cells.setdefault(self.cell_of(position), []).append(colour)
        return cells


MAX_TRIES = 6
"""Number of touches without a response before the user skips the cell."""


class Walker:
    """Simulated user who touches the requested cells.

    Args:
        built: the actual board.
        slip_rate: share of touches that go wrong: the wrong cell, two at once, or too short.
        seed: random seed of the slips.
        words: True if the user reads the page; False if the user sees only the lamps.
        dead: inputs that never respond.
        stuck: inputs that are always on.
    """

    def __init__(self, built, slip_rate=0.0, seed=0, words=True, dead=(), stuck=()):
        self.built, self.slip_rate, self.words = built, slip_rate, words
        self.random = random.Random(seed)
        self.dead, self.stuck = set(dead), set(stuck)
        self.touches = self.errors = 0
        self.notes = []
        self.touched = []
        self.named = 0
        self.cells = get_grid(built.profile.size).cells
        self.step = WiringStep(built.profile, 0.0, is_timed=not words)
        self.at = 0.0
        self.levels(())

    # Touches

    def put(self, event):
        self.step = self.step.after(event)
        note = self.step.page.text
        if note and (not self.notes or self.notes[-1] != note):
            self.notes.append(note)

    def levels(self, inputs):
        on = (set(inputs) - self.dead) | self.stuck
        self.put(Sample(tuple(int(i in on) for i in range(len(self.cells))), self.at))

    def wait(self, seconds):
        until, ticks = self.at + seconds, 0
        while self.step.due <= until:
            ticks += 1
            assert ticks < 100 + 20 * seconds, "the due time is never reached"
            assert self.step.due >= self.at, ("the due time is in the past", self.step.due, self.at, self.step)
            self.at = self.step.due
            self.put(StepTick(self.at))
        self.at = until

    def hold(self, *cells, seconds=0.15):
        """Hold cells down, then release them."""
        self.touches += 1
        inputs = [self.built.input_under(cell) for cell in cells]
        for n in range(len(inputs)):
            self.levels(inputs[: n + 1])
            self.wait(0.004)
        self.wait(seconds)
        self.levels(())
        self.wait(0.2)

    def touch(self, cell):
        if self.random.random() >= self.slip_rate:
            return self.hold(cell)
        self.errors += 1
        other = self.random.choice([each for each in self.cells if each != cell])
        match self.random.randrange(3):
            case 0:
                return self.hold(other)
            case 1:
                return self.hold(cell, other)
            case _:
                return self.hold(cell, seconds=0.01)

    # Light

    @property
    def seen(self):
        return self.built.seen(self.step.lit_lamps)

    def watched(self, seconds=3.0):
        """Return what is visible at successive moments during some seconds."""
        pictures, until = [self.seen], self.at + seconds
        while self.step.due <= until:
            self.wait(max(0.0, self.step.due - self.at))
            if self.seen != pictures[-1]:
                pictures.append(self.seen)
        return pictures

    def wanted(self):
        """Return the cell to touch next; None if unknown."""
        return self._read() if self.words else self._looked()

    def _read(self):
        asks = prompt_messages(self.step)[0]
        room, _, what = asks.id.partition(".")
        if what == "lit":
            return self._lit()
        if room == "colour":
            colour = what.partition(".")[2]
            return next((cell for cell, shown in self.seen.items() if shown == [colour]), None)
        return "a1" if room == "map_consent" else asks.arguments["cell"]

    def _lit(self):
        assert len(self.step.lit_lamps) <= 1, "more than one lamp is lit"
        return next(iter(self.seen), None)

    def _looked(self):
        """Return the cell that the lamps ask for by winks, by colour, or by a single light."""
        pictures = self.watched()
        many = max(pictures, key=len)
        if len(many) == len(self.cells):
            winks = sum(not picture for picture in pictures[1:])
            return {1: "a1", 2: f"{self.cells[-1][0]}1", 3: "a2", 4: "b1"}.get(winks)
        if len(many) == 1:
            return next(iter(many))
        if len(many) == 2:
            return next(cell for cell in many if all(cell in picture for picture in pictures))
        colour = ("red", "green", "blue")[self.named % 3]
        self.named += 1
        return next(cell for cell, shown in many.items() if shown == [colour])

    def walk(self, max_touches=400):
        """Touch cells until the step is finished."""
        while not self.step.result:
            assert self.touches < max_touches, "too many touches"
            assert len(self.step.lit_lamps) <= 3 or max(map(max, self.step.lit_lamps.values())) <= 30, "too much is lit"
            cell = self.wanted()
            if self.words and cell and self.touched == [cell] * MAX_TRIES:
                self.touched = []
                self.put(StepReply("s", self.at))
            elif cell is None:
                self.wait(1.0)
            else:
                before = self.step.page.step_progress
                self.touch(cell)
                self.touched = [*self.touched, cell] if self.step.page.step_progress == before else []
            assert self.at < 20_000, "the user is stuck"
        return self.step.result

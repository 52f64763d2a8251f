"""Simulated board for any profile, with wiring and sensor faults, read and lit by the real drivers.

A profile describes the intended board, and an `ActualBuild` the board as built. Set-up has to find the differences:

    finger or magnet -> cell -> [ActualBuild.inputs] -> input -> [flaws] -> levels -> SensorScan -> touches
    eye <- cell <- [ActualBuild.lamps, .colours, .broken_at] <- places <- bytes <- ChainLamps <- frame

An *input* is the number of a sensor's wire: an index into the profile's cells, starting with a1. Random behaviour
depends only on the seed and the time, not on the number of readings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from random import Random

from pond_hw.board import RGB, Board
from pond_hw.drivers.build_devices import build_scan
from pond_hw.drivers.button_matrix import may_have_ghosts
from pond_hw.drivers.debounce import HysteresisFilter, SensorLevel
from pond_hw.drivers.lamp_chain import ChainLamps
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message, PondError
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import (
    AnalogWiring,
    ExpanderWiring,
    MatrixCrossing,
    MatrixWiring,
    Profile,
    name_turn_key,
)
from pond_hw.rules import LIGHT, Cell, Side, get_grid
from pond_hw.simulator import require_cell
from pond_hw.simulator.sensor_faults import BOUNCE, CHATTER, CROSS_TALK, DRIFT, STUCK_OFF, STUCK_ON

NEVER, NOISE, REVERSED, WEAK, DEAD_CHIP, NO_DIODE = "never", "noise", "reversed", "weak", "dead-chip", "no-diode"

FLAW_KINDS = (
    STUCK_ON,  # always pressed, or always detects a piece
    STUCK_OFF,  # dead after a few presses
    NEVER,  # dead
    CHATTER,  # changes again and again while it is not pressed
    BOUNCE,  # contact bounces for 15 to 40 ms instead of 2 ms
    CROSS_TALK,  # also reacts to one neighbouring cell
    DRIFT,  # a linear sensor's idle value drifts
    NOISE,  # a linear sensor has 25 counts of noise
    REVERSED,  # a linear sensor is mounted the wrong way round and reads the opposite pole
    WEAK,  # a linear sensor reads a third of the normal swing
    NO_DIODE,  # the diode of this cell is missing in a matrix
    DEAD_CHIP,  # the chip that reads this cell does not answer
)
"""Possible flaws of a cell's sensor."""

GOOD_BOUNCE_SECONDS = (0.0002, 0.003)
"""Range of bounce durations of a good contact."""

BAD_BOUNCE_SECONDS = (0.015, 0.04)

MAGNET_COUNTS = (170, 230)
"""Range of the change in a linear sensor's count that a magnet in the middle of its cell causes."""

NEIGHBOUR_SHARE = 0.04
"""Fraction of that change that the sensors of neighbouring cells measure."""

NOISE_COUNTS = 3
"""Noise of a good linear sensor, in counts."""

BOUNCE_STEP_SECONDS = 0.0004
"""Time between two possible changes of a bouncing contact."""


@dataclass(frozen=True, slots=True)
class ActualBuild:
    """Wiring of a board as built.

    Attributes:
        inputs: input to which each cell's sensor is wired.
        lamps: actual chain position of each lamp in the cells, in the order of `Frame.data`.
        colours: actual colour order of the lamps.
        broken_at: first chain position that receives no data; None if the chain is intact.
    """

    inputs: Mapping[Cell, int]
    lamps: tuple[int, ...]
    colours: str
    broken_at: int | None = None

    @classmethod
    def from_profile(cls, profile: Profile) -> ActualBuild:
        """Return a board built exactly as its profile says."""
        inputs = {cell: input_number for input_number, cell in enumerate(get_grid(profile.size).cells)}
        return cls(inputs, profile.chain.cell_positions, profile.chain.colour_order)


class _CellContact:
    """State of the contact or magnet in a cell, and the time when it stops bouncing."""

    __slots__ = ("changes", "down", "pole", "since", "until")

    def __init__(self) -> None:
        self.down, self.since, self.until, self.changes = False, -inf, -inf, 0
        self.pole = 1  # pole of the magnet: 1 for light's pieces, -1 for dark's


class FaultyBoard:
    """Simulated board with faults, for set-up.

    Args:
        profile: description of the intended board.
        now: clock in seconds.
        built: the board as built; matches the profile by default.
        flaws: sensor flaw by cell, from `FLAW_KINDS`.
        seed: seed for all random behaviour.

    Attributes:
        shown_bytes: last bytes sent to the chain of lamps.
        pressed_keys: pressed keys beside the cells, by their names in `Profile.key_pins`.
        moved_at: time in seconds when a button or magnet was last pressed, released or moved.

    Raises:
        PondError: a flaw or cell is unknown, or the flaw is impossible for these sensors.
    """

    def __init__(
        self,
        profile: Profile,
        now: Callable[[], float],
        built: ActualBuild | None = None,
        flaws: Mapping[Cell, str] | None = None,
        seed: int = 0,
    ) -> None:
        self.profile, self.now, self.seed = profile, now, seed
        self.built = built or ActualBuild.from_profile(profile)
        self.flaws = dict(flaws or {})
        self.shown_bytes = bytes(profile.chain.lamp_count * 3)
        self.pressed_keys: frozenset[str] = frozenset()
        self.moved_at = -inf
        wiring = profile.sensing.wiring
        # physical polarity; calibration does not change it
        self._light = wiring.light if isinstance(wiring, AnalogWiring) else 0
        self._cached_levels: tuple[SensorLevel, ...] | None = None  # cached while the levels cannot change
        grid = get_grid(profile.size)
        self._contacts = {cell: _CellContact() for cell in grid.cells}
        self._own = {cell: self._seeded_random("swings", cell).uniform(*MAGNET_COUNTS) for cell in grid.cells}
        self._beside = {cell: grid.list_cells(grid.neighbour_masks[grid.mask_by_cell[cell]]) for cell in grid.cells}
        self._pulls: dict[Cell, float] = {}  # swing of each linear sensor, cached until something moves

    def to_board(self) -> Board:
        """Return the board for set-up, with the same drivers as a real one."""
        profile = self.profile
        lamps = ChainLamps(profile.size, profile.chain, BenchWire(self), self.now)
        keys = {name: BenchKey(self, name) for name in profile.key_pins}
        return Board(build_scan(profile, self.now, BenchReader(self), keys), lamps)

    def use_profile(self, profile: Profile) -> None:
        """Read the same wires with another profile."""
        old_wires, new_wires = (board_profile.list_wires(each.sensing.wiring) for each in (self.profile, profile))
        if new_wires:
            inputs = {cell: new_wires.index(old_wires[number]) for cell, number in self.built.inputs.items()}
            self.built = replace(self.built, inputs=inputs)
        self.profile = profile
        self._cached_levels = None

    def press(self, cell: Cell, owner: Side = LIGHT) -> None:
        """Press the button of a cell or a key beside the cells, or put a magnet on the cell.

        Args:
            cell: name of the cell, or of the key in `Profile.key_pins`.
            owner: owner of the piece; only linear sensors detect it.

        Raises:
            PondError: the board has no such cell.
        """
        if self._change_key(cell, is_down=True):
            return
        self._change_contact(cell, is_down=True)
        self._contacts[cell].pole = 1 if owner is LIGHT else -1
        self._pulls = {}

    def release(self, cell: Cell) -> None:
        """Release a button or key, or take the magnet away.

        Raises:
            PondError: the board has no such cell.
        """
        if not self._change_key(cell, is_down=False):
            self._change_contact(cell, is_down=False)

    def _change_key(self, name: str, *, is_down: bool) -> bool:
        if name not in self.profile.key_pins:
            return False
        self.pressed_keys = self.pressed_keys | {name} if is_down else self.pressed_keys - {name}
        self.moved_at = self.now()
        return True

    def seen_lamps(self, cell: Cell) -> tuple[RGB, ...]:
        """Return the visible colours of a cell's lamps as (red, green, blue) drive levels, from the top left."""
        lamps_per_cell = self.profile.chain.lamps_per_cell
        first_lamp = get_grid(self.profile.size).cells.index(cell) * lamps_per_cell
        return tuple(map(self._lamp_colour, self.built.lamps[first_lamp : first_lamp + lamps_per_cell]))

    @property
    def seen_strips(self) -> Mapping[str, tuple[RGB, ...]]:
        """Visible colours of the score strips by name, starting at the first point; empty without strips."""
        strips = zip(Side, self.profile.chain.strip_positions, strict=True)
        return {f"{side} strip": tuple(map(self._lamp_colour, places)) for side, places in strips if places}

    @property
    def seen_keys(self) -> dict[str, tuple[RGB, ...]]:
        places = self.profile.chain.key_positions
        names = [name_turn_key(side) for side in self.profile.turn_key_pins if places]
        return {name: (self._lamp_colour(place),) for name, place in zip(names, places, strict=True)}

    def contact_levels(self) -> tuple[SensorLevel, ...]:
        """Return the current level of each contact or digital sensor by input."""
        if self._cached_levels:
            return self._cached_levels
        input_levels = [0] * len(self._contacts)
        for cell, input_number in self.built.inputs.items():
            input_levels[input_number] |= self._contact_level(cell)
        self._cached_levels = tuple(input_levels) if self.is_at_rest else None
        return tuple(input_levels)

    def sensor_counts(self, rest_counts: Iterable[int]) -> tuple[int, ...]:
        """Return the current count of each linear sensor by input, given the idle counts."""
        input_levels, noise_random = list(rest_counts), self._seeded_random("trembles", int(self.now() * 1000))
        for cell, input_number in self.built.inputs.items():
            sensor_swing = self._sensor_swing(cell, noise_random.uniform(-1, 1))
            input_levels[input_number] = max(4, min(1019, round(input_levels[input_number] + sensor_swing)))
        return tuple(input_levels)

    @property
    def is_at_rest(self) -> bool:
        return self.now() > self.moved_at + BAD_BOUNCE_SECONDS[1] and CHATTER not in self.flaws.values()

    def read_problem(self) -> Message | None:
        wiring = self.profile.sensing.wiring
        for cell, flaw_kind in self.flaws.items():
            if flaw_kind == DEAD_CHIP and isinstance(wiring, ExpanderWiring):
                address = f"0x{wiring.pins[cell].address:02x}"
                return Message("i2c.no_answer", address=address, bus=wiring.bus, text="Remote I/O error")
            if flaw_kind == DEAD_CHIP and isinstance(wiring, AnalogWiring):
                chip = wiring.channels[cell].chip
                return Message("converter.stuck.zero", chip=chip, miso=wiring.chips[chip].miso)
        return None

    def _lamp_colour(self, place: int) -> RGB:
        if self.built.broken_at is not None and place >= self.built.broken_at:
            return 0, 0, 0
        colour_bytes = dict(zip(self.built.colours, self.shown_bytes[place * 3 : place * 3 + 3], strict=True))
        return colour_bytes["R"], colour_bytes["G"], colour_bytes["B"]

    def _change_contact(self, cell: Cell, *, is_down: bool) -> None:
        require_cell(cell, self.profile.size)
        contact = self._contacts[cell]
        if contact.down != is_down:
            contact.down, contact.since = is_down, self.now()
            self.moved_at = contact.since
            contact.changes += 1
            bounce = BAD_BOUNCE_SECONDS if self.flaws.get(cell) == BOUNCE else GOOD_BOUNCE_SECONDS
            contact.until = self.moved_at + self._seeded_random("bounces for", cell, contact.changes).uniform(*bounce)
            self._cached_levels, self._pulls = None, {}

    def _seeded_random(self, *what: object) -> Random:
        return Random(f"{self.seed} {what}")

    def _contact_level(self, cell: Cell) -> SensorLevel:
        flaw_kind, contact, now = self.flaws.get(cell), self._contacts[cell], self.now()
        if flaw_kind == STUCK_ON:
            return 1
        if flaw_kind == NEVER or (flaw_kind == STUCK_OFF and contact.changes > 4):
            return 0
        chatters = flaw_kind == CHATTER and not contact.down
        if chatters and self._seeded_random("chatters", cell, int(now / 0.06)).random() < 0.2:
            return 1
        if flaw_kind == CROSS_TALK and self._contacts[self.cross_talk_cell(cell)].down:
            return 1
        if self.profile.sensing.kind == "button" and contact.since <= now < contact.until:
            bounce_step = int((now - contact.since) / BOUNCE_STEP_SECONDS)
            return int(self._seeded_random("is", cell, contact.changes, bounce_step).random() < 0.5)
        return int(contact.down)

    def cross_talk_cell(self, cell: Cell) -> Cell:
        """Return the neighbour that a sensor with cross-talk also reacts to."""
        return self._seeded_random("is keen on", cell).choice(self._beside[cell])

    def _sensor_swing(self, cell: Cell, noise_share: float) -> float:
        """Return how far a linear sensor's reading is from its idle value. `noise_share` scales the maximum noise."""
        if cell not in self._pulls:
            self._pulls[cell] = self._magnet_pull(cell)
        sensor_swing, flaw_kind = self._pulls[cell], self.flaws.get(cell)
        if flaw_kind is None:
            return sensor_swing + noise_share * NOISE_COUNTS
        now, idle_counts = self.now(), self._own[cell]
        noise_share *= 25 if flaw_kind == NOISE else NOISE_COUNTS
        if flaw_kind == STUCK_ON:
            return self._light * idle_counts
        if flaw_kind == NEVER or (flaw_kind == STUCK_OFF and self._contacts[cell].changes > 4):
            return noise_share
        if flaw_kind == CHATTER and self._seeded_random("chatters", cell, int(now / 0.1)).random() < 0.3:
            return self._light * idle_counts
        swing_factor = {REVERSED: -1.0, WEAK: 0.33}.get(flaw_kind or "", 1.0)
        return sensor_swing * swing_factor + noise_share + (min(now * 2.0, 45.0) if flaw_kind == DRIFT else 0.0)

    def _magnet_pull(self, cell: Cell) -> float:
        contacts = self._contacts
        neighbour_pull = NEIGHBOUR_SHARE * sum(
            [contacts[other].pole * contacts[other].down for other in self._beside[cell]]
        )
        if self.flaws.get(cell) == CROSS_TALK and contacts[self.cross_talk_cell(cell)].down:
            neighbour_pull = 0.6
        return self._light * self._own[cell] * (contacts[cell].pole * contacts[cell].down + neighbour_pull)


def parse_build(profile: Profile, flaw_texts: Iterable[str]) -> tuple[ActualBuild, dict[Cell, str]]:
    """Parse flaw descriptions. Return the board as built, and its sensor flaws.

    Args:
        profile: description of the intended board.
        flaw_texts: each is a flaw and its cell (`never:b2`), two sensors with exchanged wires (`swapped:b2:c2`), a
            lamp chain that is broken before a lamp (`broken:7`), or the real colour order of the lamps
            (`colours:RGB`).

    Raises:
        PondError: a description is not valid.
    """
    built, flaws = ActualBuild.from_profile(profile), dict[Cell, str]()
    cells = get_grid(profile.size).cells
    flaw_kinds, lamp_positions = list_flaw_kinds(profile), [str(place) for place in range(profile.chain.lamp_count)]
    for flaw_text in flaw_texts:
        match flaw_text.split(":"):
            case ["swapped", cell, other_cell] if cell in cells and other_cell in cells and cell != other_cell:
                inputs = {**built.inputs, cell: built.inputs[other_cell], other_cell: built.inputs[cell]}
                built = replace(built, inputs=inputs)
            case ["broken", position] if position in lamp_positions:
                built = replace(built, broken_at=int(position))
            case ["colours", colour_order] if sorted(colour_order) == ["B", "G", "R"]:
                built = replace(built, colours=colour_order)
            case [flaw_kind, cell] if flaw_kind in flaw_kinds and cell in cells:
                flaws[cell] = flaw_kind
            case _:
                choices = (*(f"{flaw_kind}:b2" for flaw_kind in flaw_kinds), "swapped:b2:c2", "broken:7", "colours:RGB")
                raise PondError(
                    Message("simulator.unknown_flaw", text=flaw_text[:40], profile=profile.name, choices=choices)
                )
    return built, flaws


class BenchKey:
    """Key of the simulated board, as read by `SensorScan`."""

    raw_values = edge_fd = None

    def __init__(self, bench: FaultyBoard, name: str) -> None:
        self._bench, self._name = bench, name

    def open(self) -> None:
        pass

    def read_levels(self) -> tuple[SensorLevel, ...]:
        return (int(self._name in self._bench.pressed_keys),)

    def is_configured(self) -> bool:
        return True

    def close(self) -> None:
        pass


class BenchReader:
    """Sensors of the simulated board, as read by `SensorScan`.

    Attributes:
        raw_values: as in `Sample`.
    """

    edge_fd = None

    def __init__(self, bench: FaultyBoard) -> None:
        self.raw_values: tuple[int, ...] | None = None
        self._bench, self._wiring = bench, bench.profile.sensing.wiring
        self._levels: tuple[SensorLevel, ...] = (0,) * bench.profile.size**2
        self._closed: tuple[SensorLevel, ...] | None = None  # switches of a matrix that gave the current levels
        self._hysteresis: HysteresisFilter | None = None
        if isinstance(self._wiring, AnalogWiring):
            self._hysteresis = HysteresisFilter(tuple(self._wiring.rest.values()), self._wiring.on, self._wiring.off)

    def open(self) -> None:
        """Raise SensorReadError if a chip is dead."""
        if problem := self._bench.read_problem():
            raise SensorReadError(problem)

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """Return the level of each input. Raise SensorReadError if a chip is dead."""
        self.open()
        if self._hysteresis and isinstance(self._wiring, AnalogWiring):
            self.raw_values = self._bench.sensor_counts(self._wiring.rest.values())
            return self._hysteresis.add_counts(self.raw_values)
        levels = self._bench.contact_levels()
        if not isinstance(self._wiring, MatrixWiring):
            return levels
        if levels is self._closed:
            return self._levels
        self._closed = levels
        crossings = tuple(self._wiring.crossings.values())
        closed = {crossing for crossing, level in zip(crossings, levels, strict=True) if level}
        diodeless_cells = [cell for cell, flaw_kind in self._bench.flaws.items() if flaw_kind == NO_DIODE]
        diodeless_crossings = {crossings[self._bench.built.inputs[cell]] for cell in diodeless_cells}
        read_crossings = conducting_crossings(closed, diodeless_crossings)
        self.raw_values = tuple([int(crossing in read_crossings) for crossing in crossings])
        if not may_have_ghosts(read_crossings):
            self._levels = self.raw_values
        return self._levels

    def is_configured(self) -> bool:
        return True

    def close(self) -> None:
        pass


class BenchWire:
    """Data line to the lamps of the simulated board."""

    def __init__(self, bench: FaultyBoard) -> None:
        self._bench = bench

    def open(self) -> None:
        pass

    def send_bytes(self, lamp_bytes: bytes) -> None:
        self._bench.shown_bytes = lamp_bytes

    def close(self) -> None:
        pass


def list_flaw_kinds(profile: Profile) -> list[str]:
    """Return the possible flaws of a profile's sensors."""
    wiring = profile.sensing.wiring
    possible_kinds = {
        **dict.fromkeys((STUCK_ON, STUCK_OFF, NEVER, CHATTER, CROSS_TALK), True),
        **dict.fromkeys((DRIFT, NOISE, REVERSED, WEAK), isinstance(wiring, AnalogWiring)),
        DEAD_CHIP: isinstance(wiring, AnalogWiring | ExpanderWiring),
        BOUNCE: profile.sensing.kind == "button",
        NO_DIODE: isinstance(wiring, MatrixWiring),
    }
    return [flaw_kind for flaw_kind in FLAW_KINDS if possible_kinds[flaw_kind]]


def conducting_crossings(closed: set[MatrixCrossing], diodeless_crossings: set[MatrixCrossing]) -> set[MatrixCrossing]:
    """Return the crossings of a matrix that read as closed, including ghost presses.

    A closed switch conducts from its sense line to the driven line. Without a diode, it also conducts in reverse.
    """
    read_crossings = set()
    for drive in {crossing.drive for crossing in closed}:
        senses, drives = set[int](), set[int]()
        reached_drives = {drive}
        while reached_drives != drives:
            drives = reached_drives
            senses = {crossing.sense for crossing in closed if crossing.drive in drives}
            reached_drives = drives | {each.drive for each in closed & diodeless_crossings if each.sense in senses}
        read_crossings |= {MatrixCrossing(drive, sense) for sense in senses}
    return read_crossings

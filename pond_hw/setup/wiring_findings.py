"""What the walk round the board tells about where lamps and sensors lie, as sentences for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.profile.faults import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.remedies import FLAPPING, NOT_EXAMINED, find_remedy
from pond_hw.setup.step import FAULT, WARNING, SetupFinding
from pond_hw.setup.wiring_patterns import CELLS, DRAWN, GRID, LampPattern, WirePattern, list_patterns

Ask = int | Cell
"""A place in the chain, or the name of a cell."""

NOT_FOUND = "not found"
"""The kind of a finding that nothing explains what was touched."""

DRAW = "Take the proposed drawing over."


@dataclass(frozen=True, slots=True)
class LearnedWiring:
    """What the answers tell.

    Attributes:
        ask: what has to be asked next, for the first time or again; None if enough is known.
        again: whether that has been asked before and its answer is doubted.
        lamps: for each lamp, in the order of `LampSettings.cells`, its place; None if it could not be found.
        sensors: for each cell the input under it; None if it could not be found.
        findings: what was found, as sentences for a person.
    """

    ask: Ask | None = None
    again: bool = False
    lamps: tuple[int, ...] | None = None
    sensors: Mapping[Cell, int] | None = None
    findings: tuple[SetupFinding, ...] = ()

    @property
    def found(self) -> bool:
        """Whether both maps are known."""
        return self.lamps is not None and self.sensors is not None

    def differs(self, profile: Profile) -> bool:
        """Whether the maps are other than the profile's."""
        drawn = dict(zip(get_grid(profile.size).cells, range(profile.size**2), strict=True))
        return self.lamps != profile.chain.cell_positions or self.sensors != drawn


class WiringExplanation(NamedTuple):
    """One explanation of all that was heard.

    Attributes:
        lamps: the pattern; None if the lamps were learned one by one.
        wires: how the sensors lie but for exceptions; None if they were learned one by one.
        where: for each place that is known, the number of its cell.
        under: for each cell whose input is known or drawn, that input.
        wrong: asks that do not fit the patterns.
        clashing: the lamps after which one input lies under two cells, or two under one, or too many in one.
        inputs_of: for each cell of which a lamp was answered for the inputs that answered there.
        cells_of: for each input that answered for a lamp the cells under which it did.
    """

    lamps: LampPattern | None
    wires: WirePattern | None
    where: Mapping[int, int]
    under: Mapping[int, int]
    wrong: tuple[Ask, ...]
    clashing: tuple[int, ...]
    inputs_of: Mapping[int, set[int]]
    cells_of: Mapping[int, set[int]]

    @property
    def far(self) -> tuple[int, int, int]:
        """How far it is from the drawing: of what fits alike, the nearest is believed first."""
        lamps = self.lamps.near if self.lamps else CELLS + 1
        sensors = self.wires.near if self.wires else 3
        return (lamps > DRAWN) + (sensors > 0) + (sensors > 1), sensors, lamps

    @property
    def drawn(self) -> bool:
        """Whether it is the drawing, but for exceptions."""
        return self.far == (0, 0, DRAWN)


def describe_layout(profile: Profile, case: WiringExplanation) -> Iterator[SetupFinding]:
    """How lamps and sensors lie against the drawing."""
    turn = case.wires.turn if case.wires else None
    fro = case.wires is not None and case.wires.near == 2
    if turn and not fro and case.lamps and case.lamps.turn == turn:
        cause = "The board was built, or is looked at, from another side than it was drawn from."
        yield SetupFinding(WARNING, "turned", (), f"The board is {turn} against the drawing.", cause, DRAW)
        return
    yield from _about_lamps(profile, case)
    if case.wires is None:
        told = "The sensors' wires lie in an order of their own; each was learned."
        yield SetupFinding(WARNING, "sensors' order", (), told, "The wires were soldered in another order.", DRAW)
    elif case.wires.lines:
        told = f"{case.wires.lines.capitalize()} are exchanged: the wires of these two lines are swapped."
        cure = "Swap the two lines at the header back, or take the proposed drawing over."
        yield SetupFinding(WARNING, "lines exchanged", (), told, "They were plugged onto each other's pins.", cure)
    elif case.wires.near:
        how = [*([turn] if turn else []), *(["laid to and fro"] if fro else [])]
        told = f"The sensors are {' and '.join(how)} against the drawing: {case.wires.says}."
        yield SetupFinding(WARNING, "sensors turned", (), told, "The wires were drawn from another side.", DRAW)


def _about_lamps(profile: Profile, case: WiringExplanation) -> Iterator[SetupFinding]:
    if case.lamps is None:
        told = "The lamps lie in no pattern; each was learned by itself."
        if profile.chain.lamps_per_cell > 1:
            told += " Where it is inside its cell is not known."
        yield SetupFinding(WARNING, "lamps' order", (), told, "They do not hang one beside the other.", DRAW)
        return
    if case.lamps.near == DRAWN:
        return
    drawn = list_patterns(profile.size, profile.chain)[0].path
    path = case.lamps.path
    if path and drawn and case.lamps.near <= GRID and path[:3] == drawn[:3]:
        told = f"The chain runs {path.way}, the drawing says {drawn.way}."
        yield SetupFinding(WARNING, "lamps to and fro", (), told, "Its rows are joined at their other ends.", DRAW)
    elif case.lamps.turn:
        told = f"The lamps are {case.lamps.turn} against the drawing."
        if path:
            told += f" The chain {path}."
        yield SetupFinding(WARNING, "lamps turned", (), told, "The chain begins in another corner.", DRAW)
    else:
        told = f"The chain {case.lamps.says}."
        if drawn:
            told += f" The drawing says that it {drawn}."
        yield SetupFinding(WARNING, "lamps' order", (), told, "The chain was laid another way.", DRAW)


def describe_exchanges(
    case: WiringExplanation, under: Mapping[int, int], cells: Sequence[Cell]
) -> Iterator[SetupFinding]:
    """Wires that are not where the others say they should be."""
    if case.wires is None:
        return
    should = case.wires.inputs
    other = {cell: should.index(answered) for cell, answered in under.items() if should[cell] != answered}
    while other:
        ring = [min(other)]
        while (following := other.pop(ring[-1])) != ring[0]:
            ring.append(following)
        names = tuple(cells[i] for i in ring)
        if len(ring) == 2:
            told = f"{names[0]} and {names[1]} are exchanged: their wires are swapped."
        else:
            told = f"{join_words(names)} are exchanged in a ring: each has the wire of the next."
        cure = "Swap the wires back, or take the proposed drawing over."
        yield SetupFinding(WARNING, "exchanged", names, told, "They were soldered to each other's inputs.", cure)


def describe_keys(profile: Profile, found: LearnedWiring) -> SetupFinding | None:
    """On a NeoTrellis each lamp lies over the key of its number: nothing else can be proposed."""
    wiring, cells = profile.sensing.wiring, get_grid(profile.size).cells
    if not isinstance(wiring, TrellisWiring) or not found.differs(profile) or not found.lamps or not found.sensors:
        return None
    over = zip(cells, found.lamps, strict=True)
    names = tuple(cell for cell, lamp in over if wiring.keys[cells[found.sensors[cell]]] != lamp)
    if not names:
        return None
    told = f"On a NeoTrellis each lamp lies over its own key, but at {join_words(names)} other keys answered."
    cause = "A finger went wrong, or keys are exchanged on the board."
    cure = "Begin again, and touch only the key that is lit. If it stays so, the NeoTrellis is faulty there."
    return SetupFinding(FAULT, "exchanged" if len(names) == 2 else NOT_FOUND, names, told, cause, cure)


def describe_skip(cell: Cell) -> SetupFinding:
    """A cell that nobody answered for."""
    return SetupFinding(
        WARNING,
        "skipped",
        (cell,),
        f"{cell} was skipped: it is taken to be as the others have it.",
        "Nobody answered when its lamp was lit. If you touched it, its sensor is dead, or its lamp is.",
        "Do this cell again, or test it with the steps `sensors` and `cells`.",
    )


def describe_colours(colours: str, drawn: str) -> SetupFinding:
    """The lamps take their colours in another order than it is drawn."""
    told = f"The lamps take their colours as {colours}, the drawing says {drawn}."
    cause = "Lamps of different makers take them in different orders."
    return SetupFinding(WARNING, "colours", (), told, cause, "Take the proposed order over.")


def describe_restless(names: tuple[Cell, ...], kind: str) -> SetupFinding:
    """Sensors that were ignored, of `button` or `hall` kind."""
    some = "answer by themselves and were" if len(names) > 1 else "answers by itself and was"
    told = f"{join_words(names)} {some} ignored."
    return SetupFinding(WARNING, FLAPPING, names, told, *find_remedy(FLAPPING, kind))


def describe_stuck(names: tuple[Cell, ...]) -> SetupFinding:
    """Sensors that are on all the time."""
    told = f"{join_words(names)} {'are' if len(names) > 1 else 'is'} on all the time."
    cause, cure = "Something stands there, or there is a short.", "Take it off, or look at the wires."
    return SetupFinding(WARNING, "stuck on", names, told, cause, cure)


NOTHING = (
    "No arrangement of lamps and sensors explains what was touched.",
    "Begin again, and touch only what is lit; at first the bottom left corner, then the bottom right one.",
)


def describe_not_examined(told: str, cells: Sequence[Cell]) -> LearnedWiring:
    """Nothing is proposed, since too little was answered: that is no fault of the board."""
    cure = "Begin again and touch what is lit. If you did, look at the sensors and lamps of these cells."
    return LearnedWiring(findings=(SetupFinding(WARNING, NOT_EXAMINED, tuple(cells), told, "", cure),))


def describe_not_found(told: str, cure: str) -> LearnedWiring:
    """Nothing is proposed, and why."""
    return LearnedWiring(findings=(SetupFinding(FAULT, NOT_FOUND, (), told, "", cure),))

"""Which sensor and which lamps lie under which cell, from lamps that were lit and inputs that answered. Pure.

Touching a lit lamp tells that a lamp and an input lie under the same cell, not under which one. Two corners that were
touched without any light tell where the whole of it lies. The rest is Occam's razor: lamps hang on a strip, so they
lie in one of a few patterns; the sensors' wires lie mostly as drawn, perhaps turned, but any two may be exchanged.

    lit lamp -> input that answered   }
    a1, bottom right -> input         }   the lamps' pattern   +   the sensors' wires, with a few exceptions
    what the profile draws            }

What does not fit is asked again before it is believed, and where two explanations fit alike, that which would tell
them apart is asked. An *ask* is either: a place in the chain (light that lamp; who answers?) or the name of a cell
(who answers when it is touched, with nothing lit to point at it?).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from pond_hw.profile.board_profile import Chain, Matrix, Profile, Trellis
from pond_hw.profile.faults import listed
from pond_hw.rules import Cell, grid
from pond_hw.setup.remedies import NOT_EXAMINED
from pond_hw.setup.step import FAULT, GOOD, WARNING, Finding
from pond_hw.setup.wiring_patterns import CELLS, DRAWN, GRID, Pattern, Wires, patterns, wires

Ask = int | Cell
"""A place in the chain, or the name of a cell."""

NOT_FOUND = "not found"
"""The kind of a finding that nothing explains what was touched."""

OFTEN_ENOUGH = 6
"""Answers of which no two agree, or not more than others do: then asking once more helps no more."""


@dataclass(frozen=True, slots=True)
class Heard:
    """All answers so far.

    Attributes:
        answers: for each ask the inputs that answered, one after the other.
        skipped: the asks that nobody answers.
    """

    answers: Mapping[Ask, tuple[int, ...]] = field(default_factory=dict)
    skipped: frozenset[Ask] = frozenset()

    def told(self, ask: Ask, answered: int) -> Heard:
        """With one more answer."""
        answers = {**self.answers, ask: (*self.answers.get(ask, ()), answered)}
        return Heard(answers, self.skipped - {ask})

    def without(self, asks: Iterable[Ask]) -> Heard:
        """As if these had never been asked."""
        gone = set(asks)
        return Heard({ask: all_ for ask, all_ in self.answers.items() if ask not in gone}, self.skipped - gone)

    def skip(self, asks: Iterable[Ask]) -> Heard:
        """Nobody answers these."""
        return replace(self, skipped=self.skipped | frozenset(asks))

    def open(self, ask: Ask) -> bool:
        """Whether this has neither been answered nor skipped."""
        return ask not in self.answers and ask not in self.skipped

    def believed(self, ask: Ask) -> int:
        """The answer that came most often; of several the latest."""
        answers = self.answers[ask]
        return max(reversed(answers), key=Counter(answers).__getitem__)

    def confirmed(self, ask: Ask) -> bool:
        """Whether it was given at least twice, and more often than any other."""
        counts = [count for _, count in Counter(self.answers.get(ask, ())).most_common(2)]
        return bool(counts) and counts[0] >= 2 and (len(counts) == 1 or counts[0] > counts[1])


@dataclass(frozen=True, slots=True)
class Learned:
    """What the answers tell.

    Attributes:
        ask: what has to be asked next, for the first time or again; None if enough is known.
        again: whether that has been asked before and its answer is doubted.
        lamps: for each lamp, in the order of `Chain.cells`, its place; None if it could not be found.
        sensors: for each cell the input under it; None if it could not be found.
        findings: what was found, as sentences for a person.
    """

    ask: Ask | None = None
    again: bool = False
    lamps: tuple[int, ...] | None = None
    sensors: Mapping[Cell, int] | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def found(self) -> bool:
        """Whether both maps are known."""
        return self.lamps is not None and self.sensors is not None

    def differs(self, profile: Profile) -> bool:
        """Whether the maps are other than the profile's."""
        drawn = dict(zip(grid(profile.size).cells, range(profile.size**2), strict=True))
        return self.lamps != profile.chain.cells or self.sensors != drawn


class _Case(NamedTuple):
    """One explanation of all that was heard.

    Attributes:
        lamps: the pattern; None if the lamps were learned one by one.
        wires: how the sensors lie but for exceptions; None if they were learned one by one.
        where: for each place that is known, the number of its cell.
        under: for each cell whose input is known or drawn, that input.
        wrong: asks that do not fit.
    """

    lamps: Pattern | None
    wires: Wires | None
    where: Mapping[int, int]
    under: Mapping[int, int]
    wrong: tuple[Ask, ...]

    @property
    def far(self) -> tuple[int, int, int]:
        """How far it is from the drawing: of what fits alike, the nearest is believed first."""
        lamps = self.lamps.near if self.lamps else CELLS + 1
        sensors = self.wires.near if self.wires else 3
        return (lamps > DRAWN) + (sensors > 0) + (sensors > 1), sensors, lamps

    @property
    def drawn(self) -> bool:
        """Whether it is the drawing, but for exceptions."""
        return self.lamps is not None and self.lamps.near == DRAWN and self.wires is not None and self.wires.near == 0

    def under_of(self, answered: int) -> int:
        """The number of the cell under which an input lies, but for exceptions."""
        return self.wires.inputs.index(answered) if self.wires else answered

    def answer(self, ask: Ask, number: Mapping[Cell, int]) -> int | None:
        """Which input would answer this, if it is known."""
        cell = number[ask] if isinstance(ask, str) else self.where.get(ask)
        return None if cell is None else self.under.get(cell)


class _Seen(NamedTuple):
    """What was heard, made ready.

    Attributes:
        pairs: for each place the input that is believed.
        corners: for each cell's number the input that is believed.
        lit: for each input the places that it answered for.
        number: the numbers of the cells.
        sure: the asks that were confirmed.
    """

    pairs: Mapping[int, int]
    corners: Mapping[int, int]
    lit: Mapping[int, Sequence[int]]
    number: Mapping[Cell, int]
    sure: frozenset[Ask]

    def suspects(self, asks: Iterable[Ask]) -> list[Ask]:
        """Those of some asks, one of which must be wrong, that may be: if all are confirmed, all."""
        asks = list(asks)
        return [ask for ask in asks if ask not in self.sure] or asks


def corners(size: int) -> tuple[Cell, Cell]:
    """The cells that are touched first: the bottom left and the bottom right."""
    bottom = grid(size).rows[-1]
    return bottom[0], bottom[-1]


def probes(profile: Profile) -> tuple[int, ...]:
    """One place for each cell, in the order in which they are lit: as drawn, the top row first.

    A single lamp is always in exactly one cell, however wrong the drawing is; several might be in several. Of each cell
    that lamp is taken which in as many patterns as possible lies in a cell that had no light yet.
    """
    return _probes(profile.size, profile.chain)


@lru_cache(maxsize=16)
def _probes(size: int, chain: Chain) -> tuple[int, ...]:
    board, per_cell = grid(size), chain.per_cell
    had: list[tuple[Mapping[int, int], set[int]]] = [(where, set()) for _, where in _lamps(size, chain)]
    found = []
    for turn, cell in enumerate(cell for row in board.rows for cell in row):
        first = board.cells.index(cell) * per_cell
        inside = chain.cells[first : first + per_cell]
        inside = inside[turn * 2 % per_cell :] + inside[: turn * 2 % per_cell]  # alike, not always the same one
        lamp = min(inside, key=lambda place: sum(where[place] in cells for where, cells in had))
        for where, cells in had:
            cells.add(where[lamp])
        found.append(lamp)
    return tuple(found)


def learn(profile: Profile, heard: Heard) -> Learned:
    """What can be told from what was heard, and what has to be asked next.

    If nothing explains all of it, that which fits best is told, and the cells that contradict it.
    """
    learned = _learn(profile, heard)
    (finding, *_) = learned.findings or (None,)
    if learned.found or finding is None or finding.kind != NOT_FOUND or finding.cells:
        return learned
    told, cells = _fits_best(profile, _seen(heard, {cell: i for i, cell in enumerate(grid(profile.size).cells)}))
    return replace(learned, findings=(replace(finding, told=f"{finding.told} {told}", cells=cells),))


def _fits_best(profile: Profile, seen: _Seen) -> tuple[str, tuple[Cell, ...]]:
    """What explains most of what was heard, as sentences, and the cells that contradict it."""
    cells = list(seen.number)
    cases = _regular(profile, seen, profile.size**2)
    best = min(cases, key=lambda case: (len(case.wrong), case.far))
    against = {ask if isinstance(ask, str) else cells[best.where[ask]] for ask in best.wrong}
    against |= {cells[best.under_of(seen.pairs[ask])] for ask in best.wrong if isinstance(ask, int)}
    names = tuple(cell for cell in cells if cell in against)
    assert best.lamps
    assert best.wires
    chain = f"the lamps lie {best.lamps.says}" if best.lamps.turn is not None else f"the chain {best.lamps.says}"
    contradict = f"{listed(names)} {'contradicts' if len(names) == 1 else 'contradict'} that."
    return f"What fits best: {chain}, the sensors lie {best.wires.says}. {contradict}", names


def _learn(profile: Profile, heard: Heard) -> Learned:
    board = grid(profile.size)
    begin: tuple[Ask, ...] = (*corners(profile.size), *probes(profile))
    first = next((ask for ask in begin if heard.open(ask)), None)
    if first is not None:
        return Learned(ask=first)
    number = {cell: i for i, cell in enumerate(board.cells)}
    seen = _seen(heard, number)
    if len(seen.pairs) * 2 < profile.size**2:
        told = f"Only {len(seen.pairs)} of {profile.size**2} lamps were answered for: too few to tell where all lie."
        return _not_examined(told, board.cells)
    cases, regular = _best(profile, seen)
    wavering = (ask for ask, answers in heard.answers.items() if len(answers) > 1)
    if doubted := _doubted(heard, (*_doubts(cases, seen), *wavering)):
        return doubted
    if clash := _clash(cases[0], seen, regular):
        return _once_more(cases, heard) or _lost(*clash)
    return (
        _told_apart(profile, cases, heard, number)
        or _sure(profile, cases[0], heard, number)
        or _doubted(heard, _simpler_but_for(profile, cases[0], seen, regular))
        or _covered(profile, cases[0], heard)
        or _concluded(profile, cases[0], heard)
    )


def _seen(heard: Heard, number: Mapping[Cell, int]) -> _Seen:
    pairs = {ask: heard.believed(ask) for ask in heard.answers if isinstance(ask, int)}
    touched = {number[ask]: heard.believed(ask) for ask in heard.answers if isinstance(ask, str)}
    lit: dict[int, list[int]] = {}
    for place, answered in pairs.items():
        lit.setdefault(answered, []).append(place)
    sure = frozenset(ask for ask in heard.answers if heard.confirmed(ask))
    return _Seen(pairs, touched, lit, number, sure)


_Lamps = tuple[Pattern, Mapping[int, int]]
"""A pattern, and for each place the number of its cell."""

_Sensors = tuple[Wires, Sequence[int]]
"""How the sensors may lie, and for each input the number of its cell."""


@lru_cache(maxsize=32)
def _lamps(size: int, chain: Chain) -> tuple[_Lamps, ...]:
    return tuple(
        (each, {place: index // chain.per_cell for index, place in enumerate(each.cells)})
        for each in patterns(size, chain)
    )


@lru_cache(maxsize=8)
def _sensors(size: int, *, by_line: bool) -> tuple[_Sensors, ...]:
    return tuple((each, sorted(range(size**2), key=each.inputs.__getitem__)) for each in wires(size, by_line=by_line))


def _best(profile: Profile, seen: _Seen) -> tuple[list[_Case], bool]:
    """The explanations that fit best, the nearest to the drawing first; and whether the sensors' wires are regular."""
    few = profile.size**2 // 3
    regular = list(_regular(profile, seen, few))
    if regular:
        return _fewest(regular, seen), True
    return _fewest((*_free_wires(profile, seen), *_free_lamps(profile, seen)), seen), False


def _fewest(cases: Iterable[_Case], seen: _Seen) -> list[_Case]:
    """Those with the fewest asks that do not fit, of those against which the fewest confirmed ones speak.

    A lamp may be confirmed and not fit, if the sensors are regular: then its wire is exchanged with another.
    """

    def against(case: _Case) -> tuple[int, int]:
        firm = (ask for ask in case.wrong if isinstance(ask, str) or case.lamps is None or case.wires is None)
        return len(seen.sure.intersection(firm)), len(case.wrong)

    every = [(against(case), case) for case in cases]
    least = min(each for each, _ in every)
    return sorted((case for each, case in every if each == least), key=lambda case: case.far)


def _regular(profile: Profile, seen: _Seen, few: int) -> Iterator[_Case]:
    """Lamps in a pattern, sensors in a pattern but for a few exceptions."""
    cells = list(seen.number)
    for lamps, where in _lamps(profile.size, profile.chain):
        lit = [(place, where[place], answered) for place, answered in seen.pairs.items()]
        for lie, lies in _sensors(profile.size, by_line=isinstance(profile.sensing.wiring, Matrix)):
            wrong: list[Ask] = []
            for place, cell, answered in lit:
                if lies[answered] != cell:
                    wrong.append(place)
                    if len(wrong) > few:
                        break
            if len(wrong) > few or (lie.lines and (wrong or lamps.near != DRAWN)):
                continue  # two exchanged lines are a fault by themselves, and not told apart from much else
            under = dict(enumerate(lie.inputs))
            if wrong:
                under |= {cell: answered for _, cell, answered in lit}
            for cell, answered in seen.corners.items():
                there = seen.lit.get(answered, ())
                if all(where[place] != cell for place in there) if there else lies[answered] != cell:
                    wrong.append(cells[cell])
            if len(wrong) <= few:
                yield _Case(lamps, lie, where, under, tuple(wrong))


def _free_wires(profile: Profile, seen: _Seen) -> Iterator[_Case]:
    """Lamps in a pattern, any wire anywhere: only an input under two cells, or two under one cell, do not fit."""
    cells = list(seen.number)
    for lamps, where in _lamps(profile.size, profile.chain):
        under: dict[int, set[int]] = {}
        for place, answered in seen.pairs.items():
            under.setdefault(where[place], set()).add(answered)
        wrong: list[Ask] = []
        for lit in seen.lit.values():
            if len({where[place] for place in lit}) > 1:
                wrong += seen.suspects(lit)
        for cell, inputs in under.items():
            if len(inputs) > 1:
                wrong += seen.suspects(place for place in seen.pairs if where[place] == cell)
        for cell, answered in seen.corners.items():
            lit = seen.lit.get(answered, ())
            if all(where[place] != cell for place in lit) if lit else cell in under:
                lamps_there = lit or [place for place in seen.pairs if where[place] == cell]
                wrong += seen.suspects([cells[cell], *lamps_there])
        known = {cell: min(inputs) for cell, inputs in under.items()}
        yield _Case(lamps, None, where, {**seen.corners, **known}, tuple(dict.fromkeys(wrong)))


def _free_lamps(profile: Profile, seen: _Seen) -> Iterator[_Case]:
    """Sensors in a pattern without exceptions, any lamp anywhere: only too many lamps in a cell do not fit."""
    cells = list(seen.number)
    for lie, lies in _sensors(profile.size, by_line=False):
        wrong: list[Ask] = [
            place for places in seen.lit.values() if len(places) > profile.chain.per_cell for place in places
        ]
        wrong += (cells[cell] for cell, answered in seen.corners.items() if lies[answered] != cell)
        where = {place: lies[answered] for place, answered in seen.pairs.items()}
        yield _Case(None, lie, where, dict(enumerate(lie.inputs)), tuple(wrong))


def _doubts(cases: Sequence[_Case], seen: _Seen) -> Iterator[Ask]:
    """What does not fit, and lamps for which the same input answered."""
    for case in cases:
        for ask in case.wrong:
            yield ask
            if isinstance(ask, int):
                yield from (place for place in seen.lit[seen.pairs[ask]] if case.where[place] != case.where[ask])


def _doubted(heard: Heard, asks: Iterable[Ask]) -> Learned | None:
    """Ask again what was not answered twice alike; say so if that leads nowhere."""
    for ask in dict.fromkeys(asks):
        if heard.confirmed(ask):
            continue
        if len(heard.answers[ask]) >= OFTEN_ENOUGH:
            what = f"the corner {ask}" if isinstance(ask, str) else f"lamp {ask}"
            return _lost(
                f"Each time another sensor answers for {what}.",
                "Touch only what is asked for; if you do, some sensors answer for their neighbours.",
            )
        return Learned(ask=ask, again=True)
    return None


def _once_more(cases: Sequence[_Case], heard: Heard) -> Learned | None:
    """Before giving up: what was answered in different ways, and a third time what does not fit."""
    mixed = [ask for ask, answers in heard.answers.items() if len(set(answers)) > 1]
    often = {ask: 3 for case in cases for ask in case.wrong} | dict.fromkeys(mixed, OFTEN_ENOUGH)
    again = next((ask for ask, enough in often.items() if len(heard.answers[ask]) < enough), None)
    return None if again is None else Learned(ask=again, again=True)


def _clash(case: _Case, seen: _Seen, regular: bool) -> tuple[str, str] | None:
    """What cannot be, and is confirmed: why nothing can be proposed."""
    if any(isinstance(ask, str) for ask in case.wrong) or (case.wrong and not regular):
        return _NOTHING
    cells = list(seen.number)
    for answered, places in sorted(seen.lit.items()):
        under = sorted({case.where[place] for place in places})
        if len(under) > 1:
            told = f"The same sensor, drawn for {cells[answered]}, answers under {listed(cells[i] for i in under)}."
            return told, "Look for wires that touch each other there, then begin again."
    for cell in sorted({case.where[place] for place in seen.pairs}):
        inputs = sorted({seen.pairs[place] for place in seen.pairs if case.where[place] == cell})
        if len(inputs) > 1:
            told = f"Under {cells[cell]} the sensors answer that are drawn for {listed(cells[i] for i in inputs)}."
            return told, "Some lamps lie in no pattern. Look at the chain there, then begin again."
    return None


def _told_apart(profile: Profile, cases: Sequence[_Case], heard: Heard, number: Mapping[Cell, int]) -> Learned | None:
    """What tells explanations apart that fit alike; nothing if there is no need, or no such thing.

    Other wires with other lamps may always explain what the drawing explains: then the drawing is right.
    """
    cells = [cell for cell in (*corners(profile.size), *beside_the_corner(profile.size)) if heard.open(cell)]
    lamps = [place for place in sorted(profile.chain.cells) if heard.open(place)]
    asks: list[Ask] = [*lamps, *([] if cases[0].drawn else cells)]
    best, kinds = None, 1
    for ask in asks:
        answers = {case.answer(ask, number) for case in cases} if len(cases) > 1 else set()
        if len(answers) > kinds:
            best, kinds = ask, len(answers)
    return None if best is None else Learned(ask=best)


def _sure(profile: Profile, case: _Case, heard: Heard, number: Mapping[Cell, int]) -> Learned | None:
    """Before anything is believed, a third cell is touched with nothing lit: a finger may go wrong on a corner.

    If it was that which made the difference, it is asked again.
    """
    cells = beside_the_corner(profile.size)
    if not any(cell in heard.answers for cell in cells):
        return Learned(ask=cells[0]) if heard.skipped.isdisjoint(cells) else None
    first = {*corners(profile.size), *probes(profile)}
    extra = [ask for ask in heard.answers if ask not in first]
    before = _best(profile, _seen(heard.without(extra), number))[0][0]
    alike = all(before.under.get(cell, answered) == answered for cell, answered in case.under.items())
    return None if alike and before.where == case.where else _doubted(heard, extra)


def beside_the_corner(size: int) -> list[Cell]:
    """All cells but the two corners: that over the bottom left corner first, then that beside it.

    Both are easily found without any light, and neither stays where it is if the board is turned or mirrored: so either
    of them tells, too, if a finger went wrong on a corner.
    """
    first = ("a2", "b1")
    rest = (cell for cell in grid(size).cells if cell not in (*first, *corners(size)))
    return [*first, *rest]


def _simpler_but_for(profile: Profile, case: _Case, seen: _Seen, regular: bool) -> Iterator[Ask]:
    """Cells, touched without light, that alone speak against something simpler: the finger may have gone wrong."""
    if not regular or case.drawn:
        return
    for other in _regular(profile, seen, len(case.wrong) + 1):
        if other.far < case.far and len(other.wrong) == len(case.wrong) + 1:
            yield from (ask for ask in other.wrong if isinstance(ask, str))


def _covered(profile: Profile, case: _Case, heard: Heard) -> Learned | None:
    """A lamp in a cell of which no lamp was lit; every lamp, if they lie in no pattern."""
    chain = profile.chain
    if case.lamps is None:
        left = next((place for place in sorted(chain.cells) if heard.open(place)), None)
        return None if left is None else Learned(ask=left)
    lit = {case.where[place] for place in (*heard.answers, *heard.skipped) if isinstance(place, int)}
    left = next((place for place in sorted(chain.cells) if case.where[place] not in lit), None)
    return None if left is None else Learned(ask=left)


def _concluded(profile: Profile, case: _Case, heard: Heard) -> Learned:
    """Both maps, and what there is to say about them."""
    cells = grid(profile.size).cells
    under = dict(case.under)
    answered = {case.where[ask]: heard.believed(ask) for ask in heard.answers if isinstance(ask, int)}
    blank = [cell for cell in range(len(cells)) if cell not in answered]
    free = [i for i in range(len(cells)) if i not in answered.values()]
    if any(under.get(cell) not in free for cell in blank):  # another has what is drawn for them: one left for one
        if len(blank) != 1:
            names = tuple(cells[i] for i in blank)
            return _not_examined(f"Nobody answered when the lamps of {listed(names)} were lit.", names)
        under[blank[0]] = free[0]
    lamps = case.lamps.cells if case.lamps else _one_by_one(profile, case)
    if lamps is None:
        return _lost(
            "The lamps lie in no pattern, and not every cell has its number of them.",
            "Look whether all lamps light, then begin again.",
        )
    sensors = {cell: under[i] for i, cell in enumerate(cells)}
    found = Learned(lamps=lamps, sensors=sensors)
    if isinstance(profile.sensing.wiring, Trellis) and found.differs(profile) and not _trellis_fits(profile, found):
        return _keys_exchanged(found, profile.sensing.wiring, cells)
    told = [*_alike(profile, case), *_exchanged(case, under, cells)]
    told += (
        Finding(
            WARNING,
            "skipped",
            (cells[i],),
            f"{cells[i]} was skipped: it is taken to be as the others have it.",
            "Nobody answered when its lamp was lit. If you touched it, its sensor is dead, or its lamp is.",
            "Do this cell again, or test it with the steps `sensors` and `cells`.",
        )
        for i in blank
    )
    if not told:
        told = [Finding(GOOD, "as drawn", (), "Lamps and sensors lie as the profile draws them.")]
    return replace(found, findings=tuple(told))


def _one_by_one(profile: Profile, case: _Case) -> tuple[int, ...] | None:
    """The lamps of each cell in the order of the chain; a single one that nobody answered for is where one lacks."""
    inside: dict[int, list[int]] = {cell: [] for cell in range(profile.size**2)}
    for place, cell in sorted(case.where.items()):
        inside[cell].append(place)
    left = [place for place in profile.chain.cells if place not in case.where]
    lacking = [cell for cell, places in inside.items() if len(places) < profile.chain.per_cell]
    if len(left) == 1 and len(lacking) == 1:
        inside[lacking[0]] = sorted((*inside[lacking[0]], *left))
    if any(len(places) != profile.chain.per_cell for places in inside.values()):
        return None
    return tuple(place for cell in range(profile.size**2) for place in inside[cell])


def _trellis_fits(profile: Profile, found: Learned) -> bool:
    wiring = profile.sensing.wiring
    cells = grid(profile.size).cells
    if not isinstance(wiring, Trellis) or found.lamps is None or found.sensors is None:
        return False
    return all(wiring.keys[cells[found.sensors[cell]]] == lamp for cell, lamp in zip(cells, found.lamps, strict=True))


def _keys_exchanged(found: Learned, wiring: Trellis, cells: Sequence[Cell]) -> Learned:
    """On a NeoTrellis each lamp lies over the key of its number: nothing else can be proposed."""
    assert found.lamps
    assert found.sensors
    over = zip(cells, found.lamps, strict=True)
    names = tuple(cell for cell, lamp in over if wiring.keys[cells[found.sensors[cell]]] != lamp)
    told = f"On a NeoTrellis each lamp lies over its own key, but at {listed(names)} other keys answered."
    cause = "A finger went wrong, or keys are exchanged on the board."
    cure = "Begin again, and touch only the key that is lit. If it stays so, the NeoTrellis is faulty there."
    kind = "exchanged" if len(names) == 2 else NOT_FOUND
    return Learned(findings=(Finding(FAULT, kind, names, told, cause, cure),))


def _alike(profile: Profile, case: _Case) -> Iterator[Finding]:
    """How lamps and sensors lie against the drawing."""
    turn = case.wires.turn if case.wires else None
    fro = case.wires is not None and case.wires.near == 2
    draw = "Take the proposed drawing over."
    if turn and not fro and case.lamps and case.lamps.turn == turn:
        cause = "The board was built, or is looked at, from another side than it was drawn from."
        yield Finding(WARNING, "turned", (), f"The board is {turn} against the drawing.", cause, draw)
        return
    yield from _about_lamps(profile, case)
    if case.wires is None:
        told = "The sensors' wires lie in an order of their own; each was learned."
        yield Finding(WARNING, "sensors' order", (), told, "The wires were soldered in another order.", draw)
    elif case.wires.lines:
        told = f"{case.wires.lines.capitalize()} are exchanged: the wires of these two lines are swapped."
        cure = "Swap the two lines at the header back, or take the proposed drawing over."
        yield Finding(WARNING, "lines exchanged", (), told, "They were plugged onto each other's pins.", cure)
    elif case.wires.near:
        how = [*([turn] if turn else []), *(["laid to and fro"] if fro else [])]
        told = f"The sensors are {' and '.join(how)} against the drawing: {case.wires.says}."
        yield Finding(WARNING, "sensors turned", (), told, "The wires were drawn from another side.", draw)


def _about_lamps(profile: Profile, case: _Case) -> Iterator[Finding]:
    draw = "Take the proposed drawing over."
    if case.lamps is None:
        told = "The lamps lie in no pattern; each was learned by itself."
        if profile.chain.per_cell > 1:
            told += " Where it is inside its cell is not known."
        yield Finding(WARNING, "lamps' order", (), told, "They do not hang one beside the other.", draw)
        return
    if case.lamps.near == DRAWN:
        return
    drawn = patterns(profile.size, profile.chain)[0].path
    path = case.lamps.path
    if path and drawn and case.lamps.near <= GRID and path[:3] == drawn[:3]:
        told = f"The chain runs {path.way}, the drawing says {drawn.way}."
        yield Finding(WARNING, "lamps to and fro", (), told, "Its rows are joined at their other ends.", draw)
    elif case.lamps.turn:
        told = f"The lamps are {case.lamps.turn} against the drawing."
        if path:
            told += f" The chain {path}."
        yield Finding(WARNING, "lamps turned", (), told, "The chain begins in another corner.", draw)
    else:
        told = f"The chain {case.lamps.says}."
        if drawn:
            told += f" The drawing says that it {drawn}."
        yield Finding(WARNING, "lamps' order", (), told, "The chain was laid another way.", draw)


def _exchanged(case: _Case, under: Mapping[int, int], cells: Sequence[Cell]) -> Iterator[Finding]:
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
            told = f"{listed(names)} are exchanged in a ring: each has the wire of the next."
        cure = "Swap the wires back, or take the proposed drawing over."
        yield Finding(WARNING, "exchanged", names, told, "They were soldered to each other's inputs.", cure)


_NOTHING = (
    "No arrangement of lamps and sensors explains what was touched.",
    "Begin again, and touch only what is lit; at first the bottom left corner, then the bottom right one.",
)


def _not_examined(told: str, cells: Sequence[Cell]) -> Learned:
    """Nothing is proposed, since too little was answered: that is no fault of the board."""
    cure = "Begin again and touch what is lit. If you did, look at the sensors and lamps of these cells."
    return Learned(findings=(Finding(WARNING, NOT_EXAMINED, tuple(cells), told, "", cure),))


def _lost(told: str, cure: str) -> Learned:
    """Nothing is proposed, and why."""
    return Learned(findings=(Finding(FAULT, NOT_FOUND, (), told, "", cure),))

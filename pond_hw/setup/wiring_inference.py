"""Which sensor and which lamps lie under which cell, from lamps that were lit and inputs that answered. Pure.

Touching a lit lamp tells that a lamp and an input lie under the same cell, not under which one. Two corners that were
touched without any light tell where the whole of it lies. The rest is Occam's razor: lamps hang on a strip, so they
lie in one of a few patterns; the sensors' wires lie mostly as drawn, perhaps turned, but any two may be exchanged.

    lit lamp -> input that answered   }
    a1, bottom right -> input         }   the lamps' pattern   +   the sensors' wires, with a few exceptions
    what the profile draws            }

What does not fit is asked again until two answers agree, and before anything is given up, everything is. Where two
explanations fit alike, what tells them apart is asked. An *ask* is either: a place in the chain (light that lamp; who
answers?) or the name of a cell (who answers when it is touched, with nothing lit to point at it?).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pond_hw.profile.board_profile import LampSettings, MatrixWiring, Profile
from pond_hw.profile.faults import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.step import GOOD, SetupFinding
from pond_hw.setup.wiring_findings import (
    NOT_FOUND,
    NOTHING,
    Ask,
    LearnedWiring,
    WiringExplanation,
    describe_exchanges,
    describe_keys,
    describe_layout,
    describe_not_examined,
    describe_not_found,
    describe_skip,
)
from pond_hw.setup.wiring_patterns import DRAWN, LampPattern, WirePattern, list_patterns, list_wirings

OFTEN_ENOUGH = 6
"""Answers of which no two agree, or not more than others do: then asking once more helps no more."""


@dataclass(frozen=True, slots=True)
class TouchAnswers:
    """All answers so far.

    Attributes:
        answers: for each ask the inputs that answered, one after the other.
        skipped: the asks that nobody answers.
    """

    answers: Mapping[Ask, tuple[int, ...]] = field(default_factory=dict)
    skipped: frozenset[Ask] = frozenset()

    def told(self, ask: Ask, answered: int) -> TouchAnswers:
        """With one more answer."""
        answers = {**self.answers, ask: (*self.answers.get(ask, ()), answered)}
        return TouchAnswers(answers, self.skipped - {ask})

    def without(self, asks: Iterable[Ask]) -> TouchAnswers:
        """As if these had never been asked."""
        gone = set(asks)
        return TouchAnswers({ask: all_ for ask, all_ in self.answers.items() if ask not in gone}, self.skipped - gone)

    def skip(self, asks: Iterable[Ask]) -> TouchAnswers:
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

    @property
    def pairs(self) -> dict[int, int]:
        """For each lamp that was lit, by its place, the answer that is believed."""
        return {ask: self.believed(ask) for ask in self.answers if isinstance(ask, int)}

    @property
    def named(self) -> dict[Cell, int]:
        """For each cell that was asked for by its name the answer that is believed."""
        return {ask: self.believed(ask) for ask in self.answers if isinstance(ask, str)}


def corner_lamps(size: int) -> tuple[Cell, Cell]:
    """The cells that are touched first: the bottom left and the bottom right."""
    bottom = get_grid(size).rows[-1]
    return bottom[0], bottom[-1]


def probe_lamps(profile: Profile) -> tuple[int, ...]:
    """One place for each cell, in the order in which they are lit: as drawn, the top row first.

    A single lamp is always in exactly one cell, however wrong the drawing is; several might be in several. Of each cell
    that lamp is taken which in as many patterns as possible lies in a cell that had no light yet.
    """
    return _list_probes(profile.size, profile.chain)


@lru_cache(maxsize=16)
def _list_probes(size: int, chain: LampSettings) -> tuple[int, ...]:
    board, per_cell = get_grid(size), chain.lamps_per_cell
    had: list[tuple[Mapping[int, int], set[int]]] = [(each.cell_of, set()) for each in list_patterns(size, chain)]
    found = []
    for turn, cell in enumerate(cell for row in board.rows for cell in row):
        first = board.cells.index(cell) * per_cell
        inside = chain.cell_positions[first : first + per_cell]
        inside = inside[turn * 2 % per_cell :] + inside[: turn * 2 % per_cell]  # alike, not always the same one
        lamp = min(inside, key=lambda place: sum(where[place] in cells for where, cells in had))
        for where, cells in had:
            cells.add(where[lamp])
        found.append(lamp)
    return tuple(found)


def beside_the_corner(size: int) -> list[Cell]:
    """All cells but the two corners: that over the bottom left corner first, then that beside it.

    Both are easily found without any light, and neither stays where it is if the board is turned or mirrored: so either
    of them tells, too, if a finger went wrong on a corner.
    """
    first = ("a2", "b1")
    rest = (cell for cell in get_grid(size).cells if cell not in (*first, *corner_lamps(size)))
    return [*first, *rest]


def infer_wiring(profile: Profile, heard: TouchAnswers) -> LearnedWiring:
    """What can be told from what was heard, and what has to be asked next.

    If nothing explains all of it, that which fits best is told, and the cells that contradict it.
    """
    learned = _infer_wiring(profile, heard)
    if not learned.findings or learned.findings[0].kind != NOT_FOUND or learned.findings[0].cells:
        return learned
    best = min(_regular(profile, heard, profile.size**2), key=lambda case: (len(case.wrong), case.far))
    told, cells = _fits_best(profile, heard, best)
    finding = learned.findings[0]
    return replace(learned, findings=(replace(finding, message=f"{finding.message} {told}", cells=cells),))


def _infer_wiring(profile: Profile, heard: TouchAnswers) -> LearnedWiring:
    cells, lit = get_grid(profile.size).cells, heard.pairs
    first: list[Ask] = [*corner_lamps(profile.size), *probe_lamps(profile)]
    if (ask := next(filter(heard.open, first), None)) is not None:
        return LearnedWiring(ask=ask)
    if len(lit) * 2 < len(cells):
        told = f"Only {len(lit)} of {len(cells)} lamps were answered for: too few to tell where all lie."
        return describe_not_examined(told, cells)
    tied = _explanations(profile, heard)
    return (
        _ask_again(heard, _is_doubtful(heard, tied))
        or _give_up(profile, heard, tied)
        or _choose_explanation(profile, heard, tied)
        or _ask_beside(profile, heard)
        or _ask_again(heard, _decisive(profile, heard, tied[0]))
        or _uncovered(profile, heard, tied[0])
        or _draw_conclusion(profile, tied[0])
    )


def _is_doubtful(heard: TouchAnswers, tied: list[WiringExplanation]) -> Iterator[Ask]:
    """What does not fit, or was answered in two ways; and if it stays so, everything."""
    for case in tied:
        yield from (*case.wrong, *case.clashing)
    yield from (ask for ask, answers in heard.answers.items() if len(answers) > 1)
    if tied[0].clashing or any(isinstance(ask, str) for ask in tied[0].wrong):
        yield from heard.answers


def _decisive(profile: Profile, heard: TouchAnswers, best: WiringExplanation) -> Iterator[Ask]:
    """Answers that are not believed at once, since one slip of a finger would have made the difference."""
    first = {*corner_lamps(profile.size), *probe_lamps(profile)}
    extra = [ask for ask in heard.answers if ask not in first]
    before = _explanations(profile, heard.without(extra))[0]
    alike = all(before.under.get(cell, answered) == answered for cell, answered in best.under.items())
    if not alike or before.where != best.where:
        yield from extra
    if best.lamps and best.wires and not best.drawn:  # a named cell that alone speaks against something simpler
        for other in _regular(profile, heard, len(best.wrong) + 1):
            if other.far < best.far and len(other.wrong) == len(best.wrong) + 1:
                yield from (ask for ask in other.wrong if isinstance(ask, str))


def _ask_beside(profile: Profile, heard: TouchAnswers) -> LearnedWiring | None:
    """Before anything is believed, a third cell is touched with nothing lit: a finger may go wrong on a corner."""
    beside = beside_the_corner(profile.size)
    known = not heard.skipped.isdisjoint(beside) or not heard.answers.keys().isdisjoint(beside)
    return None if known else LearnedWiring(ask=beside[0])


def _explanations(profile: Profile, heard: TouchAnswers) -> list[WiringExplanation]:
    """The explanations that fit best, the nearest to the drawing first."""
    cases = list(_regular(profile, heard, profile.size**2 // 3))
    if not cases:
        cases = [_explain_touches(profile, heard, lamps, None) for lamps in list_patterns(profile.size, profile.chain)]
        cases += [_explain_touches(profile, heard, None, lie) for lie in list_wirings(profile.size)]

    def misfit(case: WiringExplanation) -> tuple[int, int]:
        exchanged = case.lamps is not None and case.wires is not None  # a lamp that does not fit is a wire exchanged
        return sum(heard.confirmed(ask) for ask in case.wrong if isinstance(ask, str) or not exchanged), len(case.wrong)

    least = min(map(misfit, cases))
    return sorted((case for case in cases if misfit(case) == least), key=lambda case: case.far)


def _regular(profile: Profile, heard: TouchAnswers, few: int) -> Iterator[WiringExplanation]:
    """Lamps in a pattern, sensors in a pattern but for a few exceptions."""
    pairs = heard.pairs.items()
    for lamps in list_patterns(profile.size, profile.chain):
        for lie in list_wirings(profile.size, by_line=isinstance(profile.sensing.wiring, MatrixWiring)):
            misses = sum(lie.cell_over[answered] != lamps.cell_of[place] for place, answered in pairs)
            if misses > few or (lie.lines and (misses or lamps.near != DRAWN)):
                continue  # two exchanged lines are a fault by themselves, and not told apart from much else
            case = _explain_touches(profile, heard, lamps, lie)
            if len(case.wrong) <= few:
                yield case


def _explain_touches(
    profile: Profile, heard: TouchAnswers, lamps: LampPattern | None, lie: WirePattern | None
) -> WiringExplanation:
    """What was heard, if lamps and sensors lie so; None: they may lie anywhere."""
    pairs, cells = heard.pairs, get_grid(profile.size).cells
    named = {cell: (cells.index(cell), answered) for cell, answered in heard.named.items()}
    lies = lie.cell_over if lie else ()
    where = lamps.cell_of if lamps else {place: lies[answered] for place, answered in pairs.items()}
    lit = [where[place] for place in pairs]
    facts = dict(zip(pairs, zip(lit, pairs.values(), strict=True), strict=True))
    inputs_of, cells_of, crowd = _grouped(lit, pairs.values()), _grouped(pairs.values(), lit), Counter(lit)

    def clashes(cell: int, answered: int) -> bool:
        return max(len(inputs_of[cell]), len(cells_of[answered])) > 1 or crowd[cell] > profile.chain.lamps_per_cell

    def strays(cell: int, answered: int) -> bool:
        return lies[answered] != cell

    def contradicts(cell: int, answered: int) -> bool:
        """Whether the answer to a named cell contradicts what lit lamps tell, or else what is drawn."""
        if answered in cells_of:
            return cell not in cells_of[answered]
        return strays(cell, answered) if lie else cell in inputs_of

    clashing = tuple(place for place, fact in facts.items() if clashes(*fact))
    misfits = strays if lamps and lie else clashes
    wrong: list[Ask] = [place for place, fact in facts.items() if misfits(*fact)]
    wrong += [cell for cell, fact in named.items() if contradicts(*fact)]
    under = dict(enumerate(lie.inputs) if lie else named.values()) | dict(facts.values())
    return WiringExplanation(lamps, lie, where, under, tuple(wrong), clashing, inputs_of, cells_of)


def _grouped(ones: Iterable[int], others: Iterable[int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for one, other in zip(ones, others, strict=True):
        found.setdefault(one, set()).add(other)
    return found


def _fits_best(profile: Profile, heard: TouchAnswers, best: WiringExplanation) -> tuple[str, tuple[Cell, ...]]:
    """What explains most of what was heard, as sentences, and the cells that contradict it."""
    cells = get_grid(profile.size).cells
    assert best.lamps
    assert best.wires
    against = {ask for ask in best.wrong if isinstance(ask, str)}
    for ask in best.wrong:
        if isinstance(ask, int):
            against |= {cells[best.where[ask]], cells[best.wires.cell_over[heard.believed(ask)]]}
    names = tuple(cell for cell in cells if cell in against)
    chain = f"the lamps lie {best.lamps.says}" if best.lamps.turn is not None else f"the chain {best.lamps.says}"
    contradict = f"{join_words(names)} {'contradicts' if len(names) == 1 else 'contradict'} that."
    return f"What fits best: {chain}, the sensors lie {best.wires.says}. {contradict}", names


def _ask_again(heard: TouchAnswers, asks: Iterable[Ask]) -> LearnedWiring | None:
    """Ask again what was not answered twice alike; say so if that leads nowhere."""
    ask = next((ask for ask in asks if not heard.confirmed(ask)), None)
    if ask is None or len(heard.answers[ask]) < OFTEN_ENOUGH:
        return None if ask is None else LearnedWiring(ask=ask, again=True)
    return describe_not_found(
        f"Each time another sensor answers for {f'the corner {ask}' if isinstance(ask, str) else f'lamp {ask}'}.",
        "Touch only what is asked for; if you do, some sensors answer for their neighbours.",
    )


def _give_up(profile: Profile, heard: TouchAnswers, tied: list[WiringExplanation]) -> LearnedWiring | None:
    """Why nothing can be proposed; before that is said, what does not fit is asked once more, what varied often."""
    if clash := _find_clash(profile, tied[0]):
        often = dict.fromkeys((ask for case in tied for ask in case.wrong), 3)
        often |= {ask: OFTEN_ENOUGH for ask, answers in heard.answers.items() if len(set(answers)) > 1}
        ask = next((ask for ask, enough in often.items() if len(heard.answers[ask]) < enough), None)
        return clash if ask is None else LearnedWiring(ask=ask, again=True)
    return None


def _find_clash(profile: Profile, case: WiringExplanation) -> LearnedWiring | None:
    """What cannot be, and is confirmed: why nothing can be proposed."""
    cells = get_grid(profile.size).cells
    if any(isinstance(ask, str) for ask in case.wrong) or (case.wrong and not (case.lamps and case.wires)):
        return describe_not_found(*NOTHING)
    for answered, under in sorted(case.cells_of.items()):
        if len(under) > 1:
            names = join_words(cells[i] for i in sorted(under))
            told = f"The same sensor, drawn for {cells[answered]}, answers under {names}."
            return describe_not_found(told, "Look for wires that touch each other there, then begin again.")
    for cell, inputs in sorted(case.inputs_of.items()):
        if len(inputs) > 1:
            drawn = join_words(cells[i] for i in sorted(inputs))
            told = f"Under {cells[cell]} the sensors answer that are drawn for {drawn}."
            return describe_not_found(told, "Some lamps lie in no pattern. Look at the chain there, then begin again.")
    return None


def _choose_explanation(profile: Profile, heard: TouchAnswers, tied: list[WiringExplanation]) -> LearnedWiring | None:
    """What tells explanations apart that fit alike; nothing if there is no need, or no such thing.

    Other wires with other lamps may always explain what the drawing explains: then the drawing is right.
    """
    cells = get_grid(profile.size).cells
    asks: list[Ask] = [*sorted(profile.chain.cell_positions)]
    asks += [] if tied[0].drawn else [*corner_lamps(profile.size), *beside_the_corner(profile.size)]

    def kinds(ask: Ask) -> int:
        of = [cells.index(ask) if isinstance(ask, str) else case.where.get(ask, -1) for case in tied]
        return len({case.under.get(cell) for case, cell in zip(tied, of, strict=True)})

    best = max(filter(heard.open, asks), key=kinds, default=None)
    return None if best is None or kinds(best) == 1 else LearnedWiring(ask=best)


def _uncovered(profile: Profile, heard: TouchAnswers, case: WiringExplanation) -> LearnedWiring | None:
    """A lamp in a cell of which no lamp was lit; every lamp, if they lie in no pattern."""
    left = [place for place in sorted(profile.chain.cell_positions) if heard.open(place)]
    if case.lamps:
        lit = {case.where[place] for place in (*heard.answers, *heard.skipped) if isinstance(place, int)}
        left = [place for place in left if case.where[place] not in lit]
    return LearnedWiring(ask=left[0]) if left else None


def _draw_conclusion(profile: Profile, case: WiringExplanation) -> LearnedWiring:
    """Both maps, and what there is to say about them."""
    cells, numbers = get_grid(profile.size).cells, range(profile.size**2)
    under, blank = dict(case.under), [cell for cell in numbers if cell not in case.inputs_of]
    free = [number for number in numbers if number not in case.cells_of]
    if any(under.get(cell) not in free for cell in blank):  # another has what is drawn for them: one left for one
        if len(blank) != 1:
            names = tuple(cells[i] for i in blank)
            return describe_not_examined(f"Nobody answered when the lamps of {join_words(names)} were lit.", names)
        under[blank[0]] = free[0]
    lamps = case.lamps.cells if case.lamps else _one_by_one(profile, case)
    if lamps is None:
        return describe_not_found(
            "The lamps lie in no pattern, and not every cell has its number of them.",
            "Look whether all lamps light, then begin again.",
        )
    found = LearnedWiring(lamps=lamps, sensors={cell: under[i] for i, cell in enumerate(cells)})
    if exchanged := describe_keys(profile, found):
        return LearnedWiring(findings=(exchanged,))
    told = [*describe_layout(profile, case), *describe_exchanges(case, under, cells)]
    told += (describe_skip(cells[i]) for i in blank)
    if not told:
        told = [SetupFinding(GOOD, "as drawn", (), "Lamps and sensors lie as the profile draws them.")]
    return replace(found, findings=tuple(told))


def _one_by_one(profile: Profile, case: WiringExplanation) -> tuple[int, ...] | None:
    """The lamps of each cell in the order of the chain; a single one that nobody answered for is where one lacks."""
    per_cell, where = profile.chain.lamps_per_cell, dict(case.where)
    left = [place for place in profile.chain.cell_positions if place not in where]
    crowd = Counter(where.values())
    lacking = [cell for cell in range(profile.size**2) if crowd[cell] < per_cell]
    if len(left) == len(lacking) == 1:
        where[left[0]] = lacking[0]
    places = sorted(where, key=lambda place: (where[place], place))
    return tuple(places) if sorted(where.values()) == sorted([*range(profile.size**2)] * per_cell) else None

"""Which sensor and which lamps lie under which cell, from lamps that were lit and inputs that answered. Pure.

    lit lamp -> input that answered    under the same cell: one touch for each cell
    a1, bottom right, a2 -> input      touched with nothing lit: this says which pattern the lamps lie in
    the lamps' pattern                 says the cell of each lamp, and so of each input that answered for it

A lamp pattern explains the touches if no input answers under two cells, and no cell has two inputs. What doesn't fit,
and wires that are not as the others have them, are touched once more; an answer that was given twice counts. If no
pattern is left, every cell is asked for by its name and every lamp is lit: then both maps are read off one by one.

An *ask* is a place in the chain (light that lamp; who answers?) or the name of a cell (who answers when it is touched,
with nothing lit to point at it?).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isqrt

from pond_hw.profile.board_profile import MatrixWiring, Profile
from pond_hw.profile.faults import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import GOOD, SetupFinding
from pond_hw.setup.wiring_findings import (
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
from pond_hw.setup.wiring_patterns import DRAWN, LampPattern, list_patterns, list_wirings

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

    def add_answer(self, ask: Ask, input_number: int) -> TouchAnswers:
        """With one more answer."""
        answers = {**self.answers, ask: (*self.answers.get(ask, ()), input_number)}
        return TouchAnswers(answers, self.skipped - {ask})

    def without(self, asks: Iterable[Ask]) -> TouchAnswers:
        """As if these had never been asked."""
        forgotten = set(asks)
        answers = {ask: inputs for ask, inputs in self.answers.items() if ask not in forgotten}
        return TouchAnswers(answers, self.skipped - forgotten)

    def skip(self, asks: Iterable[Ask]) -> TouchAnswers:
        """Nobody answers these."""
        return replace(self, skipped=self.skipped | frozenset(asks))

    def is_open(self, ask: Ask) -> bool:
        """Whether this has neither been answered nor skipped."""
        return ask not in self.answers and ask not in self.skipped

    def believed(self, ask: Ask) -> int:
        """The answer that came most often; of several the latest."""
        answers = self.answers[ask]
        return max(reversed(answers), key=answers.count)

    def is_confirmed(self, ask: Ask) -> bool:
        """Whether it was given at least twice, and more often than any other."""
        counts = [count for _, count in Counter(self.answers[ask]).most_common(2)]
        return counts[0] >= 2 and counts[0] not in counts[1:]

    @property
    def lit_places(self) -> dict[int, int]:
        """For each lamp that was lit, by its place, the answer that is believed."""
        return {ask: self.believed(ask) for ask in self.answers if isinstance(ask, int)}


def corner_lamps(size: int) -> tuple[Cell, Cell]:
    """The cells that are touched first: the bottom left and the bottom right."""
    bottom_row = get_grid(size).rows[-1]
    return bottom_row[0], bottom_row[-1]


def probe_lamps(profile: Profile) -> tuple[int, ...]:
    """One place for each drawn cell, the top row first.

    It is the first lamp of some cells, and that below it of others, the same in cells that are mirrored left to right:
    so a chain that runs to and fro is told from one that runs straight, and most patterns have one in each cell.
    """
    grid, chain, last = get_grid(profile.size), profile.chain, profile.size - 1
    side, found = isqrt(chain.lamps_per_cell), []
    for cell in (cell for row in grid.rows for cell in row):
        x, y = grid.cell_coordinates(cell)
        inner_row = (min(x, last - x) + y * profile.size) % side
        found.append(chain.cell_positions[grid.cells.index(cell) * side**2 + inner_row * side])
    return tuple(found)


def beside_the_corner(size: int) -> list[Cell]:
    """All cells but the two corners: that over the bottom left corner first, then that beside it.

    Both are easily found without any light, and neither stays where it is if the board is turned or mirrored: so either
    of them tells, too, if a finger went wrong on a corner.
    """
    cells = dict.fromkeys(("a2", "b1", *get_grid(size).cells))
    return [cell for cell in cells if cell not in corner_lamps(size)]


def infer_wiring(profile: Profile, answers: TouchAnswers) -> LearnedWiring:
    """What can be told from the answers, and what has to be asked next.

    If nothing explains all of it, that which fits best is told, and the cells that contradict it.
    """
    cells = get_grid(profile.size).cells
    first_asks: list[Ask] = [*corner_lamps(profile.size), *probe_lamps(profile)]
    if (ask := next(filter(answers.is_open, first_asks), None)) is not None:
        return LearnedWiring(ask=ask)
    if (answered_count := len(answers.lit_places)) * 2 < len(cells):
        message = f"Only {answered_count} of {len(cells)} lamps were answered for: too few to tell where all lie."
        return describe_not_examined(message, cells)
    explanations = _best_explanations(profile, answers)
    best = explanations[0]
    if best.is_refuted:
        return _learn_one_by_one(profile, answers, best)
    learned = _ask_again(profile, answers, best, _doubtful_asks(answers, best))
    if not learned and (ask := next(_deciding_asks(profile, answers, explanations), None)) is not None:
        return LearnedWiring(ask=ask)
    if not learned and (not best.is_regular or best.wires.near > 1):  # then only these say which pattern it is
        learned = _ask_again(profile, answers, best, (ask for ask in answers.answers if isinstance(ask, str)))
    return learned or _ask_uncovered(profile, answers, best) or _conclude(profile, answers, best)


def _best_explanations(profile: Profile, answers: TouchAnswers) -> list[WiringExplanation]:
    """The explanations that fit best, the nearest to the drawing first."""
    cells, few = get_grid(profile.size).cells, profile.size**2 // 3

    def explain(lamps: LampPattern) -> tuple[tuple[int, ...], WiringExplanation]:
        facts = {
            ask: (cells.index(ask) if isinstance(ask, str) else lamps.cell_of[ask], answers.believed(ask))
            for ask in answers.answers
        }
        wrong = _find_clashes(facts)
        firmly_wrong = _find_clashes({ask: fact for ask, fact in facts.items() if answers.is_confirmed(ask)})
        explanation = _explain_wires(profile, dict(facts.values()), lamps, lamps.cell_of, wrong)
        misfit = (len(firmly_wrong), len(wrong), min(len(explanation.exchanged), few + 1))
        return misfit, explanation._replace(is_refuted=bool(firmly_wrong))

    explained = [explain(lamps) for lamps in list_patterns(profile.size, profile.chain.cell_positions)]
    least_misfit = min(misfit for misfit, _ in explained)
    best = (explanation for misfit, explanation in explained if misfit == least_misfit)
    return sorted(best, key=lambda explanation: explanation.far)


def _find_clashes(facts: Mapping[Ask, tuple[int, int]]) -> tuple[Ask, ...]:
    """The asks that say that one input lies under two cells, or two inputs under one."""
    inputs_of, cells_of = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for cell, input_number in facts.values():
        inputs_of[cell].add(input_number)
        cells_of[input_number].add(cell)
    return tuple(ask for ask, (cell, number) in facts.items() if max(len(inputs_of[cell]), len(cells_of[number])) > 1)


def _explain_wires(
    profile: Profile,
    under: Mapping[int, int],
    lamps: LampPattern | None,
    cell_of: Mapping[int, int],
    wrong: Sequence[Ask] = (),
) -> WiringExplanation:
    """The touches, with the wires in the pattern that these inputs under some cells fit best."""

    def find_strays(inputs: Sequence[int]) -> tuple[int, ...]:
        return tuple(cell for cell, input_number in under.items() if inputs[cell] != input_number)

    # Two exchanged lines are a fault by themselves, and not told apart from much else.
    by_line = isinstance(profile.sensing.wiring, MatrixWiring) and lamps is not None and lamps.near == DRAWN
    wirings = [(find_strays(wires.inputs), wires) for wires in list_wirings(profile.size, by_line=by_line)]
    whole_lines = [(strays, wires) for strays, wires in wirings if not (wires.lines and strays)]
    strays, wires = min(whole_lines, key=lambda fit: (len(fit[0]), fit[1].near))
    # First what does not fit the wires' pattern, then the cells that were asked for by name, then the others.
    in_doubt = sorted(wrong, key=lambda ask: 1 if isinstance(ask, str) else 2 * (cell_of[ask] not in strays))
    return WiringExplanation(lamps, wires, cell_of, under, tuple(in_doubt), strays, len(strays) <= profile.size**2 // 3)


def _doubtful_asks(answers: TouchAnswers, best: WiringExplanation) -> Iterator[Ask]:
    """What doesn't fit, was answered in two ways, or says that single wires are exchanged."""
    yield from best.wrong
    yield from (ask for ask, inputs in answers.answers.items() if len(set(inputs)) > 1)
    if best.is_regular:
        yield from (place for place in answers.lit_places if best.cell_of[place] in best.exchanged)


def _ask_again(
    profile: Profile, answers: TouchAnswers, best: WiringExplanation, asks: Iterable[Ask]
) -> LearnedWiring | None:
    """Ask again what was not answered twice alike; say so if that leads nowhere."""
    ask = next((ask for ask in asks if not answers.is_confirmed(ask)), None)
    if ask is None or len(answers.answers[ask]) < OFTEN_ENOUGH:
        return None if ask is None else LearnedWiring(ask=ask, again=True)
    return describe_not_found(
        f"Each time another sensor answers for {f'the corner {ask}' if isinstance(ask, str) else f'lamp {ask}'}.",
        "Touch only what is asked for; if you do, some sensors answer for their neighbours.",
        _fits_best(profile, answers, best),
    )


def _deciding_asks(profile: Profile, answers: TouchAnswers, explanations: list[WiringExplanation]) -> Iterator[Ask]:
    """What tells explanations apart that fit alike; and a third cell in any case, since a finger may slip on a corner.

    Other wires with other lamps may always explain what the drawing explains: then the drawing is right.
    """
    cells, beside = get_grid(profile.size).cells, beside_the_corner(profile.size)
    names: list[Ask] = [] if explanations[0].is_drawn else [*corner_lamps(profile.size), *beside]
    open_asks = filter(answers.is_open, [*sorted(profile.chain.cell_positions), *names])

    def count_expected(ask: Ask) -> int:
        asked_cells = [cells.index(ask) if isinstance(ask, str) else case.cell_of[ask] for case in explanations]
        return len({case.expected_input(cell) for case, cell in zip(explanations, asked_cells, strict=True)})

    best_ask = max(open_asks, key=count_expected, default=None)
    if best_ask is not None and count_expected(best_ask) > 1:
        yield best_ask
    if all(map(answers.is_open, beside)):
        yield beside[0]


def _ask_uncovered(profile: Profile, answers: TouchAnswers, best: WiringExplanation) -> LearnedWiring | None:
    """A lamp in a cell of which no lamp was lit."""
    places = sorted(profile.chain.cell_positions)
    covered = {best.cell_of[place] for place in places if not answers.is_open(place)}
    place = next((place for place in places if best.cell_of[place] not in covered), None)
    return None if place is None else LearnedWiring(ask=place)


def _learn_one_by_one(profile: Profile, answers: TouchAnswers, best: WiringExplanation) -> LearnedWiring:
    """Both maps from the touch of every cell by its name, and of every lamp; best: what fits best so far."""
    cells, lit_places = get_grid(profile.size).cells, answers.lit_places
    named_inputs = {cell: answers.believed(cell) for cell in cells if cell in answers.answers}
    if learned := _find_contradiction(profile, answers, best, named_inputs):
        return learned
    asks: list[Ask] = [*beside_the_corner(profile.size), *sorted(profile.chain.cell_positions)]
    if (ask := next(filter(answers.is_open, asks), None)) is not None:
        return LearnedWiring(ask=ask)
    named_under = {cells.index(name): answered for name, answered in named_inputs.items()}
    under = _fill_blanks(profile, _explain_wires(profile, named_under, None, {}))
    cell_over = {input_number: cell for cell, input_number in under.items()}
    cell_of = {place: cell_over[answered] for place, answered in lit_places.items() if answered in cell_over}
    return _conclude(profile, answers, _explain_wires(profile, under, None, cell_of))


def _find_contradiction(
    profile: Profile, answers: TouchAnswers, best: WiringExplanation, named_inputs: Mapping[Cell, int]
) -> LearnedWiring | None:
    """An input that answers under two cells: that is asked again, and then it is why nothing can be proposed."""
    cells, cells_of_input = get_grid(profile.size).cells, defaultdict[int, list[int]](list)
    for place, input_number in answers.lit_places.items():
        cells_of_input[input_number].append(best.cell_of[place])
    named_counts = Counter(named_inputs.values())
    for input_number, its_cells in sorted(cells_of_input.items()):
        crowded = len(its_cells) > profile.chain.lamps_per_cell or named_counts[input_number] > 1
        if crowded and len({*its_cells}) > 1:
            places = [place for place, answered in answers.lit_places.items() if answered == input_number]
            names = join_words(cells[cell] for cell in sorted({*its_cells}))
            message = f"The same sensor, drawn for {cells[input_number]}, answers under {names}."
            cure = "Look for wires that touch each other there, then begin again."
            best_fit = _fits_best(profile, answers, best)
            return _ask_again(profile, answers, best, places) or describe_not_found(message, cure, best_fit)
    clashing_names = [name for name, answered in named_inputs.items() if named_counts[answered] > 1]
    if not clashing_names:
        return None
    return _ask_again(profile, answers, best, clashing_names) or describe_not_found(
        "No arrangement of lamps and sensors explains what was touched.",
        "Begin again, and touch only what is lit; at first the bottom left corner, then the bottom right one.",
        _fits_best(profile, answers, best),
    )


def _fill_blanks(profile: Profile, case: WiringExplanation) -> dict[int, int]:
    """For each cell the input under it; one of which nobody knows it is as the others have it, or has what is left."""
    cells = range(profile.size**2)
    blank_cells = [cell for cell in cells if cell not in case.under]
    free_inputs = [number for number in cells if number not in case.under.values()]
    filled = {cell: case.wires.inputs[cell] for cell in blank_cells} if case.is_regular else {}
    if len(blank_cells) == 1 and [*filled.values()] != free_inputs:
        filled = dict(zip(blank_cells, free_inputs, strict=True))
    return {**case.under, **filled} if sorted(filled.values()) == free_inputs else dict(case.under)


def _conclude(profile: Profile, answers: TouchAnswers, case: WiringExplanation) -> LearnedWiring:
    """Both maps, and what there is to say about them."""
    cells = get_grid(profile.size).cells
    under = _fill_blanks(profile, case)
    if blank_names := [name for cell, name in enumerate(cells) if cell not in under]:
        message = f"Nobody answered when the lamps of {join_words(blank_names)} were lit."
        return describe_not_examined(message, blank_names)
    lamps = case.lamps.cells if case.lamps else _sort_lamps(profile, case)
    if lamps is None:
        return describe_not_found(
            "The lamps lie in no pattern, and not every cell has its number of them.",
            "Look whether all lamps light, then begin again.",
        )
    found = LearnedWiring(lamps=lamps, sensors={name: under[cell] for cell, name in enumerate(cells)})
    if exchanged := describe_keys(profile, found):
        return LearnedWiring(findings=(exchanged,))
    findings = [*describe_layout(profile, case), *describe_exchanges(case, under, cells)]
    lit_cells = {case.cell_of[place] for place in answers.lit_places}
    findings += (describe_skip(name) for cell, name in enumerate(cells) if cell not in lit_cells)
    if not findings:
        findings = [SetupFinding(GOOD, "as drawn", (), "Lamps and sensors lie as the profile draws them.")]
    return replace(found, findings=tuple(findings))


def _sort_lamps(profile: Profile, case: WiringExplanation) -> tuple[int, ...] | None:
    """The lamps of each cell in the order of the chain; a single one that nobody answered for is where one lacks."""
    all_cells = sorted([*range(profile.size**2)] * profile.chain.lamps_per_cell)
    cell_of, lamp_counts = dict(case.cell_of), Counter(case.cell_of.values())
    unknown_places = [place for place in profile.chain.cell_positions if place not in cell_of]
    lacking_cells = [cell for cell in {*all_cells} if lamp_counts[cell] < profile.chain.lamps_per_cell]
    if len(unknown_places) == len(lacking_cells) == 1:
        cell_of[unknown_places[0]] = lacking_cells[0]
    places = sorted(cell_of, key=lambda place: (cell_of[place], place))
    return tuple(places) if [cell_of[place] for place in places] == all_cells else None


def _fits_best(profile: Profile, answers: TouchAnswers, best: WiringExplanation) -> tuple[str, tuple[Cell, ...]]:
    """What explains most of the answers, as sentences, and the cells that contradict it."""
    cells, lamps, wires = get_grid(profile.size).cells, best.lamps, best.wires
    assert lamps
    asked_names = {ask for ask in best.wrong if isinstance(ask, str)}
    for place in [ask for ask in best.wrong if isinstance(ask, int)]:
        asked_names |= {cells[best.cell_of[place]], cells[wires.inputs.index(answers.believed(place))]}
    names = tuple(cell for cell in cells if cell in asked_names)
    chain = f"the lamps lie {lamps.says}" if lamps.turn is not None else f"the chain {lamps.says}"
    contradict = f"{join_words(names)} {'contradicts' if len(names) == 1 else 'contradict'} that."
    return f" What fits best: {chain}, the sensors lie {wires.says}. {contradict}", names

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

from pond_hw.messages.plurals import join_words
from pond_hw.profile.board_profile import MatrixWiring, Profile
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

    def add_answer(self, touch_ask: Ask, input_number: int) -> TouchAnswers:
        """With one more answer."""
        answers = {**self.answers, touch_ask: (*self.answers.get(touch_ask, ()), input_number)}
        return TouchAnswers(answers, self.skipped - {touch_ask})

    def without(self, touch_asks: Iterable[Ask]) -> TouchAnswers:
        """As if these had never been asked."""
        forgotten_asks = set(touch_asks)
        answers = {ask: input_numbers for ask, input_numbers in self.answers.items() if ask not in forgotten_asks}
        return TouchAnswers(answers, self.skipped - forgotten_asks)

    def skip(self, touch_asks: Iterable[Ask]) -> TouchAnswers:
        """Nobody answers these."""
        return replace(self, skipped=self.skipped | frozenset(touch_asks))

    def is_open(self, touch_ask: Ask) -> bool:
        """Whether this has neither been answered nor skipped."""
        return touch_ask not in self.answers and touch_ask not in self.skipped

    def believed(self, touch_ask: Ask) -> int:
        """The answer that came most often; of several the latest."""
        answers = self.answers[touch_ask]
        return max(reversed(answers), key=answers.count)

    def is_confirmed(self, touch_ask: Ask) -> bool:
        """Whether it was given at least twice, and more often than any other."""
        answer_counts = [answer_count for _, answer_count in Counter(self.answers[touch_ask]).most_common(2)]
        return answer_counts[0] >= 2 and answer_counts[0] not in answer_counts[1:]

    @property
    def lit_places(self) -> dict[int, int]:
        """For each lamp that was lit, by its place, the answer that is believed."""
        return {touch_ask: self.believed(touch_ask) for touch_ask in self.answers if isinstance(touch_ask, int)}


def corner_lamps(size: int) -> tuple[Cell, Cell]:
    """The cells that are touched first: the bottom left and the bottom right."""
    bottom_row = get_grid(size).rows[-1]
    return bottom_row[0], bottom_row[-1]


def probe_lamps(profile: Profile) -> tuple[int, ...]:
    """One place for each drawn cell, the top row first.

    It is the first lamp of some cells, and that below it of others, the same in cells that are mirrored left to right:
    so a chain that runs to and fro is told from one that runs straight, and most patterns have one in each cell.
    """
    grid, chain, last_index = get_grid(profile.size), profile.chain, profile.size - 1
    cell_side, probe_places = isqrt(chain.lamps_per_cell), []
    for cell in (cell for row in grid.rows for cell in row):
        x, y = grid.cell_coordinates(cell)
        inner_row = (min(x, last_index - x) + y * profile.size) % cell_side
        probe_places.append(chain.cell_positions[grid.cells.index(cell) * cell_side**2 + inner_row * cell_side])
    return tuple(probe_places)


def beside_the_corner(size: int) -> list[Cell]:
    """All cells but the two corners: that over the bottom left corner first, then that beside it.

    Both are easily found without any light, and neither stays where it is if the board is turned or mirrored: so either
    of them tells, too, if a finger went wrong on a corner.
    """
    cell_names = dict.fromkeys(("a2", "b1", *get_grid(size).cells))
    return [cell_name for cell_name in cell_names if cell_name not in corner_lamps(size)]


def infer_wiring(profile: Profile, answers: TouchAnswers) -> LearnedWiring:
    """What can be told from the answers, and what has to be asked next.

    If nothing explains all of it, that which fits best is told, and the cells that contradict it.
    """
    cell_names = get_grid(profile.size).cells
    first_asks: list[Ask] = [*corner_lamps(profile.size), *probe_lamps(profile)]
    if (ask := next(filter(answers.is_open, first_asks), None)) is not None:
        return LearnedWiring(ask=ask)
    if (answered_count := len(answers.lit_places)) * 2 < len(cell_names):
        message = f"Only {answered_count} of {len(cell_names)} lamps were answered for: too few to tell where all lie."
        return describe_not_examined(message, cell_names)
    tied_cases = _best_explanations(profile, answers)
    best = tied_cases[0]
    if best.is_refuted:
        return _learn_one_by_one(profile, answers, best)
    learned_wiring = _ask_again(profile, answers, best, _doubtful_asks(answers, best))
    if not learned_wiring and (ask := next(_deciding_asks(profile, answers, tied_cases), None)) is not None:
        return LearnedWiring(ask=ask)
    if not learned_wiring and (not best.is_regular or best.wires.near > 1):  # then only these say which pattern it is
        learned_wiring = _ask_again(profile, answers, best, (ask for ask in answers.answers if isinstance(ask, str)))
    return learned_wiring or _ask_uncovered(profile, answers, best) or _conclude(profile, answers, best)


def _best_explanations(profile: Profile, answers: TouchAnswers) -> list[WiringExplanation]:
    """The explanations that fit best, the nearest to the drawing first."""
    cell_names, few_cells = get_grid(profile.size).cells, profile.size**2 // 3

    def explain(lamp_pattern: LampPattern) -> tuple[tuple[int, ...], WiringExplanation]:
        facts = {
            ask: (cell_names.index(ask) if isinstance(ask, str) else lamp_pattern.cell_of[ask], answers.believed(ask))
            for ask in answers.answers
        }
        wrong_asks = _find_clashes(facts)
        firmly_wrong = _find_clashes({ask: fact for ask, fact in facts.items() if answers.is_confirmed(ask)})
        wiring_case = _explain_wires(profile, dict(facts.values()), lamp_pattern, lamp_pattern.cell_of, wrong_asks)
        case_misfit = (len(firmly_wrong), len(wrong_asks), min(len(wiring_case.exchanged), few_cells + 1))
        return case_misfit, wiring_case._replace(is_refuted=bool(firmly_wrong))

    explained_cases = [explain(lamps) for lamps in list_patterns(profile.size, profile.chain.cell_positions)]
    least_misfit = min(case_misfit for case_misfit, _ in explained_cases)
    best_cases = (wiring_case for case_misfit, wiring_case in explained_cases if case_misfit == least_misfit)
    return sorted(best_cases, key=lambda wiring_case: wiring_case.far)


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
    wrong_asks: Sequence[Ask] = (),
) -> WiringExplanation:
    """The touches, with the wires in the pattern that these inputs under some cells fit best."""

    def find_strays(input_numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(cell for cell, input_number in under.items() if input_numbers[cell] != input_number)

    # Two exchanged lines are a fault by themselves, and not told apart from much else.
    by_line = isinstance(profile.sensing.wiring, MatrixWiring) and lamps is not None and lamps.near == DRAWN
    wiring_fits = [(find_strays(wires.inputs), wires) for wires in list_wirings(profile.size, by_line=by_line)]
    whole_lines = [(strays, wires) for strays, wires in wiring_fits if not (wires.lines and strays)]
    strays, wires = min(whole_lines, key=lambda fit: (len(fit[0]), fit[1].near))
    # First what does not fit the wires' pattern, then the cells that were asked for by name, then the others.
    in_doubt = sorted(wrong_asks, key=lambda ask: 1 if isinstance(ask, str) else 2 * (cell_of[ask] not in strays))
    return WiringExplanation(lamps, wires, cell_of, under, tuple(in_doubt), strays, len(strays) <= profile.size**2 // 3)


def _doubtful_asks(answers: TouchAnswers, best: WiringExplanation) -> Iterator[Ask]:
    """What doesn't fit, was answered in two ways, or says that single wires are exchanged."""
    yield from best.wrong
    yield from (touch_ask for touch_ask, input_numbers in answers.answers.items() if len(set(input_numbers)) > 1)
    if best.is_regular:
        yield from (lamp_place for lamp_place in answers.lit_places if best.cell_of[lamp_place] in best.exchanged)


def _ask_again(
    profile: Profile, answers: TouchAnswers, best_case: WiringExplanation, touch_asks: Iterable[Ask]
) -> LearnedWiring | None:
    """Ask again what was not answered twice alike; say so if that leads nowhere."""
    ask = next((ask for ask in touch_asks if not answers.is_confirmed(ask)), None)
    if ask is None or len(answers.answers[ask]) < OFTEN_ENOUGH:
        return None if ask is None else LearnedWiring(ask=ask, again=True)
    return describe_not_found(
        f"Each time another sensor answers for {f'the corner {ask}' if isinstance(ask, str) else f'lamp {ask}'}.",
        "Touch only what is asked for; if you do, some sensors answer for their neighbours.",
        _fits_best(profile, answers, best_case),
    )


def _deciding_asks(profile: Profile, answers: TouchAnswers, tied_cases: list[WiringExplanation]) -> Iterator[Ask]:
    """What tells explanations apart that fit alike; and a third cell in any case, since a finger may slip on a corner.

    Other wires with other lamps may always explain what the drawing explains: then the drawing is right.
    """
    cell_names, beside_cells = get_grid(profile.size).cells, beside_the_corner(profile.size)
    name_asks: list[Ask] = [] if tied_cases[0].is_drawn else [*corner_lamps(profile.size), *beside_cells]
    open_asks = filter(answers.is_open, [*sorted(profile.chain.cell_positions), *name_asks])

    def count_expected(ask: Ask) -> int:
        asked_cells = [cell_names.index(ask) if isinstance(ask, str) else case.cell_of[ask] for case in tied_cases]
        return len({case.expected_input(cell) for case, cell in zip(tied_cases, asked_cells, strict=True)})

    best_ask = max(open_asks, key=count_expected, default=None)
    if best_ask is not None and count_expected(best_ask) > 1:
        yield best_ask
    if all(map(answers.is_open, beside_cells)):
        yield beside_cells[0]


def _ask_uncovered(profile: Profile, answers: TouchAnswers, best: WiringExplanation) -> LearnedWiring | None:
    """A lamp in a cell of which no lamp was lit."""
    places = sorted(profile.chain.cell_positions)
    covered_cells = {best.cell_of[lamp_place] for lamp_place in places if not answers.is_open(lamp_place)}
    lamp_place = next((lamp_place for lamp_place in places if best.cell_of[lamp_place] not in covered_cells), None)
    return None if lamp_place is None else LearnedWiring(ask=lamp_place)


def _learn_one_by_one(profile: Profile, answers: TouchAnswers, best_case: WiringExplanation) -> LearnedWiring:
    """Both maps from the touch of every cell by its name, and of every lamp; best: what fits best so far."""
    varied = (ask for ask, inputs in answers.answers.items() if len({*inputs}) > 1 and len(inputs) < OFTEN_ENOUGH)
    if (varied_ask := next(varied, None)) is not None:  # a finger may even slip twice to the same cell
        return LearnedWiring(ask=varied_ask, again=True)
    cell_names, lit_places = get_grid(profile.size).cells, answers.lit_places
    named_inputs = {cell: answers.believed(cell) for cell in cell_names if cell in answers.answers}
    if learned_wiring := _find_contradiction(profile, answers, best_case, named_inputs):
        return learned_wiring
    touch_asks: list[Ask] = [*beside_the_corner(profile.size), *sorted(profile.chain.cell_positions)]
    if (touch_ask := next(filter(answers.is_open, touch_asks), None)) is not None:
        return LearnedWiring(ask=touch_ask)
    named_under = {cell_names.index(cell_name): answered for cell_name, answered in named_inputs.items()}
    inputs_under = _fill_blanks(profile, _explain_wires(profile, named_under, None, {}))
    cell_over = {input_number: cell for cell, input_number in inputs_under.items()}
    cell_of = {lamp_place: cell_over[answered] for lamp_place, answered in lit_places.items() if answered in cell_over}
    return _conclude(profile, answers, _explain_wires(profile, inputs_under, None, cell_of))


def _find_contradiction(
    profile: Profile, answers: TouchAnswers, best_case: WiringExplanation, named_inputs: Mapping[Cell, int]
) -> LearnedWiring | None:
    """An input that answers under two cells: that is asked again, and then it is why nothing can be proposed."""
    cell_names, cells_of_input = get_grid(profile.size).cells, defaultdict[int, list[int]](list)
    for lamp_place, input_number in answers.lit_places.items():
        cells_of_input[input_number].append(best_case.cell_of[lamp_place])
    named_counts = Counter(named_inputs.values())
    for input_number, its_cells in sorted(cells_of_input.items()):
        is_crowded = len(its_cells) > profile.chain.lamps_per_cell or named_counts[input_number] > 1
        if is_crowded and len({*its_cells}) > 1:
            places = [lamp_place for lamp_place, answered in answers.lit_places.items() if answered == input_number]
            cell_list = join_words(cell_names[cell_number] for cell_number in sorted({*its_cells}))
            message = f"The same sensor, drawn for {cell_names[input_number]}, answers under {cell_list}."
            cure = "Look for wires that touch each other there, then begin again."
            best_fit = _fits_best(profile, answers, best_case)
            return _ask_again(profile, answers, best_case, places) or describe_not_found(message, cure, best_fit)
    clashing_names = [cell_name for cell_name, answered in named_inputs.items() if named_counts[answered] > 1]
    if not clashing_names:
        return None
    return _ask_again(profile, answers, best_case, clashing_names) or describe_not_found(
        "No arrangement of lamps and sensors explains what was touched.",
        "Begin again, and touch only what is lit; at first the bottom left corner, then the bottom right one.",
        _fits_best(profile, answers, best_case),
    )


def _fill_blanks(profile: Profile, case: WiringExplanation) -> dict[int, int]:
    """For each cell the input under it; one of which nobody knows it is as the others have it, or has what is left."""
    cell_numbers = range(profile.size**2)
    blank_cells = [cell for cell in cell_numbers if cell not in case.under]
    free_inputs = [input_number for input_number in cell_numbers if input_number not in case.under.values()]
    filled_inputs = {cell: case.wires.inputs[cell] for cell in blank_cells} if case.is_regular else {}
    if len(blank_cells) == 1 and [*filled_inputs.values()] != free_inputs:
        filled_inputs = dict(zip(blank_cells, free_inputs, strict=True))
    return {**case.under, **filled_inputs} if sorted(filled_inputs.values()) == free_inputs else dict(case.under)


def _conclude(profile: Profile, answers: TouchAnswers, wiring_case: WiringExplanation) -> LearnedWiring:
    """Both maps, and what there is to say about them."""
    cells = get_grid(profile.size).cells
    under = _fill_blanks(profile, wiring_case)
    if blank_names := [cell_name for cell, cell_name in enumerate(cells) if cell not in under]:
        message = f"Nobody answered when the lamps of {join_words(blank_names)} were lit."
        return describe_not_examined(message, blank_names)
    lamps = wiring_case.lamps.cells if wiring_case.lamps else _sort_lamps(profile, wiring_case)
    if lamps is None:
        return describe_not_found(
            "The lamps lie in no pattern, and not every cell has its number of them.",
            "Look whether all lamps light, then begin again.",
        )
    found_wiring = LearnedWiring(lamps=lamps, sensors={cell_name: under[cell] for cell, cell_name in enumerate(cells)})
    if exchanged_keys := describe_keys(profile, found_wiring):
        return LearnedWiring(findings=(exchanged_keys,))
    all_findings = [*describe_layout(profile, wiring_case), *describe_exchanges(wiring_case, under, cells)]
    lit_cells = {wiring_case.cell_of[lamp_place] for lamp_place in answers.lit_places}
    all_findings += (describe_skip(cell_name) for cell, cell_name in enumerate(cells) if cell not in lit_cells)
    if not all_findings:
        all_findings = [SetupFinding(GOOD, "as drawn", (), "Lamps and sensors lie as the profile draws them.")]
    return replace(found_wiring, findings=tuple(all_findings))


def _sort_lamps(profile: Profile, wiring_case: WiringExplanation) -> tuple[int, ...] | None:
    """The lamps of each cell in the order of the chain; a single one that nobody answered for is where one lacks."""
    all_cells = sorted([*range(profile.size**2)] * profile.chain.lamps_per_cell)
    cell_of, lamp_counts = dict(wiring_case.cell_of), Counter(wiring_case.cell_of.values())
    unknown_places = [lamp_place for lamp_place in profile.chain.cell_positions if lamp_place not in cell_of]
    lacking_cells = [cell for cell in {*all_cells} if lamp_counts[cell] < profile.chain.lamps_per_cell]
    if len(unknown_places) == len(lacking_cells) == 1:
        cell_of[unknown_places[0]] = lacking_cells[0]
    lamp_places = sorted(cell_of, key=lambda lamp_place: (cell_of[lamp_place], lamp_place))
    return tuple(lamp_places) if [cell_of[lamp_place] for lamp_place in lamp_places] == all_cells else None


def _fits_best(profile: Profile, answers: TouchAnswers, best_case: WiringExplanation) -> tuple[str, tuple[Cell, ...]]:
    """What explains most of the answers, as sentences, and the cells that contradict it."""
    cells, lamp_pattern, wires = get_grid(profile.size).cells, best_case.lamps, best_case.wires
    assert lamp_pattern
    asked_names = {touch_ask for touch_ask in best_case.wrong if isinstance(touch_ask, str)}
    for lamp_place in [touch_ask for touch_ask in best_case.wrong if isinstance(touch_ask, int)]:
        asked_names |= {cells[best_case.cell_of[lamp_place]], cells[wires.inputs.index(answers.believed(lamp_place))]}
    wrong_names = tuple(cell_name for cell_name in cells if cell_name in asked_names)
    chain = f"the lamps lie {lamp_pattern.says}" if lamp_pattern.turn is not None else f"the chain {lamp_pattern.says}"
    contradiction = f"{join_words(wrong_names)} {'contradicts' if len(wrong_names) == 1 else 'contradict'} that."
    return f" What fits best: {chain}, the sensors lie {wires.says}. {contradiction}", wrong_names

"""Infer which sensor and which lamps are under each cell, from lit lamps and touches.

    lit lamp -> input that answered             both are in one cell; one touch for each cell
    a1, bottom right corner, a2 -> input        touched without a lit lamp: reveals the layout of the lamps
    layout of the lamps                         gives the cell of each lamp, and so of each input

A layout explains the touches if no input answers in two cells and no cell has two inputs. Cells that don't fit, or that
are exceptions to the layout, are touched again; an answer that is given twice counts. If no layout fits, the user
touches every cell by name and every lamp, and both maps are read directly.

A `Question` is a chain position (touch the lit lamp), or the name of a cell (touch it; no lamp shows it).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isqrt

from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import MatrixWiring, Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup import wiring_findings
from pond_hw.setup.findings import GOOD, SetupFinding
from pond_hw.setup.wiring_findings import LearnedWiring, Question, WiringExplanation
from pond_hw.setup.wiring_patterns import DRAWN, LampPattern, list_patterns, list_wirings

MAX_ANSWERS = 6  # after this many answers without a majority, a question is given up


@dataclass(frozen=True, slots=True)
class TouchAnswers:
    """All answers so far.

    Attributes:
        answers: inputs that answered each question, in order.
        skipped: questions that were skipped.
    """

    answers: Mapping[Question, tuple[int, ...]] = field(default_factory=dict)
    skipped: frozenset[Question] = frozenset()

    def add_answer(self, question: Question, input_number: int) -> TouchAnswers:
        """Return the answers with one more added."""
        answers = {**self.answers, question: (*self.answers.get(question, ()), input_number)}
        return TouchAnswers(answers, self.skipped - {question})

    def without(self, questions: Iterable[Question]) -> TouchAnswers:
        """Return the answers without those to these questions."""
        forgotten_questions = set(questions)
        answers = {
            question: input_numbers
            for question, input_numbers in self.answers.items()
            if question not in forgotten_questions
        }
        return TouchAnswers(answers, self.skipped - forgotten_questions)

    def skip(self, questions: Iterable[Question]) -> TouchAnswers:
        """Return the answers with these questions skipped."""
        return replace(self, skipped=self.skipped | frozenset(questions))

    def is_open(self, question: Question) -> bool:
        """Return True if the question is neither answered nor skipped."""
        return question not in self.answers and question not in self.skipped

    def best_answer(self, question: Question) -> int:
        """Return the most frequent answer; if several are equally frequent, return the latest of them."""
        answers = self.answers[question]
        return max(reversed(answers), key=answers.count)

    def is_confirmed(self, question: Question) -> bool:
        """Return True if one answer came at least twice, and more often than any other."""
        answer_counts = [answer_count for _, answer_count in Counter(self.answers[question]).most_common(2)]
        return answer_counts[0] >= 2 and answer_counts[0] not in answer_counts[1:]

    @property
    def lit_places(self) -> dict[int, int]:
        """Most frequent answer for each lit chain position."""
        return {question: self.best_answer(question) for question in self.answers if isinstance(question, int)}


def bottom_corners(size: int) -> tuple[Cell, Cell]:
    """Return the cells that are touched first: bottom left and bottom right."""
    bottom_row = get_grid(size).rows[-1]
    return bottom_row[0], bottom_row[-1]


def probe_lamps(profile: Profile) -> tuple[int, ...]:
    """Return one chain position in each drawn cell, the top row first.

    For some cells this is the first lamp, for others the one below it; mirrored cells use the same one. This tells
    serpentine chains from straight ones, and most layouts get one lamp in each cell.
    """
    grid, chain, last_index = get_grid(profile.size), profile.chain, profile.size - 1
    cell_side, probe_places = isqrt(chain.lamps_per_cell), []
    for cell in (cell for row in grid.rows for cell in row):
        x, y = grid.cell_coordinates(cell)
        inner_row = (min(x, last_index - x) + y * profile.size) % cell_side
        probe_places.append(chain.cell_positions[grid.cells.index(cell) * cell_side**2 + inner_row * cell_side])
    return tuple(probe_places)


def non_corner_cells(size: int) -> list[Cell]:
    """Return all cells except the two corners: first the one above a1, then the one beside it.

    These two are easy to find without a lamp. Both move if the board is turned or mirrored, so they also reveal a slip
    at a corner.
    """
    cell_names = dict.fromkeys(("a2", "b1", *get_grid(size).cells))
    return [cell_name for cell_name in cell_names if cell_name not in bottom_corners(size)]


def infer_wiring(profile: Profile, answers: TouchAnswers) -> LearnedWiring:
    """Return the conclusion from the answers, or the next question.

    If no layout explains all answers, the finding names the best one and the cells that contradict it.
    """
    return next(_WiringInference(profile, answers).learn_wiring())


class _WiringInference:
    """Compares the answers with the layouts. Its generators are lazy: only the first item is used."""

    def __init__(self, profile: Profile, answers: TouchAnswers) -> None:
        self._profile, self._answers, self._per_cell = profile, answers, profile.chain.lamps_per_cell
        self._cells, self._places = get_grid(profile.size).cells, sorted(profile.chain.cell_positions)
        self._few_cells = profile.size**2 // 3

    def learn_wiring(self) -> Iterator[LearnedWiring]:
        """Yield open questions, then doubtful ones, then the conclusion."""
        answers, size = self._answers, self._profile.size
        yield from self._ask_open([*bottom_corners(size), *probe_lamps(self._profile)])
        if (answered := len(answers.lit_places)) * 2 < len(self._cells):
            message = Message("answers.too_few", answered=answered, wanted=len(self._cells))
            yield wiring_findings.describe_not_examined(message, self._cells)
        tied_cases = self._best_explanations()
        best = self._best = tied_cases[0]
        if best.is_refuted:
            yield from self._learn_one_by_one()
        yield from self._ask_again(self._doubtful_questions())
        yield from self._ask_open(self._deciding_questions(tied_cases))
        if not best.is_regular or best.wires.distance > 1:  # then only these reveal the layout
            probed_places = probe_lamps(self._profile)
            yield from self._ask_again(question for question in answers.answers if question not in probed_places)
        covered_cells = {best.cell_of[place] for place in self._places if not answers.is_open(place)}
        yield from self._ask_open(place for place in self._places if best.cell_of[place] not in covered_cells)
        yield self._conclude(best)

    # Questions

    def _ask_open(self, questions: Iterable[Question]) -> Iterator[LearnedWiring]:
        """Yield the questions that are still open."""
        return (LearnedWiring(question) for question in questions if self._answers.is_open(question))

    def _ask_again(self, questions: Iterable[Question]) -> Iterator[LearnedWiring]:
        """Repeat questions with unconfirmed answers; give up after `MAX_ANSWERS`."""
        for question in questions:
            changing = Message(f"answers.changing.{'cell' if isinstance(question, str) else 'lamp'}", asked=question)
            if not self._answers.is_confirmed(question):
                leads_on = len(self._answers.answers[question]) < MAX_ANSWERS
                cure = Message("cure.touch_only_what_is_asked")
                yield LearnedWiring(question, again=True) if leads_on else self._not_found(changing, cure)

    def _doubtful_questions(self) -> Iterator[Question]:
        """Yield questions whose answers don't fit, differ, or make single wires look exchanged."""
        best, answers = self._best, self._answers
        yield from best.wrong
        yield from (question for question, input_numbers in answers.answers.items() if len(set(input_numbers)) > 1)
        if best.is_regular:
            yield from (place for place in answers.lit_places if best.cell_of[place] in best.exchanged)

    def _deciding_questions(self, tied_cases: list[WiringExplanation]) -> Iterator[Question]:
        """Yield the question that separates equally good explanations, and always one about a third cell.

        A finger may have slipped at a corner. If other wires and lamps together explain the same touches as the
        drawing, the drawing wins.
        """
        beside_cells, corners = non_corner_cells(self._profile.size), bottom_corners(self._profile.size)
        name_questions: list[Question] = [] if tied_cases[0].sort_key == (0, 0, DRAWN) else [*corners, *beside_cells]
        open_questions = filter(self._answers.is_open, [*self._places, *name_questions])

        def count_expected(question: Question) -> int:
            return len({case.expected_input(self._asked_cell(question, case.cell_of)) for case in tied_cases})

        best_question = max(open_questions, key=count_expected, default=None)
        if best_question is not None and count_expected(best_question) > 1:
            yield best_question
        if all(map(self._answers.is_open, beside_cells)):
            yield beside_cells[0]

    def _asked_cell(self, question: Question, cell_of: Mapping[int, int]) -> int:
        return self._cells.index(question) if isinstance(question, str) else cell_of[question]

    # Explanations

    def _best_explanations(self) -> list[WiringExplanation]:
        """Return the explanations that fit best, the nearest to the drawing first."""
        answers, best_cases, min_misfit = self._answers, list[WiringExplanation](), (inf, inf, inf)
        for lamps in list_patterns(self._profile.size, self._profile.chain.cell_positions):
            facts = {
                question: (self._asked_cell(question, lamps.cell_of), answers.best_answer(question))
                for question in answers.answers
            }
            wrong_questions = _find_clashes(facts)
            firmly_wrong = _find_clashes(
                {question: fact for question, fact in facts.items() if answers.is_confirmed(question)}
            )
            case = self._explain_wires(dict(facts.values()), lamps, lamps.cell_of, wrong_questions)
            misfit = len(firmly_wrong), len(wrong_questions), min(len(case.exchanged), self._few_cells + 1)
            if misfit < min_misfit:
                best_cases, min_misfit = [], misfit
            if misfit == min_misfit:
                best_cases.append(case._replace(is_refuted=bool(firmly_wrong)))
        return sorted(best_cases, key=lambda case: case.sort_key)

    def _explain_wires(
        self,
        under: Mapping[int, int],
        lamps: LampPattern | None,
        cell_of: Mapping[int, int],
        wrong_questions: Sequence[Question],
    ) -> WiringExplanation:
        """Return an explanation with the sensor pattern that best fits the inputs under some cells."""
        # Consider exchanged lines only if all else is as drawn: they are hard to tell from other faults.
        by_line = (
            isinstance(self._profile.sensing.wiring, MatrixWiring) and lamps is not None and lamps.distance == DRAWN
        )
        wiring_fits = [
            (tuple(cell for cell, input_number in under.items() if wires.inputs[cell] != input_number), wires)
            for wires in list_wirings(self._profile.size, by_line=by_line)
        ]
        whole_lines = [(outliers, wires) for outliers, wires in wiring_fits if not (wires.exchanged and outliers)]
        outliers, wires = min(whole_lines, key=lambda fit: (len(fit[0]), fit[1].distance))
        # First exceptions to the sensor pattern, then cells that were asked for by name, then the others.
        in_doubt = sorted(
            wrong_questions,
            key=lambda question: 1 if isinstance(question, str) else 2 * (cell_of[question] not in outliers),
        )
        return WiringExplanation(
            lamps, wires, cell_of, under, tuple(in_doubt), outliers, len(outliers) <= self._few_cells
        )

    def _not_found(self, problem: Message, cure: Message) -> LearnedWiring:
        """Report the problem, the best explanation, and the cells that contradict it."""
        lamps, wires, cell_of = self._best.lamps, self._best.wires, self._best.cell_of
        assert lamps
        wrong_cells = {self._asked_cell(question, cell_of) for question in self._best.wrong}
        lit_questions = [question for question in self._best.wrong if isinstance(question, int)]
        wrong_cells |= {wires.inputs.index(self._answers.best_answer(question)) for question in lit_questions}
        wrong_names = tuple(self._cells[cell] for cell in sorted(wrong_cells))
        best_fit = {
            "problem": problem,
            "lamps": wiring_findings.describe_lamps(lamps),
            "sensors": wiring_findings.describe_sensors(wires),
        }
        message = Message("answers.best_fit", **best_fit)
        if wrong_names:
            message = Message("answers.best_fit_but", **best_fit, cells=wrong_names, count=len(wrong_names))
        return wiring_findings.describe_not_found(message, cure, wrong_names)

    # Without a layout

    def _learn_one_by_one(self) -> Iterator[LearnedWiring]:
        """Learn both maps from a touch for every cell name and every lamp."""
        answers, lit_places = self._answers, self._answers.lit_places
        for question, input_numbers in answers.answers.items():
            if len({*input_numbers}) > 1 and len(input_numbers) < MAX_ANSWERS:  # a finger may slip twice
                yield LearnedWiring(question, again=True)
        named_under = {n: answers.best_answer(cell) for n, cell in enumerate(self._cells) if cell in answers.answers}
        yield from self._find_contradiction(named_under)
        yield from self._ask_open([*non_corner_cells(self._profile.size), *self._places])
        inputs_under = self._fill_blanks(self._explain_wires(named_under, None, {}, ()))
        cell_over = {input_number: cell for cell, input_number in inputs_under.items()}
        cell_of = {place: cell_over[answered] for place, answered in lit_places.items() if answered in cell_over}
        yield self._conclude(self._explain_wires(inputs_under, None, cell_of, ()))

    def _find_contradiction(self, named_under: Mapping[int, int]) -> Iterator[LearnedWiring]:
        """Ask again about an input that answers in two cells, then give up."""
        places_of, named_counts = defaultdict[int, list[int]](list), Counter(named_under.values())
        for lamp_place, input_number in self._answers.lit_places.items():
            places_of[input_number].append(lamp_place)
        for input_number, places in sorted(places_of.items()):
            its_cells = sorted({self._best.cell_of[lamp_place] for lamp_place in places})
            if len(its_cells) > 1 and (len(places) > self._per_cell or named_counts[input_number] > 1):
                yield from self._ask_again(places)
                names = tuple(self._cells[cell] for cell in its_cells)
                problem = Message("answers.one_sensor", drawn=self._cells[input_number], cells=names)
                yield self._not_found(problem, Message("cure.touching_wires"))
        if clashing_cells := [cell for cell, answered in named_under.items() if named_counts[answered] > 1]:
            yield from self._ask_again(self._cells[cell] for cell in clashing_cells)
            yield self._not_found(Message("answers.no_explanation"), Message("cure.begin_again"))

    # Conclusion

    def _fill_blanks(self, case: WiringExplanation) -> dict[int, int]:
        """Return the input under each cell; for an unanswered cell, the one that fits the pattern or the only one left."""
        cell_numbers = range(len(self._cells))
        blank_cells = [cell for cell in cell_numbers if cell not in case.under]
        free_inputs = [input_number for input_number in cell_numbers if input_number not in case.under.values()]
        filled_inputs = [case.wires.inputs[cell] for cell in blank_cells] if case.is_regular else []
        if sorted(filled_inputs) != free_inputs:
            filled_inputs = free_inputs if len(blank_cells) == len(free_inputs) == 1 else []
        return {**case.under, **dict(zip(blank_cells, filled_inputs, strict=False))}

    def _conclude(self, case: WiringExplanation) -> LearnedWiring:
        """Return both maps and their findings."""
        under = self._fill_blanks(case)
        if blank_names := tuple(cell_name for cell, cell_name in enumerate(self._cells) if cell not in under):
            message = Message("answers.none", cells=blank_names, count=len(blank_names))
            return wiring_findings.describe_not_examined(message, blank_names)
        lamps = case.lamps.cells if case.lamps else self._sort_lamps(case)
        if lamps is None:
            return wiring_findings.describe_not_found(Message("lamps.wrong_number"), Message("cure.check_lamps"))
        found_wiring = LearnedWiring(lamps=lamps, sensors={name: under[cell] for cell, name in enumerate(self._cells)})
        if exchanged_keys := wiring_findings.describe_keys(self._profile, found_wiring):
            return LearnedWiring(findings=(exchanged_keys,))
        all_findings = [
            *wiring_findings.describe_layout(self._profile, case),
            *wiring_findings.describe_exchanges(self._profile, case, under, self._cells),
        ]
        lit_cells = {case.cell_of[lamp_place] for lamp_place in self._answers.lit_places}
        all_findings += (
            wiring_findings.describe_skip(name) for cell, name in enumerate(self._cells) if cell not in lit_cells
        )
        if not all_findings:
            all_findings = [SetupFinding(GOOD, "as drawn", (), Message("finding.as_drawn"))]
        return replace(found_wiring, findings=tuple(all_findings))

    def _sort_lamps(self, case: WiringExplanation) -> tuple[int, ...] | None:
        """Return the lamps of each cell in chain order. A single unanswered lamp goes to the cell that lacks one."""
        all_cells = sorted([*range(len(self._cells))] * self._per_cell)
        cell_of, lamp_counts = dict(case.cell_of), Counter(case.cell_of.values())
        unknown_places = [lamp_place for lamp_place in self._places if lamp_place not in cell_of]
        lacking_cells = [cell for cell in {*all_cells} if lamp_counts[cell] < self._per_cell]
        if len(unknown_places) == len(lacking_cells) == 1:
            cell_of[unknown_places[0]] = lacking_cells[0]
        lamp_places = sorted(cell_of, key=lambda lamp_place: (cell_of[lamp_place], lamp_place))
        return tuple(lamp_places) if [cell_of[lamp_place] for lamp_place in lamp_places] == all_cells else None


def _find_clashes(facts: Mapping[Question, tuple[int, int]]) -> tuple[Question, ...]:
    """Return the questions whose answers put one input under two cells, or two inputs under one."""
    inputs_of, cells_of = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for cell, input_number in facts.values():
        inputs_of[cell].add(input_number)
        cells_of[input_number].add(cell)
    return tuple(
        question for question, (cell, number) in facts.items() if max(len(inputs_of[cell]), len(cells_of[number])) > 1
    )

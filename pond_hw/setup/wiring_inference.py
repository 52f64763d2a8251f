"""Infer which sensor and which lamps are under each cell, from the user's touches.

The user touches one lit lamp in each cell. The lamp and the input that responds must be in the same cell. The user also
touches a1, the bottom right corner and a2 without a lit lamp, which reveals how the lamps are laid out. The layout
gives the cell of each lamp, and so the cell of each input.

A layout explains the touches if every cell has one input and every input has one cell. If a cell does not fit, or is an
exception to the layout, its question is asked again until an answer has been given twice. If no layout fits, the user
touches every cell by name, and then every lamp.

A `Question` is a chain position (touch the lit lamp) or the name of a cell (touch that cell, without a lit lamp).
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

MAX_ANSWERS = 6  # number of answers without a majority after which to give up


@dataclass(frozen=True, slots=True)
class TouchAnswers:
    """All answers so far.

    Attributes:
        answers: inputs that responded to each question, in order.
        skipped: questions that the user skipped.
    """

    answers: Mapping[Question, tuple[int, ...]] = field(default_factory=dict)
    skipped: frozenset[Question] = frozenset()

    def add_answer(self, question: Question, input_number: int) -> TouchAnswers:
        """Return a copy with one more answer."""
        answers = {**self.answers, question: (*self.answers.get(question, ()), input_number)}
        return TouchAnswers(answers, self.skipped - {question})

    def without(self, questions: Iterable[Question]) -> TouchAnswers:
        """Return a copy without the answers to these questions."""
        forgotten_questions = set(questions)
        answers = {
            question: input_numbers
            for question, input_numbers in self.answers.items()
            if question not in forgotten_questions
        }
        return TouchAnswers(answers, self.skipped - forgotten_questions)

    def skip(self, questions: Iterable[Question]) -> TouchAnswers:
        """Return a copy in which these questions are skipped."""
        return replace(self, skipped=self.skipped | frozenset(questions))

    def is_open(self, question: Question) -> bool:
        """Return True if the question has been neither answered nor skipped."""
        return question not in self.answers and question not in self.skipped

    def best_answer(self, question: Question) -> int:
        """Return the most frequent answer. If several are equally frequent, return the latest of them."""
        answers = self.answers[question]
        return max(reversed(answers), key=answers.count)

    def is_confirmed(self, question: Question) -> bool:
        """Return True if one answer was given at least twice, and more often than any other."""
        answer_counts = [answer_count for _, answer_count in Counter(self.answers[question]).most_common(2)]
        return answer_counts[0] >= 2 and answer_counts[0] not in answer_counts[1:]

    @property
    def lit_positions(self) -> dict[int, int]:
        """Most frequent answer for each lit chain position."""
        return {question: self.best_answer(question) for question in self.answers if isinstance(question, int)}


def bottom_corners(size: int) -> tuple[Cell, Cell]:
    """Return the cells that are touched first: bottom left and bottom right."""
    bottom_row = get_grid(size).rows[-1]
    return bottom_row[0], bottom_row[-1]


def probe_lamps(profile: Profile) -> tuple[int, ...]:
    """Return one chain position in each cell of the profile's drawing, top row first.

    In some cells this is the first lamp, in others the one below it. Mirrored cells use the same one. This choice
    distinguishes serpentine chains from straight ones. With most layouts, it includes one lamp in each actual cell.
    """
    grid, chain, last_index = get_grid(profile.size), profile.chain, profile.size - 1
    cell_side, probe_positions = isqrt(chain.lamps_per_cell), []
    for cell in (cell for row in grid.rows for cell in row):
        x, y = grid.cell_coordinates(cell)
        inner_row = (min(x, last_index - x) + y * profile.size) % cell_side
        probe_positions.append(chain.cell_positions[grid.cells.index(cell) * cell_side**2 + inner_row * cell_side])
    return tuple(probe_positions)


def non_corner_cells(size: int) -> list[Cell]:
    """Return all cells except the two bottom corners. The cell above a1 comes first, then the cell to its right.

    These two are easy to find without a lit lamp. If the board is turned or mirrored, both of them move, so they also
    reveal a wrong touch on a corner.
    """
    cell_names = dict.fromkeys(("a2", "b1", *get_grid(size).cells))
    return [cell_name for cell_name in cell_names if cell_name not in bottom_corners(size)]


def infer_wiring(profile: Profile, answers: TouchAnswers) -> LearnedWiring:
    """Return the inferred wiring, or the next question.

    If no layout explains all answers, the finding names the best layout and the cells that contradict it.
    """
    return next(_WiringInference(profile, answers).learn_wiring())


class _WiringInference:
    """Compares the answers with all possible layouts. Its generators are lazy: only their first item is used."""

    def __init__(self, profile: Profile, answers: TouchAnswers) -> None:
        self._profile, self._answers, self._per_cell = profile, answers, profile.chain.lamps_per_cell
        self._cells, self._positions = get_grid(profile.size).cells, sorted(profile.chain.cell_positions)
        self._few_cells = profile.size**2 // 3

    def learn_wiring(self) -> Iterator[LearnedWiring]:
        """Yield unanswered questions, then doubtful ones, then the conclusion."""
        answers, size = self._answers, self._profile.size
        yield from self._ask_open([*bottom_corners(size), *probe_lamps(self._profile)])
        if (answered := len(answers.lit_positions)) * 2 < len(self._cells):
            message = Message("answers.too_few", answered=answered, wanted=len(self._cells))
            yield wiring_findings.describe_not_examined(message, self._cells)
        tied_cases = self._best_explanations()
        best = self._best = tied_cases[0]
        if best.is_refuted:
            yield from self._learn_one_by_one()
        yield from self._ask_again(self._doubtful_questions())
        yield from self._ask_open(self._deciding_questions(tied_cases))
        if not best.is_regular or best.wires.distance > 1:  # then only the other questions reveal the layout
            probed_positions = probe_lamps(self._profile)
            yield from self._ask_again(question for question in answers.answers if question not in probed_positions)
        covered_cells = {best.cell_of[position] for position in self._positions if not answers.is_open(position)}
        yield from self._ask_open(
            position for position in self._positions if best.cell_of[position] not in covered_cells
        )
        yield self._conclude(best)

    # Questions

    def _ask_open(self, questions: Iterable[Question]) -> Iterator[LearnedWiring]:
        """Yield the questions that have been neither answered nor skipped."""
        return (LearnedWiring(question) for question in questions if self._answers.is_open(question))

    def _ask_again(self, questions: Iterable[Question]) -> Iterator[LearnedWiring]:
        """Repeat questions without a confirmed answer. Give up after `MAX_ANSWERS` answers."""
        for question in questions:
            changing = Message(f"answers.changing.{'cell' if isinstance(question, str) else 'lamp'}", asked=question)
            if not self._answers.is_confirmed(question):
                leads_on = len(self._answers.answers[question]) < MAX_ANSWERS
                cure = Message("cure.touch_only_what_is_asked")
                yield LearnedWiring(question, again=True) if leads_on else self._not_found(changing, cure)

    def _doubtful_questions(self) -> Iterator[Question]:
        """Yield questions whose answers contradict each other, vary, or suggest swapped wires."""
        best, answers = self._best, self._answers
        yield from best.wrong_questions
        yield from (question for question, input_numbers in answers.answers.items() if len(set(input_numbers)) > 1)
        if best.is_regular:
            yield from (position for position in answers.lit_positions if best.cell_of[position] in best.exchanged)

    def _deciding_questions(self, tied_cases: list[WiringExplanation]) -> Iterator[Question]:
        """Yield the question that best separates equally good explanations, and at least one question about a third cell.

        The third cell is needed because a finger may have slipped at a corner. If another layout explains the same touches as
        the drawing, the drawing wins.
        """
        beside_cells, corners = non_corner_cells(self._profile.size), bottom_corners(self._profile.size)
        name_questions: list[Question] = [] if tied_cases[0].sort_key == (0, 0, DRAWN) else [*corners, *beside_cells]
        open_questions = filter(self._answers.is_open, [*self._positions, *name_questions])

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
        """Return the explanations that fit best, starting with the nearest to the drawing."""
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
        """Return an explanation with the sensor pattern that best fits the known inputs."""
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
        # Exceptions to the sensor pattern come first, then cells that were asked for by name, then all others.
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
        wrong_cells = {self._asked_cell(question, cell_of) for question in self._best.wrong_questions}
        lit_questions = [question for question in self._best.wrong_questions if isinstance(question, int)]
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
        """Learn the wiring by asking for every cell by name and for every lamp."""
        answers, lit_positions = self._answers, self._answers.lit_positions
        for question, input_numbers in answers.answers.items():
            if len({*input_numbers}) > 1 and len(input_numbers) < MAX_ANSWERS:  # a finger may slip twice
                yield LearnedWiring(question, again=True)
        named_under = {n: answers.best_answer(cell) for n, cell in enumerate(self._cells) if cell in answers.answers}
        yield from self._find_contradiction(named_under)
        yield from self._ask_open([*non_corner_cells(self._profile.size), *self._positions])
        inputs_under = self._fill_blanks(self._explain_wires(named_under, None, {}, ()))
        cell_over = {input_number: cell for cell, input_number in inputs_under.items()}
        cell_of = {
            position: cell_over[answered] for position, answered in lit_positions.items() if answered in cell_over
        }
        yield self._conclude(self._explain_wires(inputs_under, None, cell_of, ()))

    def _find_contradiction(self, named_under: Mapping[int, int]) -> Iterator[LearnedWiring]:
        """Ask again about an input that responds in two cells, then give up."""
        positions_of, named_counts = defaultdict[int, list[int]](list), Counter(named_under.values())
        for lamp_position, input_number in self._answers.lit_positions.items():
            positions_of[input_number].append(lamp_position)
        for input_number, positions in sorted(positions_of.items()):
            lit_cells = sorted({self._best.cell_of[lamp_position] for lamp_position in positions})
            if len(lit_cells) > 1 and (len(positions) > self._per_cell or named_counts[input_number] > 1):
                yield from self._ask_again(positions)
                names = tuple(self._cells[cell] for cell in lit_cells)
                problem = Message("answers.one_sensor", drawn=self._cells[input_number], cells=names)
                yield self._not_found(problem, Message("cure.touching_wires"))
        if clashing_cells := [cell for cell, answered in named_under.items() if named_counts[answered] > 1]:
            yield from self._ask_again(self._cells[cell] for cell in clashing_cells)
            yield self._not_found(Message("answers.no_explanation"), Message("cure.begin_again"))

    # Conclusion

    def _fill_blanks(self, case: WiringExplanation) -> dict[int, int]:
        """Return the input under each cell. A cell without an answer gets the input that fits the pattern, or the only one left."""
        cell_numbers = range(len(self._cells))
        blank_cells = [cell for cell in cell_numbers if cell not in case.inputs_under]
        free_inputs = [input_number for input_number in cell_numbers if input_number not in case.inputs_under.values()]
        filled_inputs = [case.wires.inputs[cell] for cell in blank_cells] if case.is_regular else []
        if sorted(filled_inputs) != free_inputs:
            filled_inputs = free_inputs if len(blank_cells) == len(free_inputs) == 1 else []
        return {**case.inputs_under, **dict(zip(blank_cells, filled_inputs, strict=False))}

    def _conclude(self, case: WiringExplanation) -> LearnedWiring:
        """Return the positions of all lamps and sensors, and findings about them."""
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
        if case.lamps is None and (moved := wiring_findings.find_moved_rows(self._profile, found_wiring)):
            return wiring_findings.describe_moved_rows(self._profile, found_wiring, moved)
        all_findings = [
            *wiring_findings.describe_layout(self._profile, case),
            *wiring_findings.describe_exchanges(self._profile, case, under, self._cells),
        ]
        lit_cells = {case.cell_of[lamp_position] for lamp_position in self._answers.lit_positions}
        all_findings += (
            wiring_findings.describe_skip(name) for cell, name in enumerate(self._cells) if cell not in lit_cells
        )
        if not all_findings:
            all_findings = [SetupFinding(GOOD, "as drawn", (), Message("finding.as_drawn"))]
        return replace(found_wiring, findings=tuple(all_findings))

    def _sort_lamps(self, case: WiringExplanation) -> tuple[int, ...] | None:
        """Return the lamps of each cell in chain order. A single lamp without an answer goes to the cell that lacks one."""
        all_cells = sorted([*range(len(self._cells))] * self._per_cell)
        cell_of, lamp_counts = dict(case.cell_of), Counter(case.cell_of.values())
        unknown_positions = [lamp_position for lamp_position in self._positions if lamp_position not in cell_of]
        lacking_cells = [cell for cell in {*all_cells} if lamp_counts[cell] < self._per_cell]
        if len(unknown_positions) == len(lacking_cells) == 1:
            cell_of[unknown_positions[0]] = lacking_cells[0]
        lamp_positions = sorted(cell_of, key=lambda lamp_position: (cell_of[lamp_position], lamp_position))
        return (
            tuple(lamp_positions) if [cell_of[lamp_position] for lamp_position in lamp_positions] == all_cells else None
        )


def _find_clashes(facts: Mapping[Question, tuple[int, int]]) -> tuple[Question, ...]:
    """Return the questions whose answers put one input under two cells, or two inputs under one cell."""
    inputs_of, cells_of = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for cell, input_number in facts.values():
        inputs_of[cell].add(input_number)
        cells_of[input_number].add(cell)
    return tuple(
        question for question, (cell, number) in facts.items() if max(len(inputs_of[cell]), len(cells_of[number])) > 1
    )

"""Tests of inferring the wiring from answers, without running a step."""

import random
from dataclasses import replace
from itertools import combinations

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile.library import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.findings import FAULT, WARNING
from pond_hw.setup.wiring_findings import (
    describe_colours,
    describe_lamps,
    describe_restless,
    describe_skip,
    describe_stuck,
)
from pond_hw.setup.wiring_inference import TouchAnswers, bottom_corners, infer_wiring, probe_lamps
from pond_hw.setup.wiring_patterns import list_patterns, list_wirings
from tests.setup.walker import ActualBoard, chain_rows, turn_drawing

BOARDS = ("pwm-4x4", "hall-4x4", "hall-5x5", "matrix-5x5")

AS_DRAWN = {"lamps": Message("lamps.as_drawn"), "sensors": Message("sensors.as_drawn")}


def answer_all(built, lies=None, skipped=(), most=150):
    """Answer all questions truthfully, except for the first answers in `lies`.

    Returns:
        The conclusion, and all questions in order.
    """
    touch_answers, questions = TouchAnswers().skip(skipped), []
    lies = {question: list(answers) for question, answers in (lies or {}).items()}
    while (learned := infer_wiring(built.profile, touch_answers)).question is not None:
        question = learned.question
        questions.append(question)
        assert len(questions) < most, questions
        cell = question if isinstance(question, str) else built.cell_of(question)
        answer = lies[question].pop(0) if lies.get(question) else built.input_under(cell)
        touch_answers = touch_answers.add_answer(question, answer)
    return learned, questions


def matches_board(built, learned):
    """Return True if the learned positions match the actual board."""
    cells = get_grid(built.profile.size).cells
    if not learned.found:
        return False
    profile = replace(built.profile, chain=replace(built.profile.chain, cell_positions=learned.lamps))
    inputs = {cell: built.input_under(cell) for cell in cells}
    return ActualBoard.as_drawn(profile).lamps == built.lamps and learned.sensors == inputs


def finding_messages(learned):
    return [finding.message for finding in learned.findings]


def exchange_inputs(rows, *cells):
    """Return the inputs with those of these cells exchanged in a ring."""
    rows = [list(row) for row in rows]
    at = [(len(rows) - int(cell[1]), "abcde".index(cell[0])) for cell in cells]
    inputs = [rows[v][u] for v, u in at]
    for (v, u), answered in zip(at, inputs[1:] + inputs[:1], strict=True):
        rows[v][u] = answered
    return rows


@pytest.mark.parametrize("name", BOARDS)
def test_board_as_drawn_needs_one_question_per_cell(name):
    built = ActualBoard.as_drawn(load_profile(name))
    learned, questions = answer_all(built)
    assert matches_board(built, learned)
    assert not learned.differs(built.profile)
    assert finding_messages(learned) == [Message("finding.as_drawn")]
    assert questions == [*bottom_corners(built.profile.size), *probe_lamps(built.profile), "a2"]


@pytest.mark.parametrize("name", BOARDS)
def test_one_lamp_of_each_drawn_cell_is_lit(name):
    profile = load_profile(name)
    built = ActualBoard.as_drawn(profile)
    rows = get_grid(profile.size).rows
    assert [built.cell_of(position) for position in probe_lamps(profile)] == [cell for row in rows for cell in row]


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("way", range(1, 8))
def test_turned_board_is_one_finding(name, way):
    drawn = ActualBoard.as_drawn(load_profile(name))
    built = replace(drawn, lamps=turn_drawing(drawn.lamps, way), inputs=turn_drawing(drawn.inputs, way))
    learned, questions = answer_all(built)
    assert matches_board(built, learned)
    ways = ["right", "half", "left", "diagonal_top_left", "left_right", "diagonal_top_right", "top_bottom"]
    assert finding_messages(learned) == [Message("finding.turned_board", turn=ways[way - 1])]
    assert len(questions) == built.profile.size**2 + 3


def test_serpentine_chain_is_found():
    drawn = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, _ = answer_all(replace(drawn, lamps=chain_rows(range(16), 4, False)))
    assert finding_messages(learned) == [Message("lamps.chain_is.straight")]
    learned, _ = answer_all(replace(drawn, lamps=turn_drawing(chain_rows(range(16), 4, False), 1)))
    chain = Message("lamps.chain", corner="top_right", course="columns_straight")
    assert finding_messages(learned) == [
        Message("lamps.chain_differs", found=chain, corner="top_left", course="rows_to_and_fro")
    ]
    assert learned.findings[0].cause == Message("cause.lamps_order")


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_two_swapped_wires_are_found(name):
    drawn = ActualBoard.as_drawn(load_profile(name))
    pairs = list(combinations(get_grid(drawn.profile.size).cells, 2))
    last = get_grid(drawn.profile.size).cells[drawn.profile.size - 1]
    for one, other in {*random.Random(7).sample(pairs, 5), ("a1", last), ("b2", "c2")}:
        built = replace(drawn, inputs=exchange_inputs(drawn.inputs, one, other))
        learned, questions = answer_all(built)
        assert matches_board(built, learned), (one, other)
        assert finding_messages(learned) == [Message("finding.exchanged", cells=(one, other))]
        assert len(questions) == len(drawn.inputs) ** 2 + 5


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("way", range(8))
def test_two_swapped_wires_under_turned_lamps_are_found(name, way):
    drawn = ActualBoard.as_drawn(load_profile(name))
    rows = turn_drawing(chain_rows(sorted(drawn.profile.chain.cell_positions), len(drawn.lamps), way % 2 == 0), way)
    for one, other in combinations(get_grid(drawn.profile.size).cells, 2):
        built = replace(drawn, lamps=rows, inputs=exchange_inputs(drawn.inputs, one, other))
        learned, _ = answer_all(built)
        assert matches_board(built, learned), (one, other)
        assert finding_messages(learned)[-1] == Message("finding.exchanged", cells=(one, other))


def test_three_cyclically_swapped_wires_are_found():
    drawn = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, _ = answer_all(replace(drawn, inputs=exchange_inputs(drawn.inputs, "b1", "c2", "d4")))
    assert finding_messages(learned) == [Message("finding.exchanged_in_ring", cells=("b1", "c2", "d4"))]
    assert learned.findings[0].cells == ("b1", "c2", "d4")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["direct-4x4", "hall-5x5"])
@pytest.mark.parametrize("rows", [("1", "2"), ("1", "3", "4"), ("1", "2", "3", "4")])
def test_row_boards_in_wrong_places_are_named(name, rows):
    drawn = ActualBoard.as_drawn(load_profile(name))
    size = drawn.profile.size
    numbers = [size - int(row) for row in rows]  # the top row is first
    moved = dict(zip(numbers, [*numbers[1:], numbers[0]], strict=True))
    order = [moved.get(row, row) for row in range(size)]
    side = len(drawn.lamps) // size
    lamps = [drawn.lamps[row * side + line] for row in order for line in range(side)]
    built = replace(drawn, inputs=[drawn.inputs[row] for row in order], lamps=lamps)
    learned, _ = answer_all(built)
    assert finding_messages(learned) == [Message("finding.rows_exchanged", rows=rows)]
    assert matches_board(built, learned)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["columns", "rows"])
def test_swapped_matrix_lines_are_named(way):
    drawn = ActualBoard.as_drawn(load_profile("matrix-5x5"))
    for one, other in combinations(range(5), 2):
        inputs = [list(row) for row in (drawn.inputs if way == "rows" else zip(*drawn.inputs, strict=True))]
        inputs[one], inputs[other] = inputs[other], inputs[one]
        built = replace(drawn, inputs=inputs if way == "rows" else [list(row) for row in zip(*inputs, strict=True)])
        learned, questions = answer_all(built)
        assert matches_board(built, learned)
        pair = ("abcde"[one], "abcde"[other]) if way == "columns" else (str(5 - other), str(5 - one))
        assert finding_messages(learned) == [Message(f"sensors.exchanged.{way}", lines=pair)]
        assert len(questions) <= 25 + 8


def test_only_matrices_have_swapped_lines():
    assert len(list_wirings(5)) == 24
    assert len(list_wirings(5, by_line=True)) == 24 + 20


@pytest.mark.parametrize("name", BOARDS)
def test_wires_in_any_order_are_learned_one_by_one(name):
    drawn = ActualBoard.as_drawn(load_profile(name))
    size = drawn.profile.size
    for seed in range(3):
        inputs = list(range(size**2))
        random.Random(seed).shuffle(inputs)
        rows = [inputs[line * size : (line + 1) * size] for line in range(size)]
        lamps = turn_drawing(chain_rows(sorted(drawn.profile.chain.cell_positions), len(drawn.lamps), seed % 2), seed)
        built = replace(drawn, lamps=lamps, inputs=rows)
        learned, questions = answer_all(built)
        assert matches_board(built, learned)
        assert Message("sensors.own_order") in finding_messages(learned)
        assert len(questions) <= size**2 + 8


@pytest.mark.parametrize("way", range(8))
def test_lamps_without_pattern_are_learned_from_sensors(way):
    drawn = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    positions = list(range(16))
    random.Random(way).shuffle(positions)
    rows = [positions[line * 4 : line * 4 + 4] for line in range(4)]
    built = replace(drawn, lamps=rows, inputs=turn_drawing(drawn.inputs, way))
    learned, _ = answer_all(built)
    assert matches_board(built, learned)
    assert Message("lamps.own_order") in finding_messages(learned)


@pytest.mark.parametrize("seed", range(4))
def test_irregular_lamps_and_wires_are_learned_from_typed_cells(seed):
    built = scramble_wires("pwm-4x4", seed)
    positions = list(range(16))
    random.Random(f"lamps {seed}").shuffle(positions)
    built = replace(built, lamps=[positions[line * 4 : line * 4 + 4] for line in range(4)])
    learned, questions = answer_all(built)
    assert matches_board(built, learned)
    assert {question for question in questions if isinstance(question, str)} == set(get_grid(4).cells)
    assert Message("lamps.own_order") in finding_messages(learned)


@pytest.mark.long
def test_four_lamps_per_cell_without_pattern_are_all_lit():
    drawn = ActualBoard.as_drawn(load_profile("hall-4x4"))
    positions = list(range(64))
    random.Random(3).shuffle(positions)
    built = replace(drawn, lamps=[positions[line * 8 : line * 8 + 8] for line in range(8)])
    learned, questions = answer_all(built)
    assert {question for question in questions if isinstance(question, int)} == set(range(64))
    for position in range(64):
        cell = get_grid(4).cells[learned.lamps.index(position) // 4]
        assert cell == built.cell_of(position)
    assert Message("lamps.own_order_of_cells") in finding_messages(learned)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hall-4x4", "matrix-5x5"])
def test_chain_from_cell_to_cell_lights_every_cell(name):
    profile = load_profile(name)
    for pattern in list_patterns(profile.size, profile.chain.cell_positions)[::3]:
        rows = ActualBoard.as_drawn(replace(profile, chain=replace(profile.chain, cell_positions=pattern.cells))).lamps
        built = replace(ActualBoard.as_drawn(profile), lamps=rows)
        learned, questions = answer_all(built)
        lit = {built.cell_of(question) for question in questions if isinstance(question, int)}
        assert lit == set(get_grid(profile.size).cells)
        assert learned.lamps == pattern.cells or pattern.distance == 3, describe_lamps(
            pattern
        )  # the order inside a cell is unknown
        assert learned.sensors == dict(zip(get_grid(profile.size).cells, range(profile.size**2), strict=True))


def test_question_is_repeated_after_wrong_answer():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, questions = answer_all(built, lies={5: [2]})
    assert matches_board(built, learned)
    assert questions.count(5) == 3  # once wrong, then until two answers agree
    assert not learned.differs(built.profile)


@pytest.mark.parametrize("wrong", range(1, 16))
@pytest.mark.parametrize("corner", ["a1", "d1"])
def test_slip_at_a_corner_does_not_turn_the_board(corner, wrong):
    drawn = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    for way in (0, 1, 4):
        built = replace(
            drawn,
            lamps=turn_drawing(chain_rows(range(16), 4, way % 4 == 0), way),
            inputs=turn_drawing(drawn.inputs, way),
        )
        first = (built.input_under(corner) + wrong) % 16
        learned, _ = answer_all(built, lies={corner: [first]})
        assert matches_board(built, learned), (way, first)


@pytest.mark.slow
def test_slip_at_the_third_cell_does_not_turn_the_board():
    drawn = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    built = replace(drawn, lamps=chain_rows(range(16), 4, False))
    for wrong in range(1, 16):
        learned, questions = answer_all(built, lies={"a2": [(built.input_under("a2") + wrong) % 16]})
        assert matches_board(built, learned)
        assert questions.count("a2") >= 2


def test_question_is_repeated_after_two_identical_slips():
    built = scramble_wires("pwm-4x4", 3)
    truth, other = built.input_under("a2"), built.input_under("d1")
    learned, questions = answer_all(built, lies={"a2": [truth, other, other]})
    assert matches_board(built, learned)
    assert questions.count("a2") >= 5


def test_input_under_two_cells_gives_no_result():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, questions = answer_all(built, lies={5: [2] * 9})
    assert questions.count(13) == 2  # c1's input is asked again too
    assert not learned.found
    problem = Message("answers.one_sensor", drawn="c1", cells=("c1", "c3"))
    assert finding_messages(learned) == [
        Message("answers.best_fit_but", problem=problem, **AS_DRAWN, cells=("c1", "c3"), count=2)
    ]
    assert learned.findings[0].cells == ("c1", "c3")
    assert learned.findings[0].cure == Message("cure.touching_wires")


def test_changing_answers_end_the_mapping():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, questions = answer_all(built, lies={5: [2, 3, 4, 6, 7, 8, 9, 10]})
    assert not learned.found
    (finding,) = learned.findings
    assert finding.message.id == "answers.best_fit_but"
    assert finding.message.arguments["problem"] == Message("answers.changing.lamp", asked=5)
    assert finding.cure == Message("cure.touch_only_what_is_asked")
    assert finding.message.arguments["cells"] == finding.cells
    assert "c3" in finding.cells
    assert questions.count(5) == 6


def test_inexplicable_corners_end_the_mapping():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, _ = answer_all(built, lies={"a1": [6] * 9})
    assert not learned.found
    (finding,) = learned.findings
    assert finding.message.arguments["problem"] == Message("answers.no_explanation")
    assert finding.cure == Message("cure.begin_again")


def test_skipped_cells_follow_the_pattern():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    learned, _ = answer_all(built, skipped=[5, 9])
    assert matches_board(built, learned)
    assert [finding.cells for finding in learned.findings] == [("b2",), ("c3",)]
    assert {finding.kind for finding in learned.findings} == {"skipped"}


def scramble_wires(name, seed):
    """Return a board with its wires in random order."""
    drawn = ActualBoard.as_drawn(load_profile(name))
    size = drawn.profile.size
    inputs = list(range(size**2))
    random.Random(seed).shuffle(inputs)
    return replace(drawn, inputs=[inputs[line * size : (line + 1) * size] for line in range(size)])


def test_skipped_cell_gets_the_remaining_input():
    built = scramble_wires("pwm-4x4", 1)
    assert matches_board(built, answer_all(built, skipped=[5])[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pwm-4x4", "hall-4x4"])
def test_deciding_answer_must_be_confirmed(name):
    built = scramble_wires(name, 5)
    _, questions = answer_all(built)
    deciding = questions[2 + 16 :]
    assert deciding
    for question in deciding:
        for wrong in range(16):
            learned, _ = answer_all(built, lies={question: [wrong]})
            assert matches_board(built, learned), (question, wrong)


def test_changing_answers_are_reported_without_contradiction():
    built, answers = ActualBoard.as_drawn(load_profile("pwm-4x4")), iter([10, 4, 10, 4, 9, 13])
    touch_answers = TouchAnswers()
    while (question := infer_wiring(built.profile, touch_answers).question) is not None:
        own = built.input_under(question if isinstance(question, str) else built.cell_of(question))
        touch_answers = touch_answers.add_answer(question, next(answers) if question == "a2" else own)
    (finding,) = infer_wiring(built.profile, touch_answers).findings
    problem = Message("answers.changing.cell", asked="a2")
    assert finding.message == Message("answers.best_fit", problem=problem, **AS_DRAWN)


def test_nothing_is_proposed_after_too_many_skips():
    profile = load_profile("pwm-4x4")
    learned = infer_wiring(profile, TouchAnswers().skip([*bottom_corners(4), *probe_lamps(profile)]))
    assert not learned.found
    assert finding_messages(learned) == [Message("answers.too_few", answered=0, wanted=16)]
    (finding,) = learned.findings
    assert (finding.grade, finding.kind, finding.cells) == (WARNING, "not examined", get_grid(4).cells)
    assert (finding.cause, finding.cure) == (None, Message("cure.too_few_answers"))


def test_nothing_is_proposed_for_two_skipped_cells_without_pattern():
    built = scramble_wires("pwm-4x4", 1)
    learned, _ = answer_all(built, skipped=[5, 9])
    assert not learned.found
    (finding,) = learned.findings
    assert (finding.kind, finding.cells) == ("not examined", ("b2", "c3"))
    assert finding.message == Message("answers.none", cells=("b2", "c3"), count=2)


def test_neotrellis_turns_keys_and_lamps_together():
    drawn = ActualBoard.as_drawn(load_profile("neotrellis-4x4"))
    built = replace(drawn, lamps=turn_drawing(drawn.lamps, 1), inputs=turn_drawing(drawn.inputs, 1))
    learned, _ = answer_all(built)
    assert matches_board(built, learned)
    learned, _ = answer_all(replace(drawn, lamps=turn_drawing(drawn.lamps, 1)))
    assert not learned.found
    (finding,) = learned.findings
    assert finding.message == Message("finding.other_keys", cells=finding.cells)


def test_swapped_neotrellis_keys_are_named():
    built = ActualBoard.as_drawn(load_profile("neotrellis-4x4"))
    profile, cells = built.profile, get_grid(4).cells
    lamp = {cell: profile.chain.cell_positions[number] for number, cell in enumerate(cells)}
    lies = {lamp["b2"]: [cells.index("c4")] * 9, lamp["c4"]: [cells.index("b2")] * 9}
    learned, _ = answer_all(built, lies=lies)
    assert not learned.found
    (finding,) = learned.findings
    assert (finding.grade, finding.kind, finding.cells) == ("fault", "exchanged", ("b2", "c4"))
    assert finding.message == Message("finding.other_keys", cells=("b2", "c4"))


def alter(name, *, lamps=lambda rows: rows, inputs=lambda rows: rows):
    """Return a board that differs from its drawing."""
    drawn = ActualBoard.as_drawn(load_profile(name))
    return replace(drawn, lamps=lamps(drawn.lamps), inputs=inputs(drawn.inputs))


def quarter(rows):
    return turn_drawing(rows, 1)


def shuffled(rows):
    numbers = [number for row in rows for number in row]
    random.Random(5).shuffle(numbers)
    return [numbers[line * len(rows) : (line + 1) * len(rows)] for line in range(len(rows))]


def zigzag(rows):
    return [row[::-1] if line % 2 else row for line, row in enumerate(rows)]


def quarter_zigzag(rows):
    return zigzag(quarter(rows))


def low_rows(rows):
    return rows[:3] + rows[:2:-1]


def two_wires(rows):
    return exchange_inputs(rows, "b2", "c3")


@pytest.mark.parametrize(
    ("built", "kind", "message", "cause", "cure"),
    [
        (alter("pwm-4x4"), "as drawn", "finding.as_drawn", None, None),
        (alter("pwm-4x4", lamps=quarter, inputs=quarter), "turned", "finding.turned_board", "turned_board", "accept_drawing"),
        (alter("pwm-4x4", lamps=quarter), "lamps turned", "lamps.turned_chain", "lamps_turned", "accept_drawing"),
        (alter("pwm-4x4", lamps=zigzag), "lamps to and fro", "lamps.chain_is.straight", "lamps_to_and_fro", "accept_drawing"),
        (alter("pwm-4x4", lamps=shuffled), "lamps' order", "lamps.own_order", "lamps_own_order", "accept_drawing"),
        (alter("pwm-4x4", inputs=quarter), "sensors turned", "sensors.turned", "sensors_turned", "accept_drawing"),
        (alter("pwm-4x4", inputs=zigzag), "sensors turned", "sensors.every_other.rows", "sensors_turned", "accept_drawing"),
        (alter("pwm-4x4", inputs=quarter_zigzag), "sensors turned", "sensors.turned_and", "sensors_turned", "accept_drawing"),
        (alter("pwm-4x4", inputs=shuffled), "sensors' order", "sensors.own_order", "own_order", "accept_drawing"),
        (alter("matrix-5x5", inputs=low_rows), "lines exchanged", "sensors.exchanged.rows", *2 * ["lines_exchanged"]),
        (alter("direct-4x4", inputs=two_wires), "exchanged", "finding.exchanged", "exchanged", "exchanged_pins"),
        (alter("neotrellis-4x4", lamps=quarter), "not found", "finding.other_keys", "other_keys", "other_keys"),
    ],
    ids=lambda value: value.profile.name if isinstance(value, ActualBoard) else value,
)  # fmt: skip
def test_each_finding_kind_has_message_cause_and_remedy(built, kind, message, cause, cure):
    (finding,) = answer_all(built)[0].findings
    assert (finding.kind, finding.message.id) == (kind, message)
    assert finding.cause == (cause and Message(f"cause.{cause}"))
    assert (finding.cure and finding.cure.id) == (cure and f"cure.{cure}")


def test_turned_lamps_and_sensors_are_described():
    (lamps,) = finding_messages(answer_all(alter("pwm-4x4", lamps=quarter))[0])
    path = {"corner": "top_right", "course": "columns_to_and_fro"}
    assert lamps == Message("lamps.turned_chain", turn="right", **path)
    (sensors,) = finding_messages(answer_all(alter("pwm-4x4", inputs=quarter_zigzag))[0])
    reversed_lines = Message("sensors.every_other.columns")
    assert sensors == Message("sensors.turned_and", turn="right", more=reversed_lines)


def test_sensor_layouts_are_described():
    one, two = describe_stuck(("b2",)), describe_restless(("b2", "c3"), "hall")
    assert one.message == Message("finding.on", cells=("b2",), count=1)
    assert (one.cause, one.cure) == (Message("cause.on"), Message("cure.on"))
    assert two.message == Message("finding.restless", cells=("b2", "c3"), count=2)
    assert describe_colours("RGB", "GRB").messages == (
        Message("finding.colours", found="RGB", drawn="GRB"),
        Message("cause.colours"),
        Message("cure.colours"),
    )
    skipped = describe_skip("b2")
    assert skipped.messages == (
        Message("finding.skipped", cell="b2"),
        Message("cause.skipped"),
        Message("cure.skipped"),
    )


def test_nothing_is_proposed_for_skipped_lamps_without_pattern():
    built = alter("pwm-4x4", lamps=shuffled)
    (finding,) = answer_all(built, skipped=[5, 9])[0].findings
    assert finding.message == Message("lamps.wrong_number")
    assert (finding.grade, finding.cure) == (FAULT, Message("cure.check_lamps"))

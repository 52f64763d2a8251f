"""Tests of the `map` step."""

import random
import re
from dataclasses import replace
from itertools import permutations, product

import pytest

from pond_hw.board import HealthEvent, KeyEvent, Sample
from pond_hw.messages.message import Message, as_message
from pond_hw.profile.library import BOARDS_FOLDER as FOLDER
from pond_hw.profile.library import load_profile
from pond_hw.profile.reader import parse_profile
from pond_hw.rules import get_grid
from pond_hw.setup.pages import show_page
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.wiring_findings import format_side_by_side, sensor_words
from pond_hw.setup.wiring_inference import probe_lamps
from pond_hw.setup.wiring_step import FULL, GLOW, PROBE, ColourNaming, WiringStep
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.setup.simulated_user import prompt_messages
from tests.setup.walker import COLOUR_ORDERS, ActualBoard, Walker, chain_rows, turn_drawing

BOARDS = ("pwm-4x4", "hall-4x4", "hall-5x5", "matrix-5x5")

SHIPPED = tuple(product(("lamps", "sensors", "both"), range(8), (False, True), COLOUR_ORDERS))
"""Turned parts, orientation, True for a serpentine chain, and colour order."""


def build(name, what, way, fro, colours):
    drawn = ActualBoard.as_drawn(load_profile(name))
    chain = chain_rows(sorted(drawn.profile.chain.cell_positions), len(drawn.lamps), fro)
    lamps = turn_drawing(chain, 0 if what == "sensors" else way)
    inputs = turn_drawing(drawn.inputs, 0 if what == "lamps" else way)
    return ActualBoard(drawn.profile, lamps, inputs, colours)


def with_changes(profile, changes):
    """Return the profile with the changes, after parsing it as strictly as any other profile."""
    text = (FOLDER / f"{profile.name}.toml").read_text()
    for key, value in changes.items():
        table, name = key.split(".")
        head, body = text.split(f"[{table}]\n")
        if "\n" in value:
            body = re.sub(rf'(?s)^{name} = """.*?"""', f'{name} = """\n{value}\n"""', body, count=1, flags=re.MULTILINE)
        else:
            body = f'{name} = "{value}"\n{body}'
        text = f"{head}[{table}]\n{body}"
    return parse_profile(text, profile.name)


def assert_recovered(built, result):
    """Check that the changed profile matches the actual board, and that there are no unnecessary changes."""
    profile, changes = built.profile, result.changes
    learned = with_changes(profile, changes)
    assert ActualBoard.as_drawn(learned).lamps == built.lamps
    assert learned.chain.colour_order == built.colours
    word, now = sensor_words(profile), sensor_words(learned)
    cells = get_grid(profile.size).cells
    assert now == {cell: word[cells[built.input_under(cell)]] for cell in cells}
    drawn = ActualBoard.as_drawn(profile)
    assert ("lamps.cells" in changes) == (built.lamps != drawn.lamps)
    assert ("sensors.cells" in changes) == (built.inputs != drawn.inputs)
    assert ("lamps.colours" in changes) == (built.colours != drawn.colours)


def walk_board(built, **person):
    walker = Walker(built, **person)
    return walker, walker.walk()


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(sorted(BOARDS, reverse=True)))
def test_turned_boards_with_other_colours_are_recovered(name):
    for case in random.Random(name).sample(SHIPPED, 5):
        built = build(name, *case)
        walker, result = walk_board(built)
        assert_recovered(built, result)
        assert walker.touches == built.profile.size**2 + 7, case


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(sorted(BOARDS, reverse=True)))
def test_occasional_slips_are_corrected(name):
    errors = 0
    for case in random.Random(f"{name} errs").sample(SHIPPED, 5):
        built = build(name, *case)
        walker, result = walk_board(built, slip_rate=0.05, seed=f"{name}{case}")
        assert_recovered(built, result)
        errors += walker.errors
    assert errors


@pytest.mark.long
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("what", ["lamps", "sensors", "both"])
@pytest.mark.parametrize("slip_rate", [0, 0.05])
def test_every_orientation_path_and_colour_order_is_recovered(name, what, slip_rate):
    for case in (case for case in SHIPPED if case[0] == what):
        built = build(name, *case)
        _, result = walk_board(built, slip_rate=slip_rate, seed=f"{name}{case}")
        assert_recovered(built, result)


def shuffle_board(name, seed):
    """Return a board with turned lamps and its wires in random order."""
    rng = random.Random(f"{name}{seed}")
    built = build(name, "lamps", rng.randrange(8), rng.random() < 0.5, rng.choice(COLOUR_ORDERS))
    inputs = [answered for row in built.inputs for answered in row]
    rng.shuffle(inputs)
    size = built.profile.size
    return replace(built, inputs=[inputs[line * size : (line + 1) * size] for line in range(size)])


@pytest.mark.slow
@pytest.mark.parametrize("name", long_after_first(sorted(BOARDS, reverse=True)))
@pytest.mark.parametrize("slip_rate", long_after_first([0.05, 0]))
@pytest.mark.parametrize("orders", long_after_first([2, 150]))
def test_wires_soldered_in_any_order_are_recovered(name, slip_rate, orders):
    for seed in range(orders):
        built = shuffle_board(name, seed)
        _, result = walk_board(built, slip_rate=slip_rate, seed=seed)
        assert_recovered(built, result)


@pytest.mark.slow
@pytest.mark.parametrize("slip_rate", long_after_first([0.05, 0]))
def test_any_two_swapped_wires_are_found(slip_rate):
    rng = random.Random(slip_rate)
    for _ in range(10):
        built = build("pwm-4x4", "both", rng.randrange(8), True, "GRB")
        inputs = [answered for row in built.inputs for answered in row]
        one, other = rng.sample(range(16), 2)
        inputs[one], inputs[other] = inputs[other], inputs[one]
        built = replace(built, inputs=[inputs[line * 4 : line * 4 + 4] for line in range(4)])
        _, result = walk_board(built, slip_rate=slip_rate, seed=rng.random())
        assert_recovered(built, result)
        assert any(finding.kind == "exchanged" for finding in result.findings)


@pytest.mark.parametrize("name", long_after_first(["pwm-4x4", "matrix-5x5"]))
def test_map_step_works_without_a_screen(name):
    for case in (("both", 6, True, "RGB"), ("lamps", 1, False, "BGR"), ("sensors", 4, True, "GRB")):
        built = build(name, *case)
        _, result = walk_board(built, words=False)
        assert_recovered(built, result)


def test_board_as_drawn_changes_nothing():
    built = ActualBoard.as_drawn(load_profile("hall-5x5"))
    walker, result = walk_board(built)
    assert walker.touches == 25 + 7
    assert (result.changes, result.log_line) == ({}, "")
    assert [finding.grade for finding in result.findings] == ["good"]


def test_measured_rest_value_follows_its_wire():
    profile = load_profile("hall-5x5")
    wiring = profile.sensing.wiring
    rest = {cell: 500 + i for i, cell in enumerate(wiring.rest)}
    profile = replace(profile, sensing=replace(profile.sensing, wiring=replace(wiring, rest=rest)))
    drawn = ActualBoard.as_drawn(profile)
    built = replace(drawn, lamps=turn_drawing(drawn.lamps, 2), inputs=turn_drawing(drawn.inputs, 2))
    _, result = walk_board(built)
    learned = with_changes(profile, result.changes).sensing.wiring
    assert {learned.channels[cell]: learned.rest[cell] for cell in rest} == {
        wiring.channels[cell]: rest[cell] for cell in rest
    }


# Light


def begin(name="pwm-4x4", **person):
    return Walker(ActualBoard.as_drawn(load_profile(name)), **person)


def past_corners(name="pwm-4x4", **person):
    walker = begin(name, **person)
    walker.touch("a1")
    walker.touch(f"{get_grid(walker.built.profile.size).cells[-1][0]}1")
    return walker


def test_lamps_glow_until_both_corners_are_touched():
    walker = begin("simulated-5x5")
    assert walker.step.lit_lamps == dict.fromkeys(range(100), GLOW)  # strips stay dark
    assert walker.step.page.prompt == Message("map_touch.left_corner", cell="a1")
    walker.touch("a1")
    assert walker.step.lit_lamps == dict.fromkeys(range(100), GLOW)
    assert walker.step.page.prompt == Message("map_touch.right_corner", cell="e1")
    walker.touch("e1")
    assert walker.step.lit_lamps == {probe_lamps(walker.built.profile)[0]: PROBE}
    assert walker.step.page.prompt == Message("map_touch.lit")
    assert walker.step.page.step_progress == (2, 31)


@pytest.mark.parametrize(("cell", "winks"), [("a1", 1), ("d1", 2), ("a2", 3), ("b1", 4), ("c3", 5)])
def test_glowing_lamps_blink_the_cell_number(cell, winks):
    walker = begin()
    walker.step.learned = replace(walker.step.learned, question=cell)
    pictures = walker.watched(2.9)
    assert sum(not picture for picture in pictures) == winks


def test_hall_boards_ask_for_a_piece():
    walker = begin("hall-4x4")
    assert walker.step.page.prompt == Message("map_put.left_corner", cell="a1")
    walker = past_corners("hall-4x4")
    assert walker.step.page.prompt == Message("map_put.lit")
    while walker.step.stage != "colours":
        walker.touch(walker.wanted())
    assert walker.step.page.prompt == Message("colour.put.red")


def test_next_lamp_waits_for_the_release():
    walker = past_corners()
    walker.levels([12])
    walker.wait(0.02)
    assert walker.step.lit_lamps == {0: PROBE}
    walker.wait(0.02)
    assert walker.step.lit_lamps == {}
    walker.levels([])
    walker.wait(0.02)
    assert walker.step.lit_lamps == {}
    walker.wait(0.02)
    assert walker.step.lit_lamps == {1: PROBE}


def test_touch_needs_the_debounce_time_of_the_profile():
    walker = past_corners("hall-4x4")  # 60 ms
    walker.hold("a4", seconds=0.05)
    assert walker.step.touch_answers.answers.keys() == {"a1", "d1"}
    walker.hold("a4", seconds=0.07)
    assert 0 in walker.step.touch_answers.answers


def test_bouncing_contact_is_one_touch():
    walker = past_corners()
    for _ in range(8):
        for inputs in ([12], []):
            walker.levels(inputs)
            walker.wait(0.002)
    walker.hold("a4")
    for _ in range(8):
        for inputs in ([12], []):
            walker.levels(inputs)
            walker.wait(0.002)
    walker.wait(0.1)
    assert walker.step.touch_answers.answers == {"a1": (0,), "d1": (3,), 0: (12,)}
    assert walker.step.page.text == ()


def test_two_inputs_at_once_are_reported_and_ignored():
    walker = past_corners()
    walker.hold("b2", "c2")
    assert walker.step.page.text == (Message("map_walk.two.lit", cells=("b2", "c2")),)
    assert walker.step.lit_lamps == {0: PROBE}
    walker.hold("a4")
    assert walker.step.touch_answers.answers[0] == (12,)
    assert walker.step.page.text == ()


def test_sliding_finger_is_ignored():
    walker = past_corners()
    for inputs in ([12], [12, 13], [13], []):
        walker.levels(inputs)
        walker.wait(0.1)
    assert 0 not in walker.step.touch_answers.answers
    assert walker.step.page.text == (Message("map_walk.two.lit", cells=("a4", "b4")),)


def test_cell_without_an_answer_may_be_skipped():
    walker = past_corners()
    walker.wait(19.7)
    assert walker.step.page.text == ()
    walker.wait(0.4)
    assert walker.step.page.text == (Message("map_walk.nobody", seconds=20),)
    assert [choice.key for choice in walker.step.page.choices] == ["s", "a"]
    walker.put(StepReply("a", walker.at))
    assert walker.step.page.text == ()
    assert walker.step.lit_lamps == {0: PROBE}
    walker.put(StepReply("s", walker.at))
    assert walker.step.lit_lamps == {1: PROBE}


def test_dead_sensor_is_skipped_in_lamps_only_setup():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    walker = Walker(built, words=False, dead=[6])
    result = walker.walk()
    assert result.changes == {}
    assert [finding.message for finding in result.findings] == [Message("finding.skipped", cell="c2")]


@pytest.mark.slow
@pytest.mark.parametrize("dead", ["b3", "d1", "a2", "b2"])
def test_wiring_is_recovered_despite_a_dead_sensor(dead):
    built = build("pwm-4x4", "lamps", 5, False, "RGB")
    walker = Walker(built, words=False, dead=[built.input_under(dead)])
    if dead == "d1":
        walker.touch("a1")
        walker.put(StepReply("s", walker.at))  # a corner is never skipped by itself
    assert_recovered(built, walker.walk())


def test_corner_is_never_skipped():
    walker = begin()
    walker.wait(300)
    assert walker.step.page.prompt == Message("map_touch.left_corner", cell="a1")
    walker.put(StepReply("s", walker.at))
    assert walker.step.page.prompt == Message("map_touch.right_corner", cell="d1")


def test_skipped_corner_is_inferred_from_other_cells():
    built = build("pwm-4x4", "both", 1, True, "GRB")
    walker = Walker(built, dead=[built.input_under("a1")])
    walker.put(StepReply("s", walker.at))
    while walker.step.stage == "asking":
        if walker.built.seen(walker.step.lit_lamps).keys() == {"a1"}:
            walker.put(StepReply("s", walker.at))
        else:
            walker.touch(walker.wanted())
    walker.put(StepReply("s", walker.at))
    assert [walker.step.stage, walker.step.learned.sensors["a1"]] == ["consent", built.input_under("a1")]
    walker.put(StepReply("y", walker.at))
    assert_recovered(built, walker.step.result)


def test_stuck_input_is_named_and_ignored():
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    walker = Walker(built, stuck=[5])
    assert walker.step.page.text == (Message("map_walk.stuck", cells=("b2",), count=1),)
    assert len(walker.step.lit_lamps) == 16
    result = walker.walk()
    assert [(finding.kind, finding.cells) for finding in result.findings] == [
        ("skipped", ("b2",)),
        ("stuck on", ("b2",)),
    ]


def test_held_finger_is_ignored_after_a_while():
    walker = past_corners()
    walker.levels([5])
    walker.wait(9.5)
    assert walker.step.lit_lamps == {}
    walker.wait(1)
    assert walker.step.page.text == (Message("map_walk.stuck", cells=("b2",), count=1),)
    assert walker.step.lit_lamps == {0: PROBE}
    walker.levels([])
    walker.wait(0.2)
    assert 0 not in walker.step.touch_answers.answers
    walker.hold("b2")
    assert walker.step.touch_answers.answers[0] == (5,)


def test_flickering_input_is_named():
    walker = past_corners()
    for _ in range(20):
        for inputs in ([9], []):
            walker.levels(inputs)
            walker.wait(0.025)
    assert walker.step.page.text == (Message("map_walk.flickers", cells=("b3",), count=1),)
    assert 0 not in walker.step.touch_answers.answers
    walker.wait(1)
    walker.hold("a4")
    assert walker.step.touch_answers.answers[0] == (12,)


def test_input_that_answers_for_two_lamps_is_noted():
    walker = past_corners()
    walker.hold("a4")
    walker.hold("a4")
    assert walker.step.page.text == (Message("map_walk.answered_before", cell="a4"),)


def test_lost_sensors_pause_the_step():
    walker = past_corners()
    walker.levels([12])
    walker.put(HealthEvent(as_message("The sensors do not answer."), walker.at))
    assert (walker.step.lit_lamps, walker.step.due) == ({}, float("inf"))
    assert walker.step.page.text == (as_message("The sensors do not answer."),)
    assert walker.step.page.prompt == Message("map_walk.wait_for_sensors")
    walker.at += 5
    walker.put(StepTick(walker.at))
    walker.put(HealthEvent(None, walker.at))
    walker.wait(0.02)
    assert walker.step.lit_lamps == {0: PROBE}  # the touch has no known start
    walker.wait(0.2)
    walker.levels([])
    walker.wait(0.2)
    assert walker.step.touch_answers.answers[0] == (12,)


def test_undo_key_and_unknown_replies_change_nothing():
    step = begin().step
    before = step.page, step.touch_answers, step.since
    for event in (KeyEvent(True, 1.0), StepReply("x", 1.0), StepReply("b2", 1.0), StepReply("y", 1.0)):
        step.after(event)
        assert (step.page, step.touch_answers, step.since) == before


# Colours


def at_colours(built):
    walker = Walker(built)
    while walker.step.stage != "colours":
        walker.touch(walker.wanted())
    return walker


def test_three_cells_show_the_profile_colours():
    walker = at_colours(ActualBoard.as_drawn(load_profile("pwm-4x4")))
    assert sorted(walker.step.lit_lamps.values()) == [(0, 0, FULL), (0, FULL, 0), (FULL, 0, 0)]
    assert walker.seen == {"a2": ["red"], "b2": ["green"], "c2": ["blue"]}
    assert walker.step.page.prompt == Message("colour.touch.red")


@pytest.mark.parametrize("colours", COLOUR_ORDERS)
def test_colours_can_be_named_by_keys(colours):
    walker = at_colours(replace(ActualBoard.as_drawn(load_profile("pwm-4x4")), colours=colours))
    for n, colour in enumerate(("red", "green", "blue")):
        cell = next(cell for cell, shown in walker.seen.items() if shown == [colour])
        walker.put(StepReply(cell if n % 2 else str("abc".index(cell[0]) + 1), walker.at))
    walker.put(StepReply("y", walker.at))
    assert walker.step.result.changes.get("lamps.colours", "GRB") == colours


def test_cell_named_for_two_colours_restarts_naming():
    walker = at_colours(ActualBoard.as_drawn(load_profile("pwm-4x4")))
    walker.touch("b2")
    walker.touch("b2")
    twice = Message("colour.twice", cell="b2", first="red", second="green")
    assert walker.step.page.text == (twice,)
    assert walker.step.page.prompt == Message("colour.touch.red")
    assert walker.step.lit_lamps == {}  # a short darkness shows the restart without a screen
    walker.wait(1.0)
    assert len(walker.step.lit_lamps) == 3
    walker.levels([walker.built.input_under("b2")])  # the note stays during the next touch
    walker.wait(0.1)
    assert walker.step.page.text == (twice,)
    walker.levels([])
    walker.wait(0.2)
    assert walker.step.page.prompt == Message("colour.touch.green")
    walker.touch("d4")
    assert walker.step.page.text == (Message("colour.not_lit", cell="d4", cells=("a2", "b2", "c2")),)
    assert walker.step.page.prompt == Message("colour.touch.green")


def test_colour_question_may_be_skipped():
    walker = at_colours(replace(ActualBoard.as_drawn(load_profile("pwm-4x4")), colours="BRG"))
    walker.put(StepReply("s", walker.at))
    assert walker.walk().changes == {}
    walker, result = walk_board(ActualBoard.as_drawn(load_profile("neotrellis-4x4")))
    assert walker.touches == 16 + 4
    assert result.changes == {}


# Consent


def at_consent(built):
    walker = at_colours(built)
    while walker.step.stage != "consent":
        walker.touch(walker.wanted())
    return walker


def test_consent_uses_two_corners():
    walker = at_consent(build("pwm-4x4", "both", 1, True, "RGB"))
    pictures = walker.watched(2.0)
    assert pictures[0] == {"a1": ["white"], "d1": ["white"]}
    assert pictures[1] == {"a1": ["white"]}
    assert len(pictures) == 5


def test_stuck_corner_is_not_used_for_consent():
    walker = at_consent(build("pwm-4x4", "both", 1, True, "RGB"))
    walker.stuck = {walker.built.input_under("a1")}
    walker.levels([])
    walker.wait(11)
    assert prompt_messages(walker.step)[-1] == Message("map_consent.on_board", yes="b1", no="d1")
    walker.touch("b1")
    assert "lamps.cells" in walker.step.result.changes


def test_rejected_proposal_changes_nothing():
    walker = at_consent(build("pwm-4x4", "both", 1, True, "RGB"))
    walker.touch("d1")
    assert walker.step.page.text[0] == Message("map_consent.once_more", cell="d1")
    walker.touch("c3")
    assert walker.step.page.text[0] == Message("map_consent.choose", yes="a1", no="d1")
    walker.touch("d1")
    assert walker.step.result is None
    walker.touch("d1")
    assert (walker.step.result.changes, walker.step.result.log_line) == ({}, "")
    assert walker.step.lit_lamps == {}


@pytest.mark.parametrize("key", ["y", "n"])
def test_consent_can_be_given_by_keys(key):
    walker = at_consent(build("pwm-4x4", "both", 1, True, "RGB"))
    walker.put(StepReply(key, walker.at))
    result = walker.step.result
    assert set(result.changes) == ({"sensors.cells", "lamps.cells", "lamps.colours"} if key == "y" else set())
    assert [finding.kind for finding in result.findings] == ["turned", "colours"]
    assert walker.step.due == float("inf")
    assert walker.step.after(StepReply("y", 1e9)) == walker.step
    if key == "y":
        turned_board, colours = (text(finding.message).partition(".")[0] for finding in result.findings)
        assert result.log_line == f"map: {turned_board}; {colours}"


def test_old_and_new_drawing_are_side_by_side():
    drawn = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    inputs = [list(row) for row in drawn.inputs]
    inputs[1][1], inputs[1][2] = inputs[1][2], inputs[1][1]
    walker = at_consent(replace(drawn, inputs=inputs))
    exchanged = (Message("finding.exchanged", cells=("b3", "c3")),)
    assert walker.step.page.text == exchanged
    assert walker.step.page.drawing == (
        Message("drawing.sensors.both"),
        " 4 17 27 22     4  17  27  22",
        "23 24 25  8    23  25* 24*  8",
        " 5  6 13 19     5   6  13  19",
        "12 16 20 21    12  16  20  21",
    )
    walker.put(StepReply("l", walker.at))
    assert walker.step.page.drawing[:2] == (
        Message("drawing.lamps.both", colours="GRB"),
        " 0  1  2  3     0   1   2   3",
    )
    walker.put(StepReply("f", walker.at))
    assert (walker.step.page.drawing, walker.step.page.text) == ((), exchanged)


@pytest.mark.parametrize("name", [*BOARDS, "simulated-5x5"])
def test_every_page_fits_the_screen(name):
    built = shuffle_board(name, 4)
    walker = Walker(built)
    while walker.step.stage != "consent":
        assert_fits(walker.step.page)
        walker.touch(walker.wanted())
    for view in "slf":
        walker.put(StepReply(view, walker.at))
        assert_fits(walker.step.page)
        assert {"y", "n", "s", "l", "f", "r"} <= {choice.key for choice in walker.step.page.choices}
    walker.put(StepReply("y", walker.at))
    assert_fits(walker.step.page)
    assert walker.step.page.step_progress[0] == walker.step.page.step_progress[1]


def assert_fits(step_page):
    page = show_page(step_page)
    assert len(page.lines) <= 16
    assert max(map(len, page.lines), default=0) <= 78
    assert len(page.title) <= 78
    assert len(page.prompt) <= 2 * 78


def test_large_drawings_show_first_lamps_only():
    old = [[str(v * 20 + u) for u in range(20)] for v in range(20)]
    new = [list(row) for row in old]
    new[5][6] = "999"
    layout, lines = format_side_by_side(old, new, 4)
    assert layout == "both_first"
    assert lines[1].endswith("80   84*  88   92   96")
    assert sum(line.count("*") for line in lines) == 1


def test_wide_drawings_are_not_side_by_side():
    old = [[str(100 + v * 10 + u) for u in range(10)] for v in range(10)]
    layout, lines = format_side_by_side(old, old[::-1], 2)
    assert (layout, len(lines)) == ("proposed", 10)


def test_single_cell_can_be_repeated():
    walker = at_consent(ActualBoard.as_drawn(load_profile("pwm-4x4")))
    walker.put(StepReply("r", walker.at))
    assert walker.step.page.prompt == Message("map_walk.which_cell")
    walker.put(StepReply("b3", walker.at))
    assert walker.seen == {"b3": ["white"]}
    walker.touch("b3")
    assert walker.step.stage == "consent"
    walker.put(StepReply("a2", walker.at))  # it was also touched by name
    assert walker.seen == {"a2": ["white"]}
    walker.touch("a2")
    assert walker.step.page.prompt == Message("map_touch.cell", cell="a2", column=1, row=2)
    walker.touch("a2")
    assert walker.walk().changes == {}


def test_repeated_cells_undo_a_swap_by_fingers():
    walker = past_corners()
    swapped = {"b2": "c2", "c2": "b2"}
    while walker.step.stage == "asking":
        cell = walker.wanted()
        walker.touch(swapped.get(cell, cell) if isinstance(walker.step.learned.question, int) else cell)
    assert walker.step.learned.findings[0].message == Message("finding.exchanged", cells=("b2", "c2"))
    walker.put(StepReply("s", walker.at))
    for cell in ("b2", "c2"):
        walker.put(StepReply(cell, walker.at))
        while walker.step.stage == "asking":
            walker.touch(walker.wanted())
    assert walker.walk().changes == {}


def test_inexplicable_touches_change_nothing():
    walker = past_corners()
    while not walker.step.result:
        walker.hold("a1" if walker.step.learned.question == 5 else walker.wanted())
    assert walker.step.result.changes == {}
    assert walker.step.result.findings[0].grade == "fault"
    as_drawn = {"lamps": Message("lamps.as_drawn"), "sensors": Message("sensors.as_drawn")}
    problem = Message("answers.one_sensor", drawn="a1", cells=("a1", "c3"))
    assert walker.step.page.text == (
        Message("answers.best_fit_but", problem=problem, **as_drawn, cells=("a1", "c3"), count=2),
    )


def test_same_events_give_the_same_result():
    profile = load_profile("pwm-4x4")
    up, down = (0,) * 16, (1, *(0,) * 15)
    events = Sample(up, 5.0), Sample(down, 6.0), StepTick(7.0), Sample(up, 8.0), StepTick(9.0)
    one, other = WiringStep(profile, 5.0), WiringStep(profile, 5.0)
    for event in events:
        one.after(event)
    assert other.touch_answers.answers == {}
    for event in events:
        other.after(event)
    assert one.touch_answers.answers == other.touch_answers.answers == {"a1": (0,)}
    assert (one.page, one.lit_lamps, one.due) == (other.page, other.lit_lamps, other.due)


@pytest.mark.parametrize("rhythm", [0.3, 0.6])
def test_noisy_sensor_is_ignored(rhythm):
    built = ActualBoard.as_drawn(load_profile("pwm-4x4"))
    walker, restless = Walker(built), built.input_under("c3")
    while not walker.step.restless_inputs:  # no cell is touched
        assert walker.at < 20.0
        walker.levels([restless])
        walker.wait(rhythm / 2)
        walker.levels([])
        walker.wait(rhythm / 2)
    assert walker.step.page.text == (Message("map_walk.by_itself", cell="c3"),)
    assert walker.step.page.prompt == Message("map_touch.left_corner", cell="a1")  # its answers are dropped
    findings = walker.walk().findings
    assert [(each.kind, each.cells) for each in findings] == [("skipped", ("c3",)), ("flapping", ("c3",))]


TRIO = ("a2", "b2", "c2")


@pytest.mark.parametrize("taken", ["".join(order) for order in permutations("RGB")])
@pytest.mark.parametrize("drawn", ["RGB", "GRB", "BRG"])
def test_named_colours_give_the_order(drawn, taken):
    naming = ColourNaming(drawn)
    sent = {cell: drawn.index(colour) for colour, cell in zip("RGB", TRIO, strict=True)}
    looks = {taken[position]: cell for cell, position in sent.items()}
    assert naming.found_order is None
    for colour in "RGB":
        assert naming.name_cell(looks[colour], TRIO) is None
    assert naming.found_order == taken


def test_repeated_cell_restarts_the_naming():
    naming = ColourNaming("GRB")
    naming.name_cell("b2", TRIO)
    assert naming.wanted == "green"
    assert naming.name_cell("b2", TRIO) == Message("colour.twice", cell="b2", first="red", second="green")
    assert (naming.wanted, naming.named) == ("red", ())


def test_unlit_cell_is_reported_and_ignored():
    naming = ColourNaming("GRB")
    assert naming.name_cell("d4", TRIO) == Message("colour.not_lit", cell="d4", cells=TRIO)
    assert naming.wanted == "red"

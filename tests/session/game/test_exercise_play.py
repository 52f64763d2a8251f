"""Exercises in a session: tasks, mistakes, replies and the paused game."""

from dataclasses import replace

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, parse_variant
from pond_hw.session import (
    CellRole,
    ClockTick,
    Course,
    Exercise,
    ExerciseChoice,
    ExerciseStep,
    Goal,
    GoalKind,
    Session,
    UndoTurns,
    make_local_text,
)
from pond_hw.session import session_events as events
from pond_hw.session.game.exercise_run import PAUSE_SECONDS
from tests.session.tables import ButtonTable, PiecesTable, board_rows

POND = parse_variant("3x3/9/5")


def at(line):
    return Position.from_notation(line, POND)


def actions(*names):
    return tuple(map(Action.from_notation, names))


def as_text(word):
    return make_local_text({"en": word})


PLACE = Exercise(
    "place",
    as_text("Place"),
    Position.start(POND),
    (
        ExerciseStep(as_text("Place an egg on b2."), Goal(actions=actions("@b2")), lit_cells=("b2",)),
        ExerciseStep(
            as_text("And dark one on a1."), Goal(GoalKind.PLACE, actions("@a1")), praise=as_text("Well done.")
        ),
    ),
)
WITH_REPLY = Exercise(
    "answered",
    as_text("Answered"),
    Position.start(POND),
    (
        ExerciseStep(as_text("Place."), Goal(GoalKind.PLACE), replies=actions("@a2")),
        ExerciseStep(as_text("Move."), Goal(GoalKind.MOVE), praise=as_text("It moved.")),
        ExerciseStep(as_text("Score."), Goal(GoalKind.SCORE, least=2), position=at("E.E/.../... l 7 9 0 0")),
    ),
)


def begin(*exercises, table=None):
    table = table or ButtonTable("standard")
    table.session = replace(table.session, courses=(Course("lessons", lambda: exercises),))
    table.send(events.StartExercise, course_name="lessons")
    return table


def tick(table, seconds=PAUSE_SECONDS):
    table.time += seconds
    table.session = table.session.after(ClockTick(table.time))
    return table.session


def test_exercise_starts_with_its_position_and_task():
    session = begin(PLACE).session
    assert session.position == PLACE.position
    assert session.messages == (as_text("Place an egg on b2."),)
    assert session.view.cells["b2"].role is CellRole.HINT


def test_last_step_asks_how_to_continue():
    table = begin(PLACE)
    assert table.press("b2").messages[-1] == as_text("And dark one on a1.")
    table.press("a1")
    session = tick(table)
    assert session.game_phase == "exercise"
    assert session.courses[0].done_names == {"place"}
    assert session.messages == (as_text("Well done."), Message("exercise.done.buttons"))


def test_answer_lights_up_after_second_mistake():
    table = begin(PLACE)
    table.press("b2")
    session = table.press("c3")
    assert board_rows(session.position) == ".../.E./..."
    assert session.messages == (Message("exercise.mistake"), as_text("And dark one on a1."))
    assert session.refusal.cell == "c3"
    assert session.view.cells["a1"].role is CellRole.OPEN
    session = table.press("c1")
    assert session.view.cells["a1"].role is CellRole.HINT
    assert session.messages == (Message("exercise.mistake"), Message("exercise.look"), as_text("And dark one on a1."))


def test_reply_comes_after_a_pause():
    table = begin(WITH_REPLY)
    table.press("b2")
    assert table.press("c3").messages == (Message("exercise.wait"),)
    session = tick(table)
    assert board_rows(session.position) == ".../eT./..."
    assert session.messages[-1] == as_text("Move.")
    assert session.position.to_move is WITH_REPLY.position.to_move


def test_next_step_position_appears_after_a_pause():
    table = begin(WITH_REPLY)
    table.press("b2")
    tick(table)
    assert table.press("b2", "b3").messages[-1] == as_text("It moved.")
    session = tick(table)
    assert board_rows(session.position) == "E.E/.../..."
    assert session.messages == (as_text("It moved."), as_text("Score."))


@pytest.mark.parametrize("count", [1, 2, 9])
def test_undo_in_exercise_goes_back_to_learners_turn(count):
    table = begin(WITH_REPLY)
    table.press("b2")
    tick(table)
    session = table.send(UndoTurns, turn_count=count)
    assert session.position == WITH_REPLY.position
    assert session.exercise.step_index == 0


def test_exercise_pauses_game_and_is_not_recorded():
    table = ButtonTable("standard")
    table.press("a1", "c3")
    before = table.session
    session = begin(PLACE, WITH_REPLY, table=table).session
    assert session.game_events == ()
    assert table.press("b2").game_events == ()
    session = table.send(events.ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert (session.turns, session.variant, session.exercise) == (before.turns, before.variant, None)
    assert session.game_events == ()


@pytest.mark.parametrize(("cell", "name"), [("a1", "answered"), ("b1", "place"), ("c1", None)])
def test_pressed_cell_chooses_how_to_continue(cell, name):
    table = begin(PLACE, WITH_REPLY)
    table.press("b2", "a1")
    tick(table)
    assert {cell: table.session.view.cells[cell].role for cell in ("a1", "b1", "c1")} == {
        "a1": CellRole.DEFAULT_CHOICE,
        "b1": CellRole.CHOICE,
        "c1": CellRole.TAKE_OFF,
    }
    session = table.press(cell)
    assert (session.exercise and session.exercise.exercise.name) == name


def test_new_game_ends_exercise_and_paused_game():
    table = ButtonTable("standard")
    table.press("a1")
    begin(PLACE, table=table)
    session = table.send(events.NewGame, variant=parse_variant("mini"))
    assert (session.exercise, session.variant.name) == (None, "mini")
    assert [type(event).__name__ for event in session.game_events] == ["GameLeft", "GameStarted"]


def test_resignation_is_refused_in_exercise():
    table = begin(PLACE)
    assert table.send(events.ResignGame).messages == (Message("exercise.no_end"), as_text("Place an egg on b2."))
    assert table.session.outcome is None


def test_hint_lights_the_step_answer():
    table = begin(PLACE)
    table.press("b2")
    session = table.send(events.AskHint)
    assert session.view.cells["a1"].role is CellRole.HINT
    assert session.hint is None


def test_lamps_guide_set_up_of_exercise_position():
    """The lamps ask for Light's egg, and then for Dark's on a1. The player puts Dark's egg on c3 instead.

    3 . . .
    2 . E .
    1 . . .
    """
    start = at(".../.E./... d 8 9 0 0")
    step = ExerciseStep(as_text("Place."), Goal(actions=actions("@a1")), reveal_after=1)
    session = PiecesTable.at(Position.start(parse_variant("standard"))).session
    lessons = (Exercise("one", as_text("One"), start, (step,)),)
    session = replace(session, courses=(Course("lessons", lambda: lessons),))
    table = PiecesTable(session, 1.0).after(events.StartExercise("lessons", 1.0)).wait(1)
    assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["b2"])
    assert table.messages[0] == Message("exercise.set_up")
    table.drop("b2").wait(1)
    assert table.messages == (as_text("Place."),)
    table.drop("c3").wait(1)
    assert table.shown(CellRole.TAKE_OFF) == ["c3"]
    assert table.messages == (Message("exercise.mistake"), Message("repair.take_off", cell="c3"))
    table.lift("c3").wait(1)
    assert table.messages == (Message("exercise.mistake"), Message("exercise.look"), as_text("Place."))
    assert table.shown(CellRole.HINT) == ["a1"]
    table.drop("a1").wait(PAUSE_SECONDS + 1)
    assert table.phase == "exercise"
    table.drop("c1").wait(1).lift("c1").wait(1)
    assert table.session.exercise is None


def test_exercise_too_large_for_board_is_refused():
    table = begin(PLACE)
    small = Session.start_game(POND)
    large = replace(PLACE, position=Position.start(parse_variant("mini")))
    session = replace(small, courses=(Course("lessons", lambda: (large,)),))
    assert session.after(events.StartExercise("lessons", 1.0)).messages[0].id == "variant.does_not_fit"
    assert table.session.exercise


def test_lit_cell_overrides_selected_piece():
    """The selected tadpole cannot go to c3, the lit cell."""
    start = at(".../T../... l 8 9 0 0")
    step = ExerciseStep(as_text("Place."), Goal(actions=actions("@c3")), lit_cells=("c3",))
    table = begin(Exercise("one", as_text("One"), start, (step,)))
    assert table.press("a2").selected_cell == "a2"
    assert [str(turn.action) for turn in table.press("c3").turns] == ["@c3"]


def test_interrupted_exercise_is_resumed_where_it_was():
    table = begin(PLACE)
    table.press("b2")
    tick(table)
    before = table.session
    assert table.send(events.PauseExercise).game_phase == "exercise"
    resumed = table.send(events.ChooseExercise, choice=ExerciseChoice.RESUME)
    assert (resumed.exercise.step_index, resumed.position, resumed.game_phase) == (1, before.position, "act")
    assert resumed.messages[-1] == as_text("And dark one on a1.")


def test_finished_exercise_is_not_resumed():
    table = begin(PLACE)
    table.press("b2")
    tick(table)
    table.press("a1")
    tick(table)
    session = table.send(events.ChooseExercise, choice=ExerciseChoice.RESUME)
    assert (session.game_phase, session.refusal is not None) == ("exercise", True)

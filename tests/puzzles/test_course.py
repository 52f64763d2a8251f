"""Puzzles in a session: tasks, mistakes, and the stubborn engine's replies."""

from dataclasses import replace
from datetime import date
from math import inf
from queue import Queue

import pytest

from pond_hw.board import Touch
from pond_hw.companion.program_players import ExerciseOpponent
from pond_hw.companion.saved_state import ProgressWriter
from pond_hw.engine import STUBBORN, make_player, make_simulated_player
from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import pack_action, pack_position
from pond_hw.engine.prover import Prover, StubbornEngine
from pond_hw.exercises import ProgressFile, load_lessons
from pond_hw.messages.message import Message
from pond_hw.puzzles.course import NEWCOMER_PUZZLES, PUZZLES_COURSE, make_course, make_exercise
from pond_hw.puzzles.daily_puzzle import daily_puzzle
from pond_hw.puzzles.puzzle import PuzzleKind, choose_puzzles, load_puzzles
from pond_hw.puzzles.solving import PuzzleAttempt
from pond_hw.rules import STANDARD, Action, Record, find_outcome, legal_actions, play
from pond_hw.server.protocol import record_message, state_message
from pond_hw.server.view_from_json import parse_view
from pond_hw.session import ClockTick, Course, ExerciseChoice, Session, TakeAction
from pond_hw.session import session_events as events
from pond_hw.session.game.exercise import DAILY
from pond_hw.session.game.exercise_run import PAUSE_SECONDS
from tests.messages.says import ids
from tests.session.tables import ButtonTable

DAY = date(2026, 11, 27)


def begin(puzzle):
    table, puzzles = ButtonTable("standard"), (make_exercise(puzzle),)
    table.session = replace(table.session, courses=(Course(PUZZLES_COURSE, lambda: puzzles),))
    table.send(events.StartExercise, course_name=PUZZLES_COURSE)
    return table


def act(table, action):
    return table.send(TakeAction, action=action)


def stubborn_answer(session):
    answers = []
    make_simulated_player(STUBBORN, 1).request_action(session.record, answers.append)
    return answers[0]


def first_of(kind, actions):
    return next(puzzle for puzzle in choose_puzzles(kind, size=4) if puzzle.actions == actions)


def first_refuted(kind, size=4):
    """Return a puzzle of a kind, a wrong action that has a refutation, and the refutation."""
    puzzle = next(puzzle for puzzle in choose_puzzles(kind, size=size) if puzzle.refutations)
    wrong, answer = map(Action.from_notation, puzzle.refutations.split()[0].split(":"))
    return puzzle, wrong, answer


def pass_time(table):
    """Let time pass until the session's next event is due."""
    assert table.session.next_due == table.time + PAUSE_SECONDS
    table.time = table.session.next_due
    table.session = table.session.after(ClockTick(table.time))
    return table.session


@pytest.mark.parametrize("kind", [PuzzleKind.WIN, PuzzleKind.SAVE, PuzzleKind.ONLY])
def test_refutation_is_shown_and_taken_back(kind):
    puzzle, wrong, answer = first_refuted(kind)
    table = begin(puzzle)
    session = act(table, wrong)
    expected = Message(f"puzzle.mistake.{kind}"), Message("puzzle.answers", action=str(answer))
    assert (session.turns[-1].action, session.messages[-2:]) == (wrong, expected)
    assert session.view.scene.played_turn == session.turns[-1], "the lamps play it out"
    session = pass_time(table)
    assert [turn.action for turn in session.turns] == [wrong, answer]
    assert (session.messages[-2:], session.view.scene.played_turn) == (expected, session.turns[-1])
    session = pass_time(table)
    assert (session.position, session.turns) == (puzzle.position, ())
    assert session.messages == (*expected, puzzle.task)
    assert session.refusal.cell == wrong.target
    assert session.next_due == inf
    act(table, puzzle.answer)
    assert "puzzle.answers" not in ids(table.session.messages)


@pytest.mark.parametrize("seconds", [0.0, PAUSE_SECONDS])
def test_events_during_refutation_are_refused(seconds):
    puzzle, wrong, answer = first_refuted(PuzzleKind.SAVE)
    table = begin(puzzle)
    act(table, wrong)
    if seconds:
        pass_time(table)
    turns = table.session.turns
    for event, fields in (
        (TakeAction, {"action": answer}),
        (TakeAction, {"action": puzzle.answer}),
        (Touch, {"cell": "a1", "down": True}),
        (events.AskHint, {}),
        (events.RedoTurns, {}),
    ):
        session = table.send(event, **fields)
        assert (session.turns, session.hint, session.exercise.is_revealed) == (turns, None, False)
        assert session.refusal
    session = table.send(events.UndoTurns)
    assert (session.position, session.exercise.mistake_count) == (puzzle.position, 1), "but it may be taken back"
    assert session.next_due == inf


def test_engine_is_not_asked_for_known_refutation():
    puzzle, wrong, _ = first_refuted(PuzzleKind.WIN)
    table = begin(puzzle)
    opponent = ExerciseOpponent(make_simulated_player)
    assert any(opponent.find_players(table.session.exercise)), "the stubborn engine answers right actions"
    session = act(table, wrong)
    assert opponent.find_players(session.exercise) == (None, None)
    opponent.close()


def test_wrong_action_without_refutation_is_undone_immediately():
    puzzle = first_of(PuzzleKind.WIN, 1)
    table = begin(puzzle)
    wrong = next(action for action in legal_actions(puzzle.position) if action != puzzle.answer)
    session = act(table, wrong)
    assert (session.position, session.messages) == (puzzle.position, (Message("puzzle.mistake.win"), puzzle.task))


def test_state_message_contains_refutation():
    puzzle, wrong, _ = first_refuted(PuzzleKind.SAVE)
    table = begin(puzzle)
    view = act(table, wrong).view
    state = state_message(view, table.time)
    assert state["exercise"]["refuting"] is True
    assert parse_view(record_message(view, table.time), state).exercise.is_refuting


@pytest.mark.parametrize("kind", list(PuzzleKind))
def test_puzzle_leads_from_task_to_solution(kind):
    puzzle = next(
        puzzle for puzzle in choose_puzzles(kind, size=4) if kind is not PuzzleKind.WIN or puzzle.actions == 1
    )
    table = begin(puzzle)
    assert table.session.position == puzzle.position
    assert table.session.messages[-1] == puzzle.task
    wrong = next(
        action
        for action in legal_actions(puzzle.position)
        if action != puzzle.answer and not find_outcome(play(puzzle.position, action).after)
    )
    act(table, wrong)
    while table.session.next_due < inf:
        pass_time(table)
    session = table.session
    assert session.position == puzzle.position
    assert (session.messages[0], session.messages[-1]) == (Message(f"puzzle.mistake.{kind}"), puzzle.task)
    act(table, puzzle.answer)
    session = table.session.after(ClockTick(table.time + PAUSE_SECONDS))
    assert Message("puzzle.done") in session.messages
    assert session.courses[0].done_names == {str(puzzle.number)}


@pytest.mark.parametrize("actions", [2, 3])
def test_longer_win_accepts_any_win_in_time(actions):
    puzzle = first_of(PuzzleKind.WIN, actions)
    table = begin(puzzle)
    session = act(table, puzzle.answer)
    assert session.exercise.exercise.opponent == STUBBORN
    assert session.messages[-1] == Message("puzzle.rest", count=actions - 1)
    for left in range(actions - 1, 0, -1):
        session = act(table, stubborn_answer(table.session))
        rest = first_win(session.position, left)
        session = act(table, rest)
    session = session.after(ClockTick(table.time + PAUSE_SECONDS))
    assert session.courses[0].done_names == {str(puzzle.number)}


def first_win(position, left):
    prover, packed = Prover(position.variant), pack_position(position)
    return next(
        action
        for action in legal_actions(position)
        if prover.must_lose(prover.rules.play_action(packed, pack_action(action, position.variant)), left - 1)
    )


def test_slow_win_restarts_after_first_action():
    puzzle = first_of(PuzzleKind.WIN, 2)
    table = begin(puzzle)
    act(table, puzzle.answer)
    act(table, stubborn_answer(table.session))
    position = table.session.position
    slow = next(action for action in legal_actions(position) if not find_outcome(play(position, action).after))
    session = act(table, slow)
    assert Message("puzzle.mistake.win") in session.messages
    assert session.courses[0].done_names == frozenset()


def test_reply_that_ends_game_solves_puzzle():
    for puzzle in choose_puzzles(PuzzleKind.WIN, size=4):
        after = play(puzzle.position, puzzle.answer).after
        ends = [find_outcome(play(after, action).after) for action in legal_actions(after)]
        if ends and all(ends):
            break
    else:
        pytest.fail("this puzzle no longer exists: choose another")
    table = begin(puzzle)
    act(table, puzzle.answer)
    session = act(table, stubborn_answer(table.session))
    session = session.after(ClockTick(table.time + PAUSE_SECONDS))
    assert "puzzle.done" in ids(session.messages)
    attempt = PuzzleAttempt(puzzle)
    assert attempt.play(puzzle.answer).is_solved
    assert attempt.is_solved


SOLVED = [str(puzzle.number) for puzzle in load_puzzles() if puzzle.grade == 3][-NEWCOMER_PUZZLES:]


def test_newcomers_get_easy_puzzles_before_daily_puzzle():
    by_name = {str(puzzle.number): puzzle for puzzle in load_puzzles()}
    for solved in ((), SOLVED[:-1]):
        first = make_course(4, DAY, solved).exercises[:4]
        assert [by_name[each.name].grade for each in first[:3]] == [1, 1, 1]
        assert [each.is_daily for each in first] == [False, False, False, True]


def test_easy_puzzle_follows_last_lesson():
    lessons, puzzles = load_lessons(None).course, make_course(4, DAY)
    table = ButtonTable("standard")
    table.session = replace(table.session, courses=(lessons, puzzles))
    table.send(events.StartExercise, course_name="lessons", name="hint")
    assert table.session.view.exercise.is_last is False
    view = table.send(events.StartExercise, course_name="lessons", name="game").view
    assert (view.exercise.following, view.exercise.is_last) == (puzzles.exercises[0].title, True)
    table.send(events.PauseExercise)
    run = table.send(events.ChooseExercise, choice=ExerciseChoice.NEXT).exercise
    assert (run.course_name, run.exercise) == ("puzzles", puzzles.exercises[0])


def test_course_begins_with_daily_puzzle_and_each_grade():
    daily = daily_puzzle(DAY)
    course = make_course(4, DAY, SOLVED)
    assert course.next_exercise.name == str(daily.number)
    assert course.next_exercise.title.id == "puzzle.title_daily"
    by_name = {str(puzzle.number): puzzle for puzzle in load_puzzles()}
    grades = [by_name[exercise.name].grade for exercise in course.exercises[1:16]]
    assert grades == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3 + [5] * 3
    assert len(course.exercises) == len({exercise.name for exercise in course.exercises})
    assert {by_name[exercise.name].variant.size for exercise in course.exercises} == {3, 4}
    assert len(make_course(5, DAY).exercises) == len(load_puzzles())


def test_solved_puzzles_leave_the_menu():
    before = make_course(4, DAY, SOLVED)
    done = [exercise.name for exercise in before.exercises[:16]]
    after = make_course(4, DAY, done)
    assert after.exercises[0].name == done[0]
    assert not {exercise.name for exercise in after.exercises[1:16]} & set(done)
    assert len(after.exercises) == len(before.exercises)
    assert after.next_exercise is after.exercises[1]


def test_daily_puzzle_changes_at_midnight(monkeypatch):
    class Today(date):
        day_of_month = 27

        @classmethod
        def today(cls):
            return cls(2026, 11, cls.day_of_month)

    monkeypatch.setattr("pond_hw.companion.saved_state.date", Today)
    session = replace(Session.start_game(STANDARD), courses=(make_course(4, DAY, {"1"}),))
    progress = ProgressWriter(ProgressFile(None), session.courses)
    assert list(progress.follow_session(session, 0.0)) == []
    Today.day_of_month = 28
    (change,) = progress.follow_session(session, 1.0)
    session = session.after(change)
    assert session.courses[0].find_exercise(DAILY).name == str(daily_puzzle(date(2026, 11, 28)).number)
    assert session.courses[0].done_names == {"1"}
    assert list(progress.follow_session(session, 2.0)) == []


def test_stubborn_engine_wins_or_replies():
    engine = make_engine(STUBBORN)
    assert isinstance(engine, StubbornEngine)
    puzzle = first_of(PuzzleKind.WIN, 1)
    game = Record(puzzle.variant, custom_start=puzzle.position)
    answers = []
    make_simulated_player(STUBBORN, 1).request_action(game, answers.append)
    assert answers == [puzzle.answer]
    start = EngineGame.from_record(ButtonTable("standard").session.record)
    action = engine.choose_action(start, None, bool)
    assert action in start.rules.legal_actions(start.position)


@pytest.mark.slow
def test_stubborn_engine_runs_in_its_own_process():
    puzzle = first_of(PuzzleKind.WIN, 3)
    table = begin(puzzle)
    session = act(table, puzzle.answer)
    answers, player = Queue(), make_player(STUBBORN, 1)
    try:
        player.request_action(session.record, answers.put)
        assert answers.get(timeout=60) == stubborn_answer(session)
    finally:
        player.close()

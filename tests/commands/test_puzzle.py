"""Tests of `pond puzzle` in line mode."""

import io
import json

import pytest

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.puzzles.puzzle import PuzzleKind, choose_puzzles, load_puzzles
from pond_hw.rules import Side, find_outcome, legal_actions, play
from tests.messages.says import assert_refused, text


@pytest.fixture
def run_puzzle(monkeypatch, pond, tmp_path):
    """Function that enters lines in `pond puzzle` and returns its output."""

    def run(*lines, arguments=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code, out, err = pond("puzzle", *arguments, "--journal", tmp_path, "--language", "en")
        assert (code, err) == (0, "")
        return out

    return run


def first_of(kind, actions=1):
    return next(puzzle for puzzle in choose_puzzles(kind) if puzzle.actions == actions)


def test_next_unsolved_puzzle_is_shown(run_puzzle):
    first, second = load_puzzles()[:2]
    out = run_puzzle(first.answer)
    assert text(first.title) in out
    assert text(first.task) in out
    assert text(Message("puzzle.ask")) in out
    assert text(Message("puzzle.done")) in out
    assert text(Message("puzzle.progress", solved=1, total=len(load_puzzles()))) in out
    assert text(second.title) in run_puzzle()


def test_wrong_action_can_be_retried(run_puzzle):
    puzzle = first_of(PuzzleKind.SAVE)
    wrong = next(action for action in legal_actions(puzzle.position) if action != puzzle.answer)
    out = run_puzzle(wrong, "?", puzzle.answer, arguments=[puzzle.number])
    after = out.split(text(Message("puzzle.mistake.save")))[1]
    assert text(Message("puzzle.answer", action=str(puzzle.answer))) in after
    assert text(Message("puzzle.done")) in after


def test_opponent_replies_in_a_longer_win(run_puzzle):
    puzzle = first_of(PuzzleKind.WIN, 2)
    out = run_puzzle(puzzle.answer, arguments=[puzzle.number])
    assert text(Message("puzzle.rest", count=1)) in out
    assert text(Message("puzzle.done")) not in out
    reply = next(
        action
        for action in legal_actions(play(puzzle.position, puzzle.answer).after)
        if text(Message("puzzle.answers", action=str(action))) in out
    )
    position = play(play(puzzle.position, puzzle.answer).after, reply).after
    last = next(
        action
        for action in legal_actions(position)
        if (end := find_outcome(play(position, action).after)) and end.winner is puzzle.side
    )
    assert text(Message("puzzle.done")) in run_puzzle(puzzle.answer, last, arguments=[puzzle.number])
    assert text(Message("puzzle.done")) in run_puzzle(puzzle.answer, "?", last, arguments=[puzzle.number])


def test_invalid_input_is_ignored(run_puzzle):
    puzzle = load_puzzles()[0]
    out = run_puzzle("b9", "zz", "a1a1", puzzle.answer, arguments=[1])
    assert text(Message("puzzle.done")) in out


def test_quitting_saves_nothing(run_puzzle, tmp_path):
    run_puzzle("", arguments=["--daily"])
    run_puzzle()
    assert not list(tmp_path.iterdir())


def test_solved_puzzles_are_saved_beside_lessons(run_puzzle, tmp_path):
    (tmp_path / "exercises.json").write_text(json.dumps({"form": 1, "done": {"lessons": ["place"]}}))
    puzzle = first_of(PuzzleKind.SAVE)
    run_puzzle(puzzle.answer, arguments=[puzzle.number])
    saved = json.loads((tmp_path / "exercises.json").read_text())
    assert saved["done"]["lessons"] == ["place"]
    assert saved["done"]["puzzles"] == [str(puzzle.number)]


def test_kind_and_grade_can_be_chosen(run_puzzle):
    puzzle = choose_puzzles(PuzzleKind.SAVE, 3)[0]
    assert text(puzzle.title) in run_puzzle(arguments=["--kind", "save", "--grade", 3])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["9999"], Message("puzzle.no_number", number=9999, last=len(load_puzzles()))),
        (["3", "--daily"], Message("puzzle.two_choices", first="NUMBER", second="--daily")),
        (["--daily", "--kind", "win"], Message("puzzle.two_choices", first="--daily", second="--kind")),
        (["--kind", "score", "--grade", "5"], Message("puzzle.none_like_this")),
    ],
)
def test_missing_puzzle_is_refused(pond, arguments, reason):
    assert_refused(pond("puzzle", *arguments, "--unsaved"), reason)


def test_show_prints_only_the_puzzle(pond):
    code, out, _ = pond("puzzle", "1", "--show", "--unsaved", "--language", "en")
    assert code == 0
    assert text(load_puzzles()[0].task) in out
    assert text(Message("puzzle.ask")) not in out


@pytest.mark.parametrize("language", ["en", "de", "fr", "nl"])
def test_piece_counts_are_translated(pond, language):
    position = load_puzzles()[0].position
    _, out, _ = pond("puzzle", "1", "--show", "--unsaved", "--language", language)
    for side in Side:
        counts = {"scored": position.scored[side], "spawn": position.spawn[side]}
        assert get_catalogue(language).text(Message("drawn.pieces", side=str(side), **counts)) in out
    assert "in the spawn" not in out

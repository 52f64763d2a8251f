"""Tests of finding, grading and choosing puzzles."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from pond_hw.engine.packed import pack_position
from pond_hw.puzzles.puzzle import PUZZLES_FILE, puzzle_from_json
from pond_hw.rules import Position, parse_variant
from tests.puzzles.rules_proof import explain_flaw
from tools import puzzle_choice
from tools.puzzle_choice import choose_puzzles, grade_puzzle, measure_levels
from tools.puzzle_finder import canonical_position, find_puzzles

POND = parse_variant("3x3/4/3")
DOCS = Path(__file__).parents[2] / "docs"


@cache
def find_in_games(game_count):
    return list(find_puzzles(POND, "test", game_count))


def to_puzzle(fields):
    return puzzle_from_json(fields | {"number": 1, "grade": 1, "levels": []})


@pytest.mark.slow
def test_same_seed_finds_the_same_valid_puzzles():
    puzzles = find_in_games(2)
    assert len(puzzles) >= 3
    assert list(find_puzzles(POND, "test", 2)) == puzzles
    assert [explain_flaw(to_puzzle(puzzle)) for puzzle in puzzles] == [""] * len(puzzles)


@pytest.mark.slow
def test_sharp_option_and_other_seed_change_puzzles():
    sharp = list(find_puzzles(POND, "test", 60, sharp=True))
    assert {puzzle["kind"] for puzzle in sharp} == {"only"}
    assert [explain_flaw(to_puzzle(puzzle)) for puzzle in sharp] == [""] * len(sharp)
    others = list(find_puzzles(POND, "other", 4))
    assert {puzzle["position"] for puzzle in others} != {puzzle["position"] for puzzle in find_in_games(2)}


def test_symmetric_positions_have_the_same_canonical_position():
    lines = ("e../.E./..T l 2 3 0 0", "..e/.E./T.. l 2 3 0 0", "..E/.e./t.. d 3 2 0 0", "T../.E./..e l 2 3 0 0")
    canonical_positions = {canonical_position(pack_position(Position.from_notation(line, POND)), 3) for line in lines}
    assert len(canonical_positions) == 1
    other = pack_position(Position.from_notation("e../.E./..F l 2 3 0 0", POND))
    assert canonical_position(other, 3) not in canonical_positions


def test_grade_grows_with_depth_and_tempting_actions():
    assert [grade_puzzle(depth, 3) for depth in (1, 2, 3, 4, 5, 6, 9)] == [2, 2, 3, 4, 4, 5, 5]
    assert {grade_puzzle(depth, 0) for depth in (1, 2, 3, 4, 5, 6, 9)} == {1}


@pytest.mark.slow
def test_at_most_two_puzzles_per_game_are_chosen(monkeypatch):
    chosen = choose_puzzles(list(find_in_games(2)))
    assert max(Counter(puzzle["game"] for puzzle in chosen).values()) <= 2
    assert [puzzle["grade"] for puzzle in chosen] == sorted(puzzle["grade"] for puzzle in chosen)
    assert choose_puzzles(list(find_in_games(2))) == chosen
    monkeypatch.setattr(puzzle_choice, "MAX_PER_GRADE", 0)
    assert choose_puzzles(list(find_in_games(2))) == []


def test_measured_levels_are_reproducible(monkeypatch):
    monkeypatch.setattr(puzzle_choice, "TRIES", (4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1))
    puzzle = find_in_games(2)[0]
    shares = measure_levels(puzzle)
    assert len(shares) == 12
    assert measure_levels(puzzle) == shares


@pytest.mark.long
def test_shipped_level_shares_are_current():
    for line in PUZZLES_FILE.read_text(encoding="utf-8").splitlines()[::40]:
        puzzle = json.loads(line)
        assert measure_levels(puzzle) == puzzle["levels"]


@pytest.mark.slow
def test_main_writes_the_chosen_puzzles(monkeypatch, tmp_path):
    monkeypatch.setattr(puzzle_choice, "TRIES", (1,) * 12)
    found, out = tmp_path / "found.jsonl", tmp_path / "out.jsonl"
    found.write_text("".join(json.dumps(puzzle) + "\n" for puzzle in find_in_games(2)))
    monkeypatch.setattr("sys.argv", ["puzzle_choice", str(found), "--out", str(out)])
    puzzle_choice.main()
    chosen = [json.loads(line) for line in out.read_text().splitlines()]
    assert [puzzle["number"] for puzzle in chosen] == list(range(1, len(chosen) + 1))
    assert all(len(puzzle_from_json(puzzle).levels) == 12 for puzzle in chosen)
    assert "game" not in chosen[0]
    assert any(puzzle["refutations"] for puzzle in chosen)
    forgotten = [puzzle | {"levels": []} for puzzle in chosen]
    out.write_text("".join(json.dumps(puzzle) + "\n" for puzzle in forgotten))
    monkeypatch.setattr("sys.argv", ["puzzle_choice", str(out), "--measure"])
    puzzle_choice.main()
    assert [json.loads(line) for line in out.read_text().splitlines()] == chosen

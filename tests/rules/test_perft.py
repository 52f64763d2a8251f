"""Counts of action sequences, and results of whole games.

The numbers come from three engines that were written independently of this one (see reference/perft.json).
"""

import json
from pathlib import Path

import pytest

from pond_hw.rules import VARIANTS, Action, EndReason, Outcome, Position, Side, find_outcome, parse_variant, play
from tests.conftest import each
from tests.rules.positions import perft

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "perft.json").read_text(encoding="utf-8"))


def test_every_named_pond_has_reference_counts():
    assert set(REFERENCE["start"]) == set(VARIANTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_perft_of_first_four_actions_matches_reference(name):
    start = Position.start(parse_variant(name))
    assert [perft(start, depth) for depth in (1, 2, 3, 4)] == REFERENCE["start"][name][:4]


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_perft_of_start_positions_matches_reference(name):
    pond = parse_variant(name)
    depth = 6 if pond.size == 4 else 5
    assert perft(Position.start(pond), depth) == REFERENCE["start"][name][depth - 1]


@pytest.mark.slow
@each("reference", REFERENCE["positions"])
def test_perft_of_midgame_positions_matches_reference(reference):
    position = Position.from_notation(reference["position"], parse_variant(reference["variant"]))
    assert [perft(position, depth) for depth in (1, 2, 3)] == reference["perft"][:3]


@pytest.mark.slow
@pytest.mark.parametrize("positions", [slice(0, None, 10), pytest.param(slice(None), marks=pytest.mark.long)], ids=str)
def test_perft_of_listed_positions_matches_reference(positions):
    for reference in REFERENCE["positions"][positions]:
        position = Position.from_notation(reference["position"], parse_variant(reference["variant"]))
        assert perft(position, 4) == reference["perft"][3], f"{reference['variant']} {reference['position']}"


@each("reference", REFERENCE["games"])
def test_whole_game_matches_reference(reference):
    position = Position.start(parse_variant(reference["variant"]))
    for text in reference["actions"].split():
        assert find_outcome(position) is None
        position = play(position, Action.from_notation(text)).after
    assert position.notation_line == reference["final"]
    assert position.scored == (reference["light"], reference["dark"])
    winner = None if reference["result"] == "draw" else Side[reference["result"].upper()]
    assert find_outcome(position) == Outcome(winner, EndReason(reference["reason"]))


def test_depth_zero_counts_one_and_finished_games_none():
    over = Position.from_notation("f.t./..../..F./T.Ee l 0 0 10 10")
    assert [perft(over, depth) for depth in (0, 1, 2)] == [1, 0, 0]

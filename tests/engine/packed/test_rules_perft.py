"""The kernel's counts match those of `rules` and of three independent engines (reference/perft.json)."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from pond_hw.engine import packed
from pond_hw.engine.packed import MAX_WORD, pack_position
from pond_hw.rules import VARIANTS, Position, legal_actions, parse_variant, play
from tests.rules.positions import perft, positions

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "perft.json").read_text(encoding="utf-8"))


def rules_of(turns, pond):
    return turns.PackedRules(pond.size, pond.target)


def is_compiled(turns):
    return not turns.__file__.endswith(".py")


def seen(position, depth):
    """Return what `count_played` should return according to `rules`: the number of sequences and the checksum."""
    if depth:
        below = [seen(play(position, action).after, depth - 1) for action in legal_actions(position)]
        return sum(many for many, _ in below), sum(total for _, total in below)
    spawn, scored = (pair[0] + 32 * pair[1] for pair in (position.spawn, position.scored))
    return 1, position.eggs + 5 * position.tadpoles + 25 * position.light + 125 * (spawn ^ scored << 10)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_perft_from_the_start_matches_reference(turns, name):
    pond, known = parse_variant(name), REFERENCE["start"][name]
    if not is_compiled(turns):
        known = known[: 5 if pond.size == 4 else 4]
    rules, start = rules_of(turns, pond), pack_position(Position.start(pond))
    assert [rules.count_sequences(start, depth) for depth in range(len(known) + 1)] == [1, *known]


@pytest.mark.slow
def test_perft_of_midgame_positions_matches_reference(turns):
    for reference in REFERENCE["positions"]:
        pond = parse_variant(reference["variant"])
        rules, position = rules_of(turns, pond), pack_position(Position.from_notation(reference["position"], pond))
        assert [rules.count_sequences(position, depth) for depth in (1, 2, 3, 4)] == reference["perft"], reference


def test_playing_last_actions_gives_same_count_and_checksum(turns):
    for reference in REFERENCE["positions"][::4]:
        pond = parse_variant(reference["variant"])
        position = Position.from_notation(reference["position"], pond)
        rules = rules_of(turns, pond)
        for depth in (1, 2):
            assert (rules.count_played(pack_position(position), depth), rules.checksum) == seen(position, depth), (
                reference
            )
    start = pack_position(Position.start(VARIANTS["big"]))
    rules = rules_of(turns, VARIANTS["big"])
    assert [rules.count_played(start, depth) for depth in range(4)] == [1, 25, 600, 13988]


def test_counts_match_the_rules_after_any_game(turns):
    @given(positions())
    def agrees(position):
        rules, bare = rules_of(turns, position.variant), pack_position(position)
        assert [rules.count_sequences(bare, depth) for depth in (0, 1, 2)] == [
            perft(position, depth) for depth in (0, 1, 2)
        ]
        assert rules.count_actions(bare) == len(legal_actions(position))
        assert [rules.count_played(bare, depth) for depth in (0, 1)] == [1, len(legal_actions(position))]

    agrees()


def test_depth_zero_counts_one_sequence(turns):
    rules = rules_of(turns, VARIANTS["standard"])
    assert rules.count_sequences(rules.start_position(13), -1) == 1
    assert rules.count_played(rules.start_position(13), 0) == 1
    assert 0 < rules.checksum <= MAX_WORD


def test_package_counts_action_sequences():
    start = Position.start(VARIANTS["mini"])
    assert [packed.count_sequences(start, depth) for depth in range(5)] == [1, 16, 240, 3464, 46488]


def test_deep_counts_are_split_into_several_calls(monkeypatch):
    monkeypatch.setattr(packed, "UNINTERRUPTED_DEPTH", 1)
    assert packed.count_sequences(Position.start(VARIANTS["standard"]), 4) == 46488
    assert packed.count_sequences(Position.from_notation("f.t./..../..F./T.Ee l 0 0 10 10"), 3) == 0


@pytest.mark.long
@pytest.mark.parametrize(("name", "depth", "many"), [("standard", 8, 1347648784), ("big", 6, 147352728)])
def test_deep_perft_of_compiled_kernel_matches_reference(name, depth, many):
    compiled = packed.compiled_kernel()
    if compiled is None:
        pytest.skip("takes minutes without the compiled kernel: make fast")
    pond = VARIANTS[name]
    assert rules_of(compiled.rules, pond).count_sequences(pack_position(Position.start(pond)), depth) == many

"""Proofs of forced wins by both kernels, on positions with known results."""

import pytest

from pond_hw.engine.packed import pack_position
from pond_hw.rules import Position, parse_variant

WINS = [
    ("mini", "eT.e/..E./.e../.... l 3 3 5 4", 2),
    ("standard", ".Et./..Ff/te.F/..T. d 0 1 9 8", 3),
    ("mini", "eF.t/TfE./..tt/tF.F l 0 0 5 4", 3),
    ("3x3/6/3", "t../.E./E.. l 4 5 0 0", 4),
]
"""Positions, and the number of own actions that the side to move needs to win."""


def begun(kernel, variant_name, table_size=1 << 12, nodes=1_000_000):
    variant = parse_variant(variant_name)
    search = kernel.proof.ProofSearch(kernel.rules.PackedRules(variant.size, variant.target), table_size)
    search.begin_proof(nodes)
    return search


@pytest.mark.parametrize(("variant", "line", "needed"), WINS)
def test_proof_needs_exact_number_of_actions(kernel, variant, line, needed):
    position = pack_position(Position.from_notation(line, parse_variant(variant)))
    search = begun(kernel, variant)
    answers = [search.can_win(position, count) for count in range(1, needed + 2)]
    assert answers == [False] * (needed - 1) + [True, True]
    assert not search.stopped


@pytest.mark.parametrize(("variant", "line", "needed"), WINS)
def test_table_size_and_query_order_change_no_proof(kernel, variant, line, needed):
    position = pack_position(Position.from_notation(line, parse_variant(variant)))
    search = begun(kernel, variant, table_size=2)
    assert search.can_win(position, needed)
    assert not search.can_win(position, needed - 1)


def test_plain_and_compiled_search_the_same_positions(kernel):
    variant, line, needed = WINS[1]
    position = pack_position(Position.from_notation(line, parse_variant(variant)))
    search = begun(kernel, variant)
    assert search.can_win(position, needed)
    assert search.nodes == 45  # result of the plain kernel


def test_proof_over_node_limit_is_stopped(kernel):
    search = begun(kernel, "standard", nodes=50)
    start = pack_position(Position.start(parse_variant("standard")))
    assert not search.can_win(start, 3)
    assert search.stopped
    assert search.nodes == 51
    search.begin_proof(1_000_000)
    assert not search.stopped


def test_lost_position_must_lose_and_won_must_not(kernel):
    search = begun(kernel, "3x3/6/3")
    over = pack_position(Position.from_notation("E../.../... d 2 6 3 0", parse_variant("3x3/6/3")))
    assert search.must_lose(over, 0)
    won = pack_position(Position.from_notation("E../.../... l 2 6 3 0", parse_variant("3x3/6/3")))
    assert not search.must_lose(won, 0)

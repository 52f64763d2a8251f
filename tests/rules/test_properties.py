"""Invariants of every reachable position on every pond.

The positions come from seeded random games. They are checked with `oracle.py`, an independent implementation.
"""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pond_hw.rules import (
    DARK,
    LIGHT,
    PIECES,
    Action,
    EndReason,
    IllegalAction,
    Outcome,
    PondError,
    Position,
    Record,
    Side,
    Symbol,
    explain_illegal_action,
    find_outcome,
    get_grid,
    legal_actions,
    parse_record,
    play,
)
from tests.conftest import long_after_first
from tests.messages.says import says, text
from tests.rules import oracle
from tests.rules.positions import PONDS, games, games_with_custom_start, perft, positions, random_game, set_up_position

SOMEWHERE = [*get_grid(5).cells, "f1", "a6", "a0", "z9", ""]
ALL_ACTIONS = [Action(source, target) for source in [None, *SOMEWHERE] for target in SOMEWHERE]


def letter(side):
    return "l" if side is LIGHT else "d"


# Each check takes a position and asserts an invariant.


def check_no_piece_is_lost(position):
    on_board = [sum(piece.owner is side for piece in position.pieces.values()) for side in Side]
    for side in Side:
        assert on_board[side] + position.spawn[side] + position.scored[side] == position.variant.spawn
        assert position.spawn[side] >= 0


def check_no_unscored_set(position):
    letters = {cell: piece.notation_letter for cell, piece in position.pieces.items()}
    assert oracle.find_sets(letters, position.variant.size) == []


def check_every_action_is_legal_or_rejected(position):
    legal = legal_actions(position)
    assert len(set(legal)) == len(legal)
    assert {str(action) for action in legal} == oracle.legal(position.notation_line, position.variant.target)
    assert set(legal) <= set(ALL_ACTIONS)
    for action in ALL_ACTIONS:
        why = explain_illegal_action(position, action)
        if action in legal:
            assert why is None
        else:
            assert why, f"{action} is neither legal nor refused"
            assert text(why)[0] == text(why)[0].upper() or text(why).startswith(tuple(SOMEWHERE))
            assert text(why).endswith(".")


def check_play_matches_legality(position):
    legal = set(legal_actions(position))
    for action in ALL_ACTIONS:
        try:
            play(position, action)
        except IllegalAction:
            assert action not in legal
        else:
            assert action in legal


def check_outcome(position):
    expected = find_outcome(position)
    truth = oracle.find_result(position.notation_line, position.variant.target)
    if truth is None:
        assert expected is None
    else:
        winner, reason = truth
        assert expected == Outcome({"l": LIGHT, "d": DARK, "draw": None}[winner], EndReason(reason))
        assert legal_actions(position) == ()


def check_turn_matches_oracle(position):
    """Compare a turn with the oracle's."""
    for action in legal_actions(position):
        turn = play(position, action)
        truth = oracle.play(position.notation_line, str(action))
        after = turn.after
        assert (turn.before, turn.action, turn.side) == (position, action, position.to_move)
        assert after.notation_line == truth["after"], f"{action} in\n{position}\ncame to\n{after}"
        assert after.variant == position.variant
        assert {cell: piece.notation_letter for cell, piece in turn.pieces_after_develop.items()} == truth["standing"]
        assert turn.acted_piece.notation_letter == truth["standing"][action.target]
        story = [(d.cell, letter(d.owner), d.old_symbol.value, d.new_symbol.value) for d in turn.developed_pieces]
        names = {"e": "egg", "t": "tadpole", "f": "frog"}
        assert sorted(story) == sorted(
            (cell, oracle.owner(before), names[before.lower()], names[now.lower()])
            for cell, before, now in truth["developed"]
        )
        assert len(set(turn.sets)) == len(turn.sets)
        assert set(turn.sets) == truth["sets"]
        for side in Side:
            cells = turn.scored_cells[side]
            assert len(set(cells)) == len(cells)
            assert set(cells) == truth["gone"][letter(side)]
            assert after.scored[side] - position.scored[side] == len(cells)
        assert turn.outcome == find_outcome(after)


def check_order(position):
    """Check the order of actions (placements, then moves), developments and scores. All go row by row from a1."""
    order = {cell: i for i, cell in enumerate((None, *position.grid.cells))}
    legal = legal_actions(position)
    assert list(legal) == sorted(legal, key=lambda action: (order[action.source], order[action.target]))
    for action in legal:
        turn = play(position, action)
        for cells in ([d.cell for d in turn.developed_pieces], turn.scored_cells[LIGHT], turn.scored_cells[DARK]):
            assert list(cells) == sorted(cells, key=order.get)


def check_position_line_round_trips(position):
    again = Position.from_notation(position.notation_line, position.variant)
    assert again == position
    assert hash(again) == hash(position)
    assert again.pieces == position.pieces
    assert all(position.piece_at(cell) == position.pieces.get(cell) for cell in position.grid.cells)
    assert (
        Position.from_pieces(position.variant, position.pieces, position.to_move, position.spawn, position.scored)
        == position
    )


# The eight symmetries of a square board: the image of column x and row y on a board of size n.
SYMMETRIES = {
    "unchanged": lambda x, y, n: (x, y),
    "turned right": lambda x, y, n: (y, n - 1 - x),
    "turned by 180°": lambda x, y, n: (n - 1 - x, n - 1 - y),
    "turned left": lambda x, y, n: (n - 1 - y, x),
    "mirrored left to right": lambda x, y, n: (n - 1 - x, y),
    "mirrored top to bottom": lambda x, y, n: (x, n - 1 - y),
    "mirrored along the diagonal": lambda x, y, n: (y, x),
    "mirrored along the other diagonal": lambda x, y, n: (n - 1 - y, n - 1 - x),
}


def check_symmetry(position, way):
    """Check that playing on a turned board gives the turned result."""

    def seen(cell):
        if cell is None:
            return None
        x, y = way("abcde".index(cell[0]), int(cell[1]) - 1, position.variant.size)
        return f"{'abcde'[x]}{y + 1}"

    def board_seen(position):
        pieces = {seen(cell): piece for cell, piece in position.pieces.items()}
        return Position.from_pieces(position.variant, pieces, position.to_move, position.spawn, position.scored)

    turned = board_seen(position)
    assert find_outcome(turned) == find_outcome(position)
    legal = legal_actions(position)
    assert {Action(seen(action.source), seen(action.target)) for action in legal} == set(legal_actions(turned))
    for action in legal:
        there = play(turned, Action(seen(action.source), seen(action.target)))
        here = play(position, action)
        assert there.after == board_seen(here.after)
        assert {frozenset(line) for line in there.sets} == {frozenset(map(seen, line)) for line in here.sets}


def check_perft_matches_play(position):
    legal = legal_actions(position)
    assert perft(position, 0) == 1
    assert perft(position, 1) == len(legal)
    assert perft(position, 2) == sum(len(legal_actions(play(position, action).after)) for action in legal)


CHECKS = [
    pytest.param(check_no_piece_is_lost, id="no piece is ever lost"),
    pytest.param(check_no_unscored_set, id="no set remains unscored"),
    pytest.param(
        check_every_action_is_legal_or_rejected,
        id="every action is legal or rejected with a reason",
        marks=pytest.mark.slow,
    ),
    pytest.param(check_play_matches_legality, id="play accepts only legal actions"),
    pytest.param(check_outcome, id="game is not over early"),
    pytest.param(check_turn_matches_oracle, id="a turn matches the oracle"),
    pytest.param(check_order, id="events are in board order"),
    pytest.param(check_position_line_round_trips, id="position notation round-trips"),
    pytest.param(check_perft_matches_play, id="perft counts playable actions"),
]
"""Invariants of every position."""


@pytest.mark.parametrize("check", CHECKS)
@given(positions())
def test_invariants_hold_in_every_position(check, position):
    check(position)


@pytest.mark.parametrize("way", long_after_first(SYMMETRIES, 2))
@given(positions())
def test_rules_ignore_orientation_of_board(way, position):
    check_symmetry(position, SYMMETRIES[way])


@pytest.mark.parametrize("pond", PONDS, ids=str)
def test_whole_games_match_the_oracle(pond):
    """Compare whole games on each pond with the oracle, turn by turn."""
    for seed in (1, 2):
        game = random_game(seed, pond)
        line = Position.start(pond).notation_line
        for turn in game.turns:
            assert oracle.find_result(line, pond.target) is None
            line = oracle.play(line, str(turn.action))["after"]
            assert turn.after.notation_line == line
        check_outcome(game.position)


@pytest.mark.long
@settings(settings.get_profile("long"))
@given(positions(actions=300))
def test_invariants_hold_in_many_more_positions(position):
    for check in CHECKS:
        check.values[0](position)
    for way in SYMMETRIES.values():
        check_symmetry(position, way)


@given(games() | games_with_custom_start())
def test_rules_values_are_equal_and_hashable(game):
    again = parse_record(str(game))
    assert again.turns == game.turns
    assert len({*again.turns, *game.turns}) == len(set(game.turns))
    position = game.position
    assert position == again.position
    assert len({position, again.position}) == 1
    assert len(set(legal_actions(position)) | set(legal_actions(again.position))) == len(legal_actions(position))
    assert position != position._replace(to_move=position.to_move.other_side)
    assert position != position._replace(spawn=(position.spawn[LIGHT] + 1, position.spawn[DARK]))
    assert Action(None, "b2") != Action("b2", "b2")


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,9}", fullmatch=True).filter(
    lambda name: name not in ("Variant", "Position", "Result")
)
VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(' "\\[]{}'))
REMARKS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="{}")).map(
    lambda text: " ".join(text.split())
)
ENDINGS = (
    None,
    Outcome(LIGHT, EndReason.RESIGNATION),
    Outcome(DARK, EndReason.RESIGNATION),
    Outcome(None, EndReason.AGREEMENT),
)


@given(games() | games_with_custom_start(), st.dictionaries(NAMES, VALUES, max_size=4), st.data())
def test_record_round_trips(game, tags, data):
    comments = data.draw(st.dictionaries(st.integers(0, len(game.turns)), REMARKS.filter(bool), max_size=4))
    ended = data.draw(st.sampled_from(ENDINGS)) if game.outcome is None else None
    record = Record(game.variant, game.turns, ended, game.custom_start, tags, comments)
    again = parse_record(str(record))
    assert again == record
    assert str(again) == str(record)
    assert again.outcome == record.outcome
    assert again.start_position == record.start_position
    assert again.position == record.position


@given(games(), st.data())
def test_rest_of_game_round_trips_from_custom_start(game, data):
    """The rest of a game from a custom start ends like the whole game."""
    here = data.draw(st.integers(0, len(game.turns)))
    start = game.turns[here].before if here < len(game.turns) else game.position
    assume(find_outcome(start) is None)
    rest = Record(game.variant, game.turns[here:], custom_start=start)
    again = parse_record(str(rest))
    assert (again.position, again.outcome, again.result_text) == (game.position, game.outcome, game.result_text)
    assert [turn.action for turn in again.turns] == [turn.action for turn in game.turns[here:]]
    assert (again.custom_start is None) == (start == Position.start(game.variant))


# Changes to a board before it becomes a start position: a piece added, replaced or removed anywhere.
BOARD_CHANGES = st.dictionaries(
    st.sampled_from(get_grid(5).cells), st.sampled_from([*PIECES.values(), None]), max_size=3
)


@given(positions(), BOARD_CHANGES, st.sampled_from(Side), st.tuples(*[st.sampled_from([0, 0, 0, 1, 2, 5, -1])] * 2))
def test_custom_board_is_accepted_or_rejected(position, changes, to_move, more):
    pond, size = position.variant, position.variant.size
    pieces = {cell: piece for cell, piece in {**position.pieces, **changes}.items() if piece}
    scored = (position.scored[LIGHT] + more[LIGHT], position.scored[DARK] + more[DARK])

    letters = {cell: piece.notation_letter for cell, piece in pieces.items()}
    counts = {letter(side): sum(piece.owner is side for piece in pieces.values()) for side in Side}
    spawn = {letter(side): pond.spawn - counts[letter(side)] - scored[side] for side in Side}
    fits = min(scored) >= 0 and min(spawn.values()) >= 0
    line = oracle.write(letters, size, letter(to_move), spawn, dict(zip("ld", scored, strict=True)))
    good = fits and not oracle.find_sets(letters, size) and oracle.find_result(line, pond.target) is None

    assume(set(letters) <= set(oracle.cells(size)))
    if not good:
        with pytest.raises(PondError, check=says(r"\.$")):
            set_up_position(pond, pieces, to_move, scored)
        return
    begun = set_up_position(pond, pieces, to_move, scored)
    assert begun.notation_line == line
    assert begun.variant == pond
    assert legal_actions(begun)


def test_three_developments_restore_a_symbol():
    for symbol in Symbol:
        assert symbol.next_symbol.next_symbol.next_symbol is symbol
        assert symbol.next_symbol is not symbol

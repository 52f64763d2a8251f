"""Interpretation of every action, every mistake and every pair of quick turns, compared with the rules.

`oracle.py` knows only the rules. Samples are seeded, and the long tests take more samples. A failing test draws the
board.
"""

from itertools import combinations, permutations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Side, find_outcome, legal_actions, play
from pond_hw.session import CellRole, Moves, OpenMenu, PendingConfirmation, TakeAction, TakeBack
from pond_hw.session.pieces.interpretations import FURTHER_CONFIRM_SECONDS, Mismatch
from tests.conftest import long_after_first
from tests.rules.positions import games
from tests.session.pieces.oracle import (
    find_explanations,
    follow_lamp,
    illegal_actions,
    owners_after,
    owners_by_cell,
    possible_orders,
    quick_replies,
    random_positions,
    random_turns,
    reachable_positions,
    scored_cells_of,
    sensor_changes,
)
from tests.session.tables import (
    HELD,
    HOLD,
    LARGE,
    QUICK,
    SETTLE,
    SLIDING,
    SMALL,
    TIME_TOLERANCE,
    WAYS,
    PiecesTable,
    draw_on_failure,
)

pytestmark = pytest.mark.slow


def sample_sizes(default, more):
    """Parametrize a test by the number of samples; larger numbers are marked as long."""
    return pytest.mark.parametrize("amount", [default, pytest.param(more, marks=pytest.mark.long)])


PAUSES = (0.0, 0.5, 1.4, 15.0, 19.9)
"""Seconds until the players continue. Some end just before the board would stop waiting."""

OWNERS = pytest.mark.parametrize("owners", [False, True], ids=["on/off", "owners known"])
OWNERS_KNOWN_LONG = pytest.mark.parametrize("owners", long_after_first([False, True]), ids=["on/off", "owners known"])


# Legal actions


def check_action(rest, action, way, *, held=False):
    """Check that an action counts at the right time. With `held`, check that it is announced first."""
    table = rest.fork()
    with draw_on_failure(table, "doing", action, way):
        table.act(action, way)
        assert table.actions == rest.actions, "the action counts at once"
        table.wait(SETTLE - TIME_TOLERANCE)
        assert table.actions == rest.actions, "the action counts too early"
        table.wait(2 * TIME_TOLERANCE)
        if held:
            assert table.actions == rest.actions, "the action counts without an announcement"
            assert table.phase == "differs"
            assert table.session.board_state.confirmation.interpretation == PendingConfirmation(Moves((action,)), HOLD)
            assert action.target in table.shown(CellRole.PENDING)
            table.wait(HOLD - 3 * TIME_TOLERANCE)
            assert table.actions == rest.actions, "the announcement is too short"
            table.wait(3 * TIME_TOLERANCE)
        assert table.actions == (*rest.actions, action)


@sample_sizes(24, 900)
@pytest.mark.parametrize("pond", long_after_first(SMALL), ids=str)
def test_legal_actions_count_in_small_pond(pond, amount):
    for position in reachable_positions(pond, amount):
        rest = PiecesTable.at(position)
        assert rest.at_rest(), rest.describe()
        for action, way in product(legal_actions(position), WAYS):
            check_action(rest, action, way)


@OWNERS
@sample_sizes(15, 1500)
def test_legal_actions_count_in_random_positions(amount, owners):
    rng = Random(amount)
    for position in random_positions(amount, (*SMALL, *LARGE, *LARGE), seed=amount):
        rest = PiecesTable.at(position, owners=owners)
        for action in legal_actions(position):
            check_action(rest, action, rng.choice(WAYS))


def tables_after(turn, rng, owners):
    """Yield tables after a turn by hand, with an increasing number of hand tasks done."""
    fresh = PiecesTable.at(turn.before, owners=owners).act(turn.action).wait(1.0)
    assert fresh.actions == (turn.action,), fresh.describe()
    scored_cells = scored_cells_of(turn)
    off, to_turn = sorted(scored_cells), sorted({each.cell for each in turn.developed_pieces} - scored_cells)
    rng.shuffle(off)
    some = off[: rng.randrange(len(off) + 1)]
    for taken_off, turned in ((), ()), ((), to_turn), (some, ()), (off, to_turn):
        table = fresh.fork()
        for cell in taken_off:
            table.lift(cell).wait(0.5)
        for cell in turned:
            table.lift(cell).wait(0.5)
        for cell in turned:
            table.drop(cell, owner=owners_by_cell(turn.after)[cell]).wait(0.5)
        table.wait(1.0)  # a piece put down right after a removal may be the removed one
        yield table, set(taken_off), set(to_turn) - set(turned)


@OWNERS_KNOWN_LONG
@sample_sizes(10, 350)
def test_legal_actions_count_during_hand_tasks(amount, owners):
    rng = Random(amount)
    turns = random_turns(amount, SMALL, 1, scoring=True) + random_turns(amount // 2, SMALL + LARGE, 2)
    for turn in turns:
        for rest, off, to_turn in tables_after(turn, rng, owners):
            left = scored_cells_of(turn) - off
            with draw_on_failure(rest, turn.action, "off", off, "to turn", to_turn):
                assert rest.at_rest()
                assert rest.shown(CellRole.TAKE_OFF) == [cell for cell in turn.after.grid.cells if cell in left]
                assert set(rest.shown(CellRole.FLIP)) == to_turn
                assert rest.position == turn.after
            for action in legal_actions(turn.after):
                if action.target in left:
                    continue  # the cell is occupied
                held = action.source in to_turn and turn.after.spawn[turn.after.to_move] > 0
                now = owners_after(
                    turn.after,
                    owners_by_cell(turn.after) | {c: turn.pieces_after_develop[c].owner for c in left},
                    action,
                )
                before = owners_by_cell(turn.before)
                if not turn.sets and (now == before if owners else now.keys() == before.keys()):
                    check_action_like_undo(rest, action)
                else:
                    check_action(rest, action, rng.choice(WAYS), held=held)


def check_action_like_undo(rest, action):
    """Check an action that looks like an undo. The undo must be announced first, and the action once the undo is denied."""
    table = rest.fork()
    with draw_on_failure(table, "doing", action, "which looks like the turn before"):
        table.act(action).wait(1.0)
        assert table.session.board_state.confirmation.interpretation == PendingConfirmation(
            TakeBack(1), HOLD, other_count=1
        )
        assert table.messages == (
            Message("pending.take_back", count=1, seconds=HOLD),
            Message("pending.something_else"),
        )
        table.lift(action.target).wait(1.0).drop(action.target).wait(1.0)
        assert table.session.board_state.confirmation.interpretation == PendingConfirmation(
            Moves((action,)), HOLD, other_count=1
        )
        assert table.actions == rest.actions
        table.wait(HOLD)
        assert table.actions == (*rest.actions, action)


@sample_sizes(12, 400)
def test_legal_actions_count_while_pieces_are_being_flipped(amount):
    rng = Random(amount)
    for turn in random_turns(amount, SMALL + LARGE, 3):
        rest = PiecesTable.at(turn.before).act(turn.action).wait(1.0)
        to_turn = [d.cell for d in turn.developed_pieces if d.cell not in scored_cells_of(turn)]
        if not to_turn:
            continue
        in_hand = rng.sample(to_turn, rng.randrange(1, len(to_turn) + 1))
        for action in legal_actions(turn.after):
            lifted = any(Action(cell, action.target) in legal_actions(turn.after) for cell in in_hand)
            in_a_hand = scored_cells_of(play(turn.after, action)) & set(in_hand)  # these score, so they need not return
            if action.source in in_hand or action.target in scored_cells_of(turn) or (lifted and len(in_a_hand) > 1):
                continue  # a lifted piece that scores may also have acted
            table = rest.fork().lift(*in_hand).wait(1.0)
            with draw_on_failure(table, turn.action, "then", action, "while in hands", in_hand):
                table.act(action).wait(1.0)
                assert table.actions in (rest.actions, (*rest.actions, action))
                assert action.target not in table.shown(CellRole.TAKE_OFF), (
                    "the lamps ask for a legal action to be undone"
                )
                for cell in rng.sample(in_hand, len(in_hand)):
                    table.drop(cell, owner=owners_by_cell(turn.after)[cell]).wait(0.4)
                if table.actions == rest.actions:  # a lifted piece may have gone there, or an egg was placed
                    assert lifted or in_a_hand or action.source in to_turn
                    pending = table.session.board_state.confirmation.interpretation
                    assert pending == PendingConfirmation(Moves((action,)), pending.confirm_seconds)
                    assert pending.confirm_seconds in (HOLD, FURTHER_CONFIRM_SECONDS)
                    table.wait(pending.confirm_seconds)
                assert table.actions == (*rest.actions, action)
                again = {d.cell for d in table.session.turns[-1].developed_pieces}
                assert not table.session.board_state.tasks.cells_to_flip & set(in_hand) - again


# Illegal actions


def check_refusal(rest, action, way):
    """Check that nothing counts, that the mistake is named, and that the game continues once it is undone by hand."""
    table = rest.fork()
    with draw_on_failure(table, "doing what is not legal:", action, way):
        table.act(action, way).wait(SETTLE + TIME_TOLERANCE)
        if way is QUICK:
            assert table.session.refusal.cell == action.target
        for _ in range(2):
            assert table.actions == rest.actions
            assert table.position == rest.position
            assert table.phase == "differs"
            assert {*action} - {None} <= table.named
            table.wait(15.0)
        moved = sensor_changes(action) if way[0] == "drop first" else sensor_changes(action)[::-1]
        for cell, down in moved:
            table.touch(cell, not down, owners_by_cell(rest.position).get(cell)).wait(0.1)
        table.wait(SETTLE + TIME_TOLERANCE)
        assert table.actions == rest.actions
        assert table.at_rest()


@OWNERS_KNOWN_LONG
@sample_sizes(13, 400)
def test_illegal_actions_are_refused_and_undone(amount, owners):
    rng = Random(amount)
    positions = (
        reachable_positions(SMALL[0], amount)
        + random_positions(amount // 2, SMALL, amount)
        + random_positions(amount // 10, LARGE, amount)
    )
    for position in positions:
        rest = PiecesTable.at(position, owners=owners)
        for action in illegal_actions(position):
            check_refusal(rest, action, rng.choice(WAYS))


def test_egg_without_spawn_is_refused():
    refused = 0
    for position in random_positions(40, SMALL + LARGE, 8):
        for action in illegal_actions(position):
            if action.source is None:
                table = PiecesTable.at(position).act(action).wait(15.0)
                with draw_on_failure(table, action):
                    assert table.position == position
                    assert table.phase == "differs"
                    assert table.shown(CellRole.TAKE_OFF) == [action.target]
                    assert table.lift(action.target).wait(SETTLE + TIME_TOLERANCE).at_rest()
                    refused += 1
    assert refused > 20


def test_illegal_slide_to_only_empty_cell_is_refused():
    full = [position for position in random_positions(300, SMALL, 5) if len(position.pieces) == 8]
    assert full
    for position in full:
        for action in illegal_actions(position):
            check_refusal(PiecesTable.at(position), action, SLIDING)


@sample_sizes(30, 1000)
def test_every_lifted_piece_is_reported_or_shows_targets(amount):
    for position in [*reachable_positions(SMALL[0], amount), *random_positions(amount // 2, SMALL + LARGE, amount)]:
        rest = PiecesTable.at(position)
        for cell in position.pieces:
            targets = [action.target for action in legal_actions(position) if action.source == cell]
            table = rest.fork().lift(cell).wait(15.0)
            with draw_on_failure(table, "lifting", cell):
                assert table.position == position
                assert table.phase == ("in_hand" if targets else "differs")
                assert cell in table.named
                assert table.shown(CellRole.TARGET) == targets
                assert table.shown(CellRole.CHOSEN, CellRole.PUT) == [cell]
                assert table.drop(cell).wait(SETTLE + TIME_TOLERANCE).at_rest()
                assert table.actions == ()


@sample_sizes(9, 300)
def test_long_held_piece_does_not_become_egg(amount):
    for position in random_positions(amount, SMALL + LARGE, amount):
        rest = PiecesTable.at(position)
        may_move = {action.source for action in legal_actions(position)}
        for cell in position.pieces.keys() - may_move:
            held = rest.fork().lift(cell).wait(40.0)
            for target in position.grid.cells:
                if target not in position.pieces:
                    table = held.fork().drop(target).wait(1.0)
                    with draw_on_failure(table, "held", cell, "for long, then put on", target):
                        assert table.position == position


# Displaced pieces


def displacements(position, count):
    """Yield every way to remove `count` pieces and put up to `count` pieces on empty cells."""
    pieces = position.pieces
    empty = [cell for cell in position.grid.cells if cell not in pieces]
    places = [
        (*targets, *[None] * (count - len(targets)))
        for target_count in range(count + 1)
        for targets in combinations(empty, target_count)
    ]
    for sources, targets in product(combinations(pieces, count), places):
        yield dict(zip(sources, targets, strict=True))


def displacement(position, count, rng):
    """Return a new random cell, or None, for each of `count` pieces."""
    pieces = position.pieces
    sources = rng.sample(sorted(pieces), count)
    places = [cell for cell in position.grid.cells if cell not in pieces] + sources
    while True:
        targets = rng.sample([*places, *[None] * count], count)
        if all(source != target for source, target in zip(sources, targets, strict=True)):
            return dict(zip(sources, targets, strict=True))


def check_repair(rest, moved, *, owners, changed=(), pause=15.0):
    """Check that displaced pieces are named, take no turn, and are repaired by following the lamps.

    Args:
        rest: Table before the displacement.
        moved: New cell of each displaced piece, or None.
        owners: True if the sensors detect owners.
        changed: Displaced pieces that are replaced by pieces of the other side.
        pause: Seconds until the repair starts.
    """
    position, pieces = rest.position, owners_by_cell(rest.position)
    put = {
        target: pieces[source].other_side if source in changed else pieces[source]
        for source, target in moved.items()
        if target
    }
    detected = {cell: owner for cell, owner in pieces.items() if cell not in moved} | put
    strangers = {cell for cell in detected if owners and detected[cell] is not pieces.get(cell, detected[cell])}
    wrong = (pieces.keys() ^ detected.keys()) | strangers
    explained = find_explanations(position, detected, owners=owners)
    table = rest.fork().lift(*moved).wait(0.1)
    with draw_on_failure(table, "displaced:", moved, "now of the other side:", changed):
        for target, owner in put.items():
            table.drop(target, owner=owner)
        table.wait(SETTLE + TIME_TOLERANCE)
        if explained:
            assert table.actions == () or [table.actions] == explained
            return
        assert table.actions == ()
        if not wrong:
            assert table.at_rest()
            return
        if len(detected) == 0 and len(pieces) > 1:
            assert table.session.board_state.confirmation.interpretation == PendingConfirmation(OpenMenu(), HOLD)
            return
        if len(wrong) == 1:
            return  # like any lifted piece
        table.wait(pause)
        assert table.phase == "differs"
        assert set(wrong) <= table.named, "not every cell is named"
        steps = 0
        while not table.at_rest():
            assert follow_lamp(table), "the lamps ask for nothing"
            assert table.actions == ()
            steps += 1
            most = (
                len(moved) + len(changed) + len(strangers) // 2
            )  # a cycle takes one more step and needs two pieces of the wrong side
            assert steps <= most, "following the lamps does not repair the board"
        assert table.position == position
        assert not owners or table.owners == pieces


@OWNERS_KNOWN_LONG
@sample_sizes(6, 80)
def test_displaced_pieces_are_repaired(amount, owners):
    rng = Random(amount)
    for position in random_positions(amount, SMALL, 40 + amount) + random_positions(amount, LARGE, 50 + amount):
        rest = PiecesTable.at(position, owners=owners)
        for count in (2, 2, 2, 2, 3, 3, 3, 3, 3, 3):
            if count > len(position.pieces):
                continue
            moved = displacement(position, count, rng)
            other = [cell for cell in moved if rng.random() < 0.2] if owners else ()
            check_repair(rest, moved, owners=owners, changed=other, pause=rng.choice(PAUSES))


@pytest.mark.long
def test_all_displacements_in_small_pond_are_repaired():
    for position in random_positions(30, SMALL, 77):
        rest = PiecesTable.at(position)
        for count in 2, 3:
            for moved in displacements(position, count):
                check_repair(rest, moved, owners=False)


@OWNERS_KNOWN_LONG
@sample_sizes(15, 300)
def test_displaced_pieces_are_repaired_with_scored_pieces_on_board(amount, owners):
    rng, repaired = Random(amount), 0
    for turn in random_turns(amount, SMALL, 7, scoring=True) + random_turns(amount // 2, SMALL + LARGE, 8):
        for rest, _, to_turn in tables_after(turn, rng, owners):
            pieces, scored = owners_by_cell(rest.position), rest.detected - owners_by_cell(rest.position).keys()
            count = rng.choice((1, 2, 3))
            if count >= len(pieces):
                continue
            moved = displacement(rest.position, count, rng)
            if scored & set(moved.values()) or to_turn & moved.keys():
                continue  # the cell is occupied, or the piece counts as being flipped
            if any(Action(*pair) in legal_actions(turn.after) for pair in product(moved, moved.values())):
                continue  # this may be an action, with a piece of the other side lifted
            table = rest.fork().lift(*moved).wait(0.1)
            with draw_on_failure(table, turn.action, "then displaced:", moved):
                for source, target in moved.items():
                    if target:
                        table.drop(target, owner=pieces[source])
                table.wait(SETTLE + TIME_TOLERANCE)
                if table.actions != rest.actions or isinstance(
                    table.session.board_state.confirmation.interpretation, PendingConfirmation
                ):
                    continue  # this may be an action, or an undo
                table.wait(rng.choice(PAUSES))
                steps = 0
                while not table.at_rest():
                    if table.session.board_state.confirmation.interpretation == PendingConfirmation(
                        TakeBack(1), HOLD
                    ):  # the shortest repair was an undo
                        assert table.wait(HOLD).position == turn.before
                        break
                    assert follow_lamp(table), "the lamps ask for nothing"
                    assert table.actions == rest.actions
                    steps += 1
                    assert steps <= 2 * count, "following the lamps does not repair the board"
                repaired += steps > 0
    assert repaired > amount


@OWNERS_KNOWN_LONG
@sample_sizes(24, 700)
def test_simultaneous_changes_count_only_if_explained(amount, owners):
    """Pieces of both sides appear and disappear, and only what the rules explain counts."""
    rng, taken = Random(amount), 0
    for position in random_positions(amount, SMALL + LARGE, 30 + amount):
        rest, pieces = PiecesTable.at(position, owners=owners), owners_by_cell(position)
        empty = [cell for cell in position.grid.cells if cell not in pieces]
        for _ in range(6):
            lifted = rng.sample(sorted(pieces), rng.choice((0, 0, 1, 1, 2)) if len(pieces) > 2 else 0)
            filled = rng.sample(empty, min(len(empty), rng.choice((1, 2, 2))))
            exchanged = [cell for cell in pieces if cell not in lifted and rng.random() < 0.03]
            put = {cell: rng.choice(list(Side)) for cell in filled}
            put |= {cell: pieces[cell].other_side for cell in exchanged}
            detected = {cell: owner for cell, owner in pieces.items() if cell not in lifted} | put
            explained = [
                actions
                for actions in find_explanations(position, detected, owners=owners)
                if all(cell in (*lifted, *put) for cell, _ in sensor_changes(*actions))
            ]
            table = rest.fork().lift(*lifted, *exchanged)
            with draw_on_failure(table, "lifted", lifted, "put down", put, "explained by", explained):
                for cell, owner in put.items():
                    table.drop(cell, owner=owner)
                table.wait(SETTLE + TIME_TOLERANCE)
                assert table.actions == () or [table.actions] == explained
                if len(explained) == 1 and len(explained[0]) == 1 and not exchanged:
                    assert table.actions == explained[0]
                taken += len(table.actions)
    assert taken > amount / 4  # two simultaneous pieces never count


# Two quick turns


def check_two_turns(rest, first, second, order, *, owners):
    """Check that both turns count or that the difference is named, and that no other action counts."""
    position = rest.position
    meant = owners_after(play(position, first).after, owners_after(position, owners_by_cell(position), first), second)
    explained = find_explanations(position, meant, owners=owners)
    whose = {first.target: position.to_move, second.target: position.to_move.other_side}
    table = rest.fork()
    with draw_on_failure(table, first, second, "detected in this order:", order, "explained by", explained):
        for i, (cell, down) in enumerate(order):
            table.wait(0.06 if i else 0.0).touch(cell, down, whose.get(cell))
        assert table.actions == (), "the turns count at once"
        table.wait(SETTLE + TIME_TOLERANCE)
        if table.actions:
            assert table.actions == (first, second), "another turn counts"
            assert explained == [(first, second)], "an ambiguous explanation counts"
            assert owners or not may_be_one_piece(position, meant), "two turns count for one piece"
        else:
            differ = meant.keys() ^ position.pieces.keys()
            assert table.phase == "differs"
            announced = isinstance(table.session.board_state.confirmation.interpretation, PendingConfirmation)
            assert announced or set(differ) <= table.named, "not every cell is named"


def may_be_one_piece(position, detected):
    """Return True if two neighbouring cells may have detected the same piece."""
    places = {cell: position.grid.cell_coordinates(cell) for cell in detected.keys() - position.pieces.keys()}
    return any(
        max(abs(x - u), abs(y - v)) == 1 and any(map(len, blurred_explanations(position, detected, without)))
        for (without, (x, y)), (_, (u, v)) in permutations(places.items(), 2)
    )


def blurred_explanations(position, detected, without):
    """Return every single action that would explain the detected pieces without the one on a given cell."""
    found = find_explanations(position, {cell: owner for cell, owner in detected.items() if cell != without})
    return [actions for actions in found if len(actions) == 1]


@OWNERS_KNOWN_LONG
@sample_sizes(4, 100)
def test_two_quick_turns_are_recognised_in_any_order(amount, owners):
    rng = Random(amount)
    for position in (
        random_positions(amount, SMALL, 90)
        + random_positions(amount, LARGE, 91)
        + reachable_positions(SMALL[0], amount)
    ):
        rest = PiecesTable.at(position, owners=owners)
        pairs = [
            (first, second) for first in legal_actions(position) for second in quick_replies(play(position, first))
        ]
        for first, second in rng.sample(pairs, min(len(pairs), 8)):
            every = possible_orders(sensor_changes(first, second))
            for order in rng.sample(every, min(len(every), 8)):
                if detected_after(position, order) == detected_after(position, sensor_changes(first, second)):
                    check_two_turns(rest, first, second, order, owners=owners)


def detected_after(position, order):
    """Return the detected pieces after these changes."""
    detected = set(position.pieces)
    for cell, down in order:
        detected = detected | {cell} if down else detected - {cell}
    return detected


# Undo by hand


def undo_changes(turn):
    """Return the changes that undo a turn by hand, in a possible order."""
    source, target = turn.action
    scored = scored_cells_of(turn)
    leaves = [] if target in scored else [(target, False)]
    return [*leaves, *((cell, True) for cell in [*sorted(scored - {target}), *([source] if source else [])])]


@OWNERS_KNOWN_LONG
@sample_sizes(18, 400)
def test_turn_is_undone_by_hand_unless_it_scored(amount, owners):
    rng = Random(amount)
    turns = random_turns(amount, SMALL, 21, scoring=True) + random_turns(amount, SMALL + LARGE, 22, scoring=False)
    for turn in turns:
        table = PiecesTable.at(turn.before, owners=owners).act(turn.action).wait(1.0)
        for cell in sorted(scored_cells_of(turn)):
            table.lift(cell).wait(0.5)
        gap = rng.choice((0.1, 0.5, 1.0))
        with draw_on_failure(table, "taking back", turn.action, "every", gap, "s"):
            assert table.at_rest()
            for cell, down in undo_changes(turn):
                table.wait(gap).touch(cell, down, owners_by_cell(turn.before).get(cell))
            table.wait(SETTLE + TIME_TOLERANCE)
            assert table.actions[:1] == (turn.action,)
            table.wait(HOLD)
            if turn.sets:
                assert table.actions[:1] == (turn.action,)
            elif turn.before.pieces:
                assert (table.actions, table.position) == ((), turn.before)
                assert table.at_rest()


def test_program_egg_may_replace_scored_piece():
    filled = 0
    for turn in random_turns(25, SMALL + LARGE, 24, scoring=True):
        rest = PiecesTable.at(turn.before).act(turn.action).wait(1.0)
        for action in legal_actions(turn.after):
            if action.source is None and action.target in scored_cells_of(turn):
                table = rest.fork()
                table.session = table.session.after(TakeAction(action, table.time))
                with draw_on_failure(table.wait(1.0), "named:", action):
                    assert table.actions == (turn.action, action)
                    assert table.at_rest()
                    scored = scored_cells_of(table.session.turns[-1])
                    assert (action.target in table.shown(CellRole.TAKE_OFF)) == (action.target in scored)
                filled += 1
    assert filled > 10


# Bad sensors


@sample_sizes(7, 250)
def test_bad_sensor_does_not_affect_actions_elsewhere(amount):
    rng = Random(amount)
    for position in random_positions(amount, SMALL + LARGE, 60 + amount):
        for bad in rng.sample(position.grid.cells, 2):
            stuck = rng.choice(({bad}, set()))
            rest = PiecesTable.at(position, detected=position.pieces.keys() - {bad} | stuck, known_bad=frozenset({bad}))
            assert rest.phase == "act", rest.describe()
            for action in legal_actions(position):
                if bad in action:
                    continue
                way = rng.choice(WAYS)
                table = rest.fork()
                with draw_on_failure(table, "doing", action, way, "with a bad sensor on", bad):
                    table.act(action, way).wait(SETTLE - TIME_TOLERANCE - 0.01)
                    if way is not HELD:
                        assert table.touch(bad, bad not in table.detected).actions == (), "the action counts early"
                    table.wait(2 * TIME_TOLERANCE + 0.01)
                    assert table.actions in ((), (action,))
                    if not table.actions:
                        assert isinstance(table.session.board_state.confirmation.interpretation, PendingConfirmation)
                        assert table.session.board_state.confirmation.interpretation.intent == Moves((action,))
                        table.wait(HOLD)
                    assert table.actions == (action,)


@sample_sizes(15, 400)
def test_moves_from_bad_sensor_are_recognised(amount):
    rng, question_count = Random(amount), 0
    for position in random_positions(amount, SMALL + LARGE, 70 + amount):
        sources = {action.source for action in legal_actions(position)} - {None}
        for bad in rng.sample(sorted(sources), min(len(sources), 2)):
            rest = PiecesTable.at(position, known_bad=frozenset({bad}))
            for action in legal_actions(position):
                if action.source != bad:
                    continue
                possible = [each for each in legal_actions(position) if each in (action, Action(None, action.target))]
                table = rest.fork().drop(action.target).wait(SETTLE + TIME_TOLERANCE)
                with draw_on_failure(table, "doing", action, "from a bad sensor, which may be", possible):
                    question_count += len(possible) > 1
                    if len(possible) == 1:
                        assert table.actions == (action,)
                    else:
                        shown = [table.session.board_state.confirmation.interpretation]
                        assert table.lift(action.target).session.view.scene.confirm_window is None, (
                            "the announcement continues"
                        )
                        table.wait(1.0).drop(action.target).wait(1.0)
                        shown.append(table.session.board_state.confirmation.interpretation)
                        assert {about.intent for about in shown} == {Moves((each,)) for each in possible}
                        assert {(about.confirm_seconds, about.other_count) for about in shown} == {(HOLD, 1)}
                        assert table.actions == ()
                        table.wait(HOLD)
                        assert table.actions == shown[-1].intent.actions
    assert question_count


# Random hands

KINDS = ("act", "act", "act", "touch", "touch", "take off", "turn", "nod")
WAITS = (0.0, 0.05, 0.1, 0.3, 0.5, 1.0, 1.4, 3.5, 19.9, 25.0)


@given(
    games(ponds=SMALL + LARGE, actions=80),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 999), st.sampled_from(WAITS)), max_size=25),
    st.randoms(use_true_random=False),
)
def test_random_hands_cause_only_explained_actions(game, owners, todo, rng):
    table = PiecesTable.at(game.position, owners=owners)
    for kind, number, pause in todo:
        for cell, down in random_changes(table, kind, number):
            check_event(table, lambda: table.touch(cell, down, rng.choice(list(Side))))  # noqa: B023
            if rng.random() < 0.5:
                pass_time(table, rng.choice(WAITS[:4]))
        pass_time(table, pause)
    pass_time(table, SETTLE + TIME_TOLERANCE)
    with draw_on_failure(table, "coming home"):
        before = None
        while before != (pieces := owners_by_cell(table.position)):  # played actions may count while the last is undone
            before = pieces
            for cell in sorted(table.detected - pieces.keys()):
                table.lift(cell)
            for cell, owner in pieces.items():
                if owners and table.owners.get(cell) is not owner:
                    table.lift(cell)
                if cell not in table.detected:
                    table.drop(cell, owner=owner)
            pass_time(table, SETTLE + 1.0)
        if table.session.is_over and not pieces:
            return  # an empty board after the end opens the menu
        assert table.at_rest()


def random_changes(table, kind, number):
    """Return the sensor changes of one random hand movement, sensible or not."""
    position, state = table.position, table.session.board_state
    cells = position.grid.cells
    cell = cells[number % len(cells)]
    legal = legal_actions(position)
    if kind == "act" and legal and not table.session.is_over:
        done = sensor_changes(legal[number % len(legal)])
        done = [change for change in done if (change[0] in state.occupancy.occupied_cells) != change[1]]
        return done[:: -1 if number % 3 == 0 else 1]
    if kind == "take off" and state.tasks.to_remove:
        return [(sorted(state.tasks.to_remove)[number % len(state.tasks.to_remove)], False)]
    if kind in ("turn", "nod") and state.occupancy.occupied_cells:
        cell = sorted(state.tasks.cells_to_flip & state.occupancy.occupied_cells or state.occupancy.occupied_cells)[
            number % len(state.tasks.cells_to_flip & state.occupancy.occupied_cells or state.occupancy.occupied_cells)
        ]
        return [(cell, False), (cell, True)]
    return [(cell, cell not in state.occupancy.occupied_cells)]


def pass_time(table, pause):
    """Let time pass tick by tick, and check that the number of ticks is limited."""
    before, end = table.ticks, table.time + pause
    while table.session.next_due <= end:
        check_event(table, lambda: table.wait(max(0.0, table.session.next_due - table.time)))
        assert table.ticks - before <= 8 + 4 * pause, table.describe("it asks for too many ticks")
    table.wait(end - table.time)


def check_event(table, happens):
    """Run an event, and check that all actions it takes are legal and explained."""
    before = table.session
    happens()
    interpretation = table.session.board_state.confirmation.interpretation
    assert not isinstance(interpretation, Mismatch) or interpretation.repair_steps, table.describe(
        "it differs, and nothing is to be done"
    )
    assert all(map(make_owner_check(table), table.session.board_state.hypotheses)), table.describe("an owner is wrong")
    pairs = zip(before.turns, table.session.turns, strict=False)
    kept = next((number for number, (turn, other) in enumerate(pairs) if turn != other), len(before.turns))
    done = table.session.turns[kept:]
    if not done:
        return
    with draw_on_failure(table, "taken:", *(turn.action for turn in done), "from", before.position.notation_line):
        corrected_turns = before.turns[kept:]
        position = corrected_turns[0].before if corrected_turns else before.position
        state = before.board_state
        stood = set(position.pieces)
        for turn in done:
            assert turn.before == position
            assert turn.action in legal_actions(position)
            assert find_outcome(position) is None
            stood = stood - {turn.action.source} | {turn.action.target}
            position = turn.after
        if any(explains(hypothesis, table.detected) for hypothesis in table.session.board_state.hypotheses):
            return  # the game has already continued: the next pieces are lifted or put down
        unknown = (
            state.sensors.masked_cells | table.session.board_state.sensors.masked_cells | state.tasks.cells_to_flip
        )
        assert stood - table.detected <= unknown, "a piece is assumed where none is detected"
        assert table.detected - stood <= unknown | state.tasks.to_remove.keys(), (
            "something is detected that should not be there"
        )


def make_owner_check(table):
    """Return a predicate that is True if a hypothesis agrees with all sensed owners."""
    sensed = table.session.board_state.occupancy.sensed_owners

    def fits(hypothesis):
        owners = owners_by_cell(hypothesis.position) | dict(hypothesis.scored_cells)
        owners = {cell: (owner,) for cell, owner in owners.items() if cell not in hypothesis.lifted}
        owners |= {cell: piece.owners for cell, piece in hypothesis.unexplained.items()}
        return all(owner in owners.get(cell, (owner,)) for cell, owner in sensed.items())

    return fits


def explains(hypothesis, detected):
    """Return True if a hypothesis involves no accident and has exactly these pieces on the board."""
    standing = hypothesis.position.pieces.keys() - hypothesis.lifted.keys() | hypothesis.scored_cells.keys()
    return standing == detected and not hypothesis.unexplained


@pytest.mark.parametrize("action", [Action("a1", "a2"), Action(None, "a1")], ids=str)
def test_quick_turns_have_expected_explanations(action):
    """Checks single actions, two in a fixed order, and one that hides another."""
    position = random_positions(1, SMALL, 3)[0]
    for first in legal_actions(position):
        assert (first,) in find_explanations(position, owners_after(position, owners_by_cell(position), first))
        for second in quick_replies(play(position, first))[:3]:
            once = owners_after(position, owners_by_cell(position), first)
            both = owners_after(play(position, first).after, once, second)
            assert (first, second) in find_explanations(position, both, owners=True)

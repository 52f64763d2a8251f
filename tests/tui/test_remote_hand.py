"""Tests of showing and moving the pieces of a served board in a terminal."""

import json
from random import Random

import pytest

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, get_grid, parse_variant
from pond_hw.server.protocol import record_message, state_message
from pond_hw.server.view_from_json import InvalidMessage, parse_view
from pond_hw.session import (
    Agreement,
    BoardIsRight,
    BoardState,
    ClockTick,
    ConfirmationState,
    MaskSensor,
    Session,
    UndoTurns,
)
from pond_hw.session.pieces.interpretations import CONFIRM_SECONDS
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.server.test_socket_server import ServedPieces
from tests.tui.test_remote_table import run_remote_terminal


@pytest.fixture
def served(folder):
    served = ServedPieces(folder)
    yield served
    served.close()


@pytest.mark.slow
def test_remote_hand_moves_pieces(served):
    async def play(visitor):
        for cell in ("b2", "d4", "b3", "d1"):
            await visitor.click(cell)
            await visitor.wait(0.5)
        assert served.played == ["@b2", "@d4", "@b3", "@d1"]
        assert visitor.board["b2"].standing_piece.letter == "•"
        turn_over = text(Message("held.how_to_turn_over"))
        assert turn_over in visitor.hand_text
        await visitor.right_click("b2")
        await visitor.wait(0.5)
        await visitor.wait(0.5)
        assert "b2" in served.hands.standing_pieces
        assert turn_over not in visitor.hand_text
        await visitor.click("b2")
        await visitor.wait(0.5)
        lifted = Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2")), Message("lifted.put_back", cell="b2")
        assert text(*lifted) in visitor.status_text
        assert visitor.board["c2"].letter == "+"
        assert text(Message("held.one.unknown", side="light", pieces=1)) in visitor.hand_text
        await visitor.click("b3")
        assert f"! {text(Message('held.cell_taken', cell='b3'))}" in visitor.hand_text
        await visitor.press("escape")
        await visitor.wait(0.5)
        assert visitor.view.game_phase == "act"
        await visitor.drag("b2", "c2")
        await visitor.wait(0.5)
        assert served.played[-1] == "b2c2"
        await visitor.drag("c2", "b2")
        await visitor.wait(0.5)
        assert text(Message("pending.take_back", count=1, seconds=CONFIRM_SECONDS)) in visitor.status_text
        assert any(text(Message("status.seconds_left", seconds=left)) in visitor.status_text for left in (2, 3))
        await visitor.wait(4)
        assert len(served.played) == 4
        await visitor.drag("b2")
        await visitor.wait(0.5)
        assert set(served.hands.standing_pieces) == {"d4", "b3", "d1"}
        assert len(served.hands.off_board_pieces) == 1
        await visitor.click("b2")
        await visitor.wait(0.5)
        assert visitor.view.game_phase == "act"
        await visitor.press("m")
        assert text(Message("status.masked", cells=("b2",), count=1)) in visitor.status_text
        await visitor.press("m", "s", "o")
        await visitor.wait(5)
        assert visitor.view.messages[0].id == "menu.choose"
        assert text(*visitor.view.messages) in visitor.status_text
        assert visitor.board["b1"].letter == "o"
        await visitor.click("b1")
        await visitor.wait(0.5)
        await visitor.click("b1")
        await visitor.wait(0.5)
        assert served.companion.session.variant.name == "mini"
        assert visitor.hand.held_pieces == ()

    run_remote_terminal(served, play)


@pytest.mark.slow
def test_remote_plain_pieces_cannot_be_turned(folder):
    served = ServedPieces(folder, turned=False)

    async def play(visitor):
        await visitor.click("b2")
        await visitor.wait(0.5)
        assert "turn" not in [key.tooltip for key in visitor.app.available_commands]
        await visitor.right_click("b2")
        assert visitor.hand.refusal_reason == Message("held.plain_pieces")
        assert "b2" in served.hands.standing_pieces

    try:
        run_remote_terminal(served, play)
    finally:
        served.close()


@pytest.mark.long
def test_remote_commands_set_up_and_correct_the_game(served):
    async def play(visitor):
        await visitor.click("b2")
        await visitor.wait(0.5)
        await visitor.click("c3")
        await visitor.wait(0.5)
        await visitor.drag("c3")
        await visitor.wait(0.5)
        await visitor.press("y")
        assert served.played == ["@b2"]
        await visitor.press("p", "d", "1", "enter", "s", "p", "y")
        assert served.companion.session.position.notation_line == "..../..../.E../...E l 11 13 0 0"
        assert visitor.board["d1"].marks[1] == "v"
        await visitor.click("d1")
        await visitor.wait(0.5)
        assert visitor.view.game_phase == "act"

    run_remote_terminal(served, play)


@pytest.mark.slow
def test_impossible_remote_moves_show_the_reason(folder):
    served = ServedPieces(folder, real=True)

    async def play(visitor):
        served.hands.press("b2")
        await visitor.wait(1)
        assert text(Message("status.last_turn"), Message("turn.place", side="light", cell="b2")) in visitor.status_text
        assert visitor.board["b2"].standing_piece.letter == "•"
        for action in (lambda: visitor.click("b2"), lambda: visitor.click("c3"), lambda: visitor.right_click("b2")):
            await action()
            await visitor.wait(1)
            assert visitor.hand.refusal_reason.id == "hands.real_pieces"
            assert f"! {text(visitor.hand.refusal_reason)}" in visitor.hand_text
            assert text(Message("held.nothing")) in visitor.hand_text
            assert visitor.board["b2"].standing_piece
            await visitor.press("escape")
        assert served.played == ["@b2"]

    try:
        run_remote_terminal(served, play)
    finally:
        served.close()


# Round trip of the board state


def piece_sessions(count):
    """Yield sessions of boards with random touches, both for turns and for changes that are undone."""
    for seed in range(count):
        rng = Random(seed)
        session, at = (
            Session.start_game(
                rng.choice([STANDARD, parse_variant("3x3/9/9")]),
                board_state=BoardState(confirmation=ConfirmationState(Agreement.IN_PLAY)),
            ),
            0.0,
        )
        for _ in range(12):
            for event in _random_events(rng, session):
                session = session.after(event(at))
                for seconds in rng.choice([(0.05,), (0.3,), (0.3, 1.0), (0.3, 3.5)]):
                    at += seconds
                    session = session.after(ClockTick(at))
                    yield session, at


def as_sent(session, at):
    """Return the record and the state of a session as a client receives them."""
    return [json.loads(json.dumps(message(session.view, at))) for message in (record_message, state_message)]


def _random_events(rng, session):
    cells, occupied, kind = get_grid(session.size).cells, session.board_state.occupancy.occupied_cells, rng.random()
    if kind < 0.06:
        return [rng.choice([UndoTurns, BoardIsRight])]
    if kind < 0.1:
        cell = rng.choice(cells)
        return [lambda at: MaskSensor(cell, at), lambda at: MaskSensor(cell, at, is_bad=False)]
    if kind < 0.2:
        return [*_touches(occupied, down=False), *_touches([rng.choice(cells)], down=True)]
    if kind < 0.3:
        wrong = rng.sample(cells, 2)
        return [touch for cell in wrong for touch in _touches([cell], down=cell not in occupied)]
    differing = occupied ^ session.position.pieces.keys()
    if differing or not session.allowed_actions:
        return [touch for cell in differing for touch in _touches([cell], down=cell not in occupied)] or [UndoTurns]
    source, target = rng.choice(session.allowed_actions)
    return [*_touches([source] if source else [], down=False), *_touches([target], down=True)]


def _touches(cells, *, down):
    return [lambda at, cell=cell: Touch(cell, down, at) for cell in sorted(cells)]


@pytest.mark.slow
@pytest.mark.parametrize("count", long_after_first([25, 60]))
def test_board_state_round_trip(count):
    seen = set()
    for session, at in piece_sessions(count):
        view = session.view
        again = parse_view(*as_sent(session, at))
        assert again.occupancy.occupied == view.occupancy.occupied
        assert again.game_phase == view.game_phase
        assert again.in_hand == view.in_hand
        if not session.board_state.confirmation.is_interpreted:
            continue  # a piece has just moved, so the earlier reading is outdated
        assert again.cells == view.cells
        if view.confirm_window:
            assert again.confirm_window == pytest.approx(view.confirm_window, abs=1e-5)
        seen.add(type(session.board_state.confirmation.interpretation).__name__)
    assert seen >= {"InSync", "PieceInHand", "Mismatch", "PendingConfirmation", "ChoosingVariant"}


GARBAGE = (None, 7, "b2", ["z9"], [None, 3], {}, {"from": "q1", "to": None}, {"back": "x", "at": 1}, {"at": 1})


@pytest.mark.slow
def test_invalid_board_state_is_rejected_or_ignored():
    illegal = {"actions": ["a1b1", "@b2"], "at": 1.0}
    for number, (session, at) in enumerate(piece_sessions(4)):
        record, state = as_sent(session, at)
        broken = record | {"wood": record["wood"] | {"about": illegal}}
        assert parse_view(broken, state).cells
        for field in record["wood"]:
            broken = record | {"wood": record["wood"] | {field: GARBAGE[number % len(GARBAGE)]}}
            try:
                again = parse_view(broken, state)
            except InvalidMessage:
                continue
            assert again.cells.keys() == session.view.cells.keys()  # it can be shown


@pytest.mark.long
def test_outdated_board_state_is_ignored():
    """The game may have gone on in the meantime, so the board state may not fit it any more."""
    sessions = [(*as_sent(session, at), session) for session, at in piece_sessions(25)]
    rng = Random(1)
    for record, state, session in rng.sample(sessions, 300):
        other, *_ = rng.choice(sessions)
        if other["size"] == session.size:
            mixed = record | {"wood": other["wood"]}
            assert parse_view(mixed, state).cells.keys() == session.view.cells.keys()

"""Steps in the game itself: turns are taken, taken back and played again; games begin and end."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.rules import (
    Action,
    Cell,
    EndReason,
    IllegalAction,
    Outcome,
    Position,
    Variant,
    explain_invalid_start,
    get_grid,
    play,
)
from pond_hw.session import selection
from pond_hw.session.game_events import (
    EndUndone,
    GameDeclined,
    GameEnded,
    GameEvent,
    GameLeft,
    GameResumed,
    GameStarted,
    TurnsRedone,
    TurnsUndone,
    TurnTaken,
)
from pond_hw.session.session import Session, apply_event
from pond_hw.session.session_events import (
    AgreeDraw,
    NewGame,
    RedoTurns,
    ResignGame,
    SetUpGame,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.turn_messages import format_outcome, format_targets, format_turn, format_turn_prompt


def press_cell(session: Session, cell: Cell, instant: float) -> Session:
    """A finger has come down on a cell of a board with buttons."""
    grid_size = session.variant.size
    if cell not in get_grid(grid_size).mask_by_cell:
        return session.refuse_event(f"{cell} is outside this {grid_size}x{grid_size} pond.", instant, cell)
    if session.outcome:
        return session.refuse_after_end(instant, cell)
    match selection.interpret_press(session.position, session.selected_cell, cell):
        case Action() as action:
            return take_actions(session, (action,), instant)
        case selection.SelectPiece(piece):
            selected_session = session.with_changes(selected_cell=piece)
            return replace(
                selected_session, message=format_targets(session.position, piece, selected_session.legal_targets)
            )
        case selection.DeselectPiece():
            return session.with_changes(message=format_turn_prompt(session.position))
        case selection.RefusePress(sentence):
            return session.refuse_event(sentence, instant, cell)


@apply_event.register
def _apply_take_action(event: TakeAction, session: Session) -> Session:
    return take_actions(session, (event.action,), event.instant)


def take_actions(session: Session, actions: tuple[Action, ...], instant: float, *, by_hand: bool = False) -> Session:
    """One turn after the other, as far as they are legal."""
    turns_before, undone_turns = len(session.turns), session.undone_turns
    for action in actions:
        session = _take_action(session, action, instant, by_hand=by_hand)
    taken_turns = session.turns[turns_before:]
    if taken_turns and taken_turns == undone_turns[::-1]:  # just what was taken back, and nothing is left of that
        return session.with_events(TurnsRedone(len(taken_turns)))
    return session.with_events(*(TurnTaken(turn.action) for turn in taken_turns)) if taken_turns else session


def _take_action(session: Session, action: Action, instant: float, *, by_hand: bool) -> Session:
    if session.outcome:
        return session.refuse_after_end(instant, action.target)
    try:
        turn = play(session.position, action)
    except IllegalAction as error:
        return session.refuse_event(str(error), instant, action.target)
    acted = session.with_changes(turns=(*session.turns, turn), undone_turns=(), turn_is_fresh=True, changed_at=instant)
    return acted.update_board_state((turn,), by_hand=by_hand).with_message(format_turn(turn))


@apply_event.register
def undo_turns(event: UndoTurns, session: Session) -> Session:
    """Take turns back; the end that the players declared counts as one."""
    if not (session.turns or session.declared_outcome):
        return session.refuse_event("There is nothing to take back.", event.instant)
    turn_count = min(event.turn_count - bool(session.declared_outcome), len(session.turns))
    kept_count = len(session.turns) - turn_count
    kept_turns, undone_turns = session.turns[:kept_count], session.turns[kept_count:]
    changed = session.with_changes(
        declared_outcome=None,
        turns=kept_turns,
        undone_turns=(*session.undone_turns, *undone_turns[::-1]),
        changed_at=event.instant,
    )
    game_events: list[GameEvent] = [EndUndone()] if session.declared_outcome else []
    game_events += [TurnsUndone(turn_count)] if turn_count else []
    if not (changed.turns or changed.undone_turns):  # nothing has happened in it any more: it is a new one
        game_events = [GameStarted(changed.variant, changed.custom_start)]
    message = f"Took back {_format_turn_count(turn_count)}." if turn_count else "The game goes on."
    return changed.with_events(*game_events).update_board_state(undone_turns=undone_turns).with_message(message)


@apply_event.register
def _redo_turns(event: RedoTurns, session: Session) -> Session:
    if not session.undone_turns or session.declared_outcome:
        return session.refuse_event("There is nothing to play again.", event.instant)
    redone_turns = session.undone_turns[-event.turn_count :][::-1]
    redone_count = len(redone_turns)
    redone = session.with_changes(
        turns=session.turns + redone_turns,
        undone_turns=session.undone_turns[:-redone_count],
        turn_is_fresh=redone_count == 1,
        changed_at=event.instant,
    ).with_events(TurnsRedone(redone_count))
    turn_text = format_turn(redone_turns[0])
    message = turn_text if redone_count == 1 else f"Played {_format_turn_count(redone_count)} again."
    return redone.update_board_state(redone_turns).with_message(message)


@apply_event.register
def _apply_new_game(event: NewGame, session: Session) -> Session:
    return begin_game(session, event.variant, event.instant)


@apply_event.register
def _set_up_game(event: SetUpGame, session: Session) -> Session:
    position, variant = event.position, event.position.variant
    if variant.size > session.size:
        return begin_game(session, variant, event.instant)  # which says why not
    if reason := explain_invalid_start(position):
        return session.refuse_event(reason, event.instant)
    custom_start = None if position == Position.start(variant) else position
    new_session = begin_game(session, variant, event.instant, custom_start)
    return new_session.with_message("The game begins from a position that was set up by hand.")


def begin_game(session: Session, variant: Variant, instant: float, custom_start: Position | None = None) -> Session:
    """Another game on the same board, from a position or from the empty pond."""
    board_size = session.size
    if variant.size > board_size:
        return session.refuse_event(
            f"The {variant} pond is {variant.size}x{variant.size}; it does not fit this {board_size}x{board_size} board.",
            instant,
        )
    new_session = replace(
        Session.start_game(variant, board_size, instant, session.board_state),
        custom_start=custom_start,
        unsaved_reason=session.unsaved_reason,
        game_events=(*session.game_events, *_list_start_events(session, GameStarted(variant, custom_start))),
    )
    return new_session.update_board_state()


def _list_start_events(session: Session, game_started: GameStarted) -> tuple[GameEvent, ...]:
    """What it means for the game that was there; nothing, if nothing has happened in it and it began just so."""
    is_untouched = not (session.turns or session.undone_turns or session.declared_outcome)
    if is_untouched and game_started == GameStarted(session.variant, session.custom_start):
        return (GameResumed(),) if session.resume_prompt else ()
    if session.resume_prompt:
        return (GameDeclined(), game_started)
    return (GameLeft(), game_started) if session.can_continue else (game_started,)


@apply_event.register
def _resign_game(event: ResignGame, session: Session) -> Session:
    resigning_side = session.position.to_move if event.side is None else event.side
    return _end_game(session, Outcome(resigning_side.other_side, EndReason.RESIGNATION), event.instant)


@apply_event.register
def _agree_draw(event: AgreeDraw, session: Session) -> Session:
    return _end_game(session, Outcome(None, EndReason.AGREEMENT), event.instant)


def _end_game(session: Session, declared_outcome: Outcome, instant: float) -> Session:
    if session.outcome:
        return session.refuse_after_end(instant)
    board_state = session.board_state
    return session.with_changes(
        declared_outcome=declared_outcome,
        changed_at=instant,
        message=format_outcome(declared_outcome, session.position),
        board_state=board_state and board_state.after_movement(instant),
    ).with_events(GameEnded(declared_outcome))


def _format_turn_count(turn_count: int) -> str:
    return "one turn" if turn_count == 1 else f"{turn_count} turns"

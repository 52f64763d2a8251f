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


def press_cell(session: Session, cell: Cell, at: float) -> Session:
    """A finger has come down on a cell of a board with buttons."""
    size = session.variant.size
    if cell not in get_grid(size).mask_by_cell:
        return session.refuse_event(f"{cell} is outside this {size}x{size} pond.", at, cell)
    if session.outcome:
        return session.refuse_after_end(at, cell)
    match selection.interpret_press(session.position, session.selected_cell, cell):
        case Action() as action:
            return take_actions(session, (action,), at)
        case selection.SelectPiece(piece):
            chosen = session.with_changes(selected_cell=piece)
            return replace(chosen, message=format_targets(session.position, piece, chosen.legal_targets))
        case selection.DeselectPiece():
            return session.with_changes(message=format_turn_prompt(session.position))
        case selection.RefusePress(sentence):
            return session.refuse_event(sentence, at, cell)


@apply_event.register
def _apply_take_action(event: TakeAction, session: Session) -> Session:
    return take_actions(session, (event.action,), event.instant)


def take_actions(session: Session, actions: tuple[Action, ...], at: float, *, by_hand: bool = False) -> Session:
    """One turn after the other, as far as they are legal."""
    before, undone_turns = len(session.turns), session.undone_turns
    for action in actions:
        session = _take_action(session, action, at, by_hand=by_hand)
    turns = session.turns[before:]
    if turns and turns == undone_turns[::-1]:  # just what was taken back, and nothing is left of that
        return session.with_events(TurnsRedone(len(turns)))
    return session.with_events(*(TurnTaken(turn.action) for turn in turns)) if turns else session


def _take_action(session: Session, action: Action, at: float, *, by_hand: bool) -> Session:
    if session.outcome:
        return session.refuse_after_end(at, action.target)
    try:
        turn = play(session.position, action)
    except IllegalAction as error:
        return session.refuse_event(str(error), at, action.target)
    acted = session.with_changes(turns=(*session.turns, turn), undone_turns=(), turn_is_fresh=True, changed_at=at)
    return acted.update_board_state((turn,), by_hand=by_hand).with_message(format_turn(turn))


@apply_event.register
def undo_turns(event: UndoTurns, session: Session) -> Session:
    """Take turns back; the end that the players declared counts as one."""
    if not (session.turns or session.declared_outcome):
        return session.refuse_event("There is nothing to take back.", event.instant)
    count = min(event.turn_count - bool(session.declared_outcome), len(session.turns))
    kept, undone = session.turns[: len(session.turns) - count], session.turns[len(session.turns) - count :]
    changed = session.with_changes(
        declared_outcome=None,
        turns=kept,
        undone_turns=(*session.undone_turns, *undone[::-1]),
        changed_at=event.instant,
    )
    if not (changed.turns or changed.undone_turns):  # nothing has happened in it any more: it is a new one
        changed = changed.with_events(GameStarted(changed.variant, changed.custom_start))
    else:
        changed = changed.with_events(*[EndUndone()] * bool(session.declared_outcome))
        changed = changed.with_events(*[TurnsUndone(count)] * bool(count))
    said = f"Took back {_format_turn_count(count)}." if count else "The game goes on."
    return changed.update_board_state(undone=undone).with_message(said)


@apply_event.register
def _redo_turns(event: RedoTurns, session: Session) -> Session:
    if not session.undone_turns or session.declared_outcome:
        return session.refuse_event("There is nothing to play again.", event.instant)
    again = session.undone_turns[-event.turn_count :][::-1]
    redone = session.with_changes(
        turns=session.turns + again,
        undone_turns=session.undone_turns[: -len(again)],
        turn_is_fresh=len(again) == 1,
        changed_at=event.instant,
    ).with_events(TurnsRedone(len(again)))
    said = format_turn(again[0]) if len(again) == 1 else f"Played {_format_turn_count(len(again))} again."
    return redone.update_board_state(again).with_message(said)


@apply_event.register
def _apply_new_game(event: NewGame, session: Session) -> Session:
    return begin_game(session, event.variant, event.instant)


@apply_event.register
def _set_up_game(event: SetUpGame, session: Session) -> Session:
    position, variant = event.position, event.position.variant
    if variant.size > session.size:
        return begin_game(session, variant, event.instant)  # which says why not
    if why := explain_invalid_start(position):
        return session.refuse_event(why, event.instant)
    start = None if position == Position.start(variant) else position
    begun = begin_game(session, variant, event.instant, start)
    return begun.with_message("The game begins from a position that was set up by hand.")


def begin_game(session: Session, variant: Variant, at: float, start: Position | None = None) -> Session:
    """Another game on the same board, from a position or from the empty pond."""
    size = session.size
    if variant.size > size:
        return session.refuse_event(
            f"The {variant} pond is {variant.size}x{variant.size}; it does not fit this {size}x{size} board.", at
        )
    begun = replace(
        Session.start_game(variant, size, at, session.board_state),
        custom_start=start,
        unsaved_reason=session.unsaved_reason,
        game_events=(*session.game_events, *_list_start_events(session, GameStarted(variant, start))),
    )
    return begun.update_board_state()


def _list_start_events(session: Session, started: GameStarted) -> tuple[GameEvent, ...]:
    """What it means for the game that was there; nothing, if nothing has happened in it and it began just so."""
    is_untouched = not (session.turns or session.undone_turns or session.declared_outcome)
    if is_untouched and started == GameStarted(session.variant, session.custom_start):
        return (GameResumed(),) if session.resume_prompt else ()
    if session.resume_prompt:
        return (GameDeclined(), started)
    return (GameLeft(), started) if session.can_continue else (started,)


@apply_event.register
def _resign_game(event: ResignGame, session: Session) -> Session:
    side = session.position.to_move if event.side is None else event.side
    return _end_game(session, Outcome(side.other_side, EndReason.RESIGNATION), event.instant)


@apply_event.register
def _agree_draw(event: AgreeDraw, session: Session) -> Session:
    return _end_game(session, Outcome(None, EndReason.AGREEMENT), event.instant)


def _end_game(session: Session, ended: Outcome, at: float) -> Session:
    if session.outcome:
        return session.refuse_after_end(at)
    wood = session.board_state
    return session.with_changes(
        declared_outcome=ended,
        changed_at=at,
        message=format_outcome(ended, session.position),
        board_state=wood and replace(wood, is_interpreted=False, confirm_window=None, changed_at=at),
    ).with_events(GameEnded(ended))


def _format_turn_count(count: int) -> str:
    return "one turn" if count == 1 else f"{count} turns"

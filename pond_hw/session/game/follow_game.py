"""Following the log of a linked game, and the state of its link."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Action, IllegalAction, Position, find_outcome, play
from pond_hw.session.game import session_events as events
from pond_hw.session.game.link_view import LinkView
from pond_hw.session.game.new_game import begin_game, choose_resume
from pond_hw.session.game.resume_prompt import ResumeChoice
from pond_hw.session.game.session_state import SessionState, Turns
from pond_hw.session.turn_messages import describe_turn


def change_link(event: events.LinkChanged, session: SessionState) -> SessionState:
    before = session.link or LinkView()
    link = event.link._replace(game=before.game, side=before.side)
    if link == session.link:
        return session
    if not (link.running or link.game):
        return replace(session, link=None)
    cells_lit = bool(link.cells) and (session.cells_lit or link.cells != before.cells)
    return replace(session, link=link, cells_lit=cells_lit)


def follow_game(event: events.FollowGame, session: SessionState) -> SessionState:
    """Follow the log if the board fits. If the resume prompt offers this game, only resume it.

    Raises:
        PondError: the pond doesn't fit the board, or an action is illegal.
    """
    if session.trouble or session.exercise:
        return session
    if event.game != session.linked_game:
        return session if event.turn or event.keep else _begin_linked_game(event, session)
    if session.resume_prompt:
        return choose_resume(events.ChooseResume(ResumeChoice.RESUME, event.instant), session)
    if event.turn != len(session.turns):
        return session
    return _change_game(event, session)


def _begin_linked_game(event: events.FollowGame, session: SessionState) -> SessionState:
    if event.variant.size > session.size:
        name, size = event.variant.name, event.variant.size
        raise PondError(Message("variant.does_not_fit", variant=name, size=size, board=session.size))
    link = (session.link or LinkView())._replace(game=event.game, side=event.side)
    begun = replace(begin_game(session, event.variant, event.instant, Position.start(event.variant)), link=link)
    followed = _change_game(event, begun)
    if events.GameStarted in map(type, begun.game_events):  # the journal then writes the whole game
        followed = replace(followed, game_events=begun.game_events)
    return followed


def _change_game(event: events.FollowGame, session: SessionState) -> SessionState:
    kept, undone = session.turns[: event.keep], session.turns[event.keep :]
    position = kept[-1].after if kept else session.start_position
    new = _play(position, event.actions)
    if event.outcome and find_outcome(new[-1].after if new else position):
        raise IllegalAction(Message("illegal.game_over"))
    if not (undone or new) and event.outcome == session.declared_outcome:
        return session
    is_end_undone = session.declared_outcome is not None
    changed = session.with_changes(declared_outcome=None, turns=kept, changed_at=event.instant)
    if undone:
        changed = replace(changed, undone_turns=(*session.undone_turns, *undone[::-1]))
        changed = changed.update_board_state(undone_turns=undone)
    if new:
        is_fresh = len(new) == 1 and not undone
        changed = replace(changed, turns=kept + new, undone_turns=(), turn_is_fresh=is_fresh).update_board_state(new)
    if event.outcome:
        board_state = changed.board_state and changed.board_state.after_movement(event.instant)
        changed = replace(changed, declared_outcome=event.outcome, board_state=board_state)
    steps: list[events.GameEvent] = [events.EndUndone()] if is_end_undone else []
    steps += [events.TurnsUndone(len(undone))] if undone else []
    steps += [events.TurnTaken(turn.action) for turn in new]
    steps += [events.GameEnded(event.outcome)] if event.outcome else []
    if not (changed.turns or changed.undone_turns or changed.declared_outcome):
        steps.append(events.GameStarted(changed.variant))
    return changed.with_events(*steps).with_messages(*_describe_changes(undone, new))


def _play(position: Position, actions: tuple[Action, ...]) -> Turns:
    turns: Turns = ()
    for action in actions:
        turns = (*turns, play(position, action))
        position = turns[-1].after
    return turns


def _describe_changes(undone: Turns, new: Turns) -> tuple[Message, ...]:
    took_back = (Message("undo.done", count=len(undone)),) if undone else ()
    return (*took_back, *(describe_turn(new[-1]) if new else ()))

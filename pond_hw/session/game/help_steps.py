"""The steps that `Session.after` takes where people even the odds: help, hints, head starts, fair starts."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session.game import session_events
from pond_hw.session.game.game_steps import begin_game
from pond_hw.session.game.session import Session, apply_event
from pond_hw.session.game.settings import (
    SideHelp,
    describe_head_start,
    describe_help_level,
    describe_hint_limit,
    with_side,
)
from pond_hw.session.game.start_positions import (
    cap_head_start,
    find_fair_start,
    find_start,
    is_set_up,
    list_fair_starts,
)


@apply_event.register
def _set_help_level(event: session_events.SetHelpLevel, session: Session) -> Session:
    """In an exercise it counts at once, too, and not only in the game that waits."""
    levels = with_side(session.help_levels, event.side, event.level)
    side_help = find_side_help(session, event.side)._replace(level=event.level)
    said = describe_help_level(event.side, event.level)
    return _give_help(replace(session, help_levels=levels), event.side, side_help, event.instant, said)


@apply_event.register
def _set_head_start(event: session_events.SetHeadStart, session: Session) -> Session:
    side_help = find_side_help(session, event.side)._replace(head_start=event.pieces)
    is_now = _is_unbegun(session)
    pieces = cap_head_start(session.variant, event.pieces) if is_now else event.pieces
    said = describe_head_start(event.side, pieces, is_now=is_now)
    return _give_help(session, event.side, side_help, event.instant, said)


@apply_event.register
def _set_hint_limit(event: session_events.SetHintLimit, session: Session) -> Session:
    side_help = find_side_help(session, event.side)._replace(hint_limit=event.hints)
    return _give_help(session, event.side, side_help, event.instant, describe_hint_limit(event.side, event.hints))


@apply_event.register
def _recall_help(event: session_events.RecallHelp, session: Session) -> Session:
    before = find_side_help(session, event.side)
    changes = event.side_help.describe_changes(before, event.side, is_now=_is_unbegun(session))
    recalled = (Message("side_help.recalled", name=event.name),) if event.name else ()
    if not (changes or recalled):
        return session
    return _give_help(session, event.side, event.side_help, event.instant, *recalled, *changes)


def find_side_help(session: Session, side: Side) -> SideHelp:
    """What a side gets in games; in an exercise it may be something else."""
    levels = session.exercise.paused.help_levels if session.exercise else session.help_levels
    return SideHelp(levels[side], session.head_starts[side], session.hint_limits[side])


def _give_help(session: Session, side: Side, side_help: SideHelp, instant: float, *said: Message) -> Session:
    """A side gets something else from now on; the game begins anew if that counts at once."""
    had_start, run, levels = session.head_starts[side], session.exercise, session.help_levels
    if run:
        paused_levels = with_side(run.paused.help_levels, side, side_help.level)
        run = replace(run, paused=run.paused._replace(help_levels=paused_levels))
    else:
        levels = with_side(levels, side, side_help.level)
    changed = replace(
        session,
        exercise=run,
        help_levels=levels,
        head_starts=with_side(session.head_starts, side, side_help.head_start),
        hint_limits=with_side(session.hint_limits, side, side_help.hint_limit),
        refusal=None,
    )
    if side_help.head_start == had_start or not _is_unbegun(session):
        return changed.with_remark(*said)
    start = find_start(session.variant, changed.head_starts, find_fair_start(session.position))
    return begin_game(changed, session.variant, instant, start).with_messages(*said)


@apply_event.register
def _set_fair_start(event: session_events.SetFairStart, session: Session) -> Session:
    if event.is_on == session.starts_fair:
        return session
    variant = session.usual_variant
    if event.is_on and not list_fair_starts(variant):
        return session.refuse_event(event.instant, Message("fair_start.none", variant=variant.name))
    changed = replace(session, starts_fair=event.is_on, refusal=None)
    is_now = _is_unbegun(session)
    message = Message(f"fair_start.{'on' if event.is_on else 'off'}.{'now' if is_now else 'next'}")
    if not is_now:
        return changed.with_remark(message)
    return begin_game(changed, variant, event.instant).with_messages(message)


def _is_unbegun(session: Session) -> bool:
    """Whether nothing has happened in a game that began as games do."""
    if session.turns or session.undone_turns or session.declared_outcome or session.resume_prompt or session.exercise:
        return False
    return not is_set_up(session.custom_start)

"""Steps beside the game: the choice about an unfinished one, hints, and what people should know."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.board import Touch
from pond_hw.session.game_events import GameResumed
from pond_hw.session.hint import HINT_SECONDS, Hint, format_hint
from pond_hw.session.occupancy_messages import format_interpretation
from pond_hw.session.resume_prompt import ResumeChoice
from pond_hw.session.session import Session, apply_event
from pond_hw.session.session_events import (
    AskHint,
    ChooseResume,
    HintFound,
    RequestRefused,
    SavingChanged,
    ShowNotice,
    TroubleChanged,
)
from pond_hw.session.turn_steps import begin_game


def touch_resume_prompt(session: Session, touch: Touch) -> Session:
    """What is felt while a game is offered: a choice, or a piece that is put somewhere."""
    assert session.resume_prompt
    offer, cell = session.resume_prompt.after_touch(touch, pieces=session.board_state is not None)
    if session.board_state:
        session = replace(session, board_state=session.board_state.after_touch(*touch))
    elif session.trouble:
        return session.refuse_event(session.trouble, touch.instant) if touch.down else session
    session = replace(session, resume_prompt=offer)
    if cell is None or session.trouble:
        return session
    if offer.is_looking:
        shown_session = replace(session, resume_prompt=offer._replace(is_looking=False))
        return shown_session.with_changes(message=shown_session.format_resume_prompt())
    for resume_choice in ResumeChoice:
        if cell == resume_choice.value:
            return _choose_resume(ChooseResume(resume_choice, touch.instant), session)
    return session if session.board_state else session.refuse_event(session.format_resume_prompt(), touch.instant, cell)


@apply_event.register
def _choose_resume(event: ChooseResume, session: Session) -> Session:
    resume_prompt, instant = session.resume_prompt, event.instant
    if not resume_prompt:
        return session.refuse_event("There is no game to be chosen about.", instant)
    match event.choice:
        case ResumeChoice.RESUME:
            goes_on = replace(session, resume_prompt=None).with_events(GameResumed()).after_wakeup(instant)
            return goes_on.with_changes(changed_at=instant).with_message("The game goes on.")
        case ResumeChoice.LOOK:
            looking_session = replace(session, resume_prompt=resume_prompt._replace(is_looking=True, half_touch=None))
            return looking_session.with_changes(message=looking_session.format_resume_prompt())
        case ResumeChoice.DISCARD:
            return begin_game(session, resume_prompt.fallback_variant or session.variant, instant)
    raise TypeError(f"{event.choice} is no choice.")


@apply_event.register
def _ask_hint(event: AskHint, session: Session) -> Session:
    """A hint is thought about, or the one that is there stays for longer."""
    instant = event.instant
    if session.outcome:
        return session.refuse_after_end(instant)
    board_state = session.board_state
    if board_state and session.game_phase not in ("act", "take_off", "in_hand"):
        announced_masked = board_state.sensors.announced_masked
        board_meaning = format_interpretation(session, board_state, announced_masked, session.format_next())
        return session.refuse_event(f"No hint before that. {board_meaning}", instant)
    hint = session.hint or Hint()
    return _show_hint(session, hint._replace(visible_until=instant + HINT_SECONDS) if hint.action else hint)


@apply_event.register
def _take_hint(event: HintFound, session: Session) -> Session:
    """The hint has come, if it is still waited for."""
    if session.hint is None or event.action not in session.allowed_actions:
        return session
    return _show_hint(session, Hint(event.action, event.action_value, event.instant + HINT_SECONDS))


def _show_hint(session: Session, shown_hint: Hint) -> Session:
    hint_text = format_hint(session.position, shown_hint)
    return session.with_changes(hint=shown_hint, message=hint_text, turn_is_fresh=session.turn_is_fresh)


@apply_event.register
def _refuse_request(event: RequestRefused, session: Session) -> Session:
    return session.refuse_event(event.sentence, event.instant, event.cell)


@apply_event.register
def _change_trouble(event: TroubleChanged, session: Session) -> Session:
    if event.sentence == session.trouble:
        return session
    trouble_text = event.sentence or f"The board is back. {session.format_next()}"
    changed_session = replace(session, trouble=event.sentence, message=trouble_text, refusal=None, turn_is_fresh=False)
    return changed_session.after_wakeup(event.instant)


@apply_event.register
def _show_notice(event: ShowNotice, session: Session) -> Session:
    return replace(session, message=event.sentence)


@apply_event.register
def _change_saving(event: SavingChanged, session: Session) -> Session:
    return session if event.trouble == session.unsaved_reason else replace(session, unsaved_reason=event.trouble)

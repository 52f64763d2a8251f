"""The steps that `Session.after` takes for the menu of the board: it opens, and somebody chooses a cell of it."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.rules import Cell, parse_variant
from pond_hw.session.game import session_events
from pond_hw.session.game.game_steps import begin_game
from pond_hw.session.game.menu import describe_menu, list_menu, make_help_event
from pond_hw.session.game.played_game import GAMES_MENU
from pond_hw.session.game.session import Session, apply_event
from pond_hw.session.pieces.interpretations import ChoosingVariant

MENU_SECONDS = 60.0
"""How long the menu of a board with buttons stays open if nobody presses: a button that sticks must not stop a game."""


@apply_event.register
def _open_menu(event: session_events.OpenGameMenu, session: Session) -> Session:
    if session.exercise:
        return apply_event(session_events.PauseExercise(event.instant), session)
    if session.board_state:  # there the menu opens when the board is cleared
        return session
    return _open_page(session.with_changes(hint=None), GAMES_MENU, event.instant)


def choose_from_menu(session: Session, cell: Cell, instant: float) -> Session:
    """Somebody has chosen a cell of the menu."""
    choice = list_menu(session)[cell]
    match choice.kind:
        case "phones":
            return apply_event(session_events.SendPhonesAway(instant), session)
        case "course" | "page":
            return _open_page(session, choice.name, instant)
        case "value":
            assert session.open_menu
            return _choose_value(session, session.open_menu, choice.name, instant)
        case "exercise":
            assert session.open_menu
            return apply_event(session_events.StartExercise(session.open_menu, instant, choice.name), session)
    return begin_game(session, parse_variant(choice.name), instant)


def _open_page(session: Session, page: str, instant: float) -> Session:
    has_pieces = session.board_state is not None
    open_menu = None if has_pieces and page == GAMES_MENU else page  # there that one is open as long as the menu is
    opened = replace(session, open_menu=open_menu, menu_until=instant + MENU_SECONDS)
    return replace(opened, messages=describe_menu(opened, None, has_pieces=has_pieces))


def _choose_value(session: Session, page: str, value: str, instant: float) -> Session:
    """A setting has another value; its page stays open, so that the lamps show which."""
    changed = apply_event(make_help_event(page, value, instant), session)
    if changed.board_state and changed.board_state is not session.board_state:  # the game has begun anew
        dialogue = replace(changed.board_state.dialogue, interpretation=ChoosingVariant())
        changed = replace(changed, board_state=replace(changed.board_state, dialogue=dialogue))
    opened = _open_page(changed, page, instant)
    return replace(opened, messages=(changed.messages[0], *opened.messages))

"""The pages of the board's menu that even the odds: one lists the settings, and each of these has one with its values."""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Side
from pond_hw.session.game import session_events
from pond_hw.session.game.head_start import MOST_HEAD_START
from pond_hw.session.game.help_level import HelpLevel
from pond_hw.session.game.hint_limit import HINT_LIMIT_CHOICES
from pond_hw.session.game.menu_choice import MenuChoice
from pond_hw.session.game.played_game import GAMES_MENU, PlayedGame

HELP_MENU = "help"
"""The page that lists the settings."""

FAIR_START = "fair_start"
"""The page of the setting that is not one of a side."""

_VALUES = {
    "level": tuple(level.value for level in HelpLevel),
    "hints": tuple(str(hints or "any") for hints in HINT_LIMIT_CHOICES),
    "head_start": tuple(map(str, range(MOST_HEAD_START + 1))),
    FAIR_START: ("off", "on"),
}
"""The values of each kind of setting, in the order of their cells."""


def list_help_page(game: PlayedGame) -> dict[Cell, MenuChoice] | None:
    """What the cells of the open page stand for; None if it is none of these.

    The settings of light are in the lowest row, those of dark above them. The last cell leads back.
    """
    cells, page = game.board_grid.cells, game.open_menu
    if page == HELP_MENU:
        rows = [[f"{side}.{kind}" for kind in ("level", "hints", "head_start")] for side in Side]
        menu = {
            cell: MenuChoice("page", name)
            for row, names in enumerate([*rows, [FAIR_START]])
            for cell, name in zip(cells[row * game.size :], names, strict=False)
        }
        return menu | {cells[-1]: MenuChoice("page", GAMES_MENU, is_usual=True)}
    kind = _find_kind(page)
    if not page or kind is None:
        return None
    value_now = _find_value(game, page)
    values = {
        cell: MenuChoice("value", name, name == value_now) for cell, name in zip(cells, _VALUES[kind], strict=False)
    }
    return values | {cells[-1]: MenuChoice("page", HELP_MENU)}


def describe_help_choice(page: str, choice: MenuChoice) -> Message:
    """What a cell of these pages stands for, in a few words."""
    if choice.kind == "page":
        return _describe_page(choice.name)
    kind = _find_kind(page)
    if choice.name.isdecimal():
        return Message(f"setting.{kind}.count", count=int(choice.name))
    return Message(f"setting.{kind}.{choice.name}")


def make_help_event(page: str, value: str, instant: float) -> session_events.SessionEvent:
    """What happens when a value is chosen on the page of its setting."""
    if page == FAIR_START:
        return session_events.SetFairStart(value == "on", instant)
    side, kind = _split_page(page)
    match kind:
        case "level":
            return session_events.SetHelpLevel(side, HelpLevel(value), instant)
        case "hints":
            return session_events.SetHintLimit(side, None if value == "any" else int(value), instant)
    return session_events.SetHeadStart(side, int(value), instant)


def _describe_page(page: str) -> Message:
    if page in (GAMES_MENU, HELP_MENU):
        return Message("setting.back")
    if page == FAIR_START:
        return Message("setting.fair_start")
    side, kind = _split_page(page)
    return Message(f"setting.{kind}", side=str(side))


def _find_kind(page: str | None) -> str | None:
    """The kind of setting that a page is for; None if it is for none."""
    kind = (page or "").rpartition(".")[2]
    return kind if kind in _VALUES else None


def _split_page(page: str) -> tuple[Side, str]:
    side_name, _, kind = page.partition(".")
    return Side[side_name.upper()], kind


def _find_value(game: PlayedGame, page: str) -> str:
    if page == FAIR_START:
        return "on" if game.starts_fair else "off"
    side, kind = _split_page(page)
    values = {
        "level": game.help_levels[side].value,
        "hints": str(game.hint_limits[side] or "any"),
        "head_start": str(game.head_starts[side]),
    }
    return values[kind]

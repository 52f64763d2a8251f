"""Menu on the board: the choices on its cells, and their messages.

The first page has the variants, the courses (top row) and the settings. Each course has a page of exercises, and each
setting has a page of values. A board with pieces opens the menu when it is cleared (`pieces.interpreter`), a board with
buttons after a long press (`long_presses`).
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, Cell, Side, Variant, get_grid
from pond_hw.session.game import session_events as events
from pond_hw.session.game.exercise import Course
from pond_hw.session.game.played_game import GAMES_MENU, PlayedGame
from pond_hw.session.game.settings import FAIR_START, MENU_ROW, SETTINGS, Setting


class MenuChoice(NamedTuple):
    """Choice on a menu cell; `is_default` marks the current variant, the current value or the next exercise."""

    kind: str
    name: str = ""
    is_default: bool = False


HELP_MENU = "help"
"""Name of the page that lists the settings."""


def list_help_page(game: PlayedGame) -> dict[Cell, MenuChoice] | None:
    """Return the choices of the open settings page; None if another page is open.

    Light's settings are in the bottom row, and dark's are in the row above. The last cell returns to the previous page.
    """
    cells, page = game.board_grid.cells, game.open_menu
    if page == HELP_MENU:
        rows = [[f"{side}.{setting.page}" for setting in MENU_ROW] for side in Side]
        menu = {
            cell: MenuChoice("page", name)
            for row, names in enumerate([*rows, [FAIR_START.page]])
            for cell, name in zip(cells[row * game.size :], names, strict=False)
        }
        return menu | {cells[-1]: MenuChoice("page", GAMES_MENU, is_default=True)}
    if page is None or (found := _find_setting(page)) is None:
        return None
    setting, side = found
    value_now = game.find_value(setting, side)
    values = {
        cell: MenuChoice("value", name, value == value_now)
        for cell, (name, value) in zip(cells, setting.menu_values.items(), strict=False)
    }
    return values | {cells[-1]: MenuChoice("page", HELP_MENU)}


def describe_help_choice(page: str, choice: MenuChoice) -> Message:
    if choice.kind == "page":
        found = _find_setting(choice.name)
        return describe_setting(*found) if found else Message("setting.back")
    found = _find_setting(page)
    assert found
    return describe_setting_value(found[0], choice.name)


def describe_setting(setting: Setting, side: Side | None) -> Message:
    return Message(f"setting.{setting.page}", **({} if side is None else {"side": str(side)}))


def describe_setting_value(setting: Setting, value_name: str) -> Message:
    if value_name.isdecimal():
        return Message(f"setting.{setting.page}.count", count=int(value_name))
    return Message(f"setting.{setting.page}.{value_name}")


def make_help_event(page: str, value_name: str, instant: float) -> events.ChangeSetting:
    found = _find_setting(page)
    assert found
    setting, side = found
    return events.ChangeSetting(setting, side, setting.menu_values[value_name], instant)


def _find_setting(page: str) -> tuple[Setting, Side | None] | None:
    for setting in SETTINGS.values():
        for side in Side if setting.is_per_side else (None,):
            if page == (setting.page if side is None else f"{side}.{setting.page}"):
                return setting, side
    return None


def find_open_course(game: PlayedGame) -> Course | None:
    return next((course for course in game.courses if course.name == game.open_menu), None)


def list_menu(game: PlayedGame) -> dict[Cell, MenuChoice]:
    """Return the choices on the open page, or on the first page if none is open."""
    cells = game.board_grid.cells
    if course := find_open_course(game):
        default = course.next_exercise
        choices = (MenuChoice("exercise", each.name, each is default) for each in course.exercises)
        # Exercises that do not fit are reached from the previous one. A free cell lets players leave the menu.
        return dict(zip(cells[:-1], choices, strict=False))
    if (help_page := list_help_page(game)) is not None:
        return help_page
    menu = {
        cell: MenuChoice("variant", variant.name, variant[1:] == game.variant[1:])  # compare without the name
        for cell, variant in variants_by_cell(game.size, game.variant).items()
    }
    top_row = cells[-game.size :]
    menu |= {cell: MenuChoice("course", course.name) for cell, course in zip(top_row, game.courses, strict=False)}
    menu[cells[-2 * game.size]] = MenuChoice("page", HELP_MENU)
    if phones_cell := find_phones_cell(game):
        menu[phones_cell] = MenuChoice("phones")
    return menu


def describe_menu(game: PlayedGame, picked_cell: Cell | None, *, has_pieces: bool) -> tuple[Message, ...]:
    menu = list_menu(game)
    if picked_cell and picked_cell in menu:
        return (_describe_picked(game, picked_cell, menu[picked_cell]),)
    how_to_leave = Message("menu.go_on" if has_pieces else "menu.go_on_buttons")
    if course := find_open_course(game):
        titles = {each.name: each.title for each in course.exercises}
        exercises = tuple(Message("menu.exercise", cell=cell, title=titles[each.name]) for cell, each in menu.items())
        return Message("menu.choose_exercise", exercises=exercises), how_to_leave
    if list_help_page(game) is not None:
        assert game.open_menu
        choices = tuple(
            Message("menu.exercise", cell=cell, title=describe_help_choice(game.open_menu, each))
            for cell, each in menu.items()
        )
        return Message("menu.choose_exercise", exercises=choices), how_to_leave
    variants = tuple(
        Message("menu.pond", cell=cell, variant=each.name) for cell, each in menu.items() if each.kind == "variant"
    )
    courses = tuple(Message(f"menu.{each.name}", cell=cell) for cell, each in menu.items() if each.kind == "course")
    help_page = tuple(Message("menu.help", cell=cell) for cell, each in menu.items() if each.kind == "page")
    send_away = "menu.phones" if has_pieces else "menu.phones_buttons"
    phones = tuple(Message(send_away, cell=cell) for cell, each in menu.items() if each.kind == "phones")
    choose = Message("menu.choose" if has_pieces else "menu.choose_buttons", choices=variants)
    return choose, *courses, *help_page, *phones, how_to_leave


def _describe_picked(game: PlayedGame, cell: Cell, choice: MenuChoice) -> Message:
    match choice.kind:
        case "phones":
            return Message("menu.picked_phones", cell=cell)
        case "variant":
            return Message("menu.picked", cell=cell, variant=choice.name)
        case "course":
            return Message("menu.picked_course", cell=cell)
        case "page" if list_help_page(game) is None:
            return Message("menu.picked_course", cell=cell)
        case "page" | "value":
            title = describe_help_choice(game.open_menu or "", choice)
            return Message("menu.picked_setting", cell=cell, title=title)
    course = find_open_course(game)
    exercise = course.find_exercise(choice.name) if course else None
    assert exercise
    return Message("menu.picked_exercise", cell=cell, title=exercise.title)


def find_phones_cell(game: PlayedGame) -> Cell | None:
    """Return the menu cell that takes away the phones' seats; None if there is no phone page."""
    return None if game.seat_count is None else game.board_grid.cells[-1]


def variants_by_cell(size: int, variant: Variant) -> dict[Cell, Variant]:
    """Return the variants on the first menu page by cell, starting at a1, without duplicates.

    The current `variant` is included even if it has no name.
    """
    menu_variants: list[Variant] = []
    for candidate in (*VARIANTS.values(), variant):
        if candidate.size <= size and all(candidate[1:] != menu_variant[1:] for menu_variant in menu_variants):
            menu_variants.append(candidate)
    return dict(zip(get_grid(size).cells, menu_variants, strict=False))

"""Help, hint limits, head starts and fair starts, set in the board's menu."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import Action, parse_variant
from pond_hw.session import UNLIMITED_HINTS, CellRole, HelpLevel
from pond_hw.session.game.settings import HEAD_START, HELP, HINT_LIMIT
from pond_hw.session.game.touches import MENU_SECONDS
from tests.exercises.table import LessonTable
from tests.messages.says import ids, text
from tests.session.tables import values_by_side

BOARDS = pytest.mark.parametrize("pieces", [False, True], ids=["buttons", "pieces"])


def table_after(pieces, *actions, **options):
    """Return a table after these actions."""
    table = LessonTable(pieces=pieces, **options)
    for action in actions:
        table.act(Action.from_notation(action)).follow_lamps()
    return table


def current_choices(table):
    """Return the cells of the current value or default choice."""
    return table.shown(CellRole.DEFAULT_CHOICE)


def close_menu(table, pieces):
    """Return to the game: press another cell, or put the pieces back."""
    if table.pieces:
        for cell, piece in pieces.items():
            table.hands.drop(cell, piece.owner)
            table.wait()
    else:
        dark_cell = next(cell for cell in ("d2", "c2") if cell not in table.session.view.menu_choices)
        table.press(dark_cell)
    return table.wait()


@pytest.mark.slow
@BOARDS
def test_help_is_set_for_each_side_during_game(pieces):
    table = table_after(pieces, "@a1", "@d4")
    before = table.session.position
    table.open_menu().tap("a3")
    assert table.shown(CellRole.CHOICE, CellRole.DEFAULT_CHOICE) == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "d4"]
    assert current_choices(table) == ["d4"], "only the last cell, which leads back, is lit as default"
    table.tap("a1")
    assert current_choices(table) == ["c1"], "full help, as before"
    table.tap("d1")
    assert current_choices(table) == ["d1"], "the page stays open and shows what was chosen"
    assert table.session.messages[0] == Message("help_level.warnings", side="light")
    table.tap("d4").tap("a2").tap("a1")
    assert current_choices(table) == ["a1"]
    assert values_by_side(table.session, HELP) == (HelpLevel.WARNINGS, HelpLevel.NONE)
    table.tap("d4")
    close_menu(table, before.pieces)
    assert (table.session.game_phase, table.session.position) == ("act", before)
    table.act(Action.from_notation("@b1")).follow_lamps()
    assert len(table.session.turns) == 3


@pytest.mark.slow
@BOARDS
def test_hint_limit_can_be_set_at_the_board(pieces):
    table = table_after(pieces, "@a1", "@d4")
    before = table.session.position
    table.open_menu().choose("help", "light.hints")
    assert current_choices(table) == ["a1"], "any number"
    assert "a1 any number, b1 12 hints" in text(*table.session.messages)
    table.choose("1", "help", "dark.hints", "6", "help")
    assert values_by_side(table.session, HINT_LIMIT) == (1, 6)
    close_menu(table, before.pieces)
    if pieces:  # in a game with pieces, only screens can ask for a hint
        return
    table.press("a1", 2.5)
    assert ids(table.session.messages)[-1] == "hint_limit.last"
    table.act(Action.from_notation("@c2"))
    table.act(Action.from_notation("@c4"))
    table.press("c2" if "c2" not in table.session.legal_targets else "a1", 2.5)
    assert ids(table.session.messages) == ["hint_limit.used_up"]


@pytest.mark.slow
@BOARDS
def test_head_start_can_be_set_at_the_board(pieces):
    table = table_after(pieces, "@a1", "@d4")
    table.open_menu().choose("help", "dark.head_start")
    assert "a1 0 pieces ahead, b1 1 piece ahead" in text(*table.session.messages)
    table.choose("3")
    assert current_choices(table) == ["d1"]
    assert table.session.messages[0] == Message("head_start.next", side="dark", count=3)
    table.choose("help", "games", "standard").follow_lamps()
    assert table.session.position.scored == (0, 3)
    table.act(Action.from_notation("@b2")).follow_lamps()
    assert len(table.session.turns) == 1


@pytest.mark.slow
@BOARDS
def test_fair_start_can_be_set_at_the_board(pieces):
    table = table_after(pieces, "@a1", "@d4")
    table.open_menu().choose("help", "fair_start")
    assert current_choices(table) == ["a1"]
    table.choose("on")
    assert current_choices(table) == ["b1"]
    assert table.session.messages[0].id == "fair_start.on.next"
    table.choose("help", "games", "mini").follow_lamps()
    assert len(table.session.position.pieces) == 4
    assert table.session.game_phase == "act"
    if pieces:
        assert table.hands.occupied_cells == set(table.session.position.pieces)


@pytest.mark.slow
@BOARDS
def test_setting_that_restarts_game_keeps_menu_open(pieces):
    table = table_after(pieces, "@a1", "@d4")
    table.open_menu().choose("help", "fair_start", "on", "help", "games", "standard").follow_lamps()
    table.open_menu().choose("help", "fair_start", "off")
    assert table.session.messages[0].id == "fair_start.off.now"
    assert (table.session.game_phase, current_choices(table)) == ("menu", ["a1"])
    assert not table.session.position.pieces
    table.wait(10.0)
    table.choose("help", "light.head_start", "2")
    assert (table.session.game_phase, current_choices(table)) == ("menu", ["c1"])
    table.choose("help", "games", "standard").follow_lamps()
    table.act(Action.from_notation("@b2")).follow_lamps()
    assert (table.session.game_phase, table.session.position.scored) == ("act", (2, 0))


@pytest.mark.slow
def test_idle_menu_closes_with_buttons():
    table = table_after(False, "@a1", "@d4")
    table.open_menu().choose("help", "light.level", "none")
    table.wait(MENU_SECONDS - 2)
    assert table.session.game_phase == "menu"
    table.wait(3)
    assert table.session.game_phase == "act"
    assert table.session.side_helps[0].help is HelpLevel.NONE


def test_menu_choice_under_placed_piece_is_described():
    table = table_after(True, "@a1", "@d4")
    table.open_menu()
    table.hands.drop("a3")
    table.wait(1.0)
    assert table.session.messages == (Message("menu.picked_course", cell="a3"),)
    table.take("a3")
    table.wait(1.0)
    table.hands.drop("c2")
    table.wait(1.0)
    title = Message("setting.head_start", side="dark")
    assert table.session.messages == (Message("menu.picked_setting", cell="c2", title=title),)
    assert values_by_side(table.session, HEAD_START) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("pond", ["3x3/9/5", "big"])
@BOARDS
def test_every_setting_fits_every_board(pieces, pond):
    """Includes the fair start, which needs a named pond."""
    corner, is_named = {"3x3/9/5": ("c2", False), "big": ("e5", True)}[pond]
    table = table_after(pieces, "@a1", f"@{corner}", pond=parse_variant(pond))
    table.open_menu().choose("help")
    settings = [choice.name for choice in table.session.view.menu_choices.values()]
    assert settings[-1] == "games"
    for name in settings[:-1]:
        table.choose(name)
        values = [choice for choice in table.session.view.menu_choices.values() if choice.kind == "value"]
        assert [choice.is_default for choice in values].count(True) == 1
        table.choose(values[-1].name, "help")
    session = table.session
    assert values_by_side(session, HELP) == (HelpLevel.WARNINGS, HelpLevel.WARNINGS)
    assert (values_by_side(session, HEAD_START), values_by_side(session, HINT_LIMIT), session.fair_start) == (
        (5, 5),
        (1, 1),
        is_named,
    )
    for name in settings[:-1]:
        default = {"level": "full", "hints": "any", "head_start": "0", "fair_start": "off"}[name.rpartition(".")[2]]
        table.choose(name, default, "help")
    session = table.session
    assert (
        values_by_side(session, HELP),
        values_by_side(session, HINT_LIMIT),
        values_by_side(session, HEAD_START),
    ) == (
        (HelpLevel.FULL, HelpLevel.FULL),
        UNLIMITED_HINTS,
        (0, 0),
    )


@pytest.mark.slow
@BOARDS
def test_setting_chosen_at_board_is_saved_for_player(tmp_path, pieces):
    table = table_after(pieces, "@a1", "@d4", folder=tmp_path, names=("Ada", "Ben"))
    table.open_menu().choose("help", "light.level", "targets", "help", "light.head_start", "2")
    table.choose("help", "games", "standard").follow_lamps()
    table.companion.close()
    again = LessonTable(pieces=pieces, folder=tmp_path, names=("Ben", "Ada"))
    assert values_by_side(again.session, HELP) == (HelpLevel.FULL, HelpLevel.TARGETS)
    assert again.session.position.scored == (0, 2)

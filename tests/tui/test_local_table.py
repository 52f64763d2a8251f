"""A game is left in the middle, and the next evening somebody sits down at the terminal again."""

from types import SimpleNamespace

import pytest
from textual.widgets import Button

from pond_hw.companion import SimulatedClock
from pond_hw.companion.saved_state import find_resuming_players
from pond_hw.engine import SeatedPlayers
from pond_hw.engine.player_name import name_player
from pond_hw.journal.folder import read_all_games
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, VARIANTS, parse_variant
from pond_hw.session import prompt_turn
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui.dialogs import ResumeDialog
from pond_hw.tui.local_table import LocalTable, TableOptions
from tests.conftest import first_now_rest_long
from tests.messages.says import text
from tests.tui.terminal_table import at, shown


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "games"


def evening(folder, *keys, then=None, pond="standard", **how):
    """Press these keys at a table whose games are kept; give back the program that has ended."""

    async def play(table):
        await table.press(*keys)
        if then:
            await then(table)

    return at(play, pond, folder=folder, **how)


def asked(table):
    """What the dialog says."""
    return " ".join(shown(each) for each in table.app.screen.query("Label, Button"))


def game(variant, turns, side):
    """A game in which nothing has scored, in a few words."""
    return Message("game.going_on", variant=variant, count=turns, light=0, dark=0, side=side)


def test_game_begins_after_reading_the_journal(monkeypatch):
    clock = SimulatedClock()
    monkeypatch.setattr("pond_hw.tui.local_table.open_journal", lambda *_, **__: clock.advance_to(2.0))
    table = LocalTable(STANDARD, SeatedPlayers(), TableOptions(clock=clock))
    assert table.view.changed_at == 2.0
    table.close()


@pytest.mark.slow
def test_left_game_is_offered_and_resumed(folder):
    evening(folder, "b", "2", "enter", "c", "3", "enter")

    async def look(table):
        assert isinstance(table.app.screen, ResumeDialog)
        assert text(Message("resume_dialog.title"), game("standard", 2, "light")) in asked(table)
        assert [shown(each) for each in table.app.screen.query(Button)] == [
            text(Message(f"resume_dialog.{choice}")) for choice in ("resume", "look", "discard", "quit")
        ]
        await table.press("c")
        assert len(table.app.screen_stack) == 1
        assert text(Message("game.goes_on"), prompt_turn(table.session.position)) in table.words
        await table.touch("a1")
        assert table.position == "..../..e./.E../E..."

    evening(folder, then=look)


@pytest.mark.slow
@pytest.mark.parametrize("keys", first_now_rest_long(["right right enter", "down down space", "n"]))
def test_arrows_move_between_buttons(folder, keys):
    evening(folder, "b", "2", "enter")

    async def look(table):
        assert table.app.screen.focused.id == "resume"
        await table.press(*keys.split())
        assert (table.session.turns, table.session.game_phase) == ((), "act")

    evening(folder, then=look)


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [None, PieceOptions()])
def test_look_then_choose(folder, pieces):
    evening(folder, "b", "2", "enter")

    async def look(table):
        await table.press("l")
        assert len(table.app.screen_stack) == 1
        offer = Message("resume.ask", game=game("standard", 1, "dark"))
        assert text(offer, Message("status.how_to_resume")) in table.words
        assert table.board["b2"].letter == "E"
        assert "▲" not in table.board["a1"].letter
        await table.press("escape")
        assert isinstance(table.app.screen, ResumeDialog)
        await table.press("l")
        await table.press("q")
        assert table.app.return_code == 0

    app = evening(folder, then=look, pieces=pieces)
    assert app.game_table.farewell.id == "farewell.saved"


@pytest.mark.slow
def test_declined_resume_begins_requested_game(folder):
    evening(folder, "b", "2", "enter")

    async def look(table):
        assert table.app.game_table.companion.board.size == 4  # it fits the game that is asked about
        human = Message("player.human")
        new_game = Message("resume_dialog.new_game", variant="big", light=human, dark="greedy")
        assert text(new_game, Message("resume_dialog.kept")) in asked(table)
        await table.press("n")
        assert (table.session.variant, table.session.size) == (VARIANTS["big"], 5)
        assert text(Message("status.pond", variant="big", size=5, target=10)) in table.words
        await table.touch("e5")
        await table.wait(3)

    evening(folder, then=look, pond="big", dark="greedy")

    async def look_again(table):  # and the next evening that one is asked about, whatever board is asked for
        assert text(game("big", 2, "light")) in asked(table)
        await table.press("n")
        assert (table.session.variant, table.session.size) == (STANDARD, 4)

    evening(folder, then=look_again)
    saved_games, _ = read_all_games(folder)
    assert [(game.projection.variant.name, len(game.projection.turns), game.facts["size"]) for game in saved_games][
        -2:
    ] == [
        ("standard", 1, 4),
        ("big", 2, 5),
    ]


@pytest.mark.slow
def test_named_people_return_on_resume(folder):
    evening(folder, "b", "2", "enter", names=("Ada", "Ben"))

    async def go_on(table):
        human = Message("player.human")
        new_game = Message("resume_dialog.new_game", variant="standard", light=human, dark=name_player("level-2", None))
        assert text(Message("resume_dialog.players", light="Ada", dark="Ben")) in asked(table)
        assert text(new_game) in asked(table)
        await table.press("c")
        assert f"LIGHT Ada {text(Message('status.letters.light'))}" in table.words
        assert f"▶ DARK Ben {text(Message('status.letters.dark'))}" in table.words
        await table.wait(5)
        assert len(table.session.turns) == 1  # nobody plays for Ben
        await table.touch("c3")
        assert len(table.session.turns) == 2
        await table.press("x", "y", "n", "enter")  # another game after that one is theirs, too
        await table.touch("a1")

    evening(folder, then=go_on, dark="level-2")
    saved_games, _ = read_all_games(folder)
    assert [(game.facts["light"], game.facts["dark"], len(game.projection.turns)) for game in saved_games] == [
        ("Ada", "Ben", 2),
        ("Ada", "Ben", 1),
    ]


@pytest.mark.slow
def test_program_returns_on_resume(folder):
    async def play(table):
        await table.wait(3)

    evening(folder, "b", "2", "enter", then=play, dark="greedy")

    async def go_on(table):
        assert text(Message("resume_dialog.players", light=Message("player.human"), dark="greedy")) in asked(table)
        await table.press("c")
        assert f"DARK greedy {text(Message('status.letters.dark'))}" in table.words
        await table.touch("a1")
        await table.wait(3)
        assert len(table.session.turns) == 4

    evening(folder, then=go_on, names=("Ada", "Ben"))


@pytest.mark.slow
def test_farewell_explains_resume(folder, monkeypatch):
    assert evening(folder).game_table.farewell is None  # nothing has happened
    left = evening(folder, "b", "2", "enter").game_table.farewell
    assert left == Message("farewell.saved", command=f"pond play --journal {folder}")
    monkeypatch.setenv("POND_JOURNAL", str(folder))
    assert evening(folder, "c").game_table.farewell == Message("farewell.saved", command="pond play")
    with_pieces = evening(folder, "c", pieces=PieceOptions()).game_table.farewell
    assert with_pieces == Message("farewell.saved", command="pond play --pieces")
    assert evening(folder, "c", "x", "y").game_table.farewell is None  # it is over
    assert evening(None, "b", "2", "enter").game_table.farewell is None  # it is not kept


@pytest.mark.parametrize("name", [7, "", "\x1b[2Jlevel", "search@d6"])
def test_resume_with_any_player_names(folder, name):
    facts = {"light": name, "dark": "level-3"}
    seats = find_resuming_players(SimpleNamespace(unfinished_game=SimpleNamespace(facts=facts)))
    assert seats.players[0] is None
    assert seats.players[1].name == "level-3"
    assert seats.names[1] is None
    assert "\x1b" not in str(seats.names[0])


@pytest.mark.slow
def test_custom_pond_resumes_on_its_board(folder):
    evening(folder, "b", "2", "enter", pond="3x3/9/5")

    async def look(table):
        await table.press("c")
        assert (table.session.variant, table.session.size) == (parse_variant("3x3/9/5"), 3)

    evening(folder, then=look, pond="big")

"""Tests of resuming an unfinished game in the terminal."""

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
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.tui.terminal_table import run_terminal, widget_text


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "games"


def run_session(folder, *keys, then=None, pond="standard", **how):
    """Run the terminal app with saved games, press keys, and return the app."""

    async def play(table):
        await table.press(*keys)
        if then:
            await then(table)

    return run_terminal(play, pond, folder=folder, **how)


def dialog_text(table):
    return " ".join(widget_text(each) for each in table.app.screen.query("Label, Button"))


def game_message(variant, turns, side):
    """Return the description of a game without scored pieces."""
    return Message("game.going_on", variant=variant, count=turns, light=0, dark=0, side=side)


def test_game_begins_after_reading_the_journal(monkeypatch):
    clock = SimulatedClock()
    monkeypatch.setattr("pond_hw.tui.local_table.open_journal", lambda *_, **__: clock.advance_to(2.0))
    table = LocalTable(STANDARD, SeatedPlayers(), TableOptions(clock=clock))
    assert table.view.changed_at == 2.0
    table.close()


@pytest.mark.slow
def test_unfinished_game_is_offered_and_resumed(folder):
    run_session(folder, "b", "2", "enter", "c", "3", "enter")

    async def look(table):
        assert isinstance(table.app.screen, ResumeDialog)
        assert text(Message("resume_dialog.title"), game_message("standard", 2, "light")) in dialog_text(table)
        assert [widget_text(each) for each in table.app.screen.query(Button)] == [
            text(Message(f"resume_dialog.{choice}")) for choice in ("resume", "look", "discard", "quit")
        ]
        await table.press("c")
        assert len(table.app.screen_stack) == 1
        assert text(Message("game.goes_on"), prompt_turn(table.session.position)) in table.status_text
        await table.touch("a1")
        assert table.position == "..../..e./.E../E..."

    run_session(folder, then=look)


@pytest.mark.slow
@pytest.mark.parametrize("keys", long_after_first(["right right enter", "down down space", "n"]))
def test_arrows_move_between_buttons(folder, keys):
    run_session(folder, "b", "2", "enter")

    async def look(table):
        assert table.app.screen.focused.id == "resume"
        await table.press(*keys.split())
        assert (table.session.turns, table.session.game_phase) == ((), "act")

    run_session(folder, then=look)


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [None, PieceOptions()])
def test_game_can_be_viewed_before_choosing(folder, pieces):
    run_session(folder, "b", "2", "enter")

    async def look(table):
        await table.press("l")
        assert len(table.app.screen_stack) == 1
        offer = Message("resume.ask", game=game_message("standard", 1, "dark"))
        assert text(offer, Message("status.how_to_resume")) in table.status_text
        assert table.board["b2"].letter == "E"
        assert "▲" not in table.board["a1"].letter
        await table.press("escape")
        assert isinstance(table.app.screen, ResumeDialog)
        await table.press("l")
        await table.press("q")
        assert table.app.return_code == 0

    app = run_session(folder, then=look, pieces=pieces)
    assert app.game_table.farewell.id == "farewell.saved"


@pytest.mark.slow
def test_declined_resume_begins_requested_game(folder):
    run_session(folder, "b", "2", "enter")

    async def look(table):
        assert table.app.game_table.companion.board.size == 4  # it fits the unfinished game
        human = Message("player.human")
        new_game = Message("resume_dialog.new_game", variant="big", light=human, dark="greedy")
        assert text(new_game, Message("resume_dialog.kept")) in dialog_text(table)
        await table.press("n")
        assert (table.session.variant, table.session.size) == (VARIANTS["big"], 5)
        assert text(Message("status.pond", variant="big", size=5, target=10)) in table.status_text
        await table.touch("e5")
        await table.wait(3)

    run_session(folder, then=look, pond="big", dark="greedy")

    async def look_again(table):  # the next start offers that game, whatever board is requested
        assert text(game_message("big", 2, "light")) in dialog_text(table)
        await table.press("n")
        assert (table.session.variant, table.session.size) == (STANDARD, 4)

    run_session(folder, then=look_again)
    saved_games, _ = read_all_games(folder)
    assert [(game.projection.variant.name, len(game.projection.turns), game.facts["size"]) for game in saved_games][
        -2:
    ] == [
        ("standard", 1, 4),
        ("big", 2, 5),
    ]


@pytest.mark.slow
def test_named_players_return_on_resume(folder):
    run_session(folder, "b", "2", "enter", names=("Ada", "Ben"))

    async def go_on(table):
        human = Message("player.human")
        new_game = Message("resume_dialog.new_game", variant="standard", light=human, dark=name_player("level-2", None))
        assert text(Message("resume_dialog.players", light="Ada", dark="Ben")) in dialog_text(table)
        assert text(new_game) in dialog_text(table)
        await table.press("c")
        assert f"LIGHT Ada {text(Message('status.letters.light'))}" in table.status_text
        assert f"▶ DARK Ben {text(Message('status.letters.dark'))}" in table.status_text
        await table.wait(5)
        assert len(table.session.turns) == 1  # no program plays for Ben
        await table.touch("c3")
        assert len(table.session.turns) == 2
        await table.press("x", "y", "n", "enter")  # they also play the next game
        await table.touch("a1")

    run_session(folder, then=go_on, dark="level-2")
    saved_games, _ = read_all_games(folder)
    assert [(game.facts["light"], game.facts["dark"], len(game.projection.turns)) for game in saved_games] == [
        ("Ada", "Ben", 2),
        ("Ada", "Ben", 1),
    ]


@pytest.mark.slow
def test_program_returns_on_resume(folder):
    async def play(table):
        await table.wait(3)

    run_session(folder, "b", "2", "enter", then=play, dark="greedy")

    async def go_on(table):
        assert text(Message("resume_dialog.players", light=Message("player.human"), dark="greedy")) in dialog_text(
            table
        )
        await table.press("c")
        assert f"DARK greedy {text(Message('status.letters.dark'))}" in table.status_text
        await table.touch("a1")
        await table.wait(3)
        assert len(table.session.turns) == 4

    run_session(folder, then=go_on, names=("Ada", "Ben"))


@pytest.mark.slow
def test_farewell_explains_resume(folder, monkeypatch):
    assert run_session(folder).game_table.farewell is None  # no turn yet
    left = run_session(folder, "b", "2", "enter").game_table.farewell
    assert left == Message("farewell.saved", command=f"pond play --journal {folder}")
    monkeypatch.setenv("POND_JOURNAL", str(folder))
    assert run_session(folder, "c").game_table.farewell == Message("farewell.saved", command="pond play")
    with_pieces = run_session(folder, "c", pieces=PieceOptions()).game_table.farewell
    assert with_pieces == Message("farewell.saved", command="pond play --pieces")
    assert run_session(folder, "c", "x", "y").game_table.farewell is None  # the game is over
    assert run_session(None, "b", "2", "enter").game_table.farewell is None  # not saved


@pytest.mark.parametrize("name", [7, "", "\x1b[2Jlevel", "search@d6"])
def test_game_resumes_with_any_player_names(folder, name):
    facts = {"light": name, "dark": "level-3"}
    seats = find_resuming_players(SimpleNamespace(unfinished_game=SimpleNamespace(facts=facts)))
    assert seats.players[0] is None
    assert seats.players[1].name == "level-3"
    assert seats.names[1] is None
    assert "\x1b" not in str(seats.names[0])


@pytest.mark.slow
def test_custom_pond_resumes_on_its_board(folder):
    run_session(folder, "b", "2", "enter", pond="3x3/9/5")

    async def look(table):
        await table.press("c")
        assert (table.session.variant, table.session.size) == (parse_variant("3x3/9/5"), 3)

    run_session(folder, then=look, pond="big")

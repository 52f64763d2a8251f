"""Tests that all text on screens comes from the catalogue, and that it fits in every language."""

import asyncio
import re
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from rich.segment import Segment
from textual.color import Color
from textual.content import Content
from textual.widgets import Input
from textual.widgets._footer import FooterKey

from pond_hw.blackbox import BoardOpened, BoxContents, BoxHeader
from pond_hw.board import HealthEvent, Sample, Touch
from pond_hw.companion import SimulatedClock
from pond_hw.engine.analysis import review_moves
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages import catalogue
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import UNBREAKABLE_BLANK, count_columns
from pond_hw.rules import LIGHT, parse_record
from pond_hw.session import MaskSensor, TroubleChanged
from pond_hw.setup.controller import SetupController
from pond_hw.setup.step_table import STEPS
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui.dialogs import PLAYER_CHOICES
from pond_hw.tui.help_screen import HELP_FOLDER, HelpScreen
from pond_hw.tui.key_footer import name_keys
from pond_hw.tui.replay_app import ReplayApp
from pond_hw.tui.replay_board_app import ReplayBoardApp
from pond_hw.tui.setup_app import SetupApp
from pond_hw.tui.terminal import NonBreakingSpaceFilter, TerminalApp
from tests.tui.pseudo_language import UNSEEN, PseudoLanguage, describe, find_layout_errors, unmarked_words, write_help
from tests.tui.terminal_table import run_terminal, widget_text
from tests.tui.test_replay_app import GAMES, Screen, add_reviews
from tests.tui.test_review_text import SHORT_GAME, send_reviews, with_reviews

CATALOGUES = Path(catalogue.__file__).with_name("catalogues")

LANGUAGES_OF_SCREENS = [code for code in LANGUAGES if (CATALOGUES / code / "tui.po").exists()]

MOVERS = ("@b2", "@d4", "@b3", "@d1")


async def show_button_game(table, look):
    """Show the screens of a game with buttons."""
    table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(200)
    await look("start")
    await table.touch("c3")
    await look("turn")
    await table.touch("c3")
    await look("refused")
    await table.press("u")
    await table.play(*MOVERS)
    await table.touch("b2")
    await look("chosen")
    await table.press("w")
    await look("what if, which cell")
    await table.press("c", "2")
    await look("what if")
    await table.press("escape", "w", "h")
    await look("hint")
    table.app.game_table.put(TroubleChanged(Message("trouble.over"), table.clock.now()))
    table.app.update_screen()
    await look("trouble")
    table.app.game_table.put(TroubleChanged(None, table.clock.now()))
    for key in ("t", "x", "q", "n", "ctrl+p", "p", "question_mark"):
        await table.press(key)
        await look(f"key {key}")
        if key == "n":
            await table.press("tab")
            table.app.screen.query_one(Input).value = "3x4/9/5"
            await table.press("enter")
            await look("another pond")
        if key == "p":
            for cell in ("a4", "b4", "c4"):
                await table.press(*cell, "enter")
            await table.press("p")
            assert widget_text(table.app.screen.query_one("#wrong"))
            await look("impossible position")
        if key == "ctrl+p":
            await table.type("999")
            await look("no command")
        await table.press("escape")
    await table.press("n", "enter")
    await look("new game")
    await table.press("n", "p", "p")
    await look("from here")
    await table.press("n", "escape", "escape")
    await table.pilot.resize_terminal(50, 10)
    await table.settle()
    await look("small window")
    await table.pilot.resize_terminal(80, 24)
    await table.press("x", "y")
    await look("over")
    await table.touch("a1")
    await look("refused when over")
    await table.press("ctrl+p")
    await look("commands when over")


async def show_piece_game(table, look):
    """Show the screens of a game with pieces."""

    async def wait(name, seconds=0.3):
        await table.wait(seconds)
        await look(name)

    await look("start")
    await table.press("v")
    await look("nothing there")
    await table.press("s")
    await look("nothing to sweep")
    await table.press("g")
    await look("an egg in the hand")
    await table.press("escape")
    for cell in ("b2", "b3"):
        await table.click(cell)
        await wait("placed")
    await wait("to turn over", 1)
    await table.right_click("b2")
    await wait("turned over", 1)
    await table.click("b2")
    await wait("lifted")
    await table.press("escape")
    await table.drag("b2", "b3")
    await look("taken cell")
    await table.press("escape")
    await table.wait(1)
    await table.drag("b3", "a1")
    await wait("mismatch")
    await table.drag("a1", "b3")
    await table.wait(1)
    await table.drag("b3")
    await wait("missing")
    await table.press("h")
    await look("no hint")
    await table.click("b3")
    await table.wait(1)
    table.app.game_table.put(MaskSensor("d1", table.clock.now(), True))
    await wait("masked")
    await table.press("y")
    await look("agrees")
    await table.press("ctrl+p")
    await look("commands")
    await table.press("escape", "question_mark")
    await look("help")
    await table.press("escape", "s")
    await wait("many in the hand")
    await table.press("o")
    await wait("cleared")
    await wait("menu", 3.5)
    await table.click("a1")
    await wait("picked")


async def show_lessons(table, look):
    """Show the screens of lessons and puzzles, and the new-game dialog with its players."""
    await look("welcome")
    await table.press("f")
    await look("lessons")
    await table.press("enter")
    await look("lesson")
    await table.touch("c3")
    await look("mistake in a lesson")
    await table.press("escape")
    await look("leaving a lesson")
    await table.press("g", "z")
    await look("puzzles")
    await table.press("enter")
    await look("puzzle")
    await table.press("escape", "g", "n", "tab", "tab")
    for name in PLAYER_CHOICES:
        await table.press("left")
        await look(f"before {name}")


async def show_game_end(table, look):
    """Show the screens of a finished game and its review."""
    with_reviews(table)
    await table.play(*SHORT_GAME)
    await look("over")
    send_reviews(table, list(review_moves(table.session.record, SearchLimits(nodes=500))))
    await table.settle()
    await look("reviewed")


def check_all_screens(tmp_path, words, check, size=(80, 24)):
    """Show all screens of a game, and those of an unfinished game."""

    def run_screens(play, **how):
        async def show_and_check(table):
            async def look(name):
                await table.settle()
                table.app.update_screen()
                await table.settle()
                check(name, table.app.screen)

            await play(table, look)
            assert not table.app.game_table.barrier.last_failure

        run_terminal(show_and_check, catalogue=words, size=size, **how)

    async def show_unfinished_game(table, look):
        await look("unfinished game")
        await table.press("l")
        await look("looking at it")

    run_screens(show_button_game, dark="human")
    run_screens(show_button_game, pond="big", names=("Ada", "Ben"))
    run_screens(show_piece_game, pieces=PieceOptions(turned=True))
    run_screens(show_piece_game, pieces=PieceOptions())
    run_screens(show_game_end, pond="3x3/9/2")
    run_screens(show_lessons, dark="greedy", folder=tmp_path / "first visit")
    run_terminal(lambda table: table.play("@b2"), folder=tmp_path / "games")
    run_screens(show_unfinished_game, folder=tmp_path / "games", dark="greedy")
    for game in ("standard-set-up-dark-begins", "mini-eight-beat-seven"):
        record = parse_record((GAMES / f"{game}.pond").read_text())
        asyncio.run(_walk_record(replace(record, comments={}), words, check, size))


async def _walk_record(record, words, check, size):
    clock = [0.0]
    app = ReplayApp(record, 4, SearchLimits(nodes=300), lambda: clock[0], words, auto_update=False)
    async with app.run_test(size=size) as pilot:
        screen = Screen(app, pilot, clock)

        async def look(name):
            app.update_screen()
            await screen.settle()
            app.update_screen()
            await screen.settle()
            check(name, app.screen)

        await look("the start of a record")
        await screen.press("4")
        await look("a number")
        await screen.press("enter")
        await look("a turn")
        await screen.press("space")
        await look("playing")
        await screen.press("space")
        add_reviews(app, review_moves(record, SearchLimits(nodes=300)))
        await look("with values")
        for turn in range(1, len(record.turns)):
            playback = app.playback
            playback.go_to_turn(turn, 0.0)
            await look(f"turn {turn}")
        await screen.press("end")
        await look("the end")
        await screen.press("question_mark")
        await look("the help")


@pytest.mark.slow
def test_all_screen_text_is_translated(tmp_path, monkeypatch):
    write_help(tmp_path, monkeypatch)
    seen = []

    def check(name, screen):
        seen.append((name, unmarked_words(screen)))

    check_all_screens(tmp_path, PseudoLanguage(help_pages="xx"), check)
    assert len(seen) > 80
    assert [each for each in seen if each[1]] == []


@pytest.mark.slow
@pytest.mark.parametrize(("language", "longer"), [*((code, 0.0) for code in LANGUAGES_OF_SCREENS), ("en", 0.35)])
def test_all_text_fits_at_80x24(tmp_path, language, longer):
    found = []

    def check(name, screen):
        is_explained = longer and name.startswith("turn ")  # a missed win takes much text, which scrolls
        if not (isinstance(screen, HelpScreen) or name == "small window" or is_explained):  # these scroll
            found.extend((name, *each) for each in describe(find_layout_errors(screen)))

    check_all_screens(tmp_path, PseudoLanguage(language, longer, UNSEEN), check)
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES_OF_SCREENS)
def test_legend_and_lessons_are_on_the_first_screen(tmp_path, language):
    words = get_catalogue(language)

    async def look(table):
        await table.settle()
        for message_id in ("status.letters.light", "status.letters.dark", "status.goal", "status.welcome"):
            assert words.text(Message(message_id)).replace("\N{NO-BREAK SPACE}", " ") in table.status_text
        keys = {widget_text(key) for key in table.app.query("FooterKey")}
        assert f"f {words.text(Message('key.lessons'))}" in keys
        assert table.app.query("FooterKey").last().region.right <= 80

    run_terminal(look, catalogue=words, folder=tmp_path)
    run_terminal(look, catalogue=words, folder=tmp_path, pieces=PieceOptions())


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES_OF_SCREENS)
def test_smallest_window_scrolls_text(tmp_path, language):
    found = []

    def check(name, screen):
        if not isinstance(screen, HelpScreen) and name not in ("small window", "impossible position"):
            found.extend((name, *each) for each in describe(find_layout_errors(screen)) if each[0] != "too long")

    check_all_screens(tmp_path, PseudoLanguage(language, 0.0, UNSEEN), check, size=(62, 20))
    assert [each for each in found if "id='status'" not in each[2]] == []


@pytest.mark.parametrize("language", LANGUAGES_OF_SCREENS)
def test_values_fit_in_seven_columns(language):
    for winner, kind in product(("light", "dark"), ("wins_in", "won")):
        worth = get_catalogue(language).text(Message(f"short_worth.{winner}.{kind}", actions=12))
        assert count_columns(worth) <= 7


@pytest.mark.parametrize("language", LANGUAGES_OF_SCREENS)
def test_help_keys_fit_on_one_line(language):
    folder = HELP_FOLDER / language
    assert {page.name for page in folder.iterdir()} == {page.name for page in (HELP_FOLDER / "en").iterdir()}
    lines = [line for page in folder.iterdir() for line in page.read_text(encoding="utf-8").splitlines()]
    tables = [line for line in lines if line.startswith("  ")]
    assert len(tables) > 40
    assert [line for line in tables if count_columns(line) > 74] == []


@pytest.mark.slow
@pytest.mark.parametrize("board", ["direct-4x4", "hall-5x5"])
def test_all_set_up_text_is_translated(board):
    words, seen = PseudoLanguage(), []

    async def set_up():
        clock = SimulatedClock()
        with closing(
            SetupController(board, clock.now, is_simulated=True, flaws=("never:a1",), is_polled=True)
        ) as controller:
            controller.catalogue = words
            app = SetupApp(controller, clock.now)
            async with app.run_test(size=(80, 24)) as pilot:

                async def look(*keys, seconds=0.0):
                    await pilot.press(*keys)
                    controller.pass_time(seconds, clock.advance_to)
                    app.update_screen()
                    await pilot.pause()
                    names = {*STEPS, *board.split("-")}
                    seen.append((keys, [word for word in unmarked_words(app.screen) if word not in names]))

                await look()
                for step in "1234567890":
                    await look(step)
                    await look("x", seconds=3.2)
                    await look("y", seconds=3.2)
                    while controller.wizard.name:
                        await look("q")
                    await look(seconds=2.0)
                await look("1")
                await look("q")
                await look("q")
                assert not controller.wizard.over  # asks whether the key was meant

    asyncio.run(set_up())
    assert len(seen) > 45
    assert [each for each in seen if each[1]] == []


@pytest.mark.slow
def test_all_recording_text_is_translated():
    notes = (
        BoardOpened(4, 1, 0, 100.0),
        Sample((0,) * 16, 100.0),
        Touch("b2", True, 100.99),
        HealthEvent(Message("trouble.over"), 110.0),
        HealthEvent(None, 112.0),
        Touch("b2", False, 120.0, LIGHT),
    )
    seen = []

    async def look():
        box = BoxContents(BoxHeader("0.1.0", "serve", "direct-4x4", "2026-01-31", 4, 1, 0), notes, None)
        app = ReplayBoardApp(box, 1.0, lambda: 0.0, PseudoLanguage())
        async with app.run_test(size=(80, 24)) as pilot:
            for key in ("space", "end", "home"):
                await pilot.press(key)
                await pilot.pause()
                seen.append(
                    (key, [word for word in unmarked_words(app.screen) if word not in ("direct", "pond", "serve")])
                )

    asyncio.run(look())
    assert [each for each in seen if each[1]] == []


def test_french_punctuation_does_not_begin_a_line():
    won = Message("text", text="Foncé gagne\N{NO-BREAK SPACE}! Clair n’a plus rien")
    wrapped = Content(get_catalogue("fr", "terminal").text(won)).wrap(12)
    assert [line.plain.rstrip() for line in wrapped] == [
        "Foncé",
        f"gagne{UNBREAKABLE_BLANK}!",
        "Clair n’a",
        "plus rien",
    ]
    (segment,) = NonBreakingSpaceFilter().apply([Segment(wrapped[1].plain)], Color(0, 0, 0))
    assert segment.text.rstrip() == "gagne !"
    assert any(isinstance(each, NonBreakingSpaceFilter) for each in TerminalApp().get_line_filters())


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES_OF_SCREENS)
def test_narrow_key_bar_shows_arrows(language):
    async def look(table):
        assert table.app.query(FooterKey).first().key_display == "↑↓←→"

    run_terminal(look, catalogue=get_catalogue(language))


def test_french_has_one_name_for_each_key():
    texts = [path.read_text() for path in (HELP_FOLDER / "fr").glob("*.txt")]
    for path in (CATALOGUES / "fr").glob("*.po"):
        texts += [line for line in path.read_text().splitlines() if line.startswith("msgstr")]
    assert [each for each in texts if re.search(r"\b(Enter|Esc)\b", each)] == []
    assert name_keys("Enter Esc", get_catalogue("fr")) == "Entrée Échap"

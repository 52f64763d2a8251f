"""Games on the built page: whole games, lessons and puzzles, pieces, and saved games."""

import re
from contextlib import ExitStack, closing
from random import Random

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the games")

from playwright.sync_api import expect  # noqa: E402

from pond_hw.puzzles.puzzle import load_puzzles  # noqa: E402
from pond_hw.puzzles.solving import PuzzleAttempt  # noqa: E402
from pond_hw.rules import Position, parse_record, parse_variant  # noqa: E402
from tests.browser.bundle import KeyboardVisitor, Visitor, count_foreign_connections  # noqa: E402
from tests.web.browser import SCREEN, Phone, open_browser  # noqa: E402

pytestmark = pytest.mark.slow

OWN_HOSTS = ("google.com", "googleapis.com")
"""Hosts that the browser asks for its own updates."""

PIECES_GAME = ("@b2", "@b1", "b2c2", "@d1", "c2c1")
"""Turns on the mini pond. All three pieces score in the last one."""


@pytest.fixture(scope="module")
def browser():
    """A browser that must not contact any other host."""
    with (
        count_foreign_connections() as (proxy, requests),
        open_browser(f"--proxy-server={proxy}", "--proxy-bypass-list=127.0.0.1") as opened,
    ):
        yield opened
        assert [each for each in requests if not any(host in each for host in OWN_HOSTS)] == []


@pytest.fixture
def open_page(browser, site):
    """Function that opens the page for a visitor."""
    with ExitStack() as phones:

        def begin(kind=Visitor, **how):
            phone = phones.enter_context(closing(Phone(browser, site.address, **how)))
            return kind(phone).open()

        yield begin


def do_lesson(visitor, title):
    """Do a lesson to its end: press the cells that it lights, or any cell if it lights none."""
    visitor.wait_for(lambda: (visitor.state.get("exercise") or {}).get("title") == title, title)
    while not visitor.state["exercise"]["done"]:
        visitor.wait_for(lambda: visitor.state["exercise"]["done"] or visitor.state["legal"], "a step")
        before = visitor.state
        visitor.play([*before["exercise"]["lit"], *before["legal"], ""][0])
        visitor.wait_for(lambda: visitor.state != before, "the next step")  # noqa: B023 - called at once


def test_whole_game_against_level_3_by_taps(open_page):
    ann = open_page()
    ann.start_game("standard", dark="level-3")
    ann.play_on(Random(1).choice)
    assert ann.state["outcome"]
    ann.expect_headline(re.compile("wins$|draw$"))
    ann.press("Games")
    expect(ann.page.locator("#game-list li")).to_have_count(1)


def test_whole_game_by_keyboard_alone(open_page):
    ann = open_page(KeyboardVisitor, touch=False, size=SCREEN)
    ann.press("Settings")
    ann.move_focus(lambda focused: focused == "Big, for a television")
    ann.page.keyboard.press("Enter")
    ann.press("Normal size")
    ann.press("New game")
    ann.move_focus(lambda focused: focused.startswith("Mini"))
    ann.page.keyboard.press("Enter")
    ann.page.keyboard.press("Shift+Tab")
    ann.move_focus(lambda _: ann.page.evaluate("document.activeElement.id") == "dark-player")
    ann.page.keyboard.type("Novice")
    ann.press("Start the game")
    ann.wait_for(lambda: ann.state["variant"] == "mini", "the new game")
    assert ann.shown["hello"]["players"] == {"light": None, "dark": "level-1"}
    ann.play_on(Random(2).choice)
    assert ann.state["outcome"]


def test_lessons_and_a_puzzle_to_the_end(open_page):
    ann = open_page()
    ann.press("New here? Learn in two minutes")
    do_lesson(ann, "Place an egg")
    ann.press("Next: Pieces grow")
    do_lesson(ann, "Pieces grow")
    ann.press("Back to the game")
    ann.press("New game")
    ann.press("Lessons and puzzles")
    dialog = ann.page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name=re.compile("done$"))).to_have_count(2)
    ann.touch(dialog.get_by_role("button", name=re.compile("Puzzle of the day")))
    ann.wait_for(lambda: (ann.state.get("exercise") or {}).get("course") == "puzzles", "the puzzle")
    position = Position.from_notation(ann.state["position"], parse_variant(ann.state["variant"]))
    attempt = PuzzleAttempt(next(puzzle for puzzle in load_puzzles() if puzzle.position == position))
    while not attempt.is_solved:
        action = attempt.best_action()
        ann.play(str(action))
        attempt.play(action)
        notation = attempt.position.notation_line
        ann.wait_for(lambda: ann.state["exercise"]["done"] or ann.state["position"] == notation, action)  # noqa: B023
    ann.expect_text("Right! You solved the puzzle.")


@pytest.mark.parametrize("touch", [True, False])
def test_pieces_are_moved_by_hand_and_scored(open_page, touch):
    """A finger or a mouse drags pieces, puts eggs down, and takes off scored pieces."""
    ann = open_page(touch=touch).start_game("mini", "pieces")
    ann.wait_for(lambda: ann.shown["hello"]["pieces"], "the pieces")
    ann.page.locator("#board").scroll_into_view_if_needed()
    for action in PIECES_GAME:
        count = len(ann.turns)
        if "a" <= action[0] <= "e":
            ann.drag(action[:2], action[2:])
        else:
            ann.touch(ann.cell(action[1:]))
        ann.wait_for(lambda: len(ann.turns) > count, action)  # noqa: B023 - called at once
    scored = ann.wait_for(lambda: ann.state["wood"]["take_off"], "the scored pieces")
    for cell in scored:
        ann.touch(ann.cell(cell))
    ann.wait_for(lambda: not ann.state["wood"]["take_off"], "the taken pieces")
    assert ann.shown["table"]["standing"] == {}
    assert ann.actions == list(PIECES_GAME)


def test_two_people_use_everything(open_page):
    """Hint, what if, take back, redo, resign, draw, and another pond."""
    ann = open_page().start_game("mini")
    for count, action in enumerate(("@b2", "@b3", "b2c2"), 1):
        ann.play(action)
        ann.wait_for(lambda: len(ann.turns) == count, action)  # noqa: B023 - called at once
    ann.press("Take back")
    ann.wait_for(lambda: ann.state["turn"] == 2)
    ann.press("Redo")
    ann.wait_for(lambda: ann.state["turn"] == 3)
    ann.press("Hint")
    ann.wait_for(lambda: (ann.state["hint"] or {}).get("action"), "the hint")
    ann.press("What if")
    ann.play("@d4")
    ann.expect_text(re.compile("^What if: "))
    assert ann.state["turn"] == 3
    ann.press("Play it")
    ann.wait_for(lambda: ann.state["turn"] == 4)
    ann.confirm("Resign")
    ann.wait_for(lambda: ann.state["outcome"], "the end")
    assert ann.state["outcome"] == {"winner": "dark", "reason": "resignation"}
    ann.start_game("standard", light="level-1")
    ann.wait_for_turn()
    ann.play(ann.state["legal"][0])
    ann.wait_for_turn()
    ann.confirm("Draw")
    ann.expect_text(re.compile("^No draw yet"))
    ann.start_game("standard")
    ann.confirm("Draw")
    ann.wait_for(lambda: ann.state["outcome"], "the end")
    assert ann.state["outcome"]["winner"] is None


def test_past_game_is_replayed_reviewed_saved_and_imported(open_page, tmp_path):
    ann = open_page().start_game("mini")
    ann.play_on(Random(4).choice)
    actions = ann.actions
    ann.press("Games")
    ann.touch(ann.page.locator("#game-list").get_by_role("button").first)
    ann.expect_headline(re.compile(r"^Game \d+$"))
    ann.press("Start")
    ann.expect_text("A past game: its start")
    ann.press("One turn forward")
    ann.expect_text("A past game")
    with ann.page.expect_download() as download:
        ann.press("Save as file")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert [str(turn.action) for turn in parse_record(file.read_text("utf-8")).turns] == actions
    ann.press("What was good, and what wasn’t")
    expect(ann.page.locator("#past-faults")).to_have_text(re.compile("^Slips: "), timeout=120_000)

    ben = open_page()
    ben.press("Games")
    ben.expect_text("No games have been saved yet.")
    ben.page.set_input_files("#import-files", [file])
    ben.expect_text("Games imported: 1.")
    ben.touch(ben.page.locator("#game-list").get_by_role("button").first)
    ben.expect_text(f"Turn {len(actions)} of {len(actions)}")

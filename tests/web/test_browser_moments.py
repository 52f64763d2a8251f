"""Animations, sounds, the end of a game, dragging, and the television view of the page."""

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from playwright.sync_api import expect  # noqa: E402

from tests.web.browser_players import Player  # noqa: E402

pytestmark = pytest.mark.slow

SCORING = {"variant": "standard", "position": "e.TF/EfEe/ft.f/EFeE l 6 6 0 0"}
"""Position in which d4b4 makes three pieces change and scores two for each side."""

RUNNING = "() => document.getAnimations().filter((each) => each.playState === 'running').length"


@pytest.fixture
def seat(serve_table, open_phone):
    """Return a function that opens the page of a new table on a phone with a seat: `seat("light")`."""

    def begin(side="both", *board, **how):
        table = serve_table(*board)
        return Player(open_phone(table, **how), table).take_seat(side)

    return begin


def set_up(player, **position):
    with player.table.connect() as program:
        program.send({"command": "set_up", **position})


def play_scoring_turn(player):
    set_up(player, **SCORING)
    player.expect_cell("d4", "Light’s frog, you can move it")
    player.play("d4b4")


def test_animation_does_not_delay_the_new_position(seat):
    ann = seat(reduced_motion="no-preference")
    play_scoring_turn(ann)
    expect(ann.page.locator(".points-gained")).to_have_text(["+2", "+2"])
    ann.expect_cell("b3", "empty")
    expect(ann.page.locator("#light .score-number")).to_have_text("2")
    expect(ann.page.locator(".stage")).to_be_empty()  # it ends by itself
    assert ann.page.evaluate(RUNNING) == 0


def test_press_ends_the_animation(seat):
    ann = seat(reduced_motion="no-preference")
    play_scoring_turn(ann)
    ann.expect_cell("b4", "Light’s frog")
    assert ann.page.evaluate(RUNNING) > 0
    ann.touch(ann.cell("a2"))
    ann.expect_cell("a2", "Dark’s frog, chosen")
    assert ann.page.evaluate(RUNNING) == 0
    expect(ann.page.locator(".overlay-pieces")).to_be_empty()


def test_nothing_moves_with_reduced_motion(seat):
    ann = seat(reduced_motion="reduce")
    ann.page.evaluate("() => { Element.prototype.animate = () => { throw new Error('animated'); }; }")
    play_scoring_turn(ann)
    ann.expect_cell("b3", "empty")
    expect(ann.page.locator(".stage")).to_be_empty()

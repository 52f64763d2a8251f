"""Tests of the list of moves beside the board, and of the review after a game."""

from itertools import pairwise

import pytest
from textual.widgets import Static

from pond_hw.engine.analysis import review_moves, review_to_json
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.message import Message
from pond_hw.tui.review_text import describe_review
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.tui.terminal_table import GAME_OVER_KEYS, run_terminal, terminal_test, widget_text

SHORT_GAME = ("@a1", "@b3", "@c1", "@b2", "@b1", "@a3", "@c3")
"""Game of variant 3x3/9/2 that dark wins. On the last turn, both sides score eggs."""


def moves(table):
    return table.app.query_one("#moves", Static)


@pytest.mark.slow
@terminal_test(size=(120, 40))
async def test_moves_are_listed_during_game(table):
    assert widget_text(moves(table)) == ""
    await table.play("@b2", "@b3", "@c3")
    await table.wait(0.1)
    title = text(Message("moves.title"))
    assert widget_text(moves(table)) == f"{title} 1. @b2 @b3 2. @c3"
    await table.press("u")
    assert widget_text(moves(table)) == f"{title} 1. @b2 @b3"
    for _ in range(30):
        await table.play(str(table.session.allowed_actions[0]))
    assert widget_text(moves(table)).endswith(str(table.session.turns[-1].action))
    assert moves(table).region.bottom <= table.app.query_one("#table").region.bottom


@pytest.mark.slow
@pytest.mark.parametrize(("size", "seen"), long_after_first([((120, 33), False), ((80, 24), False), ((62, 34), True)]))
def test_move_list_is_hidden_without_room(size, seen):
    async def look(table):
        await table.play("@b2")
        assert moves(table).display is seen
        assert table.app._status_text.region in table.app.query_one("#words").content_region

    run_terminal(look, size=size)


def progress_text(done):
    return text(Message("review.running", done=done, actions=len(SHORT_GAME)))


class ManualWorker:
    """Worker that answers only when the test tells it to."""

    def __init__(self):
        self.open, self.questions = True, []

    def ask_question(self, question, put_answer):
        self.questions.append((question, put_answer))

    def close(self):
        self.open = False


def send_reviews(table, answers):
    """Answer the requests to the worker with the given reviews."""
    for judged in answers:
        question, put_answer = table.thinker.questions[-1]
        assert question["taken"] == str(judged.taken)
        put_answer(review_to_json(judged))
        table.app.update_screen()


def with_reviews(table):
    table.thinker = ManualWorker()
    table.app._start_review = lambda record: BackgroundReview(record, SearchLimits(nodes=500), lambda _: table.thinker)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), long_after_first([(120, 40), (80, 24), (62, 20)]))
def test_review_is_shown_after_the_game(width, height):
    async def play(table):
        with_reviews(table)
        await table.play(*SHORT_GAME)
        outcome = Message("outcome.score", winner="dark", most=2, least=1)
        assert text(outcome, Message("status.game_over_keys")) in table.status_text
        assert progress_text(0) in table.status_text
        judged = list(review_moves(table.session.record, SearchLimits(nodes=500)))
        send_reviews(table, judged[:3])
        await table.settle()
        assert progress_text(3) in table.status_text
        send_reviews(table, judged[3:])
        await table.settle()
        assert not table.thinker.open
        how_it_went, *turning_points, light, dark = describe_review(table.app._game_review)
        assert how_it_went[0] == Message("review.how_it_went")
        assert text(*how_it_went) in table.status_text
        if height == 40:
            assert text(*turning_points[0]) in table.status_text
            assert {light[0].arguments["side"], dark[0].arguments["side"]} == {"light", "dark"}
            assert "??" in widget_text(moves(table))
        await table.press("u")
        assert text(how_it_went[0]) not in table.status_text
        assert "??" not in widget_text(moves(table))
        await table.play(SHORT_GAME[-1])
        assert progress_text(0) in table.status_text
        table.thinker.open = True
        await table.press("r")
        assert not table.thinker.open
        assert table.session.turns == ()
        keys = " ".join(widget_text(key) for key in table.app.query("FooterKey") if key.display)
        assert text(Message("key.rematch")) not in keys

    run_terminal(play, "3x3/9/2", size=(width, height))


@pytest.mark.slow
@terminal_test("3x3/9/2")
async def test_keys_fit_after_the_game(table):
    await table.play(*SHORT_GAME)
    await table.settle()
    keys = [key for key in table.app.query("FooterKey") if key.display]
    assert " ".join(map(widget_text, keys)) == GAME_OVER_KEYS
    assert all(one.region.right <= other.region.x for one, other in pairwise(keys))


@pytest.mark.slow
@terminal_test("3x3/9/2")
async def test_failed_review_shows_nothing_at_game_end(table):
    with_reviews(table)
    await table.play(*SHORT_GAME)
    table.thinker.questions[-1][1](None)
    table.app.update_screen()
    await table.settle()
    assert progress_text(0) not in table.status_text
    assert describe_review(table.app._game_review) == ()

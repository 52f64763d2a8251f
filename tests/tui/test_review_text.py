"""The list of moves beside the board, and what is told of a game that is over."""

from itertools import pairwise

import pytest
from textual.widgets import Static

from pond_hw.engine.analysis import review_moves, review_to_json
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.message import Message
from pond_hw.tui.review_text import describe_review
from tests.conftest import first_now_rest_long
from tests.messages.says import text
from tests.tui.terminal_table import KEYS_AT_THE_END, at, seated, shown

SHORT_GAME = ("@a1", "@b3", "@c1", "@b2", "@b1", "@a3", "@c3")
"""On 3x3/9/2: dark's eggs and light's score at the end, and dark wins."""


def moves(table):
    return table.app.query_one("#moves", Static)


@pytest.mark.slow
@seated(size=(120, 40))
async def test_moves_are_listed_during_game(table):
    assert shown(moves(table)) == ""
    await table.play("@b2", "@b3", "@c3")
    await table.wait(0.1)
    title = text(Message("moves.title"))
    assert shown(moves(table)) == f"{title} 1. @b2 @b3 2. @c3"
    await table.press("u")
    assert shown(moves(table)) == f"{title} 1. @b2 @b3"
    for _ in range(30):
        await table.play(str(table.session.allowed_actions[0]))
    assert shown(moves(table)).endswith(str(table.session.turns[-1].action))
    assert moves(table).region.bottom <= table.app.query_one("#table").region.bottom


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "seen"), first_now_rest_long([((120, 33), False), ((80, 24), False), ((62, 34), True)])
)
def test_no_move_list_without_room(size, seen):
    async def look(table):
        await table.play("@b2")
        assert moves(table).display is seen
        assert table.app._status_text.region in table.app.query_one("#words").content_region

    at(look, size=size)


def looking_back(done):
    return text(Message("review.running", done=done, actions=len(SHORT_GAME)))


class ThinksHere:
    """Stands where a process does; says what it knows when it is told to."""

    def __init__(self):
        self.open, self.questions = True, []

    def ask_question(self, question, heard):
        self.questions.append((question, heard))

    def close(self):
        self.open = False


def reviewed(table, answers):
    """Let those who look back at a game say so much."""
    for judged in answers:
        question, heard = table.thinker.questions[-1]
        assert question["taken"] == str(judged.taken)
        heard(review_to_json(judged))
        table.app.update_screen()


def with_reviews(table):
    table.thinker = ThinksHere()
    table.app._start_review = lambda record: BackgroundReview(record, SearchLimits(nodes=500), lambda: table.thinker)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), first_now_rest_long([(120, 40), (80, 24), (62, 20)]))
def test_review_is_shown_after_the_game(width, height):
    async def play(table):
        with_reviews(table)
        await table.play(*SHORT_GAME)
        outcome = Message("outcome.score", winner="dark", most=2, least=1)
        assert text(outcome, Message("status.game_over_keys")) in table.words
        assert looking_back(0) in table.words
        judged = list(review_moves(table.session.record, SearchLimits(nodes=500)))
        reviewed(table, judged[:3])
        await table.settle()
        assert looking_back(3) in table.words
        reviewed(table, judged[3:])
        await table.settle()
        assert not table.thinker.open
        how_it_went, *turning_points, light, dark = describe_review(table.app._game_review)
        assert how_it_went[0] == Message("review.how_it_went")
        assert text(*how_it_went) in table.words
        if height == 40:
            assert text(*turning_points[0]) in table.words
            assert {light[0].arguments["side"], dark[0].arguments["side"]} == {"light", "dark"}
            assert "??" in shown(moves(table))
        await table.press("u")
        assert text(how_it_went[0]) not in table.words
        assert "??" not in shown(moves(table))
        await table.play(SHORT_GAME[-1])
        assert looking_back(0) in table.words
        table.thinker.open = True
        await table.press("r")
        assert not table.thinker.open
        assert table.session.turns == ()
        keys = " ".join(shown(key) for key in table.app.query("FooterKey") if key.display)
        assert text(Message("key.rematch")) not in keys

    at(play, "3x3/9/2", size=(width, height))


@pytest.mark.slow
@seated("3x3/9/2")
async def test_keys_fit_after_the_game(table):
    await table.play(*SHORT_GAME)
    await table.settle()
    keys = [key for key in table.app.query("FooterKey") if key.display]
    assert " ".join(map(shown, keys)) == KEYS_AT_THE_END
    assert all(one.region.right <= other.region.x for one, other in pairwise(keys))


@pytest.mark.slow
@seated("3x3/9/2")
async def test_end_without_review(table):
    with_reviews(table)
    await table.play(*SHORT_GAME)
    table.thinker.questions[-1][1](None)
    table.app.update_screen()
    await table.settle()
    assert looking_back(0) not in table.words
    assert describe_review(table.app._game_review) == ()

"""The page's view of a game."""

import re

from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.messages.message import Message
from pond_hw.web.page_view import build_hello, build_state
from tests.conftest import each

STATE = {
    "variant": "mini",
    "position": "..../..../..../.... l 10 10 0 0",
    "phase": "act",
    "last": None,
    "outcome": None,
}


def show_message(*messages, language="en"):
    """Return the text that the page shows for a state with these messages."""
    state = STATE | {"message": "as it was", "said": [message.to_json() for message in messages]}
    return build_state(state, {}, language, plays=True)["message"]


@each("language", list(LANGUAGES))
@each("how", ["resume.how.buttons", "resume.how.pieces"])
def test_unfinished_game_is_offered_without_cells(language, how):
    shown = show_message(Message("resume.ask", game="mini"), Message(how), language=language)
    assert "mini" in shown
    assert not re.search(r"\b[a-e][1-5]\b", shown)


def test_prompt_is_short_after_other_messages():
    prompt, placed = Message("prompt.buttons.place", side="dark"), Message("turn.place", side="light", cell="b2")
    assert show_message(prompt) == "Dark: tap an empty cell for an egg."
    assert show_message(placed, prompt) == "Light placed an egg on b2. Dark's turn."


def list_main(*messages, plays=True, **fields):
    """Return the sentences that the page shows without being asked for details."""
    state = STATE | {"message": "as it was", "said": [message.to_json() for message in messages]} | fields
    return [text for text, is_main in build_state(state, {}, "en", plays=plays)["sentences"] if is_main]


PLACED, GREW = Message("turn.place", side="light", cell="b2"), Message("turn.develop.egg", count=1, cells=["b3"])
GAIN, PROMPT = Message("turn.gain", side="light", count=3), Message("prompt.buttons.place", side="dark")


def test_line_says_what_was_played_or_else_what_to_do():
    assert list_main(PLACED, GREW, PROMPT) == ["Light placed an egg on b2."]
    assert list_main(PROMPT) == ["Dark: tap an empty cell for an egg."]
    assert list_main(PROMPT, plays=False) == []


def test_line_says_only_what_was_scored_or_who_won():
    assert list_main(PLACED, GREW, GAIN, PROMPT) == ["Light scores 3 pieces."]
    won = Message("outcome.score", winner="light", most=10, least=3)
    assert list_main(PLACED, GREW, GAIN, won) == ["Light wins, 10 to 3!"]


def test_request_of_a_phone_is_not_said_twice():
    assert list_main(Message("permission.undo"), Message("permission.press_one.buttons")) == []


def test_unreadable_message_is_shown_whole():
    state = STATE | {"message": "as it was", "said": 1}
    assert build_state(state, {}, "en", plays=True)["sentences"] == [("as it was", True)]


def test_turn_keys_are_offered_with_pieces():
    for has_pieces in (True, False):
        names = [setting["name"] for setting in build_hello({"pieces": has_pieces})["settings"]]
        assert ("turn_key" in names) is has_pieces

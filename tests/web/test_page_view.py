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
    assert show_message(prompt) == "Dark's turn: press an empty cell to place an egg."
    assert show_message(placed, prompt) == "Light placed an egg on b2. Dark's turn."


def test_turn_keys_are_offered_with_pieces():
    for has_pieces in (True, False):
        names = [setting["name"] for setting in build_hello({"pieces": has_pieces})["settings"]]
        assert ("turn_key" in names) is has_pieces

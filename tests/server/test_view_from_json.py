"""Messages as data can be parsed again, and invalid ones are refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.messages.message import Message
from pond_hw.messages.message_json import MAX_DEPTH, MAX_TEXT_LENGTH, parse_message
from pond_hw.rules import STANDARD
from pond_hw.server import protocol, view_from_json
from pond_hw.server.protocol import text_fields
from pond_hw.server.view_from_json import InvalidMessage, parse_text
from pond_hw.session import SavingChanged, Session, TroubleChanged
from tests.messages.says import text

TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]).filter(str.isprintable), max_size=40)
NUMBERS = st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = TEXTS | NUMBERS | st.lists(TEXTS, max_size=4).map(tuple)


def messages(arguments):
    return st.builds(lambda name, given: Message(name, **given), TEXTS, st.dictionaries(TEXTS, arguments, max_size=4))


@given(messages(PLAIN | messages(PLAIN | messages(PLAIN))))
def test_message_round_trips(message):
    again = parse_message(json.loads(json.dumps(message.to_json())))
    assert again == message
    kinds = [type(argument) for argument in message.arguments.values()]
    assert [type(argument) for argument in again.arguments.values()] == kinds


def line(*messages, **other):
    """Return a line as a board sends it."""
    return json.loads(json.dumps(text_fields("message", messages, "en"))) | other


PLACED = Message("turn.place", side="light", cell="b2")
SAID = PLACED.to_json()
DEEP = {"id": "text", "arguments": {"text": "x"}}
for _ in range(MAX_DEPTH + 1):
    DEEP = {"id": "text", "arguments": {"text": DEEP}}


def test_said_field_is_parsed():
    assert parse_text(line(PLACED), "message") == PLACED
    lost = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    assert parse_text(line(lost), "message") == lost


@pytest.mark.parametrize(
    "said",
    [
        [{"id": "turn.castle", "arguments": {}}],
        [SAID, {"id": "turn.castle", "arguments": {}}],
        [{"id": "turn.place", "arguments": {}}],
        [{"id": "turn.place", "arguments": {"side": "green", "cell": "b2"}}],
        [{"id": "turn.place", "arguments": {"side": 7, "cell": [[]]}}],
        [{"id": "text", "arguments": {"text": "x" * MAX_TEXT_LENGTH}}] * 2,
        [SAID, SAID],
        [{"id": "turn.place", "arguments": {"side": "light", "cell": "x" * MAX_TEXT_LENGTH}}],
        [{"id": "decision.resigned.won", "arguments": {"side": "light"}}],  # enough for English, but not for Dutch
    ],
    ids=range(9),
)
def test_unknown_message_becomes_text(said):
    assert parse_text(line(PLACED, said=said), "message") == Message("text", text=text(PLACED))


def test_text_is_made_safe_for_a_terminal():
    state = {"message": "\x1b[2J" + "x" * 5000, "said": [{"id": "unknown", "arguments": {}}]}
    assert parse_text(state, "message") == Message(
        "text", text=f"\N{REPLACEMENT CHARACTER}[2J{'x' * 5000}"[:MAX_TEXT_LENGTH]
    )
    said = [{"id": "turn.place", "arguments": {"side": "light", "cell": "\x1b[2J"}}]
    assert parse_text(line(PLACED, said=said), "message").arguments["cell"] == "\N{REPLACEMENT CHARACTER}[2J"


@pytest.mark.parametrize(
    "said",
    [
        None, 7, "", "turn.place", {}, SAID, [None], ["turn.place"], [[]], [{}], [{"id": "game.goes_on"}],
        [{"id": 7, "arguments": {}}], [{"id": "game.goes_on", "arguments": []}], [{"id": "text", "arguments": {"text": None}}],
        [{"id": "text", "arguments": {"text": True}}], [{"id": "text", "arguments": {"text": float("inf")}}],
        [{"id": "text", "arguments": {"text": {"id": "text"}}}], [DEEP],
    ],
    ids=str,
)  # fmt: skip
def test_invalid_message_raises(said):
    with pytest.raises(InvalidMessage):
        parse_text(line(PLACED, said=said), "message")


def test_trouble_and_unsaved_reason_are_parsed():
    trouble, unsaved = Message("lamps.lost", text="no such device"), Message("saving.slow")
    session = Session.start_game(STANDARD).after(TroubleChanged(trouble, 1.0)).after(SavingChanged(unsaved, 2.0))
    record, state = (
        json.loads(protocol.format_message(make(session.view, 3.0)))
        for make in (protocol.record_message, protocol.state_message)
    )
    view = view_from_json.parse_view(record, state)
    assert (view.trouble, view.unsaved_reason, view.messages) == (trouble, unsaved, (trouble,))
    for field, message in (("trouble", trouble), ("unsaved", unsaved)):
        assert record[field] == text(message)
        assert record[f"{field}_said"] == [message.to_json()]

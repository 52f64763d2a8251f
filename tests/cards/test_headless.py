"""Tests of the card game's JSON lines."""

import json
from io import BytesIO, StringIO

import pytest

from pond_hw.cards.headless import CardHeadless, run
from pond_hw.cards.rules import Rules, parse_card
from pond_hw.cards.rules.record import parse_record
from pond_hw.cards.session import CardSession


def headless(seats=("human", "random"), seed=1, **rules):
    return CardHeadless(CardSession(Rules(len(seats), **rules), seats, seed))


def ask(game, **request):
    (answer,) = game.answer_line(json.dumps(request).encode())
    return json.loads(answer)


def play_first_legal(game):
    """Play the first legal card until the game ends, and yield all states."""
    state = ask(game, ask="state")
    while not state["over"]:
        yield state
        state = ask(game, action=state["legal"][0])
    yield state


def test_hello_identifies_the_card_game():
    hello = json.loads(headless().hello_line())
    assert (hello["type"], hello["protocol"], hello["game"], hello["seats"]) == ("hello", 1, "cards", 2)
    assert hello["players"] == [None, "random"]
    assert hello["rules"]["poison"] == "round"


@pytest.mark.parametrize("seats", [("human", "random"), ("human", "sensible", "random", "human"), ("random", "human")])
def test_bot_finishes_a_game(seats):
    states = list(play_first_legal(headless(seats)))
    assert states[-1]["over"]
    assert len(states[-1]["rounds"]) == 4
    assert states[-1]["to_move"] is None
    for state in states[:-1]:
        assert state["to_move"] == state["seat"]
        assert seats[state["seat"] - 1] == "human"
        assert state["legal"]
        assert set(state["legal"]) - {"-"} - {f">{seat}" for seat in range(1, 5)} <= set(state["hand"])


def test_state_contains_no_hidden_card():
    game = headless()
    for state in play_first_legal(game):
        played = game.session.game.current_round
        if state["over"]:
            continue
        text = json.dumps({key: value for key, value in state.items() if key not in ("said", "message")})
        own = state["seat"] - 1
        other = 1 - own
        for card in (*played.hands[other], *played.hidden[0], *played.hidden[1]):
            assert f'"{"23456789TJQKA"[card % 13]}{"shdc"[card // 13]}"' not in text
        assert state["profit"][other] is None
        for trick, seen in zip(played.tricks, state["tricks"], strict=True):
            if trick.trap and trick.winner != own:
                assert seen["trap"].count(None) == 1


def test_record_is_available_after_the_game():
    game = headless()
    refused = ask(game, ask="record")
    assert [each["id"] for each in refused["said"]] == ["cards.record_later"]
    assert "stock" not in json.dumps(refused)
    list(play_first_legal(game))
    assert parse_record(ask(game, ask="record")["record"]).game == game.session.game


def test_refused_action_answers_with_reason():
    game = headless()
    before = ask(game, ask="state")
    for action in ("zz", "-", ">1", "2s3s"):
        state = ask(game, action=action)
        assert state["type"] == "state"
        assert state["said"]
        assert state["message"]
        assert state["hand"] == before["hand"]


def test_hint_and_undo_commands_work():
    game = headless()
    before = ask(game, ask="state")
    hint = ask(game, command="hint")
    parse_card(hint["said"][0]["arguments"]["action"])
    assert hint["said"][0]["arguments"]["action"] in before["legal"]
    ask(game, action=before["legal"][0])
    assert ask(game, command="undo") == before
    assert ask(game, command="undo")["said"][0]["id"] == "cards.illegal.nothing_to_undo"


@pytest.mark.parametrize(
    "line",
    [b"", b"x", b"[]", b"3", b'{"action":3}', b'{"action":"As","more":1}', b'{"command":"dance"}', b"{" * 5000, b"\xff",
     b'{"ask":"hands"}', b'"' + b"a" * 5000],
)  # fmt: skip
def test_invalid_line_is_an_error(line):
    game = headless()
    before = ask(game, ask="state")
    (answer,) = game.answer_line(line)
    assert json.loads(answer)["type"] == "error"
    assert ask(game, ask="state") == before


def test_lines_are_answered_until_end_of_input():
    output = StringIO()
    run(headless(), BytesIO(b'{"ask":"state"}\n\n{"command":"hint"}'), output)
    kinds = [json.loads(line)["type"] for line in output.getvalue().splitlines()]
    assert kinds == ["hello", "state", "state", "error", "state"]


def test_actions_after_the_end_are_refused():
    game = headless()
    list(play_first_legal(game))
    assert ask(game, action="As")["said"][0]["id"] == "cards.illegal.game_over"
    assert ask(game, command="hint")["said"][0]["id"] == "cards.no_hint"


def test_messages_use_the_chosen_language():
    game = CardHeadless(CardSession(Rules(), ["human", "random"], 1), "de")
    assert "Karte" in ask(game, action="zz")["message"]

"""What a request means when a program plays one side."""

import pytest

from pond_hw.board import Touch
from pond_hw.companion.players import adapt_event
from pond_hw.engine import make_player
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, STANDARD, Action
from pond_hw.session import AgreeDraw, AskHint, RequestRefused, ResignGame, Session, TakeAction, UndoTurns

AGAINST_DARK = (None, make_player("greedy", 0))
START = Session.start_game(STANDARD)
EGG = Action.from_notation("@b2")
DARKS_TURN = START.after(TakeAction(EGG, 0.0))
LIGHTS_TURN = DARKS_TURN.after(TakeAction(Action.from_notation("@c3"), 0.0))


@pytest.mark.parametrize("event", [Touch("a1", True, 1.0), TakeAction(EGG, 1.0), AskHint(1.0)])
def test_nobody_acts_for_a_program(event):
    refused = adapt_event(event, DARKS_TURN, AGAINST_DARK)
    assert isinstance(refused, RequestRefused)
    assert refused.message == Message("seats.wait", side="dark", player="greedy")
    assert adapt_event(event, LIGHTS_TURN, AGAINST_DARK) is event


def test_turns_are_taken_back_until_a_person_is_to_move():
    assert adapt_event(UndoTurns(1.0), LIGHTS_TURN, AGAINST_DARK) == UndoTurns(1.0, 2)
    assert adapt_event(UndoTurns(1.0), DARKS_TURN, AGAINST_DARK) == UndoTurns(1.0, 1)


def test_who_resigns_is_the_person():
    assert adapt_event(ResignGame(1.0), DARKS_TURN, AGAINST_DARK).side is not DARK


def test_a_program_agrees_to_no_early_draw():
    refused = adapt_event(AgreeDraw(1.0), LIGHTS_TURN, AGAINST_DARK)
    assert refused.message == Message("seats.no_draw", players=("greedy",), count=1)


def test_two_people_ask_for_what_they_like():
    event = AgreeDraw(1.0)
    assert adapt_event(event, LIGHTS_TURN, (None, None)) is event

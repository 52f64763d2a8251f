"""Hints are reproducible where required, and come from a process that may die."""

import os
import signal
from contextlib import closing
from queue import SimpleQueue

import pytest

from pond_hw.engine.hints import ImmediateAdviser, WorkerAdviser, to_action_value
from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE
from pond_hw.rules import LIGHT, Position, Record, legal_actions, play
from pond_hw.session import ActionValue
from tests.rules.positions import random_game

TIMEOUT_SECONDS = 30
"""Maximum time to start and answer on a busy machine."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Reduce the number of nodes per hint, because these tests do not depend on good hints."""
    monkeypatch.setattr("pond_hw.engine.hints.HINT_NODES", 2000)


def advice(adviser, game):
    answers = SimpleQueue()
    adviser.request_advice(game, answers.put)
    return answers.get(timeout=TIMEOUT_SECONDS)


def middle(seed=1, actions=20):
    """A game in progress."""
    game = random_game(seed)
    return Record(game.variant, game.turns[:actions])


@pytest.mark.slow
@pytest.mark.parametrize("make", [ImmediateAdviser, WorkerAdviser])
def test_hint_is_legal(make):
    game = middle()
    with closing(make()) as adviser:
        assert advice(adviser, game).action in legal_actions(game.position)


@pytest.mark.parametrize("make", [ImmediateAdviser, WorkerAdviser])
def test_forced_win_is_reported_with_its_length(make):
    # Light's egg on a1 turns the frog on a2 into an egg and completes a column of three: light has 10 points.
    #   4 . . . .
    #   3 E . . f
    #   2 F . . .
    #   1 . . . .
    game = Record(custom_start=Position.from_notation("..../E..f/F.../.... l 4 12 7 0"))
    with closing(make()) as adviser:
        action, value = advice(adviser, game)
    turn = play(game.position, action)
    assert turn.outcome
    assert turn.outcome.winner is LIGHT
    assert value.decided_after == 1


@pytest.mark.slow
def test_answer_does_not_depend_on_earlier_requests():
    adviser, games = ImmediateAdviser(1500), [middle(seed) for seed in range(3)]
    first = [advice(adviser, game) for game in games]
    assert [advice(ImmediateAdviser(1500), game) for game in games] == first
    assert [advice(adviser, game) for game in reversed(games)] == first[::-1]


@pytest.mark.slow
def test_killed_process_is_replaced_without_leftovers():
    game = middle()
    adviser = WorkerAdviser()
    assert adviser.worker.pid is None  # not asked yet
    first = advice(adviser, game)
    killed = adviser.worker.pid
    os.kill(killed, signal.SIGKILL)
    assert advice(adviser, game).action == first.action
    replaced = adviser.worker.pid
    assert replaced != killed
    adviser.stop()
    adviser.close()
    assert adviser.worker.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(replaced, 0)


@pytest.mark.slow
def test_hint_without_a_process_looks_one_action_ahead(monkeypatch):
    monkeypatch.setattr("pond_hw.engine.worker_client.WORKER_MODULE", "pond_hw.no_such_thinker")
    game = Record(custom_start=Position.from_notation("..../E..f/F.../.... l 4 12 7 0"))
    with closing(WorkerAdviser()) as adviser:
        assert play(game.position, advice(adviser, game).action).outcome


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (123, ActionValue(1.23)),
        (-100, ActionValue(-1.0)),
        (WIN_VALUE - 3, ActionValue((WIN_VALUE - 3) / 100, 3)),
        (-MIN_WIN_VALUE, ActionValue(-MIN_WIN_VALUE / 100, WIN_VALUE - MIN_WIN_VALUE)),
    ],
)
def test_values_become_pieces_or_forced_wins(value, expected):
    assert to_action_value(value) == expected

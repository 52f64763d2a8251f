"""Searches in a separate process, which can be stopped, closed and killed while the game goes on."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from queue import Empty, SimpleQueue

import pytest

from pond_hw.companion import Companion, RealClock
from pond_hw.engine import SeatedPlayers, ThinkingLimits, make_player, worker_client
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.worker import record_from_json
from pond_hw.engine.worker_client import WorkerClient, game_to_json
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Action, Record, legal_actions, parse_record, play
from pond_hw.session import Session, UndoTurns
from pond_hw.simulator import SimulatedBoard
from tests.waiting import wait_for

TIMEOUT_SECONDS = 20.0
"""Maximum time to wait on a busy machine."""

GAME = '[Variant "standard"]\n[Result "*"]\n\n1. @b2 @c3 2. @b3 @c2 3. b2a2\n'


@pytest.fixture
def opponent():
    """Function that creates a level. It is closed at the end of the test."""
    players = []

    def make(name, seed=1, **thinks):
        players.append(make_player(name, seed, ThinkingLimits(**thinks)))
        return players[-1]

    yield make
    for each in players:
        each.close()


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123 - no file of ours
        return stat.read().rpartition(")")[2].split()[0] != "Z"


def start_thinking(player, game=None):
    """Ask a question, and wait until a process works on it."""
    answers = SimpleQueue()
    player.request_action(game or Record(), answers.put)
    wait_for(lambda: player.worker.pid)
    return answers


def test_answer_is_legal(opponent):
    game = parse_record(GAME)
    answers = start_thinking(opponent("level-2"), game)
    assert answers.get(timeout=TIMEOUT_SECONDS) in legal_actions(game.position)


@pytest.mark.slow
def test_killed_worker_is_replaced_and_answers_the_same(opponent):
    player = opponent("level-3", seconds=1)
    answers = start_thinking(player)
    first = answers.get(timeout=TIMEOUT_SECONDS)
    answers = start_thinking(player)
    killed = player.worker.pid
    os.kill(killed, signal.SIGKILL)
    assert answers.get(timeout=TIMEOUT_SECONDS) == first
    assert player.worker.pid != killed


@pytest.mark.slow
def test_frozen_worker_is_replaced(opponent, monkeypatch):
    monkeypatch.setattr(worker_client, "GRACE_SECONDS", 0.5)
    player = opponent("level-3", seconds=0.5)
    answers = start_thinking(player)
    frozen = player.worker.pid
    os.kill(frozen, signal.SIGSTOP)
    assert answers.get(timeout=TIMEOUT_SECONDS) in legal_actions(Record().position)
    assert player.worker.pid != frozen
    wait_for(lambda: not alive(frozen))


@pytest.mark.slow
def test_stopped_worker_answers_next_request(opponent):
    player = opponent("level-12", seconds=3600)
    answers = start_thinking(player)
    pid = player.worker.pid
    time.sleep(0.3)
    player.stop()
    with pytest.raises(Empty):
        answers.get(timeout=0.2)
    answers = SimpleQueue()
    quick = {"engine": "level-1", "seconds": None, "least": 0, "ponder": False, "seed": "1"}
    player.worker.ask_question({**quick, **game_to_json(Record())}, answers.put)
    assert answers.get(timeout=TIMEOUT_SECONDS)["action"]
    assert player.worker.pid == pid


def test_only_the_last_request_is_answered(opponent):
    player = opponent("level-1")
    answers = [start_thinking(player) for _ in range(5)]
    assert answers[4].get(timeout=TIMEOUT_SECONDS)
    assert all(each.qsize() <= 1 for each in answers[:4])


def test_same_request_after_undo_is_answered(opponent):
    player = opponent("level-3")
    first = start_thinking(player).get(timeout=TIMEOUT_SECONDS)
    later = parse_record(GAME)
    start_thinking(player, later).get(timeout=TIMEOUT_SECONDS)
    assert start_thinking(player).get(timeout=TIMEOUT_SECONDS) == first


def test_close_ends_the_process(opponent):
    player = opponent("level-12", seconds=3600)
    start_thinking(player)
    pid = player.worker.pid
    player.close()
    assert not alive(pid)
    assert player.worker.pid is None
    player.close()  # harmless


@pytest.mark.slow
def test_closed_player_starts_again(opponent):
    player = opponent("level-1")
    start_thinking(player).get(timeout=TIMEOUT_SECONDS)
    player.close()
    assert start_thinking(player).get(timeout=TIMEOUT_SECONDS)


@pytest.mark.slow
def test_worker_dies_with_its_parent():
    program = """
        import sys, time
        from pond_hw.engine import ThinkingLimits, make_player
        from pond_hw.rules import Record
        player = make_player("level-12", 1, ThinkingLimits(seconds=3600))
        player.request_action(Record(), print)
        while not player.worker.pid:
            time.sleep(0.01)
        time.sleep(0.5)
        print(player.worker.pid, flush=True)
        time.sleep(3600)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE) as board:
        pid = int(board.stdout.readline())
        assert alive(pid)
        board.kill()
    wait_for(lambda: not alive(pid))


def test_greedy_answers_without_a_process(opponent, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    answers = SimpleQueue()
    opponent("level-12").request_action(Record(), answers.put)
    assert answers.get(timeout=TIMEOUT_SECONDS) in legal_actions(Record().position)


@pytest.mark.slow
def test_greedy_answers_if_processes_die(opponent, monkeypatch):
    monkeypatch.setattr(worker_client, "WORKER_MODULE", "pond_hw.engine.missing")
    answers = SimpleQueue()
    opponent("level-12").request_action(Record(), answers.put)
    assert answers.get(timeout=TIMEOUT_SECONDS) in legal_actions(Record().position)


@pytest.mark.slow
def test_pondering_ends_with_next_request(opponent):
    player = opponent("level-5", ponder=True)
    game = Record()
    for _ in range(3):
        action = start_thinking(player, game).get(timeout=TIMEOUT_SECONDS)
        pid = player.worker.pid
        turn = play(game.position, action)
        game = Record(STANDARD, (*game.turns, turn))
        if game.outcome:
            break
        time.sleep(0.2)
        assert player.worker.pid == pid
        game = Record(STANDARD, (*game.turns, play(game.position, legal_actions(game.position)[0])))
    player.stop()


@pytest.mark.slow
def test_answer_to_another_request_is_ignored(monkeypatch, tmp_path):
    """The process answers the previous question, reports that it was stopped, and dies."""
    program = tmp_path / "forgetful.py"
    program.write_text('import sys; sys.stdin.readline(); print(\'{"question": 0, "stopped": true}\', flush=True)')
    monkeypatch.setattr(worker_client, "WORKER_MODULE", "forgetful")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    worker, answers = WorkerClient(1), SimpleQueue()
    worker.ask_question({"look": {"depth": 1}, **game_to_json(Record())}, answers.put)
    assert answers.get(timeout=TIMEOUT_SECONDS) is None
    worker.close()


NONSENSE = ["[]", "7", '{"answer": 1}', '{"question": 1, "action": "nonsense"}', '{"question": 1}']


@pytest.mark.slow
@pytest.mark.parametrize("nonsense", NONSENSE)
def test_greedy_answers_after_invalid_output(nonsense, monkeypatch, tmp_path):
    program = tmp_path / "invalid.py"
    program.write_text(f"import sys\nfor line in sys.stdin: print({nonsense!r}, flush=True)")
    monkeypatch.setattr(worker_client, "WORKER_MODULE", "invalid")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    player, answers = make_player("level-3", 1), SimpleQueue()
    player.request_action(Record(), answers.put)
    assert answers.get(timeout=TIMEOUT_SECONDS) in legal_actions(Record().position)
    player.close()


@pytest.mark.slow
def test_board_stays_responsive_while_thinking(opponent):
    clock, player = RealClock(), opponent("level-12", seconds=3600)
    hands = SimulatedBoard(4, 1, clock.now)
    companion = Companion(hands.to_board(), Session.start_game(STANDARD), clock, SeatedPlayers((None, player)))
    hands.touch("b2")
    companion.run_until(clock.now() + 0.3)
    wait_for(lambda: player.worker.pid)
    before, pid = companion.display.shown_count, player.worker.pid
    companion.run_until(clock.now() + 0.5)
    assert companion.display.shown_count - before > 1  # refreshed four times a second
    hands.touch("c3")
    companion.run_until(clock.now() + 0.1)
    assert Message("seats.wait", side="dark", player="level-12") in companion.session.messages
    companion.put(UndoTurns(clock.now()))
    companion.run_until(clock.now() + 0.1)
    assert not companion.session.turns
    companion.close()
    assert not alive(pid)


def test_request_contains_the_whole_game():
    game = parse_record(GAME)
    again = record_from_json(game_to_json(game))
    assert (again.position, again.turns) == (game.position, game.turns)
    game = EngineGame.from_record(parse_record(GAME))
    assert len(game.past_keys) == 5


def test_search_answer_is_complete():
    worker, answers = WorkerClient(1), SimpleQueue()
    worker.ask_question({"look": {"depth": 3}, **game_to_json(Record())}, answers.put)
    answer = answers.get(timeout=TIMEOUT_SECONDS)
    worker.close()
    assert answer["depth"] == 3
    assert sorted(answer["actions"]) == sorted(map(str, legal_actions(Record().position)))
    assert answer["line"][0] == answer["actions"][0]
    assert answer["values"] == sorted(answer["values"], reverse=True)
    assert Action.from_notation(answer["line"][1])

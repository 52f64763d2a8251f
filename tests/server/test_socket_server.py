"""The local socket: the protocol, for several programs at once, each within its bounds."""

import errno
import json
import os
import select
import socket
import stat
import threading
import tracemalloc
from contextlib import closing
from random import Random

import pytest

from pond_hw.board import BoardFault, HealthEvent, Touch
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.messages.message import Message
from pond_hw.rules import Position, parse_variant
from pond_hw.server import parse_requests, socket_server
from pond_hw.session import NewGame
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import each, first_now_rest_long
from tests.drivers.refusals import raises, raises_message
from tests.journal.simulated_journal import SimulatedJournal
from tests.server.served import Caller, Served, said
from tests.server.test_headless import BAD_LINES, a_line


def kinds(answers):
    return [answer["type"] for answer in answers]


# What is said


def test_a_newcomer_is_told_what_board_it_is_and_how_the_game_stands(serve):
    served = serve("mini", dark="greedy")
    served.hands.touch("b2")
    served.turns()
    hello, state = served.call().hears()
    assert (hello["type"], hello["protocol"], hello["size"], hello["lamps"]) == ("hello", 1, 4, 4)
    assert (hello["live"], hello["board"]) == (True, "a-board")
    assert hello["players"] == {"light": None, "dark": "greedy"}
    assert hello["brightness"] == served.companion.display.limiter.brightness
    assert hello["gamma"] == served.companion.display.limiter.gamma
    assert (state["type"], state["variant"], state["last"]["action"]) == ("state", "mini", "@b2")


def test_a_hint_is_a_change_and_what_if_is_an_answer_to_who_asked(served):
    served.companion._adviser_question.adviser = ImmediateAdviser(500)
    one, other = served.call(), served.call()
    one.hears(), other.hears()
    [*_, state] = one.says({"command": "hint"})
    assert state["hint"]["action"] in state["legal"]
    assert other.hears()[-1]["hint"] == state["hint"]
    [told] = one.says({"ask": "what_if", "action": "@b2"})
    assert (told["type"], told["position"]) == ("what_if", "..../..../.E../.... d 12 13 0 0")
    assert kinds(one.says({"ask": "what_if", "action": "b2b3"})) == ["error"]
    assert other.hears() == []


def test_everybody_hears_of_every_change_whoever_made_it(served):
    one, other = served.call(), served.call()
    one.hears(), other.hears()
    served.hands.touch("b2")
    for caller in (one, other):
        [state] = caller.hears()
        assert state["last"]["action"] == "@b2"
    assert kinds(one.says({"touch": "b3"})) == ["state"]
    assert [state["last"]["action"] for state in other.hears()] == ["@b3"]
    assert one.says({"command": "undo"})[0]["last"]["action"] == "@b2"
    assert kinds(other.hears()) == ["state"]


def test_two_clients_that_take_the_same_turn_back_take_one_back(served):
    one, other = served.call(), served.call()
    one.says({"touch": "b2"}, {"touch": "b3"}, {"touch": "c2"})
    turn = one.says({"ask": "state"})[-1]["turn"]
    assert turn == 3
    for caller in (one, other):
        caller.send(json.dumps({"command": "undo", "turn": turn}).encode() + b"\n")
    assert said(one.hears()[-1]) == [Message("undo.done_already")]
    assert served.played == ["@b2", "@b3"]
    for caller in (one, other):
        caller.send(json.dumps({"command": "redo", "turn": turn}).encode() + b"\n")
    assert said(other.hears()[-1]) == [Message("redo.done_already")]
    assert served.played == ["@b2", "@b3", "@c2"]


@each("turn", [0, -1, 1.0, True, "3", None, 10**9])
def test_turn_that_is_no_number_is_an_error(served, turn):
    page = served.call()
    page.hears()
    [error] = page.says({"command": "undo", "turn": turn})
    assert [message.id for message in said(error)] == ["field.no_turn"]
    page.leave()


def test_asks_and_errors_are_answered_to_who_asked(served):
    one, other = served.call(), served.call()
    one.hears(), other.hears()
    answers = one.says({"ask": "state"}, {"ask": "frame"}, {"ask": "record"}, {"ask": "time"})
    assert kinds(answers) == ["state", "frame", "record", "error"]
    assert other.hears() == []


@pytest.mark.parametrize("question", [{"ask": "state"}, {"ask": "record"}, {"command": "language", "language": "nl"}])
def test_answer_waits_until_own_earlier_lines_are_on_disk(question, serve):
    journal = SimulatedJournal()
    served = serve(journal=journal)
    one, other = served.call(), served.call()
    one.hears(), other.hears()
    assert one.says({"command": "action", "action": "@b2"}, question) == []
    [state] = other.says({"ask": "state"})  # nothing of its own is waiting
    assert state["last"] is None
    journal.report()
    [state, answer] = one.hears()
    assert state["last"]["action"] == "@b2"
    assert answer.get("last", {"action": "@b2"})["action"] == "@b2"
    assert "@b2" in answer.get("record", "@b2")


def test_client_that_has_ended_its_lines_gets_the_answer_that_waits(serve):
    journal = SimulatedJournal()
    served = serve(journal=journal)
    one = served.call()
    one.hears()
    assert one.says({"command": "action", "action": "@b2"}, {"ask": "state"}) == []
    one.socket.shutdown(socket.SHUT_WR)
    assert one.hears() == []
    assert not one.ended
    journal.report()
    assert [state["last"]["action"] for state in one.hears()] == ["@b2", "@b2"]
    assert one.ended


def test_what_changes_nothing_is_not_told(served):
    caller = served.call()
    caller.hears()
    assert kinds(caller.says({"press": "b2"})) == ["state"]
    assert caller.says({"press": "b2"}, {"touch": "b2"}, {"release": "b2"}, {"release": "b2"}) == []


NOT_DARKS = Message("illegal.other_owner", side="dark", cell="b2", owner="light")


def test_a_refusal_is_a_state_with_the_reason_for_everybody(served):
    one, other = served.call(), served.call()
    one.hears(), other.hears()
    one.says({"touch": "b2"})
    other.hears()
    for heard in (one.says({"touch": "b2"}), other.hears()):
        assert [said(state) for state in heard] == [[NOT_DARKS]]


def test_commands_and_actions_are_as_on_every_board(serve):
    served = serve("big", size=5)
    caller = served.call()
    caller.hears()
    for line, message in (
        ({"command": "action", "action": "@e5"}, Message("turn.place", side="light", cell="e5")),
        ({"command": "new", "variant": "mini"}, Message("prompt.buttons.place", side="light")),
        ({"touch": "e5"}, Message("illegal.outside", cell="e5", size=4)),
        ({"command": "draw"}, Message("outcome.agreed_draw", light=0, dark=0)),
        ({"command": "undo"}, Message("game.goes_on")),
        ({"command": "resign"}, Message("outcome.resignation", winner="dark", loser="light")),
        ({"command": "new"}, Message("prompt.buttons.place", side="light")),
        ({"command": "redo"}, Message("redo.nothing")),
    ):
        [state] = caller.says(line)
        assert said(state)[0] == message


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: repr(line)[:40])
def test_a_bad_line_is_answered_as_on_every_board(served, line):
    caller = served.call()
    caller.hears()
    [error] = caller.says(line + b"\n")
    assert error["type"] == "error"
    assert said(error) == [BAD_LINES[line]]


def test_time_is_real_and_cannot_be_waited_for(served):
    caller = served.call()
    caller.hears()
    [error] = caller.says({"wait": 1})
    assert said(error) == [Message("served.no_wait")]
    assert served.clock.now() == 0
    served.passes(1.5)
    assert caller.says({"ask": "state"})[0]["t"] == 1.5


def test_a_frame_is_what_the_lamps_show_strips_included(serve):
    served = serve(lamps=1, strip=3)
    served.hands.touch("b2")
    served.passes(2)
    caller = served.call()
    [*_, frame] = caller.says({"ask": "frame"})
    assert [[list(lamp) for lamp in served.hands.to_board().lamps.frame[cell]] for cell in ("b2", "d4")] == [
        frame["cells"]["b2"],
        frame["cells"]["d4"],
    ]
    assert {side: len(strip) for side, strip in frame["strips"].items()} == {"light": 3, "dark": 3}


def test_another_players_turn_is_told_too(serve):
    served = serve(dark="greedy")
    caller = served.call()
    caller.hears()
    assert kinds(caller.says({"touch": "b2"})) == ["state"]
    served.passes(2)
    [state] = caller.hears()
    assert (state["to_move"], len(served.played)) == ("light", 2)


def test_trouble_is_told_while_it_lasts(served):
    caller = served.call()
    caller.hears()
    trouble = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    served.companion.put(HealthEvent(trouble, 0.0))
    [state] = caller.hears()
    assert said(state, "trouble") == said(state) == [trouble]
    assert caller.says({"touch": "b2"})[0]["last"] is None
    served.companion.put(HealthEvent(None, 1.0))
    assert "trouble" not in caller.hears()[-1]


# Fingers


def test_what_a_client_holds_down_is_let_go_when_it_leaves(served):
    one, other = served.call(), served.call()
    one.says({"touch": "b2"}, {"command": "resign"}, {"press": "c3"})
    served.passes(1.9)
    one.leave()
    served.passes(5)
    assert served.companion.session.outcome  # the finger did not stay: no new game
    other.says({"press": "c3"})
    served.passes(2.1)
    assert served.companion.session.outcome is None


def test_the_fingers_of_two_clients_are_not_the_same_fingers(served):
    one, other = served.call(), served.call()
    one.says({"press": "b2"})
    other.hears()
    [state] = other.says({"press": "b2"})
    assert said(state) == [NOT_DARKS]
    one.hears()
    assert one.says({"press": "b2"}) == []  # it is down already
    assert one.says({"release": "b2"}) == []
    assert kinds(one.says({"press": "b2"})) == ["state"]


def test_lifting_and_dropping_is_for_boards_with_pieces(served):
    caller = served.call()
    caller.hears()
    for what in ("lift", "drop"):
        [error] = caller.says({what: "b2"})
        assert said(error) == [Message("hands.only_buttons", action=what)]


# Hands


class ServedPieces(Served):
    """A service on a board with pieces: simulated ones, or (`real`) such as no program can move."""

    def __init__(self, folder, *, real=False, turned=True):
        super().__init__(folder, pieces=PieceOptions(turned=turned), make_hands=_make_real_hands if real else None)


def _make_real_hands(size, now):
    hands = SimulatedBoard(size, 4, now)
    hands.has_pieces = True
    return hands


@pytest.fixture
def pieces(folder):
    """Serves a board with pieces."""
    boards = []

    def begin(**how):
        boards.append(ServedPieces(folder, **how))
        return boards[-1]

    yield begin
    for board in boards:
        board.close()


def test_a_simulated_board_with_pieces_is_played_by_lifting_and_dropping(pieces):
    served = pieces()
    one, other = served.call(), served.call()
    assert one.hears()[0]["pieces"] is True
    other.hears()
    one.says({"drop": "b2"})
    served.passes(0.3)
    one.says({"drop": "b3"})
    served.passes(0.3)
    assert served.played == ["@b2", "@b3"]
    assert one.hears()[-1]["wood"]["turn"] == ["b2"]
    other.says({"lift": "b2"})
    served.passes(0.3)
    state = one.hears()[-1]
    assert (state["phase"], state["selected"], state["targets"]) == ("in_hand", "b2", ["b1", "a2", "c2"])
    assert state["wood"]["felt"] == ["b3"]


def test_all_programs_share_one_hand_there(pieces):
    served = pieces()
    one, other = served.call(), served.call()
    one.says({"drop": "b2"})
    served.passes(0.3)
    one.says({"lift": "b2"})
    served.passes(0.3)
    other.says({"drop": "b2"})
    served.passes(5)
    assert served.played == ["@b2"]
    assert not served.hands.held_pieces


def test_what_no_hand_can_do_there_is_an_error(pieces):
    served = pieces()
    caller = served.call()
    caller.hears()
    errors = caller.says({"lift": "b2"}, {"take": "b2"}, {"drop": "e5"}, {"touch": "b2"})
    assert kinds(errors) == ["error"] * 4
    assert [message for error in errors for message in said(error)] == [
        Message("illegal.no_piece", cell="b2"),
        Message("illegal.no_piece", cell="b2"),
        Message("illegal.no_such_cell", cell="e5", size=4),
        Message("hands.only_pieces", action="touch"),
    ]


def test_pieces_of_wood_are_moved_by_nobody_but_people(pieces):
    served = pieces(real=True)
    caller = served.call()
    assert caller.hears()[0]["pieces"] is True
    for what in ("lift", "drop", "take"):
        [error] = caller.says({what: "b2"})
        assert said(error) == [Message("hands.real_pieces", action=what)]
    served.companion.put(Touch("b2", True, served.clock.now()))
    served.passes(0.3)
    assert served.played == ["@b2"]
    assert caller.hears()[-1]["wood"]["felt"] == ["b2"]


# Bounds


def test_the_ninth_client_is_sent_away_with_the_reason_and_one_that_leaves_makes_room(served):
    callers = [served.call() for _ in range(socket_server.MAX_CLIENTS)]
    ninth = served.call()
    [error] = ninth.hears()
    assert (error["type"], said(error)) == ("error", [Message("served.is_full", clients=8)])
    assert ninth.ended
    callers[3].leave()
    served.turns()
    assert kinds(served.call().hears()) == ["hello", "state"]


def test_when_it_is_full_the_one_that_was_silent_longest_makes_room_after_a_minute(served):
    callers = [served.call() for _ in range(socket_server.MAX_CLIENTS)]
    served.passes(10, step=0.5)
    callers[0].says({"press": "b2"})
    callers[1].says({"press": "c3"})
    served.passes(5, step=0.5)
    for caller in (callers[0], *callers[2:]):
        caller.says({"ask": "state"})
    served.passes(50, step=0.5)
    assert served.call().hears()[0]["type"] == "error"  # nobody has been silent for so long
    served.passes(6, step=0.5)
    assert kinds(served.call().hears()) == ["hello", "state"]
    error = callers[1].hears()[-1]
    assert (error["type"], said(error)) == ("error", [Message("served.makes_room")])
    assert [caller.ended for caller in callers] == [False, True] + [False] * 6
    assert len(served.service.socket_server.clients) == socket_server.MAX_CLIENTS
    assert kinds(callers[2].says({"press": "c3"})) == ["state"]  # the finger has gone with its owner
    assert served.call().hears()[0]["type"] == "error"


def test_one_that_speaks_at_the_moment_another_comes_is_not_silent(served):
    callers = [served.call() for _ in range(socket_server.MAX_CLIENTS)]
    served.passes(70, step=0.5)
    for caller in callers:
        caller.send(b'{"ask":"state"}\n')
    [error] = served.call().hears()
    assert said(error) == [Message("served.is_full", clients=8)]
    for caller in callers:
        assert kinds(caller.hears())[-1:] == ["state"]


def test_who_looks_on_in_silence_may_stay_while_there_is_room(served):
    caller = served.call()
    caller.hears()
    served.passes(600, step=5)
    served.call()
    assert kinds(caller.says({"ask": "state"})) == ["state"]


def test_who_says_more_than_is_allowed_is_heard_later_and_nothing_is_lost(served):
    caller = served.call()
    caller.hears()
    caller.send(b'{"ask":"state"}\n' * 150)
    assert len(_until_quiet(served, caller)) == socket_server.LINES_PER_SECOND
    served.passes(1, step=0.01)
    assert len(_until_quiet(served, caller)) == pytest.approx(socket_server.LINES_PER_SECOND, abs=1)
    served.passes(1, step=0.01)
    assert len(_until_quiet(served, caller)) == pytest.approx(30, abs=1)


def _until_quiet(served, caller):
    """All that a caller hears while time stands still."""
    served.turns(socket_server.LINES_PER_SECOND)
    return caller.hears()


def test_one_that_talks_without_end_keeps_nobody_waiting(served):
    noisy, other = served.call(), served.call()
    noisy.hears(), other.hears()
    noisy.send(b'{"ask":"frame"}\n' * 5000)
    other.send(b'{"touch":"b2"}\n')
    served.service.run_cycle(0)
    assert served.played == ["@b2"]
    noisy.send(b'{"ask":"frame"}\n' * 5000)
    served.hands.touch("c3")
    served.service.run_cycle(0)
    assert served.played == ["@b2", "@c3"]


def test_clients_take_turns_line_by_line(served):
    one, other = served.call(), served.call()
    one.send(b'{"touch":"a1"}\n{"touch":"b1"}\n{"touch":"c1"}\n')
    other.send(b'{"touch":"a4"}\n{"touch":"b4"}\n{"touch":"c4"}\n')
    served.turns(1)
    served.hands.touch("d2")
    served.turns(2)
    turns = ["@a1", "@a4", "@d2", "@b1", "@b4", "@c1", "@c4"]
    assert served.played == turns
    for caller in (one, other):
        _, _, *states = caller.hears()
        assert [state["last"]["action"] for state in states] == turns  # each of them is told


@pytest.mark.slow
def test_a_line_without_end_is_not_kept(served):
    caller = served.call()
    caller.hears()
    for _ in range(2000):
        caller.send(b"x" * 4096)
        served.passes(0.02)
    [client] = served.service.socket_server.clients
    assert len(client._received_bytes) <= parse_requests.MAX_LINE_BYTES + 1
    answers = caller.says(b'\n{"ask":"state"}\n')
    served.passes(1)
    answers += caller.hears()
    assert kinds(answers) == ["error", "state"]
    assert said(answers[0]) == [Message("line.too_long", bytes=4096)]


def test_lines_may_come_in_pieces_and_with_either_end(served):
    caller = served.call()
    caller.hears()
    assert caller.says(b'{"tou') == caller.says(b'ch":"b') == []
    assert kinds(caller.says(b'2"}\r\n{"ask"')) == ["state"]
    assert kinds(caller.says(b':"state"}\n')) == ["state"]


def test_pieces_of_lines_count_as_lines(served):
    caller = served.call()
    caller.hears()
    [client] = served.service.socket_server.clients
    for _ in range(socket_server.LINES_PER_SECOND + 10):
        caller.send(b"x")
        served.service.run_cycle(0)
    assert len(client._received_bytes) == socket_server.LINES_PER_SECOND
    assert client.poll_events(served.clock.now()) == 0


@pytest.mark.long
def test_one_that_does_not_read_is_let_go_and_the_others_play_on(served):
    deaf, other = served.call(), served.call()
    for number in range(1500):
        served.hands.touch("b2" if number % 2 else "c3")
        served.turns(1)
        if number % 20 == 0:
            other.hears()
    assert len(served.service.socket_server.clients) == 1
    assert deaf.hears()
    assert deaf.ended
    assert kinds(other.says({"ask": "state"}))[-1:] == ["state"]


@pytest.mark.slow
def test_one_that_does_not_read_its_answers_is_not_answered_further(served):
    caller = served.call()
    [client] = served.service.socket_server.clients
    asks = b'{"ask":"frame"}\n' * 50
    for _ in range(20):
        caller.send(asks)
        served.passes(1, step=0.1)
    assert socket_server.PAUSE_UNREAD_BYTES < len(client._unread_bytes) < socket_server.PAUSE_UNREAD_BYTES + 10_000
    heard = len(caller.hears())
    for _ in range(30):
        served.passes(1, step=0.1)
        heard += len(caller.hears())
    assert heard > 500


def test_who_ends_what_it_says_gets_its_answers_and_is_seen_off(served):
    caller = served.call()
    caller.send(b'{"touch":"b2"}\n{"ask":"frame"}\n{"ask":"record"}')  # the last line without its end
    caller.socket.shutdown(socket.SHUT_WR)
    served.turns(10)
    assert kinds(caller.hears()) == ["hello", "state", "state", "frame", "record"]
    assert caller.ended
    assert served.service.socket_server.clients == []


def test_who_has_ended_what_it_says_may_take_its_time_to_read(serve):
    served, asked = serve("big", size=5, lamps=16), 0
    caller = served.call()
    [client] = served.service.socket_server.clients
    while not client._unread_bytes:
        caller.send(b'{"ask":"frame"}\n')
        served.passes(0.05)
        asked += 1
    caller.socket.shutdown(socket.SHUT_WR)
    served.passes(60, step=0.5)
    assert client._unread_bytes
    assert kinds(caller.hears() + caller.hears()) == ["hello", "state", *["frame"] * asked]
    served.turns()
    assert served.service.socket_server.clients == []


def test_who_comes_and_goes_all_the_time_is_let_in_so_often_and_no_more(served):
    come = 0
    for _ in range(socket_server.CONNECTIONS_PER_SECOND + 5):
        try:
            Caller(served).leave()
            come += 1
        except BlockingIOError:
            break
        served.turns(2)
    assert served.service.socket_server._connection_limiter.token_due(served.clock.now()) > served.clock.now()
    assert come >= socket_server.CONNECTIONS_PER_SECOND
    served.passes(1)
    assert kinds(served.call().hears()) == ["hello", "state"]


def test_the_loop_sleeps_while_nobody_may_go_on(served, monkeypatch):
    """A client that has used up its lines, also one that has gone since, is not waited for."""
    waits = []

    class Poll:
        def __init__(self):
            self.watched = set()

        def register(self, what, mask):
            self.watched.add(what.fileno())

        def poll(self, milliseconds):
            waits.append((milliseconds, self.watched))
            return []

    caller = served.call()
    caller.send(b'{"ask":"state"}\n' * 200)
    served.turns(80)
    caller.leave()
    monkeypatch.setattr(socket_server.select, "poll", Poll)
    served.service.run_cycle(0.5)
    [(milliseconds, watched)] = waits
    assert 0 < milliseconds < 40
    assert served.service.socket_server.clients[0].fileno() not in watched


@pytest.mark.slow
def test_clients_may_vanish_at_any_moment(served):
    chance = Random(4)
    for _ in range(300):
        caller = served.call()
        caller.send(b'{"touch":"b2"}\n{"ask":"frame"}\n'[: chance.randrange(40)])
        if chance.random() < 0.5:
            served.turns(1)
        if chance.random() < 0.3:
            caller.socket.shutdown(chance.choice([socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR]))
        served.hands.touch("c3")
        served.turns(1)
        caller.leave()
        served.passes(0.05)
    served.passes(3)
    assert served.service.socket_server.clients == []
    assert kinds(served.call().hears()) == ["hello", "state"]


@pytest.mark.slow
@pytest.mark.parametrize("rounds", first_now_rest_long([24, 60, 4_000]))
def test_eight_programs_gone_mad_cost_a_bounded_amount_and_the_board_answers(serve, rounds):
    served, chance = serve(lamps=1), Random(rounds)
    callers = [served.call() for _ in range(socket_server.MAX_CLIENTS - 1)]
    good = served.call()
    for number in range(rounds):
        if number == rounds // 4:
            tracemalloc.start()
            early = tracemalloc.get_traced_memory()[0]
        for index, caller in enumerate(callers):
            noise = chance.random()
            if noise < 0.6:
                caller.send(b"\n".join(a_line(chance) for _ in range(chance.randrange(1, 30))) + b"\n")
            elif noise < 0.8:
                caller.send(chance.randbytes(chance.randrange(5000)))
            elif noise < 0.82:
                caller.leave()
                served.turns(2)
                callers[index] = served.call()
            if chance.random() < 0.5:
                callers[index].hears()
        if number % 1000 == 0:
            good.send(b'{"ask":"state"}\n')  # who says nothing for a minute may lose the place to a newcomer
        before = served.companion.session
        served.hands.touch(chance.choice(("a1", "b2", "c3", "d4")))
        served.passes(0.02, step=0.02)
        assert served.companion.session is not before  # a finger on the board is always heard
        for state in good.hears():
            if state["type"] == "state":
                assert (
                    Position.from_notation(state["position"], parse_variant(state["variant"])).notation_line
                    == state["position"]
                )
        for client in served.service.socket_server.clients:
            assert len(client._received_bytes) <= socket_server.CHUNK_BYTES + parse_requests.MAX_LINE_BYTES + 1
            assert len(client._unread_bytes) <= socket_server.MAX_UNREAD_BYTES + 5000
    late = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert late - early < 6_000_000
    for caller in callers:
        caller.leave()
    served.passes(3)
    served.companion.put(NewGame(parse_variant("standard"), served.clock.now()))
    served.hands.touch("b2")
    served.turns()
    assert served.played == ["@b2"]
    assert good.hears()[-1]["last"]["action"] == "@b2"


# Where the socket is


def test_its_owner_and_group_may_come_in_and_nobody_else(served):
    assert stat.S_IMODE(served.path.stat().st_mode) == 0o660
    assert stat.S_ISSOCK(served.path.stat().st_mode)


def test_it_is_gone_when_the_service_is(served):
    served.service.close()
    assert not served.path.exists()


def test_a_socket_that_somebody_else_has_put_there_since_is_left_alone(served, folder):
    served.path.unlink()
    with socket_server.open_listener(served.path):
        served.service.close()
        assert served.path.exists()


def test_what_a_dead_service_left_behind_is_replaced(folder):
    path = folder / "pond.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with socket_server.open_listener(path), socket.socket(socket.AF_UNIX) as caller:
        assert caller.connect_ex(str(path)) == 0


def test_where_another_program_listens_it_is_told(folder):
    path = folder / "pond.sock"
    with (
        socket_server.open_listener(path),
        raises(BoardFault, "socket.in_use", path=str(path)),
    ):
        socket_server.open_listener(path)


def test_one_that_is_too_busy_to_answer_is_alive_too(folder):
    path = folder / "pond.sock"
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(str(path))
        busy.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        codes = []
        for each in waiting:
            each.setblocking(False)
            codes.append(each.connect_ex(str(path)))
        assert errno.EAGAIN in codes
        with raises(BoardFault, "socket.in_use", path=str(path)):
            socket_server.open_listener(path)
        for each in waiting:
            each.close()


@pytest.mark.parametrize(
    ("make", "path", "reason"),
    [
        (lambda place: place.write_text("x"), "file", None),
        (lambda place: place.mkdir(), "folder", None),
        (lambda place: place.symlink_to("elsewhere"), "link", None),
        (os.mkfifo, "pipe", None),
        (lambda place: None, "no/such/folder", "No such file or directory"),
        (lambda place: None, "x" * 120, "AF_UNIX path too long"),
    ],
    ids=["file", "folder", "link", "pipe", "no folder", "long"],
)
def test_a_path_that_no_socket_can_have_is_told_with_the_reason(folder, make, path, reason):
    make(folder / path)
    facts = {"path": str(folder / path)}
    message = Message("socket.unusable", **facts, text=reason) if reason else Message("socket.other_file", **facts)
    with raises_message(BoardFault, message):
        socket_server.open_listener(folder / path)


# What wakes the loop


def test_a_bell_can_be_waited_for_and_is_silent_once_it_was_heard():
    with closing(socket_server.LoopWaker()) as bell:
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        assert not poll.poll(0)
        ringing = threading.Thread(target=bell.set)
        ringing.start()
        assert poll.poll(20_000)
        ringing.join()
        assert bell.is_set()
        for _ in range(20_000):
            bell.set()  # more than fits into any buffer, and nobody waits
        bell.clear()
        assert poll.poll(0)
        bell.drain()
        assert not poll.poll(0)
        assert not bell.is_set()
    bell.set()  # by a thread that has not heard of the end


def test_a_finger_wakes_the_service(serve):
    served = serve()
    served.turns()
    poll = select.poll()
    poll.register(served.bell, select.POLLIN)
    assert not poll.poll(0)
    served.hands.touch("b2")
    assert poll.poll(0)
    served.turns(1)
    assert served.played == ["@b2"]
    assert not poll.poll(0)

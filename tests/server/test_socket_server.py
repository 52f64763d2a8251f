"""The local socket: the protocol with several clients, and the limits on them."""

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
from tests.conftest import each, long_after_first
from tests.drivers.error_checks import raises, raises_message
from tests.journal.simulated_journal import SimulatedJournal
from tests.server.served import BoardClient, Served, parse_said
from tests.server.test_headless import BAD_LINES, random_line


def kinds(answers):
    return [answer["type"] for answer in answers]


# Messages


def test_new_client_gets_hello_and_state(serve):
    served = serve("mini", dark="greedy")
    served.hands.touch("b2")
    served.run_cycles()
    hello, state = served.connect().receive()
    assert (hello["type"], hello["protocol"], hello["size"], hello["lamps"]) == ("hello", 1, 4, 4)
    assert (hello["live"], hello["board"]) == (True, "a-board")
    assert hello["players"] == {"light": None, "dark": "greedy"}
    assert hello["brightness"] == served.companion.display.limiter.brightness
    assert hello["gamma"] == served.companion.display.limiter.gamma
    assert (state["type"], state["variant"], state["last"]["action"]) == ("state", "mini", "@b2")


def test_hint_is_broadcast_but_not_what_if(served):
    served.companion._adviser_question.adviser = ImmediateAdviser(500)
    one, other = served.connect(), served.connect()
    one.receive(), other.receive()
    [*_, state] = one.request({"command": "hint"})
    assert state["hint"]["action"] in state["legal"]
    assert other.receive()[-1]["hint"] == state["hint"]
    [answer] = one.request({"ask": "what_if", "action": "@b2"})
    assert (answer["type"], answer["position"]) == ("what_if", "..../..../.E../.... d 12 13 0 0")
    assert kinds(one.request({"ask": "what_if", "action": "b2b3"})) == ["error"]
    assert other.receive() == []


def test_every_client_gets_every_change(served):
    one, other = served.connect(), served.connect()
    one.receive(), other.receive()
    served.hands.touch("b2")
    for caller in (one, other):
        [state] = caller.receive()
        assert state["last"]["action"] == "@b2"
    assert kinds(one.request({"touch": "b3"})) == ["state"]
    assert [state["last"]["action"] for state in other.receive()] == ["@b3"]
    assert one.request({"command": "undo"})[0]["last"]["action"] == "@b2"
    assert kinds(other.receive()) == ["state"]


def test_same_undo_by_two_clients_undoes_one_turn(served):
    one, other = served.connect(), served.connect()
    one.request({"touch": "b2"}, {"touch": "b3"}, {"touch": "c2"})
    turn = one.request({"ask": "state"})[-1]["turn"]
    assert turn == 3
    for caller in (one, other):
        caller.send(json.dumps({"command": "undo", "turn": turn}).encode() + b"\n")
    assert parse_said(one.receive()[-1]) == [Message("undo.done_already")]
    assert served.played == ["@b2", "@b3"]
    for caller in (one, other):
        caller.send(json.dumps({"command": "redo", "turn": turn}).encode() + b"\n")
    assert parse_said(other.receive()[-1]) == [Message("redo.done_already")]
    assert served.played == ["@b2", "@b3", "@c2"]


@each("turn", [0, -1, 1.0, True, "3", None, 10**9])
def test_invalid_turn_number_is_an_error(served, turn):
    page = served.connect()
    page.receive()
    [error] = page.request({"command": "undo", "turn": turn})
    assert [message.id for message in parse_said(error)] == ["field.no_turn"]
    page.leave()


def test_answers_and_errors_go_only_to_the_requester(served):
    one, other = served.connect(), served.connect()
    one.receive(), other.receive()
    answers = one.request({"ask": "state"}, {"ask": "frame"}, {"ask": "record"}, {"ask": "time"})
    assert kinds(answers) == ["state", "frame", "record", "error"]
    assert other.receive() == []


@pytest.mark.parametrize("question", [{"ask": "state"}, {"ask": "record"}, {"command": "language", "language": "nl"}])
def test_answer_waits_for_earlier_saves(question, serve):
    journal = SimulatedJournal()
    served = serve(journal=journal)
    one, other = served.connect(), served.connect()
    one.receive(), other.receive()
    assert one.request({"command": "action", "action": "@b2"}, question) == []
    [state] = other.request({"ask": "state"})  # has no pending line of its own
    assert state["last"] is None
    journal.report()
    [state, answer] = one.receive()
    assert state["last"]["action"] == "@b2"
    assert answer.get("last", {"action": "@b2"})["action"] == "@b2"
    assert "@b2" in answer.get("record", "@b2")


def test_half_closed_client_gets_its_pending_answer(serve):
    journal = SimulatedJournal()
    served = serve(journal=journal)
    one = served.connect()
    one.receive()
    assert one.request({"command": "action", "action": "@b2"}, {"ask": "state"}) == []
    one.socket.shutdown(socket.SHUT_WR)
    assert one.receive() == []
    assert not one.ended
    journal.report()
    assert [state["last"]["action"] for state in one.receive()] == ["@b2", "@b2"]
    assert one.ended


def test_no_state_is_sent_without_a_change(served):
    caller = served.connect()
    caller.receive()
    assert kinds(caller.request({"press": "b2"})) == ["state"]
    assert caller.request({"press": "b2"}, {"touch": "b2"}, {"release": "b2"}, {"release": "b2"}) == []


NOT_DARK_PIECE = Message("illegal.other_owner", side="dark", cell="b2", owner="light")


def test_refusal_is_sent_as_state_to_all_clients(served):
    one, other = served.connect(), served.connect()
    one.receive(), other.receive()
    one.request({"touch": "b2"})
    other.receive()
    for heard in (one.request({"touch": "b2"}), other.receive()):
        assert [parse_said(state) for state in heard] == [[NOT_DARK_PIECE]]


def test_commands_and_actions_report_the_result(serve):
    served = serve("big", size=5)
    caller = served.connect()
    caller.receive()
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
        [state] = caller.request(line)
        assert parse_said(state)[0] == message


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: repr(line)[:40])
def test_bad_line_is_an_error(served, line):
    caller = served.connect()
    caller.receive()
    [error] = caller.request(line + b"\n")
    assert error["type"] == "error"
    assert parse_said(error) == [BAD_LINES[line]]


def test_wait_is_an_error(served):
    caller = served.connect()
    caller.receive()
    [error] = caller.request({"wait": 1})
    assert parse_said(error) == [Message("served.no_wait")]
    assert served.clock.now() == 0
    served.advance(1.5)
    assert caller.request({"ask": "state"})[0]["t"] == 1.5


def test_frame_includes_score_strips(serve):
    served = serve(lamps=1, strip=3)
    served.hands.touch("b2")
    served.advance(2)
    caller = served.connect()
    [*_, frame] = caller.request({"ask": "frame"})
    assert [[list(lamp) for lamp in served.hands.to_board().lamps.frame[cell]] for cell in ("b2", "d4")] == [
        frame["cells"]["b2"],
        frame["cells"]["d4"],
    ]
    assert {side: len(strip) for side, strip in frame["strips"].items()} == {"light": 3, "dark": 3}


def test_program_turn_is_reported(serve):
    served = serve(dark="greedy")
    caller = served.connect()
    caller.receive()
    assert kinds(caller.request({"touch": "b2"})) == ["state"]
    served.advance(2)
    [state] = caller.receive()
    assert (state["to_move"], len(served.played)) == ("light", 2)


def test_trouble_is_reported_while_it_lasts(served):
    caller = served.connect()
    caller.receive()
    trouble = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    served.companion.put(HealthEvent(trouble, 0.0))
    [state] = caller.receive()
    assert parse_said(state, "trouble") == parse_said(state) == [trouble]
    assert caller.request({"touch": "b2"})[0]["last"] is None
    served.companion.put(HealthEvent(None, 1.0))
    assert "trouble" not in caller.receive()[-1]


# Fingers


def test_leaving_client_releases_its_buttons(served):
    one, other = served.connect(), served.connect()
    one.request({"touch": "b2"}, {"command": "resign"}, {"press": "c3"})
    served.advance(1.9)
    one.leave()
    served.advance(5)
    assert served.companion.session.outcome  # the press was short: no new game
    other.request({"press": "c3"})
    served.advance(2.1)
    assert served.companion.session.outcome is None


def test_clients_press_cells_independently(served):
    one, other = served.connect(), served.connect()
    one.request({"press": "b2"})
    other.receive()
    [state] = other.request({"press": "b2"})
    assert parse_said(state) == [NOT_DARK_PIECE]
    one.receive()
    assert one.request({"press": "b2"}) == []  # already down
    assert one.request({"release": "b2"}) == []
    assert kinds(one.request({"press": "b2"})) == ["state"]


def test_lift_and_drop_need_pieces(served):
    caller = served.connect()
    caller.receive()
    for what in ("lift", "drop"):
        [error] = caller.request({what: "b2"})
        assert parse_said(error) == [Message("hands.only_buttons", action=what)]


# Hands


class ServedPieces(Served):
    """A service on a board with simulated pieces or, with `real`, with pieces that no program can move."""

    def __init__(self, folder, *, real=False, turned=True):
        super().__init__(folder, pieces=PieceOptions(turned=turned), make_hands=_make_real_hands if real else None)


def _make_real_hands(size, now):
    hands = SimulatedBoard(size, 4, now)
    hands.has_pieces = True
    return hands


@pytest.fixture
def pieces(folder):
    """Return a function that serves a board with pieces."""
    boards = []

    def begin(**how):
        boards.append(ServedPieces(folder, **how))
        return boards[-1]

    yield begin
    for board in boards:
        board.close()


def test_lift_and_drop_on_a_simulated_board(pieces):
    served = pieces()
    one, other = served.connect(), served.connect()
    assert one.receive()[0]["pieces"] is True
    other.receive()
    one.request({"drop": "b2"})
    served.advance(0.3)
    one.request({"drop": "b3"})
    served.advance(0.3)
    assert served.played == ["@b2", "@b3"]
    assert one.receive()[-1]["wood"]["turn"] == ["b2"]
    other.request({"lift": "b2"})
    served.advance(0.3)
    state = one.receive()[-1]
    assert (state["phase"], state["selected"], state["targets"]) == ("in_hand", "b2", ["b1", "a2", "c2"])
    assert state["wood"]["felt"] == ["b3"]


def test_clients_share_one_hand(pieces):
    served = pieces()
    one, other = served.connect(), served.connect()
    one.request({"drop": "b2"})
    served.advance(0.3)
    one.request({"lift": "b2"})
    served.advance(0.3)
    other.request({"drop": "b2"})
    served.advance(5)
    assert served.played == ["@b2"]
    assert not served.hands.held_pieces


def test_impossible_hand_action_is_an_error(pieces):
    served = pieces()
    caller = served.connect()
    caller.receive()
    errors = caller.request({"lift": "b2"}, {"take": "b2"}, {"drop": "e5"}, {"touch": "b2"})
    assert kinds(errors) == ["error"] * 4
    assert [message for error in errors for message in parse_said(error)] == [
        Message("illegal.no_piece", cell="b2"),
        Message("illegal.no_piece", cell="b2"),
        Message("illegal.no_such_cell", cell="e5", size=4),
        Message("hands.only_pieces", action="touch"),
    ]


def test_no_client_moves_real_pieces(pieces):
    served = pieces(real=True)
    caller = served.connect()
    assert caller.receive()[0]["pieces"] is True
    for what in ("lift", "drop", "take"):
        [error] = caller.request({what: "b2"})
        assert parse_said(error) == [Message("hands.real_pieces", action=what)]
    served.companion.put(Touch("b2", True, served.clock.now()))
    served.advance(0.3)
    assert served.played == ["@b2"]
    assert caller.receive()[-1]["wood"]["felt"] == ["b2"]


# Limits


def test_ninth_client_is_refused(served):
    callers = [served.connect() for _ in range(socket_server.MAX_CLIENTS)]
    ninth = served.connect()
    [error] = ninth.receive()
    assert (error["type"], parse_said(error)) == ("error", [Message("served.is_full", clients=8)])
    assert ninth.ended
    callers[3].leave()
    served.run_cycles()
    assert kinds(served.connect().receive()) == ["hello", "state"]


def test_silent_client_makes_room_after_a_minute(served):
    callers = [served.connect() for _ in range(socket_server.MAX_CLIENTS)]
    served.advance(10, step=0.5)
    callers[0].request({"press": "b2"})
    callers[1].request({"press": "c3"})
    served.advance(5, step=0.5)
    for caller in (callers[0], *callers[2:]):
        caller.request({"ask": "state"})
    served.advance(50, step=0.5)
    assert served.connect().receive()[0]["type"] == "error"  # no client has been silent that long
    served.advance(6, step=0.5)
    assert kinds(served.connect().receive()) == ["hello", "state"]
    error = callers[1].receive()[-1]
    assert (error["type"], parse_said(error)) == ("error", [Message("served.makes_room")])
    assert [caller.ended for caller in callers] == [False, True] + [False] * 6
    assert len(served.connections.clients) == socket_server.MAX_CLIENTS
    assert kinds(callers[2].request({"press": "c3"})) == ["state"]  # its owner has left
    assert served.connect().receive()[0]["type"] == "error"


def test_client_with_a_pending_line_is_not_silent(served):
    callers = [served.connect() for _ in range(socket_server.MAX_CLIENTS)]
    served.advance(70, step=0.5)
    for caller in callers:
        caller.send(b'{"ask":"state"}\n')
    [error] = served.connect().receive()
    assert parse_said(error) == [Message("served.is_full", clients=8)]
    for caller in callers:
        assert kinds(caller.receive())[-1:] == ["state"]


def test_silent_client_stays_while_there_is_room(served):
    caller = served.connect()
    caller.receive()
    served.advance(600, step=5)
    served.connect()
    assert kinds(caller.request({"ask": "state"})) == ["state"]


def test_lines_over_the_limit_are_delayed(served):
    caller = served.connect()
    caller.receive()
    caller.send(b'{"ask":"state"}\n' * 150)
    assert len(_receive_all(served, caller)) == socket_server.LINES_PER_SECOND
    served.advance(1, step=0.01)
    assert len(_receive_all(served, caller)) == pytest.approx(socket_server.LINES_PER_SECOND, abs=1)
    served.advance(1, step=0.01)
    assert len(_receive_all(served, caller)) == pytest.approx(30, abs=1)


def _receive_all(served, caller):
    """Return all lines that a client receives while time stands still."""
    served.run_cycles(socket_server.LINES_PER_SECOND)
    return caller.receive()


def test_flooding_client_does_not_delay_others(served):
    noisy, other = served.connect(), served.connect()
    noisy.receive(), other.receive()
    noisy.send(b'{"ask":"frame"}\n' * 5000)
    other.send(b'{"touch":"b2"}\n')
    served.service.run_cycle(0)
    assert served.played == ["@b2"]
    noisy.send(b'{"ask":"frame"}\n' * 5000)
    served.hands.touch("c3")
    served.service.run_cycle(0)
    assert served.played == ["@b2", "@c3"]


def test_clients_are_served_line_by_line(served):
    one, other = served.connect(), served.connect()
    one.send(b'{"touch":"a1"}\n{"touch":"b1"}\n{"touch":"c1"}\n')
    other.send(b'{"touch":"a4"}\n{"touch":"b4"}\n{"touch":"c4"}\n')
    served.run_cycles(1)
    served.hands.touch("d2")
    served.run_cycles(2)
    turns = ["@a1", "@a4", "@d2", "@b1", "@b4", "@c1", "@c4"]
    assert served.played == turns
    for caller in (one, other):
        _, _, *states = caller.receive()
        assert [state["last"]["action"] for state in states] == turns  # in each client


@pytest.mark.slow
def test_endless_line_is_not_buffered(served):
    caller = served.connect()
    caller.receive()
    for _ in range(2000):
        caller.send(b"x" * 4096)
        served.advance(0.02)
    [client] = served.connections.clients
    assert len(client._received_bytes) <= parse_requests.MAX_LINE_BYTES + 1
    answers = caller.request(b'\n{"ask":"state"}\n')
    served.advance(1)
    answers += caller.receive()
    assert kinds(answers) == ["error", "state"]
    assert parse_said(answers[0]) == [Message("line.too_long", bytes=4096)]


def test_split_lines_and_crlf_are_accepted(served):
    caller = served.connect()
    caller.receive()
    assert caller.request(b'{"tou') == caller.request(b'ch":"b') == []
    assert kinds(caller.request(b'2"}\r\n{"ask"')) == ["state"]
    assert kinds(caller.request(b':"state"}\n')) == ["state"]


def test_partial_lines_count_towards_the_limit(served):
    caller = served.connect()
    caller.receive()
    [client] = served.connections.clients
    for _ in range(socket_server.LINES_PER_SECOND + 10):
        caller.send(b"x")
        served.service.run_cycle(0)
    assert len(client._received_bytes) == socket_server.LINES_PER_SECOND
    assert client.poll_events(served.clock.now()) == 0


@pytest.mark.long
def test_client_that_never_reads_is_disconnected(served):
    deaf, other = served.connect(), served.connect()
    for number in range(1500):
        served.hands.touch("b2" if number % 2 else "c3")
        served.run_cycles(1)
        if number % 20 == 0:
            other.receive()
    assert len(served.connections.clients) == 1
    assert deaf.receive()
    assert deaf.ended
    assert kinds(other.request({"ask": "state"}))[-1:] == ["state"]


@pytest.mark.slow
def test_client_with_unread_answers_is_paused(served):
    caller = served.connect()
    [client] = served.connections.clients
    asks = b'{"ask":"frame"}\n' * 50
    for _ in range(20):
        caller.send(asks)
        served.advance(1, step=0.1)
    assert socket_server.PAUSE_UNREAD_BYTES < len(client._unread_bytes) < socket_server.PAUSE_UNREAD_BYTES + 10_000
    heard = len(caller.receive())
    for _ in range(30):
        served.advance(1, step=0.1)
        heard += len(caller.receive())
    assert heard > 500


def test_half_closed_client_gets_its_answers(served):
    caller = served.connect()
    caller.send(b'{"touch":"b2"}\n{"ask":"frame"}\n{"ask":"record"}')  # the last line is unfinished
    caller.socket.shutdown(socket.SHUT_WR)
    served.run_cycles(10)
    assert kinds(caller.receive()) == ["hello", "state", "state", "frame", "record"]
    assert caller.ended
    assert served.connections.clients == []


def test_half_closed_client_may_read_slowly(serve):
    served, asked = serve("big", size=5, lamps=16), 0
    caller = served.connect()
    [client] = served.connections.clients
    while not client._unread_bytes:
        caller.send(b'{"ask":"frame"}\n')
        served.advance(0.05)
        asked += 1
    caller.socket.shutdown(socket.SHUT_WR)
    served.advance(60, step=0.5)
    assert client._unread_bytes
    assert kinds(caller.receive() + caller.receive()) == ["hello", "state", *["frame"] * asked]
    served.run_cycles()
    assert served.connections.clients == []


def test_connection_rate_is_limited(served):
    come = 0
    for _ in range(socket_server.CONNECTIONS_PER_SECOND + 5):
        try:
            BoardClient(served).leave()
            come += 1
        except BlockingIOError:
            break
        served.run_cycles(2)
    assert served.connections._connection_limiter.token_due(served.clock.now()) > served.clock.now()
    assert come >= socket_server.CONNECTIONS_PER_SECOND
    served.advance(1)
    assert kinds(served.connect().receive()) == ["hello", "state"]


def test_loop_sleeps_while_all_clients_are_limited(served, monkeypatch):
    """A client that has used up its lines must not keep the loop awake, even if it has left."""
    waits = []

    class Poll:
        def __init__(self):
            self.watched = set()

        def register(self, what, mask):
            self.watched.add(what.fileno())

        def poll(self, milliseconds):
            waits.append((milliseconds, self.watched))
            return []

    caller = served.connect()
    caller.send(b'{"ask":"state"}\n' * 200)
    served.run_cycles(80)
    caller.leave()
    monkeypatch.setattr(socket_server.select, "poll", Poll)
    served.service.run_cycle(0.5)
    [(milliseconds, watched)] = waits
    assert 0 < milliseconds < 40
    assert served.connections.clients[0].fileno() not in watched


@pytest.mark.slow
def test_clients_can_vanish_at_any_moment(served):
    rng = Random(4)
    for _ in range(300):
        caller = served.connect()
        caller.send(b'{"touch":"b2"}\n{"ask":"frame"}\n'[: rng.randrange(40)])
        if rng.random() < 0.5:
            served.run_cycles(1)
        if rng.random() < 0.3:
            caller.socket.shutdown(rng.choice([socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR]))
        served.hands.touch("c3")
        served.run_cycles(1)
        caller.leave()
        served.advance(0.05)
    served.advance(3)
    assert served.connections.clients == []
    assert kinds(served.connect().receive()) == ["hello", "state"]


@pytest.mark.slow
@pytest.mark.parametrize("rounds", long_after_first([24, 60, 4_000]))
def test_flood_from_all_clients_is_bounded(serve, rounds):
    served, rng = serve(lamps=1), Random(rounds)
    callers = [served.connect() for _ in range(socket_server.MAX_CLIENTS - 1)]
    good = served.connect()
    for number in range(rounds):
        if number == rounds // 4:
            tracemalloc.start()
            early = tracemalloc.get_traced_memory()[0]
        for index, caller in enumerate(callers):
            noise = rng.random()
            if noise < 0.6:
                caller.send(b"\n".join(random_line(rng) for _ in range(rng.randrange(1, 30))) + b"\n")
            elif noise < 0.8:
                caller.send(rng.randbytes(rng.randrange(5000)))
            elif noise < 0.82:
                caller.leave()
                served.run_cycles(2)
                callers[index] = served.connect()
            if rng.random() < 0.5:
                callers[index].receive()
        if number % 1000 == 0:
            good.send(b'{"ask":"state"}\n')  # otherwise it may be replaced after a minute
        before = served.companion.session
        served.hands.touch(rng.choice(("a1", "b2", "c3", "d4")))
        served.advance(0.02, step=0.02)
        assert served.companion.session is not before  # a press on the board always counts
        for state in good.receive():
            if state["type"] == "state":
                assert (
                    Position.from_notation(state["position"], parse_variant(state["variant"])).notation_line
                    == state["position"]
                )
        for client in served.connections.clients:
            assert len(client._received_bytes) <= socket_server.CHUNK_BYTES + parse_requests.MAX_LINE_BYTES + 1
            assert len(client._unread_bytes) <= socket_server.MAX_UNREAD_BYTES + 5000
    late = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert late - early < 6_000_000
    for caller in callers:
        caller.leave()
    served.advance(3)
    served.companion.put(NewGame(parse_variant("standard"), served.clock.now()))
    served.hands.touch("b2")
    served.run_cycles()
    assert served.played == ["@b2"]
    assert good.receive()[-1]["last"]["action"] == "@b2"


# Socket file


def test_socket_permissions(served):
    assert stat.S_IMODE(served.path.stat().st_mode) == 0o660
    assert stat.S_ISSOCK(served.path.stat().st_mode)


def test_socket_is_removed_at_the_end(served):
    served.service.close()
    assert not served.path.exists()


def test_replaced_socket_is_not_removed(served, folder):
    served.path.unlink()
    with socket_server.open_listener(served.path):
        served.service.close()
        assert served.path.exists()


def test_dead_socket_is_replaced(folder):
    path = folder / "pond.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with socket_server.open_listener(path), socket.socket(socket.AF_UNIX) as caller:
        assert caller.connect_ex(str(path)) == 0


def test_socket_in_use_is_refused(folder):
    path = folder / "pond.sock"
    with (
        socket_server.open_listener(path),
        raises(BoardFault, "socket.in_use", path=str(path)),
    ):
        socket_server.open_listener(path)


def test_busy_socket_counts_as_in_use(folder):
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
def test_unusable_socket_path_is_reported(folder, make, path, reason):
    make(folder / path)
    facts = {"path": str(folder / path)}
    message = Message("socket.unusable", **facts, text=reason) if reason else Message("socket.other_file", **facts)
    with raises_message(BoardFault, message):
        socket_server.open_listener(folder / path)


# Wake-ups


def test_loop_waker_can_be_polled_and_drained():
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
            bell.set()  # more than any buffer holds, without a reader
        bell.clear()
        assert poll.poll(0)
        bell.drain()
        assert not poll.poll(0)
        assert not bell.is_set()
    bell.set()  # by a thread that does not know of the end


def test_press_wakes_the_service(serve):
    served = serve()
    served.run_cycles()
    poll = select.poll()
    poll.register(served.bell, select.POLLIN)
    assert not poll.poll(0)
    served.hands.touch("b2")
    assert poll.poll(0)
    served.run_cycles(1)
    assert served.played == ["@b2"]
    assert not poll.poll(0)

"""Tests of `pond play --connect`, which must show and control a served board just like a local one."""

import asyncio
import io
import json
import os
import socket
import sys
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from textual.events import Key
from textual.widgets import OptionList

from pond_hw import tui
from pond_hw.board import HealthEvent
from pond_hw.commands import main
from pond_hw.engine import SeatedPlayers, make_player
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.exercises import load_lessons
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, STANDARD, VARIANTS, Action, PondError, Side, parse_variant
from pond_hw.server import protocol, remote_seats, socket_client, view_from_json
from pond_hw.server.socket_server import open_listener
from pond_hw.server.view_from_json import InvalidMessage, SeatNames, ServedBoard
from pond_hw.session import (
    ActionValue,
    AgreeDraw,
    AskHint,
    CellRole,
    ChangeSetting,
    HelpLevel,
    HintFound,
    NewGame,
    RedoTurns,
    RequestRefused,
    ResignGame,
    Session,
    TakeAction,
    TroubleChanged,
    UndoTurns,
    describe_preview,
    describe_turn,
    prompt_turn,
    session_events,
)
from pond_hw.session.game.resume_prompt import ResumePrompt
from pond_hw.session.game.settings import HELP
from pond_hw.tui import remote_table
from pond_hw.tui.dialogs import ConfirmDialog, CourseDialog, ResumeDialog
from pond_hw.tui.lamp_grid import LampGrid
from pond_hw.tui.play_app import TerminalBoard
from pond_hw.tui.remote_table import RemoteTable
from pond_hw.tui.status_text import format_status
from tests.conftest import IN_CI, long_after_first
from tests.messages.says import text
from tests.session.tables import values_by_side
from tests.tui.terminal_table import TerminalTable, widget_text, without_painting
from tests.tui.test_random_keys import RandomUser

ENGLISH = get_catalogue()

LETTERS = {side: text(Message(f"status.letters.{side}")) for side in ("light", "dark")}


def gone_message(served):
    return Message("remote.gone", socket=str(served.path))


def not_served_message(path):
    return Message("remote.not_served", socket=str(path))


@contextmanager
def served_in_thread(served):
    """Run the loop of the served board in a thread, for clients that block until it answers."""
    stop = threading.Event()

    def go():
        while not stop.is_set():
            served.service.run_cycle(0.002)

    loop = threading.Thread(target=go)
    loop.start()
    try:
        yield
    finally:
        stop.set()
        loop.join()


@contextmanager
def connected_table(served):
    """Connect a table whose clock differs from the clock of the board."""
    with served_in_thread(served):
        table = RemoteTable([served.path], lambda: served.clock.now() + 1000)
    try:
        yield table
    finally:
        table.close()


def catch_up(table, served):
    """Process all messages and answers. Several steps are needed because each step reads a limited number of lines."""
    for moment in (0.1, 0.1, 0, 0):
        table.step()
        served.advance(moment)
        served.run_cycles()
    table.step()


# Shown state after a round trip


def random_sessions(count):
    """Yield sessions after random events."""
    for seed in range(count):
        rng = Random(seed)
        session = Session.start_game(
            rng.choice([*VARIANTS.values(), parse_variant("3x3/9/1"), parse_variant("4x4/3/2")]), 5
        )
        for step in range(rng.randrange(40)):
            at = step / 2
            session = session.after(_random_event(rng, session, at))
        yield session


WORTH = (ActionValue(1.5), ActionValue(1.0, 3), ActionValue(-1.0, 4))


def _random_event(rng, session, at):
    kind = rng.random()
    if kind < 0.6 and session.allowed_actions:
        return TakeAction(rng.choice(session.allowed_actions), at)
    return rng.choice(
        [
            UndoTurns(at, rng.randrange(1, 4)),
            UndoTurns(at),
            RedoTurns(at),
            ResignGame(at),
            AgreeDraw(at),
            NewGame(rng.choice([STANDARD, parse_variant("big")]), at),
            AskHint(at),
            *(HintFound(rng.choice(session.allowed_actions), worth, at) for worth in WORTH if session.allowed_actions),
            RequestRefused(Message("hint.not_yet"), at, rng.choice([None, "e5"])),
            TroubleChanged(rng.choice([None, None, Message("trouble.over")]), at),
            *(TakeAction(Action(cell, "a1"), at) for cell in ("a2", "e5")),
            *([press] if (press := _press(rng, session, at)) else []),
        ]
    )


def _press(rng, session, at):
    from pond_hw.board import Touch

    movers = [action.source for action in session.allowed_actions if action.source]
    return Touch(rng.choice(movers), True, at) if movers else None


@pytest.mark.slow
@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.long)])
def test_session_round_trip_shows_the_same(count):
    seen = set()
    for session in random_sessions(count):
        view = session.view
        messages = (
            json.loads(protocol.format_message(message(view, 7.0)))
            for message in (protocol.record_message, protocol.state_message)
        )
        assert view_from_json.parse_view(*messages) == view
        seen |= {
            name
            for name in (
                "undone_actions",
                "declared_outcome",
                "in_hand",
                "refusal",
                "turn_is_fresh",
                "trouble",
                "outcome",
                "hint",
            )
            if getattr(view, name)
        }
    assert len(seen) == 8  # all of them occurred


def test_frame_round_trip(serve):
    served = serve(lamps=4)
    served.hands.touch("b2")
    served.advance(1)
    board, frame = ServedBoard(4, 4, SeatNames((None, None)), 1.0, 2.2), served.companion.frame
    with_keys = replace(frame, data=frame.data + bytes((9, 8, 7, 0, 0, 0)))
    for each in (frame, with_keys):
        sent = json.loads(protocol.format_message(protocol.frame_message(each, 1.0)))
        assert view_from_json.parse_frame(sent, board) == each
    for nonsense in (None, 3, [[1, 2]], [[1, 2, 300]], [[0, 0, 0]] * 3, "abc"):
        with pytest.raises(InvalidMessage):
            view_from_json.parse_frame(sent | {"keys": nonsense}, board)


VIEW = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 1.0)).view
RECORD = json.loads(protocol.format_message(protocol.record_message(VIEW, 2.0)))
STATE = json.loads(protocol.format_message(protocol.state_message(VIEW, 2.0)))
HELLO = json.loads(
    protocol.format_message(
        protocol.hello_message(
            Session.start_game(STANDARD),
            4,
            protocol.live_fields("b", protocol.seat_fields((None, "greedy")), 0.5, 2.2),
        )
    )
)
NONSENSE = [None, True, -1, 9**99, 1e308, "", "x" * 5000, "\x1b[2J", [], {}, [[]], {"cell": "z9"}, "e9", ["@a1"] * 3]


@pytest.mark.parametrize("field", RECORD)
def test_invalid_record_is_rejected(field):
    for nonsense in NONSENSE:
        try:
            view = view_from_json.parse_view(RECORD | {field: nonsense}, STATE)
        except InvalidMessage:
            continue
        view.scene, format_status(StatusTable(view), ENGLISH, 36)  # accepted content can be shown
        assert text(*view.messages).isprintable()
    if field not in ("type", "t", "selected"):
        with pytest.raises(InvalidMessage):
            view_from_json.parse_view({key: value for key, value in RECORD.items() if key != field}, STATE)


@pytest.mark.parametrize("field", ["phase", "selected"])
def test_invalid_state_is_rejected(field):
    for nonsense in NONSENSE:
        try:
            view = view_from_json.parse_view(RECORD, STATE | {field: nonsense})
        except InvalidMessage:
            continue
        view.scene, format_status(StatusTable(view), ENGLISH, 36)
    with pytest.raises(InvalidMessage):
        view_from_json.parse_view(RECORD, {})


class StatusTable:
    is_first_visit = False

    def __init__(self, view, program_names=(None, None), names=(None, None)):
        self.view, self.program_names, self.names = view, program_names, names


@pytest.mark.parametrize("field", ["type", "protocol", "size", "lamps", "players", "names", "brightness", "gamma"])
def test_invalid_hello_is_rejected(field):
    for nonsense in NONSENSE:
        with pytest.raises(InvalidMessage):
            view_from_json.parse_hello(HELLO | {field: nonsense})
    assert view_from_json.parse_hello(HELLO) == ServedBoard(4, 4, SeatNames((None, "greedy")), 0.5, 2.2)


def test_immovable_chosen_piece_is_rejected():
    with pytest.raises(InvalidMessage):
        view_from_json.parse_view(RECORD, STATE | {"selected": "b2"})


# The table


def as_sent(session):
    """Return the view of a session with times rounded to microseconds, as in the protocol."""
    view = session.view
    wrong = view.refusal and view.refusal._replace(instant=round(view.refusal.instant, 6))
    return replace(view, changed_at=round(view.changed_at, 6), refusal=wrong)


@pytest.mark.parametrize(
    "hint",
    [
        *NONSENSE,
        {"action": "@b2", "value": 0.5, "until": 9.0},
        {"action": "@a1"},
        {"action": "@a1", "wins_in": 9**99, "until": "soon"},
    ],
)
def test_invalid_hint_is_rejected(hint):
    with pytest.raises(InvalidMessage):
        view_from_json.parse_view(RECORD | {"hint": hint}, STATE)


def test_remote_hint_is_shown(serve):
    served = serve()
    served.companion._adviser_question.adviser = ImmediateAdviser(500)
    with connected_table(served) as table:
        table.put(AskHint(table.now()))
        catch_up(table, served)
        assert table.view.hint
        assert table.view == as_sent(served.companion.session)
        assert [sight.role for sight in table.view.cells.values()].count(CellRole.HINT) == 1
        hint = served.companion.session.preview_action(table.view.hint.action)
        assert text(*describe_preview(hint, "hint")) in format_status(table, ENGLISH, 36).plain
        table.touch_cell("b2")
        catch_up(table, served)
        assert table.view.hint is None


def test_remote_help_setting_is_changed(serve):
    served = serve()
    with connected_table(served) as table:
        table.put(ChangeSetting(HELP, Side.DARK, HelpLevel.NONE, table.now()))
        catch_up(table, served)
        assert values_by_side(table.view, HELP) == (HelpLevel.FULL, HelpLevel.NONE)
        assert table.view == as_sent(served.companion.session)


@pytest.mark.slow
def test_remote_screen_matches_local_screen(serve):
    served, rng = serve("mini", dark="greedy"), Random(8)
    local_grid, remote_grid = (LampGrid(4, 4, served.companion.display.limiter, pitch=8) for _ in range(2))
    with connected_table(served) as table:
        for _ in range(60):
            kind = rng.random()
            if kind < 0.6:
                table.touch_cell(rng.choice(["a1", "b2", "c3", "d4", "b3", "c2"]))
            elif kind < 0.8:
                table.put(rng.choice([UndoTurns(0), RedoTurns(0), AgreeDraw(0)]))
            else:
                served.advance(2)
            catch_up(table, served)
            assert table.view == as_sent(served.companion.session)
            assert table.frame == served.companion.frame
            companion = served.companion
            programs = [player and player.name for player in companion.seated.players]
            at_home = StatusTable(companion.session.view, programs, companion.seated.names)
            assert table.now() == pytest.approx(served.clock.now())
            assert format_status(table, ENGLISH, 36) == format_status(at_home, ENGLISH, 36)
            local_grid.show_frame(served.companion.frame, served.companion.session.view.scene, served.clock.now())
            remote_grid.show_frame(table.frame, table.view.scene, table.now())
            assert remote_grid._appearances == local_grid._appearances
    assert len(served.companion.session.turns) > 3


def test_every_event_is_sent_as_command(served):
    with connected_table(served) as table:
        for event, message in (
            (None, Message("turn.place", side="light", cell="b2")),
            (UndoTurns(0), Message("undo.done", count=1)),
            (RedoTurns(0), Message("turn.place", side="light", cell="b2")),
            (ResignGame(0), Message("outcome.resignation", winner="light", loser="dark")),
            (UndoTurns(0), Message("game.goes_on")),
            (ResignGame(0, LIGHT), Message("outcome.resignation", winner="dark", loser="light")),
            (UndoTurns(0), Message("game.goes_on")),
            (AgreeDraw(0), Message("outcome.agreed_draw", light=0, dark=0)),
            (NewGame(parse_variant("mini"), 0), Message("prompt.buttons.place", side="light")),
            (NewGame(parse_variant("3x3/9/5"), 0), Message("prompt.buttons.place", side="light")),
            (NewGame(parse_variant("big"), 0), Message("variant.does_not_fit", variant="big", size=5, board=4)),
        ):
            table.put(event) if event else table.touch_cell("b2")
            catch_up(table, served)
            assert table.view.messages[0] == message
            assert table.view == as_sent(served.companion.session)


def test_request_needs_permission_at_the_real_board(served, monkeypatch):
    monkeypatch.setattr(remote_seats, "SimulatedSensors", type("Wires", (), {}))
    page = served.connect()
    with connected_table(served) as table:
        page.request({"command": "seat", "sides": ["dark"]})
        catch_up(table, served)
        table.touch_cell(table.view.permission.cell)
        catch_up(table, served)
        assert table.view.messages == (Message("remote.no_hand"),)
        assert table.view.refusal
    assert served.played == []


def test_score_strips_are_not_shown(serve):
    served = serve(lamps=1, strip=5)
    with connected_table(served) as table:
        assert table.frame.strip_lamps == 0
        assert table.frame.colours_by_cell == served.companion.frame.colours_by_cell


def test_next_frame_is_requested_after_the_last(served):
    with connected_table(served) as table:
        for _ in range(100):
            table.step()
        [client] = served.connections.clients
        served.run_cycles(20)
        assert client.next_line(served.clock.now()) is None
        assert bytes(client._received_bytes) == b""
        table.step()
        assert table._awaited_answers == {"frame"}


def test_many_changes_request_one_record(served):
    with connected_table(served) as table:
        catch_up(table, served)
        for cell in ("a1", "b1", "c1", "d1"):
            table.touch_cell(cell)
        served.run_cycles(6)
        table.step()
        assert table._awaited_answers == {"record", "frame"}
        [client] = served.connections.clients
        client.receive_data(served.clock.now())
        assert sorted(client._received_bytes.splitlines()) == [b'{"ask": "frame"}', b'{"ask": "record"}']


def test_endless_output_does_not_block(served):
    class Endless:
        sent_count = 0

        def recv(self, count):
            self.sent_count += 1
            assert self.sent_count < 1000
            return b'{"type":"news"}\n'

    with connected_table(served) as table:
        real, table._connection = table._connection, Endless()
        table._receive_data()
        table._connection = real
        assert table.view == served.companion.session.view


def test_clock_follows_the_served_board(served):
    with connected_table(served) as table:
        served.advance(5)
        table._clock = lambda: served.clock.now() + 1000 + 0.3  # a delayed message
        table.touch_cell("b2")
        catch_up(table, served)
        assert table.now() == pytest.approx(served.clock.now() + 0.3)


def test_lost_board_is_reported(served):
    with connected_table(served) as table:
        served.service.close()
        with pytest.raises(PondError) as lost:
            table.step()
    assert lost.value.message == gone_message(served)


def test_lost_board_is_reported_by_next_step(served):
    with connected_table(served) as table:
        served.service.close()
        for _ in range(3):
            table.touch_cell("b2")
            table.put(UndoTurns(0))
        with pytest.raises(PondError) as lost:
            table.step()
    assert lost.value.message == gone_message(served)


@pytest.mark.slow
def test_unresponsive_board_does_not_block(served):
    with connected_table(served) as table:
        for _ in range(20_000):
            table.touch_cell("b2")
        with pytest.raises(PondError) as lost:
            table.step()
    assert lost.value.message == Message("remote.no_answer", socket=str(served.path))


def test_ninth_connection_is_refused_with_reason(served):
    for _ in range(8):
        served.connect()
    with served_in_thread(served), pytest.raises(PondError) as error:
        RemoteTable([served.path])
    message = error.value.message
    assert (message.id, message.arguments["socket"]) == ("remote.sent_away", str(served.path))
    assert "8" in text(message.arguments["reason"])


# No board


def test_missing_socket_message(folder):
    with pytest.raises(PondError) as error:
        RemoteTable([folder / "pond.sock", folder / "other.sock"])
    assert error.value.message == not_served_message(folder / "pond.sock")


def test_abandoned_socket_counts_as_missing(folder):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "pond.sock"))
    (folder / "file").write_text("x")
    for path in (folder / "pond.sock", folder / "file", folder, folder / ("x" * 200)):
        with pytest.raises(PondError) as error:
            RemoteTable([path])
        assert error.value.message == not_served_message(path)


@pytest.mark.slow
def test_first_answering_socket_is_used(served, folder):
    with served_in_thread(served):
        table = RemoteTable([folder / "nothing", served.path])
    assert table.view.variant == STANDARD
    table.close()


def test_denied_socket_message_names_group(folder, monkeypatch):
    class Refused(socket.socket):
        def connect(self, address):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket_client.socket, "socket", Refused)
    with pytest.raises(PondError) as error:
        RemoteTable([folder / "pond.sock"])
    group = folder.group()
    assert error.value.message == Message("remote.denied", socket=str(folder / "pond.sock"), group=group)


@pytest.mark.parametrize(
    ("reply", "message_id", "reason"),
    [
        (b"", "remote.gone", None),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "remote.other_version", Message("protocol.unreadable")),
        (
            b'{"type":"hello","protocol":2}\n',
            "remote.other_version",
            Message("protocol.other_version", theirs="2", ours=protocol.PROTOCOL_VERSION),
        ),
        (
            b'{"type":"error","message":"8 programs \\u001b[2J are connected","said":[{"id":"new","arguments":{}}]}\n',
            "remote.sent_away",
            Message("text", text="8 programs \ufffd[2J are connected"),
        ),
        (b"[" * 100_000 + b"\n", "remote.other_version", Message("protocol.unreadable")),
        (
            b"x" * (remote_table.MAX_LINE_BYTES + remote_table.CHUNK_BYTES),
            "remote.other_version",
            Message("remote.too_long"),
        ),
    ],
    ids=["nothing", "another protocol", "newer", "sent away", "deep", "endless"],
)
def test_invalid_server_is_reported(folder, reply, message_id, reason):
    with open_listener(folder / "pond.sock") as other:
        other.setblocking(True)

        def answer():
            connection, _ = other.accept()
            with connection:
                connection.recv(100)
                try:
                    connection.sendall(reply)
                except OSError:
                    return

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(PondError) as error:
            RemoteTable([folder / "pond.sock"])
        thread.join()
    arguments = {"socket": str(folder / "pond.sock")} | ({"reason": reason} if reason else {})
    assert error.value.message == Message(message_id, **arguments)


def test_silent_server_times_out(folder, monkeypatch):
    monkeypatch.setattr(remote_table, "ANSWER_TIMEOUT_SECONDS", 0.05)
    with open_listener(folder / "pond.sock"), pytest.raises(PondError) as error:
        RemoteTable([folder / "pond.sock"])
    assert error.value.message == Message("remote.no_answer", socket=str(folder / "pond.sock"))


# Terminal


class Visitor(TerminalTable):
    """Test driver for a terminal board that shows a served board."""

    def __init__(self, app, pilot, served):
        super().__init__(app, pilot, served.clock)
        self.served = served

    async def settle(self):
        await super().settle()
        for _ in range(3):
            self.served.advance(0.05, step=0.02)
            if self.app.is_running:
                self.app.update_screen()
        await super().settle()

    async def wait(self, seconds):
        self.served.advance(seconds)
        await self.settle()


def run_remote_terminal(served, play, size=(80, 24), *, painted=IN_CI):
    async def run():
        with connected_table(served) as table:
            app = TerminalBoard(table, auto_update=False)
            async with app.run_test(size=size) as pilot:
                visitor = Visitor(app, pilot, served)
                await visitor.settle()
                await play(visitor)
        return app

    with nullcontext() if painted else without_painting():
        return asyncio.run(run())


@pytest.mark.slow
def test_remote_game_can_be_played(serve):
    served = serve(dark="greedy")

    async def play(visitor):
        assert f"▶ LIGHT {text(Message('player.human'))} {LETTERS['light']}" in visitor.status_text
        assert f"DARK greedy {LETTERS['dark']}" in visitor.status_text
        await visitor.touch("b2")
        assert served.played == ["@b2"]
        assert text(Message("prompt.wait", side="dark", player="greedy")) in visitor.status_text
        await visitor.click("c3")
        assert f"! {text(Message('seats.wait', side='dark', player='greedy'))}" in visitor.status_text
        await visitor.wait(2)
        assert (
            text(Message("status.last_turn"), *describe_turn(served.companion.session.turns[-1])) in visitor.status_text
        )
        assert visitor.board["b2"].letter == "E"
        assert set(visitor.board["b2"].lamp_colours) != set(visitor.board["a1"].lamp_colours)
        await visitor.press("u")
        assert served.played == []
        assert text(Message("undo.done", count=2)) in visitor.status_text
        await visitor.press("r")
        assert len(served.played) == 2
        await visitor.press("x")
        assert visitor.app.screen.question == Message("confirm.resign", side="light", other="dark")
        await visitor.press("y")
        assert text(Message("outcome.resignation", winner="dark", loser="light")) in visitor.status_text

    run_remote_terminal(served, play)


@pytest.mark.slow
def test_remote_lesson_list_is_shown(served):
    async def play(visitor):
        await visitor.press("f")
        await visitor.settle()
        assert isinstance(visitor.app.screen, CourseDialog)
        lines = widget_text(visitor.app.screen.query_one("ChoiceList"))
        assert lines.startswith("Place an egg ✓ Pieces grow")
        await visitor.press("down", "enter")
        await visitor.settle()
        assert served.companion.session.exercise.exercise.name == "grow"
        assert "grow" in served.companion.session.courses[0].done_names
        assert visitor.view.variant == parse_variant("3x3/9/5")
        assert visitor.app.game_table.default_variant is STANDARD, "a new game must use the variant of the waiting game"
        await visitor.press("z")
        await visitor.settle()
        assert "exercise.no_course" in [message.id for message in served.companion.session.messages]

    lessons = load_lessons(None).course._replace(done_names=frozenset({"grow"}))
    served.companion.session = replace(served.companion.session, courses=(lessons,))
    run_remote_terminal(served, play)


@pytest.mark.slow
def test_remote_game_begins_after_last_lesson(served):
    async def play(visitor):
        session = served.companion.session.after(session_events.StartExercise("lessons", 1.0, "place"))
        done = replace(session.exercise, is_done=True, prompt=ResumePrompt())
        served.companion.session = replace(session, exercise=done)
        served.companion.put(session_events.ShowNotice((), 1.0))
        await visitor.settle()
        await visitor.press("p")
        await visitor.settle()
        assert served.companion.session.exercise is None
        light, dark = served.companion.seated.players
        assert (light, dark.name) == (None, "level-1")

    course = load_lessons(None).course
    only = course._replace(list_exercises=lambda: course.exercises[:1])
    served.companion.session = replace(served.companion.session, courses=(only,))
    run_remote_terminal(served, play)


@pytest.mark.slow
def test_touch_on_served_board_is_shown(served):
    async def play(visitor):
        served.hands.touch("d4")
        await visitor.settle()
        assert text(Message("status.last_turn"), Message("turn.place", side="light", cell="d4")) in visitor.status_text
        assert visitor.board["d4"].letter == "E"
        trouble = Message("text", text="The sensors do not answer: the bus is dead.")
        served.companion.put(HealthEvent(trouble, 1.0))
        await visitor.settle()
        assert text(trouble) in visitor.status_text
        await visitor.touch("a1")
        assert text(prompt_turn(served.companion.session.position)) not in visitor.status_text

    run_remote_terminal(served, play)


@pytest.mark.slow
def test_remote_resume_prompt_is_shown(served):
    game = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 0.0))

    def offer():
        served.companion.session = Session.start_game(STANDARD).with_resume_prompt(STANDARD, None, game.turns)
        served.companion.resuming_players = SeatedPlayers((None, make_player("greedy", 1)), ("Ada", None))

    async def play(visitor):
        offer()
        await visitor.settle()
        assert isinstance(visitor.app.screen, ResumeDialog)
        await visitor.press("l")
        assert served.companion.session.resume_prompt.is_looking
        await visitor.wait(2)
        assert text(Message("status.how_to_resume")) in visitor.status_text
        await visitor.press("escape")
        assert isinstance(visitor.app.screen, ResumeDialog)
        await visitor.press("c")
        assert served.companion.session.game_phase == "act"
        assert f"▶ DARK greedy {LETTERS['dark']}" in visitor.status_text
        assert f"LIGHT Ada {LETTERS['light']}" in visitor.status_text
        await visitor.wait(2)
        assert len(served.played) == 2

        offer()
        await visitor.settle()
        served.hands.touch("a1")  # a lit cell does the same
        await visitor.wait(0.2)
        assert len(visitor.app.screen_stack) == 1
        offer()
        await visitor.settle()
        await visitor.press("n")
        assert (served.played, served.companion.session.game_phase) == ([], "act")
        offer()
        await visitor.settle()
        await visitor.press("q")

    assert run_remote_terminal(served, play).return_code == 0


@pytest.mark.slow
def test_remote_new_game_keeps_board_and_players(serve):
    served = serve(dark="greedy")

    async def play(visitor):
        await visitor.touch("b2")
        await visitor.press("n")
        screen = visitor.app.screen
        listed = screen.query_one(OptionList)
        assert [option.id for option in listed.options] == [name for name, pond in VARIANTS.items() if pond.size <= 4]
        assert not screen.query_one("#seats").display
        await visitor.press("down", "enter")
        assert isinstance(visitor.app.screen, ConfirmDialog)
        await visitor.press("y")
        assert served.companion.session.variant == VARIANTS["mini"]
        assert text(Message("status.pond", variant="mini", size=4, target=7)) in visitor.status_text
        assert "greedy" in visitor.status_text
        await visitor.press("n", "tab")
        await visitor.type("5x5/9/9")
        await visitor.press("enter")
        assert f"! {text(Message('variant.does_not_fit', variant='5x5/9/9', size=5, board=4))}" in visitor.status_text

    run_remote_terminal(served, play)


@pytest.mark.long
def test_late_resignation_does_not_count_for_other_side(served):
    async def play(visitor):
        await visitor.press("x")
        assert visitor.app.screen.question == Message("confirm.resign", side="light", other="dark")
        served.hands.touch("b2")
        await visitor.settle()
        await visitor.press("y")
        assert served.companion.session.outcome is None
        assert visitor.app.screen.question == Message("confirm.resign", side="dark", other="light")
        await visitor.press("y")
        assert text(Message("outcome.resignation", winner="light", loser="dark")) in visitor.status_text

    run_remote_terminal(served, play)


@pytest.mark.long
def test_three_row_board_plays_custom_pond(serve):
    served = serve("3x3/9/5", size=3)

    async def play(visitor):
        await visitor.press("n")
        assert visitor.app.screen.query_one(OptionList).option_count == 0
        await visitor.press("enter")
        assert served.companion.session.variant == parse_variant("3x3/9/5")

    run_remote_terminal(served, play)


@pytest.mark.slow
def test_remote_quit_needs_no_confirmation(served):
    async def play(visitor):
        await visitor.touch("b2")
        await visitor.press("q")
        assert visitor.app.return_code == 0

    assert run_remote_terminal(served, play).lost_error is None
    served.run_cycles()
    assert served.connections.clients == []
    assert served.played == ["@b2"]


@pytest.mark.long
def test_help_page_uses_board_clock(served):
    async def play(visitor):
        await visitor.press("f1")
        served.advance(1)
        await visitor.settle()
        assert "What the board game Pond is" in widget_text(visitor.app.screen.query("Static").first())
        await visitor.press("escape")

    run_remote_terminal(served, play)


def test_lost_board_ends_terminal_with_message(served):
    async def play(visitor):
        served.service.close()
        visitor.app.post_message(Key("enter", None))
        await visitor.pilot.pause(0)
        assert visitor.app.return_code == 2

    assert run_remote_terminal(served, play).lost_error.message == gone_message(served)


def test_command_prints_lost_board_message(served, monkeypatch, capsys):
    monkeypatch.setattr(tui, "require_terminal", lambda: None)
    monkeypatch.setattr(TerminalBoard, "run", lambda app: app.update_screen())
    monkeypatch.setattr(TerminalBoard, "screen_stack", ["the board"])
    connect = RemoteTable.__init__

    def connect_and_lose(table, paths):
        with served_in_thread(served):
            connect(table, paths)
        served.service.close()

    monkeypatch.setattr(RemoteTable, "__init__", connect_and_lose)
    monkeypatch.setattr(TerminalBoard, "exit", lambda app, return_code: None)
    assert main.main(["play", "--connect", str(served.path)]) == 2
    assert capsys.readouterr().err == f"pond: {text(gone_message(served))}\n"


def test_default_sockets_are_used_without_option(folder, monkeypatch, capsys):
    monkeypatch.setattr(tui, "require_terminal", lambda: None)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setattr("pond_hw.drivers.run_files.INSTALLED_FOLDER", folder / "run")
    assert main.main(["play", "--connect"]) == 2
    assert capsys.readouterr().err == f"pond: {text(not_served_message(folder / 'pond.sock'))}\n"


def test_missing_terminal_prevents_connection(monkeypatch):
    monkeypatch.setattr(sys, "__stdin__", io.StringIO())
    with pytest.raises(PondError) as refused:
        tui.play_connected([Path(os.devnull)])
    assert refused.value.message == Message("terminal.needed", command="pond headless")


@pytest.mark.parametrize(
    "option", [("--variant", "mini"), ("--light", "greedy"), ("--dark", "human"), ("--cells", "4"), ("--seed", "1")]
)
def test_connect_refuses_game_options(option, capsys):
    assert main.main(["play", "--connect", "somewhere", *option]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('argument.own_game_only', option=option[0]))}\n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after_first(range(8)))
def test_random_input_does_not_crash_served_board(serve, seed):
    served = serve(dark="greedy" if seed % 2 else "human")

    async def play(visitor):
        user = RandomUser(visitor, seed)
        await user.play(60)
        for _ in range(10):
            if len(visitor.app.screen_stack) > 1:  # in an exercise Escape opens a dialog, too
                await visitor.press("escape")
        assert len(visitor.app.screen_stack) == 1, user.log[-12:]

    run_remote_terminal(served, play)
    assert not served.companion.barrier.last_failure

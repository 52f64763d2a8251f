"""Main loop of a served board.

wait      for a touch, a client, a signal, or the next frame
step      let the companion handle events and show frames; send the changes to all clients
lines     handle one line from each client, and then step again
watch     check the supply voltage, notify systemd
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any

from pond_hw.companion import Companion
from pond_hw.drivers.systemd import SystemdNotifier, WatchdogHeartbeat
from pond_hw.engine import HUMAN, MakePlayer, SeatedPlayers, make_player
from pond_hw.messages.catalogue import get_catalogue, to_english
from pond_hw.messages.message import Message
from pond_hw.rules import Action, PondError
from pond_hw.server import protocol
from pond_hw.server.background_answers import BackgroundAnswers, read_games, run_in_thread, summarise_doctor
from pond_hw.server.connections import Client, Connections
from pond_hw.server.execute_request import execute_request
from pond_hw.server.linked_game import LinkedGameService
from pond_hw.server.parse_requests import (
    BrightnessRequest,
    ClientRequest,
    CommandRequest,
    FingerRequest,
    LanguageRequest,
    LinkedRequest,
    ProtocolError,
    QueryRequest,
    RemoteRequest,
    WaitRequest,
    parse_request,
)
from pond_hw.server.protocol import exercise_message, exercises_message, round_instant, text_fields
from pond_hw.server.remote_seats import RemotePlayers
from pond_hw.server.supply_monitor import SupplyMonitor
from pond_hw.session import NewGame, Session, View, describe_outcome

LOG = logging.getLogger("pond")

STATUS_INTERVAL_SECONDS = 1.0
"""Minimum seconds between status messages to systemd."""

ToneSequence = tuple[tuple[float, float], ...]
"""Tones to play in order, each with a pitch in Hz and a length in seconds."""

TURN_TONES: ToneSequence = ((880, 0.04),)
SCORE_TONES: ToneSequence = ((880, 0.08), (1175, 0.12))
REFUSED_TONES: ToneSequence = ((196, 0.15),)
GAME_OVER_TONES: ToneSequence = ((784, 0.12), (988, 0.12), (1319, 0.3))


class BoardService:
    """A companion with clients, supervised by systemd.

    Args:
        profile_name: name of the board's profile.
        companion: the companion to serve.
        connections: the clients' connections.
        systemd: notifies systemd.
        root: folder that contains /sys.
        sound: plays tones without waiting for them to end.
        own_supply: True if the lamps have their own power supply, separate from the Pi's.
        make_player: factory of the players that join later.
        games_folder: journal folder, or None.
        run_job: runs a job that answers a slow query, usually in a thread.
    """

    def __init__(
        self,
        profile_name: str,
        companion: Companion,
        connections: Connections,
        *,
        systemd: SystemdNotifier | None = None,
        root: Path = Path("/"),
        sound: Callable[[ToneSequence], None] | None = None,
        own_supply: bool = False,
        make_player: MakePlayer = make_player,
        games_folder: Path | None = None,
        wanted_board: str | None = None,
        run_job: Callable[[Callable[[], None]], None] = run_in_thread,
    ) -> None:
        self._answers = BackgroundAnswers(connections.wake, run_job)
        self._games_folder, self._wanted_board = games_folder, wanted_board
        self._make_player = make_player
        self._profile_name, self._companion = profile_name, companion
        self._systemd = systemd or SystemdNotifier()
        self._heartbeat = WatchdogHeartbeat(self._systemd)
        self._supply_monitor = SupplyMonitor(companion, root, own_supply=own_supply)
        self._play_tones = sound
        self._now = companion.clock.now
        self._known_session = companion.session
        self._logged_troubles: tuple[Message | None, ...] = (None, None)
        self._status_text, self._status_due = "", 0.0
        self._next_due = 0.0
        self.connections = connections
        connections.welcome_lines = self._welcome_lines
        self._remote_people = RemotePlayers(companion, lambda: connections.clients, self._run_command)
        self._linked_game = LinkedGameService(
            companion, lambda: connections.clients, self._send_state, self._remote_people
        )

    def start_serving(self) -> None:
        """Show the first frame and notify systemd."""
        self._log_troubles(self._known_session)
        self._step_companion()
        self._systemd.send_lines("READY=1")
        self._notify_systemd()

    def run_cycle(self, max_seconds: float = 60.0) -> None:
        """Run one cycle of the loop, waiting at most `max_seconds` for an event."""
        self.connections.wait_until(min(self._next_due, self._now() + max_seconds))
        self._step_companion()  # touches at the board are handled before client lines
        for client in self.connections.clients:
            if client.held_line is not None and self._companion.durable.has_adopted(client.latest_step):
                held_line, client.held_line = client.held_line, None
                self._guard_line(client, held_line)
        for client, request_line in self.connections.take_lines():
            self._guard_line(client, request_line)
        if any(client.seats for client in self.connections.remove_departed()):
            self._companion.barrier.run(self.connections.send_to_all, self._state_line)
        self._companion.barrier.run(self._answers.send_answers)
        self._companion.barrier.run(self._supply_monitor.check_supply, self._now())
        self._companion.barrier.run(self._notify_systemd)

    @property
    def next_due(self) -> float:
        """Time at which the next cycle is due if nothing happens before."""
        return self._next_due

    def close(self) -> None:
        """Disconnect the clients. The caller closes the board."""
        self._systemd.send_lines("STOPPING=1")
        self.connections.close()

    def _welcome_lines(self) -> tuple[str, ...]:
        welcome_lines: list[str] = []
        for make_line in (self._hello_line, self._state_line):
            self._companion.barrier.run(lambda make_line=make_line: welcome_lines.append(make_line()))
        return tuple(welcome_lines)

    def _hello_line(self) -> str:
        companion, limiter = self._companion, self._companion.display.limiter
        live_fields = protocol.live_fields(self._profile_name, self._seats, limiter.brightness, limiter.gamma)
        lamps_per_cell = companion.board.lamps.lamps_per_cell
        return protocol.format_message(protocol.hello_message(companion.session, lamps_per_cell, live_fields))

    def _guard_line(self, client: Client, request_line: bytes) -> None:
        failure_count = self._companion.barrier.failure_count
        self._companion.barrier.run(self._handle_line, client, request_line)
        if self._companion.barrier.failure_count > failure_count:
            assert self._companion.barrier.last_failure
            client.send_message(protocol.error_message(self._companion.barrier.last_failure, client.language))

    def _handle_line(self, client: Client, request_line: bytes) -> None:
        try:
            request = parse_request(request_line)
            is_question = isinstance(request, QueryRequest | LanguageRequest | BrightnessRequest)
            if is_question and not self._companion.durable.has_adopted(client.latest_step):
                client.held_line = request_line  # an answer must reflect the client's earlier requests
                return
            self._answer_request(client, request)
            if not is_question:
                client.latest_step = self._companion.durable.latest_step
        except PondError as fault:
            client.send_message(protocol.error_message(fault.message, client.language))

    @property
    def _seats(self) -> dict[str, Any]:
        seated = self._companion.seated
        return protocol.seat_fields(seated.program_names, seated.names)

    def _answer_request(self, client: Client, client_request: ClientRequest) -> None:
        companion = self._companion
        match client_request:
            case WaitRequest():
                raise ProtocolError(Message("served.no_wait"))
            case LanguageRequest(language):
                client.language = language
                client.send_line(self._state_line(language))
            case QueryRequest():
                self._answer_query(client, client_request)
            case BrightnessRequest(brightness):
                self._supply_monitor.set_brightness(brightness)
                self.connections.send_to_all(self._state_line)
            case _ if isinstance(client_request, RemoteRequest):
                if self._remote_people.handle_request(client, client_request):
                    self.connections.send_to_all(self._state_line)
                self._step_companion()
            case _ if isinstance(client_request, LinkedRequest):
                self._linked_game.handle_request(client, client_request)
                self._step_companion()
            case CommandRequest(_, True):
                self._remote_people.ask_to_confirm(client, client_request)
                self._step_companion()
            case CommandRequest():
                self._run_command(client, client_request)
                self._step_companion()
            case _:
                if not (isinstance(client_request, FingerRequest) and client_request.finger_action == "release"):
                    self._remote_people.check_touch(client, client_request.cell)
                execute_request(client_request, client.simulated_board, companion)
                self._step_companion()

    def _answer_query(self, client: Client, query: QueryRequest) -> None:
        session, language = self._companion.session, client.language
        match query:
            case QueryRequest("state"):
                self._send_state(client)
            case QueryRequest("frame"):
                client.send_message(protocol.frame_message(self._companion.frame, self._now()))
            case QueryRequest("record"):
                client.send_message(protocol.record_message(session.view, self._now(), language) | self._seats)
            case QueryRequest("exercises"):
                client.send_message(exercises_message(session.courses, query.language or language))
            case QueryRequest(exercise=(str(), str()) as names):
                client.send_message(exercise_message(session.courses, names, language))
            case QueryRequest("games" | "game", number=number):
                self._read_games(client, number)
            case QueryRequest("doctor"):
                self._run_doctor(client)
            case QueryRequest("health"):
                client.send_message(self._health_message(language))
            case QueryRequest(_, Action() as action):
                client.send_message(protocol.what_if_message(session.preview_action(action), language))
            case _:
                raise AssertionError(query)

    def _read_games(self, client: Client, number: int | None) -> None:
        if self._games_folder is None:
            raise ProtocolError(Message("remote.no_games_kept"))
        read = partial(read_games, self._games_folder, number)
        busy, failed = Message("remote.games_busy"), Message("remote.games_unreadable")
        self._answers.start_query("games", client, read, busy=busy, failed=failed)

    def _run_doctor(self, client: Client) -> None:
        run = partial(summarise_doctor, self._wanted_board, client.language)
        busy, failed = Message("remote.doctor_busy"), Message("remote.doctor_failed")
        self._answers.start_query("doctor", client, run, busy=busy, failed=failed)

    def _run_command(self, client: Client, request: CommandRequest) -> None:
        """Run a client's command. If it starts a new game, the players may change."""
        companion = self._companion
        new_game = request.event or NewGame(companion.session.default_variant, 0.0)
        has_others = bool(request.players or (request.people and not companion.session.linked_game))
        if not (has_others and isinstance(new_game, NewGame) and new_game.variant.size <= companion.session.size):
            execute_request(request, client.simulated_board, companion)
            return
        player_names = request.players or companion.seated.program_names
        seed = SystemRandom().getrandbits(32)
        light, dark = (self._make_player(name or HUMAN, seed) for name in player_names)
        seats = SeatedPlayers((light, dark), request.people or companion.seated.names)
        companion.seat_players(seats, new_game._replace(instant=self._now()))

    def _send_state(self, client: Client) -> None:
        client.send_line(self._state_line(client.language))

    def _state_line(self, language: str = "en") -> str:
        state = protocol.state_message(self._companion.session.view, self._now(), language)
        brightness = {"brightness": self._supply_monitor.brightness}
        return protocol.format_message(state | brightness | self._remote_people.state_fields)

    def _health_message(self, language: str) -> dict[str, Any]:
        companion, occupancy = self._companion, self._companion.session.view.occupancy
        failure = companion.barrier.last_failure
        return {
            "type": "health",
            "board": self._profile_name,
            "t": round_instant(self._now()),
            "masked": sorted(occupancy.masked_cells) if occupancy else [],
            "failures": companion.barrier.failure_count,
            "dimmed": self._supply_monitor.is_dimmed,
        } | (text_fields("failure", (failure,), language) if failure else {})

    def _step_companion(self) -> None:
        """Run one step of the companion and send the changes to the clients."""
        self._next_due = self._companion.step()
        self._companion.barrier.run(self._broadcast_changes)
        self._companion.barrier.run(self._remote_people.settle)
        self._companion.barrier.run(self._linked_game.settle)

    def _broadcast_changes(self) -> None:
        session_before, session = self._known_session, self._companion.session
        if session is session_before:
            return
        self._known_session = session
        self.connections.send_to_all(self._state_line)
        self._log_troubles(session)
        if self._play_tones and (tone_sequence := choose_tones(session_before.view, session.view)):
            self._play_tones(tone_sequence)

    def _log_troubles(self, session: Session) -> None:
        """Log the problems that have started or ended."""
        troubles = session.trouble, session.unsaved_reason
        for logged, trouble, healed in zip(
            self._logged_troubles, troubles, ("the board is back", "all is saved again"), strict=True
        ):
            if trouble != logged:
                LOG.warning("%s", to_english(trouble or healed))
        self._logged_troubles = troubles

    def _notify_systemd(self) -> None:
        now, companion = self._now(), self._companion
        self._heartbeat.beat_if_alive(now, companion.board.sensors.poll_count, companion.display.shown_count)
        status = f"{self._profile_name}: {_format_status(companion.session.view)}"
        if status != self._status_text and now >= self._status_due:
            self._status_text, self._status_due = status, now + STATUS_INTERVAL_SECONDS
            self._systemd.send_lines(f"STATUS={status}")


def _format_status(view: View) -> str:
    if problem := view.trouble or view.unsaved_reason:
        return to_english(problem)
    if view.game_phase in ("resume", "differs", "menu"):
        return get_catalogue().text(view.messages)
    if view.outcome:
        return to_english(describe_outcome(view.outcome, view.position))
    return f"{view.variant}, turn {len(view.turns) + 1}, {view.position.to_move} to move."


def choose_tones(view_before: View, view_after: View) -> ToneSequence:
    """Return the tones that announce the changes between two views."""
    if view_after.refusal and view_after.refusal is not view_before.refusal:
        return REFUSED_TONES
    if view_after.outcome and not view_before.outcome:
        return GAME_OVER_TONES
    if not view_after.turn_is_fresh or view_after.turns is view_before.turns:
        return ()
    return SCORE_TONES if view_after.turns[-1].sets else TURN_TONES

"""One home of a linked game, between its board and the broker. Pure: no clock, file or network.

The log of the linked game is the game. The board follows it, and may be ahead of it by a turn that was just played there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pond_hw.link.changes import JOINER, NewGame
from pond_hw.link.game_log import GameLog
from pond_hw.link.linked_game import LinkedGame
from pond_hw.link.signatures import LinkError, make_digest, make_error
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError
from pond_hw.mqtt.changes_as_json import change_to_line, parse_line_change
from pond_hw.rules import Record, Turn, parse_record
from pond_hw.server.parse_requests import MAX_CHANGES, MAX_FOLLOWED_ACTIONS
from pond_hw.server.protocol import outcome_to_json

LOG = logging.getLogger("pond")

JsonLine = dict[str, Any]

FOLLOW_AGAIN_SECONDS = 4
"""Seconds after which a board that has not followed yet is asked again."""

_HASH_BYTES = 32

_RECORD_FIELDS = ("variant", "position", "turn", "outcome")
"""State fields that show, when they change, that the record has changed, too."""


class LinkEnded(PondError):
    """Error after which this home can't go on with the game."""


@dataclass
class _Board:
    """Board as its messages have described it since it was connected.

    Attributes:
        size: number of rows; None until known.
        state: latest state.
        record: latest record.
        is_waiting: True while a record has been asked for.
        wishes: messages about wishes that wait for it.
        reported: latest `link` line that was sent.
        last_follow: latest `follow` line, and its time, while the board differs from the log.
    """

    size: int | None = None
    state: Mapping[str, Any] | None = None
    record: Record | None = None
    is_waiting: bool = False
    wishes: list[Mapping[str, Any]] = field(default_factory=list)
    reported: JsonLine | None = None
    last_follow: tuple[JsonLine, float] | None = None


class LinkedHome:
    """The game of one home or of a spectator, and the board that follows it.

    Methods that receive something return the lines to send to the board. Before you send anything to the broker, store the game
    if `revision` has changed.

    Attributes:
        game: the linked game.
        revision: number that changes with everything that must be stored and sent to the other home.
    """

    def __init__(self, game: LinkedGame) -> None:
        self.game, self.revision = game, 0
        self._is_online = False
        self._followed = b""
        self._board = _Board()

    def to_bytes(self) -> bytes:
        """Return everything to store. It contains the secret key."""
        content = self._followed.ljust(_HASH_BYTES, b"\0") + self.game.to_bytes()
        return make_digest("home", content) + content

    @classmethod
    def from_bytes(cls, stored: bytes) -> LinkedHome:
        """Restore a home.

        Raises:
            LinkError: the file is damaged.
        """
        content = stored[_HASH_BYTES:]
        if make_digest("home", content) != stored[:_HASH_BYTES]:
            raise make_error("link.damaged")
        home = cls(LinkedGame.from_bytes(content[_HASH_BYTES:]))
        home._followed = content[:_HASH_BYTES]
        return home

    # Topics

    @property
    def read_topics(self) -> list[str]:
        """Topics of the messages of the other home, or of both homes for a spectator."""
        writers = {0: ["joiner", "join"], 1: ["inviter"], None: ["inviter", "joiner"]}[self.game.home]
        return [self.game.invitation.find_topic(writer) for writer in writers]

    @property
    def finished_topic(self) -> str | None:
        """Topic of a message that is no longer needed: the answer to an invitation that has been accepted."""
        return self.game.invitation.find_topic("join") if self.game.home == JOINER and self.game.log else None

    # Messages of the board

    def lose_board(self) -> None:
        """Note that the board has been disconnected."""
        self._board = _Board()

    def receive_board(self, message: Mapping[str, Any], now: float) -> list[JsonLine]:
        """Handle a message from the board.

        Args:
            message: message of protocol 1.
            now: seconds since 1970.

        Raises:
            LinkEnded: the game needs a larger board, or another program plays the linked game there.
        """
        match message:
            case {"type": "hello", "size": int(size)}:
                self._board.size = size
                return self._report()
            case {"type": "state"}:
                self._check_size()
                before, self._board.state = self._board.state, message
                if before is None or any(before.get(name) != message.get(name) for name in _RECORD_FIELDS):
                    self._board.is_waiting = True
                    return [*self._report(), {"ask": "record"}]
                return [*self._report(), *self._follow(now)]
            case {"type": "record", "record": str(text)}:
                self._board.record, self._board.is_waiting = parse_record(text), False
                self._take_turn()
                return [*self._receive_wishes(), *self._report(), *self._follow(now)]
            case {"type": "wish"}:
                self._board.wishes.append(message)
                return [] if self._board.is_waiting else [*self._receive_wishes(), *self._follow(now)]
            case {"type": "error", "said": [{"id": "linked.taken_over"}, *_]}:
                raise LinkEnded(Message("linked.taken_over"))
            case {"type": "error"}:
                LOG.warning("The board: %s", message.get("message"))
        return []

    # Messages of the other home

    def receive_mqtt(self, sealed: bytes, now: float) -> list[JsonLine]:
        """Handle a message from the broker. One that doesn't belong to the game changes nothing.

        Raises:
            LinkEnded: someone else has used the invitation, or the game needs a larger board.
        """
        if not sealed:  # a removed message
            return []
        try:
            is_changed = self.game.receive(sealed, int(now))
        except LinkError as error:
            if error.message.id == "link.used" and self.game.home == JOINER and not self.game.log:
                raise LinkEnded(error.message) from error
            LOG.warning("%s", to_english(error.message))
            return []
        if is_changed:
            self.revision += 1
        self._check_size()
        self._decline_large_games()
        return [*self._report(), *self._follow(now)]

    def set_online(self, is_online: bool) -> list[JsonLine]:
        """Note whether the broker is connected."""
        self._is_online = is_online
        return self._report()

    def tick(self, now: float) -> list[JsonLine]:
        """Ask a board that has not followed yet again, for example after a fault. Call this every few seconds."""
        return self._follow(now)

    # People at this home

    def _receive_wishes(self) -> list[JsonLine]:
        """Sign what people at the board ask for or answer. The turns that they made before are in the log."""
        wishes, self._board.wishes = self._board.wishes, []
        for wish in wishes:
            self._receive_wish(wish)
        return self._report(is_forced=True) if wishes else []

    def _receive_wish(self, message: Mapping[str, Any]) -> None:
        game = self.game
        try:
            match message:
                case {"version": 0 | 1 as version} if question := game.question:
                    game.choose(question.versions[version])
                case {"wish": dict(wish), "accept": bool(is_accepted)} if game.home is not None:
                    game.answer(parse_line_change(wish, game.home), is_accepted=is_accepted)
                case {"wish": dict(wish)} if game.home is not None and self._is_board_in_game():
                    game.request(parse_line_change(wish, game.home))
                case _:
                    return
            self.revision += 1
        except PondError as error:
            LOG.warning("%s", to_english(error.message))

    def _decline_large_games(self) -> None:
        """Decline new games that don't fit on this board, as long as this home may sign anything."""
        for change in [] if self.game.question else self.game.requests:
            if isinstance(change, NewGame) and self._board.size and change.variant.size > self._board.size:
                with suppress(LinkError):
                    self.game.answer(change, is_accepted=False)
                    self.revision += 1

    # The board's game

    def _check_size(self) -> None:
        variant = self.game.variant
        if variant and self._board.size and variant.size > self._board.size:
            raise LinkEnded(
                Message("link.small_board", variant=variant.name, size=variant.size, board_size=self._board.size)
            )

    def _take_turn(self) -> None:
        """Take a turn that was played on the board into the log."""
        log, turns = self.game.log, self._list_followed_turns()
        if not log or turns is None:
            return
        known = log.game.turns
        if turns == known:
            if self._followed != log.hash and _has_take_back(log):
                self.revision += 1
            self._followed = log.hash
        elif self.game.is_my_turn and turns[:-1] == known and self._is_new_turn(log):
            try:
                self.game.act(turns[-1].action)
            except LinkError as error:  # the log is full
                LOG.warning("%s", to_english(error.message))
                return
            self._followed = log.hash
            self.revision += 1

    def _is_new_turn(self, log: GameLog) -> bool:
        """Return False if a further turn on the board may be one that was taken back, which the board doesn't know yet."""
        for entry in _list_game_backwards(log):
            if entry.hash == self._followed:
                return True
            if _is_take_back(entry):
                return False
        return True

    def _is_board_in_game(self) -> bool:
        log, state = self.game.log, self._board.state
        return bool(log and state and _find_game(state) == format_game_id(log))

    def _list_followed_turns(self) -> tuple[Turn, ...] | None:
        """Return the turns on the board if it plays this game and its messages agree; otherwise None.

        A state and a record of different moments belong to changes of which more will be reported.
        """
        log, state, record = self.game.log, self._board.state, self._board.record
        if not log or not state or not record or not self._is_board_in_game():
            return None
        if record.custom_start or record.variant != log.game.variant:
            return None
        shown = record.position.notation_line, outcome_to_json(record.outcome)
        return record.turns if shown == (state.get("position"), state.get("outcome")) else None

    def _follow(self, now: float) -> list[JsonLine]:
        """Return the line after which the board plays the game of the log, if it doesn't yet."""
        log, state = self.game.log, self._board.state
        if not log or not state or not self._board.record or "exercise" in state:
            return []
        line = self._make_follow(log)
        if not line:
            self._board.last_follow = None
            return []
        if (
            self._board.last_follow
            and self._board.last_follow[0] == line
            and 0 <= now - self._board.last_follow[1] < FOLLOW_AGAIN_SECONDS
        ):
            return []
        self._board.last_follow = (line, now)
        return [line]

    def _make_follow(self, log: GameLog) -> JsonLine | None:
        turns: tuple[Turn, ...] = ()
        known, outcome, keep = log.game.turns, log.game.declared_outcome, 0
        if self._is_board_in_game():
            followed = self._list_followed_turns()
            if followed is None or not self._board.record:
                return None
            is_equal = followed == known and self._board.record.declared_outcome == outcome
            if is_equal and not self._asks_to_resume():
                return None
            turns, keep = followed, next(_list_differences(followed, known), min(len(followed), len(known)))
        actions = [str(turn.action) for turn in known[keep : keep + MAX_FOLLOWED_ACTIONS]]
        is_complete = keep + len(actions) == len(known)
        return {
            "command": "follow",
            "game": format_game_id(log),
            "side": self._find_side(log),
            "variant": log.game.variant.name,
            "turn": len(turns),
            "keep": keep,
            "actions": actions,
            "outcome": outcome_to_json(outcome) if is_complete else None,
        }

    def _asks_to_resume(self) -> bool:
        """Return True if the board asks whether to resume this game. Any `follow` line says yes."""
        return bool(self._board.state and self._board.state.get("phase") == "resume")

    def _find_side(self, log: GameLog) -> str | None:
        return None if self.game.home is None else str(log.find_side(self.game.home))

    # How things stand

    def _report(self, *, is_forced: bool = False) -> list[JsonLine]:
        """Return the line that says how things stand, if it has changed or if the board expects an answer."""
        line = self.make_status()
        if self._board.size is None or (line == self._board.reported and not is_forced):
            return []
        self._board.reported = line
        return [line]

    def make_status(self) -> JsonLine:
        """Return how things stand: the `link` line of protocol 1."""
        game, log, home = self.game, self.game.log, self.game.home
        question = game.question if log else None
        changes = {"requests": game.requests, "asked": game.pending, "declined": game.declined} if log else {}
        seen = game.last_seen[1 - home] if home is not None else max(game.last_seen)
        status: JsonLine = {
            "command": "link",
            "name": (log.names[1 - home] or None) if log and home is not None else None,
            "seen": seen or None,
            "online": self._is_online,
            "joined": log is not None,
            "cells": self._list_cells(),
        }
        for kind in ("requests", "asked", "declined"):
            shown = changes.get(kind, [])[:MAX_CHANGES]
            status[kind] = [change_to_line(change, home) for change in shown] if home is not None else []
        status["question"] = question and {
            "mine": question.chooser == home,
            "versions": [len(version.game.turns) for version in question.versions],
        }
        return status

    def _list_cells(self) -> list[str]:
        """Return the cells to compare by telephone, until the first turn of the first game."""
        log = self.game.log
        if not log or log.before or self.game.home is None:
            return []
        return [str(cell) for cell in self.game.choose_cells(log.game.variant.size)]


def format_game_id(log: GameLog) -> str:
    """Return the name of the current game in lines of protocol 1."""
    return log.game_id.hex()[:16]


def _find_game(state: Mapping[str, Any]) -> object:
    match state.get("link"):
        case {"game": str(game)}:
            return game
    return None


def _list_differences(turns: Sequence[Turn], known: Sequence[Turn]) -> Iterator[int]:
    return (index for index, (turn, other) in enumerate(zip(turns, known, strict=False)) if turn.action != other.action)


def _list_game_backwards(log: GameLog) -> Iterator[GameLog]:
    """Iterate over the entries of the current game, the last one first."""
    entry: GameLog | None = log
    while entry and entry.game_id == log.game_id:
        yield entry
        entry = entry.before


def _is_take_back(entry: GameLog) -> bool:
    match entry.body:
        case {"do": {"take back": _}}:
            return True
    return False


def _has_take_back(log: GameLog) -> bool:
    return any(map(_is_take_back, _list_game_backwards(log)))

"""A board as a device of Home Assistant. Pure: no clock, file or network.

Anyone who can write to the broker can start a new game, ask for a hint and set the brightness, but can't play a turn. If a game is
in progress, the board asks for a press before it starts a new one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pond_hw.mqtt.board_picture import draw_board
from pond_hw.mqtt.home_assistant_discovery import (
    MAX_PERCENT,
    MIN_PERCENT,
    OFFLINE,
    ONLINE,
    OPPONENTS,
    PERSON,
    PRESS,
    STATUS_TOPIC,
    TURN_STATES,
    DeviceTopics,
    build_discovery,
)
from pond_hw.rules import LIGHT, Action, Position, Record, Side, Turn, parse_record, parse_variant

LOG = logging.getLogger("pond")

JsonLine = dict[str, Any]

Publish = Callable[[str, bytes, bool], object]
"""Publishes a payload on a topic. The third argument is True if the broker keeps the message."""

HEALTH_SECONDS = 60.0
"""Seconds between two requests for the health of the board."""

_GAME_FIELDS = ("variant", "position", "turn", "last", "outcome")
"""State fields that show, when they change, that the game has changed, too."""


class HomeAssistantDevice:
    """Translates the messages of a board for Home Assistant, and Home Assistant's commands for the board.

    Methods that receive something return the lines to send to the board.

    Args:
        topics: topics of the device.
        device_id: random id of the device. It must stay the same.
        name: name of the device.
        publish: publishes a message if the broker is connected.
    """

    def __init__(self, topics: DeviceTopics, device_id: str, name: str, publish: Publish) -> None:
        self.topics = topics
        self._device_id, self._name, self._publish_message = device_id, name, publish
        self._published: dict[str, bytes] = {}
        self.lose_board()

    # Messages of the broker

    def announce(self) -> None:
        """Publish everything. Call this after each connection to the broker."""
        self._published.clear()
        self._publish_all()

    def receive_mqtt(self, topic: str, payload: bytes) -> list[JsonLine]:
        """Handle a message on one of `DeviceTopics.subscribed`. Leave out retained commands: they are old."""
        if topic == STATUS_TOPIC:
            if payload == ONLINE:
                self.announce()
        elif self._hello:
            name = topic.removeprefix(self.topics.commands)
            line = self._parse_command(self._hello, name, payload)
            if line is None:
                LOG.info("Home Assistant sent %r for %r. That is not valid.", payload[:40], name[:40])
            self._publish_all()
            return [line] if line else []
        return []

    def _parse_command(self, hello: Mapping[str, Any], name: str, payload: bytes) -> JsonLine | None:
        """Return the line for a command: empty if the board need not know, None if the command is invalid."""
        text = payload.decode(errors="replace")
        match name:
            case "new_game" if payload == PRESS:
                return {"command": "new", **self._find_next_game(), "confirm": True}
            case "hint" if payload == PRESS:
                return {"command": "hint"}
            case "variant" if text in hello["variants"]:
                self._chosen[name] = text
                return {}
            case "opponent" if text in OPPONENTS:
                self._chosen[name] = text
                return {}
            case "brightness":
                try:
                    percent = float(text)
                except ValueError:
                    return None
                if MIN_PERCENT <= percent <= MAX_PERCENT:
                    return {"command": "brightness", "brightness": round(percent / 100, 4)}
        return None

    def _find_next_game(self) -> JsonLine:
        """Return the chosen variant and players. A person keeps the side."""
        line: JsonLine = {"variant": self._chosen["variant"]} if "variant" in self._chosen else {}
        if opponent := self._chosen.get("opponent"):
            person = _find_person(self._players)
            programs = {str(side): None if opponent == PERSON or side is person else opponent for side in Side}
            line["players"] = programs
        return line

    # Messages of the board

    def lose_board(self) -> None:
        """Note that the board has been disconnected."""
        self._hello: Mapping[str, Any] | None = None
        self._state: Mapping[str, Any] | None = None
        self._record: Record | None = None
        self._health: Mapping[str, Any] = {}
        self._health_due = 0.0
        self._chosen: dict[str, str] = {}
        self._players: Mapping[str, str | None] = {}
        self._publish(self.topics.availability, OFFLINE)

    def receive_board(self, message: Mapping[str, Any]) -> list[JsonLine]:
        """Handle a message of protocol 1.

        Raises:
            KeyError, TypeError, ValueError, PondError: the message is invalid.
        """
        lines: list[JsonLine] = []
        match message["type"]:
            case "hello":
                self._hello, self._players = message, message["players"]
            case "state":
                before, self._state = self._state, message
                if before is None or any(before[field] != message[field] for field in _GAME_FIELDS):
                    lines.append({"ask": "record"})
                if message["t"] >= self._health_due:
                    self._health_due = message["t"] + HEALTH_SECONDS
                    lines.append({"ask": "health"})
            case "record" if "exercise" not in message:
                self._players = message["players"]
                self._follow_game(parse_record(message["record"]), can_redo=bool(message["undone"]))
            case "health":
                self._health = message
            case _:
                return []
        self._publish_all()
        return lines

    def _follow_game(self, record: Record, *, can_redo: bool) -> None:
        """Publish what happened since the last record. The first record after a connection may be of an old game."""
        if (known := self._record) is not None:
            for event in _list_events(known, record, can_redo=can_redo):
                if event["event_type"] == "new_game":
                    self._chosen.clear()
                self._publish_message(self.topics.event, _to_json(event), False)
        self._record = record

    # What is published

    def _publish_all(self) -> None:
        """Publish everything that has changed."""
        if self._hello and self._state:
            self._publish(self.topics.config, build_discovery(self.topics, self._device_id, self._name, self._hello))
            self._publish(self.topics.state, _to_json(self._describe(self._state)))
            last = self._state["last"]
            self._publish(
                self.topics.board, _draw(self._state["variant"], self._state["position"], last and last["action"])
            )
            self._publish(self.topics.availability, ONLINE)
        else:
            self._publish(self.topics.availability, OFFLINE)

    def _publish(self, topic: str, payload: bytes) -> None:
        """Publish a retained message unless it has been published before."""
        if self._published.get(topic) != payload:
            self._published[topic] = payload
            self._publish_message(topic, payload, True)

    def _describe(self, state: Mapping[str, Any]) -> JsonLine:
        """Return the values of the entities."""
        masked, failures = list(self._health.get("masked", ())), self._health.get("failures", 0)
        details = {
            "masked": masked,
            "failures": failures,
            "dimmed": bool(self._health.get("dimmed")),
            "trouble": state.get("trouble"),
            "unsaved": state.get("unsaved"),
        }
        phase, last = state["phase"], state["last"]
        return {
            "turn": "exercise" if "exercise" in state else phase if phase in TURN_STATES else state["to_move"],
            **{f"{side}_score": state["score"][str(side)] for side in Side},
            "last_move": last and last["action"],
            "variant": self._chosen.get("variant", state["variant"]),
            "opponent": self._chosen.get("opponent", _find_opponent(self._players)),
            "brightness": max(round(state["brightness"] * 100), MIN_PERCENT),
            "problem": any(details.values()),
            "details": details,
        }


def _list_events(before: Record, after: Record, *, can_redo: bool) -> Iterator[JsonLine]:
    """Yield the events that lead from one record to another.

    Args:
        before: the earlier record.
        after: the later record.
        can_redo: True if turns of the later game have been taken back.
    """
    same_start = (before.variant, before.custom_start) == (after.variant, after.custom_start)
    kept = 0
    if same_start:
        for old, new in zip(before.turns, after.turns, strict=False):
            if old != new:
                break
            kept += 1
    had_something = bool(before.turns or before.declared_outcome)
    if not same_start or (had_something and not can_redo and not after.turns):
        kept = 0
        yield {"event_type": "new_game", "variant": after.variant.name}
    elif kept < len(before.turns) or (before.declared_outcome and before.declared_outcome != after.declared_outcome):
        yield {"event_type": "undo", "turn": kept}
    for number, turn in enumerate(after.turns[kept:], kept + 1):
        yield _describe_turn(turn, number)
    outcome = after.outcome
    if outcome and (outcome != before.outcome or kept < len(after.turns)):
        yield {
            "event_type": "game_over",
            "winner": None if outcome.winner is None else str(outcome.winner),
            "reason": outcome.reason.value,
            **_describe_score(after.position),
        }


def _describe_turn(turn: Turn, number: int) -> JsonLine:
    scored = {f"{side}_scored": len(cells) for side, cells in turn.scored_cells.items()}
    kind = "score" if any(scored.values()) else "place" if turn.action.source is None else "move"
    return {
        "event_type": kind,
        "turn": number,
        "side": str(turn.side),
        "action": str(turn.action),
        "developed": [piece.cell for piece in turn.developed_pieces],
        **scored,
        **_describe_score(turn.after),
    }


def _describe_score(position: Position) -> JsonLine:
    return {f"{side}_score": position.scored[side] for side in Side}


def _find_person(players: Mapping[str, str | None]) -> Side:
    """Return the side of the only person, or else Light."""
    people = [side for side in Side if players[str(side)] is None]
    return people[0] if len(people) == 1 else LIGHT


def _find_opponent(players: Mapping[str, str | None]) -> str | None:
    """Return the only program that plays, `PERSON` if none does, and None if the opponent is not one of `OPPONENTS`."""
    programs = [name for name in players.values() if name is not None]
    if len(programs) > 1 or (programs and programs[0] not in OPPONENTS):
        return None
    return programs[0] if programs else PERSON


@lru_cache(maxsize=1)
def _draw(variant_name: str, notation_line: str, action_text: str | None) -> bytes:
    position = Position.from_notation(notation_line, parse_variant(variant_name))
    action = Action.from_notation(action_text) if action_text else None
    return draw_board(position, [cell for cell in action or () if cell])


def _to_json(message: JsonLine) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()

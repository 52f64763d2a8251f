"""JSON lines: how everyone outside the program speaks to a session. docs/protocol.md tells it to them.

Pure: one line of text in, one request or one sentence of complaint out; a session in, one line of text out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pond_hw import __version__
from pond_hw.board import RGB, Frame
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.rules import VARIANTS, Action, NotationError, Outcome, Position, Side, Turn, Variant, parse_variant
from pond_hw.session import BoardState, Hint, Session, format_preview
from pond_hw.session.intents import ChoosingVariant, Mismatch, Moves, PendingConfirmation, TakeBack
from pond_hw.session.variant_menu import variants_by_cell

PROTOCOL_VERSION = 1
"""The version that `hello` says."""

MAX_LINE_BYTES = 4096
"""Bytes in a line, at the most; a longer one is not read."""

MAX_BRACKETS = 50
"""Brackets and braces in a line, at the most; a line needs one."""

MAX_WAIT_SECONDS = 3600.0
"""Seconds that one line may let pass, at the most."""

FINGER_ACTIONS = ("touch", "press", "release")
PIECE_ACTIONS = ("lift", "drop", "take")
RESUME_COMMANDS = ("resume", "look", "discard")
COMMAND_NAMES = (
    "new",
    "undo",
    "redo",
    "resign",
    "draw",
    "action",
    "hint",
    "board",
    "set_up",
    "mask",
    "unmask",
    *RESUME_COMMANDS,
)
QUERY_NAMES = ("state", "frame", "record", "what_if")

MAX_POSITION_LENGTH = 80
"""Letters of a position on one line, at the most."""


_EXAMPLE_LINE = 'a line is one JSON object, such as {"touch":"b2"}.'


class ProtocolError(ValueError):
    """A line that is not understood; the message says what is wrong with it."""


class FingerRequest(NamedTuple):
    """A finger does something at a cell: one of `FINGER_ACTIONS`."""

    finger_action: str
    cell: str


class PieceRequest(NamedTuple):
    """A hand does something with a piece at a cell: one of `HANDS`; `owner`: whose piece it drops, if that is said."""

    piece_action: str
    cell: str
    owner: Side | None = None


class WaitRequest(NamedTuple):
    """Let simulated time pass."""

    seconds: float


class CommandRequest(NamedTuple):
    """One of `COMMAND_NAMES`.

    `pond` goes with `new` (None: the same again), `action` with `action`, `position` with `set_up`, `cell` with `mask`.
    """

    command_name: str
    variant: Variant | None = None
    action: Action | None = None
    position: Position | None = None
    cell: str | None = None


class QueryRequest(NamedTuple):
    """One of `QUERY_NAMES`; `action` goes with `what_if`."""

    query_name: str
    action: Action | None = None


ClientRequest = FingerRequest | PieceRequest | WaitRequest | CommandRequest | QueryRequest


def parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object that a line is.

    Raises:
        ProtocolError: it is none.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"The line is longer than {MAX_LINE_BYTES} bytes.")
    if line.count(b"[") + line.count(b"{") > MAX_BRACKETS:  # the parser itself gives up at another depth in each Python
        raise ProtocolError("The line is nested too deeply.")
    try:
        asked = json.loads(line.decode("utf-8"), object_pairs_hook=_reject_duplicates, parse_constant=_reject_constant)
    except UnicodeDecodeError:
        raise ProtocolError("The line is not UTF-8 text.") from None
    except ProtocolError:
        raise
    except ValueError:
        raise ProtocolError(f"The line is not JSON; {_EXAMPLE_LINE}") from None
    if not isinstance(asked, dict):
        raise ProtocolError(f"The line is not an object; {_EXAMPLE_LINE}")
    return asked


def parse_request(line: bytes) -> ClientRequest:
    """What one line asks for.

    Raises:
        ProtocolError: it is not understood.
    """
    asked = parse_object(line)
    kinds = [kind for kind in _REQUEST_PARSERS if kind in asked]
    if len(kinds) != 1:
        raise ProtocolError(f"A line holds exactly one of {', '.join(_REQUEST_PARSERS)}.")
    request, fields = _REQUEST_PARSERS[kinds[0]](asked)
    unknown = [str(key) for key in asked if key not in fields]
    if unknown:
        raise ProtocolError(f"Unknown with {kinds[0]}: {', '.join(map(_quote_value, unknown))}.")
    return request


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ProtocolError("A field stands in the line twice.")
    return found


def _reject_constant(name: str) -> None:
    raise ProtocolError(f"{name} is not JSON.")


def _quote_value(value: object) -> str:
    """A value as JSON writes it, cut short: it came from outside."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _finger_parser(what: str) -> Callable[[Mapping[str, Any]], tuple[ClientRequest, set[str]]]:
    def read(asked: Mapping[str, Any]) -> tuple[ClientRequest, set[str]]:
        return FingerRequest(what, _parse_cell(asked[what])), {what}

    return read


def _piece_parser(what: str) -> Callable[[Mapping[str, Any]], tuple[ClientRequest, set[str]]]:
    def read(asked: Mapping[str, Any]) -> tuple[ClientRequest, set[str]]:
        owner = asked.get("owner") if what == "drop" else None
        if owner not in (None, *map(str, Side)):
            raise ProtocolError(f"An owner is light or dark, not {_quote_value(owner)}.")
        side = next((side for side in Side if str(side) == owner), None)
        return PieceRequest(what, _parse_cell(asked[what]), side), {what, "owner"} if what == "drop" else {what}

    return read


def _parse_cell(cell: object) -> str:
    if not isinstance(cell, str) or not re.fullmatch(r"[a-e][1-5]", cell, re.ASCII):
        raise ProtocolError(f"A cell is a letter a to e and a digit 1 to 5, such as b2, not {_quote_value(cell)}.")
    return cell


def _parse_wait(asked: Mapping[str, Any]) -> tuple[ClientRequest, set[str]]:
    seconds = asked["wait"]
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= MAX_WAIT_SECONDS or not math.isfinite(seconds):
        raise ProtocolError(
            f"A wait is a number of seconds from 0 to {MAX_WAIT_SECONDS:g}, not {_quote_value(seconds)}."
        )
    return WaitRequest(float(seconds)), {"wait"}


def _parse_command(asked: Mapping[str, Any]) -> tuple[ClientRequest, set[str]]:
    what = asked["command"]
    if what not in COMMAND_NAMES:
        raise ProtocolError(f"A command is one of {', '.join(COMMAND_NAMES)}, not {_quote_value(what)}.")
    try:
        if what == "new":
            pond = parse_variant(_parse_text(asked, "variant")) if "variant" in asked else None
            return CommandRequest(what, variant=pond), {"command", "variant"}
        if what == "action":
            return CommandRequest(what, action=Action.from_notation(_parse_text(asked, "action"))), {
                "command",
                "action",
            }
        if what == "set_up":
            pond = parse_variant(_parse_text(asked, "variant")) if "variant" in asked else None
            position = Position.from_notation(_parse_text(asked, "position", MAX_POSITION_LENGTH), pond)
            return CommandRequest(what, position=position), {"command", "position", "variant"}
        if what in ("mask", "unmask"):
            _parse_text(asked, "cell")
            return CommandRequest(what, cell=_parse_cell(asked["cell"])), {"command", "cell"}
    except NotationError as error:
        raise ProtocolError(str(error)) from None
    return CommandRequest(what), {"command"}


def _parse_text(asked: Mapping[str, Any], field: str, longest: int = 40) -> str:
    if field not in asked:
        kind = "command" if "command" in asked else "ask"
        raise ProtocolError(f"The {kind} {asked[kind]} needs the field {field}.")
    value = asked[field]
    if not isinstance(value, str) or len(value) > longest:
        raise ProtocolError(f"The field {field} is a short text, not {_quote_value(value)}.")
    return value


def _parse_query(asked: Mapping[str, Any]) -> tuple[ClientRequest, set[str]]:
    what = asked["ask"]
    if what not in QUERY_NAMES:
        raise ProtocolError(
            f"One can ask for {', '.join(QUERY_NAMES[:-1])} or {QUERY_NAMES[-1]}, not {_quote_value(what)}."
        )
    if what == "what_if":
        try:
            return QueryRequest(what, Action.from_notation(_parse_text(asked, "action"))), {"ask", "action"}
        except NotationError as error:
            raise ProtocolError(str(error)) from None
    return QueryRequest(what), {"ask"}


_REQUEST_PARSERS = (
    {finger: _finger_parser(finger) for finger in FINGER_ACTIONS}
    | {hand: _piece_parser(hand) for hand in PIECE_ACTIONS}
    | {"wait": _parse_wait, "command": _parse_command, "ask": _parse_query}
)


def format_message(message: Mapping[str, Any]) -> str:
    """A message as one line of JSON, ASCII alone, without the line's end."""
    return json.dumps(message, separators=(",", ":"))


class LiveBoard(NamedTuple):
    """What there is to say of a board that lives in real time.

    Attributes:
        profile_name: the name of its profile.
        player_names: the names of those who play light and dark; None for people.
        brightness: of its lamps, 0 to 1, and
        gamma: what turned perceived brightness into light: with both, a screen can show what was meant.
        people_names: what the people at light and dark are called, as far as they have said.
    """

    profile_name: str
    player_names: tuple[str | None, str | None]
    brightness: float
    gamma: float
    people_names: PlayerNames = UNNAMED_PLAYERS


def hello_message(
    session: Session, lamps: int, live: LiveBoard | None = None, players: tuple[str | None, str | None] = (None, None)
) -> dict[str, Any]:
    """The first line out: who speaks, what board it is, and who else plays there, if anybody does."""
    told = {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "program": "pond",
        "version": __version__,
        "variant": session.variant.name,
        "size": session.size,
        "lamps": lamps,
        "variants": [pond.name for pond in VARIANTS.values() if pond.size <= session.size],
    } | ({"pieces": True} if session.board_state else {})
    if live:
        return told | _live_fields(live)
    return told | ({"players": _players_by_side(players)} if any(players) else {})


def _live_fields(live: LiveBoard) -> dict[str, Any]:
    lamps = {"brightness": live.brightness, "gamma": live.gamma}
    return {"live": True, "board": live.profile_name} | seat_fields(live) | lamps


def seat_fields(live: LiveBoard) -> dict[str, Any]:
    """Who plays."""
    names = {str(side): live.people_names[side] for side in Side}
    return {"players": _players_by_side(live.player_names)} | ({"names": names} if any(live.people_names) else {})


def _players_by_side(players: tuple[str | None, str | None]) -> dict[str, str | None]:
    return {str(side): players[side] for side in Side}


def state_message(session: Session, now: float) -> dict[str, Any]:
    """The whole game as it stands at an instant."""
    position = session.position
    return (
        {
            "type": "state",
            "t": round_instant(now),
            "variant": session.variant.name,
            "position": position.notation_line,
            "to_move": str(position.to_move),
            "legal": [str(action) for action in session.allowed_actions],
            "score": numbers_by_side(position.scored),
            "spawn": numbers_by_side(position.spawn),
            "phase": session.game_phase,
            "selected": session.in_hand,
            "targets": list(session.legal_targets),
            "last": turn_to_json(session.turns[-1]) if session.turns else None,
            "hint": hint_to_json(session.hint) if session.hint else None,
            "outcome": outcome_to_json(session.outcome),
            "message": session.message,
        }
        | _trouble_fields(session)
        | ({"wood": occupancy_to_json(session, session.board_state)} if session.board_state else {})
    )


def occupancy_to_json(session: Session, felt: BoardState) -> dict[str, Any]:
    """What the board feels and what hands have to do there: cells in order."""
    found, reading = felt.find_difference(session.position), felt.dialogue.interpretation
    step = reading.repair_steps[0] if isinstance(reading, Mismatch) and reading.repair_steps else None
    ponds = variants_by_cell(session.size, session.variant) if isinstance(reading, ChoosingVariant) else {}
    return {
        "felt": sorted(felt.occupancy.occupied_cells),
        "missing": sorted(found.missing),
        "extra": sorted(found.extra),
        "strangers": sorted(found.wrong_owner),
        "turn": sorted(felt.tasks.cells_to_flip),
        "take_off": sorted(felt.tasks.to_remove),
        "masked": sorted(felt.sensors.masked_cells),
        "next": {"from": step.source, "to": step.target} if step else None,
        "about": _pending_to_json(reading, felt) if isinstance(reading, PendingConfirmation) else None,
        "menu": {cell: pond.name for cell, pond in ponds.items()} or None,
    }


def _pending_to_json(about: PendingConfirmation, felt: BoardState) -> dict[str, Any]:
    """What is announced, and when it counts."""
    match about.intent:
        case Moves(actions):
            told: dict[str, Any] = {"actions": [str(action) for action in actions]}
        case TakeBack(turns):
            told = {"back": turns}
        case _:
            told = {"menu": True}
    nod, window = {"nod": True} if about.needs_gesture else {}, felt.dialogue.confirm_window
    return told | nod | {"at": round_instant(window.until) if window else None}


def _trouble_fields(session: Session) -> dict[str, Any]:
    """What is wrong with the board, and with the journal; nothing where all is well."""
    told = {"trouble": session.trouble, "unsaved": session.unsaved_reason}
    return {key: sentence for key, sentence in told.items() if sentence}


def turn_to_json(taken: Turn) -> dict[str, Any]:
    """What happened in a turn: the action, what developed from and to, the sets, what each side scored."""
    return {
        "action": str(taken.action),
        "developed": [
            {"cell": d.cell, "owner": str(d.owner), "from": str(d.old_symbol), "to": str(d.new_symbol)}
            for d in taken.developed_pieces
        ],
        "sets": [list(run) for run in taken.sets],
        "scored": {str(side): list(cells) for side, cells in taken.scored_cells.items()},
    }


def what_if_message(session: Session, action: Action) -> dict[str, Any]:
    """What would come of an action, before it is done.

    Raises:
        IllegalAction: it may not be done.
    """
    would = session.preview_action(action)
    told = {
        "position": would.after.notation_line,
        "outcome": outcome_to_json(would.outcome),
        "message": _preview_sentence(would),
    }
    return {"type": "what_if"} | turn_to_json(would) | told


def _preview_sentence(would: Turn) -> str:
    told = format_preview(would)
    return f"{told[0].upper()}{told[1:]}"


def hint_to_json(given: Hint) -> dict[str, Any]:
    """A hint; its action is None as long as it is thought about."""
    if given.action is None:
        return {"action": None}
    pieces, end = given.action_value
    decided = {} if end is None else {"wins_in" if pieces > 0 else "loses_in": end}
    return {
        "action": str(given.action),
        "value": None if decided else pieces,
        **decided,
        "until": round_instant(given.visible_until),
    }


def outcome_to_json(ended: Outcome | None) -> dict[str, Any] | None:
    """How a game ended, or None."""
    if ended is None:
        return None
    return {"winner": None if ended.winner is None else str(ended.winner), "reason": ended.reason.value}


def frame_message(shown: Frame, now: float) -> dict[str, Any]:
    """What the lamps show: for each cell its lamps from the top left, each red, green, blue, 0 to 255; score strips."""
    told = {"type": "frame", "t": round_instant(now), "cells": shown.colours_by_cell}
    return told | ({"strips": _strips_to_json(shown)} if shown.strip_lamps else {})


def _strips_to_json(shown: Frame) -> dict[str, list[RGB]]:
    values = shown.data[-6 * shown.strip_lamps :]
    lamps = list(zip(values[0::3], values[1::3], values[2::3], strict=True))
    return {"light": lamps[: shown.strip_lamps], "dark": lamps[shown.strip_lamps :]}


def record_message(session: Session, now: float) -> dict[str, Any]:
    """All that another program needs to have the same session; `decoding.parse_session` makes it again."""
    wrong = session.refusal
    return (
        {
            "type": "record",
            "t": round_instant(now),
            "size": session.size,
            "record": str(session.record),
            "undone": [str(turn.action) for turn in reversed(session.undone_turns)],
            "selected": session.selected_cell,
            "refused": {"cell": wrong.cell, "at": round_instant(wrong.instant)} if wrong else None,
            "fresh": session.turn_is_fresh,
            "since": round_instant(session.changed_at),
            "message": session.message,
        }
        | _offer_fields(session)
        | _trouble_fields(session)
        | ({"wood": occupancy_to_json(session, session.board_state)} if session.board_state else {})
    )


def _offer_fields(session: Session) -> dict[str, Any]:
    """Whether the game waits for a choice, and is looked at meanwhile; and the hint, if there is one."""
    offer = {"offer": "look" if session.resume_prompt.is_looking else "ask"} if session.resume_prompt else {}
    return offer | ({"hint": hint_to_json(session.hint)} if session.hint else {})


def error_message(sentence: str) -> dict[str, Any]:
    """The answer to a line that was not understood."""
    return {"type": "error", "message": sentence}


def numbers_by_side(pair: tuple[int, int]) -> dict[str, int]:
    """A number of each side."""
    return {str(side): pair[side] for side in Side}


def round_instant(now: float) -> float:
    """Seconds to the microsecond, so that sums of waits read as people would write them."""
    return round(now, 6)

"""Journal format of a game: its entries, and their replay.

    act @b2         an action
    back 2          take back two turns
    again 1         replay one turn that was taken back
    end dark resignation | end - agreement     the players ended the game
    go_on           the end was taken back
    leave           the players left for another game; this one stays saved
    resume          the players returned to this game
    hint dark       a side used one of its limited hints
    note …          a remark; changes nothing
    other …         an event of a game other than the board game, see `other_games`
    other_back      the last such event was taken back

Entries are replayed through the rules. An impossible entry raises `ImpossibleEntry`; the entries before it stay valid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

from pond_hw import rules
from pond_hw.messages.message import Message
from pond_hw.rules import Outcome, PondError, Position, Turn
from pond_hw.session import (
    EndUndone,
    GameEnded,
    GameEvent,
    HintGiven,
    TurnsRedone,
    TurnsUndone,
    TurnTaken,
    is_set_up,
    with_side,
)

GameFacts = Mapping[str, object]
"""Data about a game besides its entries; see `StoredGame.facts`."""


SIDE_NAMES = tuple(map(str, rules.Side))


class ImpossibleEntry(PondError):
    """Error for an entry that is not possible at this point in the game."""


class JournalEntry(NamedTuple):
    """One event of a game: its kind, and a value."""

    kind: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.value}".rstrip()


@dataclass(frozen=True)
class GameProjection(rules.Game):
    """State of a game after replaying entries, including turns that were taken back.

    Attributes:
        undone_turns: turns taken back, latest last.
        hints_given: limited hints used by light and dark.
        hinted_position: position in which the last of those hints was given.
    """

    undone_turns: tuple[Turn, ...] = ()
    was_left: bool = False
    hints_given: tuple[int, int] = (0, 0)
    hinted_position: Position | None = None

    @property
    def can_continue(self) -> bool:
        """True if the game can be resumed and is not empty."""
        is_touched = self.turns or self.undone_turns or is_set_up(self.custom_start)
        return not self.outcome and not self.was_left and bool(is_touched)

    def after_entry(self, entry: JournalEntry) -> GameProjection:
        """Return the game with one more entry. Raises ImpossibleEntry if the entry is not possible."""
        match entry.kind:
            case "act":
                return self._apply_action(entry)
            case "back":
                remaining_turns, undone_turns = self._split_turns(entry, self.turns)
                return replace(self, turns=remaining_turns, undone_turns=(*self.undone_turns, *reversed(undone_turns)))
            case "again":
                remaining_turns, redone_turns = self._split_turns(entry, self.undone_turns)
                return replace(self, turns=(*self.turns, *reversed(redone_turns)), undone_turns=remaining_turns)
            case "end":
                if self.outcome:
                    raise ImpossibleEntry(Message("entry.game_over", entry=str(entry)))
                return replace(self, declared_outcome=_parse_outcome(entry))
            case "go_on":
                if not self.declared_outcome:
                    raise ImpossibleEntry(Message("entry.not_ended", entry=str(entry)))
                return replace(self, declared_outcome=None)
            case "leave" | "resume":
                return replace(self, was_left=entry.kind == "leave")
            case "hint" if entry.value in SIDE_NAMES:
                side = rules.Side(SIDE_NAMES.index(entry.value))
                hints_given = with_side(self.hints_given, side, self.hints_given[side] + 1)
                return replace(self, hints_given=hints_given, hinted_position=self.position)
            case "note" | "other" | "other_back":
                return self
        raise ImpossibleEntry(Message("entry.unknown", entry=str(entry)))

    def _split_turns(self, entry: JournalEntry, turns: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """Split off the last turns. The value of the entry is their number."""
        if not re.fullmatch(r"[1-9][0-9]{0,5}", entry.value, re.ASCII) or int(entry.value) > len(turns):
            raise ImpossibleEntry(Message("entry.wrong_count", entry=str(entry), count=len(turns)))
        if self.declared_outcome:
            raise ImpossibleEntry(Message("entry.ended", entry=str(entry)))
        return turns[: -int(entry.value)], turns[-int(entry.value) :]

    def _apply_action(self, entry: JournalEntry) -> GameProjection:
        if self.outcome:
            raise ImpossibleEntry(Message("entry.game_over", entry=str(entry)))
        try:
            turn = rules.play(self.position, rules.Action.from_notation(entry.value))
        except PondError as error:
            raise ImpossibleEntry(Message("entry.illegal", entry=str(entry), reason=error.message)) from error
        return replace(self, turns=(*self.turns, turn), undone_turns=())


def format_events(events: Iterable[GameEvent]) -> list[JournalEntry]:
    """Return the game events of a session step as journal entries. A new game produces no entry."""
    entries = []
    for event in events:
        match event:
            case TurnTaken(action):
                entries.append(JournalEntry("act", str(action)))
            case TurnsUndone(turn_count):
                entries.append(JournalEntry("back", str(turn_count)))
            case TurnsRedone(turn_count):
                entries.append(JournalEntry("again", str(turn_count)))
            case GameEnded(Outcome(winner, reason)):
                entries.append(JournalEntry("end", f"{'-' if winner is None else winner} {reason.value}"))
            case EndUndone():
                entries.append(JournalEntry("go_on"))
            case HintGiven(side):
                entries.append(JournalEntry("hint", str(side)))
    return entries


def list_entries(
    turns: tuple[Turn, ...],
    undone_turns: tuple[Turn, ...] = (),
    declared_outcome: Outcome | None = None,
    hints_given: tuple[int, int] = (0, 0),
) -> list[JournalEntry]:
    game_events: list[GameEvent] = [HintGiven(side) for side in rules.Side for _ in range(hints_given[side])]
    game_events += [TurnTaken(turn.action) for turn in (*turns, *reversed(undone_turns))]
    game_events += [TurnsUndone(len(undone_turns))] * bool(undone_turns)
    game_events += [GameEnded(declared_outcome)] if declared_outcome else []
    return format_events(game_events)


def replay_entries(
    projection: GameProjection, entries: Iterable[JournalEntry]
) -> tuple[GameProjection, int, Message | None]:
    """Apply entries as far as the rules allow. Return the game, the number of entries applied, and the fault of the next one."""
    count = 0
    for entry in entries:
        try:
            projection = projection.after_entry(entry)
        except ImpossibleEntry as fault:
            return projection, count, fault.message
        count += 1
    return projection, count, None


def _parse_outcome(entry: JournalEntry) -> Outcome:
    outcome_match = re.fullmatch(r"(light|dark|-) (resignation|agreement)", entry.value, re.ASCII)
    if not outcome_match or (outcome_match[1] == "-") != (outcome_match[2] == "agreement"):
        raise ImpossibleEntry(Message("entry.wrong_end", entry=str(entry)))
    return Outcome(
        None if outcome_match[1] == "-" else rules.Side[outcome_match[1].upper()], rules.EndReason(outcome_match[2])
    )


class Timestamp(NamedTuple):
    """Time of an entry.

    Attributes:
        boot_id: Linux's id of this boot, or "".
        since_boot: seconds since boot, including sleep.
        wall_time: date and time in UTC. May be wrong by years on a machine without a battery-backed clock.
    """

    boot_id: str
    since_boot: float
    wall_time: str


class TimestampedEntry(NamedTuple):
    """An entry with its timestamp."""

    entry: JournalEntry
    timestamp: Timestamp


@dataclass(frozen=True)
class StoredGame:
    """A game as read from a file.

    Attributes:
        uid: id of the game, the same in all files.
        facts: `variant`, `start` (a position or None), `size` of the board, `board`, `built` (version of its calibration),
            `pieces`, `light` and `dark` (players; None for a person without a name), `link` (a linked game: its `game` id
            and the `side` of this home), `program`. An imported game also has the facts described in `game_records`.
        entries: entries up to the first fault.
        fault: problem with the first entry that was left out, or None.
        number: row id in its file; later games have higher numbers.
    """

    uid: str
    facts: GameFacts
    entries: tuple[TimestampedEntry, ...]
    projection: GameProjection
    fault: Message | None = None
    number: int = 0
    file: str = ""

    def as_update(self, *new_entries: TimestampedEntry) -> GameUpdate:
        return GameUpdate(self.uid, self.facts, [*self.entries, *new_entries])

    @property
    def is_readable(self) -> bool:
        """True unless the row with the game's facts is damaged."""
        return bool(self.facts)

    @property
    def is_empty(self) -> bool:
        """True for a game from the normal start without turns or an end."""
        kinds = {each.entry.kind for each in self.entries} - {"hint", "note", "end", "go_on"}
        is_begun = kinds or self.projection.declared_outcome or is_set_up(self.projection.custom_start)
        return self.is_readable and not self.fault and not is_begun


class GameUpdate(NamedTuple):
    """Data to write for one game. For the current game, entries are added during play.

    `entries` holds all entries of the game. Those that are already in the file are not written again.
    """

    uid: str
    facts: GameFacts
    entries: list[TimestampedEntry]


def initial_projection(facts: GameFacts) -> GameProjection:
    """Return the initial state of a game with these facts. Raises ImpossibleEntry if no game can start like that."""
    try:
        game_variant = rules.parse_variant(str(facts["variant"]))
        start_notation = facts.get("start")
        start_position = None if start_notation is None else Position.from_notation(str(start_notation), game_variant)
    except (KeyError, TypeError, rules.NotationError) as error:
        reason = error.message if isinstance(error, PondError) else Message("damage.system", text=str(error))
        raise ImpossibleEntry(Message("entry.wrong_start", reason=reason)) from error
    if start_position and (invalid_reason := rules.explain_invalid_start(start_position)):
        raise ImpossibleEntry(invalid_reason)
    return GameProjection(game_variant, custom_start=start_position)


def replay_game(uid: str, facts: GameFacts, game_entries: Sequence[TimestampedEntry], **where: object) -> StoredGame:
    """Replay a game from its entries as far as the rules allow. Raises ImpossibleEntry if the start is invalid."""
    entries = (each.entry for each in game_entries)
    game_projection, good_count, fault = replay_entries(initial_projection(facts), entries)
    return StoredGame(uid, facts, tuple(game_entries[:good_count]), game_projection, fault, **where)  # type: ignore[arg-type]


def unreadable_game(uid: str, number: int, file: str, fault: Message) -> StoredGame:
    """Build a placeholder for a game that cannot be read."""
    projection = GameProjection(rules.parse_variant("standard"), was_left=True)
    return StoredGame(uid, {}, (), projection, fault, number, file)


def compute_seal(seal_before: bytes, sealed_values: Sequence[object]) -> bytes:
    """Return the checksum of a row. It also covers the seal of the row before."""
    return blake2b(seal_before + json.dumps(sealed_values).encode(), digest_size=8).digest()

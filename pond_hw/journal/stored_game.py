"""A game as the journal keeps it: what happened, entry by entry, and the fold that makes a game of it again.

    act @b2         an action was taken
    back 2          so many turns were taken back
    again 1         so many of them were played again
    end dark resignation | end - agreement     the players ended the game themselves
    go_on           that end was taken back
    leave           the players have left this game for another one; it is kept
    resume          they have come back to it
    hint dark       a side got one of the hints that it has in this game
    note …          a sentence worth keeping; it changes nothing
    other …         what happened in another game than the board game, see `other_games`; it changes nothing here
    other_back      the last of these was taken back

Pure. Entries are replayed through the rules: one that cannot have happened is an `ImpossibleEntry`, and what came before it
stands.
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
"""What is known of a game besides what happened in it: see `StoredGame.facts`."""


SIDE_NAMES = tuple(map(str, rules.Side))


class ImpossibleEntry(PondError):
    """An entry cannot have happened in this game."""


class JournalEntry(NamedTuple):
    """One thing that happened: what kind of thing, and what exactly."""

    kind: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.value}".rstrip()


@dataclass(frozen=True)
class GameProjection(rules.GameCourse):
    """A game, and what was taken back in it.

    Attributes:
        undone_turns: turns taken back, the one that was taken back last at the end.
        was_left: whether the players left it for another game.
        hints_given: how many hints light and dark have had while they had a limit.
        hinted_position: the position that the last of them was given in.
    """

    undone_turns: tuple[Turn, ...] = ()
    was_left: bool = False
    hints_given: tuple[int, int] = (0, 0)
    hinted_position: Position | None = None

    @property
    def can_continue(self) -> bool:
        """Whether it can be gone on with, and something of it would be lost if it were not."""
        is_touched = self.turns or self.undone_turns or is_set_up(self.custom_start)
        return not self.outcome and not self.was_left and bool(is_touched)

    def after_entry(self, entry: JournalEntry) -> GameProjection:
        """Return the game with one more entry.

        Raises:
            ImpossibleEntry: that cannot have happened; the message says why.
        """
        match entry.kind:
            case "act":
                return self._apply_action(entry)
            case "back":
                kept_turns, undone_turns = self._split_turns(entry, self.turns)
                return replace(self, turns=kept_turns, undone_turns=(*self.undone_turns, *reversed(undone_turns)))
            case "again":
                kept_turns, redone_turns = self._split_turns(entry, self.undone_turns)
                return replace(self, turns=(*self.turns, *reversed(redone_turns)), undone_turns=kept_turns)
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
        """Turns without the last few, and these: as many as an entry says."""
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
    """What a step of a session did to its game, as entries; that another game began is an entry of neither."""
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
    """The entries that make a whole game, of which none has been written yet."""
    game_events: list[GameEvent] = [HintGiven(side) for side in rules.Side for _ in range(hints_given[side])]
    game_events += [TurnTaken(turn.action) for turn in (*turns, *reversed(undone_turns))]
    game_events += [TurnsUndone(len(undone_turns))] * bool(undone_turns)
    game_events += [GameEnded(declared_outcome)] if declared_outcome else []
    return format_events(game_events)


def replay_entries(
    projection: GameProjection, entries: Iterable[JournalEntry]
) -> tuple[GameProjection, int, Message | None]:
    """Continue a game by entries as far as the rules allow.

    Returns:
        The game, how many of the entries are in it, and what is wrong with the next one, if any is.
    """
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
    """When something was written: in which run of the machine, how far into it, and what the clock on the wall said.

    Attributes:
        boot_id: the machine's run, as Linux names it; "" if it does not.
        since_boot: seconds since the machine started, time asleep included.
        wall_time: date and time in UTC. On a machine without a clock of its own it may be wrong by years.
    """

    boot_id: str
    since_boot: float
    wall_time: str


class TimestampedEntry(NamedTuple):
    """An entry and when it was written."""

    entry: JournalEntry
    timestamp: Timestamp


@dataclass(frozen=True)
class StoredGame:
    """A game as a file holds it.

    Attributes:
        uid: the game's own name, the same in whatever file it stands.
        facts: what is known of it besides what happened: `variant`, `start` (a position or None), `size` of the board,
            `board`, `built` (the version of the board's own file), `pieces`, `light` and `dark` (who plays; None is a
            person without a name), `program`; of a game that was read from a record also what
            `game_records` tells.
        entries: its entries, as far as they are good.
        projection: what they come to.
        fault: why there are no more of them, if something is wrong with the next one.
        number: the larger, the later it was begun, within its file.
        file: the file's name.
    """

    uid: str
    facts: GameFacts
    entries: tuple[TimestampedEntry, ...]
    projection: GameProjection
    fault: Message | None = None
    number: int = 0
    file: str = ""

    def as_update(self, *new_entries: TimestampedEntry) -> GameUpdate:
        """What to write of it, with further entries at its end."""
        return GameUpdate(self.uid, self.facts, [*self.entries, *new_entries])

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of it; of a game that was spoilt in its first line nothing is."""
        return bool(self.facts)

    @property
    def is_empty(self) -> bool:
        """True if nothing that happened in it stands, and it began as games do."""
        kinds = {each.entry.kind for each in self.entries} - {"hint", "note", "end", "go_on"}
        is_begun = kinds or self.projection.declared_outcome or is_set_up(self.projection.custom_start)
        return self.is_readable and not self.fault and not is_begun


class GameUpdate(NamedTuple):
    """What to write of one game. Of the one that is played, entries are added while it goes on.

    Attributes:
        uid: the game; one that is new in a file gets its row first.
        facts: what is known of it.
        entries: all its entries from the first one on; those that are in the file already are not written again.
    """

    uid: str
    facts: GameFacts
    entries: list[TimestampedEntry]


def initial_projection(facts: GameFacts) -> GameProjection:
    """The beginning of a game with these facts.

    Raises:
        ImpossibleEntry: no game can begin like that.
    """
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
    """Replay a game from its entries, as far as the rules allow.

    Raises:
        ImpossibleEntry: it cannot even begin.
    """
    entries = (each.entry for each in game_entries)
    game_projection, good_count, fault = replay_entries(initial_projection(facts), entries)
    return StoredGame(uid, facts, tuple(game_entries[:good_count]), game_projection, fault, **where)  # type: ignore[arg-type]


def unreadable_game(uid: str, number: int, file: str, fault: Message) -> StoredGame:
    """Build what is listed of a game of which nothing is known."""
    projection = GameProjection(rules.parse_variant("standard"), was_left=True)
    return StoredGame(uid, {}, (), projection, fault, number, file)


def compute_seal(seal_before: bytes, sealed_values: Sequence[object]) -> bytes:
    """Compute the checksum of a row, over the row and all that came before it in its game."""
    return blake2b(seal_before + json.dumps(sealed_values).encode(), digest_size=8).digest()

"""A game as the journal tells it: what happened, entry by entry, and the fold that makes a game of it again.

    act @b2         an action was taken
    back 2          so many turns were taken back
    again 1         so many of them were played again
    end dark resignation | end - agreement     the players ended the game themselves
    go_on           that end was taken back
    leave           the players have left this game for another one; it is kept
    resume          they have come back to it
    note …          a sentence worth keeping; it changes nothing

Pure. Entries are replayed through the rules: one that cannot have happened is an `ImpossibleEntry`, and what came before it
stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from pond_hw.rules import (
    Action,
    EndReason,
    Outcome,
    PondError,
    Position,
    Side,
    Turn,
    Variant,
    find_outcome,
    play,
)
from pond_hw.session import Session


class ImpossibleEntry(PondError):
    """An entry cannot have happened in this game."""


class JournalEntry(NamedTuple):
    """One thing that happened: what kind of thing, and what exactly."""

    kind: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.value}".rstrip()


@dataclass(frozen=True)
class GameProjection:
    """A game, and what was taken back in it.

    Attributes:
        variant: the variant that is played.
        custom_start: the position that it began from, or None for the start of the pond.
        turns: the turns taken.
        undone_turns: turns taken back, the one that was taken back last at the end.
        declared_outcome: how the players ended it themselves, or None.
        was_left: whether the players left it for another game.
    """

    variant: Variant
    custom_start: Position | None = None
    turns: tuple[Turn, ...] = ()
    undone_turns: tuple[Turn, ...] = ()
    declared_outcome: Outcome | None = None
    was_left: bool = False

    @classmethod
    def from_session(cls, session: Session) -> GameProjection:
        """What the journal would tell of the game that a session is in."""
        return cls(session.variant, session.custom_start, session.turns, session.undone_turns, session.declared_outcome)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.turns[-1].after if self.turns else self.custom_start or Position.start(self.variant)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None."""
        return self.declared_outcome or find_outcome(self.position)

    @property
    def can_continue(self) -> bool:
        """Whether it can be gone on with, and something of it would be lost if it were not."""
        return not self.outcome and not self.was_left and bool(self.turns or self.undone_turns or self.custom_start)

    def after_entry(self, entry: JournalEntry) -> GameProjection:
        """The story with one more entry.

        Raises:
            ImpossibleEntry: that cannot have happened; the message says why.
        """
        kind, value = entry
        match kind:
            case "act":
                return self._apply_action(value)
            case "back":
                count = _parse_turn_count(entry, len(self.turns))
                taken = self.turns[len(self.turns) - count :]
                kept = self.turns[: len(self.turns) - count]
                if self.declared_outcome:
                    raise ImpossibleEntry(f"'{entry}': the players have ended the game themselves.")
                return replace(self, turns=kept, undone_turns=(*self.undone_turns, *reversed(taken)))
            case "again":
                count = _parse_turn_count(entry, len(self.undone_turns))
                if self.declared_outcome:
                    raise ImpossibleEntry(f"'{entry}': the players have ended the game themselves.")
                again = tuple(reversed(self.undone_turns[len(self.undone_turns) - count :]))
                return replace(
                    self, turns=self.turns + again, undone_turns=self.undone_turns[: len(self.undone_turns) - count]
                )
            case "end":
                if self.outcome:
                    raise ImpossibleEntry(f"'{entry}': the game is over already.")
                return replace(self, declared_outcome=_parse_outcome(entry))
            case "go_on":
                if not self.declared_outcome:
                    raise ImpossibleEntry(f"'{entry}': the players have not ended the game.")
                return replace(self, declared_outcome=None)
            case "leave":
                return replace(self, was_left=True)
            case "resume":
                return replace(self, was_left=False)
            case "note":
                return self
        raise ImpossibleEntry(f"'{entry}' is nothing that this version knows.")

    def _apply_action(self, value: str) -> GameProjection:
        if self.outcome:
            raise ImpossibleEntry(f"'act {value}': the game is over already.")
        try:
            turn = play(self.position, Action.from_notation(value))
        except PondError as error:
            raise ImpossibleEntry(f"'act {value}': {error}") from error
        return replace(self, turns=(*self.turns, turn), undone_turns=())


def entries_between(before: GameProjection, after: GameProjection) -> tuple[JournalEntry, ...] | None:
    """What happened between two moments of a game, or None if the second is another game.

    The story after these entries is the second one.
    """
    if before == after:  # as it is after nearly everything that is felt
        return ()
    if before.variant != after.variant or before.custom_start != after.custom_start:
        return None
    if not (after.turns or after.undone_turns or after.declared_outcome) and (
        before.turns or before.undone_turns or before.declared_outcome
    ):
        return None
    told = (
        [JournalEntry("go_on")] if before.declared_outcome and after.declared_outcome != before.declared_outcome else []
    )
    shared = _count_shared_turns(before.turns, after.turns)
    back = len(before.turns) - shared
    if back:
        told.append(JournalEntry("back", str(back)))
    undone = (*before.undone_turns, *reversed(before.turns[shared:]))
    new = after.turns[shared:]
    rest = len(undone) - len(new)
    if new and undone[rest:][::-1] == new and undone[:rest] == after.undone_turns:
        told.append(JournalEntry("again", str(len(new))))
    else:
        told += [JournalEntry("act", str(turn.action)) for turn in new]
    if after.declared_outcome and after.declared_outcome != before.declared_outcome:
        winner = "-" if after.declared_outcome.winner is None else str(after.declared_outcome.winner)
        told.append(JournalEntry("end", f"{winner} {after.declared_outcome.reason.value}"))
    return tuple(told)


def replay_entries(story: GameProjection, told: Iterable[JournalEntry]) -> tuple[GameProjection, int, str | None]:
    """A story gone on with as far as the rules allow.

    Returns:
        The story, how many of the entries are in it, and what is wrong with the next one, if any is.
    """
    count = 0
    for entry in told:
        try:
            story = story.after_entry(entry)
        except ImpossibleEntry as fault:
            return story, count, str(fault)
        count += 1
    return story, count, None


def _count_shared_turns(some: tuple[Turn, ...], others: tuple[Turn, ...]) -> int:
    """How many turns two games have in common from the beginning on."""
    count = 0
    for one, other in zip(some, others, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count


def _parse_turn_count(entry: JournalEntry, most: int) -> int:
    """How many turns an entry is about."""
    if not re.fullmatch(r"[1-9][0-9]{0,5}", entry.value, re.ASCII) or int(entry.value) > most:
        raise ImpossibleEntry(f"'{entry}': there are {most} such turns.")
    return int(entry.value)


def _parse_outcome(entry: JournalEntry) -> Outcome:
    told = re.fullmatch(r"(light|dark|-) (resignation|agreement)", entry.value, re.ASCII)
    if not told or (told[1] == "-") != (told[2] == "agreement"):
        raise ImpossibleEntry(f"'{entry}' is no end of a game.")
    return Outcome(None if told[1] == "-" else Side[told[1].upper()], EndReason(told[2]))

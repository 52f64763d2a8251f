"""A game as the journal tells it: what happened, entry by entry, and the fold that makes a game of it again.

    act @b2         an action was taken
    back 2          so many turns were taken back
    again 1         so many of them were played again
    end dark resignation | end - agreement     the players ended the game themselves
    go_on           that end was taken back
    leave           the players have left this game for another one; it is kept
    resume          they have come back to it
    note …          a sentence worth keeping; it changes nothing

Pure. Entries are replayed through the rules: one that cannot have happened is a `StoryFault`, and what came before it
stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from pond_hw.rules import (
    Action,
    Outcome,
    PondError,
    Position,
    Reason,
    Side,
    Turn,
    Variant,
    outcome,
    play,
)
from pond_hw.session import Session


class StoryFault(PondError):
    """An entry cannot have happened in this game."""


class Entry(NamedTuple):
    """One thing that happened: what kind of thing, and what exactly."""

    kind: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.value}".rstrip()


@dataclass(frozen=True)
class Story:
    """A game, and what was taken back in it.

    Attributes:
        pond: the variant that is played.
        begun: the position that it began from, or None for the start of the pond.
        turns: the turns taken.
        undone: turns taken back, the one that was taken back last at the end.
        ended: how the players ended it themselves, or None.
        left: whether the players left it for another game.
    """

    pond: Variant
    begun: Position | None = None
    turns: tuple[Turn, ...] = ()
    undone: tuple[Turn, ...] = ()
    ended: Outcome | None = None
    left: bool = False

    @classmethod
    def of(cls, session: Session) -> Story:
        """What the journal would tell of the game that a session is in."""
        return cls(session.pond, session.begun, session.turns, session.undone, session.ended)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.turns[-1].after if self.turns else self.begun or Position.start(self.pond)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None."""
        return self.ended or outcome(self.position)

    @property
    def open(self) -> bool:
        """Whether it can be gone on with, and something of it would be lost if it were not."""
        return not self.outcome and not self.left and bool(self.turns or self.undone or self.begun)

    def after(self, entry: Entry) -> Story:
        """The story with one more entry.

        Raises:
            StoryFault: that cannot have happened; the message says why.
        """
        kind, value = entry
        match kind:
            case "act":
                return self._act(value)
            case "back":
                count = _count(entry, len(self.turns))
                taken = self.turns[len(self.turns) - count :]
                kept = self.turns[: len(self.turns) - count]
                if self.ended:
                    raise StoryFault(f"'{entry}': the players have ended the game themselves.")
                return replace(self, turns=kept, undone=(*self.undone, *reversed(taken)))
            case "again":
                count = _count(entry, len(self.undone))
                if self.ended:
                    raise StoryFault(f"'{entry}': the players have ended the game themselves.")
                again = tuple(reversed(self.undone[len(self.undone) - count :]))
                return replace(self, turns=self.turns + again, undone=self.undone[: len(self.undone) - count])
            case "end":
                if self.outcome:
                    raise StoryFault(f"'{entry}': the game is over already.")
                return replace(self, ended=_end(entry))
            case "go_on":
                if not self.ended:
                    raise StoryFault(f"'{entry}': the players have not ended the game.")
                return replace(self, ended=None)
            case "leave":
                return replace(self, left=True)
            case "resume":
                return replace(self, left=False)
            case "note":
                return self
        raise StoryFault(f"'{entry}' is nothing that this version knows.")

    def _act(self, value: str) -> Story:
        if self.outcome:
            raise StoryFault(f"'act {value}': the game is over already.")
        try:
            turn = play(self.position, Action.read(value))
        except PondError as error:
            raise StoryFault(f"'act {value}': {error}") from error
        return replace(self, turns=(*self.turns, turn), undone=())


def entries(before: Story, after: Story) -> tuple[Entry, ...] | None:
    """What happened between two moments of a game, or None if the second is another game.

    The story after these entries is the second one.
    """
    if before == after:  # as it is after nearly everything that is felt
        return ()
    if before.pond != after.pond or before.begun != after.begun:
        return None
    if not (after.turns or after.undone or after.ended) and (before.turns or before.undone or before.ended):
        return None
    told = [Entry("go_on")] if before.ended and after.ended != before.ended else []
    shared = _shared(before.turns, after.turns)
    back = len(before.turns) - shared
    if back:
        told.append(Entry("back", str(back)))
    undone = (*before.undone, *reversed(before.turns[shared:]))
    new = after.turns[shared:]
    rest = len(undone) - len(new)
    if new and undone[rest:][::-1] == new and undone[:rest] == after.undone:
        told.append(Entry("again", str(len(new))))
    else:
        told += [Entry("act", str(turn.action)) for turn in new]
    if after.ended and after.ended != before.ended:
        winner = "-" if after.ended.winner is None else str(after.ended.winner)
        told.append(Entry("end", f"{winner} {after.ended.reason.value}"))
    return tuple(told)


def retold(story: Story, told: Iterable[Entry]) -> tuple[Story, int, str | None]:
    """A story gone on with as far as the rules allow.

    Returns:
        The story, how many of the entries are in it, and what is wrong with the next one, if any is.
    """
    count = 0
    for entry in told:
        try:
            story = story.after(entry)
        except StoryFault as fault:
            return story, count, str(fault)
        count += 1
    return story, count, None


def _shared(some: tuple[Turn, ...], others: tuple[Turn, ...]) -> int:
    """How many turns two games have in common from the beginning on."""
    count = 0
    for one, other in zip(some, others, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count


def _count(entry: Entry, most: int) -> int:
    """How many turns an entry is about."""
    if not re.fullmatch(r"[1-9][0-9]{0,5}", entry.value, re.ASCII) or int(entry.value) > most:
        raise StoryFault(f"'{entry}': there are {most} such turns.")
    return int(entry.value)


def _end(entry: Entry) -> Outcome:
    told = re.fullmatch(r"(light|dark|-) (resignation|agreement)", entry.value, re.ASCII)
    if not told or (told[1] == "-") != (told[2] == "agreement"):
        raise StoryFault(f"'{entry}' is no end of a game.")
    return Outcome(None if told[1] == "-" else Side[told[1].upper()], Reason(told[2]))

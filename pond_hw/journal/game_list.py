"""The games of a journal as a list that is read at 80 columns. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.journal import Kept, game_times
from pond_hw.journal.game_records import brought_in, date_of, is_empty, is_readable, taken_back
from pond_hw.messages.terminal_text import count_columns, cut_text, pad_text, printable
from pond_hw.rules import Outcome, Reason, Side, Variant

NARROWEST = 60
"""Columns that a list takes at the least, however narrow the window."""

_SHORTEST = 6
"""Letters of a name that are left when a line is too long."""


class Numbered(NamedTuple):
    """A game, and the number that people call it by: its place in the order in which games were begun, from 1 on."""

    number: int
    kept: Kept


@dataclass(frozen=True)
class Row:
    """What is told of a game in one line.

    Attributes:
        number: what people call it by.
        kept: the game.
        doubtful: whether the clock may have been wrong when it was begun.
    """

    number: int
    kept: Kept
    doubtful: bool

    @property
    def state(self) -> str:
        """`finished`, `goes on`, `left` or `unreadable`."""
        if not is_readable(self.kept):
            return "unreadable"
        if self.kept.story.outcome:
            return "finished"
        return "left" if self.kept.story.left else "goes on"

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Who played light and dark; None for a person without a name."""
        light, dark = (self.kept.facts.get(side) for side in ("light", "dark"))
        return (str(light) if light else None), (str(dark) if dark else None)

    @property
    def board(self) -> str:
        """The board that it was played on, "" if nobody knows."""
        return str(self.kept.facts.get("board") or "")


def rows(games: Sequence[Numbered]) -> list[Row]:
    """A row for each game in which something has happened, in their order."""
    wrong = game_times.doubtful([kept for _, kept in games])
    return [Row(number, kept, kept.uid in wrong) for number, kept in games if not is_empty(kept)]


def chosen(
    found: Iterable[Row],
    pond: Variant | None = None,
    player: str | None = None,
    last: int | None = None,
    *,
    unfinished: bool = False,
) -> list[Row]:
    """Those of them that were asked for; `last` counts what the other wishes have left."""
    name = player.strip().casefold() if player is not None else None
    those = [
        row
        for row in found
        if (pond is None or (is_readable(row.kept) and row.kept.story.pond == pond))
        and (name is None or name in [each.casefold() for each in row.names if each])
        and (not unfinished or row.state in ("goes on", "left"))
    ]
    return those if last is None else those[max(0, len(those) - last) :]


def ending(outcome: Outcome) -> str:
    """How a game ended, in a word or two."""
    winner, reason = outcome
    if winner is None:
        return "draw agreed" if reason is Reason.AGREEMENT else "draw"
    if reason is Reason.RESIGNATION:
        return f"{winner.other} resigned"
    return f"{winner.other} is stuck" if reason is Reason.ELIMINATION else f"{winner} won"


def table(found: Sequence[Row], width: int = 80) -> list[str]:
    """The rows as lines, with a line above, and what their signs mean below."""
    cells = [("", "when", "pond", "light", "dark", "turns", "score", "result", "board")]
    for row in found:
        light, dark = (printable(name) if name else "-" for name in row.names)
        told = printable(game_times.begun(row.kept))[:16] + ("?" if row.doubtful else "")
        story, known = row.kept.story, is_readable(row.kept)
        score = "{}-{}".format(*story.position.scored)
        result = ending(story.outcome) if story.outcome else row.state
        game = (story.pond.name, light, dark, str(len(story.turns)), score) if known else ("", "", "", "", "")
        marks = "!" if row.kept.fault and known else ""
        cells.append((str(row.number), told, *game, result + marks, printable(row.board)))
    lines = _aligned(cells, max(width, NARROWEST))
    if any(row.doubtful for row in found):
        lines += ["", "?  The clock of the machine may have been wrong. The order is right."]
    if any(row.kept.fault and is_readable(row.kept) for row in found):
        lines += ["", "!  Only the beginning could be read; `pond show-game` says why."]
    return lines


def as_object(row: Row) -> dict[str, object]:
    """A row for a program."""
    kept, story = row.kept, row.kept.story
    ended = story.outcome
    at = game_times.begun_at(kept)
    told: dict[str, object] = {"number": row.number, "uid": kept.uid, "state": row.state, "fault": kept.fault}
    if not is_readable(kept):
        return told
    return told | {
        "begun": at.isoformat() if at else None,
        "clock_may_be_wrong": row.doubtful,
        "date": date_of(kept),
        "seconds": game_times.seconds(kept),
        "variant": story.pond.name,
        "board": row.board or None,
        "light": row.names[Side.LIGHT],
        "dark": row.names[Side.DARK],
        "turns": len(story.turns),
        "taken_back": taken_back(kept),
        "score": {str(side): story.position.scored[side] for side in Side},
        "winner": None if not ended or ended.winner is None else str(ended.winner),
        "reason": ended.reason.value if ended else None,
        "imported": bool(brought_in(kept)),
    }


def _aligned(cells: Sequence[Sequence[str]], width: int) -> list[str]:
    """Columns under each other; what is too long in all is cut where names stand, the longest first."""
    wide = [max(map(count_columns, column)) for column in zip(*cells, strict=True)]
    gap = 2 if sum(wide) + 2 * (len(wide) - 1) <= width else 1
    may_shrink = [2, 3, 4, 8]  # pond, the names, board
    while sum(wide) + gap * (len(wide) - 1) > width:
        longest = max(may_shrink, key=lambda column: wide[column])
        if wide[longest] <= _SHORTEST:
            break
        wide[longest] -= 1
    to_right: Callable[[int], bool] = {0, 5, 6}.__contains__
    padded = (
        [pad_text(cut_text(text, wide[n]), wide[n], right=to_right(n)) for n, text in enumerate(line)] for line in cells
    )
    return [(" " * gap).join(line).rstrip() for line in padded]

"""The games of a journal as a table for people, and as JSON for programs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.commands.time_text import format_beginning
from pond_hw.journal import game_times
from pond_hw.journal.game_list import GameRow
from pond_hw.journal.game_records import brought_in, date_of, taken_back
from pond_hw.messages.columns import align_columns
from pond_hw.messages.terminal_text import printable
from pond_hw.rules import Outcome, Reason, Side

JSON_VERSION = 1
"""The form of the JSON objects; it counts up when a key goes or changes its meaning."""

NARROWEST_TABLE = 60
"""Columns that a table takes at the least, however narrow the window."""

HEADINGS = ("", "when", "pond", "light", "dark", "turns", "score", "result", "board")
SHRINKABLE = [HEADINGS.index(heading) for heading in ("pond", "light", "dark", "board")]


def format_table(rows: Sequence[GameRow], width: int = 80) -> list[str]:
    """The rows as lines, with a line above, and what their signs mean below."""
    lines = align_columns([HEADINGS, *map(_format_cells, rows)], "rllllrrll", max(width, NARROWEST_TABLE), SHRINKABLE)
    if any(row.doubtful for row in rows):
        lines += ["", "?  The clock of the machine may have been wrong. The order is right."]
    if any(row.kept.fault and row.is_readable for row in rows):
        lines += ["", "!  Only the beginning could be read; `pond show-game` says why."]
    return lines


def _format_cells(row: GameRow) -> tuple[str, ...]:
    light, dark = (printable(name) if name else "-" for name in row.names)
    begun = printable(format_beginning(row.kept))[:16] + ("?" if row.doubtful else "")
    story = row.kept.story
    game: tuple[str, ...] = ("", "", "", "", "")
    if row.is_readable:
        game = (story.pond.name, light, dark, str(len(story.turns)), "{}-{}".format(*story.position.scored))
    result = format_outcome(story.outcome) if story.outcome else row.state
    mark = "!" if row.kept.fault and row.is_readable else ""
    return (str(row.number), begun, *game, result + mark, printable(row.board))


def format_outcome(outcome: Outcome) -> str:
    """How a game ended, in a word or two."""
    winner, reason = outcome
    if winner is None:
        return "draw agreed" if reason is Reason.AGREEMENT else "draw"
    if reason is Reason.RESIGNATION:
        return f"{winner.other} resigned"
    return f"{winner.other} is stuck" if reason is Reason.ELIMINATION else f"{winner} won"


def format_row(row: GameRow) -> dict[str, object]:
    """A row for a program."""
    kept, story = row.kept, row.kept.story
    identity: dict[str, object] = {"number": row.number, "uid": kept.uid, "state": row.state, "fault": kept.fault}
    if not row.is_readable:
        return identity
    begun, outcome = game_times.begun_at(kept), story.outcome
    return identity | {
        "begun": begun.isoformat() if begun else None,
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
        "winner": None if not outcome or outcome.winner is None else str(outcome.winner),
        "reason": outcome.reason.value if outcome else None,
        "imported": bool(brought_in(kept)),
    }

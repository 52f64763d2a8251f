"""The games of a journal as a table for people, and as JSON for programs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.journal import game_times
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.game_records import count_taken_back, format_start_date
from pond_hw.messages.columns import align_columns
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import EndReason, Outcome, Side

NARROWEST_TABLE = 60
"""Columns that a table takes at the least, however narrow the window."""

HEADINGS = ("", "when", "pond", "light", "dark", "turns", "score", "result", "board")
SHRINKABLE = [HEADINGS.index(heading) for heading in ("pond", "light", "dark", "board")]


def format_table(games: Sequence[NumberedGame], width: int = 80) -> list[str]:
    """The games as lines, with a line above, and what their signs mean below."""
    lines = align_columns([HEADINGS, *map(_format_cells, games)], "rllllrrll", max(width, NARROWEST_TABLE), SHRINKABLE)
    if any(game.is_doubtful for game in games):
        lines += ["", "?  The clock of the machine may have been wrong. The order is right."]
    if any(game.stored.fault and game.is_readable for game in games):
        lines += ["", "!  Only the beginning could be read; `pond show-game` says why."]
    return lines


def _format_cells(game: NumberedGame) -> tuple[str, ...]:
    light_name, dark_name = (replace_unprintable(name) if name else "-" for name in game.names)
    start_text = game.start_text[:16] + ("?" if game.is_doubtful else "")
    story = game.stored.projection
    cells: tuple[str, ...] = ("", "", "", "", "")
    if game.is_readable:
        cells = (
            story.variant.name,
            light_name,
            dark_name,
            str(len(story.turns)),
            "{}-{}".format(*story.position.scored),
        )
    result_text = format_outcome(story.outcome) if story.outcome else game.state
    mark = "!" if game.stored.fault and game.is_readable else ""
    return (str(game.number), start_text, *cells, result_text + mark, replace_unprintable(game.board))


def format_outcome(outcome: Outcome) -> str:
    """How a game ended, in a word or two."""
    winner, end_reason = outcome
    if winner is None:
        return "draw agreed" if end_reason is EndReason.AGREEMENT else "draw"
    if end_reason is EndReason.RESIGNATION:
        return f"{winner.other_side} resigned"
    return f"{winner.other_side} is stuck" if end_reason is EndReason.ELIMINATION else f"{winner} won"


def format_game(game: NumberedGame) -> dict[str, object]:
    """A game for a program."""
    kept, game_story = game.stored, game.stored.projection
    json_object: dict[str, object] = {"number": game.number, "uid": kept.uid, "state": game.state, "fault": kept.fault}
    if not game.is_readable:
        return json_object
    start_instant, outcome = game.start_instant, game_story.outcome
    return json_object | {
        "begun": start_instant.isoformat() if start_instant else None,
        "clock_may_be_wrong": game.is_doubtful,
        "date": format_start_date(kept),
        "seconds": game_times.playing_seconds(kept),
        "variant": game_story.variant.name,
        "board": game.board or None,
        "light": game.names[Side.LIGHT],
        "dark": game.names[Side.DARK],
        "turns": len(game_story.turns),
        "taken_back": count_taken_back(kept),
        "score": {str(side): game_story.position.scored[side] for side in Side},
        "winner": None if not outcome or outcome.winner is None else str(outcome.winner),
        "reason": outcome.reason.value if outcome else None,
        "imported": game.is_imported,
    }

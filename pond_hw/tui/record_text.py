"""What stands beside the board of a game that is gone through. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import NamedTuple

from textual.content import Content

from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.engine.analysis import Mistake, MoveReview, actions_to_end
from pond_hw.engine.analysis_json import ANALYSIS_COMMENT
from pond_hw.engine.analysis_text import explain_mistake, format_pieces, format_remark, format_value, pair_number
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import LIGHT, Record, Side
from pond_hw.session import View, format_outcome, format_turn
from pond_hw.tui.record_steps import RecordSteps
from pond_hw.tui.status_text import format_side
from pond_hw.tui.style import POND_THEME, QUIET_COLOUR

MISTAKE_SIGNS = {Mistake.NONE: "", Mistake.SLIP: "?!", Mistake.MISTAKE: "?", Mistake.BLUNDER: "??"}
"""What stands behind an action in the list."""

MIN_VALUES_COLUMNS = 34
"""Columns of the list of actions with their values."""

MIN_LIST_ROWS = 5
"""Rows that are kept for the list of actions."""

LEAST_IF_LOW = 3
"""The same beside words that need more room than `LOW_VOLTAGE_BIT` rows leave them."""

LOW = 19
"""Rows of words and list together, at the most, of a low window: one of 62 x 20, and not one of 80 x 24."""

KEY_HELP = """\
[b]Going through a game[/b]

  ← →            a turn back, a turn forth
  PgUp, PgDn     ten turns
  Home, End      the beginning, the end
  12 Enter       the turn with this number; Esc: never mind
  Space          it plays by itself; again: it stops
  ↑ ↓            scroll a long comment
  a              what each action was worth; again: no more of that
  q, Ctrl-C      leave

On the board, [ ] is the piece that acted, ( ) what grew beside it, and ^ ^ what scored, which has left the board. The \
lamps show what is there.

[b]What actions were worth[/b]

The number behind an action tells how many pieces light is ahead, if both go on as well as they can; with a minus, \
dark is. L in 5: light wins for sure, after five more actions of both. Behind an action, ?! is a slip that gives away \
half a piece or more, ? a mistake (a piece), ?? a blunder (two pieces, or a win). Bold in another colour are the \
turning points. `pond analyse` prints the same, and more.

[b]How the lamps speak[/b]
"""


class PlayerName(NamedTuple):
    """What somebody who played is called."""

    name: str


class StepStatus(NamedTuple):
    """A game where it stands, as `tui.words` tells it."""

    view: View
    players: tuple[PlayerName | None, PlayerName | None]
    names: PlayerNames = UNNAMED_PLAYERS

    def now(self) -> float:
        """Nothing waits for a clock here."""
        return 0.0


def player_names(record: Record) -> tuple[PlayerName | None, PlayerName | None]:
    """Who played light and dark, as far as the record tells."""
    light, dark = (replace_unprintable(record.tags.get(str(side).capitalize(), "")).strip() for side in Side)
    return (PlayerName(light) if light else None), (PlayerName(dark) if dark else None)


def format_step(steps: RecordSteps, judged: Mapping[int, MoveReview], state: str, width: int, height: int) -> Content:
    """Where one is, the score, the turn that was taken last, what was remarked, and what it was worth.

    Args:
        steps: where one is.
        judged: what is known of actions, by how many came before.
        state: what else goes on, in a few words.
        width: columns.
        height: rows, those of the list of actions too: where they are few, paragraphs stand closer together.
    """
    width = max(20, width)  # in a window that shows a sentence instead there are none
    view, record, turn = steps.view, steps.record, steps.last_turn
    played = StepStatus(view, player_names(record))
    head = Content.assemble((f"Turn {steps.turns_taken} of {steps.turn_count}", "bold"), f"  {state}" if state else "")
    parts = [head, Content("\n").join(format_side(played, side, width) for side in Side)]
    if turn:
        said = [Content(format_turn(turn))]
    else:
        said = [Content(f"The {record.variant} pond, {'set up by hand' if record.custom_start else 'empty'}.")]
    if steps.turns_taken == steps.turn_count:
        ended = view.outcome
        told = format_outcome(ended, view.position) if ended else "The record ends here; the game goes on."
        said.append(Content.assemble((told, "bold")))
    each = judged.get(steps.turns_taken - 1)
    if each and turn and turn.outcome and not each.mistake_grade:
        each = None  # the outcome tells it
    if each:
        said.append(_format_worth(record, steps.turns_taken - 1, each))
    parts.append(Content("\n").join(said))
    room = height - MIN_LIST_ROWS - 1  # and an empty row above the list
    text = Content("\n\n").join(parts)
    if count_rows(text, width) > room:
        text = Content("\n").join(parts)
    if count_rows(text, width) > room and each:
        said[-1] = _format_short_worth(each)
        text = Content("\n").join((*parts[:-1], *said))
    if comment := replace_unprintable(ANALYSIS_COMMENT.sub("", record.comments.get(steps.turns_taken, ""))):
        text = Content.assemble(text, "\n", ("\n".join(wrap(comment, width)), f"italic {QUIET_COLOUR}"))
    return text


def count_rows(text: Content, width: int) -> int:
    """How many rows a text takes."""
    return sum(max(1, len(wrap(line, max(1, width)))) for line in text.plain.split("\n"))


def _format_worth(record: Record, n: int, judged: MoveReview) -> Content:
    if judged.is_turning_point:
        told = explain_mistake(record, n, judged).partition(" ")[2]
        return Content.assemble((f"Turning point ({format_value(judged)}): ", f"bold {POND_THEME.primary}"), told)
    return _format_short_worth(judged)


def _format_short_worth(judged: MoveReview) -> Content:
    told = format_remark(judged)
    return Content.assemble("Value: ", (format_value(judged), "bold"), f", {told}" if told else "")


def format_actions(record: Record, at: int, judged: Mapping[int, MoveReview], wide: int, high: int) -> Content:
    """The actions, a pair to a line: as many lines as there is room for, with the present one among them.

    Args:
        record: of the game.
        at: how many turns have been taken where one is.
        judged: what is known of actions, by how many came before.
        wide: columns; where they are too few, no values are told.
        high: rows.
    """
    values = wide >= MIN_VALUES_COLUMNS
    lines = list[list[Content]]()
    present = 0
    for n in range(len(record.turns)):
        if not lines or not (n + record.start_position.to_move) % 2:
            lines.append([Content(f"{pair_number(record, n):>3}. ")])
            if record.start_position.to_move and not n:
                lines[-1].append(Content(f"{'...':<{14 if values else 6}} "))
        if n == max(0, at - 1):
            present = len(lines) - 1
        if len(lines[-1]) == 2 and lines[-1][1].plain[0] != ".":
            lines[-1].append(Content(" "))
        lines[-1].append(_format_action(record, n, judged.get(n), here=n == at - 1, valued=values))
    first = min(max(0, present - high // 2), max(0, len(lines) - high))
    return Content("\n").join(Content("").join(line) for line in lines[first : first + high])


def _format_action(record: Record, n: int, judged: MoveReview | None, *, here: bool, valued: bool) -> Content:
    """An action in six columns: what it was, and how bad; if it is `valued`, in eight more what it was worth."""
    turning = judged is not None and judged.is_turning_point
    sign, worth = (MISTAKE_SIGNS[judged.mistake_grade], format_short_worth(judged)) if judged else ("", "")
    style = " ".join(filter(None, ("reverse" if here else "", f"bold {POND_THEME.primary}" if turning else "")))
    action = f"{record.turns[n].action}{sign}"
    return Content.assemble((action, style), " " * (6 - len(action)), (f" {worth:>7}" if valued else "", QUIET_COLOUR))


def format_short_worth(judged: MoveReview) -> str:
    """What an action was worth, in seven columns at the most: `+1.3`, `L in 12`, `D won`."""
    worth = judged.value_for_light(judged.value)
    if abs(worth) < SURE_VALUE:
        return format_pieces(worth)
    more = actions_to_end(worth)
    return f"{str(LIGHT if worth > 0 else LIGHT.other_side)[0].upper()} {f'in {more}' if more else 'won'}"


def format_activity(steps: RecordSteps, typed: str, done: int, *, asked: bool, complaint: str) -> str:
    """What else goes on: where somebody is about to go, whether the game plays, how far the analysis is."""
    if typed:
        return f"go to {typed}_"
    analysed = f"analysed {done}" if asked and done < steps.turn_count else ""
    return ", ".join(filter(None, ("playing" if steps.is_playing else "", complaint or analysed)))

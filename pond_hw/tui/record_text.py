"""What stands beside the board of a game that is gone through. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import NamedTuple

from textual.content import Content

from pond_hw.engine import NAMELESS, Names
from pond_hw.engine.analysis import Fault, Judged, left
from pond_hw.engine.analysis_json import OURS
from pond_hw.engine.analysis_text import pair, pieces, remark, sentence, value
from pond_hw.engine.packed import SURE
from pond_hw.messages.terminal_text import printable
from pond_hw.rules import LIGHT, Record, Side
from pond_hw.session import Session, tell_outcome, tell_turn
from pond_hw.tui.record_steps import Steps
from pond_hw.tui.status_text import tell_side
from pond_hw.tui.style import QUIET, THEME

SIGNS = {Fault.NONE: "", Fault.SLIP: "?!", Fault.MISTAKE: "?", Fault.BLUNDER: "??"}
"""What stands behind an action in the list."""

WIDE = 34
"""Columns of the list of actions with their values."""

LEAST = 5
"""Rows that are kept for the list of actions."""

LEAST_IF_LOW = 3
"""The same beside words that need more room than `LOW` rows leave them."""

LOW = 19
"""Rows of words and list together, at the most, of a low window: one of 62 x 20, and not one of 80 x 24."""

KEYS = """\
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


class Name(NamedTuple):
    """What somebody who played is called."""

    name: str


class Played(NamedTuple):
    """A game where it stands, as `tui.words` tells it."""

    session: Session
    players: tuple[Name | None, Name | None]
    names: Names = NAMELESS

    def now(self) -> float:
        """Nothing waits for a clock here."""
        return 0.0


def names(record: Record) -> tuple[Name | None, Name | None]:
    """Who played light and dark, as far as the record tells."""
    light, dark = (printable(record.tags.get(str(side).capitalize(), "")).strip() for side in Side)
    return (Name(light) if light else None), (Name(dark) if dark else None)


def tell(steps: Steps, judged: Mapping[int, Judged], state: str, width: int, height: int) -> Content:
    """Where one is, the score, the turn that was taken last, what was remarked, and what it was worth.

    Args:
        steps: where one is.
        judged: what is known of actions, by how many came before.
        state: what else goes on, in a few words.
        width: columns.
        height: rows, those of the list of actions too: where they are few, paragraphs stand closer together.
    """
    width = max(20, width)  # in a window that shows a sentence instead there are none
    session, record, turn = steps.session, steps.record, steps.turn
    played = Played(session, names(record))
    head = Content.assemble((f"Turn {steps.at} of {steps.last}", "bold"), f"  {state}" if state else "")
    parts = [head, Content("\n").join(tell_side(played, side, width) for side in Side)]
    if turn:
        said = [Content(tell_turn(turn))]
    else:
        said = [Content(f"The {record.pond} pond, {'set up by hand' if record.start else 'empty'}.")]
    if steps.at == steps.last:
        ended = session.outcome
        told = tell_outcome(ended, session.position) if ended else "The record ends here; the game goes on."
        said.append(Content.assemble((told, "bold")))
    each = judged.get(steps.at - 1)
    if each and turn and turn.outcome and not each.fault:
        each = None  # the outcome tells it
    if each:
        said.append(_worth(record, steps.at - 1, each))
    parts.append(Content("\n").join(said))
    room = height - LEAST - 1  # and an empty row above the list
    text = Content("\n\n").join(parts)
    if rows(text, width) > room:
        text = Content("\n").join(parts)
    if rows(text, width) > room and each:
        said[-1] = _worth_in_short(each)
        text = Content("\n").join((*parts[:-1], *said))
    if comment := printable(OURS.sub("", record.comments.get(steps.at, ""))):
        text = Content.assemble(text, "\n", ("\n".join(wrap(comment, width)), f"italic {QUIET}"))
    return text


def rows(text: Content, width: int) -> int:
    """How many rows a text takes."""
    return sum(max(1, len(wrap(line, max(1, width)))) for line in text.plain.split("\n"))


def _worth(record: Record, n: int, judged: Judged) -> Content:
    if judged.turning:
        told = sentence(record, n, judged).partition(" ")[2]
        return Content.assemble((f"Turning point ({value(judged)}): ", f"bold {THEME.primary}"), told)
    return _worth_in_short(judged)


def _worth_in_short(judged: Judged) -> Content:
    told = remark(judged)
    return Content.assemble("Value: ", (value(judged), "bold"), f", {told}" if told else "")


def table(record: Record, at: int, judged: Mapping[int, Judged], wide: int, high: int) -> Content:
    """The actions, a pair to a line: as many lines as there is room for, with the present one among them.

    Args:
        record: of the game.
        at: how many turns have been taken where one is.
        judged: what is known of actions, by how many came before.
        wide: columns; where they are too few, no values are told.
        high: rows.
    """
    values = wide >= WIDE
    lines = list[list[Content]]()
    present = 0
    for n in range(len(record.turns)):
        if not lines or not (n + record.start_position.to_move) % 2:
            lines.append([Content(f"{pair(record, n):>3}. ")])
            if record.start_position.to_move and not n:
                lines[-1].append(Content(f"{'...':<{14 if values else 6}} "))
        if n == max(0, at - 1):
            present = len(lines) - 1
        if len(lines[-1]) == 2 and lines[-1][1].plain[0] != ".":
            lines[-1].append(Content(" "))
        lines[-1].append(_action(record, n, judged.get(n), here=n == at - 1, valued=values))
    first = min(max(0, present - high // 2), max(0, len(lines) - high))
    return Content("\n").join(Content("").join(line) for line in lines[first : first + high])


def _action(record: Record, n: int, judged: Judged | None, *, here: bool, valued: bool) -> Content:
    """An action in six columns: what it was, and how bad; if it is `valued`, in eight more what it was worth."""
    turning = judged is not None and judged.turning
    sign, worth = (SIGNS[judged.fault], short(judged)) if judged else ("", "")
    style = " ".join(filter(None, ("reverse" if here else "", f"bold {THEME.primary}" if turning else "")))
    action = f"{record.turns[n].action}{sign}"
    return Content.assemble((action, style), " " * (6 - len(action)), (f" {worth:>7}" if valued else "", QUIET))


def short(judged: Judged) -> str:
    """What an action was worth, in seven columns at the most: `+1.3`, `L in 12`, `D won`."""
    worth = judged.to_light(judged.value)
    if abs(worth) < SURE:
        return pieces(worth)
    more = left(worth)
    return f"{str(LIGHT if worth > 0 else LIGHT.other)[0].upper()} {f'in {more}' if more else 'won'}"


def state(steps: Steps, typed: str, done: int, *, asked: bool, complaint: str) -> str:
    """What else goes on: where somebody is about to go, whether the game plays, how far the analysis is."""
    if typed:
        return f"go to {typed}_"
    analysed = f"analysed {done}" if asked and done < steps.last else ""
    return ", ".join(filter(None, ("playing" if steps.playing else "", complaint or analysed)))

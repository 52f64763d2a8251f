"""What stands beside the board of a game that is gone through. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import NamedTuple

from textual.content import Content

from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.engine.analysis import ANALYSIS_COMMENT, Mistake, MoveReview, actions_to_end
from pond_hw.engine.analysis_text import explain_mistake, format_pieces, format_remark, format_value, pair_number
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import LIGHT, Record, Side
from pond_hw.session import View, format_outcome, format_turn
from pond_hw.tui.record_steps import RecordSteps
from pond_hw.tui.status_text import count_rows, format_side
from pond_hw.tui.style import POND_THEME, QUIET_COLOUR

MISTAKE_SIGNS = {Mistake.NONE: "", Mistake.SLIP: "?!", Mistake.MISTAKE: "?", Mistake.BLUNDER: "??"}
"""What stands behind an action in the list."""

MIN_VALUES_COLUMNS = 34
"""Columns of the list of actions with their values."""

MIN_LIST_ROWS = 5
"""Rows that are kept for the list of actions."""

LEAST_IF_LOW = 3
"""The same beside words that need more room than `LOW` rows leave them."""

LOW = 19
"""Rows of words and list together, at the most, of a low window: one of 62 x 20, and not one of 80 x 24."""


class PlayerName(NamedTuple):
    """What somebody who played is called."""

    name: str


class StepStatus(NamedTuple):
    """A game where it stands, as `status_text` tells it."""

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


def format_step(
    steps: RecordSteps, move_reviews: Mapping[int, MoveReview], state_text: str, width: int, row_count: int
) -> Content:
    """Where one is, the score, the turn that was taken last, what was remarked, and what it was worth.

    Args:
        steps: where one is.
        move_reviews: what is known of actions, by how many came before.
        state_text: what else goes on, in a few words.
        width: columns.
        row_count: rows, those of the list of actions too: where they are few, paragraphs stand closer together.
    """
    width = max(20, width)  # in a window that shows a sentence instead there are none
    record, turn = steps.record, steps.last_turn
    step_status = StepStatus(steps.view, player_names(record))
    head = Content.assemble(
        (f"Turn {steps.turns_taken} of {steps.turn_count}", "bold"), f"  {state_text}" if state_text else ""
    )
    sides = Content("\n").join(format_side(step_status, side, width) for side in Side)
    step = _describe_step(steps)
    review = move_reviews.get(steps.turns_taken - 1)
    if review and turn and turn.outcome and not review.mistake_grade:
        review = None  # the outcome tells it
    worth = [_format_worth(record, steps.turns_taken - 1, review)] if review else []
    layouts = [
        Content("\n\n").join([head, sides, Content("\n").join([*step, *worth])]),
        Content("\n").join([head, sides, *step, *worth]),
    ]
    if review:
        layouts.append(Content("\n").join([head, sides, *step, _format_short_worth(review)]))
    free_rows = row_count - MIN_LIST_ROWS - 1  # and an empty row above the list
    text = next((layout for layout in layouts if count_rows(layout, width) <= free_rows), layouts[-1])
    if comment := replace_unprintable(ANALYSIS_COMMENT.sub("", record.comments.get(steps.turns_taken, ""))):
        text = Content.assemble(text, "\n", ("\n".join(wrap(comment, width)), f"italic {QUIET_COLOUR}"))
    return text


def _describe_step(steps: RecordSteps) -> list[Content]:
    """The turn that was taken last, and at the end how the game ended."""
    record, turn = steps.record, steps.last_turn
    start = f"The {record.variant} pond, {'set up by hand' if record.custom_start else 'empty'}."
    text_lines = [Content(format_turn(turn) if turn else start)]
    if steps.turns_taken == steps.turn_count:
        position, outcome = steps.view.position, steps.view.outcome
        ending = format_outcome(outcome, position) if outcome else "The record ends here; the game goes on."
        text_lines.append(Content.assemble((ending, "bold")))
    return text_lines


def _format_worth(record: Record, n: int, judged: MoveReview) -> Content:
    if judged.is_turning_point:
        told = explain_mistake(record, n, judged).partition(" ")[2]
        return Content.assemble((f"Turning point ({format_value(judged)}): ", f"bold {POND_THEME.primary}"), told)
    return _format_short_worth(judged)


def _format_short_worth(move_review: MoveReview) -> Content:
    remark_text = format_remark(move_review)
    return Content.assemble("Value: ", (format_value(move_review), "bold"), f", {remark_text}" if remark_text else "")


def format_actions(record: Record, at: int, move_reviews: Mapping[int, MoveReview], wide: int, high: int) -> Content:
    """The actions, a pair to a line: as many lines as there is room for, with the present one among them.

    Args:
        record: of the game.
        at: how many turns have been taken where one is.
        move_reviews: what is known of actions, by how many came before.
        wide: columns; where they are too few, no values are told.
        high: rows.
    """
    has_values = wide >= MIN_VALUES_COLUMNS
    lines = list[list[Content]]()
    present = 0
    for n in range(len(record.turns)):
        if not lines or not (n + record.start_position.to_move) % 2:
            lines.append([Content(f"{pair_number(record, n):>3}. ")])
            if record.start_position.to_move and not n:
                lines[-1].append(Content(f"{'...':<{14 if has_values else 6}} "))
        if n == max(0, at - 1):
            present = len(lines) - 1
        if len(lines[-1]) == 2 and lines[-1][1].plain[0] != ".":
            lines[-1].append(Content(" "))
        lines[-1].append(_format_action(record, n, move_reviews.get(n), is_here=n == at - 1, valued=has_values))
    first_line = min(max(0, present - high // 2), max(0, len(lines) - high))
    return Content("\n").join(Content("").join(text_line) for text_line in lines[first_line : first_line + high])


def _format_action(record: Record, n: int, judged: MoveReview | None, *, is_here: bool, valued: bool) -> Content:
    """An action in six columns: what it was, and how bad; if it is `valued`, in eight more what it was worth."""
    turning = judged is not None and judged.is_turning_point
    sign, worth = (MISTAKE_SIGNS[judged.mistake_grade], format_short_worth(judged)) if judged else ("", "")
    style = " ".join(filter(None, ("reverse" if is_here else "", f"bold {POND_THEME.primary}" if turning else "")))
    action = f"{record.turns[n].action}{sign}"
    return Content.assemble((action, style), " " * (6 - len(action)), (f" {worth:>7}" if valued else "", QUIET_COLOUR))


def format_short_worth(move_review: MoveReview) -> str:
    """What an action was worth, in seven columns at the most: `+1.3`, `L in 12`, `D won`."""
    worth = move_review.value_for_light(move_review.value)
    if abs(worth) < SURE_VALUE:
        return format_pieces(worth)
    more = actions_to_end(worth)
    return f"{str(LIGHT if worth > 0 else LIGHT.other_side)[0].upper()} {f'in {more}' if more else 'won'}"


def format_activity(steps: RecordSteps, typed: str, analysed_count: int, *, asked: bool, complaint: str) -> str:
    """What else goes on: where somebody is about to go, whether the game plays, how far the analysis is."""
    if typed:
        return f"go to {typed}_"
    analysis_text = f"analysed {analysed_count}" if asked and analysed_count < steps.turn_count else ""
    return ", ".join(filter(None, ("playing" if steps.is_playing else "", complaint or analysis_text)))

"""Text for reviewed games: the current turn, the list of actions with their values, and a summary of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from textual.content import Content

from pond_hw.engine.analysis import Mistake
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.player_name import name_players
from pond_hw.engine.reviewed_game import ANALYSIS_COMMENT, ReviewedGame, ReviewedTurn, pair_number
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import pad_text, replace_unprintable
from pond_hw.rules import Action, Side
from pond_hw.session import View, describe_outcome, describe_turn
from pond_hw.tui.colours import POND_THEME, QUIET_COLOUR
from pond_hw.tui.status_text import Paragraph, Phrase, count_rows, format_paragraph, format_side

MISTAKE_SIGNS = {Mistake.NONE: "", Mistake.SLIP: "?!", Mistake.MISTAKE: "?", Mistake.BLUNDER: "??"}
"""Sign that follows an action in the list, by grade of mistake."""

MIN_VALUES_COLUMNS = 34  # columns of the list with values

MIN_LIST_ROWS = 5  # rows reserved for the list of actions

MIN_LIST_ROWS_IF_SHORT = 3  # rows reserved for the list in a short window

MAX_SHORT_ROWS = 19  # rows of text and list in a short window: 62 x 20 is short, 80 x 24 is not

HEADING_ROWS = 2  # rows above the list of actions


def format_step(
    game: ReviewedGame, view: View, activity: Sequence[Message], catalogue: Catalogue, width: int, row_count: int
) -> Content:
    """Format the current turn: its number, the score, events, value and comment.

    `activity` is shown after the number of the turn. If there is little room above the list of actions, leave out the
    empty lines between paragraphs.
    """
    width = max(20, width)  # the width is 0 if the window is too small and shows only a notice
    record, turns_taken = game.record, len(view.turns)
    place = Message("record_screen.turn", turn=turns_taken, turns=len(record.turns))
    head = format_paragraph([Phrase([place], "bold"), Phrase(activity)], catalogue)
    players = name_players(record.tags.get("Light"), record.tags.get("Dark"))
    sides, short_sides = (
        Content("\n").join(
            format_side(view, side, players[side], catalogue, width, has_legend=has_legend) for side in Side
        )
        for has_legend in (True, False)
    )
    step = [format_paragraph([phrase], catalogue) for phrase in _describe_step(game, view)]
    values = _describe_value(game.turns[turns_taken - 1]) if 0 < turns_taken <= len(game.turns) else []
    steps_with_value = [[*step, format_paragraph(worth, catalogue)] for worth in values] or [step]
    layouts = [Content("\n\n").join([head, sides, Content("\n").join(steps_with_value[0])])]
    layouts += [
        Content("\n").join([head, some_sides, *step_with_value])
        for step_with_value in steps_with_value
        for some_sides in (sides, short_sides)
    ]
    free_rows = row_count - MIN_LIST_ROWS - 1  # there is an empty row above the list
    text = next((layout for layout in layouts if count_rows(layout, width) <= free_rows), layouts[-1])
    if comment := replace_unprintable(ANALYSIS_COMMENT.sub("", record.comments.get(turns_taken, ""))):
        text = Content.assemble(text, "\n", ("\n".join(wrap(comment, width)), f"italic {QUIET_COLOUR}"))
    return text


def _describe_step(game: ReviewedGame, view: View) -> Iterator[Phrase]:
    """Describe the last turn and, at the end of the game, the outcome."""
    record = game.record
    start = Message(f"record_screen.start.{'set_up' if record.custom_start else 'empty'}", variant=record.variant.name)
    yield Phrase(describe_turn(view.turns[-1]) if view.turns else [start])
    if len(view.turns) == len(record.turns):
        outcome, position = view.outcome, view.position
        yield Phrase([describe_outcome(outcome, position) if outcome else Message("record_screen.unfinished")], "bold")


def _describe_value(turn: ReviewedTurn) -> list[Paragraph]:
    """Describe the value of an action. For a turning point, return several versions, the longest first.

    Return an empty list for a good action that ended the game, because the outcome shows its value.
    """
    if turn.record.turns[turn.index].outcome and not turn.review.mistake_grade:
        return []
    worth = Message("record_screen.worth", worth=turn.value)
    short: Paragraph = (Phrase([worth], "bold"), Phrase([turn.remark] if turn.remark else ()))
    if not turn.review.is_turning_point:
        return [short]
    title = Phrase([Message("record_screen.turning_point", worth=turn.value)], f"bold {POND_THEME.primary}")
    mistake, better, *sets = turn.explanation
    return [(title, Phrase((mistake, better, *sets))), (title, Phrase((mistake, better))), short]


def format_actions(game: ReviewedGame, turns_taken: int, catalogue: Catalogue, width: int, row_count: int) -> Content:
    """Format the actions in pairs, as many lines as fit around the current action. Only a wide list shows values."""
    record, has_values = game.record, width >= MIN_VALUES_COLUMNS
    lines = list[list[Content]]()
    present = 0
    for index, (turn, reviewed) in enumerate(zip_longest(record.turns, game.turns)):
        if not lines or not (index + record.start_position.to_move) % 2:
            lines.append([Content(f"{pair_number(record, index):>3}. ")])
            if record.start_position.to_move and not index:
                lines[-1].append(Content(f"{'...':<{14 if has_values else 6}} "))
        if index == max(0, turns_taken - 1):
            present = len(lines) - 1
        if len(lines[-1]) == 2 and lines[-1][1].plain[0] != ".":
            lines[-1].append(Content(" "))
        worth = catalogue.text(reviewed.short_value) if reviewed and has_values else ""
        action = _format_action(turn.action, reviewed, is_current=index == turns_taken - 1)
        lines[-1].append(
            Content.assemble(action, (f" {pad_text(worth, 7, right=True)}", QUIET_COLOUR) if has_values else "")
        )
    first_line = min(max(0, present - row_count // 2), max(0, len(lines) - row_count))
    return Content("\n").join(Content("").join(text_line) for text_line in lines[first_line : first_line + row_count])


def _format_action(action: Action, turn: ReviewedTurn | None, *, is_current: bool) -> Content:
    """Format an action and its mistake sign, padded to six columns."""
    turning = turn is not None and turn.review.is_turning_point
    style = " ".join(filter(None, ("reverse" if is_current else "", f"bold {POND_THEME.primary}" if turning else "")))
    text = f"{action}{MISTAKE_SIGNS[turn.review.mistake_grade] if turn else ''}"
    return Content.assemble((text, style), " " * (6 - len(text)))


def format_moves(game: ReviewedGame, catalogue: Catalogue, width: int, row_count: int) -> Content:
    """Format the latest actions of the current game, two per line. Return an empty text before the first action."""
    if not game.record.turns or row_count <= HEADING_ROWS:
        return Content("")
    signs = [Message("moves.signs")] if game.turns else []
    head = format_paragraph([Phrase([Message("moves.title")], "bold"), Phrase(signs)], catalogue)
    actions = format_actions(game, len(game.record.turns), catalogue, width, row_count - HEADING_ROWS)
    return Content.assemble(head, "\n\n", actions)


def describe_review(review: BackgroundReview) -> tuple[tuple[Message, ...], ...]:
    """Summarize a game in paragraphs, the most important first. While the review is running, describe its progress."""
    game = review.game
    if review.is_running:
        return ((Message("review.running", done=len(game.turns), actions=len(game.record.turns)),),)
    if not game.is_complete:
        return ()
    worst = sorted(game.worst_turning_points, key=lambda turn: -turn.review.value_loss)
    return (
        (Message("review.how_it_went"), *game.decision),
        *(turn.turning_point for turn in worst),
        *game.summaries,
    )

"""Text beside the board: score, side to move, possible actions and events.

A paragraph is a sequence of phrases. Their messages are translated in this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from textwrap import wrap
from time import time
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from pond_hw.engine import PlayerNames
from pond_hw.engine.player_name import name_player
from pond_hw.exercises import LESSONS_COURSE
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.messages.terminal_text import count_columns
from pond_hw.rules import Action, Cell, IllegalAction, Side, Turn, play
from pond_hw.session import (
    ExerciseView,
    LinkView,
    OccupancyView,
    View,
    describe_game,
    describe_hand_tasks,
    describe_link,
    describe_outcome,
    describe_preview,
    describe_request,
    describe_turn,
    prompt_turn,
)
from pond_hw.tui.colours import QUIET_COLOUR, side_colour
from pond_hw.tui.hand import VisiblePiece

if TYPE_CHECKING:
    from pond_hw.tui.hand_app import GameTable

PIP, NO_PIP = "●", "○"

REFUSED = as_message("!")  # prefix of a refusal


def list_acting_programs(table: GameTable) -> PlayerNames:
    """Return the programs that currently play light and dark, which may be those of an exercise."""
    exercise = table.view.exercise
    return exercise.program_names if exercise else table.program_names


class Phrase(NamedTuple):
    """Part of a paragraph in a single style."""

    messages: Iterable[Message]
    style: str = ""


Paragraph = Sequence[Phrase]


def format_paragraph(paragraph: Paragraph, catalogue: Catalogue) -> Content:
    texts = [(catalogue.text(messages), style) for messages, style in paragraph]
    return Content(" ").join(Content.styled(text, style) for text, style in texts if text)


def preview_turn(table: GameTable, cell: Cell) -> Turn | None:
    """Return the turn that would result from acting on a cell: moving the chosen piece there, or placing an egg.

    Return None if the action is illegal, or if previews are not available at the moment.
    """
    view = table.view
    asks_person = list_acting_programs(table)[view.position.to_move] is None
    if view.game_phase not in ("act", "take_off", "in_hand") or not asks_person or view.explain_no_advice():
        return None
    try:
        return play(view.position, Action(view.in_hand, cell))
    except IllegalAction:
        return None


def format_status(
    table: GameTable,
    catalogue: Catalogue,
    column_count: int,
    row_count: int | None = None,
    *,
    preview: bool = False,
    previewed_turn: Turn | None = None,
    review: Sequence[Sequence[Message]] = (),
) -> Content:
    """Format the whole status. The least important paragraphs are dropped if they do not fit.

    Args:
        table: table to describe.
        catalogue: catalogue of the user's language.
        column_count: number of columns.
        row_count: number of rows, or None for no limit.
        preview: True to describe the result of a possible turn.
        previewed_turn: turn to preview.
        review: review of a finished game, as paragraphs. The first one is always shown.
    """
    view = table.view
    heading = _format_heading(view, catalogue)
    sides, short_sides = (
        _format_sides(table, catalogue, column_count, has_legend=has_legend) for has_legend in (True, False)
    )
    lasting = [
        format_paragraph(paragraph, catalogue) for paragraph in _list_paragraphs(table, previewed_turn, preview=preview)
    ]
    last_turn = [
        format_paragraph([Phrase([Message("status.last_turn")], "bold"), Phrase(describe_turn(turn))], catalogue)
        for turn in view.turns[-1:]
    ]

    def fits(text: Content) -> bool:
        return row_count is None or count_rows(text, column_count) <= row_count

    def join_loosely(rest: Sequence[Content]) -> Content:
        return Content("\n\n").join([heading, sides, *lasting, *last_turn, *rest])

    reviews = [Content(catalogue.text(messages)) for messages in review]
    rest = [Content.styled(catalogue.text(message), "bold") for message in _describe_masked(view.occupancy)]
    rest += reviews[:1]
    for paragraph in reviews[1:]:
        if not fits(join_loosely([*rest, paragraph])):
            break
        rest.append(paragraph)
    title = [heading] if view.exercise else []
    layouts = [[*title, each, *lasting, *last_turn, *rest] for each in (sides, short_sides)]
    if preview or view.hint is not None:
        layouts.append([*title, short_sides, *lasting, *rest])
    texts = [join_loosely(rest), *(Content("\n").join(layout) for layout in layouts)]
    return next((text for text in texts if fits(text)), texts[-1])


def _format_heading(view: View, catalogue: Catalogue) -> Content:
    """Format the title of the exercise, or the variant and its goal."""
    if view.exercise:
        return format_paragraph([Phrase([_describe_exercise(view.exercise)], "bold")], catalogue)
    pond = view.variant
    pond_line = Message("status.pond", variant=pond.name, size=pond.size, target=pond.target)
    return Content("\n".join(map(catalogue.text, (pond_line, Message("status.goal")))))


def _format_sides(table: GameTable, catalogue: Catalogue, column_count: int, *, has_legend: bool) -> Content:
    """Format both sides. Most exercises have no players to show."""
    view, programs = table.view, list_acting_programs(table)
    players: list[Message | None] = [name_player(*names) for names in zip(programs, table.names, strict=True)]
    if view.exercise and view.exercise.answering_side is not None:
        players[view.exercise.answering_side] = Message("player.exercise")
    elif view.exercise and not any(programs):
        players = [None, None]
    return Content("\n").join(
        format_side(view, side, players[side], catalogue, column_count, has_legend=has_legend) for side in Side
    )


def _list_paragraphs(table: GameTable, previewed_turn: Turn | None, *, preview: bool) -> list[Paragraph]:
    """Return the paragraphs that are never dropped."""
    view = table.view
    paragraphs = [_describe_situation(table)]
    if view.link:
        paragraphs.append(_describe_link(view.link, list_link_messages(table)))
    if table.is_first_visit and not view.turns and not view.exercise:
        paragraphs.insert(0, [Phrase([Message("status.welcome")], "bold")])
    if view.exercise:
        paragraphs.append([Phrase([Message("status.exercise_keys")], QUIET_COLOUR)])
    if preview and not view.outcome and list_acting_programs(table)[view.position.to_move] is None:
        paragraphs.append(_describe_what_if(view, previewed_turn))
    return paragraphs


def list_link_messages(table: GameTable) -> list[Message]:
    """Describe the link to another home at this moment, without what the session's messages say."""
    view = table.view
    if view.link is None:
        return []
    return [message for message in describe_link(view.link, time()) if message not in view.messages]


def _describe_link(link: LinkView, messages: Sequence[Message]) -> Paragraph:
    """Describe the link and what the other home asks."""
    asks = [describe_request(request) for request in link.requests] if link.running else []
    is_asked = link.running and (asks or (link.question and link.question.is_mine))
    return [
        Phrase(messages, QUIET_COLOUR),
        Phrase((*asks, *([Message("status.how_to_answer")] if is_asked else [])), "bold"),
    ]


def _describe_what_if(view: View, previewed_turn: Turn | None) -> Paragraph:
    how_to_ask = Message("status.choose_target" if view.in_hand else "status.choose_cell")
    answer = describe_preview(previewed_turn) if previewed_turn else (view.explain_no_advice() or how_to_ask,)
    return Phrase([Message("status.what_if")], "bold"), Phrase(answer)


def _describe_masked(occupancy: OccupancyView | None) -> list[Message]:
    """Return a message that names the masked sensors, or an empty list."""
    if not occupancy or not occupancy.masked_cells:
        return []
    cells = tuple(sorted(occupancy.masked_cells))
    return [Message("status.masked", cells=cells, count=len(cells))]


def count_rows(text: Content, column_count: int) -> int:
    """Return the number of rows that a text needs when wrapped."""
    return sum(max(1, len(wrap(text_line, max(1, column_count)))) for text_line in text.plain.split("\n"))


def describe_hand(
    occupancy: OccupancyView | None, held: Sequence[VisiblePiece], refusal_reason: Message | None
) -> list[Paragraph]:
    """Describe the held pieces and possible actions, one paragraph per line. The reason for a refusal comes first."""
    lines: list[Paragraph] = [[Phrase((REFUSED, refusal_reason), "bold")]] if refusal_reason else []
    if held:
        amount = "one" if len(held) == 1 else "several"
        side = str(held[-1].owner or Side.LIGHT)
        in_hand = Message(f"held.{amount}.{held[-1].kind}", side=side, pieces=len(held))
        return [*lines, [Phrase([in_hand], "bold")], [Phrase([Message("held.how")])]]
    messages = [Message("held.nothing")]
    if occupancy and occupancy.cells_to_flip:
        messages.append(Message("held.how_to_turn_over"))
    if occupancy and occupancy.to_remove:
        messages.append(Message("held.how_to_take_off"))
    return [*lines, *([Phrase([message], QUIET_COLOUR)] for message in messages)]


def seconds_left(table: GameTable) -> int | None:
    """Return the number of seconds until the pending action counts, rounded up. Return None if no action is pending."""
    confirm_window = table.view.confirm_window
    return max(0, ceil(confirm_window.until - table.now() - 0.01)) if confirm_window else None


def format_side(
    view: View, side: Side, player: Message | None, catalogue: Catalogue, column_count: int, *, has_legend: bool = True
) -> Content:
    """Format a side: player, letters of the pieces if they fit, and score. Mark the side to move."""
    position, target = view.position, view.variant.target
    to_move = view.outcome is None and position.to_move is side
    name, player_name = catalogue.text(Message(f"side.{side}")).upper(), catalogue.text(player or ())
    legend = f"\n  {catalogue.text(Message(f'status.letters.{side}'))}"
    score, spawn = position.scored[side], position.spawn[side]
    score_kind = "score" if view.outcome is None else "final_score"
    score_text = catalogue.text(Message(f"status.{score_kind}", scored=score, target=target, spawn=spawn))
    filled = min(score, target)
    pip_parts = ((PIP * filled, side_colour(side)), NO_PIP * (target - filled), " ")  # one for each piece needed to win
    return Content.assemble(
        ("▶ " if to_move else "  ", "bold"),
        (name, f"bold {side_colour(side)}"),
        (f" {player_name}" if player_name else "", "bold" if to_move else ""),
        (legend, QUIET_COLOUR) if has_legend and count_columns(legend.strip("\n")) <= column_count else "",
        "\n  ",
        *(pip_parts if count_columns(f"  {score_text} ") + target <= column_count else ()),
        score_text,
    )


def _describe_situation(table: GameTable) -> Paragraph:
    """Describe refusals and events other than turns, followed by the possible actions."""
    unsaved_reason = table.view.unsaved_reason
    unsaved = [Phrase([unsaved_reason], "bold")] if unsaved_reason else []
    return [*unsaved, *_describe_phase(table)]


def _describe_exercise(exercise: ExerciseView) -> Message:
    """Return the title of the exercise, with the number of a lesson, and the step if there are several."""
    title = exercise.title
    if exercise.course_name == LESSONS_COURSE and exercise.exercise_number:
        title = Message("status.lesson", title=title, number=exercise.exercise_number, last=exercise.exercise_count)
    if exercise.step_count == 1:
        return title
    return Message("status.exercise", title=title, step=exercise.step_number, count=exercise.step_count)


def _describe_phase(table: GameTable) -> Paragraph:
    view, occupancy = table.view, table.view.occupancy
    if view.trouble:
        return [Phrase([view.trouble], "bold")]
    if view.resume_prompt:
        question = Message("resume.ask", game=describe_game(view.position, len(view.turns)))
        return [Phrase((question, Message("status.how_to_resume")), "bold")]
    if occupancy and (view.game_phase != "over" or view.confirm_window):
        return _describe_piece_situation(table, occupancy)
    if view.exercise and not view.refusal:
        return _describe_exercise_situation(table, view.exercise)
    if view.outcome and not view.exercise:
        return _describe_end(view)
    if view.refusal:
        may = view.describe_chosen(view.in_hand) if view.in_hand else _prompt(table)
        return [_describe_refusal(view), Phrase([] if may in view.messages else [may])]
    return [Phrase(_session_messages(table), "bold" if view.hint else "")]


def _describe_refusal(view: View) -> Phrase:
    return Phrase((REFUSED, *view.messages), "bold")


def _describe_exercise_situation(table: GameTable, exercise: ExerciseView) -> Paragraph:
    view, messages = table.view, _session_messages(table)
    outcome = _describe_outcome(view)
    has_task = exercise.task in messages or exercise.is_met or exercise.is_refuting or outcome
    return [
        Phrase(outcome, "bold"),
        Phrase(messages, "bold" if view.hint else ""),
        Phrase([] if has_task else [_prompt(table)]),
    ]


def _describe_end(view: View) -> Paragraph:
    tasks = describe_hand_tasks(view.occupancy) if view.occupancy else ()
    first = _describe_refusal(view) if view.refusal else Phrase(_describe_outcome(view), "bold")
    return [first, Phrase((*tasks, Message("status.game_over_keys")))]


def _describe_outcome(view: View) -> list[Message]:
    return [describe_outcome(view.outcome, view.position)] if view.outcome else []


def _session_messages(table: GameTable) -> tuple[Message, ...]:
    """Return the messages of the session, except those about the last turn, which has its own paragraph."""
    view = table.view
    turn = describe_turn(view.turns[-1]) if view.turns else ()
    prompt = prompt_turn(view.position, has_pieces=view.occupancy is not None)
    rest = view.messages[len(turn) :] if view.messages[: len(turn)] == turn else view.messages
    return tuple(_prompt(table) if message == prompt else message for message in rest)


def _prompt(table: GameTable) -> Message:
    """Return the prompt for the side to move. If a program plays that side, the prompt asks the user to wait."""
    position, exercise = table.view.position, table.view.exercise
    program = list_acting_programs(table)[position.to_move]
    if program is not None:
        return Message("prompt.wait", side=str(position.to_move), player=name_player(program, None))
    if exercise:
        return exercise.task
    return prompt_turn(position, has_pieces=table.view.occupancy is not None)


def _describe_piece_situation(table: GameTable, occupancy: OccupancyView) -> Paragraph:
    """Describe the phase of a game with pieces, including pieces to handle and the time left to undo an action."""
    view, messages, prompt = table.view, _session_messages(table), _prompt(table)
    phase, left = view.game_phase, seconds_left(table)
    # other phases show their own messages first
    tasks = describe_hand_tasks(occupancy) if phase in ("act", "take_off", "in_hand") else ()
    remaining = [task for task in tasks if task not in messages]
    is_busy = view.exercise is not None and (view.exercise.is_met or view.exercise.is_refuting)
    remaining += [prompt] if prompt not in messages and phase in ("act", "take_off") and not is_busy else []
    is_bold = view.refusal or view.hint or left is not None or phase in ("differs", "menu")
    countdown = [] if left is None else [Message("status.seconds_left", seconds=left)]
    return [
        Phrase((REFUSED, *messages) if view.refusal else messages, "bold" if is_bold else ""),
        Phrase(countdown, "bold reverse"),
        Phrase(remaining),
    ]

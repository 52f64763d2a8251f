"""What stands beside the lamps: the score, whose turn it is, what may be done and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING

from textual.content import Content

from pond_hw.engine import HUMAN
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, Action, Cell, IllegalAction, Side, Turn, play
from pond_hw.session import (
    View,
    describe_game,
    describe_outcome,
    describe_preview,
    describe_targets,
    describe_turn,
    prompt_turn,
)
from pond_hw.session.occupancy_messages import describe_hand_tasks
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.tui.hand import VisiblePiece
from pond_hw.tui.style import QUIET_COLOUR, side_colour

if TYPE_CHECKING:
    from pond_hw.tui.hand_app import GameTable

PIP, NO_PIP = "●", "○"


CHOOSE_CELL_HINT = "put the frame on an empty cell; or choose a piece, and put the frame where that may go."
CHOOSE_TARGET_HINT = "put the frame on a cell that is marked +."
"""What is told instead where nothing can be done; the second when a piece is chosen."""


def preview_turn(table: GameTable, cell: Cell) -> Turn | None:
    """What would come of acting on a cell: with the piece that is chosen or lifted, or else by placing an egg there.

    None where that may not be done, and where nobody is asked what to do.
    """
    view = table.view
    if view.game_phase not in ("act", "take_off", "in_hand") or table.program_names[view.position.to_move] is not None:
        return None
    try:
        return play(view.position, Action(view.in_hand, cell))
    except IllegalAction:
        return None


def format_status(
    table: GameTable,
    column_count: int,
    row_count: int | None = None,
    *,
    preview: bool = False,
    would: Turn | None = None,
    review: Sequence[str] = (),
) -> Content:
    """Everything in words, a paragraph each; what only adorns them is left out where it does not fit.

    Args:
        table: what they are about.
        column_count: columns.
        row_count: rows, if there is no help for it: where there is more to be said.
        preview: whether it is told what would come of an action before it is done,
        would: and what would.
        review: how a game went that is over; as much of it as there is room for, the first paragraph in any case.
    """
    view, pond = table.view, table.view.variant
    heading = Content(f"The {pond} pond: {pond.size}x{pond.size}, {pond.target} to win")
    sides = Content("\n").join(format_side(view, side, _format_player(table, side), column_count) for side in Side)
    unsaved = (f"{view.unsaved_reason} ", "bold") if view.unsaved_reason else ""
    lasting = [sides, Content.assemble(unsaved, _format_situation(table))]
    if preview and not view.outcome and table.program_names[view.position.to_move] is None:
        lasting.append(_describe_preview(view, would))
    last_turn = [Content.assemble(("Last turn: ", "bold"), _text(describe_turn(turn))) for turn in view.turns[-1:]]
    rest = _describe_masked(view.occupancy)

    def fits(text: Content) -> bool:
        return row_count is None or count_rows(text, column_count) <= row_count

    def join_loosely() -> Content:
        return Content("\n\n").join([heading, *lasting, *last_turn, *rest])

    for paragraph_number, paragraph in enumerate(review):
        rest.append(Content(paragraph))
        if paragraph_number and not fits(join_loosely()):
            rest.pop()
            break
    if fits(join_loosely()):
        return join_loosely()
    text = Content("\n").join([*lasting, *last_turn, *rest])
    needs_room = preview or view.hint is not None
    return text if fits(text) or not needs_room else Content("\n").join([*lasting, *rest])


def _format_player(table: GameTable, side: Side) -> str:
    program = table.program_names[side]
    return (table.names[side] or HUMAN) if program is None else program


def _describe_preview(view: View, would: Turn | None) -> Content:
    hint_text = CHOOSE_TARGET_HINT if view.in_hand else CHOOSE_CELL_HINT
    return Content.assemble(("What if: ", "bold"), _text(describe_preview(would)) if would else hint_text)


def _describe_masked(occupancy: OccupancyView | None) -> list[Content]:
    """A paragraph that names the cells whose sensors are not asked, if there are any."""
    if not occupancy or not occupancy.masked_cells:
        return []
    cells = ", ".join(sorted(occupancy.masked_cells))
    return [Content.assemble(("Masked: ", "bold"), f"{cells}; what stands there is not felt.")]


def count_rows(text: Content, column_count: int) -> int:
    """How many rows a text takes in so many columns."""
    return sum(max(1, len(wrap(text_line, max(1, column_count)))) for text_line in text.plain.split("\n"))


def format_hand(occupancy: OccupancyView | None, held: Sequence[VisiblePiece], complaint_text: str) -> Content:
    """What is in the hand and what may be done with it; before that, why something was refused, if it was.

    Args:
        occupancy: what is felt, and is to be done; an empty hand is told how that is done.
        held: what is in the hand.
        complaint_text: why the hand could not do what it was told, or nothing.
    """
    refused = Content.assemble((f"! {complaint_text}\n", "bold")) if complaint_text else Content("")
    if not held:
        turn = "\nRight click or v: turn over." if occupancy and occupancy.cells_to_flip else ""
        off = "\nRight click or o: take off." if occupancy and occupancy.to_remove else ""
        return Content.assemble(refused, (f"In the hand: nothing.{turn}{off}", QUIET_COLOUR))
    held_text = str(held[-1]) if len(held) == 1 else f"{len(held)} pieces, {held[-1]} on top"
    return Content.assemble(refused, (f"In the hand: {held_text}.", "bold"), "\nClick here or o: aside. Esc: back.")


def seconds_left(table: GameTable) -> int | None:
    """How long nothing must move any more for what is announced to count, in whole seconds; None if nothing is."""
    confirm_window = table.view.confirm_window
    return max(0, ceil(confirm_window.until - table.now() - 0.01)) if confirm_window else None


def format_side(view: View, side: Side, player_name: str, column_count: int) -> Content:
    """Two lines: who it is and whether it is their turn; then the score against the target, and the spawn."""
    position, target = view.position, view.variant.target
    to_move = view.outcome is None and position.to_move is side
    letter_text = "Egg Tadpole Frog  " if side is LIGHT else "egg tadpole frog   "
    score_text = f"{position.scored[side]} of {target}, {position.spawn[side]} to place"
    filled = min(position.scored[side], target)
    pip_parts = ((PIP * filled, side_colour(side)), NO_PIP * (target - filled), " ")  # one for each piece that wins
    return Content.assemble(
        ("▶ " if to_move else "  ", "bold"),
        (str(side).upper(), f"bold {side_colour(side)}"),
        " ",
        letter_text if len(f"  LIGHT {letter_text}{player_name}") <= column_count else "",
        (player_name, "bold" if to_move else ""),
        "\n  ",
        *(pip_parts if len(f"  {score_text} ") + target <= column_count else ()),
        score_text,
    )


def _format_situation(table: GameTable) -> Content:
    """Why something was refused, or what has happened besides turns; then what may be done."""
    view, occupancy = table.view, table.view.occupancy
    if view.trouble:
        return Content.assemble((str(view.trouble), "bold"))
    if view.resume_prompt:
        game = describe_game(view.position, len(view.turns))
        return Content(f"A game is not finished: {game}. Press Esc to choose what becomes of it.").stylize("bold")
    if occupancy and (view.game_phase != "over" or view.confirm_window):
        return _format_piece_situation(table, occupancy)
    refused = (f"! {_text(view.messages)} ", "bold") if view.refusal else ""
    if view.outcome:
        ended = (str(describe_outcome(view.outcome, view.position)), "bold")
        to_do = f"{_text(describe_hand_tasks(occupancy))} " if occupancy else ""
        return Content.assemble(refused or ended, f" {to_do}Press r for a rematch, n for a new game, or u to go back.")
    if view.refusal:
        chosen = view.in_hand
        may = describe_targets(view.position, chosen, view.legal_targets) if chosen else _prompt(table)
        return Content.assemble(refused, str(may))
    return Content.assemble((_text(_session_messages(table)), "bold" if view.hint else ""))


def _text(messages: Sequence[Message]) -> str:
    return get_catalogue().text(messages)


def _session_messages(table: GameTable) -> tuple[Message, ...]:
    """What the session says, without the last turn, which is told by itself."""
    view = table.view
    turn = describe_turn(view.turns[-1]) if view.turns else ()
    prompt = prompt_turn(view.position, has_pieces=view.occupancy is not None)
    rest = view.messages[len(turn) :] if view.messages[: len(turn)] == turn else view.messages
    return tuple(_prompt(table) if message == prompt else message for message in rest)


def _prompt(table: GameTable) -> Message:
    """What the side to move may do; wait, if it is played by somebody else."""
    position = table.view.position
    program = table.program_names[position.to_move]
    if program is not None:
        return Message("prompt.wait", side=str(position.to_move), player=program)
    return prompt_turn(position, has_pieces=table.view.occupancy is not None)


def _format_piece_situation(table: GameTable, occupancy: OccupancyView) -> Content:
    """The same, with what hands have to do, and until when what is announced can be undone."""
    view, messages, prompt = table.view, _session_messages(table), _prompt(table)
    phase, left = view.game_phase, seconds_left(table)
    # in other phases something else comes first
    tasks = describe_hand_tasks(occupancy) if phase in ("act", "take_off", "in_hand") else ()
    further = [task for task in tasks if task not in messages]
    further += [prompt] if prompt not in messages and phase in ("act", "take_off") else []
    is_bold = view.refusal or view.hint or left is not None or phase in ("differs", "menu")
    return Content.assemble(
        (f"{'! ' if view.refusal else ''}{_text(messages)}", "bold" if is_bold else ""),
        (f" {left} s left.", "bold reverse") if left is not None else "",
        f" {_text(further)}" if further else "",
    )

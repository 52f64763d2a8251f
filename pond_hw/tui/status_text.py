"""What stands beside the lamps: the score, whose turn it is, what may be done and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from textwrap import wrap
from typing import Protocol

from textual.content import Content

from pond_hw.engine import HUMAN, PlayerNames
from pond_hw.rules import LIGHT, Action, Cell, IllegalAction, Side, Turn, play
from pond_hw.session import (
    View,
    format_game_summary,
    format_outcome,
    format_preview,
    format_targets,
    format_turn,
    format_turn_prompt,
)
from pond_hw.session.occupancy_messages import format_hand_tasks
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.tui.hand import VisiblePiece
from pond_hw.tui.style import QUIET_COLOUR, side_colour

PIP, NO_PIP = "●", "○"


class NamedPlayer(Protocol):
    """Whoever plays a side and is no person."""

    @property
    def name(self) -> str:
        """What the words call them."""


class StatusSource(Protocol):
    """What the words are about."""

    @property
    def view(self) -> View:
        """What the session shows."""

    @property
    def players(self) -> tuple[NamedPlayer | None, NamedPlayer | None]:
        """Who plays light and dark; None is a person."""

    @property
    def names(self) -> PlayerNames:
        """What the people at light and dark are called; None: they have not said."""

    def now(self) -> float:
        """Seconds on the table's clock."""


CHOOSE_CELL_HINT = "put the frame on an empty cell; or choose a piece, and put the frame where that may go."
CHOOSE_TARGET_HINT = "put the frame on a cell that is marked +."
"""What is told instead where nothing can be done; the second when a piece is chosen."""


def format_player(status_source: StatusSource, side: Side) -> str:
    """What whoever plays a side is called."""
    player = status_source.players[side]
    return player.name if player else status_source.names[side] or HUMAN


def preview_turn(status_source: StatusSource, cell: Cell) -> Turn | None:
    """What would come of acting on a cell: with the piece that is chosen or lifted, or else by placing an egg there.

    None where that may not be done, and where nobody is asked what to do.
    """
    view = status_source.view
    if view.game_phase not in ("act", "take_off", "in_hand") or status_source.players[view.position.to_move]:
        return None
    try:
        return play(view.position, Action(view.in_hand, cell))
    except IllegalAction:
        return None


def format_status(
    table: StatusSource,
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
    view = table.view
    pond = view.variant
    heading = Content(f"The {pond} pond: {pond.size}x{pond.size}, {pond.target} to win")
    lasting = [Content("\n").join(format_side(table, side, column_count) for side in Side), _format_situation(table)]
    if preview and not view.outcome and table.players[view.position.to_move] is None:
        hint_text = CHOOSE_TARGET_HINT if view.in_hand else CHOOSE_CELL_HINT
        lasting.append(Content.assemble(("What if: ", "bold"), format_preview(would) if would else hint_text))
    last_turn = [Content.assemble(("Last turn: ", "bold"), format_turn(turn)) for turn in view.turns[-1:]]
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


def count_rows(text: Content, column_count: int) -> int:
    """How many rows a text takes in so many columns."""
    return sum(max(1, len(wrap(text_line, max(1, column_count)))) for text_line in text.plain.split("\n"))


def _describe_masked(occupancy: OccupancyView | None) -> list[Content]:
    """A paragraph that names the cells whose sensors are not asked, if there are any."""
    if not occupancy or not occupancy.masked_cells:
        return []
    cells = ", ".join(sorted(occupancy.masked_cells))
    return [Content.assemble(("Masked: ", "bold"), f"{cells}; what stands there is not felt.")]


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
    return Content.assemble(
        refused,
        (f"In the hand: {held_text}.", "bold"),
        "\nClick here or o: aside. Esc: back.",
    )


def seconds_left(status_source: StatusSource) -> int | None:
    """How long nothing must move any more for what is announced to count, in whole seconds; None if nothing is."""
    confirm_window = status_source.view.confirm_window
    return max(0, ceil(confirm_window.until - status_source.now() - 0.01)) if confirm_window else None


def format_side(status_source: StatusSource, side: Side, column_count: int) -> Content:
    """Two lines: who it is and whether it is their turn; then the score against the target, and the spawn."""
    view = status_source.view
    position, target = view.position, view.variant.target
    to_move = view.outcome is None and position.to_move is side
    player_name = format_player(status_source, side)
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


def _format_situation(status_source: StatusSource) -> Content:
    """Why something was refused, or what has happened besides turns; then what may be done."""
    view = status_source.view
    if view.unsaved_reason:
        return Content.assemble((f"{view.unsaved_reason} ", "bold"), _format_board_situation(status_source))
    return _format_board_situation(status_source)


def _format_board_situation(table: StatusSource) -> Content:
    view = table.view
    if view.trouble:
        return Content.assemble((view.trouble, "bold"))
    if view.resume_prompt:
        game = format_game_summary(view.position, len(view.turns))
        told = f"A game is not finished: {game}. Press Esc to choose what becomes of it."
        return Content.assemble((told, "bold"))
    if view.occupancy and (view.game_phase != "over" or view.confirm_window):
        return _format_piece_situation(table, view.occupancy)
    refused = (f"! {view.message} ", "bold") if view.refusal else ""
    if view.outcome:
        ended = (format_outcome(view.outcome, view.position), "bold")
        to_do = format_hand_tasks(view.occupancy) if view.occupancy else ""
        return Content.assemble(refused or ended, f" {to_do}Press r for a rematch, n for a new game, or u to go back.")
    if view.refusal:
        chosen = view.in_hand
        may = format_targets(view.position, chosen, view.legal_targets) if chosen else _format_prompt(table)
        return Content.assemble(refused, may)
    return Content.assemble((_session_message(table), "bold" if view.hint else ""))


def _session_message(status_source: StatusSource) -> str:
    """What the session says, without the last turn, which is told by itself."""
    view = status_source.view
    turn_text = format_turn(view.turns[-1]) if view.turns else ""
    prompt = format_turn_prompt(view.position, has_pieces=view.occupancy is not None)
    return view.message.removeprefix(turn_text).strip().replace(prompt, _format_prompt(status_source))


def _format_prompt(status_source: StatusSource) -> str:
    """What the side to move may do; wait, if it is played by somebody else."""
    view = status_source.view
    side = view.position.to_move
    player = status_source.players[side]
    if player:
        return f"{str(side).capitalize()} to move: wait for {player.name}."
    return format_turn_prompt(view.position, has_pieces=view.occupancy is not None)


def _format_piece_situation(table: StatusSource, occupancy: OccupancyView) -> Content:
    """The same, with what hands have to do, and until when what is announced can be undone."""
    view, message = table.view, _session_message(table)
    phase, left = view.game_phase, seconds_left(table)
    more_texts = []
    to_do = format_hand_tasks(occupancy).strip()
    if to_do and to_do not in message and phase in ("act", "take_off", "in_hand"):  # else something else comes first
        more_texts.append(to_do)
    if phase in ("act", "take_off") and _format_prompt(table) not in message:
        more_texts.append(_format_prompt(table))
    loud = view.refusal is not None or view.hint is not None or left is not None or phase in ("differs", "menu")
    return Content.assemble(
        (f"{'! ' if view.refusal else ''}{message}", "bold" if loud else ""),
        (f" {left} s left.", "bold reverse") if left is not None else "",
        *(f" {more_text}" for more_text in more_texts),
    )

"""What stands beside the lamps: the score, whose turn it is, what may be done and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from textwrap import wrap
from typing import Protocol

from textual.content import Content

from pond_hw.engine import HUMAN, PlayerNames
from pond_hw.rules import LIGHT, Action, Cell, IllegalAction, Side, Turn
from pond_hw.session import (
    BoardState,
    Session,
    format_game_summary,
    format_outcome,
    format_preview,
    format_targets,
    format_turn,
    format_turn_prompt,
)
from pond_hw.session.occupancy_messages import format_hand_tasks
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
    def session(self) -> Session:
        """The conversation as it stands."""

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


def format_player(table: StatusSource, side: Side) -> str:
    """What whoever plays a side is called."""
    player = table.players[side]
    return player.name if player else table.names[side] or HUMAN


def preview_turn(table: StatusSource, cell: Cell) -> Turn | None:
    """What would come of acting on a cell: with the piece that is chosen or lifted, or else by placing an egg there.

    None where that may not be done, and where nobody is asked what to do.
    """
    session = table.session
    if session.game_phase not in ("act", "take_off", "in_hand") or table.players[session.position.to_move]:
        return None
    try:
        return session.preview_action(Action(session.in_hand, cell))
    except IllegalAction:
        return None


def format_status(
    table: StatusSource,
    width: int,
    height: int | None = None,
    *,
    preview: bool = False,
    would: Turn | None = None,
    review: Sequence[str] = (),
) -> Content:
    """Everything in words, a paragraph each; what only adorns them is left out where it does not fit.

    Args:
        table: what they are about.
        width: columns.
        height: rows, if there is no help for it: where there is more to be said.
        preview: whether it is told what would come of an action before it is done,
        would: and what would.
        review: how a game went that is over; as much of it as there is room for, the first paragraph in any case.
    """
    session = table.session
    pond = session.variant
    paragraphs = [
        Content(f"The {pond} pond: {pond.size}x{pond.size}, {pond.target} to win"),
        Content("\n").join(format_side(table, side, width) for side in Side),
        _format_situation(table),
    ]
    if preview and not session.outcome and table.players[session.position.to_move] is None:
        otherwise = CHOOSE_TARGET_HINT if session.in_hand else CHOOSE_CELL_HINT
        paragraphs.append(Content.assemble(("What if: ", "bold"), format_preview(would) if would else otherwise))
    lasting = len(paragraphs)
    if session.turns:
        paragraphs.append(Content.assemble(("Last turn: ", "bold"), format_turn(session.turns[-1])))
    if session.board_state and session.board_state.sensors.masked_cells:
        cells = ", ".join(sorted(session.board_state.sensors.masked_cells))
        paragraphs.append(Content.assemble(("Masked: ", "bold"), f"{cells}; what stands there is not felt."))
    for number, paragraph in enumerate(review):
        longer = [*paragraphs, Content(paragraph)]
        if number and height is not None and _count_lines(Content("\n\n").join(longer), width) > height:
            break
        paragraphs = longer
    told = Content("\n\n").join(paragraphs)
    more = preview or session.hint is not None
    if height is None or _count_lines(told, width) <= height:
        return told
    told = Content("\n").join(paragraphs[1:])
    if not more or _count_lines(told, width) <= height:
        return told
    return Content("\n").join([*paragraphs[1:lasting], *paragraphs[lasting + bool(session.turns) :]])


def _count_lines(told: Content, width: int) -> int:
    return sum(max(1, len(wrap(line, max(1, width)))) for line in told.plain.split("\n"))


def format_hand(wood: BoardState | None, held: Sequence[VisiblePiece], said: str) -> Content:
    """What is in the hand and what may be done with it; before that, why something was refused, if it was.

    Args:
        wood: what is felt, and is to be done; an empty hand is told how that is done.
        held: what is in the hand.
        said: why the hand could not do what it was told, or nothing.
    """
    refused = Content.assemble((f"! {said}\n", "bold")) if said else Content("")
    if not held:
        turn = "\nRight click or v: turn over." if wood and wood.tasks.cells_to_flip else ""
        off = "\nRight click or o: take off." if wood and wood.tasks.to_remove else ""
        return Content.assemble(refused, (f"In the hand: nothing.{turn}{off}", QUIET_COLOUR))
    what = str(held[-1]) if len(held) == 1 else f"{len(held)} pieces, {held[-1]} on top"
    return Content.assemble(
        refused,
        (f"In the hand: {what}.", "bold"),
        "\nClick here or o: aside. Esc: back.",
    )


def seconds_left(table: StatusSource) -> int | None:
    """How long nothing must move any more for what is announced to count, in whole seconds; None if nothing is."""
    hold = table.session.board_state and table.session.board_state.dialogue.confirm_window
    return max(0, ceil(hold.until - table.now() - 0.01)) if hold else None


def format_side(table: StatusSource, side: Side, width: int) -> Content:
    """Two lines: who it is and whether it is their turn; then the score against the target, and the spawn."""
    session = table.session
    position, target = session.position, session.variant.target
    to_move = session.outcome is None and position.to_move is side
    who = format_player(table, side)
    letters = "Egg Tadpole Frog  " if side is LIGHT else "egg tadpole frog   "
    scored = f"{position.scored[side]} of {target}, {position.spawn[side]} to place"
    filled = min(position.scored[side], target)
    pips = ((PIP * filled, side_colour(side)), NO_PIP * (target - filled), " ")  # one for each piece that wins
    return Content.assemble(
        ("▶ " if to_move else "  ", "bold"),
        (str(side).upper(), f"bold {side_colour(side)}"),
        " ",
        letters if len(f"  LIGHT {letters}{who}") <= width else "",
        (who, "bold" if to_move else ""),
        "\n  ",
        *(pips if len(f"  {scored} ") + target <= width else ()),
        scored,
    )


def _format_situation(table: StatusSource) -> Content:
    """Why something was refused, or what has happened besides turns; then what may be done."""
    session = table.session
    if session.unsaved_reason:
        return Content.assemble((f"{session.unsaved_reason} ", "bold"), _format_board_situation(table))
    return _format_board_situation(table)


def _format_board_situation(table: StatusSource) -> Content:
    session = table.session
    if session.trouble:
        return Content.assemble((session.trouble, "bold"))
    if session.resume_prompt:
        game = format_game_summary(session.position, len(session.turns))
        told = f"A game is not finished: {game}. Press Esc to choose what becomes of it."
        return Content.assemble((told, "bold"))
    if session.board_state and (session.game_phase != "over" or session.board_state.dialogue.confirm_window):
        return _format_piece_situation(table, session.board_state)
    refused = (f"! {session.message} ", "bold") if session.refusal else ""
    if session.outcome:
        ended = (format_outcome(session.outcome, session.position), "bold")
        to_do = format_hand_tasks(session.board_state) if session.board_state else ""
        return Content.assemble(refused or ended, f" {to_do}Press r for a rematch, n for a new game, or u to go back.")
    if session.refusal:
        chosen = session.selected_cell
        may = format_targets(session.position, chosen, session.legal_targets) if chosen else _format_prompt(table)
        return Content.assemble(refused, may)
    return Content.assemble((_session_message(table), "bold" if session.hint else ""))


def _session_message(table: StatusSource) -> str:
    """What the session says, without the last turn, which is told by itself."""
    session = table.session
    told = format_turn(session.turns[-1]) if session.turns else ""
    prompt = format_turn_prompt(session.position, has_pieces=session.board_state is not None)
    return session.message.removeprefix(told).strip().replace(prompt, _format_prompt(table))


def _format_prompt(table: StatusSource) -> str:
    """What the side to move may do; wait, if it is played by somebody else."""
    session = table.session
    side = session.position.to_move
    player = table.players[side]
    if player:
        return f"{str(side).capitalize()} to move: wait for {player.name}."
    return format_turn_prompt(session.position, has_pieces=session.board_state is not None)


def _format_piece_situation(table: StatusSource, wood: BoardState) -> Content:
    """The same, with what hands have to do, and until when what is announced can be undone."""
    session, message = table.session, _session_message(table)
    phase, left = session.game_phase, seconds_left(table)
    more = []
    to_do = format_hand_tasks(wood).strip()
    if to_do and to_do not in message and phase in ("act", "take_off", "in_hand"):  # else something else comes first
        more.append(to_do)
    if phase in ("act", "take_off") and _format_prompt(table) not in message:
        more.append(_format_prompt(table))
    loud = session.refusal is not None or session.hint is not None or left is not None or phase in ("differs", "menu")
    return Content.assemble(
        (f"{'! ' if session.refusal else ''}{message}", "bold" if loud else ""),
        (f" {left} s left.", "bold reverse") if left is not None else "",
        *(f" {each}" for each in more),
    )

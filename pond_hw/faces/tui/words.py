"""What stands beside the lamps: the score, whose turn it is, what may be done and what happened."""

from __future__ import annotations

from typing import Protocol

from textual.content import Content

from pond_hw.faces.tui.style import hue
from pond_hw.rules import LIGHT, Side
from pond_hw.session import Session, tell_choice, tell_outcome, tell_prompt, tell_turn

PIP, NO_PIP = "●", "○"


class Named(Protocol):
    """Whoever plays a side and is no person."""

    @property
    def name(self) -> str:
        """What the words call them."""


class Played(Protocol):
    """What the words are about."""

    @property
    def session(self) -> Session:
        """The conversation as it stands."""

    @property
    def players(self) -> tuple[Named | None, Named | None]:
        """Who plays light and dark; None is a person."""


def tell(table: Played, width: int) -> Content:
    """Everything in words, a paragraph each; what only adorns them is left out where it does not fit into the width."""
    session = table.session
    pond = session.pond
    paragraphs = [
        Content(f"The {pond} pond: {pond.size}x{pond.size}, {pond.target} to win"),
        Content("\n").join(_side(table, side, width) for side in Side),
        _now(table),
    ]
    if session.turns:
        paragraphs.append(Content.assemble(("Last turn: ", "bold"), tell_turn(session.turns[-1])))
    return Content("\n\n").join(paragraphs)


def _side(table: Played, side: Side, width: int) -> Content:
    """Two lines: who it is and whether it is their turn; then the score against the target, and the spawn."""
    session = table.session
    position, target = session.position, session.pond.target
    to_move = session.outcome is None and position.to_move is side
    player = table.players[side]
    who = player.name if player else "person"
    letters = "Egg Tadpole Frog  " if side is LIGHT else "egg tadpole frog   "
    scored = f"{position.scored[side]} of {target}, {position.spawn[side]} to place"
    filled = min(position.scored[side], target)
    pips = ((PIP * filled, hue(side)), NO_PIP * (target - filled), " ")  # one for each piece that wins
    return Content.assemble(
        ("▶ " if to_move else "  ", "bold"),
        (str(side).upper(), f"bold {hue(side)}"),
        " ",
        letters if len(f"  LIGHT {letters}{who}") <= width else "",
        (who, "bold" if to_move else ""),
        "\n  ",
        *(pips if len(f"  {scored} ") + target <= width else ()),
        scored,
    )


def _now(table: Played) -> Content:
    """Why something was refused, or what has happened besides turns; then what may be done."""
    session = table.session
    if session.trouble:
        return Content.assemble((session.trouble, "bold"))
    refused = (f"! {session.message} ", "bold") if session.wrong else ""
    if session.outcome:
        ended = (tell_outcome(session.outcome, session.position), "bold")
        return Content.assemble(refused or ended, " Press n for a new game, or u to go back.")
    may = tell_prompt(session.position)
    player = table.players[session.position.to_move]
    what_now = f"{str(session.position.to_move).capitalize()} to move: wait for {player.name}." if player else may
    if session.wrong:
        chosen = session.chosen
        return Content.assemble(refused, tell_choice(session.position, chosen, session.targets) if chosen else what_now)
    told = tell_turn(session.turns[-1]) if session.turns else ""
    return Content(session.message.removeprefix(told).strip().replace(may, what_now))

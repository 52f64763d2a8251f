"""What stands beside the lamps: the score, whose turn it is, what may be done and what happened."""

from __future__ import annotations

from textual.content import Content

from pond_hw.companion import Companion
from pond_hw.faces.tui.style import hue
from pond_hw.rules import LIGHT, Side
from pond_hw.session import tell_choice, tell_outcome, tell_prompt, tell_turn

PIP, NO_PIP = "●", "○"


def tell(companion: Companion, width: int) -> Content:
    """Everything in words, a paragraph each; what only adorns them is left out where it does not fit into the width."""
    session = companion.session
    pond = session.pond
    paragraphs = [
        Content(f"The {pond} pond: {pond.size}x{pond.size}, {pond.target} to win"),
        Content("\n").join(_side(companion, side, width) for side in Side),
        _now(companion),
    ]
    if session.turns:
        paragraphs.append(Content.assemble(("Last turn: ", "bold"), tell_turn(session.turns[-1])))
    return Content("\n\n").join(paragraphs)


def _side(companion: Companion, side: Side, width: int) -> Content:
    """Two lines: who it is and whether it is their turn; then the score against the target, and the spawn."""
    session = companion.session
    position, target = session.position, session.pond.target
    to_move = session.outcome is None and position.to_move is side
    player = companion.players[side]
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


def _now(companion: Companion) -> Content:
    """Why something was refused, or what has happened besides turns; then what may be done."""
    session = companion.session
    refused = (f"! {session.message} ", "bold") if session.wrong else ""
    if session.outcome:
        ended = (tell_outcome(session.outcome, session.position), "bold")
        return Content.assemble(refused or ended, " Press n for a new game, or u to go back.")
    may = tell_prompt(session.position)
    player = companion.players[session.position.to_move]
    what_now = f"{str(session.position.to_move).capitalize()} to move: wait for {player.name}." if player else may
    if session.wrong:
        chosen = session.chosen
        return Content.assemble(refused, tell_choice(session.position, chosen, session.targets) if chosen else what_now)
    told = tell_turn(session.turns[-1]) if session.turns else ""
    return Content(session.message.removeprefix(told).strip().replace(may, what_now))

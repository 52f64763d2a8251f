"""What is laid over the cells while hands have something to do there: to mend, to take off, to turn, to choose."""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.rules import Cell, Piece, Variant, play
from pond_hw.session.board_state import Wood
from pond_hw.session.intents import About, Back, Choosing, Differs, OpenMenu, Reading, Taken, moved_piece
from pond_hw.session.interpretation import Game
from pond_hw.session.scene import Role


def wood_sights(game: Game, wood: Wood, ponds: Mapping[Cell, Variant]) -> dict[Cell, tuple[Piece | None, Role]]:
    """For the cells that are not simply what the game says: what is seen there, and what it is.

    Args:
        game: the game.
        wood: what is felt and read.
        ponds: the cells of the menu.
    """
    pieces = game.position.pieces
    sights: dict[Cell, tuple[Piece | None, Role]] = {
        cell: (pieces[cell], Role.TURN) for cell in wood.turning - wood.lifted if cell in pieces
    }
    sights |= {cell: (piece, Role.TAKE_OFF) for cell, piece in wood.leaving.items()}
    match wood.reading:
        case Choosing(picked):
            pond = game.position.pond
            sights = dict.fromkeys(pieces, (None, Role.PLAIN))
            sights |= {c: (None, Role.USUAL if each[1:] == pond[1:] else Role.CHOICE) for c, each in ponds.items()}
            if picked:
                sights[picked] = (None, Role.TAKE_OFF)
        case Differs(steps=(step, *_), back=back):
            there = game.turns[-1].before.pieces if back else pieces
            if step.source:
                sights[step.source] = (None, Role.TAKE_OFF)
            if step.target and step.target != step.source:
                sights[step.target] = (there.get(step.target), Role.PUT)
        case About(doing):
            sights |= _about_to_be(game, doing)
    return sights


def _about_to_be(game: Game, doing: Taken | Back | OpenMenu) -> dict[Cell, tuple[Piece | None, Role]]:
    position = game.position
    pieces = position.pieces
    match doing:
        case Taken((action,)):
            seen: dict[Cell, Piece | None] = {action.target: moved_piece(position, action)}
            if action.source:
                seen[action.source] = None
        case Taken(actions):
            after = play(position, actions[0]).standing
            seen = {cell: after.get(cell) for action in actions for cell in action if cell}
        case Back(turns):
            before = game.turns[-turns].before.pieces
            seen = {cell: before.get(cell) for cell in {**pieces, **before} if pieces.get(cell) != before.get(cell)}
        case OpenMenu():
            seen = dict.fromkeys(position.grid.cells)
    return {cell: (piece, Role.ABOUT) for cell, piece in seen.items()}


def wrong_cell(was: Reading, now: Reading, *, by_hand: bool) -> Cell | None:
    """Where a refusal is shown when a hand has just done what may not be done: on the piece that is in the wrong place.

    Args:
        was: what the board was read as before.
        now: what it is read as.
        by_hand: whether board and game had agreed, so that the difference is somebody's doing.
    """
    if not isinstance(now, Differs) or isinstance(was, Differs) or not by_hand:
        return None
    found = now.difference
    where = found.extra or found.strangers or found.missing
    return min(where) if len(where) == 1 else None

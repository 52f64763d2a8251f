"""What a line asks for becomes what happens at a board, whether time there is simulated or real."""

from __future__ import annotations

from pond_hw.companion import Companion
from pond_hw.rules import Cell, Side
from pond_hw.server.protocol import OFFERED, BadLine, Command, Finger, Hand
from pond_hw.session import (
    Act,
    AgreeDraw,
    AskHint,
    BoardIsRight,
    Choice,
    Choose,
    Event,
    Mask,
    NewGame,
    Redo,
    Resign,
    SetUp,
    Undo,
)
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.table import SimulatedTable


def carry_out(request: Finger | Hand | Command, hands: SimulatedBoard, companion: Companion) -> None:
    """Do what is asked; the companion has yet to take it in.

    Args:
        request: what is asked for.
        hands: the fingers of whoever asks; their touches must come to the companion.
        companion: whom it is asked of.

    Raises:
        BadLine: it cannot be done at this board.
        PondError: the board has no such cell, or there is no such piece.
    """
    sensors = companion.board.sensors
    match request:
        case Command():
            companion.put(_event(request, companion))
        case Hand(what) if not sensors.pieces:
            raise BadLine(f"This board has buttons and no pieces: there is nothing to {what}. Use touch.")
        case Hand(what, cell, owner):
            if not isinstance(sensors, SimulatedTable):
                raise BadLine(f"The pieces of this board are of wood: no line can {what} them.")
            mover = companion.session.position.to_move
            _handle(what, cell, mover if owner is None else owner, sensors)
        case Finger(what) if sensors.pieces:
            raise BadLine(f"This board has pieces and no buttons: there is nothing to {what}. Use lift and drop.")
        case Finger(what, cell):
            getattr(hands, what)(cell)


def _handle(what: str, cell: Cell, owner: Side, table: SimulatedTable) -> None:
    """A hand lifts a piece, puts one down (with nothing in it: a new one of that side), or takes one off the board."""
    if what == "drop":
        table.drop(cell, owner)
        return
    table.lift(cell)
    if what == "take":
        table.put_aside()


def _event(command: Command, companion: Companion) -> Event:
    now = companion.clock.now()
    if command.action:
        return Act(command.action, now)
    if command.position:
        return SetUp(command.position, now)
    if command.cell:
        return Mask(command.cell, now, command.what == "mask")
    match command.what:
        case "undo":
            return Undo(now)
        case "redo":
            return Redo(now)
        case "resign":
            return Resign(now)
        case "draw":
            return AgreeDraw(now)
        case "board":
            return BoardIsRight(now)
        case "hint":
            return AskHint(now)
        case what if what in OFFERED:
            return Choose(Choice[what.upper()], now)
    return NewGame(command.pond or companion.session.pond, now)

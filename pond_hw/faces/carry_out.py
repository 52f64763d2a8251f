"""What a line asks for becomes what happens at a board, whether time there is simulated or real."""

from __future__ import annotations

from pond_hw.companion import Companion
from pond_hw.drivers.simulated import SimulatedBoard
from pond_hw.faces.protocol import BadLine, Command, Finger
from pond_hw.session import Act, AgreeDraw, Event, NewGame, Redo, Resign, Undo


def carry_out(request: Finger | Command, hands: SimulatedBoard, companion: Companion) -> None:
    """Do what is asked; the companion has yet to take it in.

    Args:
        request: what is asked for.
        hands: the fingers of whoever asks; their touches must come to the companion.
        companion: whom it is asked of.

    Raises:
        BadLine: it cannot be done at this board.
        PondError: the board has no such cell.
    """
    if isinstance(request, Command):
        companion.put(_event(request, companion))
    elif request.what in ("lift", "drop"):
        if companion.board.sensors.pieces:
            raise BadLine(f"Playing with pieces is not there yet: no line can {request.what} one. Use touch.")
        raise BadLine(f"This board has buttons and no pieces: there is nothing to {request.what}. Use touch.")
    else:
        getattr(hands, request.what)(request.cell)


def _event(command: Command, companion: Companion) -> Event:
    now = companion.clock.now()
    if command.action:
        return Act(command.action, now)
    match command.what:
        case "undo":
            return Undo(now)
        case "redo":
            return Redo(now)
        case "resign":
            return Resign(now)
        case "draw":
            return AgreeDraw(now)
    return NewGame(command.pond or companion.session.pond, now)

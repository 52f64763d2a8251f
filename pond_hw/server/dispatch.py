"""What a line asks for becomes what happens at a board, whether time there is simulated or real."""

from __future__ import annotations

from pond_hw.companion import Companion
from pond_hw.rules import Cell, Side
from pond_hw.server.protocol import RESUME_COMMANDS, CommandRequest, FingerRequest, PieceRequest, ProtocolError
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    ChooseResume,
    MaskSensor,
    NewGame,
    RedoTurns,
    ResignGame,
    ResumeChoice,
    SessionEvent,
    SetUpGame,
    TakeAction,
    UndoTurns,
)
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.table import SimulatedTable


def dispatch_request(
    request: FingerRequest | PieceRequest | CommandRequest, hands: SimulatedBoard, companion: Companion
) -> None:
    """Do what is asked; the companion has yet to take it in.

    Args:
        request: what is asked for.
        hands: the fingers of whoever asks; their touches must come to the companion.
        companion: whom it is asked of.

    Raises:
        ProtocolError: it cannot be done at this board.
        PondError: the board has no such cell, or there is no such piece.
    """
    sensors = companion.board.sensors
    match request:
        case CommandRequest():
            companion.put(_build_event(request, companion))
        case PieceRequest(what) if not sensors.has_pieces:
            raise ProtocolError(f"This board has buttons and no pieces: there is nothing to {what}. Use touch.")
        case PieceRequest(what, cell, owner):
            if not isinstance(sensors, SimulatedTable):
                raise ProtocolError(f"The pieces of this board are of wood: no line can {what} them.")
            mover = companion.session.position.to_move
            _move_piece(what, cell, mover if owner is None else owner, sensors)
        case FingerRequest(what) if sensors.has_pieces:
            raise ProtocolError(f"This board has pieces and no buttons: there is nothing to {what}. Use lift and drop.")
        case FingerRequest(what, cell):
            getattr(hands, what)(cell)


def _move_piece(what: str, cell: Cell, owner: Side, table: SimulatedTable) -> None:
    """A hand lifts a piece, puts one down (with nothing in it: a new one of that side), or takes one off the board."""
    if what == "drop":
        table.drop(cell, owner)
        return
    table.lift(cell)
    if what == "take":
        table.put_aside()


def _build_event(command: CommandRequest, companion: Companion) -> SessionEvent:
    now = companion.clock.now()
    if command.action:
        return TakeAction(command.action, now)
    if command.position:
        return SetUpGame(command.position, now)
    if command.cell:
        return MaskSensor(command.cell, now, command.command_name == "mask")
    match command.command_name:
        case "undo":
            return UndoTurns(now)
        case "redo":
            return RedoTurns(now)
        case "resign":
            return ResignGame(now)
        case "draw":
            return AgreeDraw(now)
        case "board":
            return BoardIsRight(now)
        case "hint":
            return AskHint(now)
        case what if what in RESUME_COMMANDS:
            return ChooseResume(ResumeChoice[what.upper()], now)
    return NewGame(command.variant or companion.session.variant, now)

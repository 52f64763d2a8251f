"""What a line asks for becomes what happens at a board, whether time there is simulated or real."""

from __future__ import annotations

from pond_hw.companion import Companion
from pond_hw.rules import Action, Position
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

PLAIN_COMMANDS: dict[str, type[UndoTurns | RedoTurns | ResignGame | AgreeDraw | BoardIsRight | AskHint]] = {
    "undo": UndoTurns,
    "redo": RedoTurns,
    "resign": ResignGame,
    "draw": AgreeDraw,
    "board": BoardIsRight,
    "hint": AskHint,
}
"""The commands that need no further field, and what they become."""


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
        case PieceRequest(piece_action) if not sensors.has_pieces:
            raise ProtocolError(f"This board has buttons and no pieces: there is nothing to {piece_action}. Use touch.")
        case PieceRequest(piece_action, cell, owner):
            if not isinstance(sensors, SimulatedTable):
                raise ProtocolError(f"The pieces of this board are of wood: no line can {piece_action} them.")
            if piece_action == "drop":
                sensors.drop(cell, companion.session.position.to_move if owner is None else owner)
            else:
                sensors.lift(cell)
            if piece_action == "take":
                sensors.put_aside()
        case FingerRequest(finger_action) if sensors.has_pieces:
            raise ProtocolError(
                f"This board has pieces and no buttons: there is nothing to {finger_action}. Use lift and drop."
            )
        case FingerRequest(finger_action, cell):
            getattr(hands, finger_action)(cell)


def _build_event(command: CommandRequest, companion: Companion) -> SessionEvent:
    now = companion.clock.now()
    match command:
        case CommandRequest("action", action=Action() as action):
            return TakeAction(action, now)
        case CommandRequest("set_up", position=Position() as position):
            return SetUpGame(position, now)
        case CommandRequest("mask" | "unmask" as command_name, cell=str(cell)):
            return MaskSensor(cell, now, command_name == "mask")
        case CommandRequest("new", variant):
            return NewGame(variant or companion.session.variant, now)
        case CommandRequest(command_name) if command_name in RESUME_COMMANDS:
            return ChooseResume(ResumeChoice[command_name.upper()], now)
    return PLAIN_COMMANDS[command.command_name](now)

"""Execution of requests on a board, in simulated or real time."""

from __future__ import annotations

from pond_hw.companion import Companion
from pond_hw.messages.message import Message
from pond_hw.server.parse_requests import CommandRequest, FingerRequest, PieceRequest, ProtocolError
from pond_hw.session import NewGame
from pond_hw.simulator import SimulatedBoard


def execute_request(
    client_request: FingerRequest | PieceRequest | CommandRequest, finger_board: SimulatedBoard, companion: Companion
) -> None:
    """Queue the events of a request. The companion handles them in its next step.

    `finger_board` simulates the client's fingers. Raises ProtocolError if this board does not support the request,
    and PondError for an unknown cell or a missing piece.
    """
    sensors = companion.board.sensors
    match client_request:
        case CommandRequest(event):
            now = companion.clock.now()
            companion.put(event._replace(instant=now) if event else NewGame(companion.session.default_variant, now))
        case PieceRequest(piece_action) if not sensors.has_pieces:
            raise ProtocolError(Message("hands.only_buttons", action=piece_action))
        case PieceRequest(piece_action, cell, owner):
            from pond_hw.simulator.board_with_pieces import SimulatedTable  # lazy: few boards are simulated tables

            if not isinstance(sensors, SimulatedTable):
                raise ProtocolError(Message("hands.real_pieces", action=piece_action))
            if piece_action == "drop":
                sensors.drop(cell, companion.session.position.to_move if owner is None else owner)
            else:
                sensors.lift(cell)
            if piece_action == "take":
                sensors.put_aside()
        case FingerRequest(finger_action) if sensors.has_pieces:
            raise ProtocolError(Message("hands.only_pieces", action=finger_action))
        case FingerRequest(finger_action, cell):
            getattr(finger_board, finger_action)(cell)

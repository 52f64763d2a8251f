"""Interpretation of the pieces on a board. This package depends on the rules, but not on `game`.

`interpreter.look_at_board` is the entry point. Other packages import from here only.
"""

from pond_hw.session.pieces.board_state import BoardState, KeyPress
from pond_hw.session.pieces.confirmation import Agreement, BoardEvent, ConfirmationState
from pond_hw.session.pieces.hand_tasks import HandTasks
from pond_hw.session.pieces.interpretations import (
    CertainMoves,
    ChooseVariant,
    ChoosingVariant,
    EndedTurns,
    InSync,
    Intent,
    Mismatch,
    Moves,
    OpenMenu,
    PendingConfirmation,
    PieceInHand,
    RefusedPress,
    RepairStep,
    TakeBack,
    find_moved_piece,
)
from pond_hw.session.pieces.interpreter import interpret_occupancy, look_at_board
from pond_hw.session.pieces.piece_view import (
    CellOverlay,
    OccupancyView,
    describe_hand_tasks,
    describe_interpretation,
    occupancy_overlay,
    view_occupancy,
)
from pond_hw.session.pieces.repair import count_turns_to_fit
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference, Occupancy, SensorHealth
from pond_hw.session.pieces.turn_search import find_actions_to_fit

"""The conversation between a board and the rules. Pure: no clock, no thread, no file, no device."""

from pond_hw.session import event_steps  # noqa: F401 - the steps that `Session.after` takes
from pond_hw.session.board_state import BoardState
from pond_hw.session.hint import ActionValue, Hint, format_hint
from pond_hw.session.resume_prompt import ResumeChoice, format_game_summary
from pond_hw.session.scene import CellRole, CellView, ConfirmWindow, Scene, ShownRefusal
from pond_hw.session.session import Session
from pond_hw.session.session_events import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    ChooseResume,
    ClockTick,
    HintFound,
    MaskSensor,
    NewGame,
    RedoTurns,
    RequestRefused,
    ResignGame,
    SavingChanged,
    SessionEvent,
    SetUpGame,
    ShowNotice,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)
from pond_hw.session.turn_messages import (
    format_outcome,
    format_preview,
    format_sets,
    format_targets,
    format_turn,
    format_turn_prompt,
)
from pond_hw.session.view import View

__all__ = [
    "ActionValue",
    "AgreeDraw",
    "AskHint",
    "BoardIsRight",
    "BoardState",
    "CellRole",
    "CellView",
    "ChooseResume",
    "ClockTick",
    "ConfirmWindow",
    "Hint",
    "HintFound",
    "MaskSensor",
    "NewGame",
    "RedoTurns",
    "RequestRefused",
    "ResignGame",
    "ResumeChoice",
    "SavingChanged",
    "Scene",
    "Session",
    "SessionEvent",
    "SetUpGame",
    "ShowNotice",
    "ShownRefusal",
    "TakeAction",
    "TroubleChanged",
    "UndoTurns",
    "View",
    "format_game_summary",
    "format_hint",
    "format_outcome",
    "format_preview",
    "format_sets",
    "format_targets",
    "format_turn",
    "format_turn_prompt",
]

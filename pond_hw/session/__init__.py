"""The conversation between a board and the rules. Pure: no clock, no thread, no file, no device."""

from pond_hw.session import event_steps, help_steps, side_steps  # noqa: F401 - the steps that `Session.after` takes
from pond_hw.session.board_state import BoardState
from pond_hw.session.head_start import MOST_HEAD_START, NO_HEAD_STARTS, HeadStarts
from pond_hw.session.help_level import FULL_HELP, HelpLevel, HelpLevels
from pond_hw.session.hint import ActionValue, Hint, describe_hint
from pond_hw.session.hint_limit import MOST_HINTS, NO_HINT_LIMITS, HintCounts, find_next_limit
from pond_hw.session.resume_prompt import ResumeChoice, describe_game
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
    SetFairStart,
    SetHeadStart,
    SetHelpLevel,
    SetHintLimit,
    SetUpGame,
    ShowNotice,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)
from pond_hw.session.turn_messages import (
    describe_outcome,
    describe_preview,
    describe_sets,
    describe_turn,
    prompt_turn,
)
from pond_hw.session.view import View

__all__ = [
    "FULL_HELP",
    "MOST_HEAD_START",
    "MOST_HINTS",
    "NO_HEAD_STARTS",
    "NO_HINT_LIMITS",
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
    "HeadStarts",
    "HelpLevel",
    "HelpLevels",
    "Hint",
    "HintCounts",
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
    "SetFairStart",
    "SetHeadStart",
    "SetHelpLevel",
    "SetHintLimit",
    "SetUpGame",
    "ShowNotice",
    "ShownRefusal",
    "TakeAction",
    "TroubleChanged",
    "UndoTurns",
    "View",
    "describe_game",
    "describe_hint",
    "describe_outcome",
    "describe_preview",
    "describe_sets",
    "describe_turn",
    "find_next_limit",
    "prompt_turn",
]

"""The conversation between a board and the rules. Pure: no clock, no thread, no file, no device.

`game` is the conversation, `pieces` tells it what the pieces on a board mean. Other rooms import from here alone.
"""

from pond_hw.session.game import event_steps, help_steps, session_events, side_steps  # noqa: F401 - the steps that `Session.after` takes
from pond_hw.session.game.exercise import (
    DEFAULT_REVEAL_AFTER,
    Course,
    Exercise,
    ExerciseStep,
    Goal,
    GoalKind,
    find_exercise,
    make_local_text,
)
from pond_hw.session.game.exercise_run import ExerciseChoice, ExerciseRun, ExerciseView
from pond_hw.session.game.fair_start import is_set_up, list_fair_starts
from pond_hw.session.game.game_events import (
    EndUndone,
    GameDeclined,
    GameEnded,
    GameEvent,
    GameLeft,
    GameResumed,
    GameStarted,
    HintGiven,
    TurnsRedone,
    TurnsUndone,
    TurnTaken,
)
from pond_hw.session.game.game_steps import begin_at_other_table
from pond_hw.session.game.head_start import MOST_HEAD_START, NO_HEAD_STARTS, HeadStarts, find_start
from pond_hw.session.game.help_level import FULL_HELP, HelpLevel, HelpLevels
from pond_hw.session.game.help_menu import describe_help_choice
from pond_hw.session.game.help_steps import find_side_help
from pond_hw.session.game.hint import ActionValue, Hint
from pond_hw.session.game.hint_limit import MOST_HINTS, NO_HINT_LIMITS, HintCounts, find_next_limit
from pond_hw.session.game.long_presses import HeldFingers
from pond_hw.session.game.menu_choice import MenuChoice
from pond_hw.session.game.permission import PERMISSION_SECONDS, PermissionView
from pond_hw.session.game.resume_prompt import ResumeChoice, describe_game
from pond_hw.session.game.session import Session
from pond_hw.session.game.session_events import (
    AgreeDraw,
    AskHint,
    AskPermission,
    BoardIsRight,
    ChangeCourse,
    ChooseExercise,
    ChooseResume,
    ClockTick,
    HintFound,
    MaskSensor,
    NewGame,
    PauseExercise,
    RecallHelp,
    RedoTurns,
    RequestRefused,
    ResignGame,
    SavingChanged,
    SeatsChanged,
    SessionEvent,
    SetFairStart,
    SetHeadStart,
    SetHelpLevel,
    SetHintLimit,
    SetUpGame,
    ShowNotice,
    StartExercise,
    TakeAction,
    TroubleChanged,
    UndoTurns,
    WithdrawRequest,
)
from pond_hw.session.game.side_help import USUAL_HELP, SideHelp, with_side
from pond_hw.session.game.threat import find_threat
from pond_hw.session.game.view import View
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.confirmation import Dialogue
from pond_hw.session.pieces.hand_tasks import HandTasks
from pond_hw.session.pieces.interpretations import Intent, Moves, OpenMenu, PendingConfirmation, RepairStep, TakeBack
from pond_hw.session.pieces.piece_messages import describe_hand_tasks
from pond_hw.session.pieces.piece_view import OccupancyView
from pond_hw.session.pieces.sensors import BoardDifference, Occupancy, SensorHealth
from pond_hw.session.scene import CellRole, CellView, ConfirmWindow, PhoneSign, Scene, ShownRefusal, SignColour
from pond_hw.session.turn_messages import (
    describe_outcome,
    describe_preview,
    describe_sets,
    describe_turn,
    find_targets,
    prompt_turn,
)

__all__ = [
    "DEFAULT_REVEAL_AFTER",
    "FULL_HELP",
    "MOST_HEAD_START",
    "MOST_HINTS",
    "NO_HEAD_STARTS",
    "NO_HINT_LIMITS",
    "PERMISSION_SECONDS",
    "USUAL_HELP",
    "ActionValue",
    "AgreeDraw",
    "AskHint",
    "AskPermission",
    "BoardDifference",
    "BoardIsRight",
    "BoardState",
    "CellRole",
    "CellView",
    "ChangeCourse",
    "ChooseExercise",
    "ChooseResume",
    "ClockTick",
    "ConfirmWindow",
    "Course",
    "Dialogue",
    "EndUndone",
    "Exercise",
    "ExerciseChoice",
    "ExerciseRun",
    "ExerciseStep",
    "ExerciseView",
    "GameDeclined",
    "GameEnded",
    "GameEvent",
    "GameLeft",
    "GameResumed",
    "GameStarted",
    "Goal",
    "GoalKind",
    "HandTasks",
    "HeadStarts",
    "HeldFingers",
    "HelpLevel",
    "HelpLevels",
    "Hint",
    "HintCounts",
    "HintFound",
    "HintGiven",
    "Intent",
    "MaskSensor",
    "MenuChoice",
    "Moves",
    "NewGame",
    "Occupancy",
    "OccupancyView",
    "OpenMenu",
    "PauseExercise",
    "PendingConfirmation",
    "PermissionView",
    "PhoneSign",
    "RecallHelp",
    "RedoTurns",
    "RepairStep",
    "RequestRefused",
    "ResignGame",
    "ResumeChoice",
    "SavingChanged",
    "Scene",
    "SeatsChanged",
    "SensorHealth",
    "Session",
    "SessionEvent",
    "SetFairStart",
    "SetHeadStart",
    "SetHelpLevel",
    "SetHintLimit",
    "SetUpGame",
    "ShowNotice",
    "ShownRefusal",
    "SideHelp",
    "SignColour",
    "StartExercise",
    "TakeAction",
    "TakeBack",
    "TroubleChanged",
    "TurnTaken",
    "TurnsRedone",
    "TurnsUndone",
    "UndoTurns",
    "View",
    "WithdrawRequest",
    "begin_at_other_table",
    "describe_game",
    "describe_hand_tasks",
    "describe_help_choice",
    "describe_outcome",
    "describe_preview",
    "describe_sets",
    "describe_turn",
    "find_exercise",
    "find_next_limit",
    "find_side_help",
    "find_start",
    "find_targets",
    "find_threat",
    "is_set_up",
    "list_fair_starts",
    "make_local_text",
    "prompt_turn",
    "session_events",
    "with_side",
]

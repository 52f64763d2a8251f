"""Game sessions: interpretation of board input according to the rules, free of clocks, threads, files and devices.

`game` handles events and keeps the session state, and `pieces` interprets the pieces on a board. Other packages import
from here only.
"""

from pond_hw.session.game import session_events
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
from pond_hw.session.game.help_requests import find_side_help
from pond_hw.session.game.hints_and_warnings import ActionValue, Hint
from pond_hw.session.game.link_changes import describe_request
from pond_hw.session.game.link_messages import describe_link
from pond_hw.session.game.link_view import (
    DrawChange,
    LinkChange,
    LinkView,
    NewGameChange,
    ResignChange,
    TakeBackChange,
    VersionQuestion,
)
from pond_hw.session.game.long_presses import HeldFingers
from pond_hw.session.game.menu import MenuChoice, describe_setting, describe_setting_value
from pond_hw.session.game.permission import PERMISSION_SECONDS, PermissionView
from pond_hw.session.game.resume_prompt import ResumeChoice, describe_game
from pond_hw.session.game.session import Session, begin_on_other_board
from pond_hw.session.game.session_events import (
    AgreeDraw,
    AskHint,
    AskPermission,
    BoardIsRight,
    ChangeAsked,
    ChangeCourse,
    ChangeSetting,
    ChooseExercise,
    ChooseResume,
    ClockTick,
    EndTurn,
    EndUndone,
    FollowGame,
    GameDeclined,
    GameEnded,
    GameEvent,
    GameLeft,
    GameResumed,
    GameStarted,
    HintFound,
    HintGiven,
    LinkChanged,
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
    SetUpGame,
    ShowNotice,
    StartExercise,
    TakeAction,
    TroubleChanged,
    TurnsRedone,
    TurnsUndone,
    TurnTaken,
    UndoTurns,
    WithdrawRequest,
)
from pond_hw.session.game.settings import (
    DEFAULT_HELP,
    MAX_HINTS,
    SETTINGS,
    SIDE_SETTINGS,
    TABLE_SETTINGS,
    TURN_KEY,
    UNLIMITED_HINTS,
    HelpLevel,
    HintCounts,
    Setting,
    SettingValue,
    SideHelp,
    name_value,
    with_side,
)
from pond_hw.session.game.start_positions import is_set_up
from pond_hw.session.game.view import View
from pond_hw.session.pieces import (
    Agreement,
    BoardDifference,
    BoardState,
    ConfirmationState,
    HandTasks,
    Intent,
    Moves,
    Occupancy,
    OccupancyView,
    OpenMenu,
    PendingConfirmation,
    RepairStep,
    SensorHealth,
    TakeBack,
    describe_hand_tasks,
)
from pond_hw.session.scene import CellRole, CellView, ConfirmWindow, PhoneSign, Scene, ShownRefusal, SignColour
from pond_hw.session.turn_messages import (
    describe_end,
    describe_outcome,
    describe_preview,
    describe_sets,
    describe_turn,
    find_targets,
    prompt_turn,
)

"""Events that a session accepts, and the changes to the game that it reports to the journal.

All instants are in seconds. An event with `in_exercise` set applies only during an exercise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Outcome, Position, Side, Variant
from pond_hw.session.game.exercise import Course
from pond_hw.session.game.exercise_run import ExerciseChoice
from pond_hw.session.game.hints_and_warnings import ActionValue
from pond_hw.session.game.resume_prompt import ResumeChoice
from pond_hw.session.game.settings import Setting, SettingValue, SideHelp
from pond_hw.session.scene import PhoneSign


class TakeAction(NamedTuple):
    """Action requested by a screen, a program or a remote player.

    With a `side` the action counts only on that side's turn and may need confirmation after a warning: see
    `PlayedGame.gives_warnings`.
    """

    action: Action
    instant: float
    side: Side | None = None
    in_exercise: bool = False


class UndoTurns(NamedTuple):
    """Request to undo turns, only if the last turn has the given `number` (None: any). A declared end counts as a turn."""

    instant: float
    turn_count: int = 1
    number: int | None = None
    in_exercise: bool = False


class RedoTurns(NamedTuple):
    """Request to redo turns, only if the first one would get the given `number` (None: any)."""

    instant: float
    turn_count: int = 1
    number: int | None = None
    in_exercise: bool = False


class NewGame(NamedTuple):
    """Request to start a new game."""

    variant: Variant
    instant: float


class ResignGame(NamedTuple):
    """Resignation of a side, by default the side to move."""

    instant: float
    side: Side | None = None


class AgreeDraw(NamedTuple):
    """Agreement on a draw."""

    instant: float


class RequestRefused(NamedTuple):
    """Refusal of a player's request by the companion."""

    message: Message
    instant: float
    cell: Cell | None = None


class TroubleChanged(NamedTuple):
    """Failure of the sensors or lamps; no message means that they work again."""

    message: Message | None
    instant: float


class ShowNotice(NamedTuple):
    """Messages that do not change the game."""

    messages: tuple[Message, ...]
    instant: float


class ChangeCourse(NamedTuple):
    """New exercises for a course, such as those of the next day. The current exercise continues."""

    course: Course
    instant: float


class SetUpGame(NamedTuple):
    """Request to start a game from a position set up by hand, as accepted by `Position.from_notation`."""

    position: Position
    instant: float


class BoardIsRight(NamedTuple):
    """Request to adapt the game to the board, by undoing turns or by taking the actions that explain it."""

    instant: float


class EndTurn(NamedTuple):
    """Press of a side's turn key; None stands for the side to move."""

    instant: float
    side: Side | None = None


class MaskSensor(NamedTuple):
    """Request to ignore a cell's sensor, or to trust it again (`is_bad` is False)."""

    cell: Cell
    instant: float
    is_bad: bool = True


class AskHint(NamedTuple):
    """Request for a hint, for one side only or for the side to move (None)."""

    instant: float
    side: Side | None = None
    in_exercise: bool = False


class HintFound(NamedTuple):
    """Hint from the adviser."""

    action: Action
    action_value: ActionValue
    instant: float


class ChooseResume(NamedTuple):
    """Answer to the resume prompt."""

    choice: ResumeChoice
    instant: float


class ChangeSetting(NamedTuple):
    """New value of a setting, for one side or for the table."""

    setting: Setting
    side: Side | None
    value: SettingValue
    instant: float


class RecallHelp(NamedTuple):
    """Saved settings of the person who now plays a side; `name` is None if unknown."""

    side: Side
    side_help: SideHelp
    instant: float
    name: str | None = None


class AskPermission(NamedTuple):
    """Request from a phone: the cells must be pressed in order. Only one request is pending at a time."""

    purpose: Message
    cells: tuple[Cell, ...]
    instant: float
    number: int
    sign: PhoneSign


class WithdrawRequest(NamedTuple):
    """Withdrawal of a phone's request."""

    number: int
    instant: float


class SeatsChanged(NamedTuple):
    """Number of seats held by phones; None without a phone page."""

    seat_count: int | None
    instant: float


class SendPhonesAway(NamedTuple):
    """Request to take all seats away from the phones."""

    instant: float


class StartExercise(NamedTuple):
    """Request to start an exercise, by default the next unfinished one in its course. This pauses the game."""

    course_name: str
    instant: float
    name: str | None = None


class PauseExercise(NamedTuple):
    """Request to be asked how to continue an exercise."""

    instant: float


class ChooseExercise(NamedTuple):
    """Choice of how to continue the exercise."""

    choice: ExerciseChoice
    instant: float


class OpenGameMenu(NamedTuple):
    """Request to open the menu of a board with buttons; during an exercise, to be asked how to continue."""

    instant: float


class SavingChanged(NamedTuple):
    """Failure to save games; no message means that saving works again."""

    trouble: Message | None
    instant: float


class ClockTick(NamedTuple):
    """Passage of time, at least up to `Session.next_due`."""

    instant: float


AlwaysAccepted = (
    Touch
    | ClockTick
    | TroubleChanged
    | ShowNotice
    | ChangeCourse
    | SavingChanged
    | HintFound
    | WithdrawRequest
    | SeatsChanged
)
"""Events accepted even while the sensors or lamps have failed."""

KeepsHint = (
    ShowNotice | ChangeCourse | SavingChanged | ClockTick | AskHint | AskPermission | WithdrawRequest | SeatsChanged
)
"""Events that keep the current hint, because no player has acted."""

MayNeedExercise = TakeAction | UndoTurns | RedoTurns | AskHint
"""Events that may be limited to exercises."""

BlockedByResumePrompt = (
    TakeAction | UndoTurns | RedoTurns | BoardIsRight | EndTurn | AskHint | ResignGame | AgreeDraw | OpenGameMenu
)
"""Events that are refused while a resume prompt is open."""

SessionEvent = (
    AlwaysAccepted
    | BlockedByResumePrompt
    | NewGame
    | SetUpGame
    | MaskSensor
    | ChooseResume
    | RequestRefused
    | ChangeSetting
    | RecallHelp
    | AskPermission
    | SendPhonesAway
    | StartExercise
    | PauseExercise
    | ChooseExercise
)
"""All events that a session accepts."""


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """A turn taken by one side."""

    action: Action


@dataclass(frozen=True, slots=True)
class TurnsUndone:
    """Undo of the last `turn_count` turns."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class TurnsRedone:
    """Redo of `turn_count` turns."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """Resignation or agreed draw."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class EndUndone:
    """Undo of a resignation or agreed draw."""


@dataclass(frozen=True, slots=True)
class HintGiven:
    """Hint that counts against a side's limit."""

    side: Side


@dataclass(frozen=True, slots=True)
class GameLeft:
    """Abandonment of an unfinished game for a new one."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Start of a new game, from the empty pond or from `custom_start`."""

    variant: Variant
    custom_start: Position | None = None


@dataclass(frozen=True, slots=True)
class GameResumed:
    """Acceptance of the offer to resume a game."""


@dataclass(frozen=True, slots=True)
class GameDeclined:
    """Refusal of the offer to resume a game; a new game has started."""


GameEvent = (
    TurnTaken
    | TurnsUndone
    | TurnsRedone
    | GameEnded
    | EndUndone
    | HintGiven
    | GameLeft
    | GameStarted
    | GameResumed
    | GameDeclined
)

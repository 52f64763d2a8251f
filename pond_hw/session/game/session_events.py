"""Events that a session accepts, and game changes that it reports to the journal.

All instants are in seconds. An event with `in_exercise` set is valid only during an exercise.
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
from pond_hw.session.game.link_view import LinkChange, LinkView
from pond_hw.session.game.resume_prompt import ResumeChoice
from pond_hw.session.game.settings import Setting, SettingValue, SideHelp
from pond_hw.session.scene import PhoneSign


class TakeAction(NamedTuple):
    """Action requested by a screen, a program or a remote player.

    If `side` is set, it must be that side's turn, and the action may need confirmation after a warning: see
    `PlayedGame.gives_warnings`.
    """

    action: Action
    instant: float
    side: Side | None = None
    in_exercise: bool = False


class UndoTurns(NamedTuple):
    """Request to undo turns.

    If `number` is set, it must be the number of the last turn. A resignation or agreed draw counts as a turn.
    """

    instant: float
    turn_count: int = 1
    number: int | None = None
    in_exercise: bool = False


class RedoTurns(NamedTuple):
    """Request to redo turns. If `number` is set, it must be the number of the first turn to redo."""

    instant: float
    turn_count: int = 1
    number: int | None = None
    in_exercise: bool = False


class NewGame(NamedTuple):
    """Request to start a new game."""

    variant: Variant
    instant: float


class ResignGame(NamedTuple):
    """Request to resign, by default for the side to move."""

    instant: float
    side: Side | None = None


class AgreeDraw(NamedTuple):
    """Request to end the game as an agreed draw."""

    instant: float


class RequestRefused(NamedTuple):
    """Report that the companion refused a player's request."""

    message: Message
    instant: float
    cell: Cell | None = None


class TroubleChanged(NamedTuple):
    """Report that the sensors or lamps have failed, or that they work again (`message` is None)."""

    message: Message | None
    instant: float


class ShowNotice(NamedTuple):
    """Request to show messages that do not affect the game."""

    messages: tuple[Message, ...]
    instant: float


class ChangeCourse(NamedTuple):
    """Request to replace a course's exercises, for example on a new day. The current exercise continues."""

    course: Course
    instant: float


class SetUpGame(NamedTuple):
    """Request to start a game from a given position, as returned by `Position.from_notation`."""

    position: Position
    instant: float


class BoardIsRight(NamedTuple):
    """Request to adapt the game to the pieces on the board, by undoing turns or by taking actions that explain them."""

    instant: float


class EndTurn(NamedTuple):
    """Press of a turn key. If `side` is None, the key stands for the side to move."""

    instant: float
    side: Side | None = None


class MaskSensor(NamedTuple):
    """Request to ignore a cell's sensor, or to trust it again if `is_bad` is False."""

    cell: Cell
    instant: float
    is_bad: bool = True


class AskHint(NamedTuple):
    """Request for a hint. If `side` is set, it must be that side's turn."""

    instant: float
    side: Side | None = None
    in_exercise: bool = False


class HintFound(NamedTuple):
    """Hint computed by the adviser."""

    action: Action
    action_value: ActionValue
    instant: float


class ChooseResume(NamedTuple):
    """Answer to the resume prompt."""

    choice: ResumeChoice
    instant: float


class ChangeSetting(NamedTuple):
    """Request to change a side's setting, or a table setting if `side` is None."""

    setting: Setting
    side: Side | None
    value: SettingValue
    instant: float


class RecallHelp(NamedTuple):
    """Request to apply a player's saved settings to a side. `name` is None if the player is unknown."""

    side: Side
    side_help: SideHelp
    instant: float
    name: str | None = None


class AskPermission(NamedTuple):
    """Request granted by pressing the cells in order. Only one request can be pending at a time.

    If `from_phone` is False, it comes from the other home of a linked game, and the sign is not shown.
    """

    purpose: Message
    cells: tuple[Cell, ...]
    instant: float
    number: int
    sign: PhoneSign
    from_phone: bool = True


class WithdrawRequest(NamedTuple):
    """Report that a phone has withdrawn its request."""

    number: int
    instant: float


class SeatsChanged(NamedTuple):
    """Report of the number of seats that phones hold. `seat_count` is None if there is no phone page."""

    seat_count: int | None
    instant: float


class SendPhonesAway(NamedTuple):
    """Request to take all seats away from the phones."""

    instant: float


class StartExercise(NamedTuple):
    """Request to start an exercise, by default the next unfinished one in its course. The game is paused."""

    course_name: str
    instant: float
    name: str | None = None


class PauseExercise(NamedTuple):
    """Request to interrupt an exercise and ask how to continue."""

    instant: float


class ChooseExercise(NamedTuple):
    """Choice of how to continue an exercise."""

    choice: ExerciseChoice
    instant: float


class OpenGameMenu(NamedTuple):
    """Request to open the menu of a board with buttons. During an exercise, ask how to continue instead."""

    instant: float


class LinkChanged(NamedTuple):
    """Report of the link's state. The session knows the `game` and `side` of the link itself."""

    link: LinkView
    instant: float


class FollowGame(NamedTuple):
    """Request to follow the log of a linked game. Ignored unless the board fits.

    If the board plays this game, `turn` must be the number of its turns. The first `keep` turns stay, then come the
    actions, then the outcome that a player declared. If the board plays another game, `turn` and `keep` must be 0, and
    a new game begins.
    """

    game: str
    side: Side | None
    variant: Variant
    turn: int
    keep: int
    actions: tuple[Action, ...]
    outcome: Outcome | None
    instant: float


class SavingChanged(NamedTuple):
    """Report that games cannot be saved, or that saving works again (`trouble` is None)."""

    trouble: Message | None
    instant: float


class ClockTick(NamedTuple):
    """Report of the current time, due no later than `Session.next_due`."""

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
    | LinkChanged
    | FollowGame
)
"""Events accepted even while the sensors or lamps have failed."""

KeepsHint = (
    ShowNotice
    | ChangeCourse
    | SavingChanged
    | ClockTick
    | AskHint
    | AskPermission
    | WithdrawRequest
    | SeatsChanged
    | LinkChanged
)
"""Events that leave the current hint visible."""

MayNeedExercise = TakeAction | UndoTurns | RedoTurns | AskHint
"""Events that may be valid only during an exercise."""

BlockedByResumePrompt = (
    TakeAction | UndoTurns | RedoTurns | BoardIsRight | EndTurn | AskHint | ResignGame | AgreeDraw | OpenGameMenu
)
"""Events that are refused while the resume prompt is open."""

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
    """A side took a turn."""

    action: Action


@dataclass(frozen=True, slots=True)
class TurnsUndone:
    """The last `turn_count` turns were undone."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class TurnsRedone:
    """The next `turn_count` undone turns were redone."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A side resigned, or the players agreed on a draw."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class EndUndone:
    """A resignation or agreed draw was undone."""


@dataclass(frozen=True, slots=True)
class HintGiven:
    """A side was given a hint that counts against its limit."""

    side: Side


@dataclass(frozen=True, slots=True)
class GameLeft:
    """The players left an unfinished game for a new one."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A new game started, from an empty pond or from `custom_start`."""

    variant: Variant
    custom_start: Position | None = None


@dataclass(frozen=True, slots=True)
class GameResumed:
    """The players resumed an unfinished game."""


@dataclass(frozen=True, slots=True)
class GameDeclined:
    """The players declined to resume an unfinished game, and a new game started."""


@dataclass(frozen=True, slots=True)
class ChangeAsked:
    """The players here ask the other home for a change. The game has not changed."""

    change: LinkChange


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
    | ChangeAsked
)

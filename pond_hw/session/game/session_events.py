"""Events of a session: those that it takes, which people, boards, programs and clocks cause, and those that it reports.

A step that changes nothing in the game, as nearly every touch and tick, reports none. The journal writes what is reported.
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
    """Take an action, named and not pressed: from a screen, a program or another player.

    If a side is given, the action counts only if that side is to move: who is late does not act for the other one. It
    is a person then, who may have to do it twice: see `PlayedGame.gives_warnings`. `in_exercise`: it counts in an
    exercise only.
    """

    action: Action
    instant: float
    side: Side | None = None
    in_exercise: bool = False


class UndoTurns(NamedTuple):
    """Take back so many turns, scored pieces included; a resignation or an agreement counts as one.

    Attributes:
        instant: when, in seconds.
        turn_count: how many.
        number: number of the last turn, as `PlayedGame.turn_number` counts; None if any turn will do.
        in_exercise: whether it counts in an exercise only.
    """

    instant: float
    turn_count: int = 1
    number: int | None = None
    in_exercise: bool = False


class RedoTurns(NamedTuple):
    """Play again so many turns that were taken back.

    Attributes:
        instant: when, in seconds.
        turn_count: how many.
        number: number that the first of them gets; None if any turn will do.
        in_exercise: whether it counts in an exercise only.
    """

    instant: float
    turn_count: int = 1
    number: int | None = None
    in_exercise: bool = False


class NewGame(NamedTuple):
    """Leave this game and begin another."""

    variant: Variant
    instant: float


class ResignGame(NamedTuple):
    """A side gives up; None is the side to move."""

    instant: float
    side: Side | None = None


class AgreeDraw(NamedTuple):
    """Both players agree to a draw."""

    instant: float


class RequestRefused(NamedTuple):
    """The companion does not allow what a player asked."""

    message: Message
    instant: float
    cell: Cell | None = None


class TroubleChanged(NamedTuple):
    """The sensors or lamps have failed, and a message says why; or None: they work again."""

    message: Message | None
    instant: float


class ShowNotice(NamedTuple):
    """Something that the players should know, and that changes nothing."""

    messages: tuple[Message, ...]
    instant: float


class ChangeCourse(NamedTuple):
    """A course has other exercises from now on, such as those of another day; what is being done goes on."""

    course: Course
    instant: float


class SetUpGame(NamedTuple):
    """Begin a game from a position that somebody has set up by hand; it is one that `Position.from_notation` would read."""

    position: Position
    instant: float


class BoardIsRight(NamedTuple):
    """The board is right: take back as many turns as it needs, or the one action that explains it."""

    instant: float


class EndTurn(NamedTuple):
    """A side says that its turn is done: what the pieces on the board show counts.

    Attributes:
        instant: when, in seconds.
        side: the side; None: the one to move.
    """

    instant: float
    side: Side | None = None


class MaskSensor(NamedTuple):
    """The sensor of a cell is known to be bad, and nobody asks it any more; or (`is_bad` is False) it is good again."""

    cell: Cell
    instant: float
    is_bad: bool = True


class AskHint(NamedTuple):
    """A request for a hint.

    Attributes:
        instant: when, in seconds.
        side: the side that it is for, if it counts only as long as that side is to move.
        in_exercise: whether it counts in an exercise only.
    """

    instant: float
    side: Side | None = None
    in_exercise: bool = False


class HintFound(NamedTuple):
    """The hint has been found. It changes nothing in the game."""

    action: Action
    action_value: ActionValue
    instant: float


class ChooseResume(NamedTuple):
    """The players choose what becomes of the game that is offered."""

    choice: ResumeChoice
    instant: float


class ChangeSetting(NamedTuple):
    """A setting gets another value from now on.

    Attributes:
        setting: the setting.
        side: the side whose setting it is; None if it is one of the table.
        value: one of its values.
        instant: when, in seconds.
    """

    setting: Setting
    side: Side | None
    value: SettingValue
    instant: float


class RecallHelp(NamedTuple):
    """Another person plays a side, which gets what is remembered of them.

    Attributes:
        side: the side.
        side_help: what it gets from now on.
        instant: when, in seconds.
        name: whose help that is; None: nobody's.
    """

    side: Side
    side_help: SideHelp
    instant: float
    name: str | None = None


class AskPermission(NamedTuple):
    """A person who is not at the board asks for something. One request is answered at a time; others are ignored.

    Attributes:
        purpose: what is asked for, as a message.
        cells: the cells to press at the board, in their order.
        instant: when, in seconds.
        number: of the request: no two have the same one.
        sign: of the phone that asks.
    """

    purpose: Message
    cells: tuple[Cell, ...]
    instant: float
    number: int
    sign: PhoneSign


class WithdrawRequest(NamedTuple):
    """Whoever has asked for something does not want it any more, or has left."""

    number: int
    instant: float


class SeatsChanged(NamedTuple):
    """People who are not at the board have another number of seats; None if no program speaks for them."""

    seat_count: int | None
    instant: float


class SendPhonesAway(NamedTuple):
    """A hand at the board takes all those seats away."""

    instant: float


class StartExercise(NamedTuple):
    """An exercise is requested; the game waits meanwhile.

    Attributes:
        course_name: the course that it is from, such as `lessons`.
        instant: when, in seconds.
        name: which one; None: the next of them that is not done.
    """

    course_name: str
    instant: float
    name: str | None = None


class PauseExercise(NamedTuple):
    """The choice how to go on with an exercise is requested."""

    instant: float


class ChooseExercise(NamedTuple):
    """The players choose how to go on with an exercise."""

    choice: ExerciseChoice
    instant: float


class OpenGameMenu(NamedTuple):
    """A finger at a board with buttons wants the menu; in an exercise, the choice how to go on."""

    instant: float


class SavingChanged(NamedTuple):
    """Nothing is saved any more, and a message says why; or None: everything is saved again."""

    trouble: Message | None
    instant: float


class ClockTick(NamedTuple):
    """Time has passed: it is at least `Session.next_due`."""

    instant: float


AlwaysTaken = (
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
"""Events that are taken while the board is in trouble, too."""

KeepsHint = (
    ShowNotice | ChangeCourse | SavingChanged | ClockTick | AskHint | AskPermission | WithdrawRequest | SeatsChanged
)
"""Events that leave a hint where it is: nobody has done anything."""

MayNeedExercise = TakeAction | UndoTurns | RedoTurns | AskHint
"""Requests that may count in an exercise only: the game that waits is another matter."""

NeedsResumeChoice = (
    TakeAction | UndoTurns | RedoTurns | BoardIsRight | EndTurn | AskHint | ResignGame | AgreeDraw | OpenGameMenu
)
"""Events that wait until the players have chosen what becomes of an unfinished game."""

SessionEvent = (
    AlwaysTaken
    | NeedsResumeChoice
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
"""Every event that a session takes."""


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """A side took its turn with this action."""

    action: Action


@dataclass(frozen=True, slots=True)
class TurnsUndone:
    """The last `turn_count` turns were taken back."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class TurnsRedone:
    """`turn_count` turns that had been taken back were played again."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The players ended the game themselves."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class EndUndone:
    """The players took such an end back."""


@dataclass(frozen=True, slots=True)
class HintGiven:
    """A side got one of the hints that it has in this game."""

    side: Side


@dataclass(frozen=True, slots=True)
class GameLeft:
    """The players left a game that is not over; another one has started."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Another game started.

    Attributes:
        variant: the variant that is played.
        custom_start: the position that it starts from, or None for the empty pond.
    """

    variant: Variant
    custom_start: Position | None = None


@dataclass(frozen=True, slots=True)
class GameResumed:
    """The players resumed the game that was offered."""


@dataclass(frozen=True, slots=True)
class GameDeclined:
    """The players left the game that was offered; another one has started."""


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

"""The events that a session takes: what people, boards, programs and clocks do."""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Position, Side, Variant
from pond_hw.session.hint import ActionValue
from pond_hw.session.resume_prompt import ResumeChoice


class TakeAction(NamedTuple):
    """Take an action, named and not pressed: from a screen, a program or another player.

    If a side is given, the action counts only if that side is to move: who is late does not act for the other one.
    """

    action: Action
    instant: float
    side: Side | None = None


class UndoTurns(NamedTuple):
    """Take back so many turns, scored pieces included; a resignation or an agreement counts as one."""

    instant: float
    turn_count: int = 1


class RedoTurns(NamedTuple):
    """Play again so many turns that were taken back."""

    instant: float
    turn_count: int = 1


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
    """Somebody outside the session (the companion, for a player) does not allow what was asked."""

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


class SetUpGame(NamedTuple):
    """Begin a game from a position that somebody has set up by hand; it is one that `Position.from_notation` would read."""

    position: Position
    instant: float


class BoardIsRight(NamedTuple):
    """The board is right: take back as many turns as it needs, or the one action that explains it."""

    instant: float


class MaskSensor(NamedTuple):
    """The sensor of a cell is known to be bad, and nobody asks it any more; or (`is_bad` is False) it is good again."""

    cell: Cell
    instant: float
    is_bad: bool = True


class AskHint(NamedTuple):
    """Somebody asks for a hint."""

    instant: float


class HintFound(NamedTuple):
    """The hint has been found. It changes nothing in the game."""

    action: Action
    action_value: ActionValue
    instant: float


class ChooseResume(NamedTuple):
    """What becomes of the game that is offered."""

    choice: ResumeChoice
    instant: float


class AskPermission(NamedTuple):
    """Somebody who is not at the board asks for something. One request is answered at a time; others are not heard.

    Attributes:
        purpose: what is asked for, as a message.
        cells: the cells to press at the board, in their order.
        instant: when, in seconds.
        number: of the request: no two have the same one.
    """

    purpose: Message
    cells: tuple[Cell, ...]
    instant: float
    number: int


class WithdrawRequest(NamedTuple):
    """Whoever has asked for something does not want it any more, or has left."""

    number: int
    instant: float


class SeatsChanged(NamedTuple):
    """There are seats for people who are not at the board, or there are none any more."""

    has_seats: bool
    instant: float


class SendPhonesAway(NamedTuple):
    """A hand at the board takes all those seats away."""

    instant: float


class SavingChanged(NamedTuple):
    """Nothing is saved any more, and a message says why; or None: everything is saved again."""

    trouble: Message | None
    instant: float


class ClockTick(NamedTuple):
    """Time has passed: it is at least `Session.next_due`."""

    instant: float


AlwaysTaken = (
    Touch | ClockTick | TroubleChanged | ShowNotice | SavingChanged | HintFound | WithdrawRequest | SeatsChanged
)
"""What is taken in while the board is in trouble, too."""

KeepsHint = ShowNotice | SavingChanged | ClockTick | AskHint | AskPermission | WithdrawRequest | SeatsChanged
"""What leaves a hint where it is: nobody has done anything."""

NeedsResumeChoice = TakeAction | UndoTurns | RedoTurns | BoardIsRight | AskHint | ResignGame | AgreeDraw
"""What has to wait until the players have chosen what becomes of an unfinished game."""

SessionEvent = (
    AlwaysTaken
    | NeedsResumeChoice
    | NewGame
    | SetUpGame
    | MaskSensor
    | ChooseResume
    | RequestRefused
    | AskPermission
    | SendPhonesAway
)
"""Every event that a session takes."""

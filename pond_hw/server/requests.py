"""What a line of the protocol can ask for; `protocol` reads them."""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.engine import PlayerNames
from pond_hw.rules import Action, Side
from pond_hw.session import SessionEvent

FINGER_ACTIONS = ("touch", "press", "release")
PIECE_ACTIONS = ("lift", "drop", "take")

QUERY_NAMES = ("state", "frame", "record", "what_if", "games", "game", "health", "doctor", "exercises", "exercise")


class FingerRequest(NamedTuple):
    """A finger does something at a cell: one of `FINGER_ACTIONS`."""

    finger_action: str
    cell: str


class PieceRequest(NamedTuple):
    """A hand does something with a piece at a cell: one of `PIECE_ACTIONS`; `owner`: whose piece it drops, if that is said."""

    piece_action: str
    cell: str
    owner: Side | None = None


class WaitRequest(NamedTuple):
    """Let simulated time pass."""

    seconds: float


class CommandRequest(NamedTuple):
    """Something for the session, but for its instant; None: a new game of the same variant.

    Attributes:
        event: what happens.
        confirm: whether it waits until somebody at the board has allowed it; see `RemotePeople.ask_to_confirm`.
        players: who plays the new game; None: the same.
        people: what the people in it are called; None: the same.
    """

    event: SessionEvent | None
    confirm: bool = False
    players: PlayerNames | None = None
    people: PlayerNames | None = None


class LanguageRequest(NamedTuple):
    """Speak one of `LANGUAGES` to this client from now on."""

    language: str


class QueryRequest(NamedTuple):
    """One of `QUERY_NAMES`.

    Attributes:
        query_name: which.
        action: goes with `what_if`.
        number: goes with `game`.
        language: goes with `exercises`; None: that of the client.
        exercise: goes with `exercise`: the names of its course and of itself.
    """

    query_name: str
    action: Action | None = None
    number: int | None = None
    language: str | None = None
    exercise: tuple[str, str] | None = None


class SeatRequest(NamedTuple):
    """Somebody who is not at the board asks to play for these sides."""

    sides: tuple[Side, ...]


class BrightnessRequest(NamedTuple):
    """The lamps are to be so bright, more than 0 and up to 1, until the service ends."""

    brightness: float


class WithdrawRequest(NamedTuple):
    """Whoever waits for something to be allowed waits no more."""


class SeatNotice(NamedTuple):
    """The seats of those who play through this client: the number of each, and its sides."""

    seats: tuple[tuple[int, tuple[Side, ...]], ...]


class RevokeRequest(NamedTuple):
    """A seat is taken away, wherever it is; None: all.

    Attributes:
        seat_number: which.
        confirm: whether it waits until somebody at the board has allowed it.
    """

    seat_number: int | None
    confirm: bool = False


RemoteRequest = SeatRequest | WithdrawRequest | SeatNotice | RevokeRequest
"""What concerns people who are not at the board."""

ClientRequest = (
    FingerRequest
    | PieceRequest
    | WaitRequest
    | CommandRequest
    | LanguageRequest
    | BrightnessRequest
    | QueryRequest
    | RemoteRequest
)

"""Connection between the card game and a lit board."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from pond_hw.board import Board, BoardFault, Frame, HealthEvent, SensorEvent, Touch
from pond_hw.cards.lamps import render_card_scene
from pond_hw.cards.scene import MIN_BOARD_SIZE, CardScene
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Cell

if TYPE_CHECKING:
    from pond_hw.profile.board_profile import Profile


class CardBoard:
    """A lit board that shows a card game.

    Args:
        board: the board; `open_card_board` opens one from a profile.

    Attributes:
        frame: the frame shown by the lamps.

    Raises:
        PondError: the board has too few cells.
    """

    def __init__(self, board: Board, limiter: CurrentLimiter, now: Callable[[], float]) -> None:
        if board.size < MIN_BOARD_SIZE:
            raise PondError(Message("cards.board_too_small", size=board.size, least=MIN_BOARD_SIZE))
        self.board, self.limiter, self.now = board, limiter, now
        self._events: SimpleQueue[SensorEvent] = SimpleQueue()
        self.frame = Frame.dark_frame_of(board.lamps)
        self._sensor_trouble: Message | None = None
        self._lamp_trouble: Message | None = None
        self._held = ExitStack()

    @property
    def trouble(self) -> Message | None:
        """Current sensor or lamp fault, or None."""
        return self._sensor_trouble or self._lamp_trouble

    @property
    def size(self) -> int:
        return self.board.size

    def open(self, held: ExitStack | None = None) -> None:
        """Open the board.

        Args:
            held: resource to close together with the board, such as a lock.

        Raises:
            BoardFault: the board cannot be opened.
        """
        if held:
            self._held.enter_context(held)
        try:
            self.board.open(self._events.put)
        except BaseException:
            self._held.close()
            raise
        self._held.callback(self.board.close)

    def read_presses(self) -> list[Cell]:
        """Return the cells that were pressed, or got a piece, since the last call."""
        pressed: list[Cell] = []
        with suppress(Empty):
            while True:
                match self._events.get_nowait():
                    case Touch(cell, True):
                        pressed.append(cell)
                    case HealthEvent(trouble):
                        self._sensor_trouble = trouble
        return pressed

    def show(self, scene: CardScene) -> None:
        lamps = self.board.lamps
        picture = render_card_scene(scene, self.now(), lamps.lamps_per_cell, lamps.strip_lamps)
        dark_keys = (0.0,) * (3 * lamps.key_lamps)
        self.frame = self.limiter.limit_frame((*picture, *dark_keys), self.frame)
        try:
            lamps.show(self.frame)
        except BoardFault as fault:
            self._lamp_trouble = fault.message
        else:
            self._lamp_trouble = None

    def close(self) -> None:
        """Turn the lamps off and close the board."""
        self._held.close()


def open_card_board(profile: Profile, now: Callable[[], float]) -> CardBoard:
    """Open the board described by a profile.

    Raises:
        PondError: the board has too few cells or cannot be opened.
    """
    from pond_hw.board_factory import build_board
    from pond_hw.drivers.board_lock import lock_board
    from pond_hw.lights.current_limiter import profile_limiter
    from pond_hw.profile.board_profile import SimulatedWiring

    card_board = CardBoard(build_board(profile, now), profile_limiter(profile), now)
    is_simulated = profile.chain.driver == "simulated" and isinstance(profile.sensing.wiring, SimulatedWiring)
    card_board.open(None if is_simulated else lock_board(profile))
    return card_board

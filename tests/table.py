"""Companion on a simulated board in simulated time, used by most tests."""

import weakref

from pond_hw.board import HealthEvent
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.companion.saved_state import (
    SavedState,
    add_courses,
    find_resuming_players,
    open_journal,
    place_resumed_pieces,
)
from pond_hw.engine import UNNAMED_PLAYERS, SeatedPlayers, make_simulated_player
from pond_hw.rules import parse_variant
from pond_hw.session import Session
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.board_with_pieces import SimulatedTable, TableClock


class Table:
    """A companion on a simulated board.

    Args:
        pond: First variant, or its notation.
        light: Program that plays light, if any.
        dark: Program that plays dark, if any.
        names: Names of the people who play.
        size: Rows of the board, by default those of the first variant.
        lamps: Lamps per cell.
        strip: Lamps of the score strip.
        pieces: `PieceOptions` of a board with pieces; None for buttons.
        board_state: Initial state of a board with pieces, by default from its options.
        make_hands: Factory of another simulated board or table, from its size and a clock.
        folder: Folder of saved games; None to save nothing.
        journal: Open journal that replaces the one in that folder.
        has_courses: True to load lessons and puzzles.
        make_companion: Factory of another kind of companion.
        options: Further arguments of `Companion`.

    Attributes:
        hands: Simulated board with buttons, or simulated table with pieces.
    """

    def __init__(
        self,
        pond="standard",
        light=None,
        dark=None,
        *,
        names=UNNAMED_PLAYERS,
        size=None,
        lamps=4,
        strip=0,
        pieces=None,
        board_state=None,
        make_hands=None,
        folder=None,
        journal=None,
        has_courses=False,
        make_companion=Companion,
        **options,
    ):
        variant = parse_variant(pond) if isinstance(pond, str) else pond
        seated = SeatedPlayers((light, dark), names)
        size = size or variant.size
        board_state = board_state or (pieces.initial_board_state() if pieces else None)
        self.clock = TableClock() if board_state else SimulatedClock()
        if make_hands:
            self.hands = make_hands(size, self.clock.now)
        elif pieces:
            self.hands = pieces.make_table(size, lamps, self.clock.now)
        else:
            self.hands = SimulatedBoard(size, lamps, self.clock.now, strip)
        if isinstance(self.hands, SimulatedTable):
            self.clock.table = self.hands
        session = Session.start_game(variant, size, board_state=board_state)
        self.journal = journal
        if folder:
            self.journal = open_journal(
                folder, size, board="a-board", pieces=bool(board_state), seated=seated, threaded=False
            )
            weakref.finalize(self, self.journal.close)  # close its files when a test has dropped the table
        if self.journal:
            session = self.journal.add_resume_prompt(session, 0.0)
        if board_state:
            place_resumed_pieces(session, self.hands)
        session, saved = add_courses(session, folder, 0.0) if has_courses else (session, SavedState())
        saved.journal = self.journal
        saved.resuming_players = find_resuming_players(self.journal) if folder else None
        options = {"make_opponent": make_simulated_player} | options
        self.companion = make_companion(self.hands.to_board(), session, self.clock, seated, saved=saved, **options)
        self.companion.step()

    @property
    def session(self):
        """Session that lamps and clients show."""
        return self.companion.session

    @property
    def played(self):
        """Actions of the game in record notation."""
        return [str(turn.action) for turn in self.session.turns]

    @property
    def shown_frame(self):
        """Last frame sent to the lamps."""
        return self.companion.board.lamps.frame

    def shown(self, *roles):
        """Return the cells that the lamps show in one of these roles."""
        return [cell for cell, view in self.session.view.cells.items() if view.role in roles]

    def touch(self, *cells):
        """Press and release cells."""
        for cell in cells:
            self.hands.touch(cell)
            self.companion.step()
        return self

    def send(self, event, **fields):
        """Send an event of this class now, as a screen does."""
        self.companion.put(event(instant=self.clock.now(), **fields))
        self.companion.step()
        return self

    def report_health(self, trouble):
        """Report sensor trouble from the board; None when it is over."""
        self.companion.put(HealthEvent(trouble, self.clock.now()))
        self.companion.step()
        return self

    def wait(self, seconds):
        """Let time pass."""
        self.companion.run_until(self.clock.now() + seconds)
        return self

    def close(self):
        """End the companion. Further calls do nothing."""
        self.companion.close()

"""A journal folder filled with games at simulated times."""

from datetime import UTC, datetime, timedelta

from pond_hw.journal import Journal, Timestamp
from pond_hw.journal.folder import read_all_games
from pond_hw.rules import Action, parse_variant
from pond_hw.session import AgreeDraw, NewGame, RedoTurns, ResignGame, Session, TakeAction, UndoTurns

EVENTS = {"undo": UndoTurns, "redo": RedoTurns, "resign": ResignGame, "draw": AgreeDraw}


class StampClock:
    """Source of timestamps and ids. Each timestamp is half a minute after the one before."""

    def __init__(self):
        self.boot, self.since, self.wall, self.games = "monday", 1000.0, datetime(2026, 5, 4, 19, 0, tzinfo=UTC), 0

    def stamp_now(self):
        self.passes(30.0)
        return Timestamp(self.boot, self.since, self.wall.isoformat(timespec="seconds"))

    def new_uid(self):
        self.games += 1
        return f"game-{self.games}"

    def passes(self, seconds):
        self.since += seconds
        self.wall += timedelta(seconds=seconds)


class JournalFolder:
    def __init__(self, folder):
        self.folder, self.clock = folder, StampClock()

    def open_journal(self, pond="standard", size=4, **about):
        """Open the journal for writing."""
        known = {"board": "headless", "size": size, "light": None, "dark": None} | about
        journal = Journal(self.folder, known, self.clock, threaded=False)
        journal.open()
        return journal, Session.start_game(parse_variant(pond), size)

    def play(self, moves, pond="standard", size=None, **about):
        """Play a new game and close the journal. An unfinished game is marked as left."""
        journal, session = self.open_journal(pond, size or parse_variant(pond).size, **about)
        if journal.unfinished_game:
            journal.leave_stored_game(journal.unfinished_game)
        play_on(journal, session, moves)
        journal.close()
        return self

    @property
    def games(self):
        return read_all_games(self.folder)[0]


def play_on(journal, session, moves):
    """Continue a game with actions, `undo`, `redo`, `resign`, `draw`, or `new`."""
    for move in moves.split():
        if move == "new":
            event = NewGame(session.variant, 0.0)
        else:
            event = EVENTS[move](0.0) if move in EVENTS else TakeAction(Action.from_notation(move), 0.0)
        session = session.after(event)
        journal.record_step(session)
    return session

"""A player with a journal, reproducible timestamps, and a database that can be made to fail."""

import shutil
import sqlite3
from pathlib import Path

from pond_hw.journal import Journal, Timestamp, store
from pond_hw.journal.folder import read_all_games
from pond_hw.rules import STANDARD, legal_actions
from pond_hw.session import Session, TakeAction

COMMON_FACTS = {"size": 4, "board": "direct-4x4", "light": None, "dark": "Mia"}


class SimulatedStampSource:
    """Source of timestamps, one second apart, and numbered ids. `wall` sets the wall clock."""

    def __init__(self, machine="a", wall=lambda seconds: "2026-01-01T00:00:00+00:00"):
        self.machine, self.wall = machine, wall
        self.seconds = self.games = 0

    def stamp_now(self):
        self.seconds += 1
        return Timestamp(self.machine, float(self.seconds), self.wall(self.seconds))

    def new_uid(self):
        self.games += 1
        return f"{self.machine}-{self.games}"


class JournalPlayer:
    """A player of both sides that collects the journal's reports."""

    def __init__(self, folder, machine="a", stamp_source=None, *, facts=COMMON_FACTS, pond=STANDARD, threaded=False):
        self.folder, self.reports = folder, []
        self.journal = Journal(folder, facts, stamp_source or SimulatedStampSource(machine), threaded=threaded)
        self.journal.set_listener(self.reports.append)
        self.journal.open()
        self.session = Session.start_game(pond)

    def apply(self, *events):
        """Apply events in order. Return the ticket of the last."""
        ticket = None
        for event in events:
            before, self.session = self.session, self.session.after(event)
            assert self.session != before
            ticket = self.journal.record_step(self.session)
        return ticket

    def play_turns(self, count):
        """Play a number of turns. They are the same in every run."""
        ticket = None
        for _ in range(count):
            legal = legal_actions(self.session.position)
            ticket = self.apply(TakeAction(legal[(7 * len(self.session.turns) + 3) % len(legal)], 0.0))
        return ticket

    def resume(self, saved):
        self.session = session_at(saved)
        return self.journal.resume_game(saved)

    def close(self):
        self.journal.close()


def session_at(saved):
    """Return a session that continues a saved game."""
    session = Session.start_game(saved.projection.variant)
    for turn in saved.projection.turns:
        session = session.after(TakeAction(turn.action, 0.0))
    return session


def read_entries(folder):
    """Return the entries of each game in a folder, from all files."""
    return {saved.uid: [str(noted.entry) for noted in saved.entries] for saved in read_all_games(folder)[0]}


def copy_as_killed(folder, to):
    """Copy a folder in the state in which a killed process would leave it."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    for path in folder.iterdir():
        if not path.name.endswith("-shm"):
            shutil.copyfile(path, to / path.name)
    return to


def contents(folder):
    """Return the content of each file in a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def sqlite_error(code):
    error = sqlite3.OperationalError(f"made up: {code}")
    error.sqlite_errorcode = code
    error.sqlite_errorname = "SQLITE_MADE_UP"
    return error


class FaultyDatabase:
    """All database connections, with simulated errors.

    Attributes:
        find_error: called with each statement before it runs; returns an error to raise, or None.
        statements: statements that were run so far.
    """

    def __init__(self, monkeypatch):
        self.find_error, self.statements = lambda statement: None, []
        connected = store.connect_database
        monkeypatch.setattr(
            store, "connect_database", lambda *arguments: _FaultyConnection(connected(*arguments), self)
        )

    def fail_from(self, code, number=0, *, once=False):
        """Fail all statements from the given number on, counting from now, except rollbacks. With `once`, fail only the first."""
        first = len(self.statements) + number + 1

        def find_error(statement):
            count = len(self.statements)
            fails = count == first or (count > first and not once)
            return sqlite_error(code) if fails and statement != "ROLLBACK" else None

        self.find_error = find_error

    def recover(self):
        self.find_error = lambda statement: None


class _FaultyConnection:
    def __init__(self, base, card):
        self._base, self._database = base, card

    def execute(self, statement, *more):
        self._database.statements.append(statement)
        if error := self._database.find_error(statement):
            raise error
        return self._base.execute(statement, *more)

    def close(self):
        self._base.close()


def create_foreign_database(path, *, log=False):
    """Create a database that belongs to another program, optionally with a log."""
    base = sqlite3.connect(path)
    if log:
        base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE TABLE recipe (name TEXT)")
    base.execute("INSERT INTO recipe VALUES ('pancakes')")
    base.commit()
    if log:
        beside = {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")}
    base.close()
    if log:
        for end, data in beside.items():
            Path(f"{path}{end}").write_bytes(data)

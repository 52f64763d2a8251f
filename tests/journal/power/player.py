"""Program under test: it plays an evening and reports after each turn whether it was saved.

    python -m tests.journal.power.player FOLDER SEED        plays one evening
    python -m tests.journal.power.player                    reads JSON commands from standard input

It prints `confirmed N` when all steps up to N are on disk, `trouble N …` when they are not, and `done` at the end.
`expect_games` computes from the sessions alone what the journal must contain after each step.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from pond_hw.journal import Journal, Timestamp, store
from pond_hw.rules import STANDARD, VARIANTS, Side, legal_actions
from pond_hw.session import (
    ActionValue,
    AskHint,
    ChangeSetting,
    EndUndone,
    GameStarted,
    HintFound,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    TakeAction,
    UndoTurns,
    is_set_up,
)
from pond_hw.session.game.settings import HINT_LIMIT
from tests.journal.projections import project_session

COMMON_FACTS = {"size": 4, "board": "direct-4x4", "built": 1, "pieces": False, "light": None, "dark": "easy"}


PATIENT = 400
"""Number of attempts to save what is pending at the end of an evening."""


class SimulatedStampSource:
    """Source of timestamps and ids that does not change from run to run."""

    def __init__(self, seed):
        self._rng, self._count = Random(f"labels {seed}"), 0

    def stamp_now(self):
        self._count += 1
        return Timestamp("5f2f1a9c-0000-4000-8000-00000000cafe", self._count / 8, "2026-02-03T19:00:00+00:00")

    def new_uid(self):
        return f"{self._rng.getrandbits(128):032x}"


def evening(seed):
    """Yield the sessions of an evening: a whole game with undone turns, and parts of two others."""
    rng = Random(f"evening {seed}")
    session = Session.start_game(rng.choice([STANDARD, VARIANTS["mini"], VARIANTS["small-11"]]), 4)
    for side in Side:
        session = session.after(ChangeSetting(HINT_LIMIT, side, 6, 0.0))
    yield session
    for events in (_game(rng, 500), _game(rng, 5), _game(rng, 12)):
        event = next(events)
        while event:
            before, session = session, session.after(event)
            if project_session(session) != project_session(before):
                yield session
            try:
                event = events.send(session)
            except StopIteration:
                break
        session = session.after(NewGame(rng.choice([STANDARD, VARIANTS["mini"]]), 0.0))
        yield session


def _game(rng, most):
    """Yield the events of a game until it is over or long enough."""
    session = yield UndoTurns(0.0)  # changes nothing: there is no turn to undo
    for _ in range(most):
        if (
            not (legal := legal_actions(session.position))
            or session.declared_outcome
            or project_session(session).outcome
        ):
            return
        what = rng.random()
        if session.turns and what < 0.06:
            session = yield UndoTurns(0.0, rng.choice([1, 1, 2, 3]))
        elif session.undone_turns and what < 0.5:
            session = yield RedoTurns(0.0, rng.choice([1, 1, 2]))
        elif what > 0.97:
            session = yield AskHint(0.0)
            session = yield HintFound(rng.choice(legal), ActionValue(0.0), 0.0)
        elif len(session.turns) > 20 and what < 0.09:
            session = yield ResignGame(0.0)
        else:
            session = yield TakeAction(rng.choice(legal), 0.0)


def resumed_sessions(saved):
    """Return the resumed session, and the session after its next turn."""
    session = Session.start_game(saved.projection.variant, 4) if saved else Session.start_game(STANDARD, 4)
    if saved:
        session = replace(
            session,
            turns=saved.projection.turns,
            undone_turns=saved.projection.undone_turns,
            custom_start=saved.projection.custom_start,
            hints_given=saved.projection.hints_given,
            hinted_position=saved.projection.hinted_position,
        )
    return session, session.after(TakeAction(legal_actions(session.position)[0], 0.0))


@dataclass(frozen=True)
class ExpectedGames:
    """Expected contents of a journal.

    Attributes:
        libraries: games after each atomic write, oldest game first.
        least: minimum number of writes after each confirmed step.
    """

    libraries: tuple
    least: tuple


def expect_games(sessions):
    """Return what the journal must contain after each step between these sessions."""
    libraries, least = [()], [0]
    sessions = iter(sessions)
    before = next(sessions)
    has_row = False
    for after in sessions:
        was, now, games = project_session(before), project_session(after), libraries[-1]
        kinds = {type(event) for event in after.game_events}
        if GameStarted in kinds:
            if has_row and EndUndone in kinds:
                libraries.append((*games[:-1], replace(was, declared_outcome=None)))
            elif has_row and was.can_continue:
                libraries.append((*games[:-1], replace(was, was_left=True)))
            has_row = is_set_up(now.custom_start)
            if has_row:
                libraries.append((*libraries[-1], now))
        else:
            libraries.append((*(games[:-1] if has_row else games), now))
            has_row = True
        least.append(len(libraries) - 1)
        before = after
    return ExpectedGames(tuple(libraries), tuple(least))


class ReportingPlayer:
    """Player that reports each step on standard output."""

    def __init__(self, folder, seed):
        self.step, self.journal = 0, Journal(folder, COMMON_FACTS, SimulatedStampSource(seed), threaded=False)
        self._saved = True

    def open(self):
        self.journal.set_listener(self._heard)
        self.journal.open()
        for sentence in self.journal.file_notices:
            print_line(f"said {sentence}")
        print_line(f"opened {self.journal.trouble or ''}")

    def _heard(self, written):
        self._saved = written.trouble is None

    def run_step(self, what, *arguments):
        """Retry what is pending, and then run a step."""
        self.journal.retry_writing()
        self._saved = self.journal.trouble is None
        what(*arguments)
        self.step += 1
        print_line(f"confirmed {self.step}" if self._saved else f"trouble {self.step} {self.journal.trouble}")

    def end(self):
        for _ in range(PATIENT):
            self.journal.retry_writing()
        print_line(f"trouble {self.step} {self.journal.trouble}" if self.journal.trouble else f"confirmed {self.step}")
        self.journal.close()
        print_line("done")


def print_line(line):
    sys.stdout.write(f"{line}\n")  # in one write, so that a line is one call
    sys.stdout.flush()


def play(folder, seed, pages=store.MAX_LOG_PAGES):
    store.MAX_LOG_PAGES = pages
    player = ReportingPlayer(Path(folder), seed)
    player.open()
    sessions = evening(seed)
    next(sessions)
    for session in sessions:
        player.run_step(player.journal.record_step, session)
    player.end()


def continue_game(folder, seed=0, pages=store.MAX_LOG_PAGES):
    """Open the journal, continue the last game or begin a new one, and play a turn."""
    store.MAX_LOG_PAGES = pages
    player = ReportingPlayer(Path(folder), f"on {seed}")
    player.open()
    saved = player.journal.unfinished_game
    _, after = resumed_sessions(saved)
    if saved:
        player.run_step(player.journal.resume_game, saved)
    player.run_step(player.journal.record_step, after)
    player.end()


def confirmed(line):
    """Return the number of the step that a line confirms, or None."""
    return int(line.split()[1]) if line.startswith("confirmed ") else None


def main():
    if len(sys.argv) > 1:
        play(sys.argv[1], int(sys.argv[2]))
        return
    print_line("ready")
    for line in sys.stdin:
        options = json.loads(line)
        {"play": play, "go_on": continue_game}[options.pop("do")](**options)


if __name__ == "__main__":
    main()

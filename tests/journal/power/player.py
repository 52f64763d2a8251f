"""The program whose journal is put to the proof: it plays an evening and says after each turn what became of it.

    python -m tests.journal.power.player FOLDER SEED        plays one evening
    python -m tests.journal.power.player                    does what it is told on its standard input, in JSON

It says `confirmed N` when all up to step N is on the card, `trouble N …` when it is not, `done` at the end. What the
journal has to hold after each step is told by `meant`, from the sessions alone.
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from pond_hw.journal import Journal, Label, Story, store
from pond_hw.rules import STANDARD, VARIANTS, legal_actions
from pond_hw.session import Act, NewGame, Redo, Resign, Session, Undo

ABOUT = {"size": 4, "board": "direct-4x4", "built": 1, "pieces": False, "light": None, "dark": "easy"}


PATIENT = 400
"""How often it is tried again at the end of an evening whether what was not saved can be."""


class Clockwork:
    """Labels that are the same in every run."""

    def __init__(self, seed):
        self._chance, self._count = Random(f"labels {seed}"), 0

    def label(self):
        self._count += 1
        return Label("5f2f1a9c-0000-4000-8000-00000000cafe", self._count / 8, "2026-02-03T19:00:00+00:00")

    def uid(self):
        return f"{self._chance.getrandbits(128):032x}"


def evening(seed):
    """The sessions of an evening, one after the other: a whole game with some turns taken back, and half of another."""
    chance = Random(f"evening {seed}")
    session = Session.start(chance.choice([STANDARD, VARIANTS["mini"], VARIANTS["small-11"]]), 4)
    yield session
    for events in (_game(chance, 500), _game(chance, 5), _game(chance, 12)):
        event = next(events)
        while event:
            before, session = session, session.after(event)
            if Story.of(session) != Story.of(before):
                yield session
            try:
                event = events.send(session)
            except StopIteration:
                break
        session = session.after(NewGame(chance.choice([STANDARD, VARIANTS["mini"]]), 0.0))
        yield session


def _game(chance, most):
    """What two people do in a game, until it is over or they have had enough."""
    session = yield Undo(0.0)  # nothing is there to be taken back: it changes nothing
    for _ in range(most):
        if not (legal := legal_actions(session.position)) or session.ended or Story.of(session).outcome:
            return
        what = chance.random()
        if session.turns and what < 0.06:
            session = yield Undo(0.0, chance.choice([1, 1, 2, 3]))
        elif session.undone and what < 0.5:
            session = yield Redo(0.0, chance.choice([1, 1, 2]))
        elif len(session.turns) > 20 and what < 0.09:
            session = yield Resign(0.0)
        else:
            session = yield Act(chance.choice(legal), 0.0)


def going_on(kept):
    """The session that is gone on with, and the one after the next turn."""
    session = Session.start(kept.story.pond, 4) if kept else Session.start(STANDARD, 4)
    if kept:
        session = replace(session, turns=kept.story.turns, undone=kept.story.undone, begun=kept.story.begun)
    return session, session.after(Act(legal_actions(session.position)[0], 0.0))


@dataclass(frozen=True)
class Meant:
    """What a journal is to hold.

    Attributes:
        libraries: after each thing that is written as one, the stories in it, the one begun first in front.
        least: after so many steps confirmed, how many of those things must be there.
    """

    libraries: tuple
    least: tuple


def meant(sessions):
    """What the journal has to hold after each step between these sessions."""
    libraries, least = [()], [0]
    sessions = iter(sessions)
    before = next(sessions)
    for after in sessions:
        was, now, games = Story.of(before), Story.of(after), libraries[-1]
        begun = before.turns or before.undone or before.ended
        if len(least) > 1 and begun and not (after.turns or after.undone or after.ended):
            if was.open:
                libraries.append((*games[:-1], replace(was, left=True)))
            libraries.append((*libraries[-1], now))
        else:
            libraries.append((*games[:-1], now))
        least.append(len(libraries) - 1)
        before = after
    return Meant(tuple(libraries), tuple(least))


class Speaker:
    """Says what becomes of each step."""

    def __init__(self, folder, seed):
        self.step, self.journal = 0, Journal(folder, ABOUT, Clockwork(seed), threaded=False)
        self._saved = True

    def open(self):
        self.journal.open(self._heard)
        for sentence in self.journal.said:
            say(f"said {sentence}")
        say(f"opened {self.journal.trouble or ''}")

    def _heard(self, written):
        self._saved = written.trouble is None

    def does(self, what, *arguments):
        """One step; what had to wait is tried again first."""
        self.journal.retry()
        self._saved = self.journal.trouble is None
        what(*arguments)
        self.step += 1
        say(f"confirmed {self.step}" if self._saved else f"trouble {self.step} {self.journal.trouble}")

    def end(self):
        for _ in range(PATIENT):
            self.journal.retry()
        say(f"trouble {self.step} {self.journal.trouble}" if self.journal.trouble else f"confirmed {self.step}")
        self.journal.close()
        say("done")


def say(line):
    sys.stdout.write(f"{line}\n")  # in one piece, so that a line is one call
    sys.stdout.flush()


def play(folder, seed, pages=store.PAGES_OF_LOG):
    """Play a whole evening."""
    store.PAGES_OF_LOG = pages
    speaker = Speaker(Path(folder), seed)
    speaker.open()
    before = None
    for session in evening(seed):
        if before:
            speaker.does(speaker.journal.note, before, session)
        before = session
    speaker.end()


def go_on(folder, seed=0, pages=store.PAGES_OF_LOG):
    """Open what is there, go on with the last game or begin one, and take one turn."""
    store.PAGES_OF_LOG = pages
    speaker = Speaker(Path(folder), f"on {seed}")
    speaker.open()
    kept = speaker.journal.last
    before, after = going_on(kept)
    if kept:
        speaker.does(speaker.journal.go_on, kept)
    speaker.does(speaker.journal.note, before, after)
    speaker.end()


def confirmed(line):
    """The step that a line confirms, or None."""
    return int(line.split()[1]) if line.startswith("confirmed ") else None


def main():
    if len(sys.argv) > 1:
        play(sys.argv[1], int(sys.argv[2]))
        return
    say("ready")
    for line in sys.stdin:
        asked = json.loads(line)
        {"play": play, "go_on": go_on}[asked.pop("do")](**asked)


if __name__ == "__main__":
    main()

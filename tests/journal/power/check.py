"""Check that a journal contains everything confirmed before a crash, and that its game can be continued."""

import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

from pond_hw.journal import Journal
from pond_hw.journal.folder import read_all_games
from tests.journal.power.player import COMMON_FACTS, SimulatedStampSource, confirmed, resumed_sessions

JOURNAL = "games/pond"
"""Path of the journal in the traced folder. The program creates both folders."""


class Bounds(NamedTuple):
    """Lowest and highest index of the libraries that are allowed."""

    least: int
    most: int


class Verdict(NamedTuple):
    """Result of checking a journal.

    Attributes:
        fault: the problem, or None.
        index: index of the library that was found; -1 if the journal matches none of them.
    """

    fault: str | None
    index: int = -1


def bounds(expected, lines):
    """Return which libraries the journal may contain after these output lines."""
    least = reached = 0
    for line in lines:
        step = confirmed(line)
        if step is not None:
            least = step
        if step is not None or line.startswith("trouble "):
            reached = int(line.split()[1])
    last = len(expected.least) - 1
    return Bounds(expected.least[min(least, last)], expected.least[min(reached + 1, last)])


def write_files(folder, files, rng=None):
    """Write files to a folder. None stands for a folder. With `rng`, a -shm file may be garbage or missing."""
    for path, content in files.items():
        if content is None:
            Path(folder, path).mkdir()
            continue
        shared = rng and path.endswith("-shm")
        become = rng.choice([None, content, rng.randbytes(32768)]) if shared else content
        if become is not None:
            Path(folder, path).write_bytes(become)


def read_files(folder):
    """Return the contents of a folder in the form that `write_files` takes."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        found[str(path.relative_to(folder))] = None if path.is_dir() else path.read_bytes()
    return found


def judge(folder, libraries, allowed, again=False):
    """Open the journal in a folder with the real program, compare its games, and play another turn.

    Args:
        folder: the traced folder.
        libraries: possible contents of the journal, in order.
        allowed: indexes of the libraries that are allowed.
        again: True to open the journal once more and check that turn.
    """
    journal_path, reports = Path(folder) / JOURNAL, []
    journal = Journal(journal_path, COMMON_FACTS, SimulatedStampSource("judge"), threaded=False)
    try:
        journal.set_listener(reports.append)
        journal.open()
        if journal.trouble:
            return Verdict(f"cannot start: {journal.trouble}")
        saved, said = read_all_games(journal_path)
        library = tuple(each.projection for each in saved)
        found = [n for n in range(allowed.least, allowed.most + 1) if libraries[n] == library]
        if not found:
            return Verdict(_difference(libraries, library, allowed, [*journal.file_notices, *said]))
        open_ = [projection for projection in library if projection.can_continue]
        offered = journal.unfinished_game.projection if journal.unfinished_game else None
        if offered != (open_[-1] if open_ else None):
            return Verdict(f"the game that is offered is not the last one: {offered}", found[-1])
        _, after = resumed_sessions(journal.unfinished_game)
        if journal.unfinished_game:
            journal.resume_game(journal.unfinished_game)
        journal.record_step(after)
        if journal.trouble or reports[-1].trouble:
            return Verdict(f"cannot be continued: {journal.trouble}", found[-1])
    finally:
        journal.close()
    if again:
        turns = [(each.projection.turns, each.fault) for each in read_all_games(journal_path)[0]]
        games = [(projection.turns, None) for projection in library]
        expected = [*games[: library.index(open_[-1])], *games[library.index(open_[-1]) + 1 :]] if open_ else games
        if sorted(map(str, turns)) != sorted(map(str, [*expected, (after.turns, None)])):
            return Verdict("the turn that was taken after the crash is not there", found[-1])
    return Verdict(None, found[-1])


def _difference(libraries, library, allowed, said):
    where = [n for n, each in enumerate(libraries) if each == library]
    held = (
        f"what was there at {where[-1]}"
        if where
        else f"games of {[len(projection.turns) for projection in library]} turns"
    )
    return f"it holds {held}, and must hold {allowed.least} to {allowed.most}. {' '.join(map(str, said))}".rstrip()


class Bench:
    """A folder in which states are checked, one at a time."""

    def __init__(self, folder):
        self._folder, self._count = Path(folder), 0

    def judge(self, files, libraries, allowed, again=False, seed=None):
        """Write a state, check it, and delete it."""
        place = self.place()
        write_files(place, files, Random(seed) if seed is not None else None)
        try:
            return judge(place, libraries, allowed, again)
        finally:
            with suppress(OSError):
                shutil.rmtree(place)

    def place(self):
        """Return a new empty folder."""
        self._count += 1
        place = self._folder / str(self._count)
        place.mkdir()
        return place

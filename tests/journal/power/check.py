"""Whether a journal that somebody finds after a crash has all that was confirmed, and can be gone on with."""

import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

from pond_hw.journal import Journal
from pond_hw.journal.folder import read_all_games
from tests.journal.power.player import COMMON_FACTS, SimulatedStampSource, confirmed, resumed_sessions

JOURNAL = "games/pond"
"""Where the journal lies in the folder that is watched; both folders are made by it."""


class Bounds(NamedTuple):
    """What must be there and what may be: numbers of libraries."""

    least: int
    most: int


class Verdict(NamedTuple):
    """What became of a journal.

    Attributes:
        fault: what is wrong, or None.
        index: which of the libraries it holds, if it is none of them -1.
    """

    fault: str | None
    index: int = -1


def bounds(expected, lines):
    """What must be there after these lines were said."""
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
    """Lay these files into a folder; None is a folder. A -shm is as it was; or, given chance, garbage or not there."""
    for path, content in files.items():
        if content is None:
            Path(folder, path).mkdir()
            continue
        shared = rng and path.endswith("-shm")
        become = rng.choice([None, content, rng.randbytes(32768)]) if shared else content
        if become is not None:
            Path(folder, path).write_bytes(become)


def read_files(folder):
    """What a folder holds, as `lay_out` takes it."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        found[str(path.relative_to(folder))] = None if path.is_dir() else path.read_bytes()
    return found


def judge(folder, libraries, allowed, again=False):
    """Open the journal in a folder with the real program, compare, and take another turn.

    Args:
        folder: the one that is watched.
        libraries: what the journal may hold, one after the other.
        allowed: which of them it may be.
        again: whether to open it once more after that, to see whether that turn is there.
    """
    lies, heard = Path(folder) / JOURNAL, []
    journal = Journal(lies, COMMON_FACTS, SimulatedStampSource("judge"), threaded=False)
    try:
        journal.set_listener(heard.append)
        journal.open()
        if journal.trouble:
            return Verdict(f"cannot start: {journal.trouble}")
        saved, said = read_all_games(lies)
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
        if journal.trouble or heard[-1].trouble:
            return Verdict(f"cannot be gone on with: {journal.trouble}", found[-1])
    finally:
        journal.close()
    if again:
        turns = [(each.projection.turns, each.fault) for each in read_all_games(lies)[0]]
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
    """A place in memory where states are laid out and judged, one after the other."""

    def __init__(self, folder):
        self._folder, self._count = Path(folder), 0

    def judge(self, files, libraries, allowed, again=False, seed=None):
        """Lay out, judge and clear away."""
        place = self.place()
        write_files(place, files, Random(seed) if seed is not None else None)
        try:
            return judge(place, libraries, allowed, again)
        finally:
            with suppress(OSError):
                shutil.rmtree(place)

    def place(self):
        """An empty folder."""
        self._count += 1
        place = self._folder / str(self._count)
        place.mkdir()
        return place

"""Mutation tests of the power campaign: it finds bugs that are planted in a copy of the program."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.journal.power.campaign import ROOT, Failure, Players, fail_calls
from tests.journal.power.tracer import TRACER_OBSTACLE

pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(TRACER_OBSTACLE), reason=str(TRACER_OBSTACLE))]

STORE, DATABASE_FILE, FOLDER, WRITER = "store.py", "database_file.py", "folder.py", "writer.py"
EXTRA = 'self._write_connection.execute("PRAGMA synchronous = EXTRA")'

# Some bugs are missing because they lose nothing: no sync of the folder after the rename (opening the file syncs it
# again), a file with its final name from the start (it is set aside), a header that is only searched in the file (all
# readable games go into a new one). Without WAL mode nothing is confirmed. Writing on after a failed sync is safe, too:
# SQLite writes all uncertain pages again.
FOUND_BY_LOSS_OF_POWER = {
    "synchronous is off": (STORE, EXTRA, EXTRA.replace("EXTRA", "OFF")),
    "synchronous is normal": (STORE, EXTRA, EXTRA.replace("EXTRA", "NORMAL")),
    "commits share sectors": (DATABASE_FILE, "&psow=0", "&psow=1"),
    "confirmation before the write": (
        WRITER,
        "        before, self.trouble = self.trouble, self._write_pending()\n",
        """        before, self.trouble = self.trouble, None
        late, self._late = getattr(self, "_late", {}), dict(self._unwritten_games)
        self._unwritten_games = late
        self._write_pending()
        self._unwritten_games = self._late
""",
    ),
    "folder name is not synced": (FOLDER, "        sync_to_disk(folder.parent)\n", "        pass\n"),
    "old log is not checkpointed": (STORE, "            checkpoint_log(self._write_connection)\n", ""),
}

FOUND_BY_FAILING_CALLS = {
    "failure is not reported": (
        WRITER,
        "            return describe_write_error(error)\n",
        "            return None\n",
    ),
    "pending entries are dropped": (
        WRITER,
        "            return describe_write_error(error)\n",
        """            [game.entries.pop() for game in self._unwritten_games.values()]
            return describe_write_error(error)
""",
    ),
    "failure ends the program": (WRITER, "            return describe_write_error(error)\n", "            raise\n"),
}

FAILURES = [Failure(error, first, 3, ".db-wal") for error in ("ENOSPC", "EIO") for first in (4, 30, 77)]


def mutant(folder, file, old, new):
    """Copy the program, plant one bug in the copy, and return its folder."""
    shutil.copytree(ROOT / "pond_hw", folder / "pond_hw", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests").symlink_to(ROOT / "tests")
    path = folder / "pond_hw/journal" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return folder


@pytest.mark.parametrize("bug", FOUND_BY_LOSS_OF_POWER)
def test_power_loss_finds_mutant(tmp_path, bug):
    folder = mutant(tmp_path, *FOUND_BY_LOSS_OF_POWER[bug])
    command = [sys.executable, "-m", "tests.journal.power", "--states", "12000", "--stop"]
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAILED: evening" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("bug", FOUND_BY_FAILING_CALLS)
def test_failing_calls_find_mutant(tmp_path, bug):
    with Players(mutant(tmp_path, *FOUND_BY_FAILING_CALLS[bug])) as players:
        assert any(fail_calls(players, 0, failure)[0].faults for failure in FAILURES)

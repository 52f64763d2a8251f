"""What the tests are worth: each of these bugs, put into a copy of the program, is found by the test that is named.

What only shows when the power goes is planted in `power/test_mutants.py`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

DURABLE, STORY, STORE, DATABASE_FILE, KEEPER = (
    "companion/durable_session.py",
    "journal/stored_game.py",
    "journal/store.py",
    "journal/database_file.py",
    "journal/writer.py",
)
TABLE, KEPT, FILE, TOLD, OFFER = (
    "tests/companion/test_saving.py",
    "tests/journal/test_writer.py",
    "tests/journal/test_store.py",
    "tests/journal/test_stored_game.py",
    "tests/session/game/test_resume_prompt.py",
)
UNSEEN = f"{TABLE}::TestSlowDisk::test_turn_is_shown_only_when_on_disk"
EVENINGS = f"{TABLE}::TestRestart"

# For each bug: the file, what stands there, what takes its place, and the test that dies of it.
BUGS = {
    "sync off": (
        STORE,
        'self._write_connection.execute("PRAGMA synchronous = EXTRA")',
        'self._write_connection.execute("PRAGMA synchronous = OFF")',
        "tests/journal/power/test_power.py::test_no_loss_of_power_takes_what_was_confirmed",
    ),
    "confirm before commit": (
        KEEPER,
        "before, self.trouble = self.trouble, self._write_pending()",
        """self._listener(WriteProgress(self._last_ticket, None))
        before, self.trouble = self.trouble, self._write_pending()""",
        f"{KEPT}::test_tickets_are_told_in_order_and_each_is_on_the_card_by_then",
    ),
    "commit on the wrong turn": (
        DURABLE,
        "self.journal.record_step(session)",
        "self.journal.record_step(before)",
        f"{EVENINGS}::test_unfinished_game_is_offered_and_resumed",
    ),
    "no integrity check": (
        STORE,
        '!= ["ok"]:',
        "== []:",
        f"{FILE}::test_pages_that_seals_know_nothing_of_are_looked_at_too",
    ),
    "adopt before write": (
        DURABLE,
        "self.latest, self.session_due = session, due\n",
        "self.latest, self.session_due = session, due\n        self._adopt(session, scene)\n",
        UNSEEN,
    ),
    "lamp before adopt": (
        DURABLE,
        "self.latest, self.session_due = session, due\n",
        (
            "self.latest, self.session_due = session, due\n"
            "        self.scene = scene\n        self._on_adopted(self.adopted, self.adopted)\n"
        ),
        UNSEEN,
    ),
    "resume without replay": (
        STORY,
        "except ImpossibleEntry as fault:\n            return projection, count, fault.message\n",
        "except ImpossibleEntry:\n            pass\n",
        f"{TOLD}::test_what_cannot_have_happened_is_told_and_what_came_before_stands",
    ),
    "undo not journalled": (
        STORY,
        '                entries.append(JournalEntry("back", str(turn_count)))\n',
        "                pass\n",
        f"{TOLD}::test_each_thing_that_happens_is_one_entry",
    ),
    "redo is not journalled": (
        STORY,
        '                entries.append(JournalEntry("again", str(turn_count)))\n',
        "                pass\n",
        f"{TOLD}::test_each_thing_that_happens_is_one_entry",
    ),
    "a slow card is waited for without end": (
        DURABLE,
        """            self._written_step = self.latest_step
            try:
                self._commit_saving_change(Message("saving.slow"))
""",
        """            try:
                self._waiting_since = self._now()
""",
        f"{TABLE}::TestSlowDisk::test_slow_disk_is_reported_after_three_seconds",
    ),
    "nobody is told that nothing is saved": (
        DURABLE,
        "        if written.trouble or written.ticket >= self.latest_step:\n",
        "        if False:\n",
        f"{TABLE}::TestFailingDisk::test_unsaved_game_continues_with_notice",
    ),
    "the sign stays when all is saved again": (
        DURABLE,
        "        if written.trouble or written.ticket >= self.latest_step:\n",
        "        if written.trouble:\n",
        f"{TABLE}::TestFailingDisk::test_unsaved_game_continues_with_notice",
    ),
    "what is left is offered again": (
        STORY,
        "return not self.outcome and not self.was_left and bool(",
        "return not self.outcome and bool(",
        f"{EVENINGS}::test_left_game_is_saved_but_not_offered",
    ),
    "what is offered is gone on with unasked": (
        KEEPER,
        "return session.after(SavingChanged(self.trouble, now))",
        "import pond_hw.session as s; return session.after(s.ChooseResume(s.ResumeChoice.RESUME, now))",
        f"{EVENINGS}::test_unfinished_game_is_offered_and_resumed",
    ),
    "an action that was taken meanwhile is taken in silence": (
        "session/game/new_game.py",
        "resumed = replace(session, resume_prompt=None).with_events(events.GameResumed()).after_wakeup(instant)",
        """resumed = replace(session, resume_prompt=None).with_events(events.GameResumed())
            if wood := resumed.board_state:
                import pond_hw.session as s
                confirmation = replace(wood.confirmation, agreement=s.Agreement.IN_PLAY)
                resumed = replace(resumed, board_state=replace(wood, confirmation=confirmation))""",
        f"{OFFER}::TestWithPieces::test_action_made_before_resuming_is_only_offered",
    ),
    "entries are not sealed": (
        STORE,
        "if sealed != (next_seal := compute_seal(seal, (entry_number, kind, value, boot_id, since_boot, wall))):",
        "if not (next_seal := compute_seal(seal, (entry_number, kind, value, boot_id, since_boot, wall))):",
        f"{FILE}::test_an_entry_that_was_changed_ends_its_game",
    ),
    "another program's file is written to": (
        DATABASE_FILE,
        "    if application_id != APPLICATION_ID:\n",
        "    if False:\n",
        f"{FILE}::test_another_programs_database_keeps_its_bytes",
    ),
    "a newer file is written to": (
        DATABASE_FILE,
        "    if format_version > FORMAT_VERSION:\n",
        "    if False:\n",
        f"{FILE}::test_what_stands_in_a_header_decides_whose_a_file_is",
    ),
    "two write at once": (
        "durable_files.py",
        "    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)\n",
        "    pass\n",
        f"{EVENINGS}::test_second_program_does_not_write_until_first_closes",
    ),
    "a dead file is written on": (
        KEEPER,
        "                self._open_file, self._file_is_suspect = None, True\n",
        "                self._open_file, self._file_is_suspect = None, False\n",
        f"{KEPT}::test_a_file_that_could_not_be_written_out_is_never_written_again",
    ),
    "whoever reads takes the writer's locks": (
        "journal/folder.py",
        "besides=store.path if store else None",
        "besides=None",
        "tests/journal/test_editing.py::TestBringingIn::test_from_another_process_takes_the_log_from_nobody",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("bug", BUGS)
def test_is_found(tmp_path, bug):
    file, old, new, dies = BUGS[bug]
    shutil.copytree(ROOT / "pond_hw", tmp_path / "pond_hw", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path = tmp_path / "pond_hw" / file
    text = path.read_text()
    assert text.count(old) == 1
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "long or not long", dies]
    outside = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    path.write_text(text.replace(old, new))
    done = subprocess.run(command, cwd=tmp_path, env=outside, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr

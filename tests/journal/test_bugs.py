"""Mutation tests: each of these bugs is planted in a copy of the program, and the named test must find it.

Bugs that only show at power loss are in `power/test_mutants.py`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

DURABLE, STORED_GAME, STORE, DATABASE_FILE, WRITER = (
    "companion/durable_session.py",
    "journal/stored_game.py",
    "journal/store.py",
    "journal/database_file.py",
    "journal/writer.py",
)
TEST_SAVING, TEST_WRITER, TEST_STORE, TEST_STORED_GAME, TEST_RESUME_PROMPT = (
    "tests/companion/test_saving.py",
    "tests/journal/test_writer.py",
    "tests/journal/test_store.py",
    "tests/journal/test_stored_game.py",
    "tests/session/game/test_resume_prompt.py",
)
TEST_NOT_SHOWN = f"{TEST_SAVING}::TestSlowDisk::test_turn_is_shown_only_once_on_disk"
TEST_RESTART = f"{TEST_SAVING}::TestRestart"

# For each bug: the file, the text to replace, its replacement, and the test that must fail.
BUGS = {
    "sync off": (
        STORE,
        'self._write_connection.execute("PRAGMA synchronous = EXTRA")',
        'self._write_connection.execute("PRAGMA synchronous = OFF")',
        "tests/journal/power/test_power.py::test_power_loss_loses_no_confirmed_step",
    ),
    "confirm before commit": (
        WRITER,
        "before, self.trouble = self.trouble, self._write_pending()",
        """self._listener(WriteProgress(self._last_ticket, None))
        before, self.trouble = self.trouble, self._write_pending()""",
        f"{TEST_WRITER}::test_tickets_are_reported_in_order_after_saving",
    ),
    "commit on the wrong turn": (
        DURABLE,
        "self.journal.record_step(session)",
        "self.journal.record_step(before)",
        f"{TEST_RESTART}::test_unfinished_game_is_offered_and_resumed",
    ),
    "no integrity check": (
        STORE,
        '!= ["ok"]:',
        "== []:",
        f"{TEST_STORE}::test_lost_row_fails_the_integrity_check",
    ),
    "adopt before write": (
        DURABLE,
        "self.latest, self.session_due = session, due\n",
        "self.latest, self.session_due = session, due\n        self._adopt(session, scene)\n",
        TEST_NOT_SHOWN,
    ),
    "lamp before adopt": (
        DURABLE,
        "self.latest, self.session_due = session, due\n",
        (
            "self.latest, self.session_due = session, due\n"
            "        self.scene = scene\n        self._on_adopted(self.adopted, self.adopted)\n"
        ),
        TEST_NOT_SHOWN,
    ),
    "resume without replay": (
        STORED_GAME,
        "except ImpossibleEntry as fault:\n            return projection, count, fault.message\n",
        "except ImpossibleEntry:\n            pass\n",
        f"{TEST_STORED_GAME}::test_impossible_entry_ends_the_replay",
    ),
    "undo not journalled": (
        STORED_GAME,
        '                entries.append(JournalEntry("back", str(turn_count)))\n',
        "                pass\n",
        f"{TEST_STORED_GAME}::test_each_event_is_one_entry",
    ),
    "redo is not journalled": (
        STORED_GAME,
        '                entries.append(JournalEntry("again", str(turn_count)))\n',
        "                pass\n",
        f"{TEST_STORED_GAME}::test_each_event_is_one_entry",
    ),
    "endless wait for a slow disk": (
        DURABLE,
        """            self._written_step = self.latest_step
            try:
                self._commit_saving_change(Message("saving.slow"))
""",
        """            try:
                self._waiting_since = self._now()
""",
        f"{TEST_SAVING}::TestSlowDisk::test_slow_disk_is_reported_after_three_seconds",
    ),
    "no notice while nothing is saved": (
        DURABLE,
        "        if written.trouble or written.ticket >= self.latest_step:\n",
        "        if False:\n",
        f"{TEST_SAVING}::TestFailingDisk::test_unsaved_game_continues_with_notice",
    ),
    "notice stays after saving resumes": (
        DURABLE,
        "        if written.trouble or written.ticket >= self.latest_step:\n",
        "        if written.trouble:\n",
        f"{TEST_SAVING}::TestFailingDisk::test_unsaved_game_continues_with_notice",
    ),
    "abandoned game is offered again": (
        STORED_GAME,
        "return not self.outcome and not self.was_left and bool(",
        "return not self.outcome and bool(",
        f"{TEST_RESTART}::test_abandoned_game_is_saved_but_not_offered",
    ),
    "unfinished game is resumed unasked": (
        WRITER,
        "return session.after(SavingChanged(self.trouble, now))",
        "import pond_hw.session as s; return session.after(s.ChooseResume(s.ResumeChoice.RESUME, now))",
        f"{TEST_RESTART}::test_unfinished_game_is_offered_and_resumed",
    ),
    "action before the resume is taken without confirmation": (
        "session/game/new_game.py",
        "resumed = replace(session, resume_prompt=None).with_events(events.GameResumed()).after_wakeup(instant)",
        """resumed = replace(session, resume_prompt=None).with_events(events.GameResumed())
            if board_state := resumed.board_state:
                import pond_hw.session as s
                confirmation = replace(board_state.confirmation, agreement=s.Agreement.IN_PLAY)
                resumed = replace(resumed, board_state=replace(board_state, confirmation=confirmation))""",
        f"{TEST_RESUME_PROMPT}::TestWithPieces::test_action_taken_before_resuming_needs_confirmation",
    ),
    "entries are not sealed": (
        STORE,
        "if sealed != (next_seal := compute_seal(seal, (entry_number, kind, value, boot_id, since_boot, wall))):",
        "if not (next_seal := compute_seal(seal, (entry_number, kind, value, boot_id, since_boot, wall))):",
        f"{TEST_STORE}::test_changed_entry_ends_its_game",
    ),
    "another program's file is written to": (
        DATABASE_FILE,
        "    if application_id != APPLICATION_ID:\n",
        "    if False:\n",
        f"{TEST_STORE}::test_foreign_database_is_unchanged",
    ),
    "a newer file is written to": (
        DATABASE_FILE,
        "    if format_version > FORMAT_VERSION:\n",
        "    if False:\n",
        f"{TEST_STORE}::test_header_distinguishes_foreign_from_damaged_file",
    ),
    "two writers at once": (
        "durable_files.py",
        "    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)\n",
        "    pass\n",
        f"{TEST_RESTART}::test_second_program_does_not_write_until_first_closes",
    ),
    "suspect file is written again": (
        WRITER,
        "                self._open_file, self._file_is_suspect = None, True\n",
        "                self._open_file, self._file_is_suspect = None, False\n",
        f"{TEST_WRITER}::test_suspect_file_is_never_written_again",
    ),
    "reader drops the writer's locks": (
        "journal/folder.py",
        "skipped_file=store.path if store else None",
        "skipped_file=None",
        "tests/journal/test_editing.py::TestImport::test_second_process_does_not_replace_the_log",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug_is_found(tmp_path, bug):
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

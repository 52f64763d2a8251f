"""Mutation tests of a linked game: the tests of this folder find bugs that are planted in a copy of the program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GAME, LOG, WISHES, SEAL, SIGN, INVITATION = (
    "linked_game.py",
    "game_log.py",
    "wishes.py",
    "sealing.py",
    "signatures.py",
    "invitation.py",
)
MUTANTS = {
    "any signature is valid": (SIGN, "        return False\n", "        return True\n"),
    "floats are allowed": (SIGN, "parse_float=_refuse_number, ", ""),
    "deep nesting ends the program": (SIGN, "except (ValueError, RecursionError)", "except ValueError"),
    "entry of any home": (LOG, "        verify(self.keys[author], entry_hash, signature)\n", ""),
    "change without consent": (
        LOG,
        "        verify(self.keys[other], self.make_wish_digest(change), decode",
        "        (decode",
    ),
    "consent never lapses": (LOG, "else self.hash\n", "else self.keys[0]\n"),
    "consent lapses with the game only": (LOG, "else self.hash\n", "else self.game_id\n"),
    "resignation never lapses": (LOG, "place = self.game_id if", "place = self.keys[0] if"),
    "resignation is taken back": (LOG, " and self.game.declared_outcome is None\n", "\n"),
    "same writer after the end": (LOG, "            return 1 - self.author\n", "            return self.author\n"),
    "light is always the inviter": (LOG, "return self.light if self.game", "return 0 if self.game"),
    "take back keeps a turn too many": (LOG, "self.game.turns[:turn_count])", "self.game.turns[: turn_count + 1])"),
    "hash without the entry before": (LOG, 'make_digest("entry", before, ', 'make_digest("entry", '),
    "turns after the end": (LOG, "if self.game.outcome:\n            raise", "if False:\n            raise"),
    "fork is resolved silently": (
        LOG,
        "    if not chosen:\n        return None\n",
        "    if not chosen:\n        return ours\n",
    ),
    "each home keeps its own choice": (LOG, "min(chosen, key=lambda log: log.hash) is fork", "chosen[0] is fork"),
    "log without end": (LOG, "        if self.length >= MAX_ENTRIES:\n", "        if False:\n"),
    "message of any sender": (GAME, "                verify(log.keys[home], _hash_message(text), signature)\n", ""),
    "join without proof": (GAME, "        if proof != self._prove_invitation(join):\n", "        if False:\n"),
    "join of any sender": (GAME, "        verify(public_key, digest, signature)\n", ""),
    "second joiner is ignored": (GAME, "if self.log.keys[JOINER] != public_key:\n", "if False:\n"),
    "game of another inviter": (
        GAME,
        "if make_watch_secret(secret) != self.invitation.to_watch.secret:\n",
        "if False:\n",
    ),
    "game of another joiner": (GAME, "if self.home is not None and self._key and log.keys", "if False and log.keys"),
    "other first entry": (GAME, "        if known_log:\n            raise", "        if False:\n            raise"),
    "known entries are not compared": (GAME, "known[index].body == body and ", ""),
    "choice of any home": (
        LOG,
        "        verify(entry.keys[1 - entry.author], make_choice_digest(entry), signature)\n",
        "",
    ),
    "choice of the author": (LOG, "verify(entry.keys[1 - entry.author]", "verify(entry.keys[entry.author]"),
    "author chooses": (GAME, "        if question.chooser != self.home:\n", "        if False:\n"),
    "requests are not verified": (WISHES, " and is_signed(log.keys[home], log.make_wish_digest(wish), hand)", ""),
    "lapsed request hides a new one": (GAME, "now_open = select_open(self._joined(), wishes)", "now_open = {}, {}"),
    "second version is not sent": (
        GAME,
        '                "rival": log_to_json(self._rival) if self._rival else [],\n',
        '                "rival": [],\n',
    ),
    "second version is not stored": (
        GAME,
        "game._rival = game._read_log(rival, game.log) if rival else None",
        "game._rival = None",
    ),
    "choices are not stored": (GAME, "game._choices = parse_choices(choices, game.log)", "pass"),
    "turns during a question": (
        GAME,
        "        if self._rival:\n            raise",
        "        if False:\n            raise",
    ),
    "turn during a question": (
        GAME,
        " and log.writer == self.home and not self._rival)",
        " and log.writer == self.home)",
    ),
    "agreed change during a question": (
        GAME,
        "if self._key is None or self._rival or log",
        "if self._key is None or log",
    ),
    "time of the future": (GAME, "min(sent, now))", "sent)"),
    "declined request stays": (
        GAME,
        "if change not in mine and Decline(change) not in mine]",
        "if change not in mine]",
    ),
    "resignation waits for an answer": (GAME, "if change in mine or isinstance(change, Resign):", "if change in mine:"),
    "any number of requests": (WISHES, "    if len(wishes) > MAX_WISHES:\n", "    if False:\n"),
    "more requests than can be restored": (WISHES, "**known}.items())[:MAX_WISHES])", "**known}.items()))"),
    "another game as second version": (GAME, "self._read_log(rival, log)]", "self._read_log(rival, self.log)]"),
    "damaged file": (
        GAME,
        '        if make_digest("stored", text) != stored[:_DIGEST_BYTES]:\n',
        "        if False:\n",
    ),
    "requests of the other home are not sent": (
        GAME,
        '"wishes": [wishes_to_json(wishes) for wishes in self._wishes],\n            }\n        elif',
        (
            '"wishes": [[] if home != self.home else wishes_to_json(self._wishes[home]) for home in (0, 1)],\n'
            "            }\n        elif"
        ),
    ),
    "change is not reported": (GAME, "        return self._list_durable() != before\n", "        return False\n"),
    "padding is not checked": (SEAL, ' or content[end:].strip(b"\\0")', ""),
    "size without limit": (SEAL, "content[_LENGTH_BYTES:end], MAX_TEXT)", "content[_LENGTH_BYTES:end])"),
    "message without padding": (SEAL, 'content.ljust(size - _OVERHEAD, b"\\0")', 'content.ljust(4056, b"\\0")'),
    "typing mistakes": (INVITATION, " or code[SECRET_BYTES:] != invitation._checksum", ""),
    "spectators can join": (INVITATION, '"join key", key=self.secret', '"join key", key=self.to_watch.secret'),
    "cells of one key": (INVITATION, 'make_digest("cells", *keys)', 'make_digest("cells", keys[0])'),
    "one topic": (INVITATION, 'make_digest("topic", writer.encode(), ', 'make_digest("topic", '),
}

pytestmark = pytest.mark.long


@pytest.mark.parametrize("bug", MUTANTS)
def test_tests_find_mutant(tmp_path, bug):
    done = run_tests(tmp_path, *MUTANTS[bug])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout, done.stdout + done.stderr


def test_unchanged_copy_passes(tmp_path):
    done = run_tests(tmp_path, GAME, "", "")
    assert done.returncode == 0, done.stdout + done.stderr


def run_tests(folder, file, old, new):
    """Run the tests of this folder on a copy of the program with one bug."""
    shutil.copytree(ROOT / "pond_hw", folder / "pond_hw", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    path = folder / "pond_hw/link" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-m", "not long", "-p", "no:cacheprovider", "tests/link"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )

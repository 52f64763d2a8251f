"""Tests that a file from a newer version of Pond is refused in one sentence, and that nothing in it is lost."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pond_hw.blackbox.reader import read_box
from pond_hw.exercises import ProgressFile
from pond_hw.journal.database_file import FORMAT_VERSION
from pond_hw.messages.message import Message, PondError
from pond_hw.profile import ProfileError, load_profile
from pond_hw.profile.calibration_store import calibration_history, save_calibration
from pond_hw.rules import DARK, RecordError, parse_record
from pond_hw.session import ChangeSetting, Course
from pond_hw.session.game.settings import HEAD_START
from tests.journal.journal_player import JournalPlayer
from tests.messages.says import assert_refused, ids, text
from tests.table import Table

FILES = Path(__file__).parent
NEWER_PROFILE = (
    'format = 2\ntitle = "From the future"\ngrid = 4\n\n[sensors]\nkind = "radar"\n\n[weather]\nrain = true\n'
)


def test_newer_profile_is_refused_in_one_sentence(pond, tmp_path):
    file = tmp_path / "kitchen.toml"
    file.write_text(NEWER_PROFILE, encoding="utf-8")
    with pytest.raises(ProfileError) as error:
        load_profile(file)
    assert [fault.reason for fault in error.value.faults] == [Message("profile.newer_format", known=1, found=2)]
    assert_refused(pond("serve", "--board", file), text(error.value.faults[0].reason))
    assert file.read_text(encoding="utf-8") == NEWER_PROFILE


@pytest.fixture
def newer_calibration(tmp_path):
    """Calibration file of a newer version, next to a profile."""
    shutil.copy(FILES / "profiles/measured.toml", tmp_path)
    own = tmp_path / "measured.measured.toml"
    own.write_text('format = 2\n[sensors]\nwarp = 9\n[lamps]\ncolours = "RGB"\n', encoding="utf-8")
    return own


def test_newer_calibration_is_ignored_in_one_sentence(newer_calibration, tmp_path):
    profile = load_profile(tmp_path / "measured.toml")
    assert profile.chain.colour_order == "GRB"
    warning = profile.calibration_warning
    assert warning.id == "profile.ignored.unusable"
    assert warning.arguments["reason"].arguments["reason"] == Message("profile.newer_format", known=1, found=2)


def test_newer_calibration_is_kept_as_an_older_version(newer_calibration, tmp_path):
    before = newer_calibration.read_bytes()
    changed = {"lamps.brightness": 0.3}
    now = datetime(2026, 11, 30, tzinfo=UTC)
    save_calibration(tmp_path / "measured.toml", changed, by="pond setup bright", why="too bright", now=now)
    assert (tmp_path / "measured.measured.toml.1").read_bytes() == before
    assert not (tmp_path / "measured.measured.bad").exists()
    assert load_profile(tmp_path / "measured.toml").chain.brightness == 0.3
    assert [change.keys for change in calibration_history(tmp_path / "measured.toml")] == [("lamps.brightness",)]


def test_newer_journal_is_left_alone_and_games_go_on(tmp_path):
    newer = tmp_path / "journal-1.db"
    content = bytearray((FILES / "journal/journal-1.db").read_bytes())
    content[63] = FORMAT_VERSION + 1
    newer.write_bytes(content)
    player = JournalPlayer(tmp_path, "later")
    facts = {"file": str(newer), "format": FORMAT_VERSION + 1, "known_format": FORMAT_VERSION}
    assert player.journal.file_notices == (Message("journal.newer", **facts), Message("journal.left_alone"))
    player.play_turns(2)
    player.close()
    assert newer.read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".db") == ["journal-1.db", "journal-2.db"]
    newer.write_bytes((FILES / "journal/journal-1.db").read_bytes())  # a newer Pond can read both
    again = JournalPlayer(tmp_path, "newer")
    assert again.journal.unfinished_game.file == "journal-2.db"
    again.close()


def write_newer(file):
    content = json.loads((FILES / "state" / file.name).read_bytes()) | {"form": 2, "more": [1]}
    file.write_text(json.dumps(content), encoding="utf-8")
    return file.read_bytes()


def test_newer_progress_is_left_alone(tmp_path):
    file = tmp_path / "exercises.json"
    before = write_newer(file)
    progress = ProgressFile(tmp_path)
    assert progress.fault == Message("state_file.newer", file=str(file))
    assert progress.done_names == {}
    assert progress.save([Course("lessons", tuple, frozenset({"place"}))]) == progress.fault
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["exercises.json"]


def test_newer_settings_are_left_alone_and_reported(tmp_path):
    file = tmp_path / "players.json"
    before = write_newer(file)
    table = Table(folder=tmp_path, names=("Ada", None), has_courses=True).wait(1.0)
    assert ids(table.session.messages)[0] == "state_file.newer"
    table.companion.put(ChangeSetting(HEAD_START, DARK, 3, table.clock.now()))
    table.wait(1.0)
    assert table.session.side_helps[DARK].head_start == 3
    table.companion.close()
    assert file.read_bytes() == before
    assert not file.with_suffix(".bad").exists()


def test_newer_recording_is_refused(tmp_path):
    file = tmp_path / "tuesday.box"
    header = {"box": "pond black box", "format": 9, "version": "3.0", "command": "serve", "profile": "direct-4x4"}
    file.write_bytes(json.dumps(header).encode() + b"\n")
    with pytest.raises(PondError) as error:
        read_box(file)
    assert error.value.message == Message("recording.other_format", file=str(file), version="3.0")


def test_record_with_unknown_tags_keeps_them():
    record_text = '[Variant "mini"]\n[Weather "rain"]\n[Result "*"]\n\n1. @a1\n'
    assert parse_record(record_text).tags == {"Weather": "rain"}
    assert str(parse_record(record_text)) == record_text


def test_record_of_an_unknown_pond_is_refused():
    with pytest.raises(RecordError) as error:
        parse_record('[Variant "torus"]\n\n1. @a1\n')
    assert error.value.message.id == "record.wrong_tag"
    assert error.value.message.arguments["tag"] == "Variant"

"""Tests that files of version 1.0 are read as they were read then. See README.md: the files never change."""

import json
import shutil
from pathlib import Path

import pytest

from pond_hw.exercises import ProgressFile
from pond_hw.journal.folder import read_all_games
from pond_hw.profile import load_profile
from pond_hw.rules import parse_record
from tests.journal.journal_player import JournalPlayer
from tests.promises.plain import missing_parts, plain_game, plain_profile, plain_record
from tests.server.headless_client import HeadlessClient
from tests.table import Table

FILES = Path(__file__).parent
PROFILES = sorted(path for path in (FILES / "profiles").glob("*.toml") if not path.name.endswith(".measured.toml"))
RECORDS = sorted((FILES / "records").glob("*.pond"))
CONVERSATIONS = sorted(FILES.glob("protocol*.jsonl"))
JOURNALS = [FILES / "journal", FILES / "journal_after_power_cut"]

each_profile = pytest.mark.parametrize("file", PROFILES, ids=lambda file: file.stem)
each_record = pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
each_conversation = pytest.mark.parametrize("file", CONVERSATIONS, ids=lambda file: file.stem)
each_journal = pytest.mark.parametrize("journal", JOURNALS, ids=lambda folder: folder.name)


def read_json(file):
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture
def copied(tmp_path):
    """Function that copies a folder and returns the copy."""
    return lambda folder: shutil.copytree(folder, tmp_path / folder.name, ignore=shutil.ignore_patterns("games.json"))


@each_profile
def test_profile_is_read_as_before(file):
    profile = load_profile(file)
    assert profile.calibration_warning is None
    assert list(missing_parts(read_json(file.with_suffix(".json")), plain_profile(profile))) == []


def test_profiles_cover_all_kinds():
    profiles = list(map(load_profile, PROFILES))
    kinds = {type(profile.sensing.wiring).__name__ for profile in profiles}
    assert kinds == {f"{kind}Wiring" for kind in ("Direct", "Matrix", "Expander", "Analog", "Trellis", "Simulated")}
    assert {profile.supply.source for profile in profiles} == {"pi", "usb", "own"}
    assert {profile.controller for profile in profiles} == {"pi", "pico"}
    assert any(any(profile.chain.strip_positions) for profile in profiles)
    assert any(profile.measured_keys for profile in profiles)


@each_record
def test_record_is_read_and_written_as_before(file):
    text = file.read_text(encoding="utf-8")
    record = parse_record(text)
    assert list(missing_parts(read_json(file.with_suffix(".json")), plain_record(record))) == []
    assert str(record) == text


@each_journal
def test_saved_games_are_read_as_before(journal, copied):
    stored_games, notices = read_all_games(copied(journal))
    assert notices == []
    expected = read_json(journal / "games.json")
    assert [game.uid for game in stored_games] == [game["uid"] for game in expected]
    for stored, before in zip(stored_games, expected, strict=True):
        assert list(missing_parts(before, plain_game(stored))) == []
        assert stored.fault is None


@each_journal
def test_old_journal_keeps_its_games_when_played_on(journal, copied):
    folder, before = copied(journal), read_json(journal / "games.json")
    player = JournalPlayer(folder, "later")
    assert player.journal.file_notices == ()
    assert player.journal.unfinished_game.uid == "unfinished"
    player.resume(player.journal.unfinished_game)
    player.play_turns(3)
    player.close()
    stored_games, notices = read_all_games(folder)
    assert notices == []
    assert [game.uid for game in stored_games] == [game["uid"] for game in before]
    for stored, old in zip(stored_games, before, strict=True):
        entries = plain_game(stored)["entries"]
        assert entries[: len(old["entries"])] == old["entries"]
        assert len(entries) - len(old["entries"]) == (4 if stored.uid == "unfinished" else 0)


def test_unfinished_game_of_an_old_journal_is_offered_and_continued(copied):
    folder = copied(FILES / "journal")
    client = HeadlessClient("small-14", folder=folder)
    client.request({"command": "resume"})
    assert client.state()["position"] == read_json(FILES / "journal/games.json")[-1]["position"]
    (state,) = client.request({"command": "action", "action": client.state()["legal"][0]})
    client.game.companion.close()
    again = HeadlessClient("small-14", folder=folder)
    again.request({"command": "resume"})
    assert again.state()["position"] == state["position"]


def test_lesson_progress_is_read_as_before(copied):
    progress = ProgressFile(copied(FILES / "state"))
    assert progress.fault is None
    assert progress.done_names == {"lessons": {"grow", "place"}, "puzzles": {"42"}}


@pytest.mark.parametrize(
    ("names", "settings"),
    [
        (("Ada", "Léo"), [("none", 2, 6), ("warnings", 0, None)]),
        ((None, "Ada"), [("full", 0, None), ("none", 2, 6)]),
    ],
)
def test_settings_of_players_are_restored_as_before(names, settings, copied):
    table = Table(folder=copied(FILES / "state"), names=names, has_courses=True).wait(1.0)
    restored = [
        (side_help.help.value, side_help.head_start, side_help.hint_limit) for side_help in table.session.side_helps
    ]
    assert restored == settings


@each_conversation
@pytest.mark.slow
def test_protocol_answers_keep_their_fields(file):
    client = HeadlessClient("mini")
    for line in file.read_text(encoding="utf-8").splitlines():
        exchange = json.loads(line)
        answers = client.request(exchange["send"].encode()) if exchange["send"] else list(map(json.loads, client.lines))
        assert len(answers) == len(exchange["answers"]), exchange["send"]
        for before, answer in zip(exchange["answers"], answers, strict=True):
            assert list(missing_parts(before, answer)) == [], exchange["send"]

"""Tests of the commands for saved games."""

import io
import json
import os
import shutil
import sys
import time
from copy import copy
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pond_hw.commands import main
from pond_hw.commands.record_argument import MAX_RECORD_BYTES
from pond_hw.commands.statistics import find_interval
from pond_hw.companion.saved_state import open_with_resume_prompt
from pond_hw.journal import folder as journal_folder
from pond_hw.journal import game_times
from pond_hw.journal.game_records import build_record
from pond_hw.journal.statistics import WinShare
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, STANDARD, VARIANTS, Action, Position
from pond_hw.session import ActionValue, AskHint, ChangeSetting, HintFound, Session, SetUpGame
from pond_hw.session.game.settings import HINT_LIMIT
from tests.conftest import each
from tests.journal.journal_folder import JournalFolder, play_on
from tests.messages.says import assert_refused, text

GAMES = Path(__file__).parent.parent / "games"
RESIGNED = Message("outcome.resignation", winner="light", loser="dark")


def stdout_line(message_id, **arguments):
    return f"{text(Message(message_id, **arguments))}\n"


def stderr_line(message_id, **arguments):
    return f"pond: {stdout_line(message_id, **arguments)}"


def event_line(turn, event):
    return text(Message("show_game.event", turn=turn, event=event))


def import_text(kind, number, path):
    return text(Message(f"import.{kind}", file=str(path), number=number))


def pieces_text(side, **counts):
    return text(Message("drawn.pieces", side=side, **counts))


def minutes(count):
    return Message("playing_time.minutes", minutes=count)


LONG_NAME = "Wilhelmina Friederike von Hohen"


@pytest.fixture(autouse=True)
def utc_terminal(monkeypatch):
    """Use UTC and a terminal width of 80 columns."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "80")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def stored(tmp_path):
    (tmp_path / "state").mkdir()
    return JournalFolder(tmp_path / "state")


@pytest.fixture(scope="module")
def played_evening(tmp_path_factory):
    """Journal with three games: one resigned by Dark, one interrupted, and one in progress."""
    stored = JournalFolder(tmp_path_factory.mktemp("state"))
    stored.play("@b2 @b3 @c3 undo @d4 resign", light="Ada", dark="greedy")
    stored.play("@b2 @b3 @c3", pond="mini", board="direct-4x4", dark="Ben")
    return stored.play("@e5 @a1 undo", pond="big", light="Ada")


@pytest.fixture
def evening(stored, played_evening):
    """Copy of `played_evening` that a test may change."""
    shutil.copytree(played_evening.folder, stored.folder, dirs_exist_ok=True)
    stored.clock = copy(played_evening.clock)
    return stored


@pytest.fixture
def pond(pond, stored):
    """Function that runs a command on the journal."""
    return lambda *arguments, folder=stored.folder: pond(*arguments, "--journal", folder)


def corrupt(stored, statement):
    """Run an SQL statement on the journal file."""
    import sqlite3

    base = sqlite3.connect(stored.folder / "journal-1.db")
    base.execute(statement)
    base.commit()
    base.close()


class TestGames:
    def test_list_fits_80_columns(self, pond, evening):
        code, out, err = pond("games")
        assert (code, err) == (0, "")
        assert out.splitlines() == [
            "  when             pond     Light Dark   turns score result        board",
            "1 2026-05-04 19:00 standard Ada   greedy     3   0-0 Dark resigned headless",
            "2 2026-05-04 19:03 mini     human Ben        3   0-0 interrupted   direct-4x4",
            "3 2026-05-04 19:05 big      Ada   human      1   0-0 in progress   headless",
        ]

    def test_player_names_match_other_screens(self, pond, stored, monkeypatch):
        monkeypatch.setenv("COLUMNS", "120")
        stored.play("@b2 @b3 @c3 resign", light="Ada", dark="level-2")
        level = Message("player.level", level="2")
        player = Message("player.named_level", name=Message("player.beginner"), level=level)
        for language in ("en", "nl"):
            name = get_catalogue(language).text(player)
            assert f" {name} " in pond("games", "--language", language)[1]
            assert f"{name} " in pond("statistics", "--by", "player", "--language", language)[1]
        assert json.loads(pond("games", "--json")[1])["games"][0]["dark"] == "level-2"

    def test_list_widens_on_a_wide_terminal(self, pond, evening, monkeypatch):
        monkeypatch.setenv("COLUMNS", "120")
        assert pond("games")[1].splitlines()[3] == (
            "3  2026-05-04 19:05  big       Ada    human       1    0-0  in progress    headless"
        )

    def test_long_names_are_shortened(self, pond, stored):
        stored.play("@b2 resign", light=LONG_NAME, dark="王" * 15, board="neotrellis-4x4", pond="small-11")
        lines = pond("games")[1].splitlines()
        assert all(sum(2 if letter == "王" else 1 for letter in line) <= 80 for line in lines)
        assert "Wilhelm" in lines[1]
        assert "…" in lines[1]

    def test_control_characters_are_removed(self, pond, stored):
        stored.play("@b2", light="\x1b[2JAda\x07\u202e")
        for command in (("games",), ("show-game", "1")):
            assert pond(*command)[1].replace("\n", "").isprintable()

    def test_json_output(self, pond, evening):
        results = json.loads(pond("games", "--json")[1])
        assert (results["form"], results["folder"], results["unreadable"]) == (1, str(evening.folder), [])
        assert results["games"][0] == {
            "number": 1,
            "uid": "game-1",
            "state": "finished",
            "fault": None,
            "begun": "2026-05-04T19:00:30+00:00",
            "clock_may_be_wrong": False,
            "date": "2026-05-04 19:00 UTC",
            "seconds": 150.0,
            "variant": "standard",
            "board": "headless",
            "light": "Ada",
            "dark": "greedy",
            "turns": 3,
            "taken_back": 1,
            "score": {"light": 0, "dark": 0},
            "winner": "light",
            "reason": "resignation",
            "imported": False,
        }
        assert [(game["state"], game["winner"]) for game in results["games"][1:]] == [("left", None), ("goes on", None)]

    @each(
        "options, numbers",
        [
            (["--variant", "mini"], [2]),
            (["--player", "ADA"], [1, 3]),
            (["--player", "Ada", "--last", "1"], [3]),
            (["--player", "Ad"], []),
            (["--unfinished"], [2, 3]),
            (["--last", "2"], [2, 3]),
            (["--last", "9"], [1, 2, 3]),
            (["--variant", "4x4/13/10"], []),
        ],
    )
    def test_list_can_be_filtered(self, pond, evening, options, numbers):
        assert [game["number"] for game in json.loads(pond("games", "--json", *options)[1])["games"]] == numbers
        lines = pond("games", *options)[1].splitlines()
        if numbers:
            assert [int(line.split()[0]) for line in lines[1:]] == numbers
        else:
            assert lines == [text(Message("games.none_match", count=3, folder=str(evening.folder)))]

    def test_game_without_turns_is_not_listed(self, pond, stored, tmp_path):
        stored.play("@b2 resign new resign undo").play("@c3")
        assert len(stored.games) == 3
        assert [game["number"] for game in json.loads(pond("games", "--json")[1])["games"]] == [1, 3]
        pond("export", "--all", "-o", str(tmp_path / "out"))
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["game-1.pond", "game-3.pond"]

    def test_custom_start_position_is_listed(self, pond, stored):
        journal, session = stored.open_journal()
        by_hand = Position.from_notation(".t../..F./e..T/T... d 6 6 4 5")
        journal.record_step(session.after(SetUpGame(by_hand, 0.0)))
        journal.close()
        assert " ".join(pond("games")[1].splitlines()[1].split()) == "1 standard human human 0 4-5 in progress headless"
        assert [str(build_record(game).custom_start) for game in stored.games] == [str(by_hand)]

    def test_empty_folder_has_no_games(self, pond, stored):
        assert pond("games") == (0, stdout_line("games.none", folder=str(stored.folder), command="pond play"), "")
        assert not list(stored.folder.iterdir())
        assert json.loads(pond("games", "--json")[1])["games"] == []
        assert pond("games") == (0, stdout_line("games.none", folder=str(stored.folder), command="pond play"), "")
        assert not list(stored.folder.iterdir())

    def test_list_shows_a_game_in_progress(self, pond, evening):
        journal, session = evening.open_journal()
        play_on(journal, session, "@a1 @a2")
        code, out, err = pond("games", "--last", "1")
        journal.close()
        assert (code, err) == (0, "")
        assert out.splitlines()[1].split()[-4:] == ["0-0", "in", "progress", "headless"]

    def test_damaged_file_is_reported_beside_a_good_one(self, pond, evening):
        (evening.folder / "journal-0.db").write_bytes(b"no name of ours")
        (evening.folder / "journal-2.db").write_bytes(b"noise")
        code, out, err = pond("games")
        assert (code, len(out.splitlines())) == (0, 4)
        unreadable = Message("journal.unreadable_end", file="journal-2.db", reason=Message("damage.no_header"))
        assert err == f"pond: {text(unreadable)}\n"
        assert json.loads(pond("games", "--json")[1])["unreadable"] == [err.removeprefix("pond: ").strip()]

    def test_journal_with_only_a_damaged_file_fails(self, pond, stored):
        (stored.folder / "journal-1.db").write_bytes(b"noise")
        for command in (("games",), ("games", "--json"), ("statistics",)):
            code, out, err = pond(*command)
            assert (code, "no game" in out) == (2, False)
            unreadable = Message("journal.unreadable_end", file="journal-1.db", reason=Message("damage.no_header"))
            assert err == f"pond: {text(unreadable)}\n"

    def test_damaged_games_are_marked_in_the_list(self, pond, evening):
        corrupt(evening, "UPDATE entry SET value = '@a9' WHERE game = 1 AND n = 3")
        corrupt(evening, "UPDATE game SET facts = '{}' WHERE id = 2")
        code, out, err = pond("games")
        assert (code, err) == (0, "")
        assert out.splitlines()[1].split()[6:10] == ["2", "0-0", "in", "progress!"]
        assert out.splitlines()[2].split() == ["2", "unreadable"]
        assert out.splitlines()[-1] == f"!  {text(Message('games.cut_short'))}"
        seal = Message("fault.broken_seal")
        assert pond("show-game", "1")[1].endswith(
            stdout_line("show_game.more_unreadable", file="journal-1.db", reason=seal)
        )
        unreadable = stderr_line("game.unreadable_in", number=2, file="journal-1.db", reason=seal)
        assert pond("show-game", "2") == (2, "", unreadable)
        assert pond("export", "1")[2] == stderr_line("game.readable_to_turn", number=1, turn=2, reason=seal)
        nothing = stderr_line("game.nothing_readable", number=2, turn=0, reason=seal)
        assert nothing in pond("export", "--all", "-o", str(evening.folder / "out"))[2]
        assert pond("delete-game", "2", "--yes")[0] == 0
        assert len(evening.games) == 2

    def test_hint_mentions_service_games(self, pond, evening, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("POND_JOURNAL", str(tmp_path / "mine"))
        monkeypatch.setattr(journal_folder, "SERVICE_FOLDER", evening.folder)
        main.main(["games"])
        out, err = capsys.readouterr()
        assert out == stdout_line("games.none", folder=str(tmp_path / "mine"), command="pond play")
        assert err == stderr_line("games.service", command=f"pond games --journal {evening.folder}")
        monkeypatch.setattr(os, "access", lambda *_: False)
        main.main(["games"])
        assert "sudo -u pond pond games --journal" in capsys.readouterr().err
        monkeypatch.setenv("POND_JOURNAL", str(evening.folder))
        main.main(["games"])
        assert capsys.readouterr().err == ""
        assert pond("games")[2] == ""  # no hint if a folder is named


class TestShowGame:
    def test_game_is_shown_with_all_details(self, pond, evening):
        assert pond("show-game", "1")[1].splitlines() == [
            text(Message("show_game.heading", number=1, variant="standard", light="Ada", dark="greedy")),
            "  started     2026-05-04 19:00",
            "  played for  2 min",
            "  board       headless",
            f"  taken back  {text(Message('show_game.turns', count=1))}",
            "",
            '[Variant "standard"]',
            '[Light "Ada"]',
            '[Dark "greedy"]',
            '[Date "2026-05-04 19:00 UTC"]',
            '[Board "headless"]',
            '[Result "light 0-0 resignation"]',
            "",
            "1. @b2 @b3 {taken back: @c3} 2. @d4",
            "",
            "  a b c d",
            "4 . . . E 4",
            "3 . e . . 3",
            "2 . T . . 2",
            "1 . . . . 1",
            "  a b c d",
            pieces_text("light", scored=0, spawn=11),
            pieces_text("dark", scored=0, spawn=12),
            text(RESIGNED),
            "",
            text(Message("show_game.events")),
            f"  2026-05-04 19:02  {event_line(3, Message('show_game.taken_back', actions='@c3'))}",
            f"  2026-05-04 19:03  {event_line(3, RESIGNED)}",
        ]

    @pytest.mark.parametrize("command", [["show-game", "1"], ["replay", "1", "--text"]], ids=" ".join)
    def test_finished_game_is_shown_in_one_language(self, pond, evening, command):
        out = pond(*command, "--language", "nl")[1]
        assert get_catalogue("nl").text(Message("drawn.pieces", side="dark", scored=0, spawn=12)) in out.splitlines()
        assert "in the spawn" not in out
        assert "to move" not in out

    def test_record_fits_the_terminal(self, pond, stored, monkeypatch):
        stored.play("@b2 @b3 @c3 @c2 @a1 @a2 @d4 @d3 resign")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", "30")
        lines = pond("show-game", "1")[1].splitlines()
        assert [line for line in lines if "@" in line] == ["1. @b2 @b3 2. @c3 @c2 3. @a1", "@a2 4. @d4 @d3"]

    def test_running_and_interrupted_games_are_shown(self, pond, evening):
        goes_on, events = Message("game.unfinished", side="dark"), Message("show_game.events")
        assert f"{text(goes_on)}\n\n{text(events)}" in pond("show-game", "last")[1]
        assert pond("show-game") == pond("show-game", "last")
        out = pond("show-game", "2")[1]
        assert stdout_line("show_game.left", number=2) in out
        assert event_line(3, Message("show_game.players_left")) in out

    def test_continuing_after_the_end_is_shown(self, pond, stored):
        stored.play("@b2 undo redo").play("@b2 draw undo")
        assert event_line(0, Message("show_game.played_again", actions="@b2")) in pond("show-game", "1")[1]
        assert event_line(1, Message("show_game.end_taken_back")) in pond("show-game", "2")[1]

    def test_remarks_are_shown(self, pond, stored):
        journal, session = stored.open_journal(pieces=True)
        play_on(journal, session, "@b2")
        journal.write_remark("The sensor of c3 is masked.")
        journal.close()
        out = pond("show-game", "1")[1]
        assert out.endswith(f"  2026-05-04 19:01  {event_line(1, 'The sensor of c3 is masked.')}\n")
        assert f"  board       {text(Message('show_game.board_with_pieces', board='headless'))}\n" in out

    def test_hints_are_shown(self, pond, stored):
        journal, session = stored.open_journal()
        session = play_on(journal, session, "@b2").after(ChangeSetting(HINT_LIMIT, DARK, 2, 1.0)).after(AskHint(1.0))
        journal.record_step(session.after(HintFound(Action.from_notation("@b3"), ActionValue(0.0), 2.0)))
        journal.close()
        hint = Message("show_game.hint", side="dark")
        assert pond("show-game", "1")[1].endswith(f"  2026-05-04 19:01  {event_line(1, hint)}\n")

    @pytest.mark.parametrize("result", ["*", "dark 0-0 resignation"])
    def test_imported_game_shows_its_source(self, pond, tmp_path, result):
        (tmp_path / "a.pond").write_text(f'[Result "{result}"]\n\n1. @b2 @b3\n')
        assert pond("import", str(tmp_path / "a.pond"))[0] == 0
        out = pond("show-game", "1")[1]
        assert f"  source  {text(Message('show_game.imported'))}\n" in out
        assert text(Message("show_game.events")) not in out


class TestExport:
    def test_exported_game_can_be_replayed(self, pond, evening, capsys, tmp_path):
        code, record, _ = pond("export", "1")
        assert (code, record.splitlines()[-1]) == (0, "1. @b2 @b3 {taken back: @c3} 2. @d4")
        new = str(tmp_path / "one.pond")
        assert pond("export", "1", "-o", new)[1] == stdout_line("file.written", file=new)
        assert pond("export", "1", "-o", new)[1] == stdout_line("export.same_game", file=new)
        assert (tmp_path / "one.pond").read_text() == record
        assert main.main(["replay", str(tmp_path / "one.pond")]) == 0
        assert capsys.readouterr().out.endswith(f"{text(RESIGNED)}\n")

    def test_several_games_are_exported_into_a_folder(self, pond, evening, tmp_path):
        out = tmp_path / "out"
        assert pond("export", "1", "-o", f"{out}/")[1] == stdout_line("export.written", count=1, folder=str(out))
        assert pond("export", "--all", "-o", str(out))[1] == stdout_line(
            "export.rest_written", count=2, folder=str(out)
        )
        assert sorted(path.name for path in out.iterdir()) == ["game-1.pond", "game-2.pond", "game-3.pond"]
        assert pond("export", "1", "2", "-o", str(out))[1] == stdout_line("export.all_there", count=2, folder=str(out))

    def test_existing_files_are_not_overwritten(self, pond, evening, tmp_path):
        (tmp_path / "game-3.pond").write_text("mine")
        assert_refused(
            pond("export", "--all", "-o", str(tmp_path)),
            Message("export.files_exist", file=f"{tmp_path}/game-3.pond", count=1),
        )
        assert [path.name for path in tmp_path.glob("*.pond")] == ["game-3.pond"]
        assert (tmp_path / "game-3.pond").read_text() == "mine"
        (tmp_path / "link").symlink_to(tmp_path / "nothing")
        assert pond("export", "1", "-o", str(tmp_path / "link"))[0] == 2
        assert not (tmp_path / "nothing").exists()

    def test_partial_record_is_removed(self, pond, evening, tmp_path, monkeypatch):
        class FullDisk(io.BytesIO):
            def write(self, _):
                raise OSError(28, "No space left on device")

        def opened(path, mode="r", **how):
            file = real(path, mode, **how)
            if mode != "xb":
                return file
            file.close()
            return FullDisk()

        real = Path.open
        monkeypatch.setattr(Path, "open", opened)
        assert pond("export", "1", "-o", str(tmp_path / "one.pond"))[2] == (
            stderr_line("file.cannot_write", file=f"{tmp_path}/one.pond", reason="No space left on device")
        )
        assert not (tmp_path / "one.pond").exists()


class TestImport:
    def test_exported_games_are_recognised(self, pond, evening, tmp_path):
        pond("export", "--all", "-o", str(tmp_path / "out"))
        for number in (1, 2, 3):
            name = str(tmp_path / "out" / f"game-{number}.pond")
            assert pond("import", name) == (0, stdout_line("import.known_game", file=name, known=number), "")
        assert len(evening.games) == 3

    def test_games_are_imported_into_another_journal(self, pond, evening, tmp_path):
        pond("export", "--all", "-o", str(tmp_path / "out"))
        records = [path.read_text() for path in sorted((tmp_path / "out").iterdir())]
        other = tmp_path / "other"
        other.mkdir()
        code, out, _ = pond("import", *map(str, sorted((tmp_path / "out").iterdir())), folder=other)
        assert (code, out.splitlines()[0]) == (0, import_text("finished", 1, tmp_path / "out" / "game-1.pond"))
        assert out.splitlines()[2] == import_text("unfinished", 3, tmp_path / "out" / "game-3.pond")
        assert [pond("export", str(n), folder=other)[1] for n in (1, 2, 3)] == records
        assert pond("games", folder=other)[1].splitlines()[1:] == [
            "1 2026-05-04 19:00 standard Ada   greedy     3   0-0 Dark resigned headless",
            "2 2026-05-04 19:03 mini     human Ben        3   0-0 interrupted   direct-4x4",
            "3 2026-05-04 19:05 big      Ada   human      1   0-0 interrupted   headless",
        ]

    def test_bad_records_do_not_block_good_records(self, pond, stored, tmp_path):
        records = {"good": "1. @b2 @b3", "bad": "1. @b2 @b2", "same": "1. @b2 {hm} @b3", "noise": "\0", "none": ""}
        for name, record in records.items():
            (tmp_path / name).write_text(record)
        (tmp_path / "long").write_text("{" + "a" * MAX_RECORD_BYTES)
        (tmp_path / "bytes").write_bytes(b"\xff")
        names = [str(tmp_path / name) for name in (*records, "long", "bytes", "nowhere", "")]
        code, out, err = pond("import", *names)
        assert code == 2
        assert out.splitlines() == [
            text(Message("import.known_file", file=f"{tmp_path}/same", known=f"{tmp_path}/good")),
            import_text("unfinished", 1, tmp_path / "good"),
        ]
        for message in (
            Message("illegal.not_empty", cell="b2"),
            Message("file.bad_record", file=f"{tmp_path}/none", reason=Message("record.empty")),
            Message("file.too_long", file=f"{tmp_path}/long"),
            Message("file.not_utf8", file=f"{tmp_path}/bytes"),
            Message("file.cannot_read", file=f"{tmp_path}/nowhere", reason="No such file or directory"),
        ):
            assert text(message) in err
        assert (len(err.splitlines()), len(stored.games)) == (7, 1)

    def test_record_is_imported_from_standard_input(self, pond, stored, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1. @b2")))
        assert pond("import", "-")[0] == 0
        assert len(stored.games) == 1


class TestResume:
    def offered(self, folder):
        session, journal = open_with_resume_prompt(
            folder, Session.start_game(STANDARD), 0.0, board="test", threaded=False
        )
        journal.close()
        return session.resume_prompt and [str(turn.action) for turn in session.turns]

    def test_interrupted_game_is_offered(self, pond, stored):
        stored.play("@b2 @b3").play("@c3")
        assert pond("resume", "1")[1].splitlines() == [
            text(Message("resuming.offered", number=1, size=4)),
            text(Message("resuming.replaced", number=2)),
        ]
        assert self.offered(stored.folder) == ["@b2", "@b3"]

    def test_imported_game_is_offered(self, pond, stored, tmp_path):
        (tmp_path / "a.pond").write_text("1. @b2 @b3")
        pond("import", str(tmp_path / "a.pond"))
        assert self.offered(stored.folder) is None
        pond("resume", "last")
        assert self.offered(stored.folder) == ["@b2", "@b3"]

    def test_finished_or_empty_game_is_refused(self, pond, stored):
        stored.play("@b2 resign new resign undo")
        code, out, err = pond("resume", "1")
        assert (code, out, text(RESIGNED) in err) == (2, "", True)
        assert "Game 2 has no moves yet" in pond("resume", "2")[2]
        journal, session = stored.open_journal()
        play_on(journal, session, "@b2")
        code, _, err = pond("resume", "3")
        journal.close()
        assert code == 2
        assert err.endswith(stdout_line("resuming.stop_first"))


class TestDeleteGame:
    def answer(self, monkeypatch, text):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        monkeypatch.setattr(sys, "stdin", Terminal(text))

    @pytest.mark.parametrize("answer", ["y\n", "Y\n", "yes\n"])
    def test_confirmed_deletion_removes_games(self, pond, evening, monkeypatch, answer):
        self.answer(monkeypatch, answer)
        code, out, _ = pond("delete-game", "1", "3")
        assert code == 0
        assert "Dark resigned" in out
        assert out.endswith(
            f"{text(Message('delete.ask', count=2))} [y/N] {stdout_line('delete.done', number=1)}"
            f"{stdout_line('delete.done', number=3)}{stdout_line('delete.renumbered', command='pond games')}"
        )
        assert [game.uid for game in evening.games] == ["game-2"]

    @each("answer", ["n\n", "\n", "", "yesterday\n"])
    def test_declined_deletion_changes_nothing(self, pond, evening, monkeypatch, answer):
        self.answer(monkeypatch, answer)
        code, out, _ = pond("delete-game", "last")
        question = f"{text(Message('delete.ask', count=1))} [y/N] "
        assert question in out
        assert (code, out.splitlines()[-1].removeprefix(question)) == (0, text(Message("delete.nothing")))
        assert len(evening.games) == 3

    def test_deletion_without_a_terminal_is_refused(self, pond, evening, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
        assert pond("delete-game", "1")[::2] == (
            2,
            stderr_line("delete.cannot_ask"),
        )
        assert len(evening.games) == 3
        assert pond("delete-game", "3", "--yes") == (0, stdout_line("delete.done", number=3), "")

    def test_running_game_is_not_deleted(self, pond, evening):
        journal, session = evening.open_journal()
        play_on(journal, session, "@a1")
        assert_refused(pond("delete-game", "1", "last", "--yes"), Message("delete.may_be_played", number=4))
        assert len(evening.games) == 4
        assert pond("delete-game", "1", "--yes")[0] == 0
        journal.close()
        assert [game.uid for game in evening.games] == ["game-2", "game-3", "game-4"]

    def test_failed_deletion_is_reported(self, pond, evening):
        header = b"SQLite format 3\0".ljust(60, b"\0") + b"\0\0\0\1" + bytes(4) + b"Pond"
        (evening.folder / "journal-2.bad").write_bytes(header.ljust(5000, b"\0"))
        code, out, err = pond("delete-game", "3", "--yes")
        assert (code, out) == (2, stdout_line("delete.done", number=3))
        reason = Message("damage.no_log")
        assert err == (
            stderr_line("journal.unreadable_end", file="journal-2.bad", reason=reason)
            + stderr_line("delete.remains", file="journal-2.bad", reason=reason)
        )


class TestStatistics:
    def test_totals_are_printed(self, pond, evening):
        evening.play("@a1 draw", light="ben", dark="Ada")
        for name in ("mini-patience", "standard-draw", "small-11-a-gift", "standard-set-up-dark-begins"):
            pond("import", str(GAMES / f"{name}.pond"))
        reasons = {"score": 4, "elimination": 0, "resignation": 1, "agreement": 1}
        share = Message("share.of_cases", cases=3, total=3, percent=100, low=44, high=100)
        assert pond("statistics")[1].splitlines() == [
            text(Message("statistics.finished", count=6)),
            text(Message("statistics.unfinished", count=2)),
            f"  result      {text(Message('statistics.result', light=3, dark=1, drawn=2))}",
            f"  ended by    {text(Message('statistics.reasons', **reasons))}",
            f"  turns       {text(Message('statistics.turns', fewest=1, median=14.5, most=63))}",
            f"  points      {text(Message('statistics.points', light=33, dark=32, light_mean=5.5, dark_mean=5.333))}",
            f"  taken back  {text(Message('show_game.turns', count=1))}",
            f"  played for  {text(Message('statistics.time_of_some', count=2, total=minutes(3), mean=minutes(2)))}",
            f"  first move  {text(Message('statistics.first', share=share))}",
            f"              {text(Message('statistics.may_be_chance'))}",
        ]

    @each(
        "seconds, time",
        [(29, ("less", {})), (31, ("minutes", {"minutes": 1})), (3900, ("hours", {"hours": 1, "minutes": 5}))],
    )
    def test_playing_time_has_a_suitable_unit(self, seconds, time):
        kind, arguments = time
        assert game_times.describe_playing_time(seconds) == Message(f"playing_time.{kind}", **arguments)
        assert text(game_times.describe_playing_time(seconds))

    def test_totals_are_printed_by_player_and_by_pond(self, pond, evening):
        evening.play("@a1 draw", light="ben", dark="Ada").play("@a1 @b2 resign", pond="mini", light="Ben", dark="Ada")
        assert pond("statistics", "--by", "player")[1].splitlines() == [
            "player  games  won  lost  drawn  as Light  as Dark  points  against",
            "Ada         3    2     0      1    1 of 1   1 of 2       0        0",
            "Ben         2    0     1      1    0 of 2   0 of 0       0        0",
            "greedy      1    0     1      0    0 of 0   0 of 1       0        0",
            "",
            text(Message("statistics.players_legend")),
        ]
        shares = [
            Message("share.of_cases", cases=1, total=1, percent=100, low=21, high=100),
            Message("share.of_cases", cases=0, total=1, percent=0, low=0, high=79),
        ]
        assert pond("statistics", "--by", "variant")[1].splitlines() == [
            "pond      games  Light  Dark  drawn  turns  points  first to move wins",
            f"standard      2      1     0      1      2     0.0  {text(shares[0])}",
            f"mini          1      0     1      0      2     0.0  {text(shares[1])}",
            "",
            text(Message("statistics.variants_legend")),
        ]

    def test_json_output(self, pond, evening):
        results = json.loads(pond("statistics", "--json", "--by", "player")[1])
        assert (results["finished"], results["unfinished"], results["won"]) == (1, 2, {"light": 1, "dark": 0})
        assert results["first_to_move"] == {"won": 1, "of": 1, "low": 0.2065, "high": 1.0}
        assert results["turns"] == {"least": 3, "median": 3, "most": 3}
        assert [each["name"] for each in results["players"]] == ["Ada", "greedy"]
        results = json.loads(pond("statistics", "--json", "--by", "variant")[1])
        assert results["variants"]["standard"]["reasons"]["resignation"] == 1

    def test_journal_without_finished_games_is_reported(self, pond, stored):
        assert pond("statistics")[1] == stdout_line("games.none", folder=str(stored.folder), command="pond play")
        stored.play("@b2")
        for by in ([], ["--by", "player"], ["--by", "variant"]):
            counted = stdout_line("statistics.finished", count=0) + stdout_line("statistics.unfinished", count=1)
            assert pond("statistics", *by)[1] == counted

    @each(
        "cases, of, low, high",  # R: binom::binom.wilson
        [
            (0, 10, 0.0, 0.2775),
            (8, 10, 0.4902, 0.9433),
            (50, 100, 0.4038, 0.5962),
            (1, 1, 0.2065, 1.0),
            (0, 0, 0.0, 1.0),
        ],
    )
    def test_share_interval_matches_reference_values(self, cases, of, low, high):
        assert [round(bound, 4) for bound in find_interval(WinShare(cases, of))] == [low, high]


class TestClocks:
    def test_list_marks_doubtful_times(self, pond, stored):
        stored.play("@b2 resign")
        stored.clock.wall = datetime(1999, 1, 1, tzinfo=UTC)
        stored.play("@b2 resign")
        lines = pond("games")[1].splitlines()
        assert "1999-01-01 00:00?" in lines[2]
        assert lines[-1] == f"?  {text(Message('games.doubtful_clock'))}"
        assert stdout_line("show_game.doubtful_begin", time="1999-01-01 00:00") in pond("show-game", "2")[1]

    def test_times_are_local(self, pond, evening, monkeypatch):
        monkeypatch.setenv("TZ", "XYZ-2")
        time.tzset()
        assert "1 2026-05-04 21:00 standard" in pond("games")[1]
        assert '[Date "2026-05-04 19:00 UTC"]' in pond("export", "1")[1]


def no_game(name, kind="number"):
    """Return the message without the folder, which differs in each test."""
    return Message(f"game.no_such_{kind}", name=name, command="pond games")


class TestBadInput:
    @each(
        "arguments, expected",
        [
            (["show-game", "9"], no_game("9")),
            (["show-game", "0"], no_game("0")),
            (["show-game", "-1"], "-1"),
            (["show-game", "first"], no_game("first", "name")),
            (["show-game", "٣"], no_game("٣", "name")),
            (["export"], Message("export.which")),
            (["export", "1", "--all"], Message("export.all_or_some")),
            (["export", "1", "2"], Message("export.needs_folder")),
            (["export", "--all", "-o", "-"], Message("export.needs_folder")),
            (["export", "1", "-o", ""], Message("export.needs_place")),
            (
                ["export", "1", "-o", "/nowhere/at/all.pond"],
                Message("file.cannot_write", file="/nowhere/at/all.pond", reason="No such file or directory"),
            ),
            (
                ["export", "1", "-o", "a\0b"],
                text(Message("file.cannot_write", file="a\0b", reason="")).removesuffix("."),
            ),
            (["import"], "Missing: FILE.pond."),
            (["resume", "1x"], no_game("1x", "name")),
            (["delete-game", "1", "9", "--yes"], no_game("9")),
            (["games", "--last", "0"], "1 or more, not 0"),
            (
                ["games", "--variant", "pool"],
                text(Message("variant.unknown", name="pool", names=tuple(VARIANTS))),
            ),
            (["statistics", "--by", "moon"], "player, variant."),
        ],
    )
    def test_bad_input_exits_with_code_2(self, pond, evening, arguments, expected):
        code, out, err = pond(*arguments)
        assert (code, out) == (2, "")
        if isinstance(expected, Message):
            folder = {"folder": str(evening.folder)} if expected.id.startswith("game.") else {}
            assert err == stderr_line(expected.id, **expected.arguments, **folder)
        else:
            assert expected in err
        assert len(evening.games) == 3

    def test_file_instead_of_folder_is_refused(self, pond, tmp_path):
        (tmp_path / "file").write_text("")
        assert pond("games", folder=tmp_path / "file")[::2] == (
            2,
            f"pond: {tmp_path}/file is not a folder. Choose a folder for --journal.\n",
        )
        assert pond("import", str(GAMES / "mini-patience.pond"), folder=tmp_path / "file" / "below")[0] == 2
        assert pond("games", folder="")[2] == "pond: --journal needs the name of a folder.\n"
        assert pond("games", folder="a\0b")[0] == 2

    def test_disabled_journal_is_reported(self, capsys):
        assert main.main(["games"]) == 2  # the default in tests
        assert capsys.readouterr().err == stderr_line("journal.off")

    def test_root_is_refused_in_other_users_folders(self, pond, evening, monkeypatch):
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        real = Path.stat

        class OtherOwner:
            st_uid = 65534
            st_mode = 0o40700

        monkeypatch.setattr(
            Path, "stat", lambda path, **kw: OtherOwner() if path == evening.folder else real(path, **kw)
        )
        for command in (["resume", "2"], ["delete-game", "1", "--yes"], ["import", str(GAMES / "mini-patience.pond")]):
            code, out, err = pond(*command)
            assert (code, out) == (2, "")
            assert err.startswith(stderr_line("folder.not_for_root", folder=str(evening.folder)).strip())
        assert len(evening.games) == 3


class TestMissingFolder:
    @each(
        "command",
        [
            ["games"],
            ["statistics"],
            ["show-game", "1"],
            ["export", "1"],
            ["import", "tests/games/mini-patience.pond"],
            ["resume", "1"],
            ["delete-game", "1"],
            ["replay", "last"],
            ["analyse", "last"],
        ],
    )
    def test_missing_folder_is_not_created(self, pond, command):
        nowhere = Path("/nowhere/at/all")
        assert pond(*command, folder=nowhere) == (2, "", stderr_line("journal.no_folder", folder=str(nowhere)))
        assert not nowhere.parent.exists()

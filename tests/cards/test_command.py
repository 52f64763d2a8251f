"""Tests of `pond cards`."""

import io
import json
import shutil
import sqlite3
import sys
from contextlib import closing

import pytest

from pond_hw.cards.rules import Rules
from pond_hw.cards.rules.record import parse_record
from pond_hw.cards.saved_games import PLAY, SCORE, cards_folder, format_event, make_facts
from pond_hw.cards.session import CardSession
from pond_hw.journal.other_games import OtherGameJournal, read_other_games
from pond_hw.messages.message import Message
from tests.messages.says import assert_refused, text


@pytest.fixture
def stdin(monkeypatch):
    def write_lines(*lines):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    write_lines()
    return write_lines


@pytest.fixture(scope="module")
def written_journal(tmp_path_factory):
    """Folder of a journal with a game and a score, shared by all tests."""
    folder = tmp_path_factory.mktemp("journal")
    played = CardSession(Rules(), ["sensible", "random"], 3)
    played.run_programs()
    writer = OtherGameJournal(cards_folder(folder))
    writer.begin_game(make_facts(PLAY, played.rules, 0, played.names, played.seats, played.seed))
    for event in played.game.events:
        writer.add_entry(format_event(event))
    writer.begin_game(make_facts(SCORE, Rules(), 0, ("Ada", "Ben")))
    for entry in ("poison 1 h", "poison 2 d", "count", "add ace", "next", "add profit", "next"):
        writer.add_entry(entry)
    writer.close()
    return folder


@pytest.fixture
def journal(written_journal, tmp_path):
    """Copy of the shared journal."""
    return shutil.copytree(written_journal, tmp_path, dirs_exist_ok=True)


def test_game_is_played_with_json_lines(pond, stdin):
    stdin({"ask": "state"})
    code, out, complaint = pond(
        "cards", "play", "--jsonl", "--seed", 5, "--players", 4, "--seats", "human,random,random,random"
    )
    hello, *states = map(json.loads, out.splitlines())
    assert (code, complaint, hello["seats"], len(states)) == (0, "", 4, 2)
    assert states[0] == states[1]


def test_same_seed_gives_same_deals(pond, stdin):
    outs = set()
    for _ in range(2):
        stdin()
        outs.add(pond("cards", "play", "--jsonl", "--seed", 9)[1])
    stdin()
    other = pond("cards", "play", "--jsonl", "--seed", 10)[1]
    assert len(outs) == 1
    assert other not in outs


def test_record_is_written_and_loaded(pond, stdin, tmp_path):
    file = tmp_path / "game.cards"
    arguments = ("cards", "play", "--jsonl", "--seats", "random,sensible", "--rule", "poison=game", "--dealer", 2)
    code, out, complaint = pond(*arguments, "-o", file)
    assert (code, complaint) == (0, "")
    record = parse_record(file.read_text())
    assert record.game.is_over
    assert record.game.first_dealer == 1
    assert record.game.rules.poison == "game"
    assert record.names == ("random", "sensible")
    stdin()
    code, out, complaint = pond("cards", "play", "--jsonl", "--load", file, "--seats", "human,random")
    assert code == 0
    assert json.loads(out.splitlines()[1])["over"]
    code, out, complaint = pond(*arguments, "-o", file)
    assert code == 2
    assert "already" in complaint


def test_unwritable_record_is_reported_before_the_game(pond, stdin, tmp_path):
    stdin()
    file, folder = tmp_path / "no" / "game.cards", tmp_path / "no"
    assert_refused(
        pond("cards", "play", "--jsonl", "-o", file), Message("file.no_folder", file=str(file), folder=str(folder))
    )


def test_games_are_listed(pond, journal):
    code, out, _ = pond("cards", "games", "--journal", journal)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 3
    programs = (Message(f"cards.program.{kind}") for kind in ("sensible", "random"))
    assert ", ".join(map(text, programs)) in lines[1]
    assert "Ada, Ben" in lines[2]
    assert "1 : 15" in lines[2]
    games = json.loads(pond("cards", "games", "--journal", journal, "--json")[1])["games"]
    assert [game["kind"] for game in games] == ["play", "score"]
    assert games[1]["rounds"][0]["scores"] == [1, 15]
    assert parse_record(games[0]["record"]).game.is_over


def test_game_is_shown_and_exported(pond, journal, tmp_path):
    code, out, _ = pond("cards", "show", "--journal", journal)
    assert code == 0
    assert "Score of the card game Pond" in out
    assert "Ben: 15 in total" in out
    code, out, _ = pond("cards", "show", 1, "--journal", journal)
    assert parse_record(out).game.is_over
    code, out, _ = pond("cards", "show", 1, "--journal", journal, "-o", tmp_path / "one.cards")
    assert code == 0
    assert parse_record((tmp_path / "one.cards").read_text()).game.is_over
    assert json.loads(pond("cards", "show", "last", "--journal", journal, "--json")[1])["kind"] == "score"


def test_empty_journal_is_reported(pond, tmp_path):
    code, out, _ = pond("cards", "games", "--journal", tmp_path)
    assert code == 0
    assert "no card games yet" in out
    assert pond("cards", "show", "--journal", tmp_path)[0] == 2


def test_board_games_list_excludes_card_games(pond, journal):
    code, out, complaint = pond("games", "--journal", journal)
    assert (code, complaint) == (0, "")
    assert "Ada" not in out


def test_unreadable_game_is_reported_and_skipped(pond, journal):
    writer = OtherGameJournal(cards_folder(journal))
    writer.begin_game(make_facts(SCORE, Rules(), 0, ("Eve", "")))
    writer.add_entry("nonsense")
    writer.close()
    code, out, complaint = pond("cards", "games", "--journal", journal)
    assert code == 0
    assert len(out.splitlines()) == 3
    assert "Card game 3 can't be read" in complaint


WRONG = [
    (("cards",), "Missing"),
    (("cards", "dance"), "can't be"),
    (("cards", "play", "--players", "3"), "--players"),
    (("cards", "play", "--jsonl", "--seats", "human"), "has 1 player, but this game needs 2"),
    (("cards", "play", "--jsonl", "--seats", "human,genius"), "no player"),
    (("cards", "play", "--jsonl", "--names", "Ada,Ben,Eve"), "has 3 players, but this game needs 2"),
    (("cards", "play", "--jsonl", "--names", 'A"da'), "isn't a valid name"),
    (("cards", "play", "--jsonl", "--names", "x" * 30), "isn't a valid name"),
    (("cards", "play", "--jsonl", "--rule", "colour=blue"), "no rule"),
    (("cards", "play", "--jsonl", "--rule", "poison=blue"), "can't be"),
    (("cards", "play", "--jsonl", "--dealer", "3"), "Seat 3 can't deal"),
    (("cards", "play", "--jsonl", "--board", "simulated-4x4"), "--board can't be used with --jsonl"),
    (("cards", "play", "--jsonl", "--resume"), "--resume can't be used with --jsonl"),
    (("cards", "play", "--jsonl", "--journal", "x"), "--journal can't be used with --jsonl"),
    (("cards", "play", "--jsonl", "--load", "no.such"), "Can't read"),
    (("cards", "play", "--jsonl", "--load", __file__), "isn't a record of the card game"),
    (("cards", "play", "--jsonl", "--load", "x", "--players", "4"), "--load"),
    (("cards", "play", "--new"), "doesn't take --new"),
    (("cards", "score", "--seats", "human,human"), "doesn't take --seats"),
    (("cards", "score", "--jsonl"), "doesn't take --jsonl"),
    (("cards", "games", "-o", "x"), "doesn't take -o"),
    (("cards", "play", "3"), "doesn't take N"),
    (("cards", "show", "99", "--journal", "."), "card game"),
    (("cards", "play"), "terminal"),
    (("cards", "score"), "terminal"),
    (("cards", "games", "--unsaved"), "journal"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_invalid_options_are_refused(pond, stdin, arguments, message):
    code, out, complaint = pond(*arguments)
    assert code == 2, out
    assert message in complaint
    assert "Traceback" not in complaint


def test_binary_file_is_not_a_record(pond, stdin, tmp_path):
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    code, _, complaint = pond("cards", "play", "--jsonl", "--load", tmp_path / "x")
    assert code == 2
    assert "UTF-8" in complaint


def saved_kinds(pond, journal):
    return [game["kind"] for game in json.loads(pond("cards", "games", "--journal", journal, "--json")[1])["games"]]


def test_card_game_is_deleted(pond, journal, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("n\ny\n"))
    listed = pond("cards", "games", "--journal", journal)[1].splitlines()
    code, out, _ = pond("delete-game", 1, "--cards", "--journal", journal)
    assert code == 0
    assert out.splitlines()[:2] == listed[:2]
    assert text(Message("cards.program.sensible")) in out, "the game is shown before anybody agrees"
    assert out.splitlines()[-1].endswith(text(Message("delete.nothing")))
    assert saved_kinds(pond, journal) == ["play", "score"]
    folder = cards_folder(journal)
    no_such_game = Message("game.no_such_number", name="9", folder=str(folder), command="pond cards games")
    assert pond("delete-game", 9, "--cards", "--journal", journal) == (2, "", f"pond: {text(no_such_game)}\n")
    code, out, _ = pond("delete-game", 1, "--cards", "--journal", journal)
    assert (code, out.splitlines()[-1]) == (0, text(Message("delete.renumbered", command="pond cards games")))
    assert saved_kinds(pond, journal) == ["score"]
    assert pond("delete-game", "last", "--cards", "--yes", "--journal", journal)[:2] == (0, "Deleted game 1.\n")
    assert saved_kinds(pond, journal) == []
    none = f"pond: {text(Message('games.none', folder=str(folder), command='pond cards play'))}\n"
    assert pond("delete-game", "last", "--cards", "--yes", "--journal", journal) == (2, "", none)
    assert not any(b"Ada" in path.read_bytes() for path in folder.iterdir()), "nothing of it is left on the disk"


def test_deletion_without_cards_option_means_board_game(pond, journal):
    code, out, _ = pond("delete-game", 1, "--yes", "--journal", journal)
    assert (code, out) == (2, "")
    assert saved_kinds(pond, journal) == ["play", "score"]


def test_open_card_game_is_not_deleted(pond, journal):
    writer = OtherGameJournal(cards_folder(journal))
    writer.begin_game(make_facts(PLAY, Rules(), 0, ("Ada", "Ben"), ("human", "human"), 1))
    played = CardSession(Rules(), ("human", "human"), 1)
    writer.add_entry(format_event(played.deal()))
    for number in (2, 3):
        code, out, complaint = pond("delete-game", number, "--cards", "--yes", "--journal", journal)
        assert (code, out, complaint) == (2, "", f"pond: {text(Message('delete.may_be_played', number=number))}\n")
    assert pond("delete-game", 1, "--cards", "--yes", "--journal", journal)[0] == 0
    writer.add_entry(format_event(played.view_for(0).legal_actions[0]))
    writer.close()
    games = read_other_games(cards_folder(journal))[0]
    assert [len(game.entries) for game in games] == [7, 2], "the open game is complete"
    assert pond("delete-game", 1, "--cards", "--yes", "--journal", journal)[0] == 0


def test_unreadable_card_game_can_be_deleted(pond, journal):
    folder = cards_folder(journal)
    with closing(sqlite3.connect(folder / "journal-1.db", isolation_level=None)) as base:
        base.execute("UPDATE game SET facts = 'x' WHERE id = 1")
    code, out, complaint = pond("cards", "games", "--journal", journal)
    assert code == 0
    assert out.splitlines()[1].split()[0] == "2"
    assert "game 1" in complaint.lower()
    assert pond("delete-game", 1, "--cards", "--yes", "--journal", journal)[0] == 0
    assert saved_kinds(pond, journal) == ["score"]


def test_unknown_game_number_is_refused(pond, journal):
    code, _, complaint = pond("cards", "show", 99, "--journal", journal)
    assert code == 2
    assert "no card game" in complaint
